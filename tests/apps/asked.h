/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to an application as tests make them.
 */
#ifndef HTMT_TESTS_APPS_ASKED_H
#define HTMT_TESTS_APPS_ASKED_H

#include "apps/lib/task_parts.h"

#include <criterion/criterion.h>
#include <string.h>

#define ASKED_ROWS 64

/* "name", "value" pairs, a NULL at the end. */
#define GIVEN(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* The values of all rows: given, or by fallback. */
static inline void ask_values(const struct htmt_app_option *rows, const char *const *given,
                              const char *values[ASKED_ROWS])
{
    for (unsigned i = 0; rows[i].name && i < ASKED_ROWS; i++) {
        values[i] = rows[i].fallback;
        for (unsigned k = 0; given[k]; k += 2)
            if (!strcmp(given[k], rows[i].name))
                values[i] = given[k + 1];
    }
}

/* A request on a shipped machine, and what became of it. */
struct asked {
    const struct htmt_app *app;
    struct htmt_machine *machine;
    const char *values[ASKED_ROWS];
    struct htmt_request request;
    struct htmt_outcome outcome;
    struct htmt_prediction prediction;
    struct htmt_fault fault;
};

/* costs: NULL for the kernels' own counts. */
static inline void ask_app(struct asked *a, const struct htmt_app *app, const char *machine,
                           uint32_t slices, enum htmt_mode mode, const char *costs,
                           const char *const *given)
{
    memset(a, 0, sizeof *a);
    a->app = app;
    a->outcome.correct = -1;
    cr_assert_eq(htmt_machine_load(machine, NULL, 0, &a->machine, &a->fault), 0, "%s",
                 a->fault.text);
    ask_values(app->options, given, a->values);
    a->request = (struct htmt_request){
        .machine = a->machine,
        .costs = costs,
        .emulator = {.machine = a->machine, .slices = slices, .mode = mode, .threads = 2},
        .seed = 3,
        .rows = app->options,
        .values = a->values};
}

static inline int run(struct asked *a)
{
    return htmt__app_run(a->app, &a->request, &a->outcome, &a->fault);
}

static inline int predict(struct asked *a)
{
    return htmt__app_predict(a->app, &a->request, &a->prediction, &a->fault);
}

static inline void done(struct asked *a)
{
    htmt_emulator_destroy(&a->outcome.emulator);
    htmt_machine_destroy(&a->machine);
}

#endif
