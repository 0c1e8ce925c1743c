/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt timeline FILE -o out.html`: a trace as a page for a browser.
 */
#ifndef HTMT_EMUL_COMMAND_TIMELINE_H
#define HTMT_EMUL_COMMAND_TIMELINE_H

#include "emul/lib/verbs/verb.h"

extern const struct htmt__verb htmt__verb_row_timeline;

#endif
