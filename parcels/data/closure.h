/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the bytes of a parcel in a run, and how they come from where they are
 * gathered and reach where they are scattered.
 */
#ifndef HTMT_PARCELS_DATA_CLOSURE_H
#define HTMT_PARCELS_DATA_CLOSURE_H

#include "parcels/parcel.h"
#include "runtime/host/extent.h"

/* A place in the list of those who have yet to read a storage. */
struct htmt__reader {
    struct htmt__reader *next, **at; /* at NULL: in no list */
    struct htmt__closure *closure;
    struct htmt__extent extent; /* what is to be read */
};

/* Bytes of a parcel in a run. */
struct htmt__closure {
    struct htmt__storage *storage; /* fresh regions, one after another; NULL until first needed */
    struct htmt__storage *result;  /* what its kernels leave for steered controls */
    struct htmt__job *job; /* of execute, issued ahead of its turn; NULL: nobody waits for it */
    bool ahead;            /* it was issued ahead */
    bool deferred;         /* no job yet: gather, kernel and scatter will be one */
    bool due;              /* deferred: the closure is complete, the kernel is to run */
    struct htmt_parcel *parcel;
    bool cleared; /* outputs and scratch, or the job that will is issued */
    uint64_t bytes;
    uint32_t count;
    struct htmt__region {
        struct htmt__ends {
            struct htmt_addr from, to, into;
            uint64_t bytes;
            struct htmt_pieces from_pieces, to_pieces;
            bool read_only, filled, handover;
        } at;            /* of struct htmt_region, what does not concern words */
        uint64_t offset; /* in storage, of a fresh one */
        uint64_t room;   /* bytes there: padded to the words of the layer of execution */
        struct htmt__storage *source; /* deferred: to be read, where `from` or `into` lay then; so
                                         too what stays there: then it has a reader */
        struct htmt__reader reader;
    } region[];
};

struct htmt__closure *htmt__closure_create(struct htmt_emulator *e, struct htmt_parcel *p,
                                           const struct htmt_parcel_desc *desc);
/* Outputs and scratch: what nothing fills. */
static inline bool htmt__region_blank(const struct htmt__region *r)
{
    return !r->at.into.object && !r->at.from.object;
}
static inline bool htmt__region_unfilled(const struct htmt__region *r)
{
    return htmt__region_blank(r) && !r->at.filled;
}
/* Room for the fresh regions, made when first needed; false: out of memory (latched). */
bool htmt__closure_storage(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_free(struct htmt_emulator *e, struct htmt__closure *closure);
void htmt__closure_read(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);
void htmt__closure_land(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_depart(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__closure_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer);

/* Copy between two storages as a job of the pool. */
struct htmt__end {
    struct htmt__storage *storage;
    uint64_t offset;
    struct htmt_pieces pieces;
};
void htmt__copy(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                const struct htmt__end *src, uint64_t bytes);
/* And clear so many bytes behind them (contiguous at the destination). */
void htmt__copy_padded(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                       const struct htmt__end *src, uint64_t bytes, uint64_t padding);

#endif
