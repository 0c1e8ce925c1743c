/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options as a test gives them to an application.
 */
#ifndef HTMT_TESTS_APPS_ASKED_H
#define HTMT_TESTS_APPS_ASKED_H

#include "apps/lib/app.h"

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

#endif
