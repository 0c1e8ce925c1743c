/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate pim`: measured machines.
 */
#ifndef HTMT_EMUL_COMMAND_VALIDATE_PIM_H
#define HTMT_EMUL_COMMAND_VALIDATE_PIM_H

#include "emul/lib/verbs/verb.h"

/* The words behind `validate`, "pim" first. Returns the exit status. */
int htmt__validate_pim(struct htmt__command *program, int argc, char **argv);

#endif
