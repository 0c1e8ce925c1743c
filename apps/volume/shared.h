/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shared data of the parcel program: the objects, the types and the arguments.
 */
#ifndef HTMT_APPS_VOLUME_SHARED_H
#define HTMT_APPS_VOLUME_SHARED_H

#include "apps/volume/counts.h"
#include "apps/volume/program.h"

/* Fibers of a slice's coordinator, an activation in DRAM. */
enum {
    HTMT__DARK = 1, /* idle: no lane of the slice is busy with a frame */
    HTMT__AGREE,    /* agree on the camera of the next frame */
    HTMT__LIT,      /* ready: the camera has arrived, so all slices were idle */
    HTMT__DESK_FIBERS = HTMT__LIT
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
    HTMT__ITINERARY_FIBERS = HTMT__SEND
};

/* A bundle's table in SRAM: the patches with living rays, and sums over all bundles. */
struct htmt__ledger {
    uint64_t alive;
    uint64_t taken, skipped, shaded, inside, ended, saved, samples;
};

/* The results of the DPIMs in DRAM, before they go to SRAM. */
struct htmt__staging {
    struct htmt_frame *parts, *list, *path, *state; /* parts: the lists of the strips */
};

/* The frames of a lane. One staging belongs to the lane's present bundle, the other to the next. */
struct htmt__lane_frames {
    struct htmt__staging staging[2];
    struct htmt_frame *list, *path, *state, *ledger; /* SRAM; no path with rays in DRAM */
    struct htmt_frame *guest[2];                     /* SRAM; with several slices only */
};

/* Only written before the run, except the members of the controls. */
struct htmt__volume_program {
    struct htmt_emulator *e;
    struct htmt__volume_work work;
    struct htmt__volume_plan plan;
    bool model;
    uint32_t slices, frames, lanes, most; /* most: largest number of visits in a list */
    struct htmt_frame *view;              /* DRAM: the camera */
    struct htmt_allreduce *agree;         /* on the camera */
    struct htmt__lane_frames *lane;       /* of each lane */
    struct htmt_object *cameras;          /* slice 0 */
    struct htmt_object **volume;          /* subcubes of each slice, in its DRAM */
    struct htmt_object **invisible;       /* for each slice: subcubes that need no visit */
    struct htmt_object **image;           /* of each slice */
    struct htmt_object **table;           /* the transfer table, in each CRAM */
    struct htmt_type *desk, *keeper, *itinerary, *strip, *merge, *subcube, *composite;
    struct htmt_ref *desks, *lanes_at; /* lane n of slice s at [s lanes + n] */
    /* of controls */
    uint32_t *next; /* for each slice: the first bundle of this frame that has not begun */
    struct htmt__volume_tally tally; /* the sums of the controls */
    struct htmt__volume_part *share; /* of each slice */
    uint64_t *asked;                 /* of each slice: words of its subcubes */
    uint64_t *places;                /* model runs: zeros for the set-up of bundles */
    struct htmt__list *parts;        /* model runs: of strips */
    struct htmt__list **list;        /* model runs: of each lane and staging */
};

typedef struct htmt__volume_program htmt__theatre;

/* Arguments of the parcels. */
struct htmt__itinerary_args {
    htmt__theatre *t;
    struct htmt__tile tile;
    uint32_t lane, staging, frame;
    struct htmt_slot ready;
    struct htmt__itinerary_work work; /* model runs: of merging */
};

struct htmt__strip_args {
    const htmt__theatre *t;
    struct htmt__tile tile;
    uint32_t first, end;              /* lines */
    struct htmt__itinerary_work work; /* model runs */
};

struct htmt__subcube_args {
    const htmt__theatre *t;
    struct htmt__subcube subcube;
    struct htmt__tile box; /* of the bundle's rays */
    uint32_t lane, staging;
    struct htmt_slot back;
    uint64_t rays, samples; /* model runs: those of the visit */
};

struct htmt__composite_args {
    const htmt__theatre *t;
    struct htmt__tile tile;
};

/* Model runs: the samples charged for a subcube. */
static inline uint64_t htmt__volume_assumed(const htmt__theatre *t,
                                            const struct htmt__subcube_args *a)
{
    return t->work.alpha.num ? htmt__volume_samples(t->work.alpha, &a->subcube) : a->samples;
}

#define HTMT__CAST_PARTS 4 /* parts of a box's lines, one for each thread of the host */

/* The SPELL's results for the SPIM, part by part. */
struct htmt__cast_result {
    uint64_t alive; /* patches */
    struct htmt__cast_work work;
};

static inline struct htmt_slot htmt__volume_desk(const htmt__theatre *t, uint32_t slice,
                                                 uint32_t fiber)
{
    return htmt_slot_of(t->desks[slice], fiber);
}
static inline struct htmt_slot htmt__volume_lane(const htmt__theatre *t, uint32_t slice,
                                                 uint32_t lane, uint32_t fiber)
{
    return htmt_slot_of(t->lanes_at[slice * t->lanes + lane], fiber);
}
/* Model runs: the list of a lane in a staging. */
static inline struct htmt__list *htmt__volume_list(const htmt__theatre *t, uint32_t slice,
                                                   uint32_t lane, uint32_t staging)
{
    return t->list[(slice * t->lanes + lane) * 2 + staging];
}
static inline uint64_t htmt__volume_list_bytes(const htmt__theatre *t)
{
    return sizeof(struct htmt__list) + t->most * sizeof(struct htmt__visit);
}

/* desk.c, lane.c, way.c, parcels.c: create the types; start the first parcels of a slice. */
int htmt__volume_desk_type(htmt__theatre *t);
int htmt__volume_desk_start(htmt__theatre *t, uint32_t slice);
int htmt__volume_lane_type(htmt__theatre *t);
int htmt__volume_lane_start(htmt__theatre *t, uint32_t slice, uint32_t lane);
int htmt__volume_way_types(htmt__theatre *t);
int htmt__volume_parcel_types(htmt__theatre *t);

/* way.c, parcels.c: assemble parcels. After a signal to its slot HTMT__SEND, an itinerary sends its
 * results. `ready` gets a signal with each of the three (with rays in DRAM two). */
void htmt__volume_itinerary(struct htmt_context *c, const struct htmt__itinerary_args *args,
                            struct htmt_ref *ref);
void htmt__volume_subcube(struct htmt_context *c, const struct htmt__subcube_args *args,
                          struct htmt_addr voxels, struct htmt_ref *ref);
void htmt__volume_composite(struct htmt_context *c, const htmt__theatre *t, uint32_t lane,
                            const struct htmt__tile *tile, uint32_t frame, uint64_t parcels,
                            struct htmt_slot out);
/* The parameters of an itinerary, for a camera. */
struct htmt__itinerary htmt__volume_way(const htmt__theatre *t, const struct htmt__camera *camera,
                                        const uint8_t *invisible);
void htmt__volume_count(struct htmt_kernel *k, struct htmt_ops ops);

#endif
