/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of instants: the union of spans, kept as segments that neither touch nor overlap.
 */
#ifndef HTMT_EMUL_LIB_TRACE_SEGMENTS_H
#define HTMT_EMUL_LIB_TRACE_SEGMENTS_H

#include "parcels/emulator.h"

#include <stdbool.h>
#include <stddef.h>

struct htmt__segment {
    htmt_time from, to;
};

/* {0} is empty. */
struct htmt__segments {
    struct htmt__segment *segment; /* in order of time */
    size_t count, room;
};

/* Quick for spans that come nearly in order of their ends. Errors: HTMT_ENOMEM. */
int htmt__segments_add(struct htmt__segments *s, htmt_time from, htmt_time to);

/* Whether an instant of [from, to) is in the set. */
bool htmt__segments_meet(const struct htmt__segments *s, htmt_time from, htmt_time to);

void htmt__segments_clear(struct htmt__segments *s);

#endif
