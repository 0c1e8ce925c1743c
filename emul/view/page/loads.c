/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mean over slices hides the one that all others wait for: one of 4096 slices that is busy all
 * the time has a share of 0.02 % of it. So slices are ranked by their load: the share of the time
 * in which the busiest of a slice's processors and links was in use. A slice that computes all the
 * time and one that sends all the time have the same load, 1, and both can set the pace.
 *
 * The page begins with the slices at the ends and in the middle of that order, and with the one
 * that ends last, since the run ends with it: the busiest need not be the last.
 *
 * Who sends to whom follows from causes. An interval of one slice whose cause lies in another one
 * is the first there that a message, a call or a signal has set off; what the message does then has
 * causes in its own slice. So each is counted once, whatever the network is made of.
 */
#include "emul/view/page/loads.h"

#include "emul/lib/trace/filter.h"

#include <stdlib.h>

/* Loads in the order of slices, for qsort(). */
struct ranked {
    double load;
    uint32_t index;
};

static int by_load(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->load != y->load)
        return x->load > y->load ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts by load, and finds the slices that the page opens first. */
static int rank(const struct htmt__trace_slices *slices, struct htmt__page_loads *l)
{
    const uint32_t count = slices->count;
    struct ranked *ranked = calloc((size_t)count + 1, sizeof *ranked);
    if (!ranked)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){l->load[i], i};
    if (count)
        qsort(ranked, count, sizeof *ranked, by_load);
    for (uint32_t i = 0; i < count; i++)
        l->order[i] = ranked[i].index;
    free(ranked);
    const uint32_t wanted[] = {count ? l->order[0] : 0, slices->slowest,
                               count ? l->order[count / 2] : 0, count ? l->order[count - 1] : 0};
    for (unsigned k = 0; k < 4 && count; k++)
        if (!htmt__page_loads_is_first(l, wanted[k]))
            l->first[l->firsts++] = wanted[k];
    return 0;
}

int htmt__page_loads_make(struct htmt_trace *t, const struct htmt__rows *rows,
                          const struct htmt__trace_slices *slices, struct htmt__page_loads *l,
                          struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt_trace_block b = {0};
    const size_t count = (size_t)slices->count + 1;
    htmt_wide *busy = calloc((size_t)rows->count + 1, sizeof *busy);
    *l = (struct htmt__page_loads){.places = info->places ? info->places : 1};
    l->side = l->places < HTMT__MATRIX_MOST ? l->places : HTMT__MATRIX_MOST;
    l->load = calloc(count, sizeof *l->load);
    l->row = calloc(count, sizeof *l->row);
    l->order = calloc(count, sizeof *l->order);
    l->messages = calloc((size_t)l->side * l->side, sizeof *l->messages);
    int rc = busy && l->load && l->row && l->order && l->messages ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < slices->count && !rc; i++) {
        const struct htmt__trace_slice *s = &slices->slice[i];
        for (uint32_t row = 0; row < rows->count; row++)
            busy[row] = 0;
        for (uint64_t k = 0; k < s->blocks && !rc; k++) {
            rc = htmt__trace_read_sorted(t, s->place + k, &b, fault);
            for (uint32_t n = 0; n < b.count && !rc; n++) {
                const struct htmt_trace_interval *at = &b.interval[n];
                const uint32_t from = htmt_trace_ref_slice(at->cause);
                if (info->step[at->step].place != HTMT_TRACE_PAUSED)
                    busy[rows->of_step[at->step]] += at->service;
                if (at->cause != HTMT_TRACE_NONE && from != s->slice && from < l->places)
                    l->messages[(size_t)htmt__page_loads_line(l, from) * l->side +
                                htmt__page_loads_line(l, s->slice)]++;
            }
        }
        for (uint32_t row = 0; row < rows->count; row++) {
            const uint32_t r = rows->row[row].resource;
            if (r >= info->resources || !info->end || !info->resource[r].count)
                continue;
            const double load = (double)busy[row] * htmt__trace_issue(&info->resource[r]) /
                                ((double)info->end * info->resource[r].count);
            if (load > l->load[i]) {
                l->load[i] = load;
                l->row[i] = row;
            }
        }
    }
    htmt_trace_block_clear(&b);
    free(busy);
    rc = rc ? rc : rank(slices, l);
    if (rc)
        htmt__page_loads_clear(l);
    return rc;
}

void htmt__page_loads_clear(struct htmt__page_loads *l)
{
    free(l->load);
    free(l->row);
    free(l->order);
    free(l->messages);
    *l = (struct htmt__page_loads){0};
}

uint32_t htmt__page_loads_line(const struct htmt__page_loads *l, uint32_t slice)
{
    return (uint32_t)((uint64_t)slice * l->side / l->places);
}

bool htmt__page_loads_is_first(const struct htmt__page_loads *l, uint32_t index)
{
    for (uint32_t i = 0; i < l->firsts; i++)
        if (l->first[i] == index)
            return true;
    return false;
}
