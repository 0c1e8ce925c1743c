/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: a copy between places, as part of a job.
 */
#ifndef HTMT_PARCELS_DATA_COPY_H
#define HTMT_PARCELS_DATA_COPY_H

#include "parcels/data/closure.h"

/* One end of a copy: pieces of `piece` bytes, `stride` apart. */
struct htmt__span {
    char *at;
    uint64_t piece, done; /* of this piece, already used */
    int64_t stride;
};

struct htmt__copy_op {
    struct htmt__span dst, src;
    uint64_t bytes;
    char *rest; /* the padding behind a fresh region: cleared */
    uint64_t clear;
};

/* Several copies, the payload of a job that runs htmt__copies_do(). */
struct htmt__copies {
    uint32_t count;
    struct htmt__copy_op copy[];
};

static inline struct htmt__span htmt__span_at(void *at, struct htmt_pieces p, uint64_t bytes)
{
    return (struct htmt__span){.at = at, .piece = p.count ? p.bytes : bytes, .stride = p.stride};
}

static inline void *htmt__place(struct htmt__storage *s, uint64_t offset)
{
    return (char *)htmt__storage_bytes(s) + offset;
}

/* Which bytes of a storage the pieces are. */
static inline struct htmt__extent htmt__extent_of(uint64_t at, struct htmt_pieces p, uint64_t bytes)
{
    uint64_t count = p.count && p.bytes ? (bytes + p.bytes - 1) / p.bytes : 1;
    if (count <= 1)
        return htmt__extent_run(at, bytes);
    uint64_t stride = p.stride < 0 ? -(uint64_t)p.stride : (uint64_t)p.stride;
    uint64_t first = p.stride < 0 ? at - stride * (count - 1) : at;
    if (stride < p.bytes)
        return htmt__extent_run(first, stride * (count - 1) + p.bytes);
    return (struct htmt__extent){first, p.bytes, count, stride};
}

/* Of a region, where it comes from or goes to; in the object where it lies. */
static inline struct htmt__extent htmt__region_extent(const struct htmt__region *r, bool from)
{
    return from ? htmt__extent_of(r->at.from.offset, r->at.from_pieces, r->at.bytes)
                : htmt__extent_of(r->at.to.offset, r->at.to_pieces, r->at.bytes);
}
static inline struct htmt__extent htmt__resident_extent(const struct htmt__region *r)
{
    return htmt__extent_run(r->at.into.offset, r->at.bytes);
}

void htmt__copy_do(struct htmt__copy_op *c);
void htmt__copies_do(void *copies);

#endif
