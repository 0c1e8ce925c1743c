/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The footer of a trace: what its JSON object says of the run.
 *
 * The first value that is not as docs/trace-format.md wants it is refused, with its key. Reading
 * goes on behind it, with 0 or NULL in its place, and later refusals are dropped: so each value is
 * one line here, and no value needs to be asked for its success.
 *
 * That is right as long as nothing depends on a value that was refused. So a value that others
 * count on comes first (layers before resources, resources before steps), an index is checked
 * against the length of a list that has been read, and sums are read only if nothing was refused
 * before.
 *
 * Sums are strings of decimal digits, since JSON's numbers of 64 bits do not hold them: 4096 SPELLs
 * that are busy for an hour of virtual time have 1.5e22 fs together. They are read with 128 bits,
 * and a digit too many is refused, not wrapped.
 */
#include "emul/lib/trace/file.h"
#include "runtime/base/jansson.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* All places of one footer share it. */
struct reading {
    struct htmt_trace *t;
    struct htmt_fault *fault;
    int rc; /* of the first refusal */
};

/* Where in the footer something is read. */
struct place {
    struct reading *r;
    const json_t *object;
    const char *list; /* NULL: the top */
    size_t index;     /* in the list */
};

static const char *const place_names[HTMT_TRACE_PLACES] = {
    "served", "sent", "received", "stalled", "room", "section", "gate", "paused"};
static const char *const kind_names[] = {
    [HTMT_BANK] = "bank", [HTMT_LINK_OUT] = "out", [HTMT_LINK_IN] = "in"};

const char *htmt_trace_place_name(enum htmt_trace_place place)
{
    return place < HTMT_TRACE_PLACES ? place_names[place] : "?";
}

/* "footer, key 'steps[3].place': found ..., expected ..." */
static void refuse(const struct place *p, const char *key, const char *expected)
{
    char path[80] = "", found[80] = "none";
    const json_t *value = json_object_get(p->object, key);
    if (p->r->rc)
        return;
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (text)
        snprintf(found, sizeof found, "%.60s%s", text, strlen(text) > 60 ? "..." : "");
    free(text);
    if (p->list)
        snprintf(path, sizeof path, "%s[%zu].", p->list, p->index);
    p->r->rc =
        htmt__trace_refuse(p->r->t, p->r->t->trailer.footer, p->r->fault,
                           "footer, key '%s%s': found %s, expected %s", path, key, found, expected);
}

static void out_of_memory(struct reading *r)
{
    if (!r->rc)
        r->rc = htmt__trace_out_of_memory(r->t, r->fault);
}

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t get_number(const struct place *p, const char *key, uint64_t most)
{
    char expected[64];
    const json_t *value = json_object_get(p->object, key);
    json_int_t found = json_integer_value(value);
    if (json_is_integer(value) && found >= 0 && (uint64_t)found <= most)
        return (uint64_t)found;
    snprintf(expected, sizeof expected, "a whole number from 0 to %" PRIu64, most);
    refuse(p, key, expected);
    return 0;
}

static uint32_t get_u32(const struct place *p, const char *key, uint32_t most)
{
    return (uint32_t)get_number(p, key, most);
}

/* An index below `count`, or null: NONE. */
static uint32_t get_index(const struct place *p, const char *key, uint32_t count)
{
    if (json_is_null(json_object_get(p->object, key)))
        return NONE;
    if (count)
        return get_u32(p, key, count - 1);
    refuse(p, key, "null: there are none");
    return NONE;
}

static const char *get_text(const struct place *p, const char *key)
{
    const char *text = json_string_value(json_object_get(p->object, key));
    if (!text)
        refuse(p, key, "a string");
    return text;
}

static const char *get_text_or_null(const struct place *p, const char *key)
{
    return json_is_null(json_object_get(p->object, key)) ? NULL : get_text(p, key);
}

static void get_name(const struct place *p, const char *key, char *name, size_t room)
{
    const char *text = get_text(p, key);
    char expected[64];
    if (text && strlen(text) < room) {
        memcpy(name, text, strlen(text) + 1);
        return;
    }
    snprintf(expected, sizeof expected, "a string of at most %zu bytes", room - 1);
    refuse(p, key, expected);
}

/* The index of a string in a table. */
static unsigned get_word(const struct place *p, const char *key, const char *const *words,
                         unsigned count)
{
    const char *text = json_string_value(json_object_get(p->object, key));
    for (unsigned i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    refuse(p, key, "one of the names of this version");
    return 0;
}

/* An object as text in one line, which the caller frees. */
static char *get_object(const struct place *p, const char *key)
{
    const json_t *value = json_object_get(p->object, key);
    char *text = json_is_object(value) ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (!json_is_object(value))
        refuse(p, key, "an object");
    else if (!text)
        out_of_memory(p->r);
    return text;
}

bool htmt__trace_sum_read(const json_t *digits, htmt_wide *sum)
{
    const char *text = json_string_value(digits);
    *sum = 0;
    for (const char *c = text; c && *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(*sum, 10, sum) ||
            __builtin_add_overflow(*sum, *c - '0', sum))
            return false;
    return text && *text;
}

bool htmt__trace_step_busy(const struct htmt_trace *t, uint32_t step, htmt_wide *busy)
{
    const json_t *of = json_array_get(json_object_get(t->footer, "steps"), step);
    return htmt__trace_sum_read(json_object_get(of, "busy"), busy);
}

htmt_wide htmt__trace_paused(const struct htmt_trace *t, uint32_t resource)
{
    const json_t *sums = json_object_get(json_object_get(t->footer, "sums"), "paused");
    htmt_wide sum = 0;
    htmt__trace_sum_read(json_array_get(sums, resource), &sum);
    return sum;
}

const char *htmt__trace_term(const struct htmt_trace *t, uint32_t resource)
{
    const json_t *of = json_array_get(json_object_get(t->footer, "resources"), resource);
    const char *term = json_string_value(json_object_get(of, "term"));
    return term ? term : "";
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* An array with room for as many elements as the list has. The caller frees it; NULL: refused. */
static void *get_list(const struct place *p, const char *key, size_t size, uint32_t *count)
{
    const json_t *list = json_object_get(p->object, key);
    if (!json_is_array(list)) {
        refuse(p, key, "an array");
        return NULL;
    }
    *count = (uint32_t)json_array_size(list);
    void *array = calloc((size_t)*count + 1, size);
    if (!array)
        out_of_memory(p->r);
    return array;
}

static const char **get_strings(const struct place *p, const char *key, uint32_t *count)
{
    const json_t *list = json_object_get(p->object, key);
    const char **strings = get_list(p, key, sizeof *strings, count);
    for (uint32_t i = 0; strings && i < *count; i++)
        if (!(strings[i] = json_string_value(json_array_get(list, i))))
            refuse(p, key, "an array of strings");
    return strings;
}

/* Calls take() for each object of the list, with an element of the new array. */
static void *get_array(const struct place *p, const char *key, size_t size, uint32_t *count,
                       void (*take)(const struct place *at, void *element))
{
    const json_t *list = json_object_get(p->object, key);
    struct place at = {.r = p->r, .list = key};
    char *array = get_list(p, key, size, count);
    for (; array && !p->r->rc && at.index < *count; at.index++) {
        at.object = json_array_get(list, at.index);
        if (json_is_object(at.object))
            take(&at, array + at.index * size);
        else
            refuse(p, key, "an array of objects");
    }
    return array;
}

static void read_layer(const struct place *p, void *element)
{
    struct htmt_trace_layer *l = element;
    get_name(p, "name", l->name, sizeof l->name);
    get_name(p, "processor", l->processor, sizeof l->processor);
    get_name(p, "memory", l->memory, sizeof l->memory);
    l->capacity = get_number(p, "capacity_words", INT64_MAX);
    l->servers = get_u32(p, "servers", UINT32_MAX);
}

static void read_resource(const struct place *p, void *element)
{
    const struct htmt_trace_info *i = &p->r->t->info;
    struct htmt_trace_resource *r = element;
    get_name(p, "name", r->name, sizeof r->name);
    r->kind = (enum htmt_resource_kind)get_word(p, "kind", kind_names,
                                                sizeof kind_names / sizeof *kind_names);
    r->layer = get_u32(p, "layer", i->layers ? i->layers - 1 : 0);
    r->network = get_index(p, "network", i->networks);
    r->count = get_u32(p, "count", UINT32_MAX);
    if (json_object_get(p->object, "startup_fs"))
        r->startup = (htmt_time)get_number(p, "startup_fs", INT64_MAX);
}

static void read_step(const struct place *p, void *element)
{
    const struct htmt_trace_info *i = &p->r->t->info;
    struct htmt_trace_step *s = element;
    const json_t *stage = json_object_get(p->object, "stage");
    get_name(p, "type", s->type, sizeof s->type);
    /* A step that has no stage, as that of a section, has null. */
    for (s->stage = 0; s->stage < HTMT_STAGES && json_is_string(stage); s->stage++)
        if (strcmp(json_string_value(stage), htmt_stage_name(s->stage)) == 0)
            break;
    if (!json_is_string(stage) || s->stage == HTMT_STAGES) {
        s->stage = HTMT_STAGES;
        if (!json_is_null(stage))
            refuse(p, "stage", "a stage of this version, or null");
    }
    s->place = (enum htmt_trace_place)get_word(p, "place", place_names, HTMT_TRACE_PLACES);
    s->resource = get_index(p, "resource", i->resources);
    s->layer = get_index(p, "layer", i->layers);
    const json_t *busy = json_object_get(p->object, "busy");
    htmt_wide sum;
    if (busy && !htmt__trace_sum_read(busy, &sum))
        refuse(p, "busy", "a string of decimal digits");
    if ((s->place <= HTMT_TRACE_RECEIVED || s->place == HTMT_TRACE_PAUSED) && s->resource == NONE)
        refuse(p, "resource", "the index of a resource");
    if ((s->place == HTMT_TRACE_STALLED || s->place == HTMT_TRACE_ROOM) && s->layer == NONE)
        refuse(p, "layer", "the index of a layer");
}

/* ---- sums and places ------------------------------------------------------------------------ */

/* Of `count` elements, each `step` bytes behind the one before. */
static void get_sums(const struct place *sums, const char *key, uint32_t count, void *first,
                     size_t step)
{
    const json_t *list = json_object_get(sums->object, key);
    if (!json_is_array(list) || json_array_size(list) != count) {
        refuse(sums, key, "an array, a sum for each resource or layer");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        htmt_wide sum;
        if (!htmt__trace_sum_read(json_array_get(list, i), &sum))
            refuse(sums, key, "strings of decimal digits");
        memcpy((char *)first + i * step, &sum, sizeof sum);
    }
}

/* The account of each resource and layer, and of how many places that is: the controller of a bank
 * machine, "host" in the file, is one place. The threads of a processor are inside services for
 * longer than their issue port is busy. */
static void read_sums(const struct place *top)
{
    struct htmt_trace *t = top->r->t;
    const struct htmt_trace_info *i = &t->info;
    struct place host = *top, sums = *top;
    host.object = json_object_get(top->object, "host");
    sums.object = json_object_get(top->object, "sums");
    if (!json_is_object(sums.object)) {
        refuse(top, "sums", "an object");
        return;
    }
    get_sums(&sums, "busy", i->resources, &t->resource[0].busy, sizeof *t->resource);
    get_sums(&sums, "waited", i->resources, &t->resource[0].waited, sizeof *t->resource);
    const json_t *paused = json_object_get(sums.object, "paused");
    for (uint32_t n = 0; n < i->resources && paused; n++) {
        htmt_wide sum;
        if (json_array_size(paused) != i->resources ||
            !htmt__trace_sum_read(json_array_get(paused, n), &sum))
            refuse(&sums, "paused", "an array of decimal digits, a string for each resource");
    }
    get_sums(&sums, "stalled", i->layers, &t->layer[0].stalled, sizeof *t->layer);
    uint32_t layer = host.object ? get_index(&host, "layer", i->layers) : NONE;
    uint32_t network = host.object ? get_index(&host, "network", i->networks) : NONE;
    uint32_t threads = host.object ? get_index(&host, "threads", i->resources) : NONE;
    uint32_t played = i->host == NONE || !i->played ? i->played : i->played - 1;
    const struct htmt_trace_places of_host = {1, 1, 1},
                                   of_slices = {i->slices, played, i->stands_for};
    for (uint32_t l = 0; l < i->layers; l++)
        t->layer[l].places = l == layer ? of_host : of_slices;
    for (uint32_t n = 0; n < i->resources; n++) {
        struct htmt_trace_resource *r = &t->resource[n];
        bool is_host = r->kind == HTMT_BANK ? r->layer == layer : r->network == network;
        r->inside = r->busy;
        r->places = host.object && is_host ? of_host : of_slices;
    }
    if (threads != NONE &&
        !htmt__trace_sum_read(json_object_get(sums.object, "inside"), &t->resource[threads].inside))
        refuse(&sums, "inside", "a string of decimal digits");
}

/* ---- the top -------------------------------------------------------------------------------- */

static void read_ending(const struct place *p, struct htmt_trace_info *i)
{
    const json_t *complete = json_object_get(p->object, "complete");
    if (!json_is_boolean(complete))
        refuse(p, "complete", "true or false");
    i->complete = json_is_true(complete);
    i->fault = get_text_or_null(p, "fault");
    if (i->complete == (i->fault != NULL))
        refuse(p, "fault", "null of a complete run, a line of another one");
    i->end = (htmt_time)get_number(p, "end_fs", INT64_MAX);

    const json_t *last = json_object_get(p->object, "last");
    json_int_t slice = json_integer_value(json_array_get(last, 0));
    json_int_t number = json_integer_value(json_array_get(last, 1));
    i->last = HTMT_TRACE_NONE;
    if (json_array_size(last) == 2 && slice >= 0 && slice < i->places && number >= 0 &&
        (uint64_t)number < HTMT__TRACE_NUMBERS)
        i->last = htmt_trace_ref_of((uint32_t)slice, (uint64_t)number);
    else if (!json_is_null(last))
        refuse(p, "last", "null, or a slice and a number below 2^40");

    const char *hash = json_string_value(json_object_get(p->object, "history_hash"));
    if (hash && strlen(hash) == 16 && !hash[strspn(hash, "0123456789abcdef")])
        i->history_hash = strtoull(hash, NULL, 16);
    else
        refuse(p, "history_hash", "16 hexadecimal digits");
}

static void read_top(const struct place *top)
{
    static const char *const modes[] = {"run", "model"};
    struct htmt_trace *t = top->r->t;
    struct htmt_trace_info *i = &t->info;
    i->version = get_u32(top, "version", UINT32_MAX);
    if (i->version != t->version)
        refuse(top, "version", t->version == 1 ? "1" : "2");
    i->machine = get_text(top, "machine");
    i->app = get_text_or_null(top, "app");
    i->app = i->app ? i->app : "";
    i->mode = modes[get_word(top, "mode", modes, 2)];
    /* The number of the host's place is behind the slices, or behind the one that stands for all.
     */
    struct place host = {.r = top->r, .object = json_object_get(top->object, "host")};
    i->slices = get_u32(top, "slices", HTMT__TRACE_SLICES_MAX);
    i->host = NONE;
    i->places = i->slices;
    if (host.object && !json_is_object(host.object)) {
        refuse(top, "host", "an object");
    } else if (host.object) {
        i->host = get_u32(&host, "slice", i->slices);
        i->places += i->host == i->slices;
    }
    i->played = get_u32(top, "played", i->places);
    i->stands_for = get_u32(top, "stands_for", HTMT__TRACE_SLICES_MAX);
    i->intervals = get_number(top, "intervals", INT64_MAX);
    read_ending(top, i);
    i->about = t->about = get_object(top, "about");
    if (!json_is_null(json_object_get(top->object, "filter")))
        i->filter = t->filter = get_object(top, "filter");
    i->filtered = t->filter != NULL;
    i->layer = t->layer = get_array(top, "layers", sizeof *t->layer, &i->layers, read_layer);
    i->network = t->network = get_strings(top, "networks", &i->networks);
    i->resource = t->resource =
        get_array(top, "resources", sizeof *t->resource, &i->resources, read_resource);
    i->step = t->step = get_array(top, "steps", sizeof *t->step, &i->steps, read_step);
    i->section = t->section = get_strings(top, "sections", &i->sections);
    i->open = t->open = get_strings(top, "open", &i->open_lines);
    if (!top->r->rc)
        read_sums(top);
}

int htmt__trace_footer_read(struct htmt_trace *t, struct htmt_fault *fault)
{
    json_error_t error;
    struct reading r = {.t = t, .fault = fault};
    t->info.blocks = t->trailer.blocks;
    if (htmt__json_read((const char *)t->raw.at, t->trailer.footer_raw, JSON_REJECT_DUPLICATES,
                        &t->footer, &error) == HTMT_ENOMEM)
        return htmt__trace_out_of_memory(t, fault);
    if (!json_is_object(t->footer))
        return htmt__trace_refuse(t, t->trailer.footer, fault,
                                  "footer: found %s at byte %d of the text, expected a JSON object",
                                  t->footer ? "another value" : error.text, error.position);
    read_top(&(struct place){.r = &r, .object = t->footer});
    return r.rc;
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
