/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: a copy between places, as part of a job.
 */
#ifndef HTMT_PARCELS_DATA_COPY_H
#define HTMT_PARCELS_DATA_COPY_H

#include "parcels/data/closure.h"

/* One end of a copy: pieces of `piece` bytes, `stride` apart, `count` of them in a plane; from the
 * last of them to the first of the next plane it is `turn`. */
struct htmt__span {
    char *at;
    uint64_t piece, done; /* of this piece, already used */
    uint64_t count, used; /* of this plane, already used; count 0: there is one plane */
    int64_t stride, turn;
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
    struct htmt__span s = {.at = at, .piece = p.count ? p.bytes : bytes, .stride = p.stride};
    if (p.planes > 1) {
        s.count = p.count;
        s.turn = p.plane_stride - (int64_t)(p.count - 1) * p.stride;
    }
    return s;
}

static inline void *htmt__place(struct htmt__storage *s, uint64_t offset)
{
    return (char *)htmt__storage_bytes(s) + offset;
}

/* Which bytes of a storage the planes are; where they run backwards or into each other, all from
 * the first to the last. */
static inline struct htmt__extent htmt__extent_of_planes(uint64_t at, struct htmt_pieces p)
{
    const uint64_t rows = p.stride < 0 ? 0 : (uint64_t)p.stride * (p.count - 1) + p.bytes;
    const bool in_turn = rows && (p.count == 1 || (uint64_t)p.stride >= p.bytes);
    if (in_turn && p.plane_stride >= 0 && (uint64_t)p.plane_stride >= rows)
        return (struct htmt__extent){
            at, p.bytes, p.count, (uint64_t)p.stride, p.planes, (uint64_t)p.plane_stride};
    const int64_t row_end = (int64_t)(p.count - 1) * p.stride,
                  plane_end = (int64_t)(p.planes - 1) * p.plane_stride;
    const int64_t low = (row_end < 0 ? row_end : 0) + (plane_end < 0 ? plane_end : 0),
                  high = (row_end > 0 ? row_end : 0) + (plane_end > 0 ? plane_end : 0);
    return htmt__extent_run(at + (uint64_t)low, (uint64_t)(high - low) + p.bytes);
}

/* Which bytes of a storage the pieces are. */
static inline struct htmt__extent htmt__extent_of(uint64_t at, struct htmt_pieces p, uint64_t bytes)
{
    if (p.planes > 1)
        return htmt__extent_of_planes(at, p);
    uint64_t count = p.count && p.bytes ? (bytes + p.bytes - 1) / p.bytes : 1;
    if (count <= 1)
        return htmt__extent_run(at, bytes);
    uint64_t stride = p.stride < 0 ? -(uint64_t)p.stride : (uint64_t)p.stride;
    uint64_t first = p.stride < 0 ? at - stride * (count - 1) : at;
    if (stride < p.bytes)
        return htmt__extent_run(first, stride * (count - 1) + p.bytes);
    return (struct htmt__extent){.at = first, .piece = p.bytes, .count = count, .stride = stride};
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
