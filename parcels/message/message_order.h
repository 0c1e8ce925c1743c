/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: messages from one slice to another one over a network in which their ways may
 * differ. They have numbers in the order in which they got a channel, and are there in that order:
 * a signal never passes a put that went before it.
 */
#ifndef HTMT_PARCELS_MESSAGE_MESSAGE_ORDER_H
#define HTMT_PARCELS_MESSAGE_MESSAGE_ORDER_H

#include "parcels/message/leg.h"

struct htmt__order_book; /* of a slice that receives */

/* p would be there at `end`. Calls `whole` for it, and for those that waited for it, with the
 * instants at which they are. Errors (latched): HTMT_ENOMEM. */
void htmt__order_take(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                      htmt_time end,
                      void (*whole)(struct htmt_emulator *e, struct htmt__entity *p,
                                    htmt_time end));
void htmt__order_book_destroy(struct htmt__order_book *b);

#endif
