/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of the run that a trace is of.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_COMMAND_H
#define HTMT_EMUL_VIEW_PAGE_COMMAND_H

#include <jansson.h>

/* "htmt model pic --slices 4", of what the trace says of itself, a JSON object; "" if that names no
 * verb. NULL: out of memory. */
json_t *htmt__page_command(const char *about);

#endif
