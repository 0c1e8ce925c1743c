/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the cells of a slice are cut into blocks, and what of them memories hold.
 */
#ifndef HTMT_APPS_MD_BLOCKS_H
#define HTMT_APPS_MD_BLOCKS_H

#include "apps/md/plan.h"

/* The rest of the plan: blocks, strips, buffers, movers. Errors: HTMT_ECAPACITY (what does not
 * fit), HTMT_ERANGE, those of options; the line is the task's. */
int htmt__md_choose_blocks(struct htmt_task *task, struct htmt__md_plan *p);

#endif
