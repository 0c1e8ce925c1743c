/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a rendering takes by formulas (Hereld et al., section 3.2.4.2 and Table 8): the average
 * parcel, and a pipeline of them.
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
 * CRAM is taken from the inject to the end of the eject. With room for k parcels a slice so has one
 * every
 *     period = max(inject + cast + eject over k, each stage over its parallelism,
 *                  dispatch to retire over the lanes, assemble to retire over twice the lanes),
 * since a lane has one parcel between dispatch and retire and another on its way there. Then n
 * parcels take fill + n period + drain, and no less than those of the longest bundle one after
 * another. A frame begins with the viewpoint and the itinerary of the first bundles.
 */
#ifndef HTMT_APPS_VOLUME_CLOSED_FORM_H
#define HTMT_APPS_VOLUME_CLOSED_FORM_H

#include "apps/app.h"
#include "apps/volume/program.h"

/* What there is to do, over all frames and slices. */
struct htmt__volume_load {
    uint64_t parcels; /* subcubes dispatched */
    uint64_t bundles;
    uint64_t voxels, rays, samples; /* of the parcels */
    uint64_t crossings, visits;     /* of itineraries */
    uint64_t longest;               /* most subcubes dispatched for one bundle */
};

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
    htmt_time busy;    /* of the resource */
    htmt_time length;  /* the same, and the latency of a move */
    uint32_t parallel; /* such resources in a slice */
};

struct htmt__volume_prediction {
    struct htmt__volume_load load;
    uint64_t voxels, samples;                           /* of the average parcel, rounded */
    struct htmt__volume_step step[HTMT__VOLUME_STAGES]; /* of the average parcel */
    htmt_wide period;
    htmt_wide pipeline; /* the parcels of a slice in one frame, from cold */
    htmt_wide chain;    /* the parcels of the longest bundle, from cold */
    htmt_wide total;    /* all frames */
};

/* What a run has measured. */
struct htmt__volume_load htmt__volume_load_of(const struct htmt__volume_tally *tally);

/* What the views are about to be: every subcube on the ways of the bundles is dispatched whole, and
 * alpha of its voxels is samples, or, with alpha zero, all samples of the rays. Of images of more
 * than a million rays some bundles, evenly picked, stand for all. Errors: HTMT_ENOMEM. */
int htmt__volume_load_estimate(const struct htmt__volume_plan *plan,
                               const struct htmt__camera *camera,
                               const struct htmt__casting *casting, struct htmt_ratio alpha,
                               struct htmt__volume_load *load, struct htmt_fault *fault);

/* Errors: HTMT_EOVERFLOW. */
int htmt__volume_predict(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                         const struct htmt__volume_load *load,
                         struct htmt__volume_prediction *prediction, struct htmt_fault *fault);

/* The lines of `predict`, behind those that are there. */
void htmt__volume_tell(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                       const struct htmt__volume_prediction *prediction,
                       struct htmt_prediction *out);

#endif
