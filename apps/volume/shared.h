/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared data of the parcel program: the objects, the types and the arguments.
 */
#ifndef HTMT_APPS_VOLUME_SHARED_H
#define HTMT_APPS_VOLUME_SHARED_H

#include "apps/lib/per_slice.h"
#include "apps/volume/counts.h"
#include "apps/volume/program.h"

/* Fibers of a slice's coordinator, an activation in DRAM. */
enum {
    HTMT__IDLE = 1, /* idle: no lane of the slice is busy with a frame */
    HTMT__AGREE,    /* agree on the camera of the next frame */
    HTMT__READY,    /* ready: the camera has arrived, so all slices were idle */
    HTMT__COORDINATOR_FIBERS = HTMT__READY
};

/* Fibers of a lane, an activation in SRAM. */
enum {
    HTMT__FRAME = 1, /* a frame begins */
    HTMT__PICK,      /* rays and list have arrived, or a subcube has returned: look for the next */
    HTMT__STEER,     /* the next subcube is found */
    HTMT__FETCHED,   /* the subcube has arrived; with several slices only */
    HTMT__OUT,       /* the bundle's part of the image is in DRAM */
    HTMT__LANE_FIBERS = HTMT__OUT
};

/* Fibers of a bundle's set-up (type Itinerary), an activation in DRAM. */
enum {
    HTMT__MERGE = 1, /* all strips are done */
    HTMT__MERGED,    /* the list is done */
    HTMT__SEND,      /* its length is known, and the lane has room for it */
    HTMT__VISIT_LIST_FIBERS = HTMT__SEND
};

/* A bundle's table in SRAM: the patches with living rays, and sums over all bundles. */
struct htmt__volume_ledger {
    uint64_t alive;
    uint64_t taken, skipped, shaded, inside, ended, saved, samples;
};

/* The results of the DPIMs in DRAM, before they go to SRAM. */
struct htmt__volume_staging {
    struct htmt_frame *parts, *list, *path, *state; /* parts: the lists of the strips */
};

/* The frames of a lane. One staging belongs to the lane's present bundle, the other to the next. */
struct htmt__volume_lane_frames {
    struct htmt__volume_staging staging[2];
    struct htmt_frame *list, *path, *state, *ledger; /* SRAM; no path with rays in DRAM */
    struct htmt_frame *guest[2];                     /* SRAM; with several slices only */
};

/* Only written before the run, except the members of the controls. */
struct htmt__volume_longest {
    struct htmt__volume_part part;
    uint64_t bundle;
};
struct htmt__volume_largest {
    struct htmt__volume_visit_work work;
    uint64_t bundle;
};
void htmt__volume_keep_longest(struct htmt__volume_longest *most,
                               const struct htmt__volume_longest *other);
void htmt__volume_keep_largest(struct htmt__volume_largest *most,
                               const struct htmt__volume_largest *other);

#define HTMT__VOLUME_ASKED 512 /* counters in a row */

/* What the controls of a slice write. */
struct htmt__volume_slice {
    HTMT_PER_SLICE uint32_t next; /* bundles of this frame from there on */
    struct htmt__volume_did {
        uint64_t bundles, visits, discarded;      /* as in the tally */
        struct htmt__volume_longest longest;      /* of this slice's bundles */
        struct htmt__volume_part share;           /* dispatched */
        struct htmt__volume_largest strip, merge; /* model runs */
        struct htmt__volume_ledger counted;       /* by kernels: sums of its lanes, after the run */
    } did;
    uint64_t **asked; /* of each slice: words of its subcubes; rows that were needed */
    struct htmt__volume_visit_list **list; /* model runs: of each lane and staging */
};

/* Written before the run only, except the records of slices. */
struct htmt__volume_program {
    struct htmt_emulator *e;
    struct htmt__volume_work work;
    struct htmt__volume_plan plan;
    bool model;
    uint32_t slices, frames, lanes, most;  /* most: visits of a list */
    struct htmt_frame *view;               /* DRAM: the camera */
    struct htmt_allreduce *agree;          /* on the camera */
    struct htmt__volume_lane_frames *lane; /* of each lane */
    struct htmt_object *cameras;           /* slice 0 */
    struct htmt_object **volume;           /* subcubes of each slice, in its DRAM */
    struct htmt_object **invisible;        /* of each slice: which subcubes need not be visited */
    struct htmt_object **image;            /* of each slice */
    struct htmt_object **table;            /* the transfer table, in each CRAM */
    struct htmt_type *coordinator, *keeper, *visit_list, *strip, *merge, *subcube, *composite;
    struct htmt_ref *coordinators, *lanes_at; /* lane n of slice s at [s lanes + n] */
    struct htmt__volume_slice *of_slice;      /* of those that are played */
};

typedef struct htmt__volume_program htmt__volume_shared;

/* Arguments of the parcels. */
struct htmt__volume_visit_list_args {
    const htmt__volume_shared *t;
    struct htmt__volume_tile tile;
    uint32_t lane, staging, frame;
    struct htmt_slot ready;
    struct htmt__volume_visit_work work; /* model runs: of merging */
};

struct htmt__volume_strip_args {
    const htmt__volume_shared *t;
    struct htmt__volume_tile tile;
    uint32_t first, end;                 /* lines */
    struct htmt__volume_visit_work work; /* model runs */
};

struct htmt__volume_subcube_args {
    const htmt__volume_shared *t;
    struct htmt__volume_subcube subcube;
    struct htmt__volume_tile box; /* of the bundle's rays */
    uint32_t lane, staging;
    struct htmt_slot back;
    uint64_t rays, samples; /* model runs: those of the visit */
};

struct htmt__volume_composite_args {
    const htmt__volume_shared *t;
    struct htmt__volume_tile tile;
};

/* Model runs: the samples charged for a subcube. */
static inline uint64_t htmt__volume_assumed(const htmt__volume_shared *t,
                                            const struct htmt__volume_subcube_args *a)
{
    return t->work.alpha.num ? htmt__volume_samples(t->work.alpha, &a->subcube) : a->samples;
}

#define HTMT__CAST_PARTS 4 /* parts of a box's lines, one for each thread of the host */

/* The SPELL's results for the SPIM, part by part. */
struct htmt__volume_cast_result {
    uint64_t alive; /* patches */
    struct htmt__volume_cast_work work;
};

/* Folded, slice 0 stands for all. */
static inline uint32_t htmt__volume_played(const htmt__volume_shared *t)
{
    return t->work.folded ? 1 : t->slices;
}
static inline uint32_t htmt__volume_asked_rows(const htmt__volume_shared *t)
{
    return (t->slices + HTMT__VOLUME_ASKED - 1) / HTMT__VOLUME_ASKED;
}
static inline struct htmt__volume_slice *htmt__volume_slice(struct htmt_context *c,
                                                            const htmt__volume_shared *t)
{
    return &t->of_slice[htmt_slice(c)];
}
static inline struct htmt_slot htmt__volume_coordinator(const htmt__volume_shared *t,
                                                        uint32_t slice, uint32_t fiber)
{
    return htmt_slot_of(t->coordinators[slice], fiber);
}
static inline struct htmt_slot htmt__volume_lane(const htmt__volume_shared *t, uint32_t slice,
                                                 uint32_t lane, uint32_t fiber)
{
    return htmt_slot_of(t->lanes_at[slice * t->lanes + lane], fiber);
}
/* The bundle among those of all frames. */
static inline uint64_t htmt__volume_bundle_number(const htmt__volume_shared *t, uint32_t frame,
                                                  const struct htmt__volume_tile *tile)
{
    const struct htmt__volume_tiling *g = &t->plan.tiling;
    return (uint64_t)frame * t->plan.bundles + tile->y / g->side * htmt__volume_tiling_columns(g) +
           tile->x / g->side;
}
/* Model runs: the list that a lane has in a staging. */
static inline struct htmt__volume_visit_list *htmt__volume_model_list(const htmt__volume_shared *t,
                                                                      uint32_t slice, uint32_t lane,
                                                                      uint32_t staging)
{
    return t->of_slice[slice].list[lane * 2 + staging];
}
static inline uint64_t htmt__volume_list_bytes(const htmt__volume_shared *t)
{
    return sizeof(struct htmt__volume_visit_list) + t->most * sizeof(struct htmt__volume_visit);
}

/* lane.c, bundle_setup.c, parcels.c: create types; start a lane. */
int htmt__volume_lane_type(htmt__volume_shared *t);
int htmt__volume_lane_start(htmt__volume_shared *t, uint32_t slice, uint32_t lane);
int htmt__volume_bundle_setup_types(htmt__volume_shared *t);
int htmt__volume_parcel_types(htmt__volume_shared *t);

/* bundle_setup.c, parcels.c: assemble them. A visit list sends what it has worked out, and `ready`
 * a signal with each of the three (with rays in DRAM two), after a signal to its slot HTMT__SEND.
 */
void htmt__volume_assemble_visit_list(struct htmt_context *c,
                                      const struct htmt__volume_visit_list_args *args,
                                      struct htmt_ref *ref);
void htmt__volume_assemble_subcube(struct htmt_context *c,
                                   const struct htmt__volume_subcube_args *args,
                                   struct htmt_addr voxels, struct htmt_ref *ref);
void htmt__volume_assemble_composite(struct htmt_context *c, const htmt__volume_shared *t,
                                     uint32_t lane, const struct htmt__volume_tile *tile,
                                     uint32_t frame, uint64_t parcels, struct htmt_slot out);
/* What a visit list is made of, for a camera. */
struct htmt__volume_bundle_setup htmt__volume_setup_of(const htmt__volume_shared *t,
                                                       const struct htmt__volume_camera *camera,
                                                       const uint8_t *invisible);
void htmt__volume_count(struct htmt_kernel *k, struct htmt_ops ops);

#endif
