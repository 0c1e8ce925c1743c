/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nests whose words come in lines: what comes with a word that nobody asked for.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_LINES_H
#define HTMT_EMUL_LOOPS_NEST_LINES_H

#include "emul/loops/nest/layout.h"

/* The plan as a memory of `capacity` units sees it that keeps lines of plan->line words: each word
 * counts with the part of its line that comes for it alone. `layout`: of each array of the file.
 * `extent`: of a block. *lined is the plan itself where each line is used to its end; else a plan
 * that belongs to it, and lives as long. Errors: HTMT_ENOMEM. */
int htmt__nest_lines_plan(struct htmt__nest_plan *plan, const struct htmt__nest_file *file,
                          const struct htmt__nest_layout *layout,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide capacity,
                          struct htmt__nest_plan **lined);

/* Of a plan that is destroyed: all plans that belong to it. */
void htmt__nest_lines_clear(struct htmt__nest_plan *plan);

#endif
