/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: memory for records that come and go with every parcel. What is given back
 * is used again, last given first taken. It belongs to one thread at a time.
 */
#ifndef HTMT_PARCELS_DATA_SLAB_H
#define HTMT_PARCELS_DATA_SLAB_H

#include <stddef.h>

#define HTMT__SLAB_UNIT    64u
#define HTMT__SLAB_CLASSES 64u /* larger records are the C library's */

struct htmt__slab {
    struct htmt__slab_spare *spare[HTMT__SLAB_CLASSES]; /* of one unit, of two, ... */
    struct htmt__slab_chunk *chunks;
    char *at, *end;   /* of the newest chunk, what nobody had yet */
    size_t next_room; /* of the next chunk: each has twice what the one before it had */
};

/* Not cleared; aligned to a cache line. NULL: no memory. */
void *htmt__slab_take(struct htmt__slab *slab, size_t bytes);
/* With the size it was taken with. NULL accepted. */
void htmt__slab_give(struct htmt__slab *slab, void *record, size_t bytes);
/* Everything must have been given back. */
void htmt__slab_fini(struct htmt__slab *slab);

#endif
