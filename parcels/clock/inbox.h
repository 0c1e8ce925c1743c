/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a partition takes in what others have put down for it (outbox.h).
 */
#ifndef HTMT_PARCELS_CLOCK_INBOX_H
#define HTMT_PARCELS_CLOCK_INBOX_H

#include "parcels/clock/engine.h"

/* What the other partitions put down during the last window; none of them plays it any more. Errors
 * (latched): HTMT_ENOMEM. */
void htmt__inbox_take(struct htmt_emulator *e);

#endif
