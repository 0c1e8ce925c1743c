/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections by iteration, for --sections: from here on the time of a slice belongs to iteration i of
 * n. Many iterations share sections, so that a report stays short: 400 steps are "steps 0-12",
 * "steps 13-25" and so on, 31 of them.
 */
#ifndef HTMT_APPS_LIB_ITERATIONS_H
#define HTMT_APPS_LIB_ITERATIONS_H

#include "parcels/control.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HTMT__ITERATIONS_MOST 32 /* sections of one run */

/* `what`: "step" or "patch"; below 20 bytes. Nothing happens inside a section. */
static inline void htmt__iteration(struct htmt_context *c, const char *what, uint64_t i, uint64_t n)
{
    const uint64_t each = n / HTMT__ITERATIONS_MOST + (n % HTMT__ITERATIONS_MOST != 0);
    const char *plural = what[strlen(what) - 1] == 'h' ? "es" : "s";
    char name[64];
    if (each > 1 && i % each)
        return;
    if (each < 2 || i + 1 == n)
        snprintf(name, sizeof name, "%s %" PRIu64, what, i);
    else
        snprintf(name, sizeof name, "%s%s %" PRIu64 "-%" PRIu64, what, plural, i,
                 i + each > n ? n - 1 : i + each - 1);
    htmt_section(c, name);
}

#endif
