/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply by messages: times against the formulas of a step, products against dgemm.
 */
#include "apps/cannon/mpp.h"

#include "apps/cannon/blas.h"
#include "apps/cannon/check.h"
#include "tests/apps/nodes.h"
#include "tests/cannon/dealt.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define FREE(words) ((struct nodes){.startup = "0 s", .latency = "0 s", .rate = words})
#define DEAR(words) ((struct nodes){.startup = "7 us", .latency = "3 us", .rate = words})

struct setting {
    struct nodes machine;
    uint32_t slices;
    uint64_t n, inner, cols;
    struct htmt__cannon_mpp how;
    enum htmt_mode mode;
    uint32_t threads, clock_threads;
};

struct trial {
    struct setting set;
    struct htmt_machine *machine;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_mpp_times times;
    struct htmt__cannon_matrix a, b, c; /* padded */
    struct htmt__cannon_spread spread[HTMT__MATRICES];
    struct htmt__cannon_program *program;
    struct htmt_emulator *e;
};

static void deal_matrices(struct trial *t)
{
    struct htmt__cannon_matrix *whole[HTMT__MATRICES] = {&t->a, &t->b, &t->c};
    uint64_t d[HTMT__CANNON_DIMENSIONS];
    for (int i = 0; i < HTMT__CANNON_DIMENSIONS; i++)
        d[i] = htmt__cannon_padded(&t->plan.of[i]);
    cr_assert_eq(htmt__cannon_matrix_create(&t->a, d[0], d[1], NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_create(&t->b, d[1], d[2], NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_create(&t->c, d[0], d[2], NULL), 0);
    for (uint64_t i = 0; i < d[1]; i++) {
        for (uint64_t k = 0; k < t->set.n && i < t->set.inner; k++)
            t->a.at[k * d[1] + i] =
                htmt__cannon_matrix_entry(HTMT__INTEGERS, 7, HTMT__MATRIX_A, k, i);
        for (uint64_t k = 0; k < t->set.cols && i < t->set.inner; k++)
            t->b.at[i * d[2] + k] =
                htmt__cannon_matrix_entry(HTMT__INTEGERS, 7, HTMT__MATRIX_B, i, k);
    }
    for (int i = 0; i < HTMT__MATRICES; i++) {
        struct htmt__cannon_spread *m = &t->spread[i];
        *m = htmt__cannon_mpp_spread(&t->plan, &t->set.how, (enum htmt__cannon_operand)i);
        cr_assert_eq(htmt__cannon_spread_create(m, t->e, NULL), 0);
        if (i == HTMT__C) /* it may hold anything */
            memset(m->room, 0x7f, t->set.slices * m->side * m->pitch * sizeof(double));
        else
            deal(m, whole[i]->at, whole[i]->cols, false);
    }
}

static struct trial go(struct setting set)
{
    struct trial t = {.set = set};
    struct htmt_fault f = {0};
    t.machine = nodes_load(&set.machine, set.slices);
    t.set.inner = set.inner ? set.inner : set.n;
    t.set.cols = set.cols ? set.cols : set.n;
    const struct htmt__cannon_problem p = {set.n, t.set.inner, t.set.cols, 0, 0};
    cr_assert_eq(htmt__cannon_mpp_plan(t.machine, &p, &set.how, &t.plan, &f), 0, "%s", f.text);
    cr_assert_eq(htmt__cannon_mpp_predict(t.machine, &t.plan, &set.how, &t.times, &f), 0);
    const struct htmt_options o = {.machine = t.machine,
                                   .slices = set.slices,
                                   .mode = set.mode,
                                   .threads = set.threads,
                                   .clock_threads = set.clock_threads};
    htmt__cannon_blas_one_thread();
    cr_assert_eq(htmt_emulator_create(&t.e, &o, NULL), 0);
    if (set.mode == HTMT_RUN)
        deal_matrices(&t);
    const struct htmt__cannon_data data = {.matrix = set.mode == HTMT_RUN ? t.spread : NULL};
    cr_assert_eq(htmt__cannon_mpp_create(t.e, &t.plan, &set.how, &data, &t.program, &f), 0, "%s",
                 f.text);
    cr_assert_eq(htmt_emulator_run(t.e), 0, "%s", htmt_emulator_fault(t.e)->text);
    cr_assert_eq(htmt_audit(t.e, &f), 0, "%s", f.text);
    if (set.mode == HTMT_RUN)
        deal(&t.spread[HTMT__C], t.c.at, t.c.cols, true);
    return t;
}

static void finish(struct trial *t)
{
    htmt_emulator_destroy(&t->e);
    htmt__cannon_program_destroy(&t->program);
    for (int i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_spread_destroy(&t->spread[i]);
    htmt__cannon_matrix_destroy(&t->a);
    htmt__cannon_matrix_destroy(&t->b);
    htmt__cannon_matrix_destroy(&t->c);
    htmt_machine_destroy(&t->machine);
}

/* ---- times ---------------------------------------------------------------------------------- */

/* b = 96 / s, c = 2 b^3 ns, x = 2 b^2 words: at 1 Gword/s 2 b^2 ns, far below c; at 10 Mword/s 200
 * b^2 ns, above c where b < 100. */
Test(mpp, without_latency_and_startup_the_clock_and_the_form_are_the_formula_of_steps_to_the_fs)
{
    static const struct {
        const char *rate;
        htmt_time word; /* ns */
    } rates[] = {{"1 Gword/s", 1}, {"10 Mword/s", 100}};
    for (uint32_t s = 1; s <= 4; s += s)
        for (int rate = 0; rate < 2; rate++)
            for (int in_turn = 0; in_turn < 2; in_turn++)
                for (int skewed = 0; skewed < 2; skewed++) {
                    const htmt_time b = 96 / s, ns = 1000000, c = 2 * b * b * b * ns,
                                    x = 2 * b * b * rates[rate].word * ns;
                    const htmt_time steps =
                        in_turn ? s * c + (s - 1) * x : (s - 1) * (c > x ? c : x) + c;
                    const htmt_time skew = skewed || s == 1 ? 0 : x;
                    struct trial t = go((struct setting){.machine = FREE(rates[rate].rate),
                                                         .slices = s * s,
                                                         .n = 96,
                                                         .how = {in_turn, skewed},
                                                         .mode = HTMT_MODEL});
                    cr_expect_eq(t.times.skew, skew);
                    cr_expect_eq(t.times.total, skew + steps);
                    cr_expect_eq(htmt_predicted(t.e), skew + steps, "s = %u, rate %d, %s, %s", s,
                                 rate, in_turn ? "in turn" : "overlapped",
                                 skewed ? "skewed" : "plain");
                    finish(&t);
                }
}

/* A shift is two start-ups, 2 b^2 words and the latency; a barrier of 16 nodes four start-ups and
 * latencies, of 9 nodes four, too. */
Test(mpp, start_ups_and_latencies_of_shifts_and_barriers_are_in_the_form_to_the_fs)
{
    for (uint32_t s = 2; s <= 4; s++)
        for (int in_turn = 0; in_turn < 2; in_turn++) {
            const htmt_time b = 48 / s, ns = 1000000, c = 2 * b * b * b * ns,
                            x = (2 * 7000 + 2 * b * b + 3000) * ns,
                            barrier = (s == 2 ? 2 : 4) * 10000 * ns, step = c > x ? c : x;
            struct trial t = go((struct setting){.machine = DEAR("1 Gword/s"),
                                                 .slices = s * s,
                                                 .n = 48,
                                                 .how = {.in_turn = in_turn},
                                                 .mode = HTMT_MODEL});
            cr_expect_eq(t.times.x, x);
            cr_expect_eq(t.times.barrier, barrier);
            cr_expect_eq(t.times.total,
                         x + barrier + c + (s - 1) * (in_turn ? c + x + barrier : step + barrier));
            cr_expect_eq(htmt_predicted(t.e), t.times.total);
            finish(&t);
        }
}

/* ---- products ------------------------------------------------------------------------------- */

static void expect_dgemm(struct trial *t)
{
    struct htmt__cannon_matrix r;
    struct htmt__cannon_check check;
    cr_assert_eq(htmt__cannon_reference_product(&t->a, &t->b, &r, NULL), 0);
    cr_assert_eq(htmt__cannon_check_exact(&t->c, &r, &check, NULL), 0);
    cr_expect(check.pass, "%u nodes, n = %llu: %g elements differ", t->set.slices,
              (unsigned long long)t->set.n, check.value);
    htmt__cannon_matrix_destroy(&r);
}

Test(mpp, integer_products_are_those_of_dgemm_to_the_bit_and_a_model_takes_as_long_as_a_run)
{
    static const struct {
        uint32_t slices;
        uint64_t n, inner, cols;
    } cases[] = {{1, 30, 0, 0}, {4, 37, 0, 0}, {9, 64, 100, 5}, {16, 50, 7, 90}, {25, 5, 6, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned how = 0; how < 4; how++) {
            struct setting set = {.machine = DEAR("1 Gword/s"),
                                  .slices = cases[i].slices,
                                  .n = cases[i].n,
                                  .inner = cases[i].inner,
                                  .cols = cases[i].cols,
                                  .how = {how & 1, how >> 1},
                                  .mode = HTMT_RUN,
                                  .threads = 1};
            struct trial one = go(set);
            expect_dgemm(&one);
            set.threads = 3;
            set.clock_threads = 2;
            struct trial more = go(set);
            expect_dgemm(&more);
            set.mode = HTMT_MODEL;
            struct trial model = go(set);
            cr_expect_eq(htmt_history_hash(one.e), htmt_history_hash(more.e));
            cr_expect_eq(htmt_history_hash(one.e), htmt_history_hash(model.e));
            cr_expect_eq(htmt_predicted(one.e), htmt_predicted(model.e));
            finish(&one);
            finish(&more);
            finish(&model);
        }
}

/* ---- bad input ------------------------------------------------------------------------------ */

static void expect_refused(uint32_t slices, uint64_t n, bool skewed, int rc, const char *text)
{
    struct htmt__cannon_plan plan;
    struct htmt_fault f = {0};
    const struct htmt__cannon_problem p = {n, n, n, 0, 0};
    struct htmt_machine *m = nodes_load(&FREE("1 Gword/s"), slices);
    int found =
        htmt__cannon_mpp_plan(m, &p, &(struct htmt__cannon_mpp){.skewed = skewed}, &plan, &f);
    cr_expect_eq(found ? found : htmt__cannon_mpp_fits(m, &plan, &f), rc);
    cr_expect(text == NULL || strstr(f.text, text), "%s", f.text);
    htmt_machine_destroy(&m);
}

/* 4 MiB are 524,288 words: 7 blocks of 273 x 273 and a word, not of 274 x 274; of one shift 5 of
 * 323 x 323; of one node 3 of 418 x 418. */
Test(mpp, nodes_that_make_no_square_and_blocks_that_do_not_fit_are_refused)
{
    expect_refused(15, 100, false, HTMT_EINVAL, "found 15 nodes, expected a square number");
    expect_refused(16, 4 * 273, false, 0, NULL);
    expect_refused(16, 4 * 274, false, HTMT_ECAPACITY,
                   "found blocks of 274 x 274 and 274 x 274 that take 525533 words");
    expect_refused(4, 2 * 323, true, 0, NULL);
    expect_refused(4, 2 * 324, true, HTMT_ECAPACITY, "524881 words, expected at most the 524288");
    expect_refused(1, 418, false, 0, NULL);
    expect_refused(1, 419, false, HTMT_ECAPACITY, "expected at most the 524288 of a node");
}
