/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The amount of work: the quantities of the closed form, from the views or from a run.
 */
#ifndef HTMT_APPS_VOLUME_LOAD_H
#define HTMT_APPS_VOLUME_LOAD_H

#include "apps/volume/program.h"

/* Over all frames and slices. */
struct htmt__volume_load {
    uint64_t parcels, voxels, rays, samples; /* dispatched subcubes, and their contents */
    uint64_t bundles;
    struct htmt__volume_part fullest; /* of the slice with most samples */
    struct htmt__volume_part longest; /* of the bundle with most parcels */
    uint64_t asked;                   /* words of subcubes that the most requested slice sends */
    struct htmt__volume_visit_work strip, merge; /* the largest of a bundle */
};

/* Estimate the load of the views. Every subcube that the bundles cross is dispatched whole. Its
 * samples are alpha of its voxels or, with alpha zero, all samples of the rays. `invisible` is as
 * in visit_list.h. For images of more than a million rays, one line of a strip stands for all its
 * lines. When these lines have more than two million rays, some evenly picked bundles stand for
 * all, and slices are assumed equally full. Errors: HTMT_ENOMEM. */
int htmt__volume_load_estimate(const struct htmt__volume_plan *plan,
                               const struct htmt__volume_camera *camera,
                               const struct htmt__volume_casting *casting, const uint8_t *invisible,
                               struct htmt_ratio alpha, struct htmt__volume_load *load,
                               struct htmt_fault *fault);

/* Replace the estimate by the measurements of a run. Strips and merges stay if the tally has
 * none. */
void htmt__volume_load_measure(const struct htmt__volume_tally *tally,
                               struct htmt__volume_load *load);

#endif
