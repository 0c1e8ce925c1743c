/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path as the page has it: pieces from the end of the run to its begin.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_CRITICAL_PATH_H
#define HTMT_EMUL_VIEW_PAGE_CRITICAL_PATH_H

#include "emul/lib/trace/path.h"
#include "emul/view/page/bytes.h"
#include "emul/view/page/page.h"

/* Of pieces with an interval: slice, number, 2 step + 1 if it is time in flight (between the
 * channels of a network, or a latency), begin, length. Of more than HTMT__PAGE_PATH_MOST, short
 * neighbours become one piece, with the interval of the longest; pieces that meet the window stay
 * single if there are not too many of them. Behind them, of each piece that waits for a port inside
 * a network: its number from 0, the port among path->port. Returns how many pieces there are. */
uint64_t htmt__page_path_encode(const struct htmt__trace_path *path,
                                const struct htmt__page_options *o, struct htmt__bytes *out);

#define HTMT__PAGE_PATH_MOST 131072

#endif
