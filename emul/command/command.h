/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The htmt command: what it offers beside what every program does (emul/program.h).
 */
#ifndef HTMT_EMUL_COMMAND_COMMAND_H
#define HTMT_EMUL_COMMAND_COMMAND_H

#include "emul/lib/verbs/verb.h"

/* Ends with NULL. */
extern const struct htmt__verb *const htmt__command_verbs[];

#endif
