/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of volume rendering (Hereld et al., section 3.2.4.2), step by step:
 *
 *   1 viewpoint      slices that have finished a frame agree on the next camera, in DRAM
 *   2 Itinerary      DPIM: compute the rays of a bundle and the list of its subcubes, front to
 *                    back; rays and list go to SRAM (with rays in DRAM, their paths stay)
 *   3, 4 Subcube     assemble (DPIM), gather DRAM to SRAM, wait for the lane's signal; dispatch
 *                    (SPIM); the rays in SRAM join, inject
 *   5                cast on the SPELL
 *   6                eject: the states of the rays, and the patches with living rays
 *   7                retire: the SPIM writes these patches into the bundle's table and signals the
 *                    lane
 *   8 Composite      SPIM: when no ray lives or no subcube is left; scatter to the image in DRAM
 *
 * A lane, an activation in SRAM, steers one bundle at a time. While a subcube is under way, the
 * lane looks for the next one that a living ray meets and lets it percolate up to its dispatch.
 * When the first subcube has returned, the lane dispatches the second if rays still need it, and
 * otherwise discards it. With several slices a subcube comes from its owner's DRAM: the lane
 * requests it with a message, a split-phase move brings it to the lane's guest buffer in SRAM, and
 * it joins its parcel there. Frames follow one another: the next begins when all bundles of the
 * last are out.
 *
 * In a model run no kernel computes which rays live: a bundle visits every subcube that it crosses.
 * The charged samples are alpha of a subcube's voxels, or all samples of its rays.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), read results, destroy.
 */
#ifndef HTMT_APPS_VOLUME_PROGRAM_H
#define HTMT_APPS_VOLUME_PROGRAM_H

#include "apps/volume/plan.h"
#include "parcels/htmt.h"

struct htmt__volume_program;

/* The input and output of a rendering. In a model run stored, invisible and image are NULL. */
struct htmt__volume_work {
    const struct htmt__volume_plan *plan;
    const struct htmt__volume_transfer_table *table;
    const struct htmt__volume_casting *casting;
    const struct htmt__volume_camera *camera; /* one for each frame */
    enum htmt__volume_voxel type;
    struct htmt_ratio alpha; /* of a model run; zero: each ray takes all its samples */
    bool named;              /* frames are sections of the run */
    bool folded;             /* slice 0 stands for all: they are alike (symmetry.c) */
    void **stored;           /* htmt__volume_shares_create() */
    uint8_t *invisible;      /* for each subcube */
    float *image;            /* frames one after another, cleared */
};

/* A part of the dispatched subcubes, and their contents. */
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

/* The work done, over all frames. */
struct htmt__volume_tally {
    uint64_t bundles, visits;         /* visits: in the lists of all bundles */
    uint64_t dispatched, discarded;   /* subcubes; discarded: gathered, but the rays had ended */
    uint64_t voxels, rays, taken;     /* of the dispatched subcubes; taken: samples taken */
    struct htmt__volume_part fullest; /* of the slice with most samples */
    struct htmt__volume_part longest; /* of the bundle with most parcels; in a run, samples in
                                         proportion to its voxels */
    uint64_t asked;                   /* words of subcubes that the most requested slice sends */
    struct htmt__volume_visit_work strip, merge; /* of a model run only: the largest of a bundle */
    /* of a run with data only */
    uint64_t skipped, shaded;
    uint64_t inside, ended, saved; /* rays with samples, rays that ended early; samples saved */
    uint64_t samples;              /* of all rays */
};

/* Bytes of the subcubes of a slice, and of all slices. */
uint64_t htmt__volume_share_bytes(const struct htmt__volume_plan *plan);
uint64_t htmt__volume_store_bytes(const struct htmt__volume_plan *plan);
/* Cleared memory for the subcubes of each slice that this process plays; NULL of another one. To be
 * given to free(), all at once. e NULL: all slices. NULL: no host memory. */
void **htmt__volume_shares_create(const struct htmt__volume_plan *plan,
                                  const struct htmt_emulator *e);
/* Store them, and find for all subcubes whether anything in them is visible. The volume may have
 * the planes of some rows of subcubes along z, from `first` to before `end`. */
void htmt__volume_store_rows(const struct htmt__volume_plan *plan,
                             const struct htmt__volume *volume,
                             const struct htmt__volume_transfer_table *table, uint32_t first,
                             uint32_t end, void *const *stored, uint8_t *invisible);
void htmt__volume_store(const struct htmt__volume_plan *plan, const struct htmt__volume *volume,
                        const struct htmt__volume_transfer_table *table, void *const *stored,
                        uint8_t *invisible);

/* Host memory of all lanes of all slices: lists, rays, guest buffers. */
uint64_t htmt__volume_lane_bytes(const struct htmt__volume_work *work);

/* Reduce the lanes to the number for which DRAM has room beside two strips. Errors: HTMT_ECAPACITY
 * (no room for one; the plan then has one). */
int htmt__volume_fit_lanes(const struct htmt_machine *m, const struct htmt__volume_work *work,
                           struct htmt__volume_plan *plan, struct htmt_fault *fault);

/* Whether all slices do the same at the same time, so that slice 0 of a model run can stand for all
 * (symmetry.c). Errors: HTMT_EUSAGE, with the first slice, bundle and visit that differ from those
 * of slice 0; HTMT_ENOMEM. */
int htmt__volume_alike(const struct htmt__volume_plan *plan,
                       const struct htmt__volume_camera *camera,
                       const struct htmt__volume_casting *casting, struct htmt_fault *fault);

/* Create objects, types and first parcels. Program and work must stay until the run is over.
 * Errors: HTMT_ENOMEM, and those of the emulator, whose line is copied into *fault. */
int htmt__volume_program_create(struct htmt_emulator *e, const struct htmt__volume_work *work,
                                struct htmt__volume_program **program, struct htmt_fault *fault);
void htmt__volume_program_destroy(struct htmt__volume_program **program); /* NULL accepted */

/* After the run, in all ranks alike. Errors: HTMT_ENOMEM, HTMT_ESYSTEM (other ranks are gone). */
int htmt__volume_program_tally(const struct htmt__volume_program *program,
                               struct htmt__volume_tally *tally);
/* After a run with data: the image of rank 0 becomes that of all slices. Errors: as above. */
int htmt__volume_program_image(const struct htmt__volume_program *program);

#endif
