/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The picture of a timeline: title, legend, slices below each other, the axis. Without a choice the
 * slices are the slowest, the median and the fastest, since the run ends with the first and the
 * three together tell how even the work is.
 */
#include "emul/view/picture/timeline.h"

#include "emul/view/picture/timeline_parts.h"

#include <stdlib.h>

#define TOP    72.0
#define LEGEND 42.0

struct choice {
    uint32_t index[HTMT__TIMELINE_SLICES_MAX]; /* into the slices of the trace */
    uint32_t count;
};

static int choose(const struct htmt__trace_slices *s, const struct htmt__timeline_request *r,
                  struct choice *c, struct htmt_fault *fault)
{
    const uint32_t rank[] = {s->slowest, s->median, s->fastest};
    uint32_t found = 0;
    c->count = 0;
    for (unsigned i = 0; i < 3 && s->count && !r->slice_ranges; i++) {
        bool chosen = false;
        for (uint32_t k = 0; k < c->count; k++)
            chosen = chosen || c->index[k] == rank[i];
        if (!chosen)
            c->index[c->count++] = rank[i];
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t slice = s->slice[i].slice;
        bool wanted = false;
        for (uint32_t k = 0; k < r->slice_ranges; k++)
            wanted = wanted || (slice >= r->slices[k].first && slice <= r->slices[k].last);
        if (wanted && c->count < HTMT__TIMELINE_SLICES_MAX)
            c->index[c->count++] = i;
        found += wanted;
    }
    if (found > HTMT__TIMELINE_SLICES_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--slices: found %u slices, expected at most %d in a picture", found,
                              HTMT__TIMELINE_SLICES_MAX);
    if (!c->count)
        return htmt_fault_set(fault, HTMT_EUSAGE, "the trace has no interval of these slices");
    return 0;
}

/* Title and legend. Start-up has an entry only where a network of the run has one. */
static void draw_head(struct htmt__timeline_picture *p)
{
    static const enum htmt__activity solid[] = {HTMT__STARTUP, HTMT__TRANSFER, HTMT__COMPUTE,
                                                HTMT__BLOCKS};
    const struct htmt_trace_info *info = p->info;
    struct htmt__shape *m = htmt__sheet_text(
        p->sheet, 14, 27, "Timeline: %s%s%s, %s%s%s%s", info->app, *info->app ? " on " : "",
        info->machine, info->mode, info->stands_for > 1 ? ", a slice stands for many" : "",
        info->filtered ? ", FILTERED" : "", info->complete ? "" : ", INCOMPLETE");
    m->bold = true;
    m->size = 17;
    m->room = HTMT__TIMELINE_LEFT + HTMT__TIMELINE_PLOT - 14;
    double x = HTMT__TIMELINE_LEFT;
    bool startup = false;
    for (uint32_t i = 0; i < info->resources; i++)
        startup = startup || info->resource[i].startup;
    for (unsigned i = startup ? 0 : 1; i < sizeof solid / sizeof *solid; i++)
        x = htmt__sheet_key(p->sheet, x, LEGEND, htmt__state_colour(p->palette, solid[i]),
                            HTMT__INK, false, htmt__state_legend(solid[i]));
    x = htmt__sheet_key(p->sheet, x, LEGEND, HTMT__HELD,
                        htmt__state_colour(p->palette, HTMT__BLOCKED), true,
                        "is blocked: holds a place, waits for the next");
    x = htmt__sheet_key(p->sheet, x, LEGEND, HTMT__WAITING, HTMT__FADED, true, "waits in line");
    htmt__sheet_key(p->sheet, x, LEGEND, HTMT__FILL,
                    htmt__state_colour(HTMT__PALETTE_DEFAULT, HTMT__TRANSFER), false, "words used");
}

static const char *rank_of(const struct htmt__trace_slices *s, uint32_t index)
{
    if (s->count < 2)
        return "";
    if (htmt__trace_slices_together(s))
        return ", all end together";
    if (index == s->slowest)
        return ", the slowest";
    return index == s->fastest ? ", the fastest" : index == s->median ? ", the median" : "";
}

static int draw_all(struct htmt__timeline_picture *p, const struct htmt__trace_slices *slices,
                    const struct choice *c, struct htmt_fault *fault)
{
    double y = TOP;
    int rc = 0;
    draw_head(p);
    for (uint32_t i = 0; i < c->count && !rc; i++)
        rc = htmt__timeline_slice(p, &slices->slice[c->index[i]], rank_of(slices, c->index[i]), &y,
                                  fault);
    if (rc)
        return rc;
    htmt__time_draw(&p->axis, p->sheet, y, y);
    struct htmt__shape *note = htmt__sheet_text(
        p->sheet, 14, y + 38, "A lane is no processor: lanes tell how many were busy at once.");
    note->size = 11;
    note->ink = HTMT__FADED;
    struct htmt__drawing *d = &p->sheet->drawing;
    d->width = HTMT__TIMELINE_LEFT + HTMT__TIMELINE_PLOT + HTMT__TIMELINE_RIGHT;
    d->height = y + HTMT__TIME_AXIS_HEIGHT + 8;
    d->title = p->info->app;
    return p->sheet->failed ? HTMT_ENOMEM : 0;
}

int htmt__timeline_draw(struct htmt_trace *t, const struct htmt__timeline_request *request,
                        struct htmt__sheet *sheet, struct htmt_fault *fault)
{
    struct htmt__rows rows;
    struct htmt__timeline_picture p = {.trace = t,
                                       .info = htmt_trace_info(t),
                                       .rows = &rows,
                                       .sheet = sheet,
                                       .palette = request->gantt ? HTMT__PALETTE_GANTT
                                                                 : HTMT__PALETTE_DEFAULT};
    htmt_time to = request->to ? request->to : p.info->end;
    p.axis = (struct htmt__time_axis){request->from, to > request->from ? to : request->from + 1,
                                      HTMT__TIMELINE_LEFT, HTMT__TIMELINE_PLOT};
    struct htmt__trace_slices slices;
    struct choice chosen;
    int rc = htmt__rows_make(p.info, &rows);
    if (rc)
        return rc;
    rc = htmt__trace_slices_make(t, &slices);
    if (!rc) {
        rc = choose(&slices, request, &chosen, fault);
        if (!rc)
            rc = draw_all(&p, &slices, &chosen, fault);
        htmt__trace_slices_clear(&slices);
    }
    htmt__rows_clear(&rows);
    return rc;
}
