/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Products whose shares lie with ranks, which are threads here: checked, and brought to rank 0. The
 * shares are those that a run would have left; the emulator's own run is one of costs.
 */
#include "apps/cannon/check.h"
#include "apps/cannon/program.h"
#include "apps/lib/gather.h"
#include "tests/cannon/asked.h"
#include "tests/cannon/dealt.h"
#include "tests/ranks/threads.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZE = 101, SLICES = 9, RANKS = 4 };

/* One product, of which a test has all. */
struct product {
    struct htmt_machine *machine;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_matrix whole[HTMT__MATRICES];
    struct htmt__cannon_check check; /* by one process */
};

static void spread_of(const struct product *p, unsigned which, const struct htmt_emulator *e,
                      struct htmt__cannon_spread *m)
{
    *m = htmt__cannon_program_spread(&p->plan, (enum htmt__cannon_operand)which);
    cr_assert_eq(htmt__cannon_spread_create(m, e, NULL), 0);
    deal(m, p->whole[which].at, p->whole[which].cols, false);
}

static struct product product(void)
{
    struct product p;
    struct htmt__cannon_problem problem = {SIZE, SIZE, SIZE, 5, 2};
    struct htmt__cannon_spread m[HTMT__MATRICES];
    cr_assert_eq(htmt_machine_load("htmt-oct98", NULL, 0, &p.machine, NULL), 0);
    p.machine->slices = SLICES;
    cr_assert_eq(htmt__cannon_plan(p.machine, &problem, &p.plan, NULL), 0);
    cr_assert_gt(p.plan.q, 1);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(
            htmt__cannon_matrix_generate(&p.whole[i], SIZE, SIZE, HTMT__GAUSSIAN, 3, i, NULL), 0);
    cr_assert_eq(htmt__cannon_reference_product(&p.whole[0], &p.whole[1], &p.whole[2], NULL), 0);
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        spread_of(&p, i, NULL, &m[i]);
    cr_assert_eq(htmt__cannon_check_freivalds(NULL, &m[0], &m[1], &m[2], 5, false, &p.check, NULL),
                 0);
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_spread_destroy(&m[i]);
    return p;
}

static void destroy(struct product *p)
{
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_matrix_destroy(&p->whole[i]);
    htmt_machine_destroy(&p->machine);
}

/* All rows of C, of which rank 0 gets the matrix. */
static bool brings_rows(const struct htmt__cannon_program *program, const struct product *p,
                        bool first)
{
    double *c = first ? calloc(SIZE * SIZE, sizeof *c) : NULL;
    int rc = 0;
    for (uint64_t i = 0; i < SIZE && !rc; i += p->plan.b_c)
        rc = htmt__cannon_program_rows(program, i, c ? c + i * SIZE : NULL);
    bool same = !rc && (!first || !memcmp(c, p->whole[HTMT__C].at, SIZE * SIZE * sizeof *c));
    free(c);
    return same;
}

static bool finds_the_same(struct htmt_emulator *e, const struct htmt__cannon_spread *m,
                           const struct product *p)
{
    struct htmt__cannon_check c;
    return !htmt__cannon_check_freivalds(e, &m[0], &m[1], &m[2], 5, false, &c, NULL) && c.pass &&
           !memcmp(&c.value, &p->check.value, sizeof c.value);
}

static int play(const struct htmt_ranks *rank, void *of)
{
    const struct product *p = of;
    struct htmt_options o = {.machine = p->machine, .mode = HTMT_MODEL, .ranks = rank};
    struct htmt__cannon_spread m[HTMT__MATRICES], none = {.share = NULL};
    struct htmt__cannon_program *program = NULL;
    struct htmt_emulator *e = NULL;
    double *nothing[SLICES] = {NULL};
    none.share = nothing;
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        m[i] = none;
    struct htmt__cannon_data data = {.matrix = m};
    int rc = htmt_emulator_create(&e, &o, NULL);
    rc = rc ? rc
            : htmt__cannon_program_create(e, &p->plan, HTMT__CANNON_PAPER, &data, &program, NULL);
    rc = rc ? rc : htmt_emulator_run(e);
    if (!rc && rank->count == 2 && htmt_has_all(e)) /* nothing is parted */
        rc = HTMT_EINVAL;
    for (unsigned i = 0; i < HTMT__MATRICES && !rc; i++)
        spread_of(p, i, e, &m[i]);
    if (!rc && (!finds_the_same(e, m, p) || !brings_rows(program, p, rank->rank == 0)))
        rc = HTMT_EWRONG;
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        if (m[i].share != nothing)
            htmt__cannon_spread_destroy(&m[i]);
    htmt__cannon_program_destroy(&program);
    htmt_emulator_destroy(&e);
    return rc;
}

Test(cannon_ranks, each_number_of_ranks_finds_the_value_of_one_process_and_brings_all_rows)
{
    struct product p = product();
    int rc[RANKS];
    for (uint32_t count = 1; count <= RANKS; count++) {
        cr_assert_eq(ranks_threads_play(count, play, &p, rc), 0);
        for (uint32_t i = 0; i < count; i++)
            cr_expect_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_strerror(rc[i]));
    }
    destroy(&p);
}

/* ---- a check that needs all -------------------------------------------------------------------
 */

struct verdict {
    const char *check;
    bool room; /* for whole matrices */
    struct htmt_outcome outcome[2];
};

/* Leaves 20 MiB of addresses when the check begins. */
static bool take_room(void *user, enum htmt_step step)
{
    uint64_t pages = 0;
    FILE *f = step == HTMT_STEP_CHECK ? fopen("/proc/self/statm", "r") : NULL;
    (void)user;
    if (f && fscanf(f, "%" SCNu64, &pages) == 1) {
        rlim_t most = pages * (uint64_t)sysconf(_SC_PAGESIZE) + (20 << 20);
        setrlimit(RLIMIT_AS, &(struct rlimit){most, RLIM_INFINITY});
    }
    if (f)
        fclose(f);
    return true;
}

static int run_and_check(const struct htmt_ranks *rank, void *of)
{
    struct verdict *v = of;
    struct asked a;
    ask(&a, "htmt-oct98", 16, HTMT_RUN, NULL,
        GIVEN("size", only_memory() ? "400" : "1000", "check", v->check));
    a.request.emulator.threads = 1;
    a.request.emulator.ranks = rank;
    a.request.begins = v->room ? NULL : take_room;
    int rc = run(&a);
    if (!rc && htmt_has_all(a.outcome.emulator)) /* nothing is parted */
        rc = HTMT_EINVAL;
    v->outcome[rank->rank] = a.outcome;
    done(&a);
    return rc;
}

static void expect_verdict(struct verdict *v, int correct, const char *why)
{
    int rc[2];
    cr_assert_eq(ranks_threads_play(2, run_and_check, v, rc), 0);
    for (uint32_t i = 0; i < 2; i++) {
        cr_expect_eq(rc[i], 0, "rank %u: %s", i, htmt_strerror(rc[i]));
        cr_expect_eq(v->outcome[i].correct, correct, "rank %u", i);
        cr_expect(strstr(v->outcome[i].unchecked, why), "%s", v->outcome[i].unchecked);
    }
    cr_expect_eq(v->outcome[0].check.value, v->outcome[1].check.value);
}

Test(cannon_ranks, a_check_of_whole_matrices_is_told_to_all_ranks)
{
    expect_verdict(&(struct verdict){.check = "full", .room = true}, 1, "");
}

/* The sanitizers' shadows are addresses, too. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
Test(cannon_ranks, without_room_for_whole_matrices_nothing_is_checked_and_all_ranks_say_why)
{
    expect_verdict(&(struct verdict){.check = "full"}, -1, "--check freivalds does not");
}

Test(cannon_ranks, freivalds_needs_no_room_for_whole_matrices)
{
    expect_verdict(&(struct verdict){.check = "freivalds"}, 1, "");
}
#endif
