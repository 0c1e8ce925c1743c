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
#include "apps/lib/term_tree.h"
#include "apps/volume/program.h"

/* ---- the amount of work ---------------------------------------------------------------------- */

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

/* ---- its time ------------------------------------------------------------------------------- */

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

/* ---- other models of execution (apps/lib/execution.h) ---------------------------------------- */

/* What both forms are asked. */
struct htmt__volume_asked {
    const struct htmt__volume_problem *problem;
    const struct htmt__volume_charges *charges;
    const struct htmt__volume_camera *camera; /* of each frame */
    const struct htmt__volume_casting *casting;
    struct htmt_ratio alpha;
};

/* A volume of grid[0] x grid[1] x grid[2] blocks, each of as many cells along an axis or one more
 * or less. Of all frames: samples; crossings, pairs of a ray and a block in which it has samples;
 * rays with samples. Of the block with most samples in its frame, the same, summed over frames. Of
 * more than 65,536 rays a frame, a lattice of them stands for all. */
struct htmt__volume_census {
    uint32_t grid[3];
    uint64_t samples, crossings, rays;
    uint64_t fullest_samples, fullest_crossings;
};
/* Errors: HTMT_ENOMEM. */
int htmt__volume_census(const struct htmt__volume_asked *asked, struct htmt__volume_census *census,
                        struct htmt_fault *fault);

/* Values that both forms use: of a sample, "sample flop", and of a crossing, "crossing flop", and
 * so on for iop, load, store and cycle; frames, pixels, channels, words. */
#define HTMT__VOLUME_VALUES 32
size_t htmt__volume_census_values(const struct htmt__volume_asked *asked,
                                  const struct htmt__volume_census *census,
                                  struct htmt_term_count of[HTMT__VOLUME_VALUES]);

/* serial.c: the volume block by block. mpp.c: a block a node, and a binary swap. Errors: those of
 * htmt_serial_tell(); HTMT_ECAPACITY (no block fits), HTMT_EUSAGE (nodes that are no power of two),
 * HTMT_ERANGE (more nodes than cells). */
int htmt__volume_serial(struct htmt_task *task, const struct htmt__volume_asked *asked,
                        struct htmt_prediction *out);
int htmt__volume_mpp(struct htmt_task *task, const struct htmt__volume_asked *asked,
                     struct htmt_prediction *out);

#endif
