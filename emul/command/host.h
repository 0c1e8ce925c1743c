/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate mermaid --host` is answered by the verb host.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_H
#define HTMT_EMUL_COMMAND_HOST_H

#include "emul/command/command.h"

/* Whether these words behind `validate` ask for this host. */
bool htmt__asks_for_host(int argc, char **argv);
/* argv: the words from the verb on, two of them before the options. Returns the exit status. */
int htmt__validate_host(struct htmt__command *program, int argc, char **argv);

#endif
