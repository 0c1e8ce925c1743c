/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
 */
#ifndef HTMT_APPS_NBODY_PARTS_H
#define HTMT_APPS_NBODY_PARTS_H

#include "apps/lib/per_slice.h"
#include "apps/nbody/program.h"
#include "apps/nbody/tree.h"
#include "runtime/base/wide.h"

/* Fibers of a lead. */
enum htmt__nbody_fiber {
    HTMT__NBODY_START,
    HTMT__NBODY_MOVED,  /* all bodies have new places */
    HTMT__NBODY_TOTALS, /* the sums of all slices are here */
    HTMT__NBODY_FORCES, /* where those of a method begin */
    HTMT__NBODY_RING = HTMT__NBODY_FORCES,
    HTMT__NBODY_RING_FIBERS = 4 + HTMT__NBODY_BUFFERS,
    /* of the tree: what has been done, in this order */
    HTMT__NBODY_KEYED = HTMT__NBODY_FORCES,
    HTMT__NBODY_SAMPLED,
    HTMT__NBODY_ARRIVED,
    HTMT__NBODY_RECEIVED,
    HTMT__NBODY_SORTED,
    HTMT__NBODY_RANKED,
    HTMT__NBODY_LIFTED,
    HTMT__NBODY_SPLIT,
    HTMT__NBODY_GROWN,
    HTMT__NBODY_JOINED,
    HTMT__NBODY_SHARED,
    HTMT__NBODY_LISTED,
    HTMT__NBODY_LOWERED,
    HTMT__NBODY_FIBERS
};

/* Of a lead: one a slice. */
struct htmt__nbody_lead {
    struct htmt__nbody_program *p;
    uint32_t evaluation;        /* of forces, from 0 */
    uint64_t count, parts;      /* bodies of the slice at the beginning; sums of DPIMs */
    uint32_t loaded, left;      /* direct: passes whose targets came, have gone */
    uint64_t begun, sent, over; /* rounds, over all passes */
    uint64_t arrivals, credits; /* of blocks; of room at the neighbour's */
};

struct htmt__nbody_mine {
    HTMT_PER_SLICE uint64_t count;
    uint32_t which; /* array of bodies; up to `next` all ranks share it after the run */
    /* tree: of this evaluation */
    uint32_t branches, groups, next;
    const struct htmt__nbody_lengths *lists; /* of a blind model run; NULL: by estimate */
    /* direct: parcels since the beginning; number i is parcel[i % parcels] */
    uint64_t assembled, executed;
    bool idle; /* the last one that was assembled has executed */
    struct htmt_ref *parcel;
};

struct htmt__nbody_program {
    struct htmt_emulator *e;
    struct htmt__nbody_plan plan;
    bool named;
    bool blind; /* a model run that was not captured: nothing is known but by estimate */
    struct htmt__nbody_estimate estimate;
    struct htmt_frame *body[2], *pull, *own; /* DRAM */
    struct htmt_frame *partial, *totals, *history;
    struct htmt_allreduce *sum;
    struct htmt_type *lead, *move;
    htmt_control_fn *done; /* of a lead: forces of this evaluation are in DRAM */
    /* direct */
    struct htmt_grid ring;
    struct htmt_frame *visit, *room, *targets;
    struct htmt_type *load, *force, *leave;
    uint32_t parcels; /* of a slice that may be under way */
    /* tree, DRAM */
    struct htmt_frame *samples, *leaving, *leaves, *order, *low_groups;
    struct htmt_mailbox **mail;
    /* tree, SRAM */
    struct htmt_frame *source, *key, *scale, *node, *branches, *group, *boxes, *in, *out, *buffer,
        *high_pull;
    uint32_t buffers;      /* of lists */
    uint64_t message_most; /* bytes, to another slice */
    struct htmt_type *keys, *sample, *sift, *send, *receive, *sort, *rank, *split, *grow, *join,
        *share, *list, *sum_up;
    struct htmt__nbody_mine *mine;
};

#define HTMT__NBODY_BODY_BYTES   (HTMT__NBODY_BODY_WORDS * HTMT_WORD)
#define HTMT__NBODY_SOURCE_BYTES (HTMT__NBODY_SOURCE_WORDS * HTMT_WORD)
#define HTMT__NBODY_PULL_BYTES   (HTMT__NBODY_PULL_WORDS * HTMT_WORD)

/* direct.c: sums begin; fibers; objects and types. */
void htmt__nbody_direct_begin(struct htmt_context *c);
void htmt__nbody_direct_fibers(struct htmt_stage *fibers);
int htmt__nbody_direct_create(struct htmt__nbody_program *p);

/* spawn.c. What a file's set-up has: objects of a layer, some only where there are several slices;
 * types of parcels that stay in one layer; fibers that hear of so many signals (0: the count is set
 * later). */
struct htmt__nbody_frame_row {
    uint64_t bytes;
    const char *name;
    struct htmt_frame **frame;
    bool shared;
};
int htmt__nbody_frames(const struct htmt__nbody_program *p, uint32_t layer,
                       const struct htmt__nbody_frame_row *rows, size_t count);
struct htmt__nbody_type_row {
    const char *name;
    struct htmt_stage execute;
    size_t result;
    struct htmt_type **type;
};
int htmt__nbody_types(const struct htmt__nbody_program *p, uint32_t layer,
                      const struct htmt__nbody_type_row *rows, size_t count);
struct htmt__nbody_fiber_row {
    enum htmt__nbody_fiber fiber;
    htmt_control_fn *control;
    uint32_t count;
};
void htmt__nbody_fibers(struct htmt_stage *fibers, const struct htmt__nbody_fiber_row *rows,
                        size_t count);

/* ---- tree ----------------------------------------------------------------------------------- */

/* Of a parcel; each type uses what it needs. */
struct htmt__nbody_order {
    const struct htmt__nbody_program *p;
    struct htmt_ref lead;
    uint32_t me, to;        /* slices */
    uint64_t first, count;  /* bodies */
    uint32_t index;         /* of a branch; of a buffer */
    uint32_t evaluation;    /* of forces */
    uint32_t group, part;   /* whose list it is; how many parts came before */
    uint32_t bodies, cells; /* of the part */
    int64_t self;
    struct htmt__nbody_cursor at;
    bool begins, done; /* the first part, the last one */
};

/* A region that stays where it is. */
static inline struct htmt_region htmt__nbody_resident(struct htmt_addr at, uint64_t bytes,
                                                      bool read_only)
{
    return (struct htmt_region){.into = at, .bytes = bytes, .read_only = read_only};
}

/* spawn.c. A parcel of this slice; the lead's fiber hears of its end (0: none does). */
void htmt__nbody_spawn(struct htmt_context *c, const struct htmt_type *type,
                       const struct htmt_region *regions, uint32_t count,
                       const struct htmt__nbody_order *order, enum htmt__nbody_fiber fiber);
/* The lead's fiber hears of so many parcels; of none at once: the slice has no bodies. */
void htmt__nbody_await(struct htmt_context *c, enum htmt__nbody_fiber fiber, uint64_t parcels);
/* In a blind model run the control takes the time of the kernel: so many operations. */
void htmt__nbody_stand_in(struct htmt_context *c, const struct htmt__nbody_program *p,
                          uint64_t ops);
struct htmt__nbody_order htmt__nbody_order_of(struct htmt_context *c);
void htmt__nbody_tally(struct htmt_kernel *k, const struct htmt__nbody_effort *effort);
/* Bytes at the same place of a frame of each other slice, whose fiber hears of them. */
void htmt__nbody_to_all(struct htmt_context *c, const struct htmt__nbody_order *o,
                        const struct htmt_frame *frame, uint64_t offset, uint64_t bytes,
                        enum htmt__nbody_fiber fiber);

/* exchange.c: from new places to bodies in the order of their keys, each in its slice. */
void htmt__nbody_tree_begin(struct htmt_context *c);
void htmt__nbody_exchange_fibers(struct htmt_stage *fibers, uint32_t slices);
int htmt__nbody_exchange_create(struct htmt__nbody_program *p);
/* lists.c: from those to pulls. */
void htmt__nbody_lists_fibers(struct htmt_stage *fibers, uint32_t slices, htmt_control_fn *done);
int htmt__nbody_lists_create(struct htmt__nbody_program *p);

#endif
