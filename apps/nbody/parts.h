/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
 */
#ifndef HTMT_APPS_NBODY_PARTS_H
#define HTMT_APPS_NBODY_PARTS_H

#include "apps/lib/per_slice.h"
#include "apps/nbody/program.h"
#include "runtime/base/wide.h"

/* Fibers of a lead. */
enum htmt__nbody_fiber {
    HTMT__NBODY_START,
    HTMT__NBODY_MOVED,  /* all bodies have new places */
    HTMT__NBODY_TOTALS, /* the sums of all slices are here */
    HTMT__NBODY_FORCES, /* where those of a method begin */
    HTMT__NBODY_RING = HTMT__NBODY_FORCES,
    HTMT__NBODY_RING_FIBERS = 8,
    HTMT__NBODY_FIBERS_MOST = 40
};

/* Of a lead: one a slice. */
struct htmt__nbody_lead {
    struct htmt__nbody_program *p;
    uint32_t evaluation;        /* of forces, from 0 */
    uint64_t count;             /* bodies of the slice */
    uint32_t loaded, left;      /* direct: passes whose targets came, have gone */
    uint64_t begun, sent, over; /* rounds, over all passes */
    uint64_t arrivals, credits; /* of blocks; of room at the neighbour's */
};

struct htmt__nbody_mine {
    HTMT_PER_SLICE uint64_t count;
    uint32_t which; /* array of bodies */
    /* direct: parcels since the beginning; number i is parcel[i % parcels] */
    uint64_t assembled, executed;
    bool idle; /* the last one that was assembled has executed */
    struct htmt_ref *parcel;
};

struct htmt__nbody_program {
    struct htmt_emulator *e;
    struct htmt__nbody_plan plan;
    bool named;
    struct htmt_frame *body[2], *pull, *own; /* DRAM */
    struct htmt_frame *partial, *totals, *history;
    struct htmt_allreduce *sum;
    struct htmt_type *lead, *move;
    /* direct */
    struct htmt_grid ring;
    struct htmt_frame *visit, *room, *targets;
    struct htmt_type *load, *force, *leave;
    uint32_t parcels; /* of a slice that may be under way */
    struct htmt__nbody_mine *mine;
};

#define HTMT__NBODY_BODY_BYTES   (HTMT__NBODY_BODY_WORDS * HTMT_WORD)
#define HTMT__NBODY_SOURCE_BYTES (HTMT__NBODY_SOURCE_WORDS * HTMT_WORD)
#define HTMT__NBODY_PULL_BYTES   (HTMT__NBODY_PULL_WORDS * HTMT_WORD)

/* program.c: forces of this evaluation are in DRAM. */
void htmt__nbody_forces_done(struct htmt_context *c);
/* direct.c: sums begin; fibers; objects and types. */
void htmt__nbody_direct_begin(struct htmt_context *c);
void htmt__nbody_direct_fibers(struct htmt_stage *fibers);
int htmt__nbody_direct_create(struct htmt__nbody_program *p);

#endif
