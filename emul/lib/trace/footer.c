/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The footer of a trace: what its JSON object says of the run.
 */
#include "emul/lib/trace/file.h"
#include "runtime/base/json_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Where in the footer something is read. */
struct place {
    const struct htmt_trace *t;
    struct htmt_fault *fault;
    const json_t *object;
    const char *list; /* NULL: the top */
    size_t index;     /* in the list */
};

static const char *const place_names[HTMT_TRACE_PLACES] = {
    "served", "sent", "received", "stalled", "room", "section", "gate"};
static const char *const kind_names[] = {
    [HTMT_BANK] = "bank", [HTMT_LINK_OUT] = "out", [HTMT_LINK_IN] = "in"};
#define KINDS (sizeof kind_names / sizeof kind_names[0])

const char *htmt_trace_place_name(enum htmt_trace_place place)
{
    return place < HTMT_TRACE_PLACES ? place_names[place] : "?";
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* "steps[3].": the beginning of a key's path. */
static const char *path_of(const struct place *p, char text[80])
{
    text[0] = '\0';
    if (p->list)
        snprintf(text, 80, "%s[%zu].", p->list, p->index);
    return text;
}

static int refuse(const struct place *p, const char *key, const char *expected)
{
    char path[80], found[80] = "none";
    const json_t *value = json_object_get(p->object, key);
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (text)
        snprintf(found, sizeof found, "%.60s%s", text, strlen(text) > 60 ? "..." : "");
    free(text);
    return htmt__trace_refuse(p->t, p->t->trailer.footer, p->fault,
                              "footer, key '%s%s': found %s, expected %s", path_of(p, path), key,
                              found, expected);
}

/* ---- values --------------------------------------------------------------------------------- */

static int get_number(const struct place *p, const char *key, uint64_t most, uint64_t *number)
{
    char expected[64];
    const json_t *value = json_object_get(p->object, key);
    json_int_t found = json_integer_value(value);
    snprintf(expected, sizeof expected, "a whole number from 0 to %" PRIu64, most);
    if (!json_is_integer(value) || found < 0 || (uint64_t)found > most)
        return refuse(p, key, expected);
    *number = (uint64_t)found;
    return 0;
}

static int get_u32(const struct place *p, const char *key, uint32_t most, uint32_t *number)
{
    uint64_t found = 0;
    int rc = get_number(p, key, most, &found);
    if (!rc)
        *number = (uint32_t)found;
    return rc;
}

/* An index below `count`, or null: NONE. */
static int get_index(const struct place *p, const char *key, uint32_t count, uint32_t *index)
{
    *index = NONE;
    if (json_is_null(json_object_get(p->object, key)))
        return 0;
    return count ? get_u32(p, key, count - 1, index) : refuse(p, key, "null: there are none");
}

static int get_bool(const struct place *p, const char *key, bool *flag)
{
    const json_t *value = json_object_get(p->object, key);
    *flag = json_is_true(value);
    return json_is_boolean(value) ? 0 : refuse(p, key, "true or false");
}

static int get_text(const struct place *p, const char *key, const char **text)
{
    *text = json_string_value(json_object_get(p->object, key));
    return *text ? 0 : refuse(p, key, "a string");
}

/* Null: NULL. */
static int get_text_or_null(const struct place *p, const char *key, const char **text)
{
    *text = NULL;
    return json_is_null(json_object_get(p->object, key)) ? 0 : get_text(p, key, text);
}

static int get_name(const struct place *p, const char *key, char *name, size_t room)
{
    const char *text;
    char expected[64];
    int rc = get_text(p, key, &text);
    if (rc)
        return rc;
    snprintf(expected, sizeof expected, "a string of at most %zu bytes", room - 1);
    if (strlen(text) >= room)
        return refuse(p, key, expected);
    memcpy(name, text, strlen(text) + 1);
    return 0;
}

/* The index of a string in a table. */
static int get_word(const struct place *p, const char *key, const char *const *words, size_t count,
                    unsigned *index)
{
    const char *text = json_string_value(json_object_get(p->object, key));
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *index = (unsigned)i;
            return 0;
        }
    return refuse(p, key, "one of the names of this version");
}

/* An object as text in one line; null: NULL. */
static int get_object(const struct place *p, const char *key, bool null_is_good, char **text)
{
    const json_t *value = json_object_get(p->object, key);
    if (null_is_good && json_is_null(value))
        return 0;
    if (!json_is_object(value))
        return refuse(p, key, "an object");
    *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    return *text ? 0 : htmt__trace_out_of_memory(p->t, p->fault);
}

/* Decimal digits without a sign. */
static bool read_wide(const char *text, htmt_wide *sum)
{
    *sum = 0;
    for (const char *c = text; c && *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(*sum, 10, sum) ||
            __builtin_add_overflow(*sum, *c - '0', sum))
            return false;
    return text && *text;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The place in the list of the first element. */
static int get_list(const struct place *p, const char *key, struct place *first,
                    const json_t **list, uint32_t *count)
{
    *list = json_object_get(p->object, key);
    if (!json_is_array(*list))
        return refuse(p, key, "an array");
    *count = (uint32_t)json_array_size(*list);
    *first = (struct place){p->t, p->fault, NULL, key, 0};
    return 0;
}

static int get_strings(const struct place *p, const char *key, const char ***strings,
                       uint32_t *count)
{
    const json_t *list;
    struct place at;
    int rc = get_list(p, key, &at, &list, count);
    if (rc)
        return rc;
    *strings = calloc((size_t)*count + 1, sizeof **strings);
    if (!*strings)
        return htmt__trace_out_of_memory(p->t, p->fault);
    for (uint32_t i = 0; i < *count; i++) {
        (*strings)[i] = json_string_value(json_array_get(list, i));
        if (!(*strings)[i])
            return refuse(p, key, "an array of strings");
    }
    return 0;
}

/* Calls take() for each object of the list, with an element of the new array. */
static int get_array(struct htmt_trace *t, const struct place *p, const char *key, size_t size,
                     void **array, uint32_t *count,
                     int (*take)(struct htmt_trace *t, const struct place *at, void *element))
{
    const json_t *list;
    struct place at;
    int rc = get_list(p, key, &at, &list, count);
    if (rc)
        return rc;
    *array = calloc((size_t)*count + 1, size);
    if (!*array)
        return htmt__trace_out_of_memory(t, p->fault);
    for (at.index = 0; !rc && at.index < *count; at.index++) {
        at.object = json_array_get(list, at.index);
        rc = json_is_object(at.object) ? take(t, &at, (char *)*array + at.index * size)
                                       : refuse(p, key, "an array of objects");
    }
    return rc;
}

static int read_layer(struct htmt_trace *t, const struct place *p, void *element)
{
    struct htmt_trace_layer *l = element;
    (void)t;
    int rc = get_name(p, "name", l->name, sizeof l->name);
    if (!rc)
        rc = get_name(p, "processor", l->processor, sizeof l->processor);
    if (!rc)
        rc = get_name(p, "memory", l->memory, sizeof l->memory);
    if (!rc)
        rc = get_number(p, "capacity_words", INT64_MAX, &l->capacity);
    if (!rc)
        rc = get_u32(p, "servers", UINT32_MAX, &l->servers);
    return rc;
}

static int read_resource(struct htmt_trace *t, const struct place *p, void *element)
{
    struct htmt_trace_resource *r = element;
    unsigned kind = 0;
    uint64_t startup = 0;
    int rc = get_name(p, "name", r->name, sizeof r->name);
    if (!rc)
        rc = get_word(p, "kind", kind_names, KINDS, &kind);
    if (!rc)
        rc = get_u32(p, "layer", t->info.layers ? t->info.layers - 1 : 0, &r->layer);
    if (!rc)
        rc = get_index(p, "network", t->info.networks, &r->network);
    if (!rc)
        rc = get_u32(p, "count", UINT32_MAX, &r->count);
    if (!rc && json_object_get(p->object, "startup_fs"))
        rc = get_number(p, "startup_fs", INT64_MAX, &startup);
    r->startup = (htmt_time)startup;
    r->kind = (enum htmt_resource_kind)kind;
    return rc;
}

/* A stage that has no name, as that of a section, is none. */
static int read_stage(const struct place *p, enum htmt_stage_id *stage)
{
    const json_t *value = json_object_get(p->object, "stage");
    const char *text = json_string_value(value);
    for (*stage = 0; text && *stage < HTMT_STAGES; (*stage)++)
        if (strcmp(text, htmt_stage_name(*stage)) == 0)
            return 0;
    *stage = HTMT_STAGES;
    return json_is_null(value) ? 0 : refuse(p, "stage", "a stage of this version, or null");
}

static int read_step(struct htmt_trace *t, const struct place *p, void *element)
{
    struct htmt_trace_step *s = element;
    unsigned where = 0;
    int rc = get_name(p, "type", s->type, sizeof s->type);
    if (!rc)
        rc = read_stage(p, &s->stage);
    if (!rc)
        rc = get_word(p, "place", place_names, HTMT_TRACE_PLACES, &where);
    if (!rc)
        rc = get_index(p, "resource", t->info.resources, &s->resource);
    if (!rc)
        rc = get_index(p, "layer", t->info.layers, &s->layer);
    s->place = (enum htmt_trace_place)where;
    if (!rc && where <= HTMT_TRACE_RECEIVED && s->resource == NONE)
        rc = refuse(p, "resource", "the index of a resource");
    if (!rc && (where == HTMT_TRACE_STALLED || where == HTMT_TRACE_ROOM) && s->layer == NONE)
        rc = refuse(p, "layer", "the index of a layer");
    return rc;
}

static int read_lists(struct htmt_trace *t, const struct place *top)
{
    struct htmt_trace_info *i = &t->info;
    int rc =
        get_array(t, top, "layers", sizeof *t->layer, (void **)&t->layer, &i->layers, read_layer);
    if (!rc)
        rc = get_strings(top, "networks", &t->network, &i->networks);
    if (!rc)
        rc = get_array(t, top, "resources", sizeof *t->resource, (void **)&t->resource,
                       &i->resources, read_resource);
    if (!rc)
        rc = get_array(t, top, "steps", sizeof *t->step, (void **)&t->step, &i->steps, read_step);
    if (!rc)
        rc = get_strings(top, "sections", &t->section, &i->sections);
    if (!rc)
        rc = get_strings(top, "open", &t->open, &i->open_lines);
    return rc;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Of `count` elements, each `step` bytes behind the one before. */
static int read_sums(const struct place *sums, const char *key, uint32_t count, void *first,
                     size_t step)
{
    const json_t *list = json_object_get(sums->object, key);
    if (!json_is_array(list) || json_array_size(list) != count)
        return refuse(sums, key, "an array, a sum for each resource or layer");
    for (uint32_t i = 0; i < count; i++) {
        htmt_wide sum;
        if (!read_wide(json_string_value(json_array_get(list, i)), &sum))
            return refuse(sums, key, "strings of decimal digits");
        memcpy((char *)first + i * step, &sum, sizeof sum);
    }
    return 0;
}

static int read_all_sums(struct htmt_trace *t, const struct place *top)
{
    struct place sums = *top;
    sums.object = json_object_get(top->object, "sums");
    if (!json_is_object(sums.object))
        return refuse(top, "sums", "an object");
    int rc = read_sums(&sums, "busy", t->info.resources, &t->resource[0].busy, sizeof *t->resource);
    if (!rc)
        rc = read_sums(&sums, "waited", t->info.resources, &t->resource[0].waited,
                       sizeof *t->resource);
    if (!rc)
        rc = read_sums(&sums, "stalled", t->info.layers, &t->layer[0].stalled, sizeof *t->layer);
    return rc;
}

/* ---- places --------------------------------------------------------------------------------- */

static struct htmt_trace_places places_of(const struct htmt_trace_info *i, bool of_host)
{
    uint32_t played = i->host == NONE || !i->played ? i->played : i->played - 1;
    return of_host ? (struct htmt_trace_places){1, 1, 1}
                   : (struct htmt_trace_places){i->slices, played, i->stands_for};
}

/* What belongs to the host, and whose services are inside for longer than they are busy. */
static int read_places(struct htmt_trace *t, const struct place *top)
{
    const struct htmt_trace_info *i = &t->info;
    struct place host = *top, sums = *top;
    uint32_t layer = NONE, network = NONE, threads = NONE;
    host.object = json_object_get(top->object, "host");
    sums.object = json_object_get(top->object, "sums");
    int rc = host.object ? get_index(&host, "layer", i->layers, &layer) : 0;
    if (!rc && host.object)
        rc = get_index(&host, "network", i->networks, &network);
    if (!rc && host.object)
        rc = get_index(&host, "threads", i->resources, &threads);
    for (uint32_t l = 0; l < i->layers; l++)
        t->layer[l].places = places_of(i, l == layer);
    for (uint32_t n = 0; n < i->resources; n++) {
        struct htmt_trace_resource *r = &t->resource[n];
        bool is_bank = r->kind == HTMT_BANK;
        r->inside = r->busy;
        r->places =
            places_of(i, host.object && (is_bank ? r->layer == layer : r->network == network));
    }
    if (!rc && threads != NONE &&
        !read_wide(json_string_value(json_object_get(sums.object, "inside")),
                   &t->resource[threads].inside))
        rc = refuse(&sums, "inside", "a string of decimal digits");
    return rc;
}

/* ---- the top -------------------------------------------------------------------------------- */

static int read_hash(const struct place *p, uint64_t *hash)
{
    const char *text = json_string_value(json_object_get(p->object, "history_hash"));
    if (!text || strlen(text) != 16 || text[strspn(text, "0123456789abcdef")])
        return refuse(p, "history_hash", "16 hexadecimal digits");
    *hash = strtoull(text, NULL, 16);
    return 0;
}

/* [slice, number], or null. */
static int read_last(const struct place *p, struct htmt_trace_info *i)
{
    const json_t *value = json_object_get(p->object, "last");
    json_int_t slice = json_integer_value(json_array_get(value, 0));
    json_int_t number = json_integer_value(json_array_get(value, 1));
    i->last = HTMT_TRACE_NONE;
    if (json_is_null(value))
        return 0;
    if (json_array_size(value) != 2 || slice < 0 || slice >= i->places || number < 0 ||
        (uint64_t)number >= HTMT__TRACE_NUMBERS)
        return refuse(p, "last", "null, or a slice and a number below 2^40");
    i->last = htmt_trace_ref_of((uint32_t)slice, (uint64_t)number);
    return 0;
}

static int read_ending(const struct place *p, struct htmt_trace_info *i)
{
    uint64_t end = 0;
    int rc = get_bool(p, "complete", &i->complete);
    if (!rc)
        rc = get_text_or_null(p, "fault", &i->fault);
    if (!rc && i->complete == (i->fault != NULL))
        rc = refuse(p, "fault", "null of a complete run, a line of another one");
    if (!rc)
        rc = get_number(p, "end_fs", INT64_MAX, &end);
    if (!rc)
        rc = read_last(p, i);
    i->end = (htmt_time)end;
    return rc ? rc : read_hash(p, &i->history_hash);
}

/* The host's place: behind the slices, or behind the one that stands for all. */
static int read_host(const struct place *p, struct htmt_trace_info *i)
{
    struct place host = {p->t, p->fault, json_object_get(p->object, "host"), NULL, 0};
    i->host = NONE;
    i->places = i->slices;
    if (!host.object)
        return 0;
    if (!json_is_object(host.object))
        return refuse(p, "host", "an object");
    int rc = get_u32(&host, "slice", i->slices, &i->host);
    if (!rc && i->host == i->slices)
        i->places++;
    return rc;
}

static int read_slices(const struct place *p, struct htmt_trace_info *i)
{
    int rc = get_u32(p, "slices", HTMT__TRACE_SLICES_MAX, &i->slices);
    if (!rc)
        rc = read_host(p, i);
    if (!rc)
        rc = get_u32(p, "played", i->places, &i->played);
    if (!rc)
        rc = get_u32(p, "stands_for", HTMT__TRACE_SLICES_MAX, &i->stands_for);
    if (!rc)
        rc = get_number(p, "intervals", INT64_MAX, &i->intervals);
    return rc;
}

static int read_names(const struct place *p, struct htmt_trace_info *i)
{
    static const char *const modes[] = {"run", "model"};
    unsigned mode = 0;
    int rc = get_u32(p, "version", UINT32_MAX, &i->version);
    if (!rc && i->version != p->t->version)
        rc = refuse(p, "version", p->t->version == 1 ? "1" : "2");
    if (!rc)
        rc = get_text(p, "machine", &i->machine);
    if (!rc)
        rc = get_text_or_null(p, "app", &i->app);
    if (!rc)
        rc = get_word(p, "mode", modes, 2, &mode);
    i->mode = modes[mode];
    i->app = i->app ? i->app : "";
    return rc;
}

static int read_top(struct htmt_trace *t, const struct place *top)
{
    int rc = read_names(top, &t->info);
    if (!rc)
        rc = read_slices(top, &t->info);
    if (!rc)
        rc = read_ending(top, &t->info);
    if (!rc)
        rc = get_object(top, "about", false, &t->about);
    if (!rc)
        rc = get_object(top, "filter", true, &t->filter);
    if (!rc)
        rc = read_lists(t, top);
    if (!rc)
        rc = read_all_sums(t, top);
    if (!rc)
        rc = read_places(t, top);
    return rc;
}

static void point(struct htmt_trace *t)
{
    struct htmt_trace_info *i = &t->info;
    i->blocks = t->trailer.blocks;
    i->filtered = t->filter != NULL;
    i->about = t->about;
    i->filter = t->filter;
    i->layer = t->layer;
    i->resource = t->resource;
    i->step = t->step;
    i->section = t->section;
    i->network = t->network;
    i->open = t->open;
}

int htmt__trace_footer_read(struct htmt_trace *t, struct htmt_fault *fault)
{
    json_error_t error;
    int rc = htmt__json_read((const char *)t->raw.at, t->trailer.footer_raw, JSON_REJECT_DUPLICATES,
                             &t->footer, &error);
    if (rc == HTMT_ENOMEM)
        return htmt__trace_out_of_memory(t, fault);
    if (!json_is_object(t->footer))
        return htmt__trace_refuse(t, t->trailer.footer, fault,
                                  "footer: found %s at byte %d of the text, expected a JSON object",
                                  t->footer ? "another value" : error.text, error.position);
    struct place top = {t, fault, t->footer, NULL, 0};
    rc = read_top(t, &top);
    point(t);
    return rc;
}

void htmt__trace_footer_clear(struct htmt_trace *t)
{
    free(t->open);
    free(t->network);
    free(t->section);
    free(t->step);
    free(t->resource);
    free(t->layer);
    free(t->filter);
    free(t->about);
    json_decref(t->footer);
}
