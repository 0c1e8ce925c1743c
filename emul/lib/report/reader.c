/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/reader.h"

#include "emul/lib/report/fields.h"
#include "emul/lib/report/json.h"
#include "emul/lib/report/reader_answers.h"
#include "runtime/base/input.h"
#include "runtime/base/json_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_MAGIC "HTMTTRC"

/* ---- tables ---------------------------------------------------------------------------------- */

#define DOCUMENT(key, kind, member) HTMT__FIELD(struct htmt__document, key, kind, member)
#define MAYBE(key, kind, member)    HTMT__FIELD_OPTIONAL(struct htmt__document, key, kind, member)

static const struct htmt__field document_fields[] = {
    DOCUMENT("machine", TEXT, machine),
    DOCUMENT("mode", TEXT, mode),
    DOCUMENT("slices", COUNT, slices),
    DOCUMENT("threads", COUNT, threads),
    DOCUMENT("predicted_fs", COUNT, results.predicted),
    DOCUMENT("parcels", COUNT, results.parcels),
    DOCUMENT("events", COUNT, results.events),
    DOCUMENT("history_hash", HASH, results.history_hash),
    MAYBE("network_history", HASH, results.network_history),
    MAYBE("app", TEXT, app),
    MAYBE("costs", TEXT, costs),
    MAYBE("problem", TEXT, problem),
    MAYBE("slices_why", TEXT, slices_why),
    MAYBE("machine_slices", COUNT, machine_slices),
    MAYBE("seed", WHOLE, seed),
    MAYBE("kernel_set", TEXT, kernel_set),
    MAYBE("flops", REAL, flops),
    MAYBE("unchecked", TEXT, unchecked),
    MAYBE("closed_form_missing", TEXT, closed_form_missing),
    HTMT__FIELD_END,
};

static const struct htmt__field record_fields[] = {
    DOCUMENT("version", TEXT, version),
    MAYBE("commit", TEXT, commit),
    DOCUMENT("machine_hash", HASH, machine_hash),
    MAYBE("machine_file", TEXT, machine_file),
    MAYBE("costs_hash", HASH, costs_hash),
    MAYBE("costs_file", TEXT, costs_file),
    HTMT__FIELD_END,
};

static const struct htmt__field check_fields[] = {
    DOCUMENT("name", TEXT, check_name),
    DOCUMENT("value", REAL, check_value),
    DOCUMENT("tolerance", REAL, check_tolerance),
    HTMT__FIELD_END,
};

static const struct htmt__field closed_form_fields[] = {
    DOCUMENT("name", TEXT, closed_form_name),
    DOCUMENT("predicted_s", REAL, closed_form_s),
    HTMT__FIELD_END,
};

static const struct htmt__field model_fields[] = {
    DOCUMENT("predicted_fs", COUNT, model.predicted),
    DOCUMENT("history_hash", HASH, model.history_hash),
    DOCUMENT("same_events", FLAG, same_events),
    HTMT__FIELD_END,
};

static const struct htmt__field wall_fields[] = {
    DOCUMENT("input_s", REAL, wall.input_s),
    DOCUMENT("setup_s", REAL, wall.setup_s),
    DOCUMENT("emulate_s", REAL, wall.emulate_s),
    DOCUMENT("check_s", REAL, wall.check_s),
    DOCUMENT("output_s", REAL, wall.output_s),
    DOCUMENT("total_s", REAL, wall.total_s),
    HTMT__FIELD_END,
};

/* Counts of the host are whole numbers of this range in struct htmt_host_report. */
static const struct htmt__field host_fields[] = {
    DOCUMENT("kernels", COUNT, results.host.jobs),
    DOCUMENT("on_clock_thread", COUNT, results.host.helped),
    DOCUMENT("run_ahead_peak_bytes", COUNT, results.host.run_ahead_peak_bytes),
    HTMT__FIELD_END,
};

/* What older versions wrote has no such object. */
static const struct htmt__field clock_fields[] = {
    DOCUMENT("kind", TEXT, results.clock.kind),
    DOCUMENT("windows", COUNT, results.clock.windows),
    MAYBE("reason", TEXT, results.clock.reason),
    MAYBE("lookahead_fs", COUNT, results.clock.lookahead),
    MAYBE("partitions", COUNT, results.clock.partitions),
    MAYBE("threads", COUNT, results.clock.threads),
    MAYBE("ranks", COUNT, results.clock.ranks),
    MAYBE("shared_windows", COUNT, results.clock.shared),
    MAYBE("awaited_s", REAL, results.clock.awaited_s),
    HTMT__FIELD_END,
};

#define STAGE(key, kind, member) HTMT__FIELD(struct htmt__stage, key, kind, member)
static const struct htmt__field stage_fields[] = {
    STAGE("name", CHARS, type),
    STAGE("stage", TEXT, stage),
    STAGE("resource", CHARS, resource),
    STAGE("parcels", COUNT, parcels),
    STAGE("quantity", REAL, quantity),
    STAGE("unit", TEXT, unit),
    STAGE("mean_s", REAL, mean_s),
    STAGE("mean_wait_s", REAL, mean_wait_s),
    STAGE("mean_stall_s", REAL, mean_stall_s),
    STAGE("parallelism", COUNT, parallelism),
    STAGE("utilization", REAL, utilization),
    HTMT__FIELD_END,
};

#define RESOURCE(key, kind, member) HTMT__FIELD(struct htmt__resource, key, kind, member)
static const struct htmt__field resource_fields[] = {
    RESOURCE("name", CHARS, name),
    RESOURCE("kind", TEXT, kind),
    RESOURCE("count", COUNT, count),
    RESOURCE("served", COUNT, served),
    RESOURCE("words", REAL, words),
    RESOURCE("busy_s", REAL, busy_s),
    RESOURCE("utilization", REAL, utilization),
    RESOURCE("mean_wait_s", REAL, mean_wait_s),
    RESOURCE("mean_queue", REAL, mean_queue),
    RESOURCE("max_queue", COUNT, max_queue),
    HTMT__FIELD_OPTIONAL(struct htmt__resource, "layer", CHARS, layer_name),
    HTMT__FIELD_END,
};

#define PEAK(class) HTMT__FIELD_OPTIONAL(struct htmt__peak, class, REAL,
static const struct htmt__field peak_fields[] = {
    PEAK("cycles") of_class[HTMT_CYCLE]), PEAK("flop") of_class[HTMT_FLOP]),
    PEAK("iop") of_class[HTMT_IOP]),      PEAK("loads") of_class[HTMT_LOAD]),
    PEAK("stores") of_class[HTMT_STORE]), PEAK("words") words),
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

#define INSIDE(key, kind, member) HTMT__FIELD(struct htmt__inside_sums, key, kind, member)
static const struct htmt__field inside_fields[] = {
    INSIDE("name", CHARS, name),
    INSIDE("ports", COUNT, ports),
    INSIDE("packets", COUNT, packets),
    INSIDE("hops", COUNT, hops),
    INSIDE("bytes", REAL, bytes),
    INSIDE("contentions", COUNT, contentions),
    INSIDE("busy_s", REAL, busy_s),
    INSIDE("blocked_s", REAL, blocked_s),
    INSIDE("waiting_s", REAL, waiting_s),
    INSIDE("mean_queue", REAL, mean_queue),
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

#define LIMIT(key, kind, member) HTMT__FIELD(struct htmt_limit_report, key, kind, member)
static const struct htmt__field limit_fields[] = {
    LIMIT("name", CHARS, name),
    LIMIT("binding", FLAG, binding),
    LIMIT("utilization", REAL, utilization),
    LIMIT("mean_wait_s", REAL, mean_wait_s),
    LIMIT("mean_queue", REAL, mean_queue),
    HTMT__FIELD_END,
};

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

/* ---- members --------------------------------------------------------------------------------- */

struct reader {
    struct htmt__reading in;
    struct htmt__document *d;
};

/* An object of `key` into the document; nothing if it is null and may be. */
static int read_member(const struct reader *r, const char *key, bool optional,
                       const struct htmt__field *fields, bool *found)
{
    char where[60];
    json_t *member;
    int rc = htmt__fields_member(&r->in, "", r->d->object, key, JSON_OBJECT, optional, &member);
    *found = member != NULL;
    snprintf(where, sizeof where, "%s.", key);
    return rc || !member ? rc : htmt__fields_read(&r->in, where, member, fields, r->d);
}

static int read_array(const struct reader *r, const char *key, const struct htmt__field *fields,
                      size_t size, void *items, unsigned *count)
{
    return htmt__fields_array(&r->in, "", r->d->object, key, false, fields, size, items, count);
}

static int read_texts(const struct reader *r, const char *key, struct htmt__pairs *pairs)
{
    json_t *array;
    const json_t *item;
    size_t i;
    int rc = htmt__fields_member(&r->in, "", r->d->object, key, JSON_ARRAY, false, &array);
    if (rc)
        return rc;
    json_array_foreach(array, i, item)
    {
        if (!json_is_string(item))
            return htmt__fields_refuse(&r->in, key, "[]", item, "texts");
        rc = rc ? rc : htmt__pairs_add(pairs, NULL, json_string_value(item));
    }
    return rc;
}

/* ---- parts of the object --------------------------------------------------------------------- */

static int read_schema(const struct reader *r)
{
    const json_t *schema = json_object_get(r->d->object, "schema");
    const char *name = json_string_value(schema);
    if (!name || strcmp(name, HTMT__RESULTS_SCHEMA) != 0)
        return htmt__fields_refuse(&r->in, "", "schema", schema,
                                   "'" HTMT__RESULTS_SCHEMA "', the results of a run");
    return 0;
}

/* A prediction has other keys. */
static int read_mode(const struct reader *r)
{
    const json_t *mode = json_object_get(r->d->object, "mode");
    const char *name = json_string_value(mode);
    if (!name || (strcmp(name, "run") != 0 && strcmp(name, "model") != 0))
        return htmt__fields_refuse(&r->in, "", "mode", mode, "'run' or 'model'");
    return 0;
}

static int take_slices(const struct reader *r)
{
    struct htmt__document *d = r->d;
    d->program = !d->app;
    d->results.slices = (uint32_t)d->slices;
    if (d->slices < 1 || d->slices > UINT32_MAX)
        return htmt__fields_refuse(&r->in, "", "slices", json_object_get(d->object, "slices"),
                                   "a number of slices");
    return 0;
}

static int code_of(const char *name)
{
#define CODE(code, value, status, text) {#code, value},
    static const struct {
        const char *name;
        int code;
    } codes[] = {HTMT_ERR_MAP(CODE)};
#undef CODE
    for (unsigned i = 0; name && i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].name, name) == 0)
            return codes[i].code;
    return 0;
}

static int read_error(const struct reader *r)
{
    json_t *error;
    int rc = htmt__fields_member(&r->in, "", r->d->object, "error", JSON_OBJECT, true, &error);
    if (rc || !error)
        return rc;
    const json_t *code = json_object_get(error, "code"), *text = json_object_get(error, "message");
    if (!code_of(json_string_value(code)))
        return htmt__fields_refuse(&r->in, "error.", "code", code, "the name of an error");
    if (!json_is_string(text))
        return htmt__fields_refuse(&r->in, "error.", "message", text, "a text");
    htmt_fault_set(&r->d->fault, code_of(json_string_value(code)), "%s", json_string_value(text));
    return 0;
}

static int read_check(const struct reader *r)
{
    bool checked;
    const json_t *correct = json_object_get(r->d->object, "correct");
    r->d->correct = json_is_boolean(correct) ? json_is_true(correct) : -1;
    int rc = read_member(r, "check", r->d->correct < 0, check_fields, &checked);
    if (!rc && !json_is_boolean(correct) && !json_is_null(correct))
        rc = htmt__fields_refuse(&r->in, "", "correct", correct, "true, false or null");
    return rc;
}

static int read_options(const struct reader *r, const json_t *options)
{
    const json_t *item;
    size_t i;
    int rc = 0;
    json_array_foreach(options, i, item)
    {
        const char *name = json_string_value(json_array_get(item, 0));
        const char *value = json_string_value(json_array_get(item, 1));
        if (!name || !value)
            return htmt__fields_refuse(&r->in, "record.", "options", item,
                                       "pairs of name and value");
        rc = rc ? rc : htmt__pairs_add(&r->d->options, name, value);
    }
    return rc;
}

static int read_record(const struct reader *r)
{
    json_t *record, *options;
    int rc = htmt__fields_member(&r->in, "", r->d->object, "record", JSON_OBJECT, false, &record);
    if (!rc)
        rc = htmt__fields_read(&r->in, "record.", record, record_fields, r->d);
    if (!rc)
        rc = htmt__fields_member(&r->in, "record.", record, "options", JSON_ARRAY, false, &options);
    return rc ? rc : read_options(r, options);
}

static int read_peaks(const struct reader *r)
{
    const json_t *resources = json_object_get(r->d->object, "resources");
    int rc = 0;
    for (unsigned i = 0; i < r->d->results.resource_count && !rc; i++) {
        const json_t *peaks = json_object_get(json_array_get(resources, i), "peaks");
        if (peaks)
            rc = htmt__fields_read(&r->in, "resources[].peaks.", peaks, peak_fields,
                                   &r->d->results.resource[i].peak);
    }
    return rc;
}

static void take_limit_kinds(const struct reader *r)
{
    const json_t *limits = json_object_get(r->d->object, "bottlenecks");
    for (unsigned i = 0; i < r->d->results.limit_count; i++) {
        const char *kind = json_string_value(json_object_get(json_array_get(limits, i), "kind"));
        r->d->results.limit[i].space = kind && strcmp(kind, "space") == 0;
    }
}

/* Only where a network has ports inside. */
static int read_insides(const struct reader *r)
{
    struct htmt__results *of = &r->d->results;
    int rc = htmt__fields_array(&r->in, "", r->d->object, "insides", true, inside_fields,
                                sizeof *of->inside, (void **)&of->inside, &of->inside_count);
    if (!rc)
        rc = htmt__fields_array(&r->in, "", r->d->object, "ports", true, port_fields,
                                sizeof *of->port, (void **)&of->port, &of->port_count);
    if (!rc)
        rc = htmt__fields_array(&r->in, "", r->d->object, "routing", true, routing_fields,
                                sizeof *of->routing, (void **)&of->routing, &of->routing_count);
    return rc;
}

/* Only with --timing operations. */
static int read_operations(const struct reader *r)
{
    struct htmt__results *of = &r->d->results;
    int rc =
        htmt__fields_array(&r->in, "", r->d->object, "operations", true, operations_fields,
                           sizeof *of->operations, (void **)&of->operations, &of->operations_count);
    if (!rc)
        rc = htmt__fields_array(&r->in, "", r->d->object, "misses", true, miss_fields,
                                sizeof *of->miss, (void **)&of->miss, &of->miss_count);
    return rc;
}

static int read_results(const struct reader *r)
{
    struct htmt__results *of = &r->d->results;
    int rc = read_array(r, "phases", stage_fields, sizeof *of->phase, (void **)&of->phase,
                        &of->phase_count);
    if (!rc)
        rc = read_array(r, "resources", resource_fields, sizeof *of->resource,
                        (void **)&of->resource, &of->resource_count);
    if (!rc)
        rc = read_peaks(r);
    if (!rc)
        rc = read_array(r, "memories", memory_fields, sizeof *of->memory, (void **)&of->memory,
                        &of->memory_count);
    if (!rc)
        rc = htmt__fields_array(&r->in, "", r->d->object, "sections", true, section_fields,
                                sizeof *of->section, (void **)&of->section, &of->section_count);
    if (!rc)
        rc = read_insides(r);
    if (!rc)
        rc = read_operations(r);
    if (!rc)
        rc = read_array(r, "bottlenecks", limit_fields, sizeof *of->limit, (void **)&of->limit,
                        &of->limit_count);
    take_limit_kinds(r);
    return rc;
}

static int read_pairs(const struct reader *r, const char *key, const struct htmt__field *fields,
                      struct htmt__pairs *pairs)
{
    return htmt__fields_array(&r->in, "", r->d->object, key, true, fields, sizeof *pairs->pair,
                              (void **)&pairs->pair, &pairs->count);
}

static int read_all_texts(const struct reader *r)
{
    struct htmt__document *d = r->d;
    int rc = read_texts(r, "notes", &d->notes);
    if (!rc)
        rc = read_texts(r, "not_modelled", &d->not_modelled);
    if (!rc)
        rc = read_pairs(r, "warnings", warning_fields, &d->warnings);
    return rc ? rc : read_pairs(r, "outputs", output_fields, &d->outputs);
}

static int read_clock(const struct reader *r)
{
    struct htmt__clock_way *c = &r->d->results.clock;
    bool told;
    c->lookahead = HTMT_TIME_MAX;
    int rc = read_member(r, "clock", true, clock_fields, &told);
    if (rc || !told)
        return rc;
    bool sequential = strcmp(c->kind, htmt__clock_sequential) == 0;
    if (sequential == (c->reason != NULL) &&
        (sequential || strcmp(c->kind, htmt__clock_windows) == 0))
        return 0;
    return htmt__fields_refuse(&r->in, "clock.", "kind",
                               json_object_get(json_object_get(r->d->object, "clock"), "kind"),
                               "'windows', or 'sequential' and a reason");
}

static int read_objects(const struct reader *r)
{
    bool wall, host, closed;
    int rc = read_member(r, "model", true, model_fields, &r->d->model.emulated);
    if (!rc)
        rc = read_member(r, "closed_form", true, closed_form_fields, &closed);
    if (!rc)
        rc = read_member(r, "wall", r->d->program, wall_fields, &wall);
    if (!rc)
        rc = read_member(r, "host", false, host_fields, &host);
    return rc ? rc : read_clock(r);
}

static int read_object(const struct reader *r)
{
    static int (*const parts[])(const struct reader *r) = {
        take_slices,  read_error,     read_check,   read_record,
        read_objects, read_all_texts, read_results,
    };
    int rc = read_schema(r);
    if (!rc)
        rc = read_mode(r);
    if (!rc)
        rc = htmt__fields_read(&r->in, "", r->d->object, document_fields, r->d);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && !rc; i++)
        rc = parts[i](r);
    if (!rc)
        rc = htmt__answers_read(&r->in, r->d);
    return rc;
}

int htmt__document_read_record(const char *text, struct htmt__document *d)
{
    struct htmt_fault fault = {0};
    const struct reader r = {{"about", &fault}, d};
    json_t *record;
    if (htmt__json_read(text, strlen(text), JSON_REJECT_DUPLICATES, &record, NULL))
        return HTMT_ENOMEM;
    json_decref(d->object);
    d->object = record;
    int rc = htmt__fields_read(&r.in, "", record, record_fields, d);
    if (!rc)
        rc = read_options(&r, json_object_get(record, "options"));
    if (rc)
        d->version = NULL;
    d->costs = json_string_value(json_object_get(record, "costs"));
    d->seed = (uint64_t)json_integer_value(json_object_get(record, "seed"));
    return rc == HTMT_ENOMEM ? rc : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

int htmt__document_is_trace(const char *path, bool *trace, struct htmt_fault *fault)
{
    char begin[sizeof TRACE_MAGIC - 1] = "";
    int fd, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    ssize_t length = pread(fd, begin, sizeof begin, 0);
    int error = errno;
    close(fd);
    if (length < 0)
        return htmt_input_failed(path, "read it", error, fault);
    *trace = length == (ssize_t)sizeof begin && memcmp(begin, TRACE_MAGIC, sizeof begin) == 0;
    return 0;
}

static int parse(const char *path, struct htmt__document *d, struct htmt_fault *fault)
{
    json_error_t error;
    char *text;
    size_t length;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    rc = htmt__json_read(text, length, JSON_REJECT_DUPLICATES, &d->object, &error);
    free(text);
    if (rc == HTMT_ENOMEM)
        return htmt_fault_set(fault, rc, "%s: no memory for its results", path);
    if (rc)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s:%d: found %s, expected the JSON of a run (htmt run --json)", path,
                              error.line, error.text);
    return 0;
}

int htmt__document_load(const char *path, struct htmt__document *d, struct htmt_fault *fault)
{
    bool trace;
    *d = (struct htmt__document){.correct = -1};
    int rc = htmt__document_is_trace(path, &trace, fault);
    if (rc)
        return rc;
    if (trace)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a trace, expected the JSON of a run (htmt run --json)",
                              path);
    rc = parse(path, d, fault);
    if (rc)
        return rc;
    struct reader r = {{path, fault}, d};
    rc = read_object(&r);
    return rc && !fault->code ? htmt_fault_set(fault, rc, "%s: %s", path, htmt_strerror(rc)) : rc;
}
