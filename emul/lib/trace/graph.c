/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/graph.h"

#include "emul/lib/trace/slices.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- columns --------------------------------------------------------------------------------- */

static int no_memory(const struct htmt_trace_info *info, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " intervals",
                          info->intervals);
}

static int count_slices(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    g->slices = htmt__trace_slices_end(t);
    g->base = calloc((size_t)g->slices + 1, sizeof *g->base);
    if (!g->base)
        return no_memory(g->info, fault);
    for (uint64_t i = 0; i < g->info->blocks; i++) {
        int rc = htmt_trace_block_at(t, i, &b);
        if (rc || b.slice >= g->slices)
            return htmt_fault_set(fault, HTMT_EFORMAT, "block %" PRIu64 " is of no slice", i);
        g->base[b.slice + 1] += b.count;
    }
    for (uint32_t s = 0; s < g->slices; s++)
        g->base[s + 1] += g->base[s];
    g->count = g->base[g->slices];
    return 0;
}

static int make_columns(struct htmt__graph *g, struct htmt_fault *fault)
{
    size_t n = (size_t)g->count + 1;
    g->cause = malloc(n * sizeof *g->cause);
    g->line = malloc(n * sizeof *g->line);
    g->step = malloc(n * sizeof *g->step);
    g->service = malloc(n * sizeof *g->service);
    g->lag = malloc(n * sizeof *g->lag);
    g->work = malloc(n * sizeof *g->work);
    bool all = g->cause && g->line && g->step && g->service && g->lag && g->work;
    return all ? 0 : no_memory(g->info, fault);
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
static void take_interval(struct htmt__graph *g, uint32_t at, const struct htmt_trace_interval *i)
{
    g->cause[at] = index_of(g, i->cause);
    g->line[at] = i->wait > 0 ? index_of(g, i->line) : HTMT__GRAPH_NONE;
    g->step[at] = (uint16_t)i->step;
    g->service[at] = i->service;
    g->lag[at] = i->end - i->service - i->wait;
    g->work[at] = i->end;
}

static int read_blocks(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = 0; i < g->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        if (!rc && b.first + b.count > g->base[b.slice + 1] - g->base[b.slice])
            rc = htmt_fault_set(fault, HTMT_EFORMAT, "block %" PRIu64 " leaves intervals out", i);
        for (uint32_t n = 0; n < b.count && !rc; n++)
            take_interval(g, g->base[b.slice] + (uint32_t)b.first + n, &b.interval[n]);
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* The one that it waited for ended before its wait did. */
static int set_late(struct htmt__graph *g, uint32_t at, htmt_time late)
{
    if (!g->late && !(g->late = calloc((size_t)g->count + 1, sizeof *g->late)))
        return HTMT_ENOMEM;
    g->late[at] = late;
    return 0;
}

static htmt_time late_of(const struct htmt__graph *g, uint32_t at)
{
    return g->late ? g->late[at] : 0;
}

/* A wait for nobody, or for one that ended after it was over, is a time like any other. */
static int settle_line(struct htmt__graph *g, uint32_t at)
{
    htmt_time start = g->work[at] - g->service[at];
    if (g->line[at] != HTMT__GRAPH_NONE && g->work[g->line[at]] > start) {
        g->line[at] = HTMT__GRAPH_NONE;
        g->cut++;
    }
    if (g->line[at] == HTMT__GRAPH_NONE) {
        g->lag[at] = start;
        return 0;
    }
    htmt_time late = start - g->work[g->line[at]];
    return late ? set_late(g, at, late) : 0;
}

static int settle_times(struct htmt__graph *g)
{
    int rc = 0;
    for (uint32_t i = 0; i < g->count && !rc; i++) {
        rc = settle_line(g, i);
        if (g->cause[i] != HTMT__GRAPH_NONE)
            g->lag[i] -= g->work[g->cause[i]];
    }
    return rc;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Slices that wait for each other's intervals. */
struct order {
    struct htmt__graph *g;
    uint32_t *done; /* of each slice: the first that has no place yet */
    uint32_t *stack, *target;
    bool *waits; /* the slice is on the stack */
    uint32_t depth;
};

static uint32_t slice_of(const struct htmt__graph *g, uint32_t at)
{
    uint32_t low = 0, high = g->slices;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->base[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Appends interval `at` to the order. */
static int place(struct htmt__graph *g, uint32_t at)
{
    if (g->runs && g->run[g->runs - 1].end == at) {
        g->run[g->runs - 1].end++;
        return 0;
    }
    if (g->runs == g->room) {
        uint64_t room = g->room ? 2 * g->room : 1024;
        struct htmt__graph_run *more = realloc(g->run, (size_t)room * sizeof *more);
        if (!more)
            return HTMT_ENOMEM;
        g->run = more;
        g->room = room;
    }
    g->run[g->runs++] = (struct htmt__graph_run){at, at + 1};
    return 0;
}

static void wait_for(struct order *o, uint32_t slice, uint32_t target)
{
    o->stack[o->depth] = slice;
    o->target[o->depth++] = target;
    o->waits[slice] = true;
}

/* True: one that interval `at` refers to has no place yet, and its slice goes first. A reference
 * to a slice that waits itself is cut. */
static bool must_wait(struct order *o, uint32_t slice, uint32_t at, uint32_t *ref)
{
    struct htmt__graph *g = o->g;
    if (*ref == HTMT__GRAPH_NONE || (*ref >= g->base[slice] && *ref < at))
        return false;
    uint32_t other = slice_of(g, *ref);
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

/* All intervals of the slice, and before them those that they refer to. */
static int order_slice(struct order *o, uint32_t slice)
{
    struct htmt__graph *g = o->g;
    int rc = 0;
    wait_for(o, slice, g->base[slice + 1]);
    while (o->depth && !rc) {
        uint32_t top = o->stack[o->depth - 1], at = o->done[top];
        if (at >= o->target[o->depth - 1]) {
            o->waits[top] = false;
            o->depth--;
        } else if (!must_wait(o, top, at, &g->line[at]) && !must_wait(o, top, at, &g->cause[at])) {
            rc = place(g, at);
            o->done[top]++;
        }
    }
    return rc;
}

static int find_order(struct htmt__graph *g)
{
    uint32_t slices = g->slices;
    struct order o = {.g = g};
    int rc = HTMT_ENOMEM;
    o.done = malloc(((size_t)slices + 1) * sizeof *o.done);
    o.stack = malloc(((size_t)slices + 1) * sizeof *o.stack);
    o.target = malloc(((size_t)slices + 1) * sizeof *o.target);
    o.waits = calloc((size_t)slices + 1, sizeof *o.waits);
    if (o.done && o.stack && o.target && o.waits) {
        for (uint32_t s = 0; s < slices; s++)
            o.done[s] = g->base[s];
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

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__graph_load(struct htmt_trace *t, struct htmt__graph *g, struct htmt_fault *fault)
{
    *g = (struct htmt__graph){.info = htmt_trace_info(t)};
    if (g->info->intervals >= UINT32_MAX || g->info->steps > UINT16_MAX)
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "the slack of more than %u intervals or %u steps cannot be found",
                              UINT32_MAX - 1, UINT16_MAX);
    int rc = count_slices(t, g, fault);
    if (!rc)
        rc = make_columns(g, fault);
    if (!rc)
        rc = read_blocks(t, g, fault);
    if (rc)
        return rc;
    rc = settle_times(g);
    if (!rc)
        rc = find_order(g);
    return rc ? no_memory(g->info, fault) : 0;
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

/* When it could begin if nobody were before it. What a free service set off in its middle comes as
 * it begins. */
static htmt_time ready(const struct htmt__graph *g, const struct htmt__graph_free *f, uint32_t at)
{
    uint32_t cause = g->cause[at];
    if (cause == HTMT__GRAPH_NONE)
        return g->lag[at];
    bool within = g->lag[at] < 0 && f && f->service[g->step[cause]];
    return g->work[cause] + (within ? 0 : g->lag[at]);
}

htmt_time htmt__graph_end(struct htmt__graph *g, const struct htmt__graph_free *f)
{
    htmt_time last = 0;
    for (uint64_t r = 0; r < g->runs; r++)
        for (uint32_t i = g->run[r].first; i < g->run[r].end; i++) {
            uint32_t line = g->line[i];
            htmt_time at = ready(g, f, i);
            bool waits = line != HTMT__GRAPH_NONE && !(f && f->line[g->step[i]]);
            if (waits && g->work[line] + late_of(g, i) > at)
                at = g->work[line] + late_of(g, i);
            at += f && f->service[g->step[i]] ? 0 : g->service[i];
            g->work[i] = at;
            last = at > last ? at : last;
        }
    return last;
}

static void bound(htmt_time *latest, htmt_time at)
{
    *latest = at < *latest ? at : *latest;
}

void htmt__graph_latest(struct htmt__graph *g)
{
    htmt_time end = htmt__graph_end(g, NULL);
    for (uint32_t i = 0; i < g->count; i++)
        g->work[i] = end;
    for (uint64_t r = g->runs; r--;)
        for (uint32_t i = g->run[r].end; i-- > g->run[r].first;) {
            htmt_time start = g->work[i] - g->service[i];
            if (g->line[i] != HTMT__GRAPH_NONE)
                bound(&g->work[g->line[i]], start - late_of(g, i));
            if (g->cause[i] != HTMT__GRAPH_NONE)
                bound(&g->work[g->cause[i]], start - g->lag[i]);
        }
}
