/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the time of tapes went, as a picture: a bar for each tape and machine.
 */
#ifndef HTMT_EMUL_COMMAND_OPS_STACK_H
#define HTMT_EMUL_COMMAND_OPS_STACK_H

#include "apps/formats/plot.h"
#include "emul/command/ops_time_json.h"

#define HTMT__OPS_BARS_MAX 16u

struct htmt__ops_stack {
    unsigned bars;
    char tape[HTMT__OPS_BARS_MAX][80], machine[HTMT__OPS_BARS_MAX][80];
    double part[HTMT__NODE_PARTS][HTMT__OPS_BARS_MAX]; /* s */
};

/* "issue", "DRAM pages". */
const char *htmt__ops_part(int part);

/* One more bar, of at most HTMT__OPS_BARS_MAX. */
void htmt__ops_stack_add(struct htmt__ops_stack *stack, const struct htmt__ops_timed *timed);
/* Times above, shares of them below. Errors: those of htmt__plot_write(). */
int htmt__ops_stack_draw(const struct htmt__ops_stack *stack, const struct htmt__plot_part *part,
                         const char *path, struct htmt_fault *fault);

#endif
