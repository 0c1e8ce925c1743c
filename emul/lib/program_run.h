/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process around a command: signals, the stack, what terminals see.
 */
#ifndef HTMT_EMUL_LIB_PROGRAM_RUN_H
#define HTMT_EMUL_LIB_PROGRAM_RUN_H

#include "emul/lib/verbs/verb.h"

/* Carries out the command line and returns the exit status. */
int htmt__program_run(struct htmt__command *program, int argc, char **argv);

#endif
