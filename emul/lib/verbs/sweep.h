/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt model micro copy --tasklets 1..24 --plot FILE`: a model run for each number of tasklets, as
 * a table and a plot.
 */
#ifndef HTMT_EMUL_LIB_VERBS_SWEEP_H
#define HTMT_EMUL_LIB_VERBS_SWEEP_H

#include "emul/lib/verbs/verb.h"

/* Whether the command line asks for one: --tasklets with a range. */
bool htmt__sweep_asked(int argc, char **argv);
/* Returns the exit status. */
int htmt__sweep(struct htmt__command *program, int argc, char **argv);

#endif
