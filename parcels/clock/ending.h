/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is still open when nothing can move any more.
 */
#ifndef HTMT_PARCELS_CLOCK_ENDING_H
#define HTMT_PARCELS_CLOCK_ENDING_H

#include "parcels/message/collective.h"

/* All that lives waits for ever, and every round of a collective is complete, or the run fails;
 * then: mail that nobody took and slots that were counted down in part are noted, in a checked run
 * an error. Errors (latched): HTMT_EDEADLOCK, HTMT_ELEFT, HTMT_ENOMEM. */
void htmt__ending_check(struct htmt_emulator *e);
/* A run whose clock has stopped before all parcels ended: their kernels run whose turns have come.
 */
void htmt__ending_kernels(struct htmt_emulator *e);
/* If slices have joined more rounds of a collective than others: the first such round and who is
 * absent, as text. Else nothing. */
void htmt__round_absent(const struct htmt__collective *t, char *text, size_t size);

#endif
