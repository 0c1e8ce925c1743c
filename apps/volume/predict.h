/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the closed form that follow from the times: rates, use, memory and break-even.
 */
#ifndef HTMT_APPS_VOLUME_PREDICT_H
#define HTMT_APPS_VOLUME_PREDICT_H

#include "apps/volume/pipeline.h"

/* parcels: of all slices and frames. */
void htmt__volume_add_uses(const struct htmt__volume_machine *w, struct htmt_term_tree *tree,
                           uint64_t parcels);

/* The largest job at a cost file's frame rate, all slices busy, behind all that is evaluated.
 * Errors: those of htmt_term_tree_evaluate(). */
int htmt__volume_add_largest(const struct htmt__volume_machine *w, struct htmt_term_tree *tree,
                             struct htmt_fault *fault);

#endif
