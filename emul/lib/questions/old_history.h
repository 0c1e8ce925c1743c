/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The history hash of earlier versions, for --old-history: so that their results can be compared
 * until the next version.
 *
 * It was a chain: each slice had a state, which absorbed the events of that slice in their order,
 * among them the arrivals of its messages elsewhere. It is made here of what an observer hears:
 * with fold(), step() and K0 to K4 of runtime/sim/history.h, and p = source slice * 2^32 +
 * resource,
 *
 *     m  = fold(time ^ K0, p ^ K1) + fold(serial ^ K2, kind ^ K3) + words * K4
 *     h' = step(h, m)
 *
 * The hash of a run is c = step(c, h + G) over its slices in order, from c = their number.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_OLD_HISTORY_H
#define HTMT_EMUL_LIB_QUESTIONS_OLD_HISTORY_H

#include "parcels/emulator.h"

#include <stdbool.h>

/* Begins as zeros. */
struct htmt__old_history {
    uint64_t *state; /* of each slice */
    size_t room;     /* those behind it are 0 */
    bool failed;     /* no host memory for some */
};

void htmt__old_history_add(struct htmt__old_history *h, const struct htmt_event *event);
uint64_t htmt__old_history_hash(const struct htmt__old_history *h, uint32_t slices);
void htmt__old_history_clear(struct htmt__old_history *h);

#endif
