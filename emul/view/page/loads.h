/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the work of a trace is spread: the load of each slice, and who sends to whom.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_LOADS_H
#define HTMT_EMUL_VIEW_PAGE_LOADS_H

#include "emul/lib/trace/rows.h"
#include "emul/lib/trace/slices.h"
#include "emul/view/page/bytes.h"

#define HTMT__MATRIX_MOST 64u /* lines and columns; of more slices, neighbours share one */

struct htmt__page_loads {
    /* Of each slice of the trace (index into its htmt__trace_slices): the share of the time that
     * the busiest of its processors and links was in use, and the row of that one. */
    double *load;
    uint32_t *row;
    uint32_t *order; /* indices, the greatest load first; of equal ones the lower slice */
    /* Indices, in their order: the slices that the page opens first. */
    uint32_t first[4], firsts;
    uint32_t places, side; /* slices of the trace, the host among them; lines of the matrix */
    uint64_t *messages;    /* side * side: [sender][receiver] */
};

/* Reads all blocks once. On success the caller gives *l to htmt__page_loads_clear(). Errors:
 * HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__page_loads_make(struct htmt_trace *t, const struct htmt__rows *rows,
                          const struct htmt__trace_slices *slices, struct htmt__page_loads *l,
                          struct htmt_fault *fault);
void htmt__page_loads_clear(struct htmt__page_loads *l);

/* The line or column of a slice. */
uint32_t htmt__page_loads_line(const struct htmt__page_loads *l, uint32_t slice);

/* Whether the page opens that slice first. */
bool htmt__page_loads_is_first(const struct htmt__page_loads *l, uint32_t index);

#endif
