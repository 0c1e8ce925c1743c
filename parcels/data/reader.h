/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: who has yet to read a storage. A storage keeps these regions in a list
 * (its tag); whoever is about to write there looks them up first.
 */
#ifndef HTMT_PARCELS_DATA_READER_H
#define HTMT_PARCELS_DATA_READER_H

#include "parcels/data/copy.h"

/* The region is to be read from that part of the storage. */
void htmt__reader_join(struct htmt__region *region, struct htmt__storage *storage,
                       struct htmt__extent extent);
/* No region of the closure is to be read any more; it is an ordinary closure from now on. */
void htmt__reader_forget(struct htmt__closure *c);
/* One that is to read some of that part, or NULL. */
struct htmt__reader *htmt__reader_of(struct htmt__storage *storage,
                                     const struct htmt__extent *extent);

#endif
