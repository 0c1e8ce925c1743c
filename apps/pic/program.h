/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a plasma (Hereld et al., Figure 2 and section 3.2.3). In every step each
 * slice goes through
 *
 *   Deposit     SPELL: the charge of a bundle of particles, on a tile of its block
 *   Sum         DPIM: tiles and background to the slice's rho, plane by plane
 *               rho's guard points to the eight slices around, which add them
 *   X, Y        SPELL: rows, then columns of the spectrum, each after a transpose over the vortex
 *   Solve       SPELL: columns of z there, E = -ik rho / k^2, and three components back
 *   Y back, X back
 *               the field's guard points to the eight slices around
 *   Cut         DPIM: the field of each block with its guard points; energies of the field
 *   Push        SPELL: field and particles of a bundle up, particles back
 *   Sort        DPIM: those that left their block, by where they belong; they go to mailboxes
 *               all slices' records are summed, which is also the word that everybody has sent
 *   Settle      DPIM: arrivals into bundles
 *
 * Sums are taken in a fixed order, so the result does not depend on the host; particles arrive in
 * the order of virtual time, so bits may differ from machine file to machine file.
 *
 * A problem without cells is Table 6 of the paper: push parcels alone.
 *
 * Call: create on a fresh emulator, htmt_emulator_run(), read results, destroy.
 */
#ifndef HTMT_APPS_PIC_PROGRAM_H
#define HTMT_APPS_PIC_PROGRAM_H

#include "apps/pic/io/deck.h"
#include "apps/pic/io/record.h"
#include "apps/pic/plan.h"
#include "parcels/htmt.h"

struct htmt__pic_program;

/* Objects, types and first parcels. `particles` are taken as they stand at the start; NULL in a
 * model run, where every bundle has the mean number of particles and as many leave its block as the
 * deck's velocities let expect. deck: NULL for a problem without
 * cells. Plan and deck are copied. Errors: HTMT_ECAPACITY (a team has more particles than its
 * bundles hold), HTMT_ENOMEM, and those of the emulator, whose line is copied into *fault. */
int htmt__pic_program_create(struct htmt_emulator *e, const struct htmt__pic_plan *plan,
                             const struct htmt__pic_deck *deck,
                             const struct htmt__pic_particles *particles,
                             struct htmt__pic_program **program, struct htmt_fault *fault);
void htmt__pic_program_destroy(struct htmt__pic_program **program); /* NULL accepted */

/* After a run that failed with `rc`, whose line *fault has. Where particles found no room in a
 * mailbox: HTMT_ECAPACITY with a line that names it. Otherwise `rc`. */
int htmt__pic_program_explain(const struct htmt__pic_program *program, int rc,
                              struct htmt_fault *fault);

/* After the run. Particles by species in the order of slices, teams, bundles, into `out`, whose
 * crowds have room for those that were taken; the counts are set. Errors: HTMT_EAUDIT (another
 * number of particles than were taken). */
int htmt__pic_program_particles(const struct htmt__pic_program *program,
                                struct htmt__pic_particles *out, struct htmt_fault *fault);
/* The last step's. */
void htmt__pic_program_fields(const struct htmt__pic_program *program,
                              struct htmt__pic_fields *fields);
/* One for each step of the deck. */
void htmt__pic_program_records(const struct htmt__pic_program *program,
                               struct htmt__pic_record *record);

/* How many particles went to other blocks, and bundles that spilled, over the run. */
struct htmt__pic_traffic {
    uint64_t migrated, spilled;
};
struct htmt__pic_traffic htmt__pic_program_traffic(const struct htmt__pic_program *program);

#endif
