/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/export/labels.h"

#include "runtime/base/printable.h"

#include <stdio.h>

struct htmt__label htmt__label_of(const char *text)
{
    struct htmt__label l;
    htmt_printable(text, l.s, sizeof l.s);
    return l;
}

/* What a wait of the step is for. */
static const char *target_of(const struct htmt_trace_info *info, const struct htmt_trace_step *s)
{
    return s->place == HTMT_TRACE_GATE     ? "its gate"
           : s->resource < info->resources ? info->resource[s->resource].name
           : s->layer < info->layers       ? info->layer[s->layer].memory
                                           : "nobody known";
}

struct htmt__label htmt__label_step(const struct htmt_trace_info *info, uint32_t step, bool waiting)
{
    const struct htmt_trace_step *s = &info->step[step];
    const char *stage = s->stage < HTMT_STAGES ? htmt_stage_name(s->stage) : "";
    char text[256];
    if (s->place == HTMT_TRACE_SECTION)
        snprintf(text, sizeof text, "section");
    else
        snprintf(text, sizeof text, "%s%s%s%s%s", s->type, *s->type && *stage ? " " : "", stage,
                 waiting ? " waits for " : "", waiting ? target_of(info, s) : "");
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
