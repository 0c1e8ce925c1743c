/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt analyze`: loops out of C source as a nest file. It becomes the program htmt-analyze, which
 * lies where plug-ins do.
 */
#ifndef HTMT_EMUL_COMMAND_ANALYZE_H
#define HTMT_EMUL_COMMAND_ANALYZE_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_analyze;

#endif
