/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dependences of a trace: for each interval its cause, the interval that it waited for, and
 * when it could begin after its cause. 34 bytes an interval: 10^7 intervals take 340 MB. Only
 * traces in which some wait ends after a latency have the column `late`, 8 bytes more.
 */
#ifndef HTMT_EMUL_LIB_TRACE_GRAPH_H
#define HTMT_EMUL_LIB_TRACE_GRAPH_H

#include "emul/trace/htmt_trace.h"

#define HTMT__GRAPH_NONE UINT32_MAX

/* Intervals are counted over all slices: number n of slice s is base[s] + n. */
struct htmt__graph {
    const struct htmt_trace_info *info;
    uint32_t count, slices; /* slices: up to the last one that has intervals */
    uint32_t *base;         /* of each slice, and the count */
    uint32_t *cause, *line; /* HTMT__GRAPH_NONE: time 0; it did not wait for one */
    uint16_t *step;
    htmt_time *service, *lag;
    htmt_time *late; /* NULL: 0 everywhere */
    htmt_time *work; /* one for each interval, for whoever computes */
    struct htmt__graph_run {
        uint32_t first, end; /* neighbours of a slice that follow each other */
    } * run;                 /* an order in which causes come first */
    size_t runs, room;
    uint64_t cut; /* references that were left out: they lead to what ended later, or in a circle */
};

/* Reads all of the trace, which stays open as long as the graph is used. The caller gives the graph
 * to htmt__graph_clear(), after an error, too. Errors: HTMT_ENOMEM, HTMT_EHOSTFIT (2^32 - 1
 * intervals or more, 2^16 steps or more), HTMT_EFORMAT, those of htmt_trace_block_read(). */
int htmt__graph_load(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault);
void htmt__graph_clear(struct htmt__graph *g);

/* Intervals of these steps take no time; with `line`, they wait for nobody, either. */
struct htmt__graph_without {
    const bool *step;
    bool line;
};

/* The end of the last interval without those; NULL: as it was. work[] has all ends. */
htmt_time htmt__graph_end(struct htmt__graph *g, const struct htmt__graph_without *w);

/* work[] becomes the latest end of each interval with which the run would end as it did. */
void htmt__graph_latest(struct htmt__graph *g);

#endif
