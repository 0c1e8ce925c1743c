/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: closures of few bytes, in one piece each. To remember where they are to be
 * read would take longer than to read them. Where nobody else runs jobs, such a closure has its
 * bytes in its own record, all copies are made when the clock says so, and the kernel runs when its
 * turn comes.
 *
 * Elsewhere it is fused; there, too, its kernel never begins before its turn, so that what is found
 * wrong does not depend on the number of threads.
 */
#ifndef HTMT_PARCELS_DATA_SMALL_CLOSURES_H
#define HTMT_PARCELS_DATA_SMALL_CLOSURES_H

#include "parcels/data/closure.h"

#define HTMT__SMALL_BYTES   1024u /* bytes: to copy more takes longer than to remember it */
#define HTMT__SMALL_REGIONS 8u

/* One that has its bytes itself (own). NULL: no memory. */
struct htmt__closure *htmt__small_create(struct htmt__data *d, const struct htmt__code *code,
                                         uint64_t bytes, const struct htmt_parcel_desc *desc);
/* Only for such: */
void htmt__small_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
void htmt__small_close(struct htmt__closure *c);
void htmt__small_run(struct htmt__data *d, struct htmt__closure *c, const struct htmt__turn *turn);
void htmt__small_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);

#endif
