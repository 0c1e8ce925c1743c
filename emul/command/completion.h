/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt completion`: the command's own completions; a program with one application has none.
 */
#ifndef HTMT_EMUL_COMMAND_COMPLETION_H
#define HTMT_EMUL_COMMAND_COMPLETION_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_completion;

#endif
