/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The virtual clock against the player: the kernels of all eight programs, from parcels and events
 * on the one side and from loops on the other.
 */
#include "emul/validate/pim/judge.h"
#include "tests/apps/table.h"
#include "tests/pim/played.h"

#include <math.h>

static const struct htmt_app *const apps[] = {&htmt_app_prim, &htmt_app_micro, NULL};

struct row {
    const char *program;
    uint32_t dpus;
    uint64_t size;
    double apart; /* most: merges after the last barrier are the application's alone */
};

/* Folded and unfolded, and sizes that no block divides. */
static const struct row table[] = {
    {"va", 16, 524288, 1e-9},       {"va", 3, 10000, 1e-3},         {"gemv", 16, 2048, 5e-3},
    {"red", 4, 524288, 2e-3},       {"sel", 16, 524288, 1e-9},      {"uni", 16, 524288, 1e-3},
    {"scan-ssa", 16, 262144, 5e-3}, {"scan-rss", 16, 262144, 5e-3}, {"hst-s", 4, 131072, 2e-3}};

Test(clock, kernels_take_as_long_as_their_loops)
{
    struct htmt_machine *m = NULL;
    struct htmt_costs *costs = NULL;
    struct htmt_fault fault = {0};
    const struct htmt_app *prim;
    cr_assert_eq(htmt__pim_application(apps, "prim", &prim, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt_machine_load("upmem-p21", NULL, 0, &m, &fault), 0, "%s", fault.text);
    cr_assert_eq(
        htmt_costs_load("prim-upmem", "prim", htmt__pim_cost_rows, NULL, 0, &costs, &fault), 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row *r = &table[i];
        char instructions[60], start[60];
        struct htmt__pim_times times;
        struct htmt__pim_command c = {.program = r->program,
                                      .machine = m,
                                      .costs = "prim-upmem",
                                      .dpus = r->dpus,
                                      .size = r->size};
        snprintf(instructions, sizeof instructions, "%s.instructions", r->program);
        snprintf(start, sizeof start, "%s.start", r->program);
        cr_assert_eq(htmt__pim_run(prim, &c, &times, &fault), 0, "%s", fault.text);
        double played = played_kernel(htmt__machine_bank_host(m), r->program,
                                      htmt_costs_ratio(costs, instructions), r->dpus, r->size) +
                        (double)htmt_costs_whole(costs, start) / (double)HTMT_SECOND;
        cr_expect_lt(fabs(times.kernel / played - 1), r->apart, "%s: %.12g by the clock, %.12g",
                     r->program, times.kernel, played);
    }
    htmt_costs_destroy(&costs);
    htmt_machine_destroy(&m);
}

static const struct {
    const char *level;
    uint32_t tasklets;
    uint64_t words, repetitions;
} copies[] = {{"wram", 1, 512, 8},   {"wram", 24, 1000, 3}, {"wram", 12, 2, 1},   {"mram", 1, 2, 8},
              {"mram", 8, 16384, 2}, {"mram", 24, 4096, 3}, {"mram", 11, 1000, 5}};

/* To the femtosecond: both sides take the same charges and round them alike. */
Test(clock, copies_take_as_long_as_their_loops)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    const struct htmt_app *micro;
    cr_assert_eq(htmt__pim_application(apps, "micro", &micro, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt_machine_load("upmem-e19", NULL, 0, &m, &fault), 0, "%s", fault.text);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        htmt_time played;
        struct htmt__pim_times times;
        char options[120];
        snprintf(options, sizeof options,
                 "--program copy --level %s --tasklets %u --words %llu --repetitions %llu",
                 copies[i].level, copies[i].tasklets, (unsigned long long)copies[i].words,
                 (unsigned long long)copies[i].repetitions);
        cr_assert_eq(htmt__pim_micro(micro, m, 8, options, &times, &fault), 0, "%s", fault.text);
        cr_assert_eq(play_copy(htmt__machine_bank_host(m), copies[i].level[0] == 'm',
                               copies[i].tasklets, copies[i].words, copies[i].repetitions, &played,
                               &fault),
                     0, "%s", fault.text);
        cr_expect_float_eq(times.kernel * (double)HTMT_SECOND, (double)played, 1.5, "copy %zu", i);
    }
    htmt_machine_destroy(&m);
}

static const struct {
    const char *level, *way, *mode;
    enum htmt__bus_end end;
    enum htmt__bus_way to;
    enum htmt__bus_mode bus;
    uint32_t dpus;
    uint64_t words;
} transfers[] = {
    {"mram", "to", "parallel", HTMT__TO_BANK, HTMT__TO_SLICES, HTMT__PARALLEL, 512, 16777216},
    {"mram", "from", "parallel", HTMT__TO_BANK, HTMT__FROM_SLICES, HTMT__PARALLEL, 3, 1000},
    {"mram", "to", "broadcast", HTMT__TO_BANK, HTMT__TO_SLICES, HTMT__BROADCAST, 100, 6},
    {"wram", "to", "parallel", HTMT__TO_SCRATCH, HTMT__TO_SLICES, HTMT__PARALLEL, 64, 2},
    {"wram", "from", "parallel", HTMT__TO_SCRATCH, HTMT__FROM_SLICES, HTMT__PARALLEL, 8, 16384},
    {"wram", "to", "broadcast", HTMT__TO_SCRATCH, HTMT__TO_SLICES, HTMT__BROADCAST, 512, 4096}};

/* The events of transfers and launches against the figures of the bus, to the femtosecond. */
Test(clock, transfers_and_launches_take_what_the_bus_says)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    struct htmt__pim_times times;
    const struct htmt_app *micro;
    cr_assert_eq(htmt__pim_application(apps, "micro", &micro, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt_machine_load("upmem-e19", NULL, 0, &m, &fault), 0, "%s", fault.text);
    const struct htmt__bus *bus = &htmt__machine_bank_host(m)->figures;
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
        char options[120];
        snprintf(options, sizeof options,
                 "--program host --level %s --way %s --mode %s --words %llu", transfers[i].level,
                 transfers[i].way, transfers[i].mode, (unsigned long long)transfers[i].words);
        cr_assert_eq(htmt__pim_micro(micro, m, transfers[i].dpus, options, &times, &fault), 0, "%s",
                     fault.text);
        htmt_time wanted = htmt__bus_time(bus, transfers[i].end, transfers[i].bus, transfers[i].to,
                                          transfers[i].dpus, 4 * transfers[i].words, NULL);
        double found = transfers[i].to == HTMT__TO_SLICES ? times.to_slices : times.from_slices;
        cr_expect_eq(llround(found * (double)HTMT_SECOND), wanted, "transfer %zu", i);
        cr_assert_eq(
            htmt__pim_micro(micro, m, transfers[i].dpus, "--program launch", &times, &fault), 0,
            "%s", fault.text);
        cr_expect_eq(llround(times.launch * (double)HTMT_SECOND),
                     htmt__bus_launch(bus, transfers[i].dpus, NULL), "launch %zu", i);
        cr_expect_eq(times.kernel, 0);
    }
    htmt_machine_destroy(&m);
}
