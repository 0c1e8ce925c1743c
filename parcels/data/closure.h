/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: the bytes of a parcel in a run, and the copies between them and objects.
 */
#ifndef HTMT_PARCELS_DATA_CLOSURE_H
#define HTMT_PARCELS_DATA_CLOSURE_H

#include "parcels/data/plane.h"
#include "runtime/host/extent.h"

/* A place in the list of those who have yet to read a storage. */
struct htmt__reader {
    struct htmt__reader *next, **at; /* at NULL: in no list */
    struct htmt__closure *closure;
    struct htmt__extent extent; /* what is to be read */
};

/* Bytes of a parcel in a run. Small ones that have their bytes themselves are its first line alone,
 * and their own regions behind it: small_closures.h. */
struct htmt__closure {
    _Alignas(64) const struct htmt__code *code;
    const void *args; /* of the parcel */
    uint64_t serial;
    size_t size; /* of this record */
    void *kept;  /* in it: the arguments as they were when the closure was complete */
    uint32_t slice, count;
    uint16_t comes, goes; /* layers that fresh regions come from, and go to: a bit each */
    bool ahead;           /* the kernel of execute was issued ahead */
    bool fused;           /* no job yet: gather, kernel and scatter will be one */
    bool due;             /* fused: the closure is complete, the kernel is to run */
    bool small;           /* of few bytes */
    bool own;             /* small, and has them itself */
    bool cleared;         /* outputs and scratch, or the job that will is issued */
    bool pieced;          /* some region comes from, or goes to, several pieces */
    bool lands;           /* some region is into a resident object */
    _Alignas(64) struct htmt__storage
        *storage;                 /* fresh regions, one after another; NULL until first needed */
    struct htmt__storage *result; /* what its kernels leave for steered controls */
    struct htmt__job *job;        /* of execute, issued ahead of its turn, until that comes */
    struct htmt__view *view;      /* what a kernel that is no job sees: nobody else runs jobs */
    struct htmt__turn turn;       /* of execute */
    uint64_t bytes;
    struct htmt__region {
        struct htmt__ends {
            struct htmt_addr from, to, into;
            uint64_t bytes;
            struct htmt_pieces from_pieces, to_pieces;
            bool read_only, filled, handover;
        } at;            /* of struct htmt_region, what does not concern words */
        uint64_t offset; /* in storage, of a fresh one */
        uint64_t room;   /* bytes there: padded to the words of the layer of execution */
        struct htmt__storage *source; /* fused: to be read, where `from` or `into` lay then; so too
                                         what stays there: then it has a reader */
        struct htmt__reader reader;
    } region[];
};

/* Outputs and scratch: what nothing fills. */
static inline bool htmt__region_blank(const struct htmt__region *r)
{
    return !r->at.into.object && !r->at.from.object;
}
static inline bool htmt__region_unfilled(const struct htmt__region *r)
{
    return htmt__region_blank(r) && !r->at.filled;
}
/* A closure of so many regions, not filled, and `behind` bytes behind them. NULL: no memory. */
struct htmt__closure *htmt__closure_create(struct htmt__data *d, uint32_t regions, size_t behind);
/* Bytes of a region in a closure: padded to the words of the layer of execution. */
static inline uint64_t htmt__room_in(const struct htmt_region *r, uint32_t exec)
{
    uint64_t padded = r->in_words[exec] * HTMT_WORD;
    return padded > r->bytes ? padded : r->bytes;
}
/* Regions begin at lines of the cache. */
static inline uint64_t htmt__aligned(uint64_t bytes)
{
    return (bytes + 63) & ~UINT64_C(63);
}
/* Room for the fresh regions, made when first needed; false: out of memory (latched). */
bool htmt__closure_storage(struct htmt__data *d, struct htmt__closure *c);

#endif
