/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two million warm particles: the serial program, its push against a plain copy of the particles,
 * and the emulated section of the same steps as parcels on 16 slices.
 *
 * The serial time is that of the steps alone, as the emulated one is; in both the particles have
 * been put where they belong before.
 */
#include "apps/pic/check.h"
#include "apps/pic/program.h"
#include "apps/pic/reference.h"
#include "bench/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS  3
#define STEPS  5
#define SLICES 16u
#define EDGE   40 /* of the box: 64,000 cells of 32 particles */

static void check(int rc, const struct htmt_fault *fault)
{
    if (rc)
        bench_fail(fault->text);
}

static struct htmt__pic_deck deck_of(void)
{
    return (struct htmt__pic_deck){.name = "bench",
                                   .n = {EDGE, EDGE, EDGE},
                                   .dt = 0.1,
                                   .steps = STEPS,
                                   .mode = {1, 0, 0},
                                   .species_count = 1,
                                   .species = {{.name = "electrons",
                                                .charge = -1,
                                                .mass = 1,
                                                .density = 1,
                                                .per_cell = {4, 4, 2},
                                                .start = HTMT__PIC_RANDOM,
                                                .thermal = {1, 1, 1}}}};
}

/* Equal for all who have pushed as many particles to the same energy, but for rounding. */
static uint64_t work_of(const struct htmt__pic_record *record)
{
    double energy = record[STEPS - 1].field + record[STEPS - 1].kinetic;
    return (uint64_t)record[STEPS - 1].particles << 24 ^ (uint64_t)(energy * 1e3 + 0.5);
}

/* ---- serial --------------------------------------------------------------------------------- */

/* Particles a second that memcpy() moves. */
static double copy_rate(const struct htmt__pic_species *c)
{
    struct htmt__pic_particle *to = malloc(c->count * sizeof *to);
    if (!to)
        bench_fail("no memory");
    memset(to, 1, c->count * sizeof *to);
    double begin = bench_now();
    memcpy(to, c->at, c->count * sizeof *to);
    double seconds = bench_now() - begin;
    if (memcmp(to, c->at, c->count * sizeof *to) != 0)
        bench_fail("memcpy() does not copy");
    free(to);
    return (double)c->count / seconds;
}

static void run_serial(const struct htmt__pic_deck *deck, const struct htmt__pic_particles *start)
{
    struct htmt__pic_particles p;
    struct htmt__pic_record record[STEPS];
    struct htmt__pic_clock clock;
    struct htmt_fault fault = {0};
    check(htmt__pic_particles_copy(start, &p, &fault), &fault);
    check(htmt__pic_reference(deck, &p, record, NULL, &clock, &fault), &fault);
    double pushed = (double)p.of[0].count * STEPS, copied = copy_rate(&p.of[0]);
    double steps = clock.deposit_s + clock.solve_s + clock.push_s + clock.sort_s;
    bench_report("plasma", "serial_1", steps, "s", work_of(record));
    bench_report("plasma-push", "copy_1", copied, "1/s", work_of(record));
    bench_report("plasma-push", "push_1", pushed / clock.push_s, "1/s", work_of(record));
    htmt__pic_particles_destroy(&p);
}

/* ---- parcels -------------------------------------------------------------------------------- */

static struct htmt__pic_plan plan_of(const struct htmt_machine *m,
                                     const struct htmt__pic_deck *deck)
{
    struct htmt__pic_problem problem = {.n = {deck->n[0], deck->n[1], deck->n[2]},
                                        .species = 1,
                                        .per_cell = {32},
                                        .charges = htmt__pic_own_charges};
    struct htmt__pic_plan plan;
    struct htmt_fault fault = {0};
    check(htmt__pic_plan(m, &problem, &plan, &fault), &fault);
    return plan;
}

static void run_parcels(const struct htmt__pic_deck *deck, const struct htmt__pic_particles *start,
                        unsigned threads)
{
    struct htmt_machine *m = bench_machine(NULL, 0);
    m->slices = SLICES;
    struct htmt__pic_plan plan = plan_of(m, deck);
    struct htmt_options options = {.machine = m, .threads = threads};
    struct htmt_emulator *e = NULL;
    struct htmt__pic_program *program = NULL;
    struct htmt__pic_record record[STEPS];
    struct htmt_fault fault = {0};
    uint64_t steps;
    char name[32];
    if (htmt_emulator_create(&e, &options, NULL))
        bench_fail("no emulator");
    check(htmt__pic_program_create(e, &plan, deck, start, &program, &fault), &fault);
    double begin = bench_now();
    int rc = htmt_emulator_run(e);
    double seconds = bench_now() - begin;
    check(rc, htmt_emulator_fault(e));
    check(htmt__pic_program_records(program, record, &steps, &fault), &fault);
    snprintf(name, sizeof name, "parcels_%u", threads);
    bench_report("plasma", name, seconds, "s", work_of(record));
    htmt_emulator_destroy(&e);
    htmt__pic_program_destroy(&program);
    htmt_machine_destroy(&m);
}

int main(void)
{
    struct htmt__pic_deck deck = deck_of();
    struct htmt__pic_particles start;
    struct htmt_fault fault = {0};
    check(htmt__pic_start(&deck, 1, &start, &fault), &fault);
    for (int turn = 0; turn < TURNS; turn++) {
        run_serial(&deck, &start);
        run_parcels(&deck, &start, 1);
        run_parcels(&deck, &start, 2);
    }
    htmt__pic_particles_destroy(&start);
    return 0;
}
