/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt new`: a project with an application of the user's own; the command's alone.
 */
#ifndef HTMT_EMUL_COMMAND_NEW_H
#define HTMT_EMUL_COMMAND_NEW_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_new;

#endif
