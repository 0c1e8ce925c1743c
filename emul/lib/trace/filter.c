/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of a run a trace has. A filter keeps slices, layers, types and a span of time. Sums over the
 * intervals that were kept say something of these places in that time alone: whoever divides them
 * by all slices and all of the time makes a resource look idle that is busy. So views divide by the
 * places that are there, and take whatever is said of the whole run out of the footer, whose sums
 * no filter changes.
 *
 * Example: of four slices, one recorded, its SPELL busy for 25 of 100 us. The footer has 100 us
 * busy over four slices, which is 25 %; the intervals have 25 us, in one place of 100 us, which is
 * 25 % as well. Divided by all four slices they would give 6 %.
 */
#include "emul/lib/trace/filter.h"

#include "emul/lib/text/format.h"
#include "runtime/base/jansson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(struct htmt__trace_part *p, const char *before, const char *text)
{
    const size_t length = strlen(p->text);
    snprintf(p->text + length, sizeof p->text - length, "%s%s", before, text);
}

/* Slices of a range that were played; all of them are there where no range is named. */
static void take_slices(struct htmt__trace_part *p, const struct htmt_trace_info *info,
                        const json_t *ranges)
{
    const uint32_t played = info->played - (info->host != UINT32_MAX && info->played > 0);
    char text[60];
    for (size_t i = 0; i < json_array_size(ranges); i++) {
        const json_t *range = json_array_get(ranges, i);
        const json_int_t first = json_integer_value(json_array_get(range, 0));
        const json_int_t last = json_integer_value(json_array_get(range, 1));
        const json_int_t end = last < (json_int_t)played ? last + 1 : (json_int_t)played;
        p->slices += first >= 0 && first < end ? (uint32_t)(end - first) : 0;
        snprintf(text, sizeof text, first == last ? "%lld" : "%lld-%lld", (long long)first,
                 (long long)last);
        say(p, i ? ", " : json_array_size(ranges) > 1 || first < last ? "slices " : "slice ", text);
    }
    if (!json_array_size(ranges) || p->slices > played)
        p->slices = played;
}

/* Names of layers or types. */
static void say_names(struct htmt__trace_part *p, const char *what, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!i)
            say(p, *p->text ? "; " : "", what);
        say(p, i ? ", " : " ", name ? name : "?");
    }
}

int htmt__trace_part_make(const struct htmt_trace_info *info, struct htmt__trace_part *p)
{
    json_t *filter = NULL;
    *p = (struct htmt__trace_part){.filtered = info->filtered, .to = info->end};
    p->layer = calloc((size_t)info->layers + 1, sizeof *p->layer);
    if (!p->layer)
        return HTMT_ENOMEM;
    if (info->filter && htmt__json_read(info->filter, strlen(info->filter), 0, &filter, NULL)) {
        htmt__trace_part_clear(p);
        return HTMT_ENOMEM;
    }
    const json_t *layers = json_object_get(filter, "layers"),
                 *to = json_object_get(filter, "to_fs");
    const htmt_time from = json_integer_value(json_object_get(filter, "from_fs"));
    take_slices(p, info, json_object_get(filter, "slices"));
    p->host = info->host != UINT32_MAX && !json_array_size(json_object_get(filter, "slices"));
    p->types = json_array_size(json_object_get(filter, "types")) > 0;
    for (uint32_t l = 0; l < info->layers; l++) {
        p->layer[l] = json_array_size(layers) == 0;
        for (size_t i = 0; i < json_array_size(layers); i++) {
            const char *name = json_string_value(json_array_get(layers, i));
            p->layer[l] = p->layer[l] || (name && !strcmp(name, info->layer[l].name));
        }
    }
    say_names(p, json_array_size(layers) > 1 ? "layers" : "layer", layers);
    say_names(p,
              p->types && json_array_size(json_object_get(filter, "types")) > 1 ? "types" : "type",
              json_object_get(filter, "types"));
    if (json_is_integer(to) && json_integer_value(to) < p->to)
        p->to = json_integer_value(to);
    p->from = from < 0 ? 0 : from < p->to ? from : p->to;
    if (p->from > 0 || p->to < info->end) {
        say(p, *p->text ? "; " : "", htmt__format_fs(p->from).s);
        say(p, " to ", htmt__format_fs(p->to).s);
    }
    json_decref(filter);
    return 0;
}

void htmt__trace_part_clear(struct htmt__trace_part *p)
{
    free(p->layer);
    *p = (struct htmt__trace_part){0};
}

uint32_t htmt__trace_part_places(const struct htmt__trace_part *p,
                                 const struct htmt_trace_info *info, uint32_t resource)
{
    const struct htmt_trace_resource *r = &info->resource[resource];
    const bool of_host = info->host != UINT32_MAX && r->places.count == 1 &&
                         r->places.played == 1 && r->places.stands_for == 1 && info->slices > 1;
    if (r->layer < info->layers && !p->layer[r->layer])
        return 0;
    return of_host ? p->host : p->slices < r->places.played ? p->slices : r->places.played;
}

double htmt__trace_utilization(const struct htmt_trace_info *info, uint32_t resource)
{
    const struct htmt_trace_resource *r = &info->resource[resource];
    const double all = (double)info->end * r->places.count * r->count;
    return all > 0 ? (double)r->busy / all : 0;
}

double htmt__trace_issue(const struct htmt_trace_resource *r)
{
    return r->inside > r->busy ? (double)r->busy / (double)r->inside : 1;
}
