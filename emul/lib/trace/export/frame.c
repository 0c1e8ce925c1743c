/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all exports do: they write a file whole or not at all. Timelines also need the events in the
 * order of time (order.c) and, for hand-offs, intervals that lie anywhere before: a cache of blocks
 * finds these, since a cause mostly lies in a block that was read a moment ago.
 */
#include "emul/lib/trace/export/frame.h"

#include "emul/lib/trace/cache.h"
#include "runtime/base/printable.h"
#include "runtime/base/whole_file.h"

#include <stdlib.h>

static int play(struct htmt__export *x, struct htmt_fault *fault)
{
    const struct htmt__export_format *format = x->format;
    struct htmt__order_event e;
    bool more = true;
    int rc = htmt__order_create(&x->order, x->trace, HTMT__ORDER_KEPT, fault);
    if (rc)
        return rc;
    const size_t slices = htmt__order_slices(x->order);
    x->rows = htmt__order_rows(x->order);
    x->declared = calloc(slices * x->rows->count + 1, sizeof *x->declared);
    x->slice = calloc(slices + 1, sizeof *x->slice);
    rc = htmt__trace_cache_create(&x->cache, x->trace);
    if (rc || !x->declared || !x->slice)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s", format->no_memory);
    if (!rc) {
        format->head(x);
        rc = htmt__order_next(x->order, &e, &more, fault);
    }
    while (!rc && more && !ferror(x->out)) {
        if (e.what == HTMT__ORDER_BEGIN)
            rc = format->begin(x, &e, fault);
        else if (e.what == HTMT__ORDER_END)
            format->end(x, &e);
        else
            format->fill(x, &e);
        if (!rc)
            rc = htmt__order_next(x->order, &e, &more, fault);
    }
    if (!rc && format->tail)
        format->tail(x);
    htmt__trace_cache_destroy(&x->cache);
    free(x->slice);
    free(x->declared);
    htmt__order_destroy(&x->order);
    return rc;
}

/* `format`: of a timeline, or NULL. */
static int export(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                  const struct htmt__export_format *format,
                  int (*write)(struct htmt__export *x, struct htmt_fault *fault),
                  struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    struct htmt__export x = {.format = format,
                             .trace = t,
                             .info = htmt_trace_info(t),
                             .unit = unit,
                             .out = htmt_whole_file_stream(file)};
    rc = write(&x, fault);
    if (rc)
        htmt_whole_file_abandon(&file);
    return rc ? rc : htmt_whole_file_commit(&file, fault);
}

int htmt__export_file(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                      int (*write)(struct htmt__export *x, struct htmt_fault *fault),
                      struct htmt_fault *fault)
{
    return export(t, path, unit, NULL, write, fault);
}

int htmt__export_timeline(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                          const struct htmt__export_format *format, struct htmt_fault *fault)
{
    return export(t, path, unit, format, play, fault);
}

int htmt__export_hand_off(struct htmt__export *x, const struct htmt__order_event *e,
                          struct htmt_trace_interval *cause, bool *is, struct htmt_fault *fault)
{
    *is = false;
    if (!e->span.first || e->kind == HTMT__SPAN_SECTION || e->span.cause == HTMT_TRACE_NONE)
        return 0;
    int rc = htmt__trace_cache_get(x->cache, e->span.cause, cause, fault);
    *is = !rc && cause->serial != e->span.serial;
    return rc;
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct htmt__label htmt__label_of(const char *text)
{
    struct htmt__label l;
    htmt_printable(text, l.s, sizeof l.s);
    return l;
}

struct htmt__label htmt__label_step(const struct htmt_trace_info *info, uint32_t step, bool waiting)
{
    const struct htmt_trace_step *s = &info->step[step];
    const char *stage = s->stage < HTMT_STAGES ? htmt_stage_name(s->stage) : "";
    const char *target = s->place == HTMT_TRACE_GATE     ? "its gate"
                         : s->resource < info->resources ? info->resource[s->resource].name
                         : s->layer < info->layers       ? info->layer[s->layer].memory
                                                         : "nobody known";
    char text[256];
    if (s->place == HTMT_TRACE_SECTION)
        snprintf(text, sizeof text, "section");
    else
        snprintf(text, sizeof text, "%s%s%s%s%s", s->type, *s->type && *stage ? " " : "", stage,
                 waiting                         ? " waits for "
                 : s->place == HTMT_TRACE_PAUSED ? " pauses"
                                                 : "",
                 waiting ? target : "");
    return htmt__label_of(text);
}

struct htmt__label htmt__label_slice(const struct htmt_trace_info *info, uint32_t slice)
{
    struct htmt__label l;
    if (slice == info->host)
        snprintf(l.s, sizeof l.s, "host");
    else if (info->stands_for > 1)
        snprintf(l.s, sizeof l.s, "slice %u, stands for %u", slice, info->stands_for);
    else
        snprintf(l.s, sizeof l.s, "slice %u", slice);
    return l;
}
