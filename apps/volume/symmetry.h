/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether all slices do the same at the same time, so that slice 0 of a model run can stand for
 * all.
 *
 * They do when each has as many bundles, and for each frame and each n
 *  - the view is parallel and along an axis: then which subcubes the rays of a bundle cross follows
 *    from the columns and lines of its pixels, and all cross as many in depth, at the same samples;
 *  - the n-th bundles of all slices have pixels alike: these look through as many subcubes across
 *    and down, of the same size;
 *  - the k-th subcubes on the ways of these bundles are one of each slice, so that each slice is
 *    asked for one.
 * And each slice keeps as many words of subcubes. Everything else is the same by construction:
 * tiles are whole, and a slice asks for its own subcubes as for those of others.
 */
#ifndef HTMT_APPS_VOLUME_SYMMETRY_H
#define HTMT_APPS_VOLUME_SYMMETRY_H

#include "apps/volume/plan.h"

/* Errors: HTMT_EUSAGE, with the first slice, bundle and visit that differ from those of slice 0;
 * HTMT_ENOMEM. */
int htmt__volume_alike(const struct htmt__volume_plan *plan,
                       const struct htmt__volume_camera *camera,
                       const struct htmt__volume_casting *casting, struct htmt_fault *fault);

#endif
