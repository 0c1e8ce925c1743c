/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bodies for tests, and runs of them without a command line.
 */
#ifndef HTMT_TESTS_NBODY_BODIES_H
#define HTMT_TESTS_NBODY_BODIES_H

#include "apps/lib/random.h"
#include "apps/nbody/program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void sphere(uint64_t seed, uint64_t n, struct htmt__nbody_body *body)
{
    const struct htmt__nbody_plan p = {.bodies = n};
    memset(body, 0, n * sizeof *body);
    cr_assert_eq(htmt__nbody_input(&p, seed, body, NULL), 0);
}

/* The given bodies, by direct sum on htmt-oct98. `pull` and `history` may be NULL. */
static inline void play_plan(struct htmt__nbody_plan *plan, const struct htmt__nbody_body *body,
                             struct htmt__nbody_body *end, double *pull, double *history)
{
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt__nbody_program *program = NULL;
    struct htmt_fault fault = {0};
    double *pulls = pull ? pull : calloc(plan->bodies, HTMT__NBODY_PULL_WORDS * sizeof *pulls);
    cr_assert_eq(htmt_machine_load("htmt-oct98", NULL, 0, &machine, &fault), 0, "%s", fault.text);
    cr_assert_eq(
        htmt_emulator_create(
            &e, &(struct htmt_options){.machine = machine, .threads = 2, .slices = plan->slices},
            &fault),
        0, "%s", fault.text);
    cr_assert_eq(htmt__nbody_program_create(e, plan, body, false, &program), 0);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt__nbody_program_gather(program, end, pulls), 0);
    if (history)
        cr_assert_eq(htmt__nbody_program_history(program, history), 0);
    htmt__nbody_program_destroy(&program);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    if (!pull)
        free(pulls);
}

static inline void play(const struct htmt__nbody_body *body, uint64_t n, uint32_t slices,
                        double eps, double dt, uint32_t steps, struct htmt__nbody_body *end,
                        double *pull, double *history)
{
    const uint32_t most = (uint32_t)((n + slices - 1) / slices);
    struct htmt__nbody_plan plan = {.bodies = n,
                                    .most = most,
                                    .slices = slices,
                                    .eps = eps,
                                    .dt = dt,
                                    .steps = steps,
                                    .chunk = (most + 127) / 128,
                                    .targets = most,
                                    .sources = most,
                                    .dram = 1,
                                    .sram = 2,
                                    .cram = 3,
                                    .costs = {.body_flop = {20, 1}}};
    play_plan(&plan, body, end, pull, history);
}

#endif
