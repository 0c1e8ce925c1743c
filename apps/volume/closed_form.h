/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a rendering by formulas (Hereld et al., section 3.2.4.2 and Table 8): the average
 * parcel, and a pipeline of such parcels.
 *
 * A parcel of V voxels, R rays and n samples takes
 *     assemble     on one of the DPIMs
 *     gather       W_M + V + (rays in DRAM) words, DRAM to SRAM
 *     dispatch     on one of the SPIMs
 *     inject       W_M + V + R words, SRAM to CRAM
 *     cast         n samples: T_EXEC = alpha N_CYCLES N_G^3 t_SPELL
 *     eject        R words
 *     retire       on one of the SPIMs
 *     scatter      its share of the image
 * With several slices a message requests it first (ask). With
 *
 *     P = ask + gather + assemble
 *     U = dispatch + inject + cast + eject + retire
 *
 * a lane has one parcel in U and the next in P. With several slices it waits for the next one's
 * gather. The time from one parcel to the next is therefore
 *
 *     stride = max(U, (P + U) / 2, ask + gather).
 *
 * A parcel occupies CRAM from its inject to the end of its eject. With room for k parcels a slice
 * has one every
 *
 *     period = max((inject + cast + eject) / k, stage / its parallelism, stride / lanes).
 *
 * A frame is viewpoint + visit list + max(pipeline, chain, asked, ways):
 *
 *     viewpoint    exchanges between slices, the logarithm of their number to base 2
 *     visit list    the largest strip of a bundle, the largest merge, lists and rays up to SRAM
 *     pipeline     P + U + (n - 1) period + closing of the slice with most samples
 *     chain        P + U + (n - 1) stride + closing of the bundle with most parcels
 *     asked        the subcubes that the most requested slice sends
 *     ways         strips and merges of the slice's other bundles, on its DPIMs; each counts as
 *                  the largest
 *
 * Closing composites a bundle and takes its pixels to DRAM. Pipeline and chain use their own
 * average parcels. No term covers contention: bundles that request subcubes from one slice at once.
 */
#ifndef HTMT_APPS_VOLUME_CLOSED_FORM_H
#define HTMT_APPS_VOLUME_CLOSED_FORM_H

#include "apps/lib/app.h"
#include "apps/volume/load.h"

enum htmt__volume_stage {
    HTMT__VOLUME_ASSEMBLE,
    HTMT__VOLUME_GATHER,
    HTMT__VOLUME_DISPATCH,
    HTMT__VOLUME_INJECT,
    HTMT__VOLUME_CAST,
    HTMT__VOLUME_EJECT,
    HTMT__VOLUME_RETIRE,
    HTMT__VOLUME_SCATTER,
    HTMT__VOLUME_STAGES
};

struct htmt__volume_step {
    uint64_t words;    /* of a move */
    htmt_time busy;    /* time that the resource is busy */
    htmt_time length;  /* the same with the latency of a move */
    uint32_t parallel; /* number of such resources in a slice */
};

/* Once a frame, or for each bundle. */
enum htmt__volume_once {
    HTMT__VOLUME_VIEW,      /* send the viewpoint to another slice */
    HTMT__VOLUME_AGREE,     /* combine viewpoints */
    HTMT__VOLUME_STRIP,     /* rays and their subcubes */
    HTMT__VOLUME_MERGE,     /* one list of all strips */
    HTMT__VOLUME_LIST,      /* list and rays, DRAM to SRAM */
    HTMT__VOLUME_ASK,       /* request a subcube of a slice */
    HTMT__VOLUME_SENT,      /* subcubes of the most requested slice, DRAM to SRAM */
    HTMT__VOLUME_COMPOSITE, /* colours of the rays */
    HTMT__VOLUME_PIXELS,    /* SRAM to DRAM */
    HTMT__VOLUME_ONCE
};

struct htmt__volume_prediction {
    struct htmt__volume_load load;
    uint64_t voxels, samples;                           /* of the average parcel, rounded */
    struct htmt__volume_step step[HTMT__VOLUME_STAGES]; /* of the average parcel */
    struct htmt__volume_step once[HTMT__VOLUME_ONCE];
    htmt_wide period;     /* of the average parcel */
    htmt_wide viewpoint;  /* all agree on it */
    htmt_wide visit_list; /* up to the lists in SRAM */
    htmt_wide pipeline;   /* the parcels of the fullest slice in one frame, from cold */
    htmt_wide chain;      /* the parcels of the longest bundle, from cold */
    htmt_wide asked;      /* the subcubes that the most asked slice sends in one frame */
    htmt_wide ways;       /* strips and merges of all bundles of a slice but the first */
    htmt_wide closing;    /* from the last retire to the image in DRAM */
    htmt_wide total;      /* all frames */
};

/* Errors: HTMT_EOVERFLOW. */
int htmt__volume_predict(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                         const struct htmt__volume_load *load,
                         struct htmt__volume_prediction *prediction, struct htmt_fault *fault);

/* Append the lines of `predict`. */
void htmt__volume_tell(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                       const struct htmt__volume_prediction *prediction,
                       struct htmt_prediction *out);

#endif
