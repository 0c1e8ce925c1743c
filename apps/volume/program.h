/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of volume rendering (Hereld et al., section 3.2.4.2), step by step:
 *
 *   1 viewpoint      slices that are through with a frame agree on the camera of the next, in DRAM
 *   2 Itinerary      DPIM: the rays of a bundle, the subcubes on their way, front to back; rays and
 *                    list go to SRAM (with rays in DRAM, their paths stay)
 *   3, 4 Subcube     assemble (DPIM), gather DRAM to SRAM, wait for the word of the lane; dispatch
 *                    (SPIM); the rays in SRAM join, inject
 *   5                cast on the SPELL
 *   6                eject: the states of the rays, and which patches have rays that live
 *   7                retire: the SPIM writes that into the bundle's table and tells the lane
 *   8 Composite      when no ray lives or no subcube is left: SPIM; scatter to the image in DRAM
 *
 * A lane, an activation in SRAM, steers one bundle at a time: while a subcube is under way it looks
 * for the next one that a living ray meets and lets it percolate up to its dispatch; when the first
 * is back it dispatches the second if rays still need it, and discards it if none does. Of several
 * slices subcubes come from their owner's DRAM, asked for by a word, to the lane's guest buffers in
 * SRAM by split-phase moves and join their parcel there. Frames follow one another: the next begins
 * when all bundles of the last are out.
 *
 * In a model run no kernel says what lives: a bundle visits every subcube that it crosses, and
 * alpha of a subcube's voxels is charged as samples, or all samples of its rays.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), look, destroy.
 */
#ifndef HTMT_APPS_VOLUME_PROGRAM_H
#define HTMT_APPS_VOLUME_PROGRAM_H

#include "apps/volume/plan.h"
#include "parcels/htmt.h"

struct htmt__volume_program;

/* What is rendered. In a model run stored, invisible and image are NULL. */
struct htmt__volume_work {
    const struct htmt__volume_plan *plan;
    const struct htmt__volume_transfer_table *table;
    const struct htmt__volume_casting *casting;
    const struct htmt__volume_camera *camera; /* one for each frame */
    enum htmt__volume_voxel type;
    struct htmt_ratio alpha; /* of a model run; zero: each ray takes all its samples */
    bool folded;             /* slice 0 stands for all: they are alike (symmetry.h) */
    void *stored;            /* htmt__volume_store() */
    uint8_t *invisible;      /* for each subcube */
    float *image;            /* frames one after another, cleared */
};

/* Some of the subcubes that were dispatched, and what was in them. */
struct htmt__volume_part {
    uint64_t parcels, voxels, rays, samples; /* samples taken */
};
static inline void htmt__volume_part_add(struct htmt__volume_part *to,
                                         const struct htmt__volume_part *from)
{
    to->parcels += from->parcels;
    to->voxels += from->voxels;
    to->rays += from->rays;
    to->samples += from->samples;
}

/* What was done, over all frames. */
struct htmt__volume_tally {
    uint64_t bundles, visits;       /* visits: in the lists of all bundles */
    uint64_t dispatched, discarded; /* subcubes; discarded: on their way when the rays had ended */
    uint64_t voxels, rays, taken;   /* of what was dispatched; samples taken */
    struct htmt__volume_part fullest; /* of the slice with most samples */
    struct htmt__volume_part longest; /* of the bundle with most parcels; its samples: of a run as
                                         many for each voxel as of all */
    uint64_t asked;                   /* words of subcubes of the slice that is asked for most */
    struct htmt__volume_visit_work strip, merge; /* of a model run only: the largest of a bundle */
    /* of a run with data only */
    uint64_t skipped, shaded;
    uint64_t inside, ended, saved; /* rays with samples, that ended early; samples beyond */
    uint64_t samples;              /* of all rays */
};

/* All subcubes as the program keeps them: slice by slice. */
uint64_t htmt__volume_store_bytes(const struct htmt__volume_plan *plan);
void htmt__volume_store(const struct htmt__volume_plan *plan, const struct htmt__volume *volume,
                        const struct htmt__volume_transfer_table *table, void *stored,
                        uint8_t *invisible);

/* Host memory of all lanes of all slices: lists, rays, guests. */
uint64_t htmt__volume_lane_bytes(const struct htmt__volume_work *work);

/* No more lanes than DRAM has room for beside two strips. Errors: HTMT_ECAPACITY (not even one,
 * which the plan has then). */
int htmt__volume_fit_lanes(const struct htmt_machine *m, const struct htmt__volume_work *work,
                           struct htmt__volume_plan *plan, struct htmt_fault *fault);

/* Objects, types and first parcels. Program and work must stay until the run is over. Errors:
 * HTMT_ENOMEM, and those of the emulator, whose line is copied into *fault. */
int htmt__volume_program_create(struct htmt_emulator *e, const struct htmt__volume_work *work,
                                struct htmt__volume_program **program, struct htmt_fault *fault);
void htmt__volume_program_destroy(struct htmt__volume_program **program); /* NULL accepted */

/* After the run. */
void htmt__volume_program_tally(const struct htmt__volume_program *program,
                                struct htmt__volume_tally *tally);

#endif
