/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program: cells, parcels, halos, migration, coordinators.
 */
#ifndef HTMT_APPS_MD_PROGRAM_H
#define HTMT_APPS_MD_PROGRAM_H

#include "apps/md/plan.h"

struct htmt__md_program;

/* Of all atoms when forces of a step are known, with the velocities of that moment. */
struct htmt__md_record {
    double kinetic, potential, virial; /* virial: sum of r F over pairs */
    double momentum[3];
    double candidates, within; /* numbers; within: pairs within the cut, from both sides */
    double farthest2; /* largest squared displacement since cells were built, after the drift */
};

/* Of N atoms three freedoms are those of the whole. */
static inline double htmt__md_temperature(const struct htmt__md_plan *p, double kinetic)
{
    return p->atoms > 1 ? 2 * kinetic / (3 * ((double)p->atoms - 1)) : 0;
}
/* Of as many records that are added; of one that is copied. */
struct htmt_ops htmt__md_record_ops(uint64_t records);

/* What the slices have counted. */
struct htmt__md_counts {
    uint64_t rebuilds, moved; /* atoms that changed their cell */
    uint64_t fullest;         /* words of the largest force parcel */
};

/* atoms NULL: a model run, or one that plays a captured run. The emulator owns what the program
 * creates in it. `named`: steps are sections. Errors: those of objects and types (the emulator has
 * the line), HTMT_ENOMEM. */
int htmt__md_program_create(struct htmt_emulator *e, const struct htmt__md_plan *plan,
                            const struct htmt__md_atoms *atoms, bool named,
                            struct htmt__md_program **program);
void htmt__md_program_destroy(struct htmt__md_program **program);
/* Of a run that failed: a line of the program's own, if it knows better. Returns the code. */
int htmt__md_program_explain(struct htmt__md_program *p, int rc, struct htmt_fault *fault);
/* After the run, in all ranks alike, into the rank that gathers: positions and velocities by the
 * atoms' numbers; the records of steps 0 to plan.steps. */
int htmt__md_program_gather(const struct htmt__md_program *p, double *x, double *v);
int htmt__md_program_series(const struct htmt__md_program *p, struct htmt__md_record *series);
/* The same, in all ranks; a model run has counts, too. */
int htmt__md_program_counts(const struct htmt__md_program *p, struct htmt__md_counts *counts);

#endif
