/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An event touches one slice: in a checked run the state of the others is unreadable.
 */
#include "tests/parcels/world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICES 3u

/* Two parcels on each slice's SPELL. The first leaves where its arguments are; the second of slice
 * 0 may write there, of another slice. */
struct args {
    struct args **here, **write; /* NULL: neither */
    uint64_t count;
};

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    *ops = (struct htmt_ops){.n[HTMT_CYCLE] = 100};
}

static void control(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (a->here)
        *a->here = a;
    if (a->write)
        (*a->write)->count++;
}

static htmt_time play(bool checked, bool crime, uint64_t *hash)
{
    struct args *where[SLICES];
    struct world_spec s = world_plain(SLICES);
    struct world w = world_open(&s, (struct htmt_options){.mode = HTMT_MODEL, .checked = checked});
    struct htmt_type *type =
        world_type(&w, (struct htmt_type_desc){.name = "pair",
                                               .home = "cram",
                                               .exec = "cram",
                                               .execute = {.cost = cost, .control = control},
                                               .footprint = HTMT_RESIDENT,
                                               .args_bytes = sizeof(struct args)});
    for (uint32_t i = 0; i < SLICES; i++) {
        struct args first = {.here = &where[i]};
        struct args second = {.write = crime && !i ? &where[1] : NULL};
        world_start(&w, (struct htmt_parcel_desc){.type = type, .slice = i, .args = &first});
        world_start(&w, (struct htmt_parcel_desc){.type = type, .slice = i, .args = &second});
    }
    htmt_time time = world_run(&w);
    *hash = htmt_history_hash(w.e);
    world_close(&w);
    return time;
}

/* Status of a child: a segmentation fault under a sanitizer is an exit by its own hand. */
static bool dies(bool checked, bool crime)
{
    int status;
    pid_t child = fork();
    if (!child) {
        uint64_t hash;
        signal(SIGSEGV, SIG_DFL);
        play(checked, crime, &hash);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

Test(slices, a_control_that_writes_arguments_of_another_slice_ends_a_checked_run)
{
    cr_assert(dies(true, true));
    cr_assert_not(dies(true, false));
    cr_assert_not(dies(false, true));
}

Test(slices, a_checked_run_has_the_same_history)
{
    uint64_t plain, checked;
    htmt_time a = play(false, false, &plain), b = play(true, false, &checked);
    cr_assert_eq(a, b);
    cr_assert_eq(plain, checked);
}
