/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of a run whose intervals a trace has.
 */
#ifndef HTMT_EMUL_LIB_TRACE_FILTER_H
#define HTMT_EMUL_LIB_TRACE_FILTER_H

#include "emul/trace/htmt_trace.h"

struct htmt__trace_part {
    bool filtered;      /* false: all of the run */
    htmt_time from, to; /* of which intervals are there: from <= to, the run's end at most */
    uint32_t slices;    /* played slices that are there */
    bool host;          /* the place of the host is there, too */
    bool types;         /* of some types of parcels alone */
    bool *layer;        /* of each layer: its intervals are there */
    char text[512];     /* "slices 1-2, layers cram, 1 us to 20 us"; empty: all of the run */
};

/* Of any trace. On success the caller gives *p to htmt__trace_part_clear(). Errors: HTMT_ENOMEM. */
int htmt__trace_part_make(const struct htmt_trace_info *info, struct htmt__trace_part *p);
void htmt__trace_part_clear(struct htmt__trace_part *p);

/* Places of the resource whose intervals are in the trace; 0: its layer was left out. */
uint32_t htmt__trace_part_places(const struct htmt__trace_part *p,
                                 const struct htmt_trace_info *info, uint32_t resource);

/* The share of the time of its servers or channels that a resource was in use in the run, as the
 * report has it. It is out of the footer, so no filter changes it. */
double htmt__trace_utilization(const struct htmt_trace_info *info, uint32_t resource);

/* What part of the time inside services is use of the resource: 1, but for a processor whose
 * threads share an issue port. */
double htmt__trace_issue(const struct htmt_trace_resource *r);

#endif
