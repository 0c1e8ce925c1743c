/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: one exchange of all ranks. What a rank has put into r->out for the others
 * goes behind its word; what came stands in r->from.
 */
#ifndef HTMT_PARCELS_CLOCK_RANK_TURN_H
#define HTMT_PARCELS_CLOCK_RANK_TURN_H

#include "parcels/clock/rank.h"

/* r->out is made empty: what is added to it from then on goes with the next turn. */
void htmt__rank_turn_begin(struct htmt__rank *r, const struct htmt__rank_word *own,
                           const struct htmt_fault *fault, struct htmt__failure failure);
/* All words are known then; `cursor`, of each rank: behind its word. Errors (latched): HTMT_ENOMEM,
 * HTMT_ESYSTEM. */
int htmt__rank_turn_end(struct htmt_emulator *e, struct htmt__cursor *cursor);

#endif
