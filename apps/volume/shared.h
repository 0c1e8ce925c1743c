/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of the parcel program share: the objects and the cast.
 */
#ifndef HTMT_APPS_VOLUME_SHARED_H
#define HTMT_APPS_VOLUME_SHARED_H

#include "apps/volume/counts.h"
#include "apps/volume/program.h"

/* Fibers of a slice's desk, an activation in DRAM. */
enum {
    HTMT__DARK = 1, /* no lane of the slice is busy with a frame */
    HTMT__AGREE,    /* on the camera of the next one */
    HTMT__LIT,      /* it has come: all slices were dark */
    HTMT__DESK_FIBERS = HTMT__LIT
};

/* Fibers of a lane, an activation in SRAM. */
enum {
    HTMT__FRAME = 1, /* a frame begins */
    HTMT__PICK,      /* rays and list are here, or a subcube is back: look for the next */
    HTMT__STEER,     /* it is found */
    HTMT__FETCHED,   /* the subcube is here; of several slices only */
    HTMT__OUT,       /* the bundle's part of the image is in DRAM */
    HTMT__LANE_FIBERS = HTMT__OUT
};

/* Fibers of an itinerary, an activation in DRAM. */
enum {
    HTMT__MERGE = 1, /* all strips are worked out */
    HTMT__MERGED,    /* the list is there */
    HTMT__SEND,      /* its length is known, and the lane has room for it */
    HTMT__ITINERARY_FIBERS = HTMT__SEND
};

/* A bundle's table in SRAM: which patches have rays that live; and sums over all bundles. */
struct htmt__ledger {
    uint64_t alive;
    uint64_t taken, skipped, shaded, inside, ended, saved, samples;
};

/* What a DPIM has worked out, before it goes to SRAM; in DRAM. */
struct htmt__staging {
    struct htmt_frame *parts, *list, *path, *state; /* parts: the lists of the strips */
};

/* What a lane of a slice has. Of two stagings one is of the bundle that the lane works on, the
 * other of the next. */
struct htmt__message_stats_frames {
    struct htmt__staging staging[2];
    struct htmt_frame *list, *path, *state, *ledger; /* SRAM; no path with rays in DRAM */
    struct htmt_frame *guest[2];                     /* SRAM; of several slices only */
};

/* Written before the run only, except what belongs to controls. */
struct htmt__volume_program {
    struct htmt_emulator *e;
    struct htmt__volume_work work;
    struct htmt__volume_plan plan;
    bool model;
    uint32_t slices, frames, lanes, most;    /* most: visits of a list */
    struct htmt_frame *view;                 /* DRAM: the camera */
    struct htmt_allreduce *agree;            /* on the camera */
    struct htmt__message_stats_frames *lane; /* of each lane */
    struct htmt_object *cameras;             /* slice 0 */
    struct htmt_object **volume;             /* subcubes of each slice, in its DRAM */
    struct htmt_object **invisible;          /* of each slice: which subcubes need not be visited */
    struct htmt_object **image;              /* of each slice */
    struct htmt_object **table;              /* the lookup, in each CRAM */
    struct htmt_type *desk, *keeper, *itinerary, *strip, *merge, *subcube, *composite;
    struct htmt_ref *desks, *lanes_at; /* lane n of slice s at [s lanes + n] */
    /* of controls */
    uint32_t *next;                  /* of each slice: bundles of this frame from there on */
    struct htmt__volume_tally tally; /* what controls know */
    struct htmt__volume_part *share; /* of each slice */
    uint64_t *asked;                 /* of each slice: words of its subcubes */
    uint64_t *places;                /* model runs: zeros for itineraries */
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

/* Model runs: the samples that stand for those of a subcube. */
static inline uint64_t htmt__volume_assumed(const htmt__theatre *t,
                                            const struct htmt__subcube_args *a)
{
    return t->work.alpha.num ? htmt__volume_samples(t->work.alpha, &a->subcube) : a->samples;
}

#define HTMT__CAST_PARTS 4 /* of the lines of a box, for as many threads of the host */

/* What the SPELL leaves for the SPIM, part by part. */
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
/* Model runs: the list that a lane has in a staging. */
static inline struct htmt__list *htmt__volume_list(const htmt__theatre *t, uint32_t slice,
                                                   uint32_t lane, uint32_t staging)
{
    return t->list[(slice * t->lanes + lane) * 2 + staging];
}
static inline uint64_t htmt__volume_list_bytes(const htmt__theatre *t)
{
    return sizeof(struct htmt__list) + t->most * sizeof(struct htmt__visit);
}

/* desk.c, lane.c, way.c, parcels.c: create the types; the first parcels of a slice. */
int htmt__volume_desk_type(htmt__theatre *t);
int htmt__volume_desk_start(htmt__theatre *t, uint32_t slice);
int htmt__volume_lane_type(htmt__theatre *t);
int htmt__volume_lane_start(htmt__theatre *t, uint32_t slice, uint32_t lane);
int htmt__volume_way_types(htmt__theatre *t);
int htmt__volume_parcel_types(htmt__theatre *t);

/* way.c, parcels.c: assemble them. An itinerary sends what it has worked out, and `ready` a signal
 * with each of the three (with rays in DRAM two), after a signal to its slot HTMT__SEND. */
void htmt__volume_itinerary(struct htmt_context *c, const struct htmt__itinerary_args *args,
                            struct htmt_ref *ref);
void htmt__volume_subcube(struct htmt_context *c, const struct htmt__subcube_args *args,
                          struct htmt_addr voxels, struct htmt_ref *ref);
void htmt__volume_composite(struct htmt_context *c, const htmt__theatre *t, uint32_t lane,
                            const struct htmt__tile *tile, uint32_t frame, uint64_t parcels,
                            struct htmt_slot out);
/* What an itinerary is made of, for a camera. */
struct htmt__itinerary htmt__volume_way(const htmt__theatre *t, const struct htmt__camera *camera,
                                        const uint8_t *invisible);
void htmt__volume_count(struct htmt_kernel *k, struct htmt_ops ops);

#endif
