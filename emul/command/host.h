/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt host`: measures this host as a machine, and compares kernels on it with the model; the
 * command's alone.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_H
#define HTMT_EMUL_COMMAND_HOST_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_host;

#endif
