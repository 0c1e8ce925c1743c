/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slack and gain of a trace, out of its graph: graph.c says how.
 *
 * Each resource, memory and type is a set of steps. Its gain is one evaluation of the graph in
 * which the services of these steps take no time; slack is one evaluation backwards for all of
 * them, and then the least and the median of each set. Medians are selected, not sorted, in the
 * memory of the lags, which nobody needs any more.
 *
 * A gain is the answer to "what if this took no time", with all else as it was recorded: causes and
 * the order of lines stay. So it is a bound for small changes and a hint for large ones; gains of
 * two rows do not add up, since the path then goes where neither is. Cost: one pass over all
 * intervals for each resource, memory and type.
 */
#include "emul/lib/trace/slack.h"

#include "emul/lib/trace/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

struct search {
    const struct htmt_trace_info *info;
    struct htmt__graph graph;
    const struct htmt__trace_path *path;
    struct htmt__gains *to;
    bool *mine; /* the step belongs to the row */
    htmt_time end;
};

const char *htmt__gain_kind_name(enum htmt__gain_kind kind)
{
    static const char *const kinds[HTMT__GAIN_KINDS] = {"resource", "memory", "type"};
    return kind < HTMT__GAIN_KINDS ? kinds[kind] : "?";
}

static void find_members(struct search *s, const struct htmt__gain_row *row)
{
    for (uint32_t i = 0; i < s->info->steps; i++) {
        const struct htmt_trace_step *step = &s->info->step[i];
        bool service = step->place == HTMT_TRACE_SERVED || step->place == HTMT_TRACE_SENT ||
                       step->place == HTMT_TRACE_RECEIVED;
        bool wait = step->place == HTMT_TRACE_STALLED || step->place == HTMT_TRACE_ROOM;
        s->mine[i] = row->kind == HTMT__GAIN_RESOURCE ? service && step->resource == row->of
                     : row->kind == HTMT__GAIN_SPACE  ? wait && step->layer == row->of
                                                      : service && !strcmp(step->type, row->name);
    }
}

static void add_row(struct search *s, enum htmt__gain_kind kind, uint32_t of, const char *name)
{
    struct htmt__gain_row row = {.kind = kind, .of = of};
    snprintf(row.name, sizeof row.name, "%s", name);
    find_members(s, &row);
    for (uint32_t i = 0; i < s->graph.count; i++)
        row.intervals += s->mine[s->graph.step[i]];
    if (!row.intervals)
        return;
    /* Space is on the path with the services that began when it became free. */
    for (uint64_t i = 0; i < s->path->count; i++) {
        const struct htmt__path_piece *p = &s->path->piece[i];
        bool mine = kind == HTMT__GAIN_SPACE
                        ? p->why == HTMT__PATH_SPACE && p->of == of
                        : p->spent == HTMT__PATH_IN_SERVICE && s->mine[p->step] &&
                              (kind == HTMT__GAIN_TYPE || p->place != HTMT_PATH_FLYING);
        row.on_path += mine ? p->to - p->from : 0;
    }
    row.gain =
        s->end -
        htmt__graph_end(&s->graph, &(struct htmt__graph_without){s->mine, kind != HTMT__GAIN_TYPE});
    s->to->row[s->to->count++] = row;
}

/* ---- slack ----------------------------------------------------------------------------------- */

/* Hoare's selection: the element that would stand at `k` if the values were sorted. */
static htmt_time select_value(htmt_time *value, uint64_t count, uint64_t k)
{
    uint64_t low = 0, high = count - 1;
    while (low < high) {
        htmt_time pivot = value[low + (high - low) / 2];
        uint64_t i = low, j = high;
        while (i <= j) {
            while (value[i] < pivot)
                i++;
            while (value[j] > pivot)
                j--;
            if (i > j)
                break;
            htmt_time swap = value[i];
            value[i++] = value[j];
            value[j] = swap;
            if (!j)
                break;
            j--;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return value[k];
}

/* Lags are no longer needed once the latest ends are known: the slack of the intervals of one row
 * is collected in their place. */
static int add_slack(struct htmt_trace *t, struct search *s, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    struct htmt__graph *g = &s->graph;
    int rc = 0;
    htmt__graph_latest(g);
    for (uint64_t i = 0; i < s->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++)
            g->work[g->base[b.slice] + (uint32_t)b.first + n] -= b.interval[n].end;
    }
    htmt_trace_block_clear(&b);
    for (uint32_t r = 0; r < s->to->count && !rc; r++) {
        struct htmt__gain_row *row = &s->to->row[r];
        uint64_t n = 0;
        if (row->kind == HTMT__GAIN_SPACE)
            continue;
        find_members(s, row);
        for (uint32_t i = 0; i < g->count; i++)
            if (s->mine[g->step[i]])
                g->lag[n++] = g->work[i];
        row->least = n ? g->lag[0] : 0;
        for (uint64_t i = 0; i < n; i++) {
            row->critical += g->lag[i] == 0;
            row->least = g->lag[i] < row->least ? g->lag[i] : row->least;
        }
        row->median = n ? select_value(g->lag, n, (n - 1) / 2) : 0;
    }
    return rc;
}

int htmt__gains_find(struct htmt_trace *t, const struct htmt__trace_path *path,
                     struct htmt__gains *gains, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct search s = {.info = info, .path = path, .to = gains};
    *gains = (struct htmt__gains){0};
    s.mine = calloc((size_t)info->steps + 1, sizeof *s.mine);
    gains->row =
        calloc((size_t)info->resources + info->layers + info->steps + 1, sizeof *gains->row);
    int rc = s.mine && gains->row
                 ? htmt__graph_load(t, &s.graph, fault)
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the slack");
    if (!rc) {
        gains->cut = s.graph.cut;
        s.end = htmt__graph_end(&s.graph, NULL);
        for (uint32_t i = 0; i < info->resources; i++)
            add_row(&s, HTMT__GAIN_RESOURCE, i, info->resource[i].name);
        for (uint32_t i = 0; i < info->layers; i++)
            add_row(&s, HTMT__GAIN_SPACE, i, info->layer[i].memory);
        for (uint32_t i = 0; i < info->steps; i++) {
            const char *type = info->step[i].type;
            bool is_new = *type;
            for (uint32_t k = 0; k < i && is_new; k++)
                is_new = strcmp(info->step[k].type, type) != 0;
            if (is_new)
                add_row(&s, HTMT__GAIN_TYPE, UINT32_MAX, type);
        }
        rc = add_slack(t, &s, fault);
    }
    htmt__graph_clear(&s.graph);
    free(s.mine);
    return rc;
}

void htmt__gains_clear(struct htmt__gains *gains)
{
    free(gains->row);
    *gains = (struct htmt__gains){0};
}
