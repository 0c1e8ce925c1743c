/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's parcel program: products against a serial dgemm and against formulas, times against the
 * figures of the papers, one answer whatever the host does.
 */
#include "apps/cannon/program.h"

#include "apps/cannon/blas.h"
#include "apps/cannon/check.h"
#include "tests/cannon/dealt.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    const char *machine, *set;
    uint64_t n;
    uint32_t slices;
    enum htmt__cannon_schedule schedule;
    enum htmt_mode mode;
    uint32_t threads;
    uint64_t b_c, t;
    uint64_t delay;
    bool checked;
    uint64_t inner, cols; /* 0: n, as the rows */
    uint64_t grid_rows;   /* 0: a square grid */
};

struct trial {
    struct setting set;
    struct htmt_machine *loaded, machine;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction closed;
    struct htmt__cannon_matrix a, b, c; /* padded */
    struct htmt__cannon_spread spread[HTMT__MATRICES];
    struct htmt__cannon_program *program;
    struct htmt_emulator *e;
};

static struct trial prepare(struct setting set)
{
    struct trial t = {.set = set};
    struct htmt_fault f = {0};
    cr_assert_eq(htmt_machine_load(set.machine, &set.set, set.set != NULL, &t.loaded, &f), 0, "%s",
                 f.text);
    t.machine = *t.loaded;
    t.machine.slices = set.slices;
    t.set.inner = set.inner ? set.inner : set.n;
    t.set.cols = set.cols ? set.cols : set.n;
    struct htmt__cannon_problem p = {set.n, t.set.inner, t.set.cols, set.b_c, set.t};
    cr_assert_eq(htmt__cannon_plan_on(&t.machine, &p, set.grid_rows, &t.plan, &f), 0, "%s", f.text);
    cr_assert_eq(htmt__cannon_predict(&t.machine, &t.plan, &t.closed, &f), 0, "%s", f.text);
    if (set.mode == HTMT_RUN) {
        uint64_t d[HTMT__CANNON_DIMENSIONS];
        for (int i = 0; i < HTMT__CANNON_DIMENSIONS; i++)
            d[i] = htmt__cannon_padded(&t.plan.of[i]);
        cr_assert_eq(htmt__cannon_matrix_create(&t.a, d[0], d[1], &f), 0);
        cr_assert_eq(htmt__cannon_matrix_create(&t.b, d[1], d[2], &f), 0);
        cr_assert_eq(htmt__cannon_matrix_create(&t.c, d[0], d[2], &f), 0);
    }
    return t;
}

/* C may hold anything. */
static void deal_all(struct trial *t)
{
    const struct htmt__cannon_matrix *whole[HTMT__MATRICES] = {&t->a, &t->b, &t->c};
    for (int i = 0; i < HTMT__MATRICES; i++) {
        struct htmt__cannon_spread *m = &t->spread[i];
        *m = htmt__cannon_program_spread(&t->plan, (enum htmt__cannon_operand)i);
        cr_assert_eq(htmt__cannon_spread_create(m, t->e, NULL), 0);
        if (i == HTMT__C)
            memset(m->room, 0x7f, t->set.slices * m->side * m->pitch * sizeof(double));
        else
            deal(m, whole[i]->at, whole[i]->cols, false);
    }
}

static int start(struct trial *t, struct htmt_options o)
{
    struct htmt_fault f = {0};
    o.machine = &t->machine;
    o.slices = t->set.slices;
    o.mode = t->set.mode;
    o.threads = t->set.threads;
    o.delay_seed = t->set.delay;
    o.checked = t->set.checked;
    bool run = t->set.mode == HTMT_RUN;
    struct htmt__cannon_data data = {.matrix = run ? t->spread : NULL};
    htmt__cannon_blas_one_thread();
    cr_assert_eq(htmt_emulator_create(&t->e, &o, NULL), 0);
    if (run)
        deal_all(t);
    cr_assert_eq(
        htmt__cannon_program_create(t->e, &t->plan, t->set.schedule, &data, &t->program, &f), 0,
        "%s", f.text);
    return htmt_emulator_run(t->e);
}

static void go(struct trial *t)
{
    struct htmt_fault f = {0};
    int rc = start(t, (struct htmt_options){0});
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(t->e)->text);
    cr_assert_eq(htmt_audit(t->e, &f), 0, "%s", f.text);
    if (t->set.mode == HTMT_RUN)
        deal(&t->spread[HTMT__C], t->c.at, t->c.cols, true);
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
    htmt_machine_destroy(&t->loaded);
}

static void fill_integers(struct trial *t)
{
    for (uint64_t i = 0; i < t->set.n; i++)
        for (uint64_t j = 0; j < t->set.inner; j++)
            t->a.at[i * t->a.cols + j] =
                htmt__cannon_matrix_entry(HTMT__INTEGERS, 7, HTMT__MATRIX_A, i, j);
    for (uint64_t i = 0; i < t->set.inner; i++)
        for (uint64_t j = 0; j < t->set.cols; j++)
            t->b.at[i * t->b.cols + j] =
                htmt__cannon_matrix_entry(HTMT__INTEGERS, 7, HTMT__MATRIX_B, i, j);
}

static void compare_with_dgemm(struct trial *t)
{
    struct htmt__cannon_matrix r;
    struct htmt__cannon_check check;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__cannon_reference_product(&t->a, &t->b, &r, &f), 0);
    cr_assert_eq(htmt__cannon_check_exact(&t->c, &r, &check, &f), 0);
    cr_expect(check.pass, "n = %llu, %u slices, q = %llu, t = %llu, b_c = %llu: %g elements differ",
              (unsigned long long)t->set.n, t->set.slices, (unsigned long long)t->plan.q,
              (unsigned long long)t->plan.t, (unsigned long long)t->plan.b_c, check.value);
    htmt__cannon_matrix_destroy(&r);
}

static htmt_wide words_of(const struct htmt_emulator *e, uint32_t phase, char *name, size_t room)
{
    struct htmt_phase_report r;
    cr_assert_eq(htmt_phase_at(e, phase, &r), 0);
    snprintf(name, room, "%s %s", r.type, htmt_stage_name(r.stage));
    return (htmt_wide)r.words;
}

/* A run and a model of one command line: the same time, history, and words of each phase. */
static void compare_with_model(struct trial *t)
{
    struct setting set = t->set;
    set.mode = HTMT_MODEL;
    set.threads = 1;
    struct trial m = prepare(set);
    go(&m);
    cr_expect_eq(htmt_predicted(m.e), htmt_predicted(t->e));
    cr_expect_eq(htmt_history_hash(m.e), htmt_history_hash(t->e));
    cr_expect_eq(htmt_phase_count(m.e), htmt_phase_count(t->e));
    for (uint32_t i = 0; i < htmt_phase_count(m.e); i++) {
        char name[2][100];
        cr_expect(words_of(m.e, i, name[0], sizeof name[0]) ==
                      words_of(t->e, i, name[1], sizeof name[1]),
                  "%s", name[0]);
        cr_expect_str_eq(name[0], name[1]);
    }
    finish(&m);
}

static void multiply_integers(struct setting set)
{
    struct trial t = prepare(set);
    fill_integers(&t);
    go(&t);
    compare_with_dgemm(&t);
    compare_with_model(&t);
    finish(&t);
}

/* ---- products ------------------------------------------------------------------------------- */

Test(program, integer_products_are_those_of_dgemm_to_the_bit_for_any_grid_blocks_and_schedule)
{
    static const struct {
        uint64_t n;
        uint32_t slices;
        uint64_t b_c, t;
    } cases[] = {
        {1, 1, 0, 0},  {1, 9, 0, 0},   {37, 1, 10, 2},  {40, 1, 10, 4},  {64, 4, 0, 0},
        {96, 4, 8, 6}, {101, 9, 7, 0}, {130, 16, 9, 0}, {150, 25, 0, 0}, {256, 16, 16, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += only_memory() ? 3 : 1)
        for (int k = 0; k < HTMT__CANNON_SCHEDULES; k++)
            multiply_integers((struct setting){.machine = i % 2 ? "htmt-oct98" : "htmt-2007",
                                               .n = cases[i].n,
                                               .slices = cases[i].slices,
                                               .b_c = cases[i].b_c,
                                               .t = cases[i].t,
                                               .schedule = (enum htmt__cannon_schedule)k,
                                               .threads = 2});
}

/* Of each shape one dimension is short, and of some two; with q of its own in each. */
Test(program, rectangles_have_blocks_of_their_own_and_are_those_of_dgemm_to_the_bit)
{
    static const struct {
        uint64_t n, inner, cols;
        uint32_t slices;
        uint64_t b_c, t;
    } cases[] = {{5, 1000, 3, 1, 0, 0},   {1, 700, 1, 1, 30, 2},   {300, 1, 200, 4, 0, 0},
                 {40, 90, 130, 9, 7, 0},  {130, 17, 40, 16, 6, 2}, {64, 200, 9, 4, 8, 2},
                 {200, 64, 10, 1, 16, 3}, {12, 64, 200, 9, 5, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += only_memory() ? 3 : 1)
        for (int k = 0; k < HTMT__CANNON_SCHEDULES; k++)
            multiply_integers((struct setting){.machine = i % 2 ? "htmt-oct98" : "htmt-2007",
                                               .n = cases[i].n,
                                               .inner = cases[i].inner,
                                               .cols = cases[i].cols,
                                               .slices = cases[i].slices,
                                               .b_c = cases[i].b_c,
                                               .t = cases[i].t,
                                               .schedule = (enum htmt__cannon_schedule)k,
                                               .threads = 2,
                                               .checked = i == 5});
}

/* 30 kflop of 3.9 ps are 117 ns of a SPELL: the cube of 1000 took it 8 ms. Each dimension is padded
 * to whole blocks, never to another's length. */
Test(program, a_prediction_is_of_the_rectangle_that_was_asked)
{
    static const struct {
        uint64_t n, inner, cols;
        uint32_t slices;
        double off; /* of the closed form */
    } cases[] = {{5, 1000, 3, 1, 0.15},
                 {1, 60000, 1, 1, 0.15},
                 {300, 700, 130, 9, 0.05},
                 {4000, 1000, 2000, 16, 0.05},
                 {500, 4000, 900, 4, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t = prepare((struct setting){.machine = "htmt-oct98",
                                                  .n = cases[i].n,
                                                  .inner = cases[i].inner,
                                                  .cols = cases[i].cols,
                                                  .slices = cases[i].slices,
                                                  .mode = HTMT_MODEL});
        double asked = (double)cases[i].n * (double)cases[i].inner * (double)cases[i].cols;
        struct htmt_phase_report r;
        go(&t);
        cr_expect_lt((double)t.closed.machine_flops, 2 * 1.2 * asked, "%zu", i);
        for (uint32_t k = 0; !htmt_phase_at(t.e, k, &r); k++)
            if (r.stage == HTMT_FIBER && !strcmp(r.type, "Block Multiply"))
                cr_expect_float_eq(1e-15 * (double)r.busy, (double)t.closed.machine_flops / 256e9,
                                   1e-3 * asked / 256e9);
        double time = (double)htmt_predicted(t.e),
               closed = (double)t.closed.total[HTMT__CANNON_OVERLAPPED];
        cr_expect_float_eq(time, closed, cases[i].off * closed, "%zu: %g fs, not %g", i, time,
                           closed);
        finish(&t);
    }
}

Test(program, products_of_a_matrix_that_sram_does_not_hold_sum_up_over_q)
{
    static const uint64_t t[] = {3, 2, 1};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t s = only_memory() ? 3 : 1; s <= 3; s++)
            for (int k = 0; k < HTMT__CANNON_SCHEDULES; k++) {
                struct setting set = {.machine = "htmt-2007",
                                      .n = 6 * 4 * s,
                                      .slices = s * s,
                                      .b_c = 4,
                                      .t = t[i],
                                      .schedule = (enum htmt__cannon_schedule)k,
                                      .threads = 2};
                struct trial p = prepare(set);
                cr_expect_eq(p.plan.q, 6 / t[i]);
                finish(&p);
                multiply_integers(set);
            }
}

/* One row, one column, primes, and grids whose sides share a divisor; with q, t and shapes of their
 * own. Every second one in a checked run, where nothing may be out of order. */
Test(program, panels_on_any_grid_are_the_product_of_dgemm_to_the_bit)
{
    static const struct {
        uint64_t n, inner, cols;
        uint32_t slices, rows;
        uint64_t b_c, t;
        const char *set;
    } cases[] = {{64, 0, 0, 6, 2, 0, 0, NULL},
                 {60, 0, 0, 6, 3, 5, 2, NULL},
                 {101, 0, 0, 2, 1, 9, 0, NULL},
                 {70, 0, 0, 5, 5, 4, 0, NULL},
                 {5, 1000, 3, 3, 3, 0, 0, NULL},
                 {90, 200, 7, 8, 8, 16, 2, NULL},
                 {6, 130, 200, 8, 2, 7, 3, NULL},
                 {50, 80, 110, 24, 4, 0, 0, NULL},
                 {130, 40, 60, 15, 3, 6, 0, NULL},
                 {1, 1, 1, 12, 2, 0, 0, NULL},
                 {96, 0, 0, 6, 3, 8, 1, "layers.sram.memory.capacity=20 KiB"},
                 {100, 90, 130, 8, 4, 0, 0, "layers.dram.memory.capacity=112 KiB"},
                 {48, 0, 0, 4, 1, 0, 0, NULL},
                 {48, 0, 0, 9, 9, 0, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += only_memory() ? 5 : 1)
        multiply_integers((struct setting){.machine = i % 3 ? "htmt-oct98" : "htmt-2007",
                                           .set = cases[i].set,
                                           .n = cases[i].n,
                                           .inner = cases[i].inner,
                                           .cols = cases[i].cols,
                                           .slices = cases[i].slices,
                                           .grid_rows = cases[i].rows,
                                           .b_c = cases[i].b_c,
                                           .t = cases[i].t,
                                           .threads = 2,
                                           .delay = i,
                                           .checked = i % 2 == 0});
}

/* Where multiplying binds, sends, or moves between the memories. */
Test(program, panels_take_the_time_of_their_closed_form)
{
    static const struct {
        uint64_t n, inner, cols;
        uint32_t slices, rows;
        double off;
    } cases[] = {{1000, 1000, 1000, 6, 3, 0.005}, {2000, 2000, 2000, 12, 6, 0.005},
                 {1000, 1000, 1000, 32, 8, 0.01}, {4000, 200, 50, 8, 8, 0.005},
                 {50, 200, 4000, 6, 2, 0.01},     {2000, 3, 2000, 2, 2, 0.005},
                 {2000, 2000, 10, 24, 24, 0.12},  {2000, 2000, 10, 16, 2, 0.05},
                 {5, 1000, 3, 3, 3, 0.05},        {2, 2, 2, 6, 3, 0.001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t = prepare((struct setting){.machine = "htmt-oct98",
                                                  .n = cases[i].n,
                                                  .inner = cases[i].inner,
                                                  .cols = cases[i].cols,
                                                  .slices = cases[i].slices,
                                                  .grid_rows = cases[i].rows,
                                                  .mode = HTMT_MODEL});
        go(&t);
        double time = (double)htmt_predicted(t.e),
               closed = (double)t.closed.total[HTMT__CANNON_OVERLAPPED];
        cr_expect_float_eq(time, closed, cases[i].off * closed, "%zu: %g fs, not %g", i, time,
                           closed);
        finish(&t);
    }
}

/* 24 SPELLs in a column multiply 2000 x 2000 by 2000 x 10 in less than a third of the time of 25 in
 * a square, which have two of the ten columns each. */
Test(program, a_narrow_product_is_faster_on_a_narrow_grid)
{
    struct setting set = {
        .machine = "htmt-oct98", .n = 2000, .cols = 10, .slices = 25, .mode = HTMT_MODEL};
    struct trial square = prepare(set);
    set.slices = 24;
    set.grid_rows = 24;
    struct trial column = prepare(set);
    go(&square);
    go(&column);
    cr_expect_lt(3 * htmt_predicted(column.e), htmt_predicted(square.e), "%lld fs, %lld fs",
                 (long long)htmt_predicted(column.e), (long long)htmt_predicted(square.e));
    finish(&square);
    finish(&column);
}

/* DRAM too small for the matrices: they come from HRAM, row of subblocks by row. */
Test(program, matrices_larger_than_dram_percolate_from_the_outermost_memory)
{
    struct setting set = {.machine = "htmt-2007",
                          .set = "layers.dram.memory.capacity=64 KiB",
                          .n = 128,
                          .slices = 4,
                          .b_c = 8,
                          .t = 2,
                          .threads = 2};
    struct trial t = prepare(set);
    cr_assert_eq(t.plan.home, 0);
    cr_assert_eq(t.plan.q, 4);
    finish(&t);
    multiply_integers(set);
}

/* S_ij = sin(pi (i+1)(j+1) / (n+1)): S S = (n+1)/2 I. */
Test(program, the_sine_matrix_squared_is_a_multiple_of_the_identity)
{
    struct trial t = prepare(
        (struct setting){.machine = "htmt-oct98", .n = 240, .slices = 16, .b_c = 20, .threads = 2});
    uint64_t n = t.set.n;
    double worst = 0, pi = acos(-1);
    cr_assert_eq(t.plan.dimension, n);
    for (uint64_t i = 0; i < n * n; i++) {
        uint64_t arc = (i / n + 1) * (i % n + 1) % (2 * (n + 1));
        t.a.at[i] = t.b.at[i] = sin(pi * (double)arc / (double)(n + 1));
    }
    go(&t);
    for (uint64_t i = 0; i < n * n; i++) {
        double expected = i / n == i % n ? (double)(n + 1) / 2 : 0;
        worst = fmax(worst, fabs(t.c.at[i] - expected));
    }
    cr_expect_lt(worst, 1e-10);
    finish(&t);
}

/* A_ij = i + n j times a permutation: a subblock in the wrong place shows by its numbers. */
Test(program, a_permutation_moves_columns_and_nothing_else)
{
    struct trial t = prepare((struct setting){
        .machine = "htmt-2007", .n = 144, .slices = 9, .b_c = 12, .t = 2, .threads = 2});
    uint64_t n = t.set.n;
    cr_assert_eq(t.plan.dimension, n);
    cr_assert_eq(t.plan.q, 2);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            t.a.at[i * n + j] = (double)(i + n * j);
    for (uint64_t j = 0; j < n; j++) /* 77 has no divisor in common with 144 */
        t.b.at[(77 * j + 5) % n * n + j] = 1;
    go(&t);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            cr_assert_eq(t.c.at[i * n + j], (double)(i + n * ((77 * j + 5) % n)), "(%llu, %llu)",
                         (unsigned long long)i, (unsigned long long)j);
    finish(&t);
}

/* ---- one answer ----------------------------------------------------------------------------- */

Test(program, threads_and_host_delays_change_neither_bits_nor_time_nor_history)
{
    struct setting set = {.machine = "htmt-oct98", .n = 160, .slices = 16, .b_c = 10};
    static const uint32_t threads[] = {1, 2, 3, 8};
    struct trial first = prepare(set);
    first.set.threads = 1;
    fill_integers(&first);
    go(&first);
    for (size_t i = 0; i < 8; i++) {
        set.threads = threads[i % 4];
        set.delay = i / 4 * 11;
        set.n = i < 4 ? 160 : 40;
        if (i == 4) {
            finish(&first);
            first = prepare(set);
            first.set.delay = 0;
            fill_integers(&first);
            go(&first);
        }
        struct trial t = prepare(set);
        fill_integers(&t);
        go(&t);
        cr_expect_eq(htmt_predicted(t.e), htmt_predicted(first.e));
        cr_expect_eq(htmt_history_hash(t.e), htmt_history_hash(first.e));
        uint64_t d = t.plan.dimension;
        cr_expect_eq(memcmp(t.c.at, first.c.at, d * d * sizeof(double)), 0);
        finish(&t);
    }
    finish(&first);
}

Test(program, panels_come_in_one_order_whatever_the_host_does)
{
    struct setting set = {.machine = "htmt-oct98",
                          .n = 60,
                          .inner = 90,
                          .cols = 40,
                          .slices = 6,
                          .grid_rows = 2,
                          .b_c = 7,
                          .threads = 1};
    struct trial first = prepare(set);
    fill_integers(&first);
    go(&first);
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        set.threads = threads;
        set.delay = threads * 11;
        struct trial t = prepare(set);
        fill_integers(&t);
        go(&t);
        cr_expect_eq(htmt_predicted(t.e), htmt_predicted(first.e));
        cr_expect_eq(htmt_history_hash(t.e), htmt_history_hash(first.e));
        cr_expect_eq(memcmp(t.c.at, first.c.at, t.c.rows * t.c.cols * sizeof(double)), 0);
        finish(&t);
    }
    finish(&first);
}

Test(program, kernels_touch_only_what_they_declare)
{
    for (int k = 0; k < HTMT__CANNON_SCHEDULES; k++)
        multiply_integers((struct setting){.machine = "htmt-oct98",
                                           .n = 60,
                                           .slices = 9,
                                           .b_c = 5,
                                           .t = 2,
                                           .schedule = (enum htmt__cannon_schedule)k,
                                           .threads = 2,
                                           .checked = true});
}

/* ---- times ---------------------------------------------------------------------------------- */

static struct htmt_phase_report phase(const struct htmt_emulator *e, const char *type,
                                      enum htmt_stage_id stage)
{
    struct htmt_phase_report r;
    for (uint32_t i = 0; i < htmt_phase_count(e); i++)
        if (!htmt_phase_at(e, i, &r) && r.stage == stage && !strcmp(r.type, type))
            return r;
    cr_assert_fail("no phase %s %s", type, htmt_stage_name(stage));
    return r;
}

/* A total of all slices, which do the same. */
static void expect_busy(const struct trial *t, const char *type, enum htmt_stage_id stage,
                        double seconds)
{
    struct htmt_phase_report r = phase(t->e, type, stage);
    double busy = 1e-15 * (double)(r.busy / t->set.slices);
    cr_expect_float_eq(busy, seconds, 1e-7 * seconds, "%s %s: %.9g s, expected %.9g", type,
                       htmt_stage_name(stage), busy, seconds);
}

/* Amaral et al., Tables 1 and 2, with t = 26, b_c = 125 and s = 4. */
static void expect_service_times(const struct trial *t)
{
    double dram = 0.97e-9, sram = 0.42e-9, subblock = 125 * 125, bundle = 26 * 26 * subblock;
    double blocks = 26 * 26 * 26;
    expect_busy(t, "Transform A", HTMT_EXECUTE, 2 * bundle * (4 + 1) * dram);
    expect_busy(t, "Transform B", HTMT_EXECUTE, 2 * bundle * (4 + 1) * dram);
    expect_busy(t, "Transform C", HTMT_EXECUTE, 2 * bundle * dram);
    expect_busy(t, "Bundle Up", HTMT_INJECT, 2 * bundle * dram);
    expect_busy(t, "Bundle Down", HTMT_EJECT, bundle * dram);
    expect_busy(t, "Subblock Pair", HTMT_INJECT, blocks * 2 * subblock * sram);
    expect_busy(t, "Block Multiply", HTMT_FIBER, blocks * 4 * 2 * 125.0 * 125 * 125 * 3e-12);
}

/* golden: H.C.T.s4.serial, H.C.T.s4.overlap. */
Test(program, both_schedules_take_the_papers_time_on_sixteen_slices)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    static const double golden[HTMT__CANNON_SCHEDULES] = {
        [HTMT__CANNON_OVERLAPPED] = 1.084465, [HTMT__CANNON_PAPER] = 1.315137};
    double time[HTMT__CANNON_SCHEDULES];
    for (int k = 0; k < HTMT__CANNON_SCHEDULES; k++) {
        struct trial t = prepare((struct setting){.machine = "htmt-2007",
                                                  .n = 13000,
                                                  .slices = 16,
                                                  .mode = HTMT_MODEL,
                                                  .schedule = (enum htmt__cannon_schedule)k});
        cr_assert_eq(t.plan.b_c, 125);
        cr_assert_eq(t.plan.t, 26);
        go(&t);
        time[k] = 1e-15 * (double)htmt_predicted(t.e);
        cr_expect_float_eq(time[k], golden[k], 1e-6 * golden[k], "%.9f s", time[k]);
        cr_expect_float_eq(time[k], 1e-15 * (double)t.closed.total[k], 1e-6);
        expect_service_times(&t);
        finish(&t);
    }
    cr_expect_lt(time[HTMT__CANNON_OVERLAPPED], time[HTMT__CANNON_PAPER]);
    cr_expect_gt(time[HTMT__CANNON_OVERLAPPED], 26.0 * 26 * 26 * 4 * 11.71875e-6);
}

/* The ends of the steps of slice 0. */
struct watch {
    uint64_t count, enough;
    htmt_time end[200];
};

static void see(void *user, const struct htmt_event *event)
{
    struct watch *w = user;
    if (event->stage == HTMT_FIBER && event->resource == 3 && event->slice == 0 &&
        w->count < w->enough)
        w->end[w->count++] = event->time;
}

static bool seen(void *user)
{
    const struct watch *w = user;
    return w->count == w->enough;
}

/* golden: A.T3.D_t, H.C.750vs808, on the 4096 slices of the papers; stopped after two block
 * products. */
Test(program, a_block_product_takes_750_us_and_a_transform_1332_ms_on_the_full_machine)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct trial t = prepare(
        (struct setting){.machine = "htmt-2007", .n = 208000, .slices = 4096, .mode = HTMT_MODEL});
    struct watch w = {.enough = 1 + 2 * 64};
    int rc = start(&t, (struct htmt_options){.observe = see, .cancelled = seen, .user = &w});
    cr_assert_eq(rc, HTMT_ECANCELLED, "%s", htmt_emulator_fault(t.e)->text);
    cr_expect_eq(w.end[128] - w.end[64], INT64_C(750000000000));
    for (int i = 2; i <= 128; i++)
        cr_expect_eq(w.end[i] - w.end[i - 1], INT64_C(11718750000), "step %d", i);
    expect_busy(&t, "Transform A", HTMT_EXECUTE, 1.33193125);
    expect_busy(&t, "Transform B", HTMT_EXECUTE, 1.33193125);
    expect_busy(&t, "Bundle Up", HTMT_INJECT, 2 * 10.245625e-3);
    finish(&t);
}

/* Slower exchanges than products: s D_S a block product, within a word of the network. */
Test(program, exchanges_bound_the_time_when_they_are_the_longer)
{
    struct trial t = prepare((struct setting){.machine = "htmt-2007",
                                              .set = "networks.cnet.ports.cram.out-rate=0.5 "
                                                     "Gword/s",
                                              .n = 1600,
                                              .slices = 16,
                                              .b_c = 100,
                                              .mode = HTMT_MODEL});
    go(&t);
    double closed = 1e-15 * (double)t.closed.total[HTMT__CANNON_OVERLAPPED];
    double time = 1e-15 * (double)htmt_predicted(t.e);
    cr_assert_gt(t.closed.times.d_s, t.closed.times.m_s);
    cr_expect_lt(time, closed * 1.01);
    /* the last of the s steps sends nothing */
    cr_expect_gt(time, closed - 64 * 1e-15 * (double)(t.closed.times.d_s - t.closed.times.m_s));
    finish(&t);
}
