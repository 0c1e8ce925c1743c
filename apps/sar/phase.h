/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcels of a stage, one after another, as rows of a closed form in the scope of the stage's
 * name.
 */
#ifndef HTMT_APPS_SAR_PHASE_H
#define HTMT_APPS_SAR_PHASE_H

#include "apps/lib/term_tree.h"
#include "apps/sar/decomposition.h"

struct htmt__sar_machine {
    const struct htmt_machine *m;
    const struct htmt__sar_decomposition *c;
    bool overflow; /* of a service */
};

/* Lines or references: the phase at that depth, its parts below. Nothing of no parcels. */
void htmt__sar_add_phase(struct htmt__sar_machine *w, struct htmt_term_tree *tree,
                         enum htmt__sar_stage stage, unsigned depth);
/* Strips. */
void htmt__sar_add_strips(struct htmt__sar_machine *w, struct htmt_term_tree *tree,
                          enum htmt__sar_stage stage);

/* A word from DRAM to SRAM: it tells the coordinator of the last parcel of a phase. */
htmt_time htmt__sar_word_time(struct htmt__sar_machine *w);

#endif
