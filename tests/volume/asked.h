/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to volume rendering as its tests make them, and the input that they name.
 */
#ifndef HTMT_TESTS_VOLUME_ASKED_H
#define HTMT_TESTS_VOLUME_ASKED_H

#include "apps/lib/task_parts.h"
#include "apps/volume/settings.h"
#include "tests/apps/asked.h"

#include <criterion/criterion.h>

/* All that the input asks of a machine is how many words its innermost memory has. */
static const struct htmt_machine small_machine = {.layer_count = 1,
                                                  .layer = {{.memory = {.capacity = 131072}}}};

static inline int ask_settings(enum htmt_mode mode, const char *const *given,
                               struct htmt__volume_settings *s, struct htmt_fault *fault)
{
    const char *values[ASKED_ROWS] = {NULL};
    struct htmt_request r = {
        .emulator = {.mode = mode}, .rows = htmt__volume_options, .values = values};
    ask_values(htmt__volume_options, given, values);
    return htmt__volume_settings_read(&r, s, fault);
}

static inline struct htmt__volume_input ask_input(bool data, const char *const *given,
                                                  struct htmt__volume_settings *s)
{
    struct htmt__volume_input made;
    struct htmt_fault fault = {0};
    cr_assert_eq(ask_settings(data ? HTMT_RUN : HTMT_MODEL, given, s, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__volume_input_read(&small_machine, s, data, &made, &fault), 0, "%s",
                 fault.text);
    return made;
}

#endif
