/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to volume rendering as its tests make them.
 */
#ifndef HTMT_TESTS_VOLUME_ASKED_H
#define HTMT_TESTS_VOLUME_ASKED_H

#include "apps/lib/task_parts.h"
#include "apps/volume/settings.h"
#include "tests/apps/asked.h"

static inline int ask_settings(enum htmt_mode mode, const char *const *given,
                               struct htmt__volume_settings *s, struct htmt_fault *fault)
{
    const char *values[ASKED_ROWS] = {NULL};
    struct htmt_request r = {
        .emulator = {.mode = mode}, .rows = htmt__volume_options, .values = values};
    ask_values(htmt__volume_options, given, values);
    return htmt__volume_settings_read(&r, s, fault);
}

#endif
