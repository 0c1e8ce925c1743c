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
#ifndef HTMT_PARCELS_DATA_BRIEF_H
#define HTMT_PARCELS_DATA_BRIEF_H

#include "parcels/data/closure.h"

#define HTMT__BRIEF 1024u /* bytes: 16 lines of the cache, as long as a reader's way */

/* Of one that has its bytes itself (own): */
void htmt__brief_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);
void htmt__brief_run(struct htmt__data *d, struct htmt__closure *c);
void htmt__brief_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer);

#endif
