/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the jobs of parcels are made of: copies between places, and a kernel with what it sees.
 */
#ifndef HTMT_PARCELS_DATA_JOB_ARGUMENTS_H
#define HTMT_PARCELS_DATA_JOB_ARGUMENTS_H

#include "parcels/data/closure.h"
#include "parcels/data/kernel.h"

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

struct htmt__view {
    void *bytes;
    uint64_t size;
    bool clear;   /* before the kernel */
    bool guard;   /* checked: its bytes must be the same after the kernel */
    bool in_room; /* of a deferred parcel: bytes is an offset in the room that is lent */
};

struct htmt_kernel {
    htmt_kernel_fn *run;
    uint32_t slice, fiber, regions, uses;
    uint32_t part, end;      /* the parts that this one runs: the next, and behind the last */
    uint32_t shares;         /* such records in the job, each with some of the parts */
    struct htmt__view *view; /* regions, then uses */
    const void *args;
    void *result;
    struct htmt_ops ops, expected;
    bool compare;
    struct htmt__findings *findings;
    const char *type;
    enum htmt_stage_id stage;
    uint64_t serial;
};

/* A deferred parcel in its job. Addresses in the room that is lent are offsets. */
struct htmt__whole {
    uint32_t in, out;
    struct htmt_kernel kernel;
    struct htmt__copy_op copy[]; /* in, then out: room for two a region; then views, arguments */
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
/* Clear what nothing filled, run, compare what was counted with what was expected. */
void htmt__kernel_do(struct htmt_kernel *k);
/* All but what it sees: views, arguments, result. */
void htmt__kernel_name(struct htmt_emulator *e, struct htmt_kernel *k, struct htmt_parcel *p,
                       const void *args, const struct htmt__step *step);
/* The step that serves `execute`, from a step before it. */
const struct htmt__step *htmt__execute_step(const struct htmt_parcel *p);

#endif
