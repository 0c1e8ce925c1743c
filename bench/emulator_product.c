/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The emulated section of `htmt run cannon --size N --slices 16 --block B --threads T` on the
 * matrices of the base lines: what the emulator makes of the same subblock products. The same in a
 * process without jemalloc is emulator_product_pools: heap of the C library, arenas of its own
 * pages.
 */
#include "apps/cannon/program.h"
#include "bench/blocks.h"
#include "bench/clock.h"
#include "runtime/host/arena.h"

#include <stdio.h>
#include <string.h>

#define SLICES     16u
#define CRAM_BYTES (1u << 20) /* of htmt-oct98 */

/* A CRAM that holds the program's seven subblocks. */
static struct htmt_machine *machine_for(size_t block)
{
    static const char *const larger = "layers.cram.memory.capacity=16 MiB";
    size_t bytes = HTMT__CANNON_SUBBLOCKS * block * block * sizeof(double);
    struct htmt_machine *m = bench_machine(&larger, bytes > CRAM_BYTES);
    m->slices = SLICES;
    return m;
}

/* The plan of the base lines' work: no padding, one product, subblocks of that size. */
static struct htmt__cannon_plan plan_of(const struct htmt_machine *m, const struct bench_blocks *w)
{
    struct htmt__cannon_problem problem = {w->n, w->n, w->n, w->b, 0};
    struct htmt__cannon_plan plan;
    struct htmt_fault fault = {0};
    if (htmt__cannon_plan(m, &problem, &plan, &fault))
        bench_fail(fault.text);
    if (plan.dimension != w->n || plan.q != 1 || plan.b_c != w->b)
        bench_fail("the plan is not the base lines' work");
    return plan;
}

/* Rows into the shares of the slices, or out of them. */
static void deal(const struct htmt__cannon_spread *m, double *rows, bool out)
{
    struct htmt__cannon_stretch in;
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j += in.count) {
            in = htmt__cannon_spread_at(m, i, j);
            double *whole = rows + i * m->cols + j;
            memcpy(out ? whole : in.at, out ? in.at : whole, in.count * sizeof *whole);
        }
}

static void deal_all(const struct htmt__cannon_plan *plan, const struct bench_blocks *w,
                     struct htmt__cannon_spread spread[HTMT__MATRICES])
{
    double *rows[HTMT__MATRICES] = {w->a, w->bt, w->c};
    for (int i = 0; i < HTMT__MATRICES; i++) {
        spread[i] = htmt__cannon_program_spread(plan, (enum htmt__cannon_operand)i);
        if (htmt__cannon_spread_create(&spread[i], NULL, NULL))
            bench_fail("no memory for the shares of matrices");
        deal(&spread[i], rows[i], false);
    }
}

static double emulate(struct htmt_emulator *e, const struct htmt__cannon_plan *plan,
                      const struct bench_blocks *w)
{
    struct htmt__cannon_spread spread[HTMT__MATRICES];
    struct htmt__cannon_data data = {spread};
    struct htmt__cannon_program *program = NULL;
    struct htmt_fault fault = {0};
    deal_all(plan, w, spread);
    if (htmt__cannon_program_create(e, plan, HTMT__CANNON_OVERLAPPED, &data, &program, &fault))
        bench_fail(fault.text);
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double seconds = bench_now() - begin;
    if (rc)
        bench_fail(htmt_emulator_fault(e)->text);
    deal(&spread[HTMT__C], w->c, true);
    htmt__cannon_program_destroy(&program);
    for (int i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_spread_destroy(&spread[i]);
    return seconds;
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_options(argc, argv);
    struct htmt_machine *m = machine_for(o.block);
    struct htmt_options options = {.machine = m, .slices = SLICES, .threads = o.threads};
    struct htmt_emulator *e = NULL;
    struct bench_blocks w;
    char name[64];

    bench_kernel_threads(1);
    bench_blocks_create(&w, &o);
    struct htmt__cannon_plan plan = plan_of(m, &w);
    if (htmt_emulator_create(&e, &options, NULL))
        bench_fail("no emulator");
    double seconds = emulate(e, &plan, &w);

    snprintf(name, sizeof name, "emulator%s_%u",
             htmt__arena_heap() == HTMT__HEAP_POOLS ? "_pools" : "", o.threads);
    bench_report(w.group, name, seconds, "s", bench_blocks_check(&w));
    htmt_emulator_destroy(&e);
    bench_blocks_destroy(&w);
    htmt_machine_destroy(&m);
    return 0;
}
