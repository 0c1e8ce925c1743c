/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All dependences of a trace as a graph whose times can be computed again.
 *
 * An interval begins when it is ready and the interval that it waited for has ended:
 *
 *     ready = end of the cause + lag
 *     end   = max(ready, end of the interval in front + late) + service
 *
 * The lag is a latency; it is negative if the cause set it off in the middle of its own service.
 * `late` is 0 but for waits that end a latency after the interval in front. Both are measured once,
 * from the recorded times. So the two lines, evaluated for all intervals in an order in which
 * causes come first, give back all recorded ends; that is the test that the graph is right. Now
 * they can be evaluated with other figures: with services of length 0, the last end is the end that
 * the run would have had (the gain). Evaluated backwards, with minima, they give the latest end
 * that each interval may have without the run's end moving; the difference to its recorded end is
 * its slack.
 *
 * Example. A is served 0 to 4, B waits for A and is served 4 to 10; A sends to C, lag 1, which is
 * served 5 to 7. The run ends at 10. Backwards: C may end at 10 (slack 3) and begin at 8, so A may
 * end at 7 for C's sake, but at 4 for B's: slack 0, A and B are critical. Without B's service the
 * run ends at 7: a gain of 3, not of 6, for then C decides.
 *
 * The order. Intervals of one slice are recorded as they ended, so within a slice causes come first
 * already. Slices are merged with a stack: an interval whose cause lies in another slice, where it
 * has no place yet, suspends its slice and the other one goes first. The order is kept as runs of
 * neighbours, which are long. References in a circle, or to intervals that ended later, which only
 * a filtered or a damaged trace has, are cut and counted; the times that they explained become lag.
 *
 * Cost: 34 bytes an interval, 8 more if any wait is late; one pass over all intervals for each
 * evaluation.
 */
#include "emul/lib/trace/graph.h"

#include "emul/lib/trace/slices.h"
#include "runtime/base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static htmt_time late_of(const struct htmt__graph *g, uint32_t at)
{
    return g->late ? g->late[at] : 0;
}

static void bound(htmt_time *latest, htmt_time at)
{
    *latest = at < *latest ? at : *latest;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int no_memory(const struct htmt__graph *g, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " intervals",
                          g->info->intervals);
}

static int make_columns(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    g->slices = htmt__trace_slices_end(t);
    g->base = calloc((size_t)g->slices + 1, sizeof *g->base);
    if (!g->base)
        return no_memory(g, fault);
    for (uint64_t i = 0; i < g->info->blocks; i++) {
        if (htmt_trace_block_at(t, i, &b) || b.slice >= g->slices)
            return htmt_fault_set(fault, HTMT_EFORMAT, "block %" PRIu64 " is of no slice", i);
        g->base[b.slice + 1] += b.count;
    }
    for (uint32_t s = 0; s < g->slices; s++)
        g->base[s + 1] += g->base[s];
    g->count = g->base[g->slices];
    size_t n = (size_t)g->count + 1;
    g->cause = malloc(n * sizeof *g->cause);
    g->line = malloc(n * sizeof *g->line);
    g->step = malloc(n * sizeof *g->step);
    g->service = malloc(n * sizeof *g->service);
    g->lag = malloc(n * sizeof *g->lag);
    g->work = malloc(n * sizeof *g->work);
    bool all = g->cause && g->line && g->step && g->service && g->lag && g->work;
    return all ? 0 : no_memory(g, fault);
}

static uint32_t index_of(struct htmt__graph *g, htmt_trace_ref ref)
{
    uint32_t slice = htmt_trace_ref_slice(ref);
    uint64_t number = htmt_trace_ref_number(ref);
    if (ref == HTMT_TRACE_NONE)
        return HTMT__GRAPH_NONE;
    if (slice < g->slices && number < g->base[slice + 1] - g->base[slice])
        return g->base[slice] + (uint32_t)number;
    g->cut++;
    return HTMT__GRAPH_NONE;
}

/* For now `lag` is when the wait begins, and `work` the end. */
static int read_columns(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = 0; i < g->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        if (!rc && b.first + b.count > g->base[b.slice + 1] - g->base[b.slice])
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "block %" PRIu64 " leaves intervals out", i);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *from = &b.interval[n];
            uint32_t at = g->base[b.slice] + (uint32_t)b.first + n;
            g->cause[at] = index_of(g, from->cause);
            g->line[at] = from->wait > 0 ? index_of(g, from->line) : HTMT__GRAPH_NONE;
            g->step[at] = (uint16_t)from->step;
            g->service[at] = from->service;
            g->lag[at] = from->end - from->service - from->wait;
            g->work[at] = from->end;
        }
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* Finds the lags and how late waits end. A wait for nobody, or for an interval that ended after the
 * wait was over, becomes part of the lag. */
static int settle_times(struct htmt__graph *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        htmt_time start = g->work[i] - g->service[i];
        uint32_t line = g->line[i];
        if (line != HTMT__GRAPH_NONE && g->work[line] > start) {
            g->line[i] = line = HTMT__GRAPH_NONE;
            g->cut++;
        }
        if (line == HTMT__GRAPH_NONE) {
            g->lag[i] = start;
        } else if (g->work[line] != start) {
            if (!g->late && !(g->late = calloc((size_t)g->count + 1, sizeof *g->late)))
                return HTMT_ENOMEM;
            g->late[i] = start - g->work[line];
        }
        if (g->cause[i] != HTMT__GRAPH_NONE)
            g->lag[i] -= g->work[g->cause[i]];
    }
    return 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Slices that wait for each other's intervals, on a stack: each until it has come to its target. */
struct order {
    struct htmt__graph *g;
    uint32_t *done; /* of each slice: the first interval that has no place yet */
    uint32_t *stack, *target;
    bool *waits; /* the slice is on the stack */
    uint32_t depth;
};

static void wait_for(struct order *o, uint32_t slice, uint32_t target)
{
    o->stack[o->depth] = slice;
    o->target[o->depth++] = target;
    o->waits[slice] = true;
}

/* True: the interval *ref, which interval `at` refers to, has no place yet, and its slice goes
 * first. A reference to a slice that waits itself is cut. */
static bool must_wait(struct order *o, uint32_t slice, uint32_t at, uint32_t *ref)
{
    struct htmt__graph *g = o->g;
    if (*ref == HTMT__GRAPH_NONE || (*ref >= g->base[slice] && *ref < at))
        return false;
    uint32_t other = 0;
    for (uint32_t high = g->slices; high - other > 1;) { /* base[other] <= *ref < base[high] */
        const uint32_t middle = other + (high - other) / 2;
        if (g->base[middle] <= *ref)
            other = middle;
        else
            high = middle;
    }
    if (*ref < o->done[other])
        return false;
    if (!o->waits[other]) {
        wait_for(o, other, *ref + 1);
        return true;
    }
    if (ref == &g->cause[at])
        g->lag[at] += g->work[*ref];
    else
        g->lag[at] = g->work[at] - g->service[at] -
                     (g->cause[at] == HTMT__GRAPH_NONE ? 0 : g->work[g->cause[at]]);
    *ref = HTMT__GRAPH_NONE;
    g->cut++;
    return false;
}

/* Gives places to all intervals of the slice, and before them to those that they refer to. */
static int order_slice(struct order *o, uint32_t slice)
{
    struct htmt__graph *g = o->g;
    wait_for(o, slice, g->base[slice + 1]);
    while (o->depth) {
        uint32_t top = o->stack[o->depth - 1], at = o->done[top];
        if (at >= o->target[o->depth - 1]) {
            o->waits[top] = false;
            o->depth--;
            continue;
        }
        if (must_wait(o, top, at, &g->line[at]) || must_wait(o, top, at, &g->cause[at]))
            continue;
        o->done[top]++;
        if (g->runs && g->run[g->runs - 1].end == at) {
            g->run[g->runs - 1].end++;
            continue;
        }
        if (!htmt__array_fits(&g->run, &g->room, g->runs + 1, sizeof *g->run))
            return HTMT_ENOMEM;
        g->run[g->runs++] = (struct htmt__graph_run){at, at + 1};
    }
    return 0;
}

static int find_order(struct htmt__graph *g)
{
    const size_t slices = g->slices;
    struct order o = {.g = g};
    int rc = HTMT_ENOMEM;
    o.done = malloc((slices + 1) * sizeof *o.done);
    o.stack = malloc((slices + 1) * sizeof *o.stack);
    o.target = malloc((slices + 1) * sizeof *o.target);
    o.waits = calloc(slices + 1, sizeof *o.waits);
    if (o.done && o.stack && o.target && o.waits) {
        memcpy(o.done, g->base, slices * sizeof *o.done);
        rc = 0;
        for (uint32_t s = 0; s < slices && !rc; s++)
            rc = order_slice(&o, s);
    }
    free(o.waits);
    free(o.target);
    free(o.stack);
    free(o.done);
    return rc;
}

int htmt__graph_load(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    *g = (struct htmt__graph){.info = htmt_trace_info(t)};
    if (g->info->intervals >= UINT32_MAX || g->info->steps > UINT16_MAX)
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "the slack of more than %u intervals or %u steps cannot be found",
                              UINT32_MAX - 1, UINT16_MAX);
    int rc = make_columns(t, g, fault);
    if (!rc)
        rc = read_columns(t, g, fault);
    if (rc)
        return rc;
    rc = settle_times(g);
    if (!rc)
        rc = find_order(g);
    return rc ? no_memory(g, fault) : 0;
}

void htmt__graph_clear(struct htmt__graph *g)
{
    free(g->base);
    free(g->cause);
    free(g->line);
    free(g->step);
    free(g->service);
    free(g->lag);
    free(g->late);
    free(g->work);
    free(g->run);
    *g = (struct htmt__graph){0};
}

/* ---- times ----------------------------------------------------------------------------------- */

htmt_time htmt__graph_end(struct htmt__graph *g, const struct htmt__graph_without *w)
{
    htmt_time last = 0;
    for (size_t r = 0; r < g->runs; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i++) {
            uint32_t cause = g->cause[i], line = g->line[i];
            bool gone = w && w->step[g->step[i]];
            htmt_time at = g->lag[i];
            if (cause != HTMT__GRAPH_NONE) {
                /* What was set off in the middle of a service that is gone comes as it begins. */
                bool within = at < 0 && w && w->step[g->step[cause]];
                at = g->work[cause] + (within ? 0 : at);
            }
            if (line != HTMT__GRAPH_NONE && !(gone && w->line) &&
                g->work[line] + late_of(g, i) > at)
                at = g->work[line] + late_of(g, i);
            at += gone ? 0 : g->service[i];
            g->work[i] = at;
            last = at > last ? at : last;
        }
    return last;
}

void htmt__graph_latest(struct htmt__graph *g)
{
    htmt_time end = htmt__graph_end(g, NULL);
    for (uint32_t i = 0; i < g->count; i++)
        g->work[i] = end;
    for (size_t r = g->runs; r--;)
        for (uint32_t i = g->run[r].end; i-- > g->run[r].first;) {
            htmt_time start = g->work[i] - g->service[i];
            if (g->line[i] != HTMT__GRAPH_NONE)
                bound(&g->work[g->line[i]], start - late_of(g, i));
            if (g->cause[i] != HTMT__GRAPH_NONE)
                bound(&g->work[g->cause[i]], start - g->lag[i]);
        }
}
