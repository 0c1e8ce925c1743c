/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a plasma (Hereld et al., Figure 2 and section 3.2.3). In every step each
 * slice goes through these phases:
 *
 *   Deposit     SPELL: the charge of a bundle of particles, on a tile of its block
 *   Sum         DPIM: add tiles and background to the slice's rho, plane by plane
 *               send rho's guard points to the eight slices around, which add them
 *   X, Y        SPELL: rows, then columns of the spectrum, each after a transpose over the vortex
 *   Solve       SPELL: columns of z, E = -ik rho / k^2, and three components back
 *   Y back, X back
 *               send the field's guard points to the eight slices around
 *   Cut         DPIM: the field of each block with its guard points; energies of the field
 *   Push        SPELL: field and particles of a bundle up, particles back
 *   Sort        DPIM: sort the particles that left their block; send them to mailboxes
 *   record      all-reduce the records of all slices; all particles have then arrived
 *   Settle      DPIM: put arrivals into bundles
 *
 * Sums have a fixed order, so the result does not depend on the host. Particles arrive in the order
 * of virtual time, so bits may differ from machine file to machine file.
 *
 * A problem without cells is Table 6 of the paper: push parcels alone.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), read results, destroy.
 */
#ifndef HTMT_APPS_PIC_PROGRAM_H
#define HTMT_APPS_PIC_PROGRAM_H

#include "apps/pic/check.h"
#include "apps/pic/plan.h"
#include "parcels/htmt.h"

struct htmt__pic_program;
struct htmt__pic_snapshots;

/* Create objects, types and first parcels. The program takes `particles` as they are at the start;
 * of several ranks each takes those of the slices that it plays, and need not be given others.
 * In a model run `particles` is NULL: every bundle has the mean number of particles, and the number
 * that leave its block follows from the deck's velocities. deck is NULL for a problem without
 * cells. Plan and deck are copied. Errors: HTMT_ECAPACITY (a team has more particles than its
 * bundles hold), HTMT_ENOMEM, and those of the emulator, whose line is copied into *fault. */
int htmt__pic_program_create(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                             const struct htmt__pic_deck *deck,
                             const struct htmt__pic_particles *particles,
                             struct htmt__pic_program **program, struct htmt_fault *fault);
/* The same with the particles of the deck's start, made where they begin, on so many threads. Of
 * several ranks each makes those of the slices that it plays. */
int htmt__pic_program_begin(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                            const struct htmt__pic_deck *deck, uint64_t seed, unsigned threads,
                            struct htmt__pic_program **program, struct htmt_fault *fault);
void htmt__pic_program_destroy(struct htmt__pic_program **program); /* NULL accepted */

/* Before the run: steps are sections of it. */
void htmt__pic_program_name_steps(struct htmt__pic_program *p);

/* Before the run: its kernels bring these snapshots, which live until the run is over. */
void htmt__pic_program_watch(struct htmt__pic_program *program,
                             struct htmt__pic_snapshots *snapshots);

/* After a run that failed with `rc`, in all ranks alike: a better line for *fault, where the
 * program knows one. Returns its code. */
int htmt__pic_program_explain(struct htmt__pic_program *program, int rc, struct htmt_fault *fault);

/* ---- after the run, in all ranks alike --------------------------------------------------------
 */

/* What slices have counted comes to all ranks. Errors: HTMT_ENOMEM, HTMT_ESYSTEM (other ranks are
 * gone). */
int htmt__pic_program_share(struct htmt__pic_program *program, struct htmt_fault *fault);

/* After that. Errors: HTMT_EAUDIT (another number of particles than were taken). */
int htmt__pic_program_audit(const struct htmt__pic_program *program, struct htmt_fault *fault);

/* After that: particles that went to other blocks, and bundles that spilled, over the run. */
struct htmt__pic_traffic {
    uint64_t migrated, spilled;
};
struct htmt__pic_traffic htmt__pic_program_traffic(const struct htmt__pic_program *program);

/* Write the records of the steps that ended; `record` has room for all steps of the deck. *steps is
 * their number: all, unless the run ended early. Errors: those of htmt_object_fetch(). */
int htmt__pic_program_records(const struct htmt__pic_program *program,
                              struct htmt__pic_record *record, uint64_t *steps,
                              struct htmt_fault *fault);

/* Rank 0 gets the following, and gives *rows or out->at to free(); in the other ranks they are
 * NULL, with no particles. Errors: HTMT_ENOMEM, HTMT_ESYSTEM.
 *
 * A field (HTMT__PIC_RHO ...) of the last step on a slice's own cells, [z][y][x]. */
int htmt__pic_program_rows(const struct htmt__pic_program *program, uint32_t slice, uint32_t field,
                           double **rows, struct htmt_fault *fault);
/* The particles of a species in a slice, in the order of teams and bundles. */
int htmt__pic_program_species(const struct htmt__pic_program *program, uint32_t slice,
                              uint32_t species, struct htmt__pic_species *out,
                              struct htmt_fault *fault);

/* All of them, by species in the order of slices, into `out`, which has room for those that were
 * taken, in rank 0; the counts are set. Errors: those of share and audit. */
int htmt__pic_program_particles(struct htmt__pic_program *program, struct htmt__pic_particles *out,
                                struct htmt_fault *fault);
/* In a process that plays all slices: where they lie, until the program or the emulator goes. The
 * caller frees out->run. Errors: HTMT_ENOMEM. */
int htmt__pic_program_runs(const struct htmt__pic_program *program, struct htmt__pic_runs *out,
                           struct htmt_fault *fault);
/* The fields of the last step, in rank 0. */
int htmt__pic_program_fields(const struct htmt__pic_program *program,
                             struct htmt__pic_fields *fields, struct htmt_fault *fault);

/* Give the memory of tiles and spectra back to the host, which none of these functions reads. */
void htmt__pic_program_release(struct htmt__pic_program *program);

/* The files of htmt__pic_write_fields() and htmt__pic_write_particles(), from the last step, slice
 * by slice: never is more in memory than a field of a plane of slices, or a species of one slice.
 * Rank 0 writes; particles after htmt__pic_program_share(). Errors: theirs, and those of the
 * results. */
int htmt__pic_stream_fields(const struct htmt__pic_program *program, const char *path,
                            struct htmt_fault *fault);
int htmt__pic_stream_particles(const struct htmt__pic_program *program, const char *path,
                               struct htmt_fault *fault);

#endif
