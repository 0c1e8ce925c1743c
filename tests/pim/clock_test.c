/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The virtual clock against the player: the kernels of all eight programs, from parcels and events
 * on the one side and from loops on the other.
 */
#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/pim/judge.h"
#include "layers/machine/banks.h"
#include "parcels/host.h"
#include "tests/apps/table.h"
#include "tests/layers/machines.h"
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
    struct htmt_costs *costs = NULL;
    struct htmt_fault fault = {0};
    const struct htmt_app *prim;
    cr_assert_eq(htmt__pim_application(apps, "prim", &prim, &fault), 0, "%s", fault.text);
    struct htmt_machine *m = machine_load("upmem-p21", NULL);
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
        double played = played_kernel(htmt__bank_machine_of(m), r->program,
                                      htmt_costs_ratio(costs, instructions), r->dpus, r->size) +
                        (double)htmt_costs_whole(costs, start) / (double)HTMT_SECOND +
                        (double)htmt_machine_launch_time(m, r->dpus) / (double)HTMT_SECOND;
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
    struct htmt_fault fault = {0};
    const struct htmt_app *micro;
    cr_assert_eq(htmt__pim_application(apps, "micro", &micro, &fault), 0, "%s", fault.text);
    struct htmt_machine *m = machine_load("upmem-e19", NULL);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        htmt_time played;
        struct htmt__pim_times times;
        char options[120];
        snprintf(options, sizeof options,
                 "--program copy --level %s --tasklets %u --words %llu --repetitions %llu",
                 copies[i].level, copies[i].tasklets, (unsigned long long)copies[i].words,
                 (unsigned long long)copies[i].repetitions);
        cr_assert_eq(htmt__pim_micro(micro, m, 8, options, &times, &fault), 0, "%s", fault.text);
        cr_assert_eq(play_copy(htmt__bank_machine_of(m), copies[i].level[0] == 'm',
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
    struct htmt_fault fault = {0};
    struct htmt__pim_times times;
    const struct htmt_app *micro;
    cr_assert_eq(htmt__pim_application(apps, "micro", &micro, &fault), 0, "%s", fault.text);
    struct htmt_machine *m = machine_load("upmem-e19", NULL);
    const struct htmt__bus *bus = &htmt__bank_machine_of(m)->figures;
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
                     htmt__bus_launch(bus, transfers[i].dpus, true, NULL), "launch %zu", i);
        cr_expect_eq(times.kernel, 0);
    }
    htmt_machine_destroy(&m);
}

/* scan-rss launches twice; red pulls a word from each of four DPUs, one after another. */
Test(clock, the_first_launch_alone_takes_longer_and_serial_starts_depend_on_the_dpus)
{
    static const char *const sets[] = {"networks.bus.first-launch.value.4=0 us",
                                       "networks.bus.first-launch.value.4=70 us"};
    struct htmt_fault fault = {0};
    struct htmt__pim_times times[2];
    const struct htmt_app *prim;
    cr_assert_eq(htmt__pim_application(apps, "prim", &prim, &fault), 0, "%s", fault.text);
    for (int i = 0; i < 2; i++) {
        struct htmt_machine *m = NULL;
        cr_assert_eq(htmt_machine_load("upmem-p21", &sets[i], 1, &m, &fault), 0, "%s", fault.text);
        struct htmt__pim_command c = {
            .program = "scan-rss", .machine = m, .costs = "prim-upmem", .dpus = 4, .size = 262144};
        cr_assert_eq(htmt__pim_run(prim, &c, &times[i], &fault), 0, "%s", fault.text);
        c.program = "red";
        struct htmt__pim_times red;
        cr_assert_eq(htmt__pim_run(prim, &c, &red, &fault), 0, "%s", fault.text);
        const struct htmt__bus_transfer *t =
            &htmt__bank_machine_of(m)
                 ->figures.transfer[HTMT__TO_BANK][HTMT__SERIAL][HTMT__FROM_SLICES];
        struct htmt_ratio start, rate;
        cr_assert_eq(htmt__curve_at(&t->start, 4, 0, &start, NULL), 0);
        cr_assert_eq(htmt__curve_at(&t->rate, 4, 0, &rate, NULL), 0);
        double one = htmt_ratio_value(start) * 1e-15 + 8 / htmt_ratio_value(rate);
        cr_expect_float_eq(red.from_slices + red.between_slices, 4 * one, 1e-12, "%g, not %g",
                           red.from_slices + red.between_slices, 4 * one);
        htmt_machine_destroy(&m);
    }
    cr_expect_float_eq(times[1].kernel - times[0].kernel, 70e-6, 1e-14);
}

static const char *const commands[] = {
    "--program va --dpus 3 --size 10000 --tasklets 5",
    "--program gemv --dpus 5 --size 301 --tasklets 11",
    "--program red --dpus 4 --size 8192 --fold",
    "--program sel --dpus 3 --size 9001 --tasklets 24",
    "--program uni --dpus 1 --size 5000 --tasklets 1",
    "--program scan-ssa --dpus 2 --size 30001 --tasklets 7",
    "--program scan-rss --dpus 2 --size 30001 --tasklets 16",
    "--program hst-s --dpus 2 --size 30001 --tasklets 12 --costs prim-upmem"};

/* Reads and writes of the machine have the same latency; so many copies of the engine took so long,
 * from the question to the answer. */
static htmt_wide copies_of(const struct htmt__bank_machine *m, const struct htmt_emulator *e)
{
    struct htmt_resource_report r = {0};
    htmt_wide time = 0;
    cr_assert_eq(htmt_ratio_cmp(m->engine.read, m->engine.write), 0);
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        if (r.kind == HTMT_LINK_OUT && !strncmp(r.name, "dma ", 4))
            time += r.busy + r.waited + (htmt_wide)r.served * htmt_charge_time(m->engine.read, 1);
    return time;
}

/* What threads did adds up to the threads' time, and their copies to the engine's. */
Test(clock, shares_of_tasklets_add_up_to_the_femtosecond)
{
    struct htmt_fault fault = {0};
    const struct htmt_app *prim;
    cr_assert_eq(htmt__pim_application(apps, "prim", &prim, &fault), 0, "%s", fault.text);
    struct htmt_machine *m = machine_load("upmem-p21", NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        static struct htmt__quiet_run run;
        struct htmt_threads_report t;
        htmt_wide copying = 0;
        unsigned dpus = 0, tasklets = 16;
        const char *at = strstr(commands[i], "--tasklets");
        sscanf(strstr(commands[i], "--dpus"), "--dpus %u", &dpus);
        if (at)
            sscanf(at, "--tasklets %u", &tasklets);
        cr_assert_eq(htmt__quiet_run_prepare_on(prim, commands[i], m, &run, &fault), 0, "%s",
                     fault.text);
        cr_assert_eq(htmt__quiet_run_emulate(&run, &fault), 0, "%s", fault.text);
        for (uint32_t s = 0; s < dpus; s++) {
            cr_assert_eq(htmt_threads_at(run.outcome.emulator, s, &t), 0);
            cr_expect(t.issuing > 0 && t.copying > 0 && t.ran > 0);
            cr_expect(t.issuing + t.copying + t.waiting == t.ran * tasklets, "%s, slice %u",
                      commands[i], s);
            cr_expect((t.waiting > 0) == (tasklets > 1), "%s", commands[i]);
            copying += t.copying;
        }
        cr_expect(copying == copies_of(htmt__bank_machine_of(m), run.outcome.emulator), "%s",
                  commands[i]);
        htmt__quiet_run_clear(&run);
    }
    htmt_machine_destroy(&m);
}
