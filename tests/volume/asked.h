/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to volume rendering as its tests make them.
 */
#ifndef HTMT_TESTS_VOLUME_ASKED_H
#define HTMT_TESTS_VOLUME_ASKED_H

#include "apps/volume/settings.h"

#include <string.h>

/* "name", "value" pairs, a NULL at the end. */
#define GIVEN(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

#define ASKED_ROWS 64

/* The values of all rows: given, or by fallback. */
static inline void ask_values(const char *const *given, const char *values[ASKED_ROWS])
{
    const struct htmt_app_option *rows = htmt__volume_options;
    for (unsigned i = 0; rows[i].name && i < ASKED_ROWS; i++) {
        values[i] = rows[i].fallback;
        for (unsigned k = 0; given[k]; k += 2)
            if (!strcmp(given[k], rows[i].name))
                values[i] = given[k + 1];
    }
}

static inline int ask_settings(enum htmt_mode mode, const char *const *given,
                               struct htmt__volume_settings *s, struct htmt_fault *fault)
{
    const char *values[ASKED_ROWS] = {NULL};
    struct htmt_request r = {
        .emulator = {.mode = mode}, .rows = htmt__volume_options, .values = values};
    ask_values(given, values);
    return htmt__volume_settings_read(&r, s, fault);
}

#endif
