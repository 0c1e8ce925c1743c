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
 * A frame is viewpoint + visit list + max(pipeline, chain, asked, other bundles):
 *
 *     viewpoint    exchanges between slices, the logarithm of their number to base 2
 *     visit list   the largest strip of a bundle, the largest merge, lists and rays up to SRAM
 *     pipeline     P + U + (n - 1) period + closing of the slice with most samples
 *     chain        P + U + (n - 1) stride + closing of the bundle with most parcels
 *     asked        the subcubes that the most requested slice sends
 *     other bundles: their strips and merges on the DPIMs of a slice; each bundle counts as the
 *                  largest
 *
 * Closing composites a bundle and takes its pixels to DRAM. Pipeline and chain use their own
 * average parcels. No term covers contention: bundles that request subcubes from one slice at once.
 */
#ifndef HTMT_APPS_VOLUME_CLOSED_FORM_H
#define HTMT_APPS_VOLUME_CLOSED_FORM_H

#include "apps/lib/steps.h"
#include "apps/volume/load.h"

struct htmt__volume_prediction {
    struct htmt__volume_load load;
    htmt_wide total; /* all frames */
};

/* Errors: HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__volume_predict(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                         const struct htmt__volume_load *load,
                         struct htmt__volume_prediction *prediction, struct htmt_fault *fault);

/* Append the lines of `predict`. Errors: HTMT_ENOMEM. */
int htmt__volume_tell(const struct htmt_machine *m, const struct htmt__volume_plan *plan,
                      const struct htmt__volume_prediction *prediction, struct htmt_prediction *out,
                      struct htmt_fault *fault);

#endif
