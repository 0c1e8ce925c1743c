/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Use of each resource over time: each service is divided among the bins that it spans, in whole
 * femtoseconds, so the bins of a resource add up to its busy time exactly. A service of 30 from 25
 * on, in bins of 20, gives 15 to bin 1 (20 to 40) and 15 to bin 2 (40 to 60).
 */
#include "emul/lib/trace/use.h"

#include "emul/lib/report/chart.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"

#include <math.h>
#include <stdlib.h>

enum { ROW = 54, TALL = 40, WIDE = 620 };

/* ---- sums ------------------------------------------------------------------------------------ */

int htmt__trace_use_make(struct htmt_trace *t, unsigned bins, struct htmt__trace_use *u,
                         struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt_trace_block b = {0};
    *u = (struct htmt__trace_use){.info = info, .bins = bins, .bin = info->end / bins + 1};
    u->busy = calloc(((size_t)info->resources + 1) * bins, sizeof *u->busy);
    int rc = u->busy ? htmt__trace_part_make(info, &u->part) : HTMT_ENOMEM;
    if (rc)
        htmt_fault_set(fault, rc, "no memory for the use over time");
    for (uint64_t i = 0; i < info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            const struct htmt_trace_step *s = &info->step[at->step];
            if (s->place > HTMT_TRACE_RECEIVED || s->resource >= info->resources)
                continue;
            htmt_wide *busy = &u->busy[(size_t)s->resource * bins];
            for (htmt_time from = at->end - at->service, until; from < at->end; from = until) {
                const htmt_time bin = from / u->bin, end = (bin + 1) * u->bin;
                if (bin >= bins)
                    break;
                until = end < at->end ? end : at->end;
                busy[bin] += until - from;
            }
        }
    }
    htmt_trace_block_clear(&b);
    return rc;
}

void htmt__trace_use_clear(struct htmt__trace_use *u)
{
    htmt__trace_part_clear(&u->part);
    free(u->busy);
    *u = (struct htmt__trace_use){0};
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* A step for each bin, as high as the share of the servers or channels that are busy in it, closed
 * along the foot. The last bin is as long as the run goes on. The mean is that of the report; the
 * steps are of the places that the trace has. */
static void draw_row(const struct htmt__chart *page, const struct htmt__trace_use *u,
                     uint32_t resource, unsigned place)
{
    const struct htmt_trace_resource *r = &u->info->resource[resource];
    const double mean = htmt__trace_utilization(u->info, resource);
    const double places = htmt__trace_part_places(&u->part, u->info, resource);
    const double issue = htmt__trace_issue(r);
    struct htmt__chart c = *page;
    char share[80];
    c.top += place * (double)ROW;
    c.height = TALL;
    const double foot = c.top + c.height;
    snprintf(share, sizeof share, "mean %s", htmt__format_share(mean).s);
    htmt__chart_line(&c, c.left, c.top, c.left + c.width, c.top, "grid");
    htmt__chart_line(&c, c.left, foot, c.left + c.width, foot, "grid");
    htmt__chart_text(&c, c.left - 8, c.top + 16, "end", "ink", r->name);
    htmt__chart_text(&c, c.left - 8, c.top + 32, "end", "dim", share);
    htmt__markup(c.out, "<path class=\"%s\" data-of=\"%s\" data-value=\"%.17g\" d=\"M%.2f %.2f",
                 r->kind == HTMT_BANK ? "compute" : "transfer", r->name, mean, c.left, foot);
    for (unsigned i = 0; i < u->bins && (htmt_time)i * u->bin < u->info->end; i++) {
        const htmt_time from = (htmt_time)i * u->bin, left = u->info->end - from;
        const double length = (double)(left < u->bin ? left : u->bin);
        const double all = length * r->count * places;
        const double busy = issue * (double)u->busy[(size_t)resource * u->bins + i];
        const double end = fmin((double)(i + 1) * (double)u->bin, (double)u->info->end);
        htmt__markup(c.out, "V%.2fH%.2f", htmt__chart_y(&c, all > 0 ? busy / all : 0),
                     htmt__chart_x(&c, end / (double)HTMT_SECOND));
    }
    htmt__markup(c.out, "V%.2fZ\"><title>%s</title></path>\n", foot, r->name);
    htmt__chart_text(&c, c.left + c.width + 6, c.top + 4, "start", "dim", "100 %");
}

int htmt__trace_use_print(const void *user, FILE *out)
{
    const struct htmt__trace_use *u = user;
    unsigned rows = 0, place = 0;
    htmt__markup(
        out, "<p>Share of the servers or channels of all slices that are busy, in pieces of %s.",
        htmt__format_fs(u->bin).s);
    if (u->part.filtered)
        htmt__markup(out,
                     " The trace is filtered: the steps are of what it has (%s), the means of the "
                     "whole run.",
                     u->part.text);
    htmt__markup(out, "</p>\n");
    for (uint32_t i = 0; i < u->info->resources; i++)
        rows += htmt__trace_utilization(u->info, i) > 0;
    if (u->info->end <= 0 || !rows)
        return 0;
    struct htmt__chart c = {
        .out = out,
        .left = 190,
        .top = 12,
        .width = WIDE,
        .height = rows * (double)ROW,
        .right = 60,
        .bottom = 48,
        .x = {0, (double)u->info->end / (double)HTMT_SECOND, false, "s", "virtual time"},
        .y = {0, 1, false, "%", ""}};
    htmt__chart_begin(&c, "Use of each resource over time");
    htmt__chart_grid_x(&c);
    for (uint32_t i = 0; i < u->info->resources; i++)
        if (htmt__trace_utilization(u->info, i) > 0)
            draw_row(&c, u, i, place++);
    htmt__chart_end(&c);
    return 0;
}
