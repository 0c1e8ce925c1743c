/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows stand in the order in which their keys are written. Reading follows the same order, with
 * three consequences: whether a program drove its emulator itself is known from `app` before
 * anything depends on it; `slices` and `predicted_fs` are there before `lint` copies them; and of
 * two mistakes in a file the one whose key comes first is told.
 */
#include "emul/lib/report/results_fields.h"

#include "emul/lib/report/answers.h"
#include "runtime/base/jansson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT(key, kind, member) HTMT__FIELD(struct htmt__document, key, kind, member)
#define MAYBE(key, kind, member)    HTMT__FIELD_OPTIONAL(struct htmt__document, key, kind, member)
#define WRITTEN(key, kind, member)  HTMT__FIELD_WRITTEN(struct htmt__document, key, kind, member)
#define ARRAY(key, table, items)                                                                   \
    HTMT__FIELD_ARRAY(struct htmt__document, key, table, items, items##_count)

/* What the command alone knows is null where a program drove its emulator itself. */
#define OF_COMMAND .present = offsetof(struct htmt__document, told.command)
#define IF(member) .present = offsetof(struct htmt__document, told.member)

/* ---- parts of the results -------------------------------------------------------------------- */

/* Of what has no bound, and of classes that nobody counted, nothing is written: 0 stands for it in
 * the struct. */
static json_t *write_positive(const struct htmt__field *f, const void *from)
{
    json_t *all = json_object();
    int failed = !all;
    for (const struct htmt__field *p = f->of; p->key && !failed; p++) {
        const char *at = (const char *)from + f->at + p->at;
        if (*(const double *)(const void *)at > 0)
            failed = json_object_set_new(all, p->key,
                                         htmt__fields_real(*(const double *)(const void *)at));
    }
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

#define CLASS(key, class) HTMT__FIELD_OPTIONAL(struct htmt__classes, key, REAL, of[class])
static const struct htmt__field class_fields[] = {
    CLASS("cycles", HTMT_CYCLE), CLASS("flop", HTMT_FLOP),    CLASS("iop", HTMT_IOP),
    CLASS("loads", HTMT_LOAD),   CLASS("stores", HTMT_STORE), HTMT__FIELD_END,
};

#define STAGE(key, kind, member) HTMT__FIELD(struct htmt__stage, key, kind, member)
static const struct htmt__field stage_fields[] = {
    STAGE("name", CHARS, type),
    STAGE("stage", TEXT, stage),
    STAGE("resource", CHARS, resource),
    STAGE("parcels", COUNT, parcels),
    STAGE("quantity", REAL, quantity),
    STAGE("unit", TEXT, unit),
    {HTMT__FIELD_AT(struct htmt__stage, "classes", OBJECT, classes), .of = class_fields,
     .optional = true, .write = write_positive}, /* files of before 0.2 have none */
    STAGE("mean_s", REAL, mean_s),
    STAGE("mean_wait_s", REAL, mean_wait_s),
    STAGE("mean_stall_s", REAL, mean_stall_s),
    HTMT__FIELD_OPTIONAL(struct htmt__stage, "mean_pause_s", REAL, mean_pause_s),
    HTMT__FIELD_OPTIONAL(struct htmt__stage, "kernels_s", REAL, kernels_s),
    STAGE("parallelism", COUNT, parallelism),
    STAGE("utilization", REAL, utilization),
    HTMT__FIELD_END,
};

#define PEAK(key, member) HTMT__FIELD_OPTIONAL(struct htmt__peak, key, REAL, member)
static const struct htmt__field peak_fields[] = {
    PEAK("cycles", of_class[HTMT_CYCLE]),
    PEAK("flop", of_class[HTMT_FLOP]),
    PEAK("iop", of_class[HTMT_IOP]),
    PEAK("loads", of_class[HTMT_LOAD]),
    PEAK("stores", of_class[HTMT_STORE]),
    PEAK("words", words),
    HTMT__FIELD_END,
};

#define RESOURCE(key, kind, member) HTMT__FIELD(struct htmt__resource, key, kind, member)
static const struct htmt__field resource_fields[] = {
    RESOURCE("name", CHARS, name),
    RESOURCE("kind", TEXT, kind),
    HTMT__FIELD_OPTIONAL(struct htmt__resource, "layer", CHARS, layer_name),
    {HTMT__FIELD_AT(struct htmt__resource, "peaks", OBJECT, peak), .of = peak_fields,
     .optional = true, .write = write_positive},
    RESOURCE("count", COUNT, count),
    RESOURCE("served", COUNT, served),
    RESOURCE("words", REAL, words),
    RESOURCE("busy_s", REAL, busy_s),
    RESOURCE("utilization", REAL, utilization),
    HTMT__FIELD_OPTIONAL(struct htmt__resource, "paused_s", REAL, paused_s),
    HTMT__FIELD_OPTIONAL(struct htmt__resource, "term", CHARS, term),
    RESOURCE("mean_wait_s", REAL, mean_wait_s),
    RESOURCE("mean_queue", REAL, mean_queue),
    RESOURCE("max_queue", COUNT, max_queue),
    HTMT__FIELD_END,
};

#define MEMORY(key, kind, member) HTMT__FIELD(struct htmt__memory, key, kind, member)
static const struct htmt__field memory_fields[] = {
    MEMORY("name", CHARS, name),
    MEMORY("count", COUNT, count),
    MEMORY("capacity_words", COUNT, capacity_words),
    MEMORY("peak_words", COUNT, peak_words),
    MEMORY("resident_words", COUNT, resident_words),
    MEMORY("stall_s", REAL, stall_s),
    MEMORY("mean_queue", REAL, mean_queue),
    MEMORY("max_queue", COUNT, max_queue),
    HTMT__FIELD_END,
};

#define SECTION(key, kind, member) HTMT__FIELD(struct htmt__section_time, key, kind, member)
static const struct htmt__field section_fields[] = {
    SECTION("name", CHARS, name),
    SECTION("time_s", REAL, time_s),
    SECTION("share", REAL, share),
    SECTION("busy_s", REAL, busy_s),
    SECTION("wait_s", REAL, wait_s),
    SECTION("stall_s", REAL, stall_s),
    HTMT__FIELD_END,
};

/* The largest figure of each range of slices; none if all slices are alike. */
static json_t *write_ranges(const struct htmt__field *f, const void *from)
{
    const struct htmt__spread *s = from;
    json_t *all = json_array();
    (void)f;
    for (unsigned i = 0; i < s->ranges && all; i++)
        htmt__fields_append(&all, htmt__fields_real(s->range[i]));
    return all;
}

static int read_ranges(const struct htmt__reading *in, const char *where, const json_t *object,
                       void *into)
{
    struct htmt__spread *s = into;
    const json_t *item;
    json_t *all;
    size_t i;
    int rc = htmt__fields_member(in, where, object, "by_slice", JSON_ARRAY, false, &all);
    if (!rc && json_array_size(all) > HTMT__SPREAD_RANGES)
        rc = htmt__fields_refuse(in, where, "by_slice", all, "at most 64 numbers");
    json_array_foreach(all, i, item)
    {
        if (rc)
            break;
        if (!json_is_number(item))
            rc = htmt__fields_refuse(in, where, "by_slice[]", item, "a number");
        s->range[s->ranges++] = json_number_value(item);
    }
    return rc;
}

#define SPREAD(key, kind, member) HTMT__FIELD(struct htmt__spread, key, kind, member)
static const struct htmt__field spread_fields[] = {
    SPREAD("name", CHARS, name),
    SPREAD("slices", COUNT, slices),
    SPREAD("idle", COUNT, idle),
    SPREAD("busiest", COUNT, busiest),
    SPREAD("mean_share", REAL, mean_share),
    SPREAD("busiest_share", REAL, busiest_share),
    SPREAD("queued", COUNT, queued),
    SPREAD("mean_queue", REAL, mean_queue),
    SPREAD("most_queue", REAL, most_queue),
    {.key = "by_slice", .kind = HTMT__FIELD_OWN, .write = write_ranges, .read = read_ranges},
    HTMT__FIELD_END,
};

#define INSIDE(key, kind, member) HTMT__FIELD(struct htmt__inside_sums, key, kind, member)
#define LANES(name, member)                                                                        \
    {                                                                                              \
        HTMT__FIELD_AT(struct htmt__inside_sums, name, COUNT, member),                             \
            .optional = true, .needs = offsetof(struct htmt__inside_sums, adds_lanes)              \
    }
static const struct htmt__field inside_fields[] = {
    INSIDE("name", CHARS, name),          INSIDE("ports", COUNT, ports),
    INSIDE("packets", COUNT, packets),    INSIDE("hops", COUNT, hops),
    INSIDE("bytes", REAL, bytes),         INSIDE("contentions", COUNT, contentions),
    INSIDE("busy_s", REAL, busy_s),       INSIDE("blocked_s", REAL, blocked_s),
    INSIDE("waiting_s", REAL, waiting_s), INSIDE("mean_queue", REAL, mean_queue),
    LANES("lane_classes", lane_classes),  LANES("lanes", lanes),
    LANES("lanes_added", lanes_added),    HTMT__FIELD_END,
};

#define PORT(key, kind, member) HTMT__FIELD(struct htmt__port_sums, key, kind, member)
static const struct htmt__field port_fields[] = {
    PORT("network", CHARS, network),
    PORT("name", CHARS, name),
    PORT("plane", COUNT, plane),
    PORT("packets", COUNT, packets),
    PORT("bytes", COUNT, bytes),
    PORT("contentions", COUNT, contentions),
    PORT("busy_s", REAL, busy_s),
    PORT("blocked_s", REAL, blocked_s),
    PORT("waiting_s", REAL, waiting_s),
    PORT("idle_s", REAL, idle_s),
    PORT("busy_share", REAL, busy_share),
    PORT("blocked_share", REAL, blocked_share),
    PORT("waiting_share", REAL, waiting_share),
    PORT("idle_share", REAL, idle_share),
    PORT("mean_queue", REAL, mean_queue),
    PORT("max_queue", COUNT, max_queue),
    HTMT__FIELD_END,
};

#define ROUTING(key, kind, member) HTMT__FIELD(struct htmt__routing_sums, key, kind, member)
static const struct htmt__field routing_fields[] = {
    ROUTING("name", CHARS, name),
    ROUTING("layer", CHARS, layer),
    ROUTING("count", COUNT, count),
    ROUTING("packets", COUNT, packets),
    ROUTING("route_s", REAL, route_s),
    ROUTING("copy_s", REAL, copy_s),
    ROUTING("put_off_s", REAL, put_off_s),
    ROUTING("busy_s", REAL, busy_s),
    ROUTING("utilization", REAL, utilization),
    HTMT__FIELD_END,
};

#define VORTEX(key, kind, member) HTMT__FIELD(struct htmt__vortex_sums, key, kind, member)
static const struct htmt__field vortex_fields[] = {
    VORTEX("network", CHARS, network),
    VORTEX("packets", COUNT, packets),
    VORTEX("deflections", COUNT, deflections),
    VORTEX("waited", COUNT, waited),
    VORTEX("wait_s", REAL, wait_s),
    VORTEX("mean_wait_s", REAL, mean_wait_s),
    HTMT__FIELD_END,
};

#define CYLINDER(key, kind, member) HTMT__FIELD(struct htmt__cylinder_sums, key, kind, member)
static const struct htmt__field cylinder_fields[] = {
    CYLINDER("network", CHARS, network),
    CYLINDER("cylinder", COUNT, cylinder),
    CYLINDER("nodes", COUNT, nodes),
    CYLINDER("packets", COUNT, packets),
    CYLINDER("deflections", COUNT, deflections),
    CYLINDER("load", REAL, load),
    HTMT__FIELD_END,
};

#define OPERATIONS(key, kind, member) HTMT__FIELD(struct htmt__operations_sums, key, kind, member)
#define PART(key, part)               OPERATIONS(key, REAL, part_s[HTMT_OPERATIONS_##part])
static const struct htmt__field operations_fields[] = {
    OPERATIONS("type", CHARS, type),
    OPERATIONS("stage", TEXT, stage),
    OPERATIONS("resource", CHARS, resource),
    OPERATIONS("services", COUNT, services),
    OPERATIONS("counted", COUNT, counted),
    OPERATIONS("why", CHARS, why),
    OPERATIONS("instructions", COUNT, instructions),
    OPERATIONS("loads", COUNT, loads),
    OPERATIONS("stores", COUNT, stores),
    OPERATIONS("l1_misses", COUNT, l1_misses),
    OPERATIONS("l1_code_misses", COUNT, l1_code_misses),
    OPERATIONS("l2_misses", COUNT, l2_misses),
    OPERATIONS("write_backs", COUNT, write_backs),
    OPERATIONS("page_hits", COUNT, page_hits),
    OPERATIONS("page_misses", COUNT, page_misses),
    OPERATIONS("branches_missed", COUNT, branches_missed),
    OPERATIONS("time_s", REAL, time_s),
    PART("issue_s", ISSUE),
    PART("units_s", UNITS),
    PART("chain_s", CHAIN),
    PART("l1_s", L1),
    PART("l2_s", L2),
    PART("bus_s", BUS),
    PART("pages_s", PAGES),
    PART("refresh_s", REFRESH),
    PART("branches_s", BRANCHES),
    HTMT__FIELD_END,
};

#define MISS(key, kind, member) HTMT__FIELD(struct htmt__miss_sums, key, kind, member)
static const struct htmt__field miss_fields[] = {
    MISS("type", CHARS, type),
    MISS("stage", TEXT, stage),
    MISS("place", CHARS, place),
    MISS("misses", COUNT, misses),
    HTMT__FIELD_END,
};

static json_t *write_limit_kind(const struct htmt__field *f, const void *from)
{
    (void)f;
    const struct htmt__limit *l = from;
    const size_t length = strlen(l->report.name), tail = strlen(" ports");
    const bool ports = length > tail && strcmp(l->report.name + length - tail, " ports") == 0;
    return json_string(l->report.space       ? "space"
                       : l->latency && ports ? "ports"
                       : l->latency          ? "latency"
                                             : "resource");
}

static int read_limit_kind(const struct htmt__reading *in, const char *where, const json_t *object,
                           void *into)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    (void)in, (void)where;
    ((struct htmt__limit *)into)->report.space = kind && strcmp(kind, "space") == 0;
    ((struct htmt__limit *)into)->latency =
        kind && (strcmp(kind, "latency") == 0 || strcmp(kind, "ports") == 0);
    ((struct htmt__limit *)into)->path_share = (double)NAN; /* of files without the key */
    return 0;
}

#define LIMIT(key, kind, member) HTMT__FIELD(struct htmt__limit, key, kind, report.member)
static const struct htmt__field limit_fields[] = {
    LIMIT("name", CHARS, name),
    {.key = "kind", .kind = HTMT__FIELD_OWN, .write = write_limit_kind, .read = read_limit_kind},
    LIMIT("binding", FLAG, binding),
    LIMIT("utilization", REAL, utilization),
    LIMIT("mean_wait_s", REAL, mean_wait_s),
    LIMIT("mean_queue", REAL, mean_queue),
    HTMT__FIELD_OPTIONAL(struct htmt__limit, "path_share", REAL, path_share),
    HTMT__FIELD_END,
};

/* ---- what the command says of a run ---------------------------------------------------------- */

static const struct htmt__field warning_fields[] = {
    HTMT__FIELD(struct htmt__pair, "name", TEXT, name),
    HTMT__FIELD(struct htmt__pair, "message", TEXT, value),
    HTMT__FIELD_END,
};
static const struct htmt__field output_fields[] = {
    HTMT__FIELD(struct htmt__pair, "option", TEXT, name),
    HTMT__FIELD(struct htmt__pair, "file", TEXT, value),
    HTMT__FIELD_END,
};

static json_t *write_found_value(const struct htmt__field *f, const void *from)
{
    const struct htmt_found *found = from;
    (void)f;
    return found->text[0] ? htmt__json_text(found->text) : htmt__fields_real(found->value);
}

static const struct htmt__field found_fields[] = {
    HTMT__FIELD(struct htmt_found, "name", CHARS, name),
    {.key = "value", .kind = HTMT__FIELD_OWN, .write = write_found_value},
    HTMT__FIELD(struct htmt_found, "unit", CHARS, unit),
    HTMT__FIELD_END,
};

/* Texts without names: notes, and the open figures of the machine. */
static json_t *write_texts(const struct htmt__field *f, const void *from)
{
    const struct htmt__pairs *pairs = (const void *)((const char *)from + f->at);
    json_t *all = json_array();
    for (unsigned i = 0; i < pairs->count && all; i++)
        htmt__fields_append(&all, htmt__json_text(pairs->pair[i].value));
    return all;
}

static int read_texts(const struct htmt__reading *in, const json_t *object, const char *key,
                      struct htmt__pairs *pairs)
{
    json_t *array;
    const json_t *item;
    size_t i;
    int rc = htmt__fields_member(in, "", object, key, JSON_ARRAY, false, &array);
    json_array_foreach(array, i, item)
    {
        if (!json_is_string(item))
            return htmt__fields_refuse(in, key, "[]", item, "texts");
        rc = rc ? rc : htmt__pairs_add(pairs, NULL, json_string_value(item));
    }
    return rc;
}

static int read_notes(const struct htmt__reading *in, const char *where, const json_t *object,
                      void *into)
{
    (void)where;
    return read_texts(in, object, "notes", &((struct htmt__document *)into)->notes);
}

static int read_not_modelled(const struct htmt__reading *in, const char *where,
                             const json_t *object, void *into)
{
    (void)where;
    return read_texts(in, object, "not_modelled", &((struct htmt__document *)into)->not_modelled);
}

static json_t *write_options(const struct htmt__field *f, const void *from)
{
    const struct htmt__pairs *pairs = &((const struct htmt__document *)from)->options;
    json_t *all = json_array();
    (void)f;
    for (unsigned i = 0; i < pairs->count && all; i++)
        htmt__fields_append(&all, json_pack("[s,s]", pairs->pair[i].name, pairs->pair[i].value));
    return all;
}

int htmt__options_read(const struct htmt__reading *in, const json_t *options,
                       struct htmt__document *d)
{
    const json_t *item;
    size_t i;
    int rc = 0;
    json_array_foreach(options, i, item)
    {
        const char *name = json_string_value(json_array_get(item, 0));
        const char *value = json_string_value(json_array_get(item, 1));
        if (!name || !value)
            return htmt__fields_refuse(in, "record.", "options", item, "pairs of name and value");
        rc = rc ? rc : htmt__pairs_add(&d->options, name, value);
    }
    return rc;
}

static int read_options(const struct htmt__reading *in, const char *where, const json_t *object,
                        void *into)
{
    json_t *options;
    int rc = htmt__fields_member(in, where, object, "options", JSON_ARRAY, false, &options);
    return rc ? rc : htmt__options_read(in, options, into);
}

static json_t *write_error(const struct htmt__field *f, const void *from)
{
    const struct htmt_fault *fault = &((const struct htmt__document *)from)->fault;
    (void)f;
    if (!fault->code)
        return json_null();
    return json_pack("{s:s,s:o}", "code", htmt_err_name(fault->code), "message",
                     htmt__json_text(fault->text));
}

static int read_error(const struct htmt__reading *in, const char *where, const json_t *object,
                      void *into)
{
#define CODE(code, value, status, text) {#code, value},
    static const struct {
        const char *name;
        int code;
    } codes[] = {HTMT_ERR_MAP(CODE)};
#undef CODE
    json_t *error;
    int found = 0, rc = htmt__fields_member(in, where, object, "error", JSON_OBJECT, true, &error);
    if (rc || !error)
        return rc;
    const json_t *code = json_object_get(error, "code"), *text = json_object_get(error, "message");
    for (unsigned i = 0; json_is_string(code) && i < sizeof codes / sizeof *codes && !found; i++)
        if (strcmp(codes[i].name, json_string_value(code)) == 0)
            found = codes[i].code;
    if (!found)
        return htmt__fields_refuse(in, "error.", "code", code, "the name of an error");
    if (!json_is_string(text))
        return htmt__fields_refuse(in, "error.", "message", text, "a text");
    htmt_fault_set(&((struct htmt__document *)into)->fault, found, "%s", json_string_value(text));
    return 0;
}

static const struct htmt__field check_fields[] = {
    DOCUMENT("name", TEXT, check_name),
    DOCUMENT("value", REAL, check_value),
    DOCUMENT("tolerance", REAL, check_tolerance),
    HTMT__FIELD_END,
};

/* `correct` and `check` depend on each other. */
static int read_check(const struct htmt__reading *in, const char *where, const json_t *object,
                      void *into)
{
    struct htmt__document *d = into;
    const json_t *correct = json_object_get(object, "correct");
    json_t *check;
    d->correct = json_is_boolean(correct) ? json_is_true(correct) : -1;
    int rc = htmt__fields_member(in, where, object, "check", JSON_OBJECT, d->correct < 0, &check);
    if (!rc && check)
        rc = htmt__fields_read(in, "check.", check, check_fields, d);
    if (!rc && !json_is_boolean(correct) && !json_is_null(correct))
        rc = htmt__fields_refuse(in, where, "correct", correct, "true, false or null");
    return rc;
}

static const struct htmt__field closed_form_fields[] = {
    DOCUMENT("name", TEXT, closed_form_name),
    DOCUMENT("predicted_s", REAL, closed_form_s),
    HTMT__FIELD_END,
};

static const struct htmt__field wall_fields[] = {
    DOCUMENT("input_s", REAL, wall.input_s),     DOCUMENT("setup_s", REAL, wall.setup_s),
    DOCUMENT("emulate_s", REAL, wall.emulate_s), DOCUMENT("check_s", REAL, wall.check_s),
    DOCUMENT("output_s", REAL, wall.output_s),   DOCUMENT("total_s", REAL, wall.total_s),
    MAYBE("kernels_s", REAL, wall.kernels_s),    HTMT__FIELD_END,
};

#define WALLS(key, kind, member) HTMT__FIELD(struct htmt__walls, key, kind, member)
static const struct htmt__field walls_fields[] = {
    WALLS("wall_s", REAL, wall),
    WALLS("kernels_s", REAL, kernels),
    WALLS("own_work_s", REAL, own),
    WALLS("ratio", REAL, ratio),
    WALLS("spread_percent", REAL, spread),
    WALLS("free_runs", COUNT, free),
    WALLS("clock_hz", REAL, own_hz),
    WALLS("clock_now_hz", REAL, hz),
    HTMT__FIELD_END,
};

static int read_wall(const struct htmt__reading *in, const char *where, const json_t *object,
                     void *into)
{
    struct htmt__document *d = into;
    json_t *wall;
    int rc = htmt__fields_member(in, where, object, "wall", JSON_OBJECT, d->program, &wall);
    return rc || !wall ? rc : htmt__fields_read(in, "wall.", wall, wall_fields, d);
}

/* ---- how the host and the clock went --------------------------------------------------------- */

static const struct htmt__field host_fields[] = {
    WRITTEN("workers", COUNT, results.host.workers),
    DOCUMENT("kernels", COUNT, results.host.jobs),
    DOCUMENT("on_clock_thread", COUNT, results.host.helped),
    DOCUMENT("run_ahead_peak_bytes", COUNT, results.host.run_ahead_peak_bytes),
    HTMT__FIELD_END,
};

/* Versions before 0.2 wrote fewer of these. */
static const struct htmt__field clock_fields[] = {
    DOCUMENT("kind", TEXT, results.clock.kind),
    MAYBE("reason", TEXT, results.clock.reason),
    MAYBE("lookahead_fs", LIMIT, results.clock.lookahead),
    DOCUMENT("windows", COUNT, results.clock.windows),
    WRITTEN("events_per_window", REAL, told.events_per_window),
    MAYBE("partitions", COUNT, results.clock.partitions),
    MAYBE("threads", COUNT, results.clock.threads),
    MAYBE("ranks", COUNT, results.clock.ranks),
    MAYBE("shared_windows", COUNT, results.clock.shared),
    MAYBE("awaited_s", REAL, results.clock.awaited_s),
    HTMT__FIELD_END,
};

static int read_clock(const struct htmt__reading *in, const char *where, const json_t *object,
                      void *into)
{
    struct htmt__document *d = into;
    struct htmt__clock_kind *c = &d->results.clock;
    json_t *clock;
    c->lookahead = HTMT_TIME_MAX;
    int rc = htmt__fields_member(in, where, object, "clock", JSON_OBJECT, true, &clock);
    if (!rc && clock)
        rc = htmt__fields_read(in, "clock.", clock, clock_fields, d);
    if (rc || !clock)
        return rc;
    bool sequential = strcmp(c->kind, htmt__clock_sequential) == 0;
    if (sequential == (c->reason != NULL) &&
        (sequential || strcmp(c->kind, htmt__clock_windows) == 0))
        return 0;
    return htmt__fields_refuse(in, "clock.", "kind", json_object_get(clock, "kind"),
                               "'windows', or 'sequential' and a reason");
}

/* ---- explanation ----------------------------------------------------------------------------- */

#define CAUSE(key, kind, member) HTMT__FIELD(struct htmt__cause, key, kind, member)
static const struct htmt__field cause_fields[] = {
    CAUSE("cause", TEXT, cause),   CAUSE("of", CHARS, of),
    CAUSE("type", CHARS, type),    CAUSE("stage", TEXT, stage),
    CAUSE("using", CHARS, used),   CAUSE("intervals", COUNT, intervals),
    CAUSE("time_fs", COUNT, time), HTMT__FIELD_END,
};

/* Times by cause; `blocked` only where a network has ports inside, and not in older files. */
static json_t *write_causes(const struct htmt__field *f, const void *from)
{
    const htmt_time *of = (const void *)((const char *)from + f->at);
    json_t *all = json_object();
    int failed = !all;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && !failed; i++)
        if (i != HTMT_PATH_BLOCKED || of[i])
            failed = json_object_set_new(all, htmt_path_cause_name((enum htmt_path_cause)i),
                                         json_integer(of[i]));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static int read_causes(const struct htmt__reading *in, const char *where, const json_t *object,
                       htmt_time of[HTMT_PATH_CAUSES])
{
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++) {
        const char *name = htmt_path_cause_name((enum htmt_path_cause)i);
        const json_t *time = json_object_get(object, name);
        if (!time && i == HTMT_PATH_BLOCKED)
            continue;
        if (!json_is_integer(time))
            return htmt__fields_refuse(in, where, name, time, "femtoseconds");
        of[i] = json_integer_value(time);
    }
    return 0;
}

static int read_sums(const struct htmt__reading *in, const char *where, const json_t *object,
                     void *into)
{
    (void)where;
    return read_causes(in, "explanation.sums_fs.", json_object_get(object, "sums_fs"),
                       ((struct htmt__explanation *)into)->sum);
}

/* null: the closed form has no parts. */
static json_t *write_more(const struct htmt__field *f, const void *from)
{
    return ((const struct htmt__explanation *)from)->has_parts ? write_causes(f, from)
                                                               : json_null();
}

static int read_more(const struct htmt__reading *in, const char *where, const json_t *object,
                     void *into)
{
    struct htmt__explanation *x = into;
    json_t *more;
    int rc = htmt__fields_member(in, where, object, "more_fs", JSON_OBJECT, true, &more);
    x->has_parts = more != NULL;
    return rc || !more ? rc : read_causes(in, "explanation.gap.more_fs.", more, x->more);
}

#define SHARE(key, kind, member) HTMT__FIELD(struct htmt__path_share, key, kind, member)
static const struct htmt__field share_fields[] = {
    SHARE("of", TEXT, of),
    SHARE("name", CHARS, name),
    SHARE("time_fs", COUNT, time),
    HTMT__FIELD_END,
};

#define EXPLANATION(key, kind, member) HTMT__FIELD(struct htmt__explanation, key, kind, member)
static const struct htmt__field gap_fields[] = {
    EXPLANATION("closed_form_fs", COUNT, closed_form),
    EXPLANATION("gap_fs", WHOLE, gap),
    EXPLANATION("beside_fs", WHOLE, beside),
    {HTMT__FIELD_AT(struct htmt__explanation, "more_fs", OWN, more), .write = write_more,
     .read = read_more},
    HTMT__FIELD_END,
};
static const struct htmt__field explanation_fields[] = {
    EXPLANATION("predicted_fs", COUNT, predicted),
    EXPLANATION("principal", CHARS, principal),
    EXPLANATION("intervals", COUNT, intervals),
    {HTMT__FIELD_AT(struct htmt__explanation, "sums_fs", OWN, sum), .write = write_causes,
     .read = read_sums},
    {.key = "gap",
     .kind = HTMT__FIELD_OBJECT,
     .optional = true,
     .of = gap_fields,
     .present = offsetof(struct htmt__explanation, has_closed_form)},
    {HTMT__FIELD_ARRAY(struct htmt__explanation, "parts", cause_fields, cause, count)},
    {HTMT__FIELD_ARRAY(struct htmt__explanation, "shares", share_fields, share, shares),
     .optional = true},
    HTMT__FIELD_END,
};

/* ---- lint ------------------------------------------------------------------------------------ */

/* A departure and a what-if run as the object has them: kinds by name, times in seconds. */
struct departure {
    char type[64];
    const char *kind;
    bool declared;
    uint64_t count;
    double words, moved_s;
};
#define DEPARTURE(key, kind, member) HTMT__FIELD(struct departure, key, kind, member)
static const struct htmt__field departure_fields[] = {
    DEPARTURE("type", CHARS, type),
    DEPARTURE("kind", TEXT, kind),
    DEPARTURE("declared", FLAG, declared),
    DEPARTURE("count", COUNT, count),
    DEPARTURE("words", REAL, words),
    DEPARTURE("moved_s", REAL, moved_s),
    HTMT__FIELD_END,
};

struct carried {
    const char *kind, *refused;
    htmt_time predicted;
};
static const struct htmt__field carried_fields[] = {
    HTMT__FIELD(struct carried, "kind", TEXT, kind),
    HTMT__FIELD_OPTIONAL(struct carried, "predicted_fs", LIMIT, predicted),
    HTMT__FIELD_OPTIONAL(struct carried, "refused", TEXT, refused),
    HTMT__FIELD_END,
};

static json_t *write_kept(const struct htmt__field *f, const void *from)
{
    const struct htmt__lint *l = from;
    (void)f;
    return l->what_if_count ? json_integer(l->kept) : json_null();
}

static json_t *write_carried(const struct htmt__field *f, const void *from)
{
    const struct htmt__lint *l = from;
    json_t *all = json_array();
    for (unsigned i = 0; i < l->what_if_count && all; i++) {
        const struct htmt__what_if *w = &l->what_if[i];
        const struct carried c = {htmt__lint_kind(w->kinds), w->fault.code ? w->fault.text : NULL,
                                  w->fault.code ? HTMT_TIME_MAX : w->predicted};
        htmt__fields_append(&all, htmt__fields_write(f->of, &c));
    }
    return all;
}

static json_t *write_departures(const struct htmt__field *f, const void *from)
{
    const struct htmt__lint *l = from;
    json_t *all = json_array();
    for (unsigned i = 0; i < l->count && all; i++) {
        const struct htmt_departure_report *of = &l->departure[i];
        struct departure d = {.kind = htmt__lint_kind(of->kind),
                              .declared = of->declared,
                              .count = of->count,
                              .words = (double)of->words,
                              .moved_s = (double)of->time / (double)HTMT_SECOND};
        snprintf(d.type, sizeof d.type, "%s", of->type);
        htmt__fields_append(&all, htmt__fields_write(f->of, &d));
    }
    return all;
}

/* The bit of a kind; all bits of "all". */
static unsigned kinds_of(const char *name)
{
    for (unsigned i = 0; i < HTMT_DEPARTURES; i++)
        if (strcmp(htmt__lint_kind(1u << i), name) == 0)
            return 1u << i;
    return (1u << HTMT_DEPARTURES) - 1;
}

static int read_departures(const struct htmt__reading *in, const char *where, const json_t *object,
                           void *into)
{
    struct htmt__lint *l = into;
    struct departure *all = NULL;
    unsigned count = 0;
    int rc = htmt__fields_array(in, where, object, "departures", false, departure_fields,
                                sizeof *all, (void **)&all, &count);
    for (unsigned i = 0; i < count && !rc; i++)
        if (!(all[i].words >= 0 && all[i].words < 1e30 && fabs(all[i].moved_s) < 1e15))
            rc = htmt__fields_refuse(in, "lint.departures[].", "words",
                                     json_object_get(object, "words"), "words and seconds");
    l->departure = rc ? NULL : calloc(count + 1u, sizeof *l->departure);
    if (!rc && !l->departure)
        rc = htmt_fault_set(in->fault, HTMT_ENOMEM, "%s: no memory for its results", in->file);
    for (; l->count < count && !rc; l->count++) {
        const struct departure *from = &all[l->count];
        struct htmt_departure_report *to = &l->departure[l->count];
        memcpy(to->type, from->type, sizeof to->type);
        to->kind = (enum htmt_departure)kinds_of(from->kind);
        to->declared = from->declared;
        to->count = from->count;
        to->words = (htmt_uwide)from->words;
        to->time = (htmt_wide)rint(from->moved_s * (double)HTMT_SECOND);
    }
    free(all);
    return rc;
}

static int read_carried(const struct htmt__reading *in, const char *where, const json_t *object,
                        void *into)
{
    struct htmt__lint *l = into;
    struct carried *all = NULL;
    unsigned count = 0;
    l->kept = json_integer_value(json_object_get(object, "kept_fs"));
    int rc = htmt__fields_array(in, where, object, "carried", false, carried_fields, sizeof *all,
                                (void **)&all, &count);
    if (!rc && count > sizeof l->what_if / sizeof *l->what_if)
        rc = htmt__fields_refuse(in, where, "carried", json_object_get(object, "carried"),
                                 "one for each kind of departure, and one for all");
    for (; l->what_if_count < count && !rc; l->what_if_count++) {
        const struct carried *from = &all[l->what_if_count];
        struct htmt__what_if *to = &l->what_if[l->what_if_count];
        *to = (struct htmt__what_if){.kinds = kinds_of(from->kind), .predicted = from->predicted};
        if (from->refused)
            htmt_fault_set(&to->fault, HTMT_EINVAL, "%s", from->refused);
    }
    free(all);
    return rc;
}

static const struct htmt__field lint_fields[] = {
    {.key = "kept_fs", .kind = HTMT__FIELD_OWN, .only_written = true, .write = write_kept},
    {.key = "carried",
     .kind = HTMT__FIELD_ITEMS,
     .of = carried_fields,
     .write = write_carried,
     .read = read_carried},
    {.key = "departures",
     .kind = HTMT__FIELD_ITEMS,
     .of = departure_fields,
     .write = write_departures,
     .read = read_departures},
    HTMT__FIELD_END,
};

static int read_lint(const struct htmt__reading *in, const char *where, const json_t *object,
                     void *into)
{
    struct htmt__document *d = into;
    json_t *lint;
    int rc = htmt__fields_member(in, where, object, "lint", JSON_OBJECT, true, &lint);
    if (rc || !lint)
        return rc;
    d->lint.made = true;
    d->lint.slices = d->results.slices;
    d->lint.predicted = d->results.predicted;
    return htmt__fields_read(in, "lint.", lint, lint_fields, &d->lint);
}

/* ---- determinism ----------------------------------------------------------------------------- */

static json_t *write_differing(const struct htmt__field *f, const void *from)
{
    const struct htmt_determinism_report *r = from;
    return r->equal || !r->differing[0] ? json_null() : htmt__fields_write(f->of, from);
}

static int read_runs(const struct htmt__reading *in, const char *where, const json_t *object,
                     void *into)
{
    (void)in, (void)where;
    ((struct htmt_determinism_report *)into)->runs =
        (uint32_t)json_integer_value(json_object_get(object, "runs"));
    return 0;
}

#define DETERMINISM(key, kind, member)                                                             \
    HTMT__FIELD(struct htmt_determinism_report, key, kind, member)
static const struct htmt__field differing_fields[] = {
    DETERMINISM("number", COUNT, number),
    DETERMINISM("first_run", CHARS, first),
    DETERMINISM("other_run", CHARS, differing),
    HTMT__FIELD_END,
};
static const struct htmt__field determinism_fields[] = {
    DETERMINISM("equal", FLAG, equal),
    {HTMT__FIELD_AT(struct htmt_determinism_report, "runs", COUNT, runs), .read = read_runs},
    DETERMINISM("events", COUNT, events),
    {.key = "event",
     .kind = HTMT__FIELD_OBJECT,
     .optional = true,
     .of = differing_fields,
     .write = write_differing},
    HTMT__FIELD_END,
};

/* ---- summary --------------------------------------------------------------------------------- */

static json_t *write_summary(const struct htmt__field *f, const void *from)
{
    const struct htmt__summary *s = &((const struct htmt__document *)from)->summary;
    json_t *types = json_array(), *rows = json_array();
    (void)f;
    if (!s->made) {
        json_decref(types);
        json_decref(rows);
        return json_null();
    }
    for (unsigned i = 0; i < s->columns; i++)
        htmt__fields_append(&types, htmt__json_text(s->name[i]));
    for (unsigned i = 0; i < s->rows; i++) {
        const struct htmt__summary_row *row = &s->row[i];
        json_t *values = json_array();
        for (unsigned c = 0; c < s->columns; c++)
            htmt__fields_append(&values, htmt__fields_real(row->value[c]));
        htmt__fields_append(&rows, json_pack("{s:s,s:o,s:s,s:o}", "group",
                                             htmt__summary_group_name(row->group), "name",
                                             htmt__json_text(row->name), "unit", row->unit,
                                             "values", values));
    }
    return json_pack("{s:o,s:o}", "columns", types, "rows", rows);
}

static bool take_name(const json_t *value, char *into, size_t room)
{
    const char *text = json_string_value(value);
    return text && (size_t)snprintf(into, room, "%s", text) < room;
}

static int read_row(const struct htmt__reading *in, const json_t *from, unsigned columns,
                    struct htmt__summary_row *to)
{
    static const char where[] = "summary.rows[].";
    const json_t *group = json_object_get(from, "group"), *name = json_object_get(from, "name"),
                 *values = json_object_get(from, "values");
    const char *group_name = json_string_value(group);
    unsigned g = 0;
    while (g <= HTMT__SUMMARY_BALANCE &&
           (!group_name ||
            strcmp(htmt__summary_group_name((enum htmt__summary_group)g), group_name) != 0))
        g++;
    to->group = (enum htmt__summary_group)g;
    to->unit = json_string_value(json_object_get(from, "unit"));
    if (g > HTMT__SUMMARY_BALANCE)
        return htmt__fields_refuse(in, where, "group", group, "a group of rows");
    if (!take_name(name, to->name, sizeof to->name))
        return htmt__fields_refuse(in, where, "name", name, "a short text");
    if (!to->unit)
        return htmt__fields_refuse(in, where, "unit", NULL, "a text");
    if (json_array_size(values) != columns)
        return htmt__fields_refuse(in, where, "values", values, "an array of one for each column");
    for (unsigned i = 0; i < columns; i++) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_number(value) && !json_is_null(value))
            return htmt__fields_refuse(in, where, "values[]", value, "a number");
        to->value[i] = json_is_null(value) ? NAN : json_number_value(value);
    }
    return 0;
}

/* All memory is there before anything is read, so that a document is cleared the same way whatever
 * is wrong. */
static int read_summary(const struct htmt__reading *in, const char *where, const json_t *object,
                        void *into)
{
    struct htmt__summary *s = &((struct htmt__document *)into)->summary;
    json_t *table, *names, *lines;
    int rc = htmt__fields_member(in, where, object, "summary", JSON_OBJECT, true, &table);
    if (rc || !table)
        return rc;
    rc = htmt__fields_member(in, "summary.", table, "columns", JSON_ARRAY, false, &names);
    if (!rc)
        rc = htmt__fields_member(in, "summary.", table, "rows", JSON_ARRAY, false, &lines);
    if (rc)
        return rc;
    size_t columns = json_array_size(names), rows = json_array_size(lines);
    s->name = calloc(columns + 1, sizeof *s->name);
    s->row = calloc(rows + 1, sizeof *s->row);
    bool made = s->name && s->row;
    for (; s->rows < rows && made; s->rows += made) {
        s->row[s->rows].value = calloc(columns + 1, sizeof *s->row->value);
        made = s->row[s->rows].value != NULL;
    }
    if (!made)
        return htmt_fault_set(in->fault, HTMT_ENOMEM, "%s: no memory for its results", in->file);
    for (; s->columns < columns; s->columns++) {
        const json_t *name = json_array_get(names, s->columns);
        if (!take_name(name, s->name[s->columns], sizeof *s->name))
            return htmt__fields_refuse(in, "summary.", "columns[]", name, "a short text");
    }
    for (unsigned i = 0; i < s->rows && !rc; i++)
        rc = read_row(in, json_array_get(lines, i), s->columns, &s->row[i]);
    s->made = !rc;
    return rc;
}

/* ---- whole objects --------------------------------------------------------------------------- */

static json_t *write_schema(const struct htmt__field *f, const void *from)
{
    (void)f, (void)from;
    return json_string(HTMT__RESULTS_SCHEMA);
}

/* Also of what depends on nothing else: a prediction has other keys, and is refused at once. */
static int read_schema(const struct htmt__reading *in, const char *where, const json_t *object,
                       void *into)
{
    const json_t *schema = json_object_get(object, "schema"),
                 *mode = json_object_get(object, "mode");
    const char *name = json_string_value(schema), *of = json_string_value(mode);
    (void)into;
    if (!name || strcmp(name, HTMT__RESULTS_SCHEMA) != 0)
        return htmt__fields_refuse(in, where, "schema", schema,
                                   "'" HTMT__RESULTS_SCHEMA "', the results of a run");
    if (!of || (strcmp(of, "run") != 0 && strcmp(of, "model") != 0))
        return htmt__fields_refuse(in, where, "mode", mode, "'run' or 'model'");
    return 0;
}

static int read_slices(const struct htmt__reading *in, const char *where, const json_t *object,
                       void *into)
{
    struct htmt__document *d = into;
    const json_t *slices = json_object_get(object, "slices");
    d->program = !d->app;
    d->slices = (uint64_t)json_integer_value(slices);
    d->results.slices = (uint32_t)d->slices;
    if (!json_is_integer(slices) || json_integer_value(slices) < 0)
        return htmt__fields_refuse(in, where, "slices", slices, "a count");
    if (d->slices < 1 || d->slices > UINT32_MAX)
        return htmt__fields_refuse(in, where, "slices", slices, "a number of slices");
    return 0;
}

const struct htmt__field htmt__head_fields[] = {
    {.key = "schema", .kind = HTMT__FIELD_OWN, .write = write_schema, .read = read_schema},
    MAYBE("app", TEXT, app),
    DOCUMENT("machine", TEXT, machine),
    MAYBE("costs", TEXT, costs),
    DOCUMENT("mode", TEXT, mode),
    MAYBE("problem", TEXT, problem),
    {HTMT__FIELD_AT(struct htmt__document, "slices", COUNT, slices), .read = read_slices},
    MAYBE("slices_why", TEXT, slices_why),
    DOCUMENT("threads", COUNT, threads),
    {HTMT__FIELD_AT(struct htmt__document, "seed", WHOLE, seed), .optional = true, OF_COMMAND},
    HTMT__FIELD_END,
};

/* The members of the record that the head has, too, are read there. */
const struct htmt__field htmt__record_fields[] = {
    DOCUMENT("version", TEXT, version),
    MAYBE("commit", TEXT, commit),
    WRITTEN("machine", TEXT, machine),
    DOCUMENT("machine_hash", HASH, machine_hash),
    MAYBE("machine_file", TEXT, machine_file),
    WRITTEN("costs", TEXT, costs),
    MAYBE("costs_hash", HASH, costs_hash),
    MAYBE("costs_file", TEXT, costs_file),
    {.key = "options", .kind = HTMT__FIELD_OWN, .write = write_options, .read = read_options},
    {HTMT__FIELD_AT(struct htmt__document, "seed", WHOLE, seed), .only_written = true, OF_COMMAND},
    WRITTEN("kernel_set", TEXT, kernel_set),
    WRITTEN("history_hash", HASH, results.history_hash),
    HTMT__FIELD_END,
};

static json_t *write_by_run(const struct htmt__field *field, const void *from)
{
    (void)field, (void)from;
    return json_true();
}

static int read_by_run(const struct htmt__reading *in, const char *where, const json_t *object,
                       void *into)
{
    struct htmt__document *d = into;
    (void)in, (void)where;
    d->model.by_run = json_is_true(json_object_get(object, "by_run"));
    return 0;
}

static const struct htmt__field model_fields[] = {
    DOCUMENT("predicted_fs", COUNT, model.predicted),
    DOCUMENT("history_hash", HASH, model.history_hash),
    DOCUMENT("same_events", FLAG, same_events),
    {.key = "by_run",
     .kind = HTMT__FIELD_OWN,
     .needs = offsetof(struct htmt__document, model.by_run),
     .write = write_by_run,
     .read = read_by_run},
    MAYBE("steered", FLAG, model.steered),
    MAYBE("parcels", COUNT, model.parcels),
    HTMT__FIELD_END,
};

/* Rows that predictions have, too. */
#define CORRECT     WRITTEN("correct", TRUTH, correct)
#define PREDICTED_S WRITTEN("predicted_s", REAL, told.predicted_s)
#define FLOPS                                                                                      \
    {                                                                                              \
        HTMT__FIELD_AT(struct htmt__document, "flops", REAL, flops), .optional = true, OF_COMMAND  \
    }
#define FLOPS_PER_S                                                                                \
    {                                                                                              \
        HTMT__FIELD_AT(struct htmt__document, "predicted_flops_per_s", REAL, told.flops_per_s),    \
            .only_written = true, OF_COMMAND                                                       \
    }
#define WARNINGS                                                                                   \
    {                                                                                              \
        HTMT__FIELD_ARRAY(struct htmt__document, "warnings", warning_fields, warnings.pair,        \
                          warnings.count),                                                         \
            .optional = true                                                                       \
    }
#define NOT_MODELLED                                                                               \
    {                                                                                              \
        HTMT__FIELD_AT(struct htmt__document, "not_modelled", OWN, not_modelled),                  \
            .write = write_texts, .read = read_not_modelled                                        \
    }
#define RECORD                                                                                     \
    {                                                                                              \
        .key = "record", .kind = HTMT__FIELD_OBJECT, .of = htmt__record_fields                     \
    }

#define NEEDS(items) .optional = true, .needs = offsetof(struct htmt__document, results.items)
const struct htmt__field htmt__run_fields[] = {
    WRITTEN("precision", TEXT, precision),
    MAYBE("kernel_set", TEXT, kernel_set),
    WRITTEN("complete", FLAG, told.complete),
    {.key = "error", .kind = HTMT__FIELD_OWN, .write = write_error, .read = read_error},
    CORRECT,
    {.key = "check",
     .kind = HTMT__FIELD_OBJECT,
     .of = check_fields,
     IF(has_check),
     .read = read_check},
    DOCUMENT("predicted_fs", COUNT, results.predicted),
    PREDICTED_S,
    FLOPS,
    FLOPS_PER_S,
    {.key = "closed_form",
     .kind = HTMT__FIELD_OBJECT,
     .optional = true,
     .of = closed_form_fields,
     IF(has_closed_form)},
    {.key = "wall", .kind = HTMT__FIELD_OBJECT, .of = wall_fields, OF_COMMAND, .read = read_wall},
    {HTMT__FIELD_AT(struct htmt__document, "notes", OWN, notes), .write = write_texts,
     .read = read_notes},
    WARNINGS,
    {ARRAY("found", found_fields, found), .only_written = true},
    MAYBE("machine_slices", COUNT, machine_slices),
    MAYBE("unchecked", TEXT, unchecked),
    MAYBE("closed_form_missing", TEXT, closed_form_missing),
    {HTMT__FIELD_ARRAY(struct htmt__document, "outputs", output_fields, outputs.pair,
                       outputs.count),
     .optional = true},
    {.key = "host", .kind = HTMT__FIELD_OBJECT, .of = host_fields},
    {.key = "clock",
     .kind = HTMT__FIELD_OBJECT,
     .of = clock_fields,
     IF(has_clock),
     .read = read_clock},
    DOCUMENT("parcels", COUNT, results.parcels),
    DOCUMENT("events", COUNT, results.events),
    DOCUMENT("history_hash", HASH, results.history_hash),
    {ARRAY("phases", stage_fields, results.phase)},
    {ARRAY("resources", resource_fields, results.resource)},
    {ARRAY("memories", memory_fields, results.memory)},
    WRITTEN("bottleneck", TEXT, told.bottleneck),
    {ARRAY("bottlenecks", limit_fields, results.limit)},
    {ARRAY("spread", spread_fields, results.spread), NEEDS(spread_count)},
    {ARRAY("sections", section_fields, results.section), NEEDS(section_count)},
    {HTMT__FIELD_AT(struct htmt__document, "old_history_hash", HASH, results.old_history),
     NEEDS(old_histories)},
    {HTMT__FIELD_AT(struct htmt__document, "network_history", HASH, results.network_history),
     NEEDS(inside_count)},
    {ARRAY("insides", inside_fields, results.inside), NEEDS(inside_count)},
    {ARRAY("ports", port_fields, results.port), NEEDS(inside_count)},
    {ARRAY("routing", routing_fields, results.routing), NEEDS(routing_count)},
    {ARRAY("vortices", vortex_fields, results.vortex), NEEDS(vortex_count)},
    {ARRAY("cylinders", cylinder_fields, results.cylinder), NEEDS(vortex_count)},
    {ARRAY("operations", operations_fields, results.operations), NEEDS(operations_count)},
    {ARRAY("misses", miss_fields, results.miss), NEEDS(operations_count)},
    {HTMT__FIELD_AT(struct htmt__document, "against_clock", OBJECT, walls), .optional = true,
     .of = walls_fields, .present = offsetof(struct htmt__document, walls.made),
     .needs = offsetof(struct htmt__document, walls.runs)},
    {.key = "model",
     .kind = HTMT__FIELD_OBJECT,
     .optional = true,
     .of = model_fields,
     .present = offsetof(struct htmt__document, model.emulated)},
    {HTMT__FIELD_AT(struct htmt__document, "lint", OBJECT, lint), .of = lint_fields,
     .present = offsetof(struct htmt__document, lint.made), .read = read_lint},
    {HTMT__FIELD_AT(struct htmt__document, "explanation", OBJECT, explanation), .optional = true,
     .of = explanation_fields, .present = offsetof(struct htmt__document, explanation.made)},
    {.key = "summary", .kind = HTMT__FIELD_OWN, .write = write_summary, .read = read_summary},
    NOT_MODELLED,
    {HTMT__FIELD_AT(struct htmt__document, "determinism", OBJECT, determinism), .optional = true,
     .of = determinism_fields, .present = offsetof(struct htmt__document, has_determinism)},
    RECORD,
    HTMT__FIELD_END,
};

/* ---- predictions ----------------------------------------------------------------------------- */

#define TERM(key, kind, member) HTMT__FIELD(struct htmt_term, key, kind, member)
static const struct htmt__field term_fields[] = {
    TERM("depth", COUNT, depth),   TERM("name", CHARS, name), TERM("meaning", CHARS, meaning),
    TERM("value", REAL, value),    TERM("unit", CHARS, unit), TERM("expression", CHARS, expression),
    TERM("inputs", CHARS, inputs), HTMT__FIELD_END,
};

static json_t *write_size(const struct htmt__field *f, const void *from)
{
    const struct htmt__largest *r = from;
    return json_string(strcmp(f->key, "option") == 0 ? r->size->option : r->size->meaning);
}

static json_t *write_bound(const struct htmt__field *f, const void *from)
{
    const struct htmt__largest_bound *b = (const void *)((const char *)from + f->at);
    return b->bounded ? json_integer((json_int_t)b->size) : json_null();
}

static const struct htmt__field largest_fields[] = {
    {.key = "option", .kind = HTMT__FIELD_OWN, .write = write_size},
    {.key = "meaning", .kind = HTMT__FIELD_OWN, .write = write_size},
    HTMT__FIELD(struct htmt__largest, "memory", CHARS, memory),
    {HTMT__FIELD_AT(struct htmt__largest, "size", OWN, alone), .write = write_bound},
    {HTMT__FIELD_AT(struct htmt__largest, "twice", OWN, twice), .write = write_bound},
    HTMT__FIELD(struct htmt__largest, "binds", FLAG, binds),
    HTMT__FIELD(struct htmt__largest, "refused", CHARS, why),
    HTMT__FIELD_END,
};

static json_t *write_side(const struct htmt__field *f, const void *from)
{
    (void)f;
    return json_string(((const struct htmt__origin *)from)->of_costs ? "costs" : "machine");
}

#define FIGURE(key, kind, member) HTMT__FIELD(struct htmt__origin, key, kind, member)
static const struct htmt__field figure_fields[] = {
    FIGURE("key", CHARS, figure.key),
    {.key = "of", .kind = HTMT__FIELD_OWN, .write = write_side},
    FIGURE("value", CHARS, figure.value),
    FIGURE("source", CHARS, figure.source),
    FIGURE("file", CHARS, figure.file),
    FIGURE("line", COUNT, figure.line),
    FIGURE("hidden", FLAG, hidden),
    FIGURE("half", REAL, half),
    FIGURE("twice", REAL, twice),
    HTMT__FIELD_END,
};

static const struct htmt__field origins_fields[] = {
    HTMT__FIELD(struct htmt__predicted, "term", TEXT, asked),
    {HTMT__FIELD_ARRAY(struct htmt__predicted, "figures", figure_fields, origin, origins)},
    HTMT__FIELD_END,
};

const struct htmt__field htmt__prediction_fields[] = {
    CORRECT,
    HTMT__FIELD(struct htmt__predicted, "predicted_fs", LIMIT, fs),
    PREDICTED_S,
    FLOPS,
    FLOPS_PER_S,
    WARNINGS,
    {.key = "origins",
     .kind = HTMT__FIELD_OBJECT,
     .of = origins_fields,
     .present = offsetof(struct htmt__predicted, has_origins)},
    {HTMT__FIELD_ARRAY(struct htmt__predicted, "largest", largest_fields, largest, largest_count),
     .present = offsetof(struct htmt__predicted, has_largest)},
    {HTMT__FIELD_ARRAY(struct htmt__predicted, "terms", term_fields, term, terms)},
    NOT_MODELLED,
    RECORD,
    HTMT__FIELD_END,
};
