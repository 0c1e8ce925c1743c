/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a user waits for beside the emulation: set-up and check of `htmt run pic --case thermal
 * --cells 62,64,64 --slices 64 --steps 4 --threads 1`, 6.9 million particles, in processor seconds.
 * The check is that of the command: the serial program from the start on, and all comparisons.
 */
#include "apps/pic/check.h"
#include "apps/pic/io/by_key.h"
#include "apps/pic/program.h"
#include "apps/pic/reference.h"
#include "bench/clock.h"

#include <stdlib.h>

#define TURNS  3
#define STEPS  4
#define SLICES 64u

static void check(int rc, const struct htmt_fault *fault)
{
    if (rc)
        bench_fail(fault->text);
}

struct parcels {
    struct htmt_emulator *e;
    struct htmt__pic_program *program;
    struct htmt__pic_record record[STEPS];
};

static struct htmt__pic_deck deck_of(void)
{
    return (struct htmt__pic_deck){.name = "thermal",
                                   .n = {62, 64, 64},
                                   .dt = 0.1,
                                   .steps = STEPS,
                                   .mode = {1, 0, 0},
                                   .species_count = 1,
                                   .species = {{.name = "electrons",
                                                .charge = -1,
                                                .mass = 1,
                                                .density = 1,
                                                .per_cell = {3, 3, 3},
                                                .start = HTMT__PIC_RANDOM,
                                                .thermal = {1, 1, 1}}}};
}

static void set_up(const struct htmt_machine *m, const struct htmt__pic_deck *deck,
                   struct parcels *p)
{
    const struct htmt__pic_problem problem = {.n = {deck->n[0], deck->n[1], deck->n[2]},
                                              .species = 1,
                                              .per_cell = {27},
                                              .charges = htmt__pic_own_charges};
    const struct htmt_options options = {.machine = m, .threads = 1};
    struct htmt__pic_plan plan;
    struct htmt_fault fault = {0};
    check(htmt__pic_plan(m, &problem, &plan, &fault), &fault);
    if (htmt_emulator_create(&p->e, &options, NULL))
        bench_fail("no emulator");
    check(htmt__pic_program_begin(p->e, &plan, deck, 1, 1, &p->program, &fault), &fault);
}

/* Nothing of it is left out: a check that fails ends the benchmark. */
static uint64_t check_serial(const struct htmt__pic_deck *deck, struct parcels *p)
{
    struct htmt__pic_particles particles;
    struct htmt__pic_record record[STEPS];
    struct htmt__pic_fields fields[2];
    struct htmt__pic_runs runs;
    struct htmt__pic_check found;
    struct htmt_fault fault = {0};
    htmt__pic_program_release(p->program);
    check(htmt__pic_start_by_cell(deck, 1, 1, &particles, &fault), &fault);
    check(htmt__pic_fields_create(&fields[0], deck->n, &fault), &fault);
    check(htmt__pic_reference(deck, &particles, record, &fields[0], NULL, &fault), &fault);
    check(htmt__pic_fields_create(&fields[1], deck->n, &fault), &fault);
    check(htmt__pic_program_fields(p->program, &fields[1], &fault), &fault);
    check(htmt__pic_program_runs(p->program, &runs, &fault), &fault);
    const struct htmt__pic_result serial = {&particles, record, &fields[0]},
                                  parcels = {NULL, p->record, &fields[1]};
    check(htmt__pic_check_on(1, deck, &serial, &parcels, &runs, &found, &fault), &fault);
    if (!found.pass)
        bench_fail("parcels and serial program differ");
    const uint64_t count = particles.of[0].count;
    free(runs.run);
    htmt__pic_particles_destroy(&particles);
    htmt__pic_fields_destroy(&fields[0]);
    htmt__pic_fields_destroy(&fields[1]);
    return count;
}

static void turn(struct htmt_machine *m, const struct htmt__pic_deck *deck)
{
    struct parcels p = {NULL, NULL, {{0}}};
    struct htmt_fault fault = {0};
    uint64_t steps;
    double at[4] = {bench_used()};
    set_up(m, deck, &p);
    at[1] = bench_used();
    check(htmt_emulator_run(p.e), htmt_emulator_fault(p.e));
    at[2] = bench_used();
    check(htmt__pic_program_records(p.program, p.record, &steps, &fault), &fault);
    const uint64_t work = check_serial(deck, &p) * steps;
    at[3] = bench_used();
    static const char *const name[] = {"setup_1", "emulation_1", "check_1"};
    for (int i = 0; i < 3; i++)
        bench_report("plasma-waiting", name[i], at[i + 1] - at[i], "s", work);
    htmt_emulator_destroy(&p.e);
    htmt__pic_program_destroy(&p.program);
}

int main(void)
{
    const struct htmt__pic_deck deck = deck_of();
    struct htmt_machine *m = bench_machine(NULL, 0);
    m->slices = SLICES;
    for (int i = 0; i < TURNS; i++)
        turn(m, &deck);
    htmt_machine_destroy(&m);
    return 0;
}
