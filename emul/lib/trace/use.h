/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Use of each resource over time: exact sums of the busy times in equal pieces of virtual time.
 */
#ifndef HTMT_EMUL_LIB_TRACE_USE_H
#define HTMT_EMUL_LIB_TRACE_USE_H

#include "emul/lib/trace/filter.h"

#include <stdio.h>

struct htmt__trace_use {
    const struct htmt_trace_info *info;
    unsigned bins;
    htmt_time bin;   /* fs of one; the last one may reach beyond the end */
    htmt_wide *busy; /* resource * bins + bin, over the slices that the trace has */
    struct htmt__trace_part part;
};

/* The trace must outlive it. The caller calls htmt__trace_use_clear(), also after an error. Errors:
 * those of the reader. */
int htmt__trace_use_make(struct htmt_trace *t, unsigned bins, struct htmt__trace_use *use,
                         struct htmt_fault *fault);
void htmt__trace_use_clear(struct htmt__trace_use *use);

/* The charts of a page, for htmt__html_print(); `user` is the struct. */
int htmt__trace_use_print(const void *user, FILE *out);

#endif
