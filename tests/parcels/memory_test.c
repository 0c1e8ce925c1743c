/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounded memories: back-pressure in order, stalls as long as they must be, and no deadlock of
 * plain programs, however small the memories.
 */
#include "tests/parcels/world.h"

/* ---- never a deadlock ------------------------------------------------------------------------ */

/* Memories that hold one parcel of any of the types; results of other sizes than the inputs. */
static void run_tight(uint64_t seed, unsigned room)
{
    struct world_spec s = world_plain(2);
    struct htmt_region r[3][2];
    struct htmt_type *t[3];
    uint64_t in[3], out[3], code[3], most = 0, image = 0;
    for (int i = 0; i < 3; i++) {
        in[i] = world_between(&seed, 1, 50);
        out[i] = world_between(&seed, 1, 50);
        code[i] = world_between(&seed, 0, 9);
        if (in[i] + out[i] + code[i] > most)
            most = in[i] + out[i] + code[i];
        if (in[i] + code[i] > image)
            image = in[i] + code[i];
    }
    s.capacity[SRAM] = s.capacity[CRAM] = room * most;
    s.capacity[DRAM] = 200 + room * image;
    for (int l = 0; l < LAYERS; l++)
        s.servers[l] = (unsigned)world_between(&seed, 1, 3);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o[2] = {world_object(&w, 0, DRAM, 1600, "o"),
                                world_object(&w, 1, DRAM, 1600, "o")};
    for (int i = 0; i < 3; i++) {
        struct htmt_type_desc d = world_eight();
        d.name = (const char *const[]){"one", "two", "three"}[i];
        d.code_words = code[i];
        t[i] = world_type(&w, d);
    }
    for (int i = 0; i < 60; i++) {
        uint64_t k = world_random(&seed) % 3, slice = world_random(&seed) % 2;
        struct world_work work = {world_between(&seed, 0, 99), world_between(&seed, 0, 99),
                                  world_between(&seed, 0, 99), world_between(&seed, 0, 99),
                                  world_between(&seed, 0, 99)};
        r[k][0] = (struct htmt_region){.from = htmt_in(o[slice], 0), .bytes = 8 * in[k]};
        r[k][1] = (struct htmt_region){.to = htmt_in(o[slice], 0), .bytes = 8 * out[k]};
        START(&w, .type = t[k], .slice = (uint32_t)slice, .args = &work, .regions = r[k],
              .region_count = 2);
    }
    world_run(&w);
    cr_assert_eq(htmt_parcel_count(w.e), 60);
    world_close(&w);
}

Test(memory, plain_programs_never_deadlock_with_room_for_one_parcel)
{
    for (uint64_t seed = 1; seed <= 100; seed++)
        run_tight(seed, 1 + seed % 2);
}

/* ---- stalls ---------------------------------------------------------------------------------- */

struct starts {
    htmt_time inject[16];
    uint64_t serial[16];
    unsigned count;
};

static void note_inject(void *user, const struct htmt_event *event)
{
    struct starts *s = user;
    if (event->stage != HTMT_INJECT || s->count == 16)
        return;
    s->inject[s->count] = event->time;
    s->serial[s->count++] = event->serial;
}

COST(execute_ten, ops->n[HTMT_CYCLE] = 100)

/* CRAM of 10 words; parcels from SRAM of the given sizes, each 100 ns on the SPELL. */
static struct world stalls(const uint64_t *words, unsigned n, struct starts *starts)
{
    struct world_spec s = world_plain(1);
    s.capacity[CRAM] = 10;
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .observe = note_inject, .user = starts);
    struct htmt_object *o = world_object(&w, 0, SRAM, 80, "o");
    struct htmt_type *t =
        TYPE(&w, .name = "block", .home = "sram", .exec = "cram", .execute = {.cost = execute_ten});
    for (unsigned i = 0; i < n; i++) {
        struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 8 * words[i]};
        START(&w, .type = t, .regions = &r, .region_count = 1);
    }
    world_run(&w);
    return w;
}

/* Sizes 6, 6, 2: the third would fit beside the first, but nobody overtakes.
 * 1: inject 0-6, execute 6-106. 2: space at 106, inject -112, execute 112-212; 3: space at 106 too
 * (6 + 2 <= 10), inject 112-114, execute 212-312. */
Test(memory, a_small_request_does_not_overtake_a_large_one)
{
    struct starts starts = {.count = 0};
    const uint64_t words[] = {6, 6, 2};
    struct world w = stalls(words, 3, &starts);
    struct htmt_memory_report m;
    const htmt_time want[] = {6 * NS, 112 * NS, 114 * NS};
    cr_assert_eq(starts.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(starts.inject[i], want[i]);
        cr_assert_eq(starts.serial[i], i + 1);
    }
    cr_assert_eq(htmt_predicted(w.e), 312 * NS);
    htmt_memory_at(w.e, CRAM, &m);
    cr_assert_eq(m.stalled, 2 * 106 * NS);
    cr_assert_eq(m.queue_integral, 2 * 106 * NS);
    cr_assert_eq(m.max_queue, 2);
    cr_assert_eq(m.peak, 8);
    cr_assert_eq(m.taken, 14);
    world_close(&w);
}

/* n parcels of the whole memory: the k-th waits for k - 1 periods of inject and execute. */
Test(memory, stalls_are_the_sum_of_the_periods_waited)
{
    struct starts starts = {.count = 0};
    const uint64_t words[] = {10, 10, 10, 10, 10};
    struct world w = stalls(words, 5, &starts);
    struct htmt_memory_report m;
    struct htmt_phase_report phase;
    htmt_wide stalled = 0;
    htmt_memory_at(w.e, CRAM, &m);
    cr_assert_eq(m.stalled, (1 + 2 + 3 + 4) * 110 * NS);
    cr_assert_eq(htmt_predicted(w.e), 5 * 110 * NS);
    cr_assert_eq(m.peak, 10);
    for (uint32_t i = 0; !htmt_phase_at(w.e, i, &phase); i++)
        stalled += phase.stalled;
    cr_assert_eq(stalled, m.stalled);
    world_close(&w);
}

/* ---- objects --------------------------------------------------------------------------------- */

Test(memory, objects_count_and_give_back)
{
    struct world_spec s = world_plain(1);
    s.capacity[CRAM] = 10;
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_object *a = world_object(&w, 0, CRAM, 41, "a"), *b = NULL;
    htmt_object_destroy(&a);
    cr_assert_null(a);
    a = world_object(&w, 0, CRAM, 41, "a"); /* 6 words */
    b = world_object(&w, 0, CRAM, 32, "b"); /* 4 */
    struct htmt_memory_report m;
    htmt_memory_at(w.e, CRAM, &m);
    cr_assert_eq(m.resident, 10);
    cr_assert_eq(m.peak, 10);
    cr_assert_eq(m.taken, 16);
    cr_assert_eq(m.given, 6);
    htmt_object_destroy(&b);
    cr_assert_eq(htmt_object_create(w.e, 0, CRAM, 33, "c", &b), HTMT_ECAPACITY);
    cr_assert_null(b);
    world_close(&w);
}

/* ---- the phase that was stalled ---------------------------------------------------------------
 */

static void no_kernel(struct htmt_kernel *k)
{
    (void)k;
}

/* Each of three parcels needs the whole memory of its layer. */
static htmt_wide stalled(enum htmt_mode mode, const char *home, const char *exec)
{
    struct world_spec spec = world_plain(1);
    struct htmt_phase_report r;
    htmt_wide sum = 0;
    spec.capacity[DRAM] = 50;
    spec.capacity[CRAM] = 100;
    struct world w = OPEN(&spec, .mode = mode);
    struct htmt_type_desc d = world_eight();
    struct htmt_region region = {.bytes = 8 * 60};
    struct world_work work = {.assemble = 30, .execute = 100};
    d.home = home;
    d.exec = exec;
    d.assemble.kernel = d.execute.kernel = no_kernel;
    d.header_words = 30;
    struct htmt_type *type = world_type(&w, d);
    for (int i = 0; i < 3; i++)
        START(&w, .type = type, .args = &work, .regions = &region, .region_count = 1);
    world_run(&w);
    for (uint32_t i = 0; i < htmt_phase_count(w.e); i++) {
        htmt_phase_at(w.e, i, &r);
        sum += r.stalled;
    }
    world_close(&w);
    return sum;
}

Test(memory, a_run_and_a_model_say_alike_which_phases_waited_for_space)
{
    cr_assert_eq(stalled(HTMT_MODEL, "cram", "cram"), (100 + 200) * NS);
    cr_assert_eq(stalled(HTMT_RUN, "cram", "cram"), (100 + 200) * NS);
    cr_assert_eq(stalled(HTMT_MODEL, "dram", "cram"), stalled(HTMT_RUN, "dram", "cram"));
}
