/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate`, which is the command's own: libhtmt has neither the verb nor the tables.
 */
#ifndef HTMT_EMUL_COMMAND_VALIDATE_H
#define HTMT_EMUL_COMMAND_VALIDATE_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_validate;

#endif
