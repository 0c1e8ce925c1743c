/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate mermaid --host` and `htmt host compare`: the node model against the clock.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_COMPARE_H
#define HTMT_EMUL_COMMAND_HOST_COMPARE_H

#include "emul/lib/verbs/verb.h"

/* Whether these words behind `validate` ask for this host. */
bool htmt__asks_for_host(int argc, char **argv);
/* argv: the words from the verb on, two of them before the options. Return the exit status. */
int htmt__validate_host(struct htmt__command *program, int argc, char **argv);
int htmt__host_compare(struct htmt__command *program, int argc, char **argv);

#endif
