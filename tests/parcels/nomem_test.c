/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every allocation of the timing plane fails once: the run ends with HTMT_ENOMEM or does not need
 * it, nothing leaks into a wrong answer, and all is freed in order.
 *
 * This program's own malloc() and kin stand before jemalloc's and fail at a chosen call; a
 * sanitizer has its own, so there the test only runs the program.
 */
#include "tests/parcels/program.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static long fuse;
#else
#include <errno.h>
#include <jemalloc/jemalloc.h>

static _Thread_local long fuse; /* allocations until one fails; 0: none will */

static bool burnt(void)
{
    if (!fuse || --fuse)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return burnt() ? NULL : mallocx(size ? size : 1, 0);
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || burnt())
        return NULL;
    return mallocx(bytes ? bytes : 1, MALLOCX_ZERO);
}

void *realloc(void *p, size_t size)
{
    if (burnt())
        return NULL;
    return p ? rallocx(p, size ? size : 1, 0) : mallocx(size ? size : 1, 0);
}
#endif

static void keep(void *into, const void *from, uint64_t bytes)
{
    (void)into;
    (void)from;
    (void)bytes;
}

static void join(struct htmt_context *c)
{
    struct htmt_allreduce *const *a = htmt_args(c);
    htmt_allreduce(c, *a, (struct htmt_slot){0});
}

/* false: something could not be had. */
static bool set_up_sum(struct htmt_emulator *e, struct htmt_frame *frame, uint32_t slices)
{
    struct htmt_allreduce *a;
    struct htmt_type *type;
    struct htmt_allreduce_desc sum = {.frame = frame, .bytes = 8, .combine = keep, .name = "sum"};
    struct htmt_type_desc d = {.name = "joiner",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.control = join},
                               .args_bytes = sizeof(struct htmt_allreduce *)};
    if (htmt_allreduce_create(e, &sum, &a) || htmt_type_create(e, &d, &type))
        return false;
    for (uint32_t i = 0; i < slices; i++)
        if (ASSEMBLE(htmt_root(e), NULL, .type = type, .slice = i, .args = &a))
            return false;
    return true;
}

/* Of one slice and every kind of thing; what it sets up may fail as well. */
static void set_up(struct program *p, struct htmt_emulator *e, const struct world_spec *s)
{
    memset(p, 0, sizeof *p);
    p->w.e = e;
    p->slices = s->slices;
    p->known = true;
    uint64_t seed = 11;
    for (uint32_t l = 0; l < LAYERS; l++)
        if (htmt_frame_create(e, l, PROGRAM_BYTES, "frame", &p->frame[l]))
            return;
    for (uint32_t i = 0; i < p->slices; i++)
        if (htmt_mailbox_create(e, i, CRAM, 8, 64, "box", &p->box[i]))
            return;
    if (!set_up_sum(e, p->frame[CRAM], p->slices))
        return;
    struct htmt_type_desc d = world_eight();
    d.args_bytes = sizeof(struct program_args);
    d.assemble.cost = d.dispatch.cost = d.retire.cost = d.scatter.cost = program_cost;
    d.execute = (struct htmt_stage){.kernel = program_only_visit, .cost = program_cost};
    struct htmt_stage settle = {
        .kernel = program_only_visit, .cost = program_cost, .control = program_settle};
    struct htmt_type_desc roam = {.name = "roamer",
                                  .home = "cram",
                                  .exec = "cram",
                                  .execute = {.control = program_roam},
                                  .fibers = &settle,
                                  .fiber_count = 1,
                                  .args_bytes = sizeof(struct program_args)};
    if (htmt_type_create(e, &d, &p->type[0]) || htmt_type_create(e, &roam, &p->roamer[CRAM]))
        return;
    p->home[0] = DRAM;
    p->exec[0] = CRAM;
    for (uint32_t i = 0; i < 6; i++) {
        struct program_args a = {p, world_random(&seed), 2, CRAM};
        struct htmt_region r = program_region(p, 0, i % p->slices, &seed);
        struct htmt_parcel_desc desc = {.type = i % 2 ? p->roamer[CRAM] : p->type[0],
                                        .slice = i % p->slices,
                                        .args = &a,
                                        .regions = &r,
                                        .region_count = !(i % 2)};
        if (htmt_assemble(htmt_root(e), &desc, NULL))
            return;
    }
}

/* The n-th allocation fails; 0: none. Returns the run's code. */
static int run_with(const struct htmt_machine *m, const struct world_spec *s, enum htmt_mode mode,
                    long n, bool *all, uint64_t *hash)
{
    struct program p;
    struct htmt_emulator *e = NULL;
    struct htmt_options o = {.machine = m, .mode = mode, .threads = 1};
    fuse = n;
    int rc = htmt_emulator_create(&e, &o, NULL);
    if (!rc) {
        set_up(&p, e, s);
        rc = htmt_emulator_run(e);
        *hash = htmt_history_hash(e);
    }
    *all = !n || fuse; /* the n-th was never asked for */
    fuse = 0;
    htmt_emulator_destroy(&e);
    return rc;
}

static void each_fails(enum htmt_mode mode)
{
    struct world_spec s = world_plain(2);
    struct htmt_machine *m = world_machine(&s);
    uint64_t want = 0, hash = 0;
    bool all = false;
    cr_assert_eq(run_with(m, &s, mode, 0, &all, &want), 0);
    all = false;
    for (long n = 1; !all && n < 5000; n++) {
        int rc = run_with(m, &s, mode, n, &all, &hash);
        cr_assert(rc == HTMT_ENOMEM || rc == 0, "allocation %ld: %s", n, htmt_err_name(rc));
        cr_assert(rc || hash == want, "allocation %ld changed the history", n);
        cr_assert(rc == 0 || !all, "no allocation failed, but the run did");
    }
    cr_assert(all);
    htmt_machine_destroy(&m);
}

Test(nomem, a_model_run_survives_every_failed_allocation, .timeout = 60)
{
    each_fails(HTMT_MODEL);
}

Test(nomem, a_run_survives_every_failed_allocation, .timeout = 60)
{
    each_fails(HTMT_RUN);
}
