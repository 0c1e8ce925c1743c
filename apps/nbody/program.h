/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program.
 */
#ifndef HTMT_APPS_NBODY_PROGRAM_H
#define HTMT_APPS_NBODY_PROGRAM_H

#include "apps/nbody/plan.h"

struct htmt__nbody_program;

/* `body`: p->bodies of them; NULL: a model run. `named`: steps are sections. The emulator owns what
 * the program creates in it. Errors: those of objects and types (the emulator has the line),
 * HTMT_ENOMEM. */
int htmt__nbody_program_create(struct htmt_emulator *e, const struct htmt__nbody_plan *plan,
                               const struct htmt__nbody_body *body, bool named,
                               struct htmt__nbody_program **program);
void htmt__nbody_program_destroy(struct htmt__nbody_program **program);

/* After the run, in all ranks alike; only the rank that gathers gets them. Bodies by their number,
 * with the last forces on them, HTMT__NBODY_PULL_WORDS each; and the sums at the end of each step,
 * the beginning first, HTMT__NBODY_SUMS each. */
int htmt__nbody_program_gather(struct htmt__nbody_program *p, struct htmt__nbody_body *body,
                               double *pull);
/* After gather, of a tree: the lists of the last evaluation. *lists is to be freed. */
int htmt__nbody_program_lists(const struct htmt__nbody_program *p,
                              struct htmt__nbody_lengths **lists, uint64_t *count);
int htmt__nbody_program_history(const struct htmt__nbody_program *p, double *sums);

#endif
