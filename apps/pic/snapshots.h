/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma every n steps, while the run goes on. Kernels copy what they hold in any case, so that
 * snapshots change neither the virtual clock nor the history. A snapshot after n steps is what a
 * run of n steps ends with, to the last bit.
 *
 * Slices reach a step at different host times. The kernel that brings the last part writes the
 * files. In a run of several ranks each keeps the parts of its slices until the run is over, and
 * rank 0 then puts one snapshot after another together.
 */
#ifndef HTMT_APPS_PIC_SNAPSHOTS_H
#define HTMT_APPS_PIC_SNAPSHOTS_H

#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"
#include "apps/pic/plan.h"
#include "parcels/emulator.h"

struct htmt__pic_snapshots;

/* Write a snapshot after so many steps. fields, particles: NULL where they were not asked for. */
typedef int htmt__pic_snapshot_fn(void *user, uint64_t steps, const struct htmt__pic_fields *fields,
                                  const struct htmt__pic_particles *particles,
                                  struct htmt_fault *fault);

struct htmt__pic_snapshots_desc {
    struct htmt_emulator *e;
    const struct htmt__pic_deck *deck; /* these live longer than the snapshots */
    const struct htmt__pic_plan *plan;
    uint64_t every; /* steps */
    bool fields, particles;
    htmt__pic_snapshot_fn *write; /* called by one thread at a time */
    void *user;
};

/* On success the caller owns *s. Errors: HTMT_ENOMEM. */
int htmt__pic_snapshots_create(const struct htmt__pic_snapshots_desc *desc,
                               struct htmt__pic_snapshots **s, struct htmt_fault *fault);
/* After the run, in all ranks alike: write what is not yet written. Errors: those of a snapshot,
 * HTMT_ENOMEM, HTMT_ESYSTEM (other ranks are gone). NULL accepted. */
int htmt__pic_snapshots_gather(struct htmt__pic_snapshots *s, struct htmt_fault *fault);
/* Call it after the run. Returns the first error of a snapshot, with its line in *fault. NULL
 * accepted. */
int htmt__pic_snapshots_destroy(struct htmt__pic_snapshots **s, struct htmt_fault *fault);

/* ---- for kernels, from any thread ------------------------------------------------------------ */

/* The field of a block's own cells in step `step`: slices' rows with guards, as in the parcel
 * program. Returns at once for a step without a snapshot; s may be NULL. */
void htmt__pic_snapshot_block(struct htmt__pic_snapshots *s, uint64_t step, const double *field,
                              const double *rho, const struct htmt__pic_box *block,
                              const struct htmt__pic_box *slice);

/* One bundle of a team. */
struct htmt__pic_snapshot_bundle {
    uint32_t species;
    uint64_t count;
    const struct htmt__pic_particle *at;
};

/* All bundles of a team at the end of step `step`: `usual` of them, then the spares. */
void htmt__pic_snapshot_team(struct htmt__pic_snapshots *s, uint64_t step, uint32_t slice,
                             uint32_t team, const struct htmt__pic_snapshot_bundle *bundle);

/* Whether a step has a snapshot; false for NULL. */
bool htmt__pic_snapshot_due(const struct htmt__pic_snapshots *s, uint64_t step);

/* The same: kernels call them through pointers, so that one of a run without snapshots is recorded,
 * whatever these call. */
struct htmt__pic_snapshot_calls {
    __typeof__(htmt__pic_snapshot_block) *block;
    __typeof__(htmt__pic_snapshot_team) *team;
    __typeof__(htmt__pic_snapshot_due) *due;
};
extern const struct htmt__pic_snapshot_calls htmt__pic_snapshot_calls;

#endif
