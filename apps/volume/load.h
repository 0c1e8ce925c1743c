/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is to do: the closed form's quantities, from the views or from a run.
 */
#ifndef HTMT_APPS_VOLUME_LOAD_H
#define HTMT_APPS_VOLUME_LOAD_H

#include "apps/volume/program.h"

/* Over all frames and slices. */
struct htmt__volume_load {
    uint64_t parcels, voxels, rays, samples; /* subcubes dispatched, and what is in them */
    uint64_t bundles;
    struct htmt__volume_part fullest; /* of the slice with most samples */
    struct htmt__volume_part longest; /* of the bundle with most parcels */
    uint64_t asked;                   /* words of subcubes that the most asked slice sends */
    struct htmt__volume_visit_work strip, merge; /* the largest of a bundle */
};

/* What the views are about to be: every subcube on the ways of the bundles is dispatched whole, and
 * alpha of its voxels is samples, or, with alpha zero, all samples of the rays. `invisible` as in
 * visit_list.h. Of images of more than a million rays one line of a strip stands for all of them;
 * when these lines have more than two million rays, some bundles, evenly picked, stand for all, and
 * slices are taken to be equally full. Errors: HTMT_ENOMEM. */
int htmt__volume_load_estimate(const struct htmt__volume_plan *plan,
                               const struct htmt__volume_camera *camera,
                               const struct htmt__volume_casting *casting, const uint8_t *invisible,
                               struct htmt_ratio alpha, struct htmt__volume_load *load,
                               struct htmt_fault *fault);

/* Put in what a run has measured. Visit lists are left alone when the tally has none. */
void htmt__volume_load_measure(const struct htmt__volume_tally *tally,
                               struct htmt__volume_load *load);

#endif
