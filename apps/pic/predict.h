/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the closed form of push parcels alone, and those that it shares with a whole step's: use
 * of the machine and sizes.
 */
#ifndef HTMT_APPS_PIC_PREDICT_H
#define HTMT_APPS_PIC_PREDICT_H

#include "apps/pic/pipeline.h"

/* steps: of a typical run. */
void htmt__pic_add_alone(struct htmt_term_tree *tree, uint64_t steps);
void htmt__pic_add_shared(const struct htmt__pic_machine *w, struct htmt_term_tree *tree,
                          bool cells);

/* What the first line says of the problem. */
void htmt__pic_name_inputs(const struct htmt__pic_plan *p, uint64_t steps, struct htmt_term *total);

#endif
