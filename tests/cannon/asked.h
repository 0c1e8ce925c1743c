/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to Cannon's multiply as its tests make them.
 */
#ifndef HTMT_TESTS_CANNON_ASKED_H
#define HTMT_TESTS_CANNON_ASKED_H

#include "apps/lib/task_parts.h"
#include "tests/apps/asked.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>

struct asked {
    struct htmt_machine *machine;
    const char *values[ASKED_ROWS];
    struct htmt_request request;
    struct htmt_outcome outcome;
    struct htmt_prediction prediction;
    struct htmt_fault fault;
};

/* costs: NULL for the kernels' own counts. */
static inline void ask(struct asked *a, const char *machine, uint32_t slices, enum htmt_mode mode,
                       const char *costs, const char *const *given)
{
    memset(a, 0, sizeof *a);
    cr_assert_eq(htmt_machine_load(machine, NULL, 0, &a->machine, &a->fault), 0, "%s",
                 a->fault.text);
    ask_values(htmt_app_cannon.options, given, a->values);
    a->request = (struct htmt_request){
        .machine = a->machine,
        .costs = costs,
        .emulator = {.machine = a->machine, .slices = slices, .mode = mode, .threads = 2},
        .seed = 3,
        .rows = htmt_app_cannon.options,
        .values = a->values};
}

static inline int run(struct asked *a)
{
    return htmt__app_run(&htmt_app_cannon, &a->request, &a->outcome, &a->fault);
}

static inline int predict(struct asked *a)
{
    return htmt__app_predict(&htmt_app_cannon, &a->request, &a->prediction, &a->fault);
}

static inline void done(struct asked *a)
{
    htmt_emulator_destroy(&a->outcome.emulator);
    htmt_machine_destroy(&a->machine);
}

#endif
