/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Check whether all slices do the same at the same time, so that slice 0 of a model run can stand
 * for all.
 *
 * They do if each has the same number of bundles and, for each frame and each n,
 *  - the view is parallel and along an axis. The columns and lines of a bundle's pixels then
 *    determine the subcubes that its rays cross, and all rays cross the same number in depth, at
 *    the same samples;
 *  - the n-th bundles of all slices have equal pixels: they look through the same number of
 *    subcubes across and down, of the same size;
 *  - the k-th subcubes of these bundles lie one on each slice, so that each slice gets one request.
 * Each slice must also keep the same number of words of subcubes. Everything else is the same by
 * construction: tiles are whole, and a slice requests its own subcubes like those of others.
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
