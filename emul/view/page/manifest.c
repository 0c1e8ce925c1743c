/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The manifest (docs/timeline.md): what the trace says of its run, and which element of the page
 * holds what. JavaScript's numbers are exact to 2^53 only, so times and other numbers that may pass
 * it are text. Each list is made by list(), of a function that makes one entry.
 *
 * A lack of memory needs no test at each value: json_pack() and json_array_append_new() take what
 * they are given, refuse NULL, and give NULL themselves, so that the whole is NULL in the end.
 */
#include "emul/view/page/manifest.h"

#include "emul/lib/picture/palette.h"
#include "emul/lib/report/json.h"
#include "emul/lib/trace/lanes.h"
#include "emul/lib/trace/path.h"
#include "runtime/base/jansson.h"
#include "runtime/base/text_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- values --------------------------------------------------------------------------------- */

/* Numbers beyond 2^53 are text. */
static json_t *whole(htmt_time value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return json_string(text);
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *index_or_null(uint32_t index)
{
    return index == UINT32_MAX ? json_null() : count(index);
}

static json_t *element(unsigned number)
{
    return json_sprintf("b-%u", number);
}

/* An array of what `make` makes of 0 .. n - 1. */
static json_t *list(const struct htmt__page_contents *p, uint64_t n,
                    json_t *(*make)(const struct htmt__page_contents *p, uint64_t i))
{
    json_t *all = json_array();
    bool failed = !all;
    for (uint64_t i = 0; i < n && !failed; i++)
        failed = json_array_append_new(all, make(p, i)) != 0;
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

/* ---- the machine ---------------------------------------------------------------------------- */

static json_t *layer(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt_trace_layer *l = &p->info->layer[i];
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(l->name), "processor",
                     htmt__json_text(l->processor), "memory", htmt__json_text(l->memory),
                     "capacity_words", json_sprintf("%" PRIu64, l->capacity), "servers",
                     count(l->servers));
}

static json_t *resource(const struct htmt__page_contents *p, uint64_t i)
{
    static const char *const kind[] = {"bank", "out", "in"};
    const struct htmt_trace_resource *r = &p->info->resource[i];
    return json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:f,s:f}", "name", htmt__json_text(r->name),
                     "kind", kind[r->kind], "layer", index_or_null(r->layer), "network",
                     index_or_null(r->network), "count", count(r->count), "startup_fs",
                     whole(r->startup), "played", count(r->places.played), "recorded",
                     count(htmt__trace_part_places(p->part, p->info, (uint32_t)i)), "utilization",
                     htmt__trace_utilization(p->info, (uint32_t)i), "issue", htmt__trace_issue(r));
}

static json_t *network(const struct htmt__page_contents *p, uint64_t i)
{
    return htmt__json_text(p->info->network[i]);
}

static json_t *step(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt_trace_step *s = &p->info->step[i];
    return json_pack("{s:o,s:s,s:s,s:o,s:o,s:o}", "type", htmt__json_text(s->type), "stage",
                     htmt_stage_name(s->stage), "place", htmt_trace_place_name(s->place),
                     "resource", index_or_null(s->resource), "layer", index_or_null(s->layer),
                     "row", count(p->rows->of_step[i]));
}

static json_t *section(const struct htmt__page_contents *p, uint64_t i)
{
    return htmt__json_text(p->info->section[i]);
}

static json_t *open_line(const struct htmt__page_contents *p, uint64_t i)
{
    return htmt__json_text(p->info->open[i]);
}

/* ---- the picture ---------------------------------------------------------------------------- */

static json_t *row(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt__trace_row *r = &p->rows->row[i];
    uint32_t lanes = p->depth[i] < HTMT__LANES_SHOWN ? p->depth[i] : HTMT__LANES_SHOWN;
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "kind", htmt__row_kind_name(r->kind), "resource",
                     index_or_null(r->resource), "layer", index_or_null(r->layer), "name",
                     htmt__json_text(r->name), "lanes", count(lanes), "depth", count(p->depth[i]));
}

static json_t *tile(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt_trace_block *b = &p->tile[i].b;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "id", element(p->tile[i].element), "slice",
                     count(b->slice), "first", json_sprintf("%" PRIu64, b->first), "count",
                     count(b->count), "samples", count(b->samples), "from", whole(b->from), "to",
                     whole(b->to));
}

static json_t *sums(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt__page_sums *s = &p->sums[i];
    return json_pack("{s:o,s:o,s:o,s:o,s:s,s:f,s:o}", "id", element(s->element), "slice",
                     count(s->slice), "bins", count(s->bins), "bin_fs", whole(s->bin), "from", "0",
                     "load", p->loads->load[i], "row", count(p->loads->row[i]));
}

static json_t *strip(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt__page_strips *s = &p->strips;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "id", element(s->element + (unsigned)i), "row",
                     count(i), "groups", count(s->groups), "single", count(s->single), "bins",
                     count(s->bins), "bin_fs", whole(s->bin));
}

/* Slices by their load, the greatest first. */
static json_t *by_load(const struct htmt__page_contents *p, uint64_t i)
{
    return count(p->slices->slice[p->loads->order[i]].slice);
}

static json_t *opened(const struct htmt__page_contents *p, uint64_t i)
{
    return count(p->slices->slice[p->loads->first[i]].slice);
}

/* The first slice of each line of the matrix. */
static json_t *line(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt__page_loads *l = p->loads;
    return count((i * l->places + l->side - 1) / l->side);
}

static json_t *matrix(const struct htmt__page_contents *p)
{
    return json_pack("{s:o,s:o,s:o}", "id", element(p->matrix), "places", count(p->loads->places),
                     "first", list(p, p->loads->side, line));
}

static json_t *ranks(const struct htmt__trace_slices *s)
{
    if (!s->count)
        return json_null();
    return json_pack("{s:o,s:o,s:o,s:b}", "slowest", count(s->slice[s->slowest].slice), "median",
                     count(s->slice[s->median].slice), "fastest", count(s->slice[s->fastest].slice),
                     "together", htmt__trace_slices_together(s));
}

static json_t *colours(enum htmt__palette palette)
{
    json_t *all = json_object();
    bool failed = !all;
    for (int i = 0; i < HTMT__STATES && !failed; i++) {
        enum htmt__activity state = (enum htmt__activity)i;
        failed = json_object_set_new(all, htmt__state_name(state),
                                     json_sprintf("#%06X", htmt__state_colour(palette, state)));
    }
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *window(const struct htmt__page_options *o)
{
    return o->windowed ? json_pack("[o,o]", whole(o->from), whole(o->to)) : json_null();
}

static json_t *range(const struct htmt__page_contents *p, uint64_t i)
{
    const struct htmt_slice_range *r = &p->options->slices[i];
    return json_pack("[o,o]", count(r->first), count(r->last));
}

static json_t *chosen(const struct htmt__page_contents *p)
{
    uint32_t ranges = p->options->slice_ranges;
    return ranges ? list(p, ranges, range) : json_null();
}

/* "myrinet x1y5.1" */
static json_t *port(const struct htmt__page_contents *p, uint64_t i)
{
    char name[200];
    htmt__trace_path_port_name(p->info, p->path.path, (uint32_t)i, name, sizeof name);
    return htmt__json_text(name);
}

static json_t *path(const struct htmt__page_contents *contents)
{
    const struct htmt__page_path *p = &contents->path;
    return p->count ? json_pack("{s:o,s:o,s:o}", "id", element(p->element), "count",
                                count(p->count), "ports", list(contents, p->path->ports, port))
                    : json_null();
}

/* The part of the run that the trace has; null: all of it. */
static json_t *part(const struct htmt__trace_part *p)
{
    return p->filtered ? json_pack("{s:o,s:o,s:[o,o]}", "text", htmt__json_text(p->text), "slices",
                                   count(p->slices), "window", whole(p->from), whole(p->to))
                       : json_null();
}

/* ---- the command ----------------------------------------------------------------------------- */

/* As a shell reads it. */
static void print_word(const char *word, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
    if (!word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

/* "htmt model pic --slices 4", of what the trace says of itself; "" if that names no verb. Options
 * are pairs of name and value; a switch has an empty value. */
static json_t *command(const char *about)
{
    struct htmt__text line = {.at = NULL};
    json_t *object = NULL, *text = NULL;
    int rc = htmt__json_read(about, strlen(about), 0, &object, NULL);
    FILE *out = rc ? NULL : htmt__text_open(&line);
    const char *verb = json_string_value(json_object_get(object, "verb"));
    const char *app = json_string_value(json_object_get(object, "app"));
    const json_t *options = json_object_get(object, "options");
    if (out && verb && app) {
        fprintf(out, "htmt %s ", verb);
        print_word(app, out);
        for (size_t i = 0; i < json_array_size(options); i++) {
            const json_t *option = json_array_get(options, i);
            const char *name = json_string_value(json_array_get(option, 0));
            const char *value = json_string_value(json_array_get(option, 1));
            if (name)
                fprintf(out, " --%s", name);
            if (name && value && *value) {
                fputc(' ', out);
                print_word(value, out);
            }
        }
    }
    if (htmt__text_close(out, &line) == 0)
        text = htmt__json_text(line.at);
    free(line.at);
    json_decref(object);
    return text;
}

/* ---- the whole: of the run, then of the page --------------------------------------------------
 */

/* With '<' only in its escaped form, no text of a trace can end the element or open another. */
static int write_inert(const char *json, size_t length, void *user)
{
    FILE *out = user;
    for (size_t i = 0; i < length; i++)
        if (json[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(json[i], out);
    return 0;
}

int htmt__manifest_write(const struct htmt__page_contents *p, FILE *out)
{
    const struct htmt_trace_info *i = p->info;
    const htmt_time end = i->end > p->slices->end ? i->end : p->slices->end;
    char title[2 * HTMT_NAME_MAX + 200]; /* "pic on hereld-tables" */
    snprintf(title, sizeof title, "%s%s%s", i->app, *i->app ? " on " : "", i->machine);
    json_t *all = json_pack(
        "{s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
        "version", 2, "title", htmt__json_text(title), "app", htmt__json_text(i->app), "machine",
        htmt__json_text(i->machine), "mode", htmt__json_text(i->mode), "command", command(i->about),
        "slices", count(i->slices), "played", count(i->played), "stands_for", count(i->stands_for),
        "complete", i->complete, "fault", i->fault ? htmt__json_text(i->fault) : json_null(),
        "open", list(p, i->open_lines, open_line), "end_fs", whole(end), "recorded", part(p->part),
        "host", index_or_null(i->host), "layers", list(p, i->layers, layer), "resources",
        list(p, i->resources, resource), "networks", list(p, i->networks, network), "steps",
        list(p, i->steps, step), "sections", list(p, i->sections, section));
    json_t *more =
        json_pack("{s:o,s:{s:o,s:o},s:b,s:o,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "rows",
                  list(p, p->rows->count, row), "palette", "default",
                  colours(HTMT__PALETTE_DEFAULT), "gantt", colours(HTMT__PALETTE_GANTT), "gantt",
                  p->options->gantt, "tiles", list(p, p->tiles, tile), "full", p->full, "window",
                  window(p->options), "chosen", chosen(p), "pyramid", list(p, p->sums_count, sums),
                  "strips", list(p, p->strips.groups ? p->rows->count : 0, strip), "by_load",
                  list(p, p->strips.groups ? p->sums_count : 0, by_load), "opened",
                  list(p, p->loads->firsts, opened), "ranks", ranks(p->slices), "path", path(p),
                  "matrix", matrix(p));
    bool failed = !all || !more || json_object_update(all, more);
    if (!failed) {
        fputs("<script type=\"application/json\" id=\"htmt-manifest\">", out);
        failed = json_dump_callback(all, write_inert, out, JSON_COMPACT | JSON_ENSURE_ASCII) != 0;
        fputs("</script>\n", out);
    }
    json_decref(more);
    json_decref(all);
    return failed ? HTMT_ENOMEM : 0;
}
