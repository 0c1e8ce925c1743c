/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The virtual clock against the player: the kernels of all eight programs, from parcels and events
 * on the one side and from loops on the other.
 */
#include "emul/validate/pim/judge.h"
#include "tests/apps/table.h"
#include "tests/pim/played.h"

#include <math.h>

static const struct htmt_app *const apps[] = {&htmt_app_prim, NULL};

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
                                      .machine = "upmem-p21",
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
