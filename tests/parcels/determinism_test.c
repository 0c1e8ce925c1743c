/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A prediction, its history and the bytes of a run are a pure function of the program.
 */
#include "tests/parcels/program.h"

#include <pthread.h>

static struct program_outcome outcome(uint64_t seed, bool known, struct htmt_options o)
{
    struct program p;
    program_open(&p, seed, known, 40, o);
    int rc = htmt_emulator_run(p.w.e);
    bool left =
        (rc == HTMT_ELEFT || rc == HTMT_EORDER) && o.checked; /* who takes mail is drawn, too */
    cr_assert(rc == 0 || left, "%s", htmt_emulator_fault(p.w.e)->text);
    return program_close(&p);
}

static bool same(const struct program_outcome *a, const struct program_outcome *b)
{
    return a->predicted == b->predicted && a->hash == b->hash && a->events == b->events &&
           a->parcels == b->parcels && a->bytes == b->bytes;
}

/* Counts, steering and conflicts depend on data; delays shuffle the host. */
Test(determinism, threads_and_delays_change_no_bit, .timeout = 120)
{
    const uint32_t threads[] = {2, 3, 8};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct program_outcome one = outcome(seed, false, (struct htmt_options){.threads = 1});
        for (unsigned i = 0; i < 3; i++) {
            struct program_outcome many = outcome(
                seed, false, (struct htmt_options){.threads = threads[i], .delay_seed = seed + i});
            cr_assert(same(&one, &many), "seed %u, %u threads: %lld, %lld fs", (unsigned)seed,
                      threads[i], (long long)one.predicted, (long long)many.predicted);
        }
    }
}

Test(determinism, other_seeds_are_other_histories)
{
    struct program_outcome a = outcome(1, false, (struct htmt_options){.threads = 1});
    struct program_outcome b = outcome(2, false, (struct htmt_options){.threads = 1});
    cr_assert_neq(a.hash, b.hash);
    cr_assert_neq(a.bytes, b.bytes);
}

Test(determinism, run_and_model_agree_where_costs_are_known, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct program_outcome run = outcome(seed, true, (struct htmt_options){.threads = 2});
        struct program_outcome model =
            outcome(seed, true, (struct htmt_options){.mode = HTMT_MODEL});
        run.bytes = model.bytes;
        cr_assert(same(&run, &model), "seed %u: run %lld fs, model %lld fs", (unsigned)seed,
                  (long long)run.predicted, (long long)model.predicted);
    }
}

/* A small bound on what runs ahead makes the clock wait; checked kernels run one at a time. */
Test(determinism, run_ahead_and_checks_change_no_bit, .timeout = 60)
{
    for (uint64_t seed = 20; seed < 26; seed++) {
        struct program_outcome one = outcome(seed, false, (struct htmt_options){.threads = 1});
        struct program_outcome narrow =
            outcome(seed, false, (struct htmt_options){.threads = 3, .run_ahead_bytes = 1});
        struct program_outcome pools =
            outcome(seed, false, (struct htmt_options){.layer_threads = {1, 1, 2}});
        struct program_outcome checked =
            outcome(seed, false, (struct htmt_options){.threads = 3, .checked = true});
        cr_assert(same(&one, &narrow), "seed %u", (unsigned)seed);
        cr_assert(same(&one, &pools), "seed %u", (unsigned)seed);
        cr_assert(same(&one, &checked), "seed %u", (unsigned)seed);
    }
}

struct rival {
    uint64_t seed;
    struct program_outcome out;
};

static void *run_rival(void *user)
{
    struct rival *r = user;
    r->out = outcome(r->seed, false, (struct htmt_options){.threads = 2, .delay_seed = 9});
    return NULL;
}

Test(determinism, two_emulators_run_side_by_side, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct rival r[2] = {{.seed = seed}, {.seed = seed + 1}};
        pthread_t thread[2];
        for (int i = 0; i < 2; i++)
            cr_assert_eq(pthread_create(&thread[i], NULL, run_rival, &r[i]), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < 2; i++) {
            struct program_outcome alone =
                outcome(r[i].seed, false, (struct htmt_options){.threads = 1});
            cr_assert(same(&r[i].out, &alone), "seed %u beside another", (unsigned)r[i].seed);
        }
    }
}
