/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/json.h"
#include "emul/lib/options/recording.h"

#include "emul/lib/report/answers.h"
#include "emul/lib/report/document.h"
#include "emul/lib/text/format.h"
#include "runtime/base/json_text.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JSON has no infinity. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* 0 means that there is no hash. */
static json_t *hash(uint64_t value)
{
    return value ? json_string(htmt__format_hash(value).s) : json_null();
}

static json_t *whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Moves all keys of `more` into `into`. If either is NULL, the result is NULL. */
static json_t *join(json_t *into, json_t *more)
{
    int failed = !into || !more || json_object_update(into, more);
    json_decref(more);
    if (!failed)
        return into;
    json_decref(into);
    return NULL;
}

/* An array of `count` elements that `make` makes from records of `size` bytes. */
static json_t *array(const void *from, unsigned count, size_t size, json_t *(*make)(const void *))
{
    json_t *all = json_array();
    int failed = !all;
    for (unsigned i = 0; i < count && !failed; i++)
        failed = json_array_append_new(all, make((const char *)from + i * size));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *phase(const void *from)
{
    const struct htmt__stage *p = from;
    return json_pack("{s:o,s:s,s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:o}", "name",
                     htmt__json_text(p->type), "stage", p->stage, "resource",
                     htmt__json_text(p->resource), "parcels", whole(p->parcels), "quantity",
                     real(p->quantity), "unit", p->unit, "mean_s", real(p->mean_s), "mean_wait_s",
                     real(p->mean_wait_s), "mean_stall_s", real(p->mean_stall_s), "parallelism",
                     whole(p->parallelism), "utilization", real(p->utilization));
}

/* Without those that are not bounded. */
static json_t *peaks(const struct htmt__peak *p)
{
    json_t *all = json_object();
    int failed = !all;
    for (unsigned i = 0; i < HTMT_OP_CLASSES && !failed; i++)
        if (p->of_class[i] > 0)
            failed = json_object_set_new(all, htmt__op_names[i], real(p->of_class[i]));
    if (!failed && p->words > 0)
        failed = json_object_set_new(all, "words", real(p->words));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *resource(const void *from)
{
    const struct htmt__resource *r = from;
    return json_pack(
        "{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(r->name),
        "kind", r->kind, "layer", htmt__json_text(r->layer_name), "peaks", peaks(&r->peak), "count",
        whole(r->count), "served", whole(r->served), "words", real(r->words), "busy_s",
        real(r->busy_s), "utilization", real(r->utilization), "mean_wait_s", real(r->mean_wait_s),
        "mean_queue", real(r->mean_queue), "max_queue", whole(r->max_queue));
}

static json_t *memory(const void *from)
{
    const struct htmt__memory *m = from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(m->name), "count",
                     whole(m->count), "capacity_words", whole(m->capacity_words), "peak_words",
                     whole(m->peak_words), "resident_words", whole(m->resident_words), "stall_s",
                     real(m->stall_s), "mean_queue", real(m->mean_queue), "max_queue",
                     whole(m->max_queue));
}

static json_t *section(const void *from)
{
    const struct htmt__section_time *s = from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(s->name), "time_s",
                     real(s->time_s), "share", real(s->share), "busy_s", real(s->busy_s), "wait_s",
                     real(s->wait_s), "stall_s", real(s->stall_s));
}

static json_t *inside(const void *from)
{
    const struct htmt__inside_sums *s = from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(s->name),
                     "ports", whole(s->ports), "packets", whole(s->packets), "hops", whole(s->hops),
                     "bytes", real(s->bytes), "contentions", whole(s->contentions), "busy_s",
                     real(s->busy_s), "blocked_s", real(s->blocked_s), "waiting_s",
                     real(s->waiting_s), "mean_queue", real(s->mean_queue));
}

static json_t *port(const void *from)
{
    const struct htmt__port_sums *p = from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "network",
                     htmt__json_text(p->network), "name", htmt__json_text(p->name), "plane",
                     whole(p->plane), "packets", whole(p->packets), "bytes", whole(p->bytes),
                     "contentions", whole(p->contentions), "busy_s", real(p->busy_s), "blocked_s",
                     real(p->blocked_s), "waiting_s", real(p->waiting_s), "idle_s", real(p->idle_s),
                     "busy_share", real(p->busy_share), "blocked_share", real(p->blocked_share),
                     "waiting_share", real(p->waiting_share), "idle_share", real(p->idle_share),
                     "mean_queue", real(p->mean_queue), "max_queue", whole(p->max_queue));
}

static json_t *operations_time(const struct htmt__operations_sums *s)
{
    const double *p = s->part_s;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "time_s", real(s->time_s),
                     "issue_s", real(p[HTMT_OPERATIONS_ISSUE]), "units_s",
                     real(p[HTMT_OPERATIONS_UNITS]), "chain_s", real(p[HTMT_OPERATIONS_CHAIN]),
                     "l1_s", real(p[HTMT_OPERATIONS_L1]), "l2_s", real(p[HTMT_OPERATIONS_L2]),
                     "bus_s", real(p[HTMT_OPERATIONS_BUS]), "pages_s",
                     real(p[HTMT_OPERATIONS_PAGES]), "refresh_s", real(p[HTMT_OPERATIONS_REFRESH]),
                     "branches_s", real(p[HTMT_OPERATIONS_BRANCHES]));
}

static json_t *operations(const void *from)
{
    const struct htmt__operations_sums *s = from;
    json_t *all = json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "type",
        htmt__json_text(s->type), "stage", htmt__json_text(s->stage), "resource",
        htmt__json_text(s->resource), "services", whole(s->services), "counted", whole(s->counted),
        "why", htmt__json_text(s->why), "instructions", whole(s->instructions), "loads",
        whole(s->loads), "stores", whole(s->stores), "l1_misses", whole(s->l1_misses),
        "l1_code_misses", whole(s->l1_code_misses), "l2_misses", whole(s->l2_misses), "write_backs",
        whole(s->write_backs), "page_hits", whole(s->page_hits), "page_misses",
        whole(s->page_misses), "branches_missed", whole(s->branches_missed));
    return join(all, operations_time(s));
}

static json_t *miss(const void *from)
{
    const struct htmt__miss_sums *s = from;
    return json_pack("{s:o,s:o,s:o,s:o}", "type", htmt__json_text(s->type), "stage",
                     htmt__json_text(s->stage), "place", htmt__json_text(s->place), "misses",
                     whole(s->misses));
}

static json_t *routing(const void *from)
{
    const struct htmt__routing_sums *s = from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", htmt__json_text(s->name),
                     "layer", htmt__json_text(s->layer), "count", whole(s->count), "packets",
                     whole(s->packets), "route_s", real(s->route_s), "copy_s", real(s->copy_s),
                     "put_off_s", real(s->put_off_s), "busy_s", real(s->busy_s), "utilization",
                     real(s->utilization));
}

static json_t *limit(const void *from)
{
    const struct htmt_limit_report *l = from;
    return json_pack("{s:o,s:s,s:b,s:o,s:o,s:o}", "name", htmt__json_text(l->name), "kind",
                     l->space ? "space" : "resource", "binding", l->binding, "utilization",
                     real(l->utilization), "mean_wait_s", real(l->mean_wait_s), "mean_queue",
                     real(l->mean_queue));
}

static int add_given(const char *name, const char *value, void *user)
{
    return json_array_append_new(user, json_pack("[s,s]", name, value));
}

static json_t *given(const struct htmt__provenance *r)
{
    json_t *all = json_array();
    if (all && htmt__provenance_given(r, add_given, all)) {
        json_decref(all);
        return NULL;
    }
    return all;
}

/* null for what is shipped. */
static json_t *given_path(const char *path)
{
    return *path ? htmt__json_text(path) : json_null();
}

/* What was built, and the machine. */
static json_t *build(const char *version, const char *commit, const struct htmt_machine *m)
{
    return json_pack("{s:s,s:s?,s:o,s:o,s:o}", "version", version, "commit", commit, "machine",
                     htmt__json_text(m->name), "machine_hash", hash(m->hash), "machine_file",
                     given_path(m->path));
}

static int add_computed(const char *name, const char *value, void *user)
{
    return htmt__recording_leaves_out(name) ? 0 : add_given(name, value, user);
}

char *htmt__json_about(const struct htmt__provenance *r)
{
    const struct htmt_machine *m = r->request->machine;
    json_t *options = json_array();
    if (options && htmt__provenance_given(r, add_computed, options)) {
        json_decref(options);
        options = NULL;
    }
    json_t *all = json_pack(
        "{s:s,s:s,s:s,s:s?,s:o,s:o,s:o,s:s?,s:o,s:o,s:o,s:o}", "app", r->options->app->name, "verb",
        r->verb, "version", r->version, "commit", r->commit, "machine", htmt__json_text(m->name),
        "machine_hash", hash(m->hash), "machine_file", given_path(m->path), "costs",
        r->request->costs, "costs_hash", hash(r->costs_hash), "costs_file",
        given_path(r->costs_path), "options", options, "seed", whole(r->request->seed));
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return text;
}

static json_t *record(const struct htmt__provenance *r, const char *kernel_set, uint64_t history)
{
    return join(build(r->version, r->commit, r->request->machine),
                json_pack("{s:s?,s:o,s:o,s:o,s:o,s:s?,s:o}", "costs", r->request->costs,
                          "costs_hash", hash(r->costs_hash), "costs_file",
                          given_path(r->costs_path), "options", given(r), "seed",
                          whole(r->request->seed), "kernel_set", kernel_set, "history_hash",
                          hash(history)));
}

static json_t *not_modelled(const struct htmt_machine *m)
{
    json_t *all = json_array();
    int failed = !all;
    for (uint32_t i = 0; i < m->figure_count && !failed; i++)
        if (strcmp(m->figure[i].value, "not-modelled") == 0)
            failed = json_array_append_new(all, json_string(m->figure[i].key));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

/* The first keys, which runs and predictions share. */
static json_t *head(const struct htmt__provenance *r, const char *problem)
{
    return json_pack(
        "{s:s,s:s,s:s,s:s?,s:s,s:o,s:o,s:s?,s:o,s:o}", "schema", HTMT__RESULTS_SCHEMA, "app",
        r->options->app->name, "machine", r->request->machine->name, "costs", r->request->costs,
        "mode", r->verb, "problem", problem[0] ? htmt__json_text(problem) : json_null(), "slices",
        whole(r->request->emulator.slices), "slices_why", htmt__provenance_slices_why(r), "threads",
        whole(r->request->emulator.threads), "seed", whole(r->request->seed));
}

static json_t *error(const struct htmt_fault *fault)
{
    if (!fault->code)
        return json_null();
    return json_pack("{s:s,s:o}", "code", htmt_err_name(fault->code), "message",
                     htmt__json_text(fault->text));
}

/* NULL, for null, of what an application does not say. */
static const char *said(const char *text)
{
    return text[0] ? text : NULL;
}

static json_t *check(const struct htmt_outcome *o)
{
    if (o->correct < 0)
        return json_null();
    return json_pack("{s:s,s:o,s:o}", "name", o->check.name, "value", real(o->check.value),
                     "tolerance", real(o->check.tolerance));
}

static json_t *correct(const struct htmt_outcome *o)
{
    return o->correct < 0 ? json_null() : json_boolean(o->correct);
}

static json_t *closed_form(const struct htmt_outcome *o)
{
    if (!(o->closed_form_s > 0))
        return json_null();
    return json_pack("{s:s,s:o}", "name", o->closed_form_name, "predicted_s",
                     real(o->closed_form_s));
}

static json_t *model(const struct htmt__experiment *x)
{
    if (!x->model.emulated)
        return json_null();
    return json_pack("{s:o,s:s,s:b}", "predicted_fs", json_integer(x->model.predicted),
                     "history_hash", htmt__format_hash(x->model.history_hash).s, "same_events",
                     htmt__experiment_agrees(x));
}

static json_t *cause(const void *from)
{
    const struct htmt__cause *c = from;
    return json_pack("{s:s,s:o,s:o,s:s,s:o,s:o,s:o}", "cause", c->cause, "of",
                     htmt__json_text(c->of), "type", htmt__json_text(c->type), "stage", c->stage,
                     "using", htmt__json_text(c->used), "intervals", whole(c->intervals), "time_fs",
                     json_integer(c->time));
}

static json_t *gap(const struct htmt__explanation *x)
{
    if (!x->has_closed_form)
        return json_null();
    json_t *more = x->has_parts ? json_object() : json_null();
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && x->has_parts; i++)
        if (i != HTMT_PATH_BLOCKED || x->more[i]) /* where ports are inside networks */
            json_object_set_new(more, htmt_path_cause_name((enum htmt_path_cause)i),
                                json_integer(x->more[i]));
    return json_pack("{s:o,s:o,s:o,s:o}", "closed_form_fs", json_integer(x->closed_form), "gap_fs",
                     json_integer(x->gap), "beside_fs", json_integer(x->beside), "more_fs", more);
}

static json_t *explanation(const struct htmt__explanation *x)
{
    json_t *sums = x->made ? json_object() : NULL;
    if (!x->made)
        return json_null();
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && sums; i++)
        if ((i != HTMT_PATH_BLOCKED || x->sum[i]) &&
            json_object_set_new(sums, htmt_path_cause_name((enum htmt_path_cause)i),
                                json_integer(x->sum[i]))) {
            json_decref(sums);
            sums = NULL;
        }
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "predicted_fs", json_integer(x->predicted),
                     "principal", htmt__json_text(x->principal), "intervals", whole(x->intervals),
                     "sums_fs", sums, "gap", gap(x), "parts",
                     array(x->cause, x->count, sizeof *x->cause, cause));
}

static json_t *departure(const void *from)
{
    const struct htmt_departure_report *d = from;
    return json_pack("{s:o,s:s,s:b,s:o,s:o,s:o}", "type", htmt__json_text(d->type), "kind",
                     htmt__lint_kind(d->kind), "declared", d->declared, "count", whole(d->count),
                     "words", real((double)d->words), "moved_s",
                     real((double)d->time / (double)HTMT_SECOND));
}

static json_t *what_if(const void *from)
{
    const struct htmt__what_if *c = from;
    bool done = !c->fault.code;
    return json_pack("{s:s,s:o,s:s?}", "kind", htmt__lint_kind(c->kinds), "predicted_fs",
                     done ? json_integer(c->predicted) : json_null(), "refused",
                     done ? NULL : c->fault.text);
}

static json_t *lint(const struct htmt__lint *l)
{
    if (!l->made)
        return json_null();
    return json_pack("{s:o,s:o,s:o}", "kept_fs",
                     l->what_if_count ? json_integer(l->kept) : json_null(), "carried",
                     array(l->what_if, l->what_if_count, sizeof *l->what_if, what_if), "departures",
                     array(l->departure, l->count, sizeof *l->departure, departure));
}

static json_t *summary_row(const struct htmt__summary *s, const struct htmt__summary_row *row)
{
    json_t *values = json_array();
    int failed = !values;
    for (unsigned i = 0; i < s->columns && !failed; i++)
        failed = json_array_append_new(values, real(row->value[i]));
    if (failed)
        json_decref(values);
    return json_pack("{s:s,s:o,s:s,s:o}", "group", htmt__summary_group_name(row->group), "name",
                     htmt__json_text(row->name), "unit", row->unit, "values",
                     failed ? NULL : values);
}

static json_t *summary(const struct htmt__summary *s)
{
    json_t *types = json_array(), *rows = json_array();
    int failed = !types || !rows;
    if (!s->made) {
        json_decref(types);
        json_decref(rows);
        return json_null();
    }
    for (unsigned i = 0; i < s->columns && !failed; i++)
        failed = json_array_append_new(types, htmt__json_text(s->name[i]));
    for (unsigned i = 0; i < s->rows && !failed; i++)
        failed = json_array_append_new(rows, summary_row(s, &s->row[i]));
    if (!failed)
        return json_pack("{s:o,s:o}", "columns", types, "rows", rows);
    json_decref(types);
    json_decref(rows);
    return NULL;
}

static json_t *walls(const struct htmt__wall_times *w)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "input_s", real(w->input_s), "setup_s",
                     real(w->setup_s), "emulate_s", real(w->emulate_s), "check_s", real(w->check_s),
                     "output_s", real(w->output_s), "total_s", real(w->total_s));
}

/* Takes the array, also NULL. */
static json_t *add_left(json_t *all, const struct htmt_emulator *e)
{
    int failed = !all;
    const char *left;
    for (uint32_t i = 0; !failed && (left = htmt_note_at(e, i)); i++)
        failed = json_array_append_new(all, htmt__json_text(left));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

/* Of the application, then of the emulator. */
static json_t *notes(const struct htmt_outcome *o)
{
    json_t *all = json_array();
    int failed = !all;
    for (unsigned i = 0; i < sizeof o->notes / sizeof *o->notes && !failed; i++)
        if (o->notes[i][0])
            failed = json_array_append_new(all, htmt__json_text(o->notes[i]));
    if (!failed)
        return add_left(all, o->emulator);
    json_decref(all);
    return NULL;
}

static json_t *warnings(const struct htmt_warnings *w)
{
    json_t *all = json_array();
    int failed = !all;
    for (unsigned i = 0; i < w->count && !failed; i++)
        failed = json_array_append_new(
            all, json_pack("{s:s,s:s}", "name", w->item[i].name, "message", w->item[i].text));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *found_value(const struct htmt_found *f)
{
    return f->text[0] ? json_string(f->text) : real(f->value);
}

static json_t *found(const struct htmt_outcome *o)
{
    json_t *all = json_array();
    int failed = !all;
    for (unsigned i = 0; i < o->found_count && !failed; i++)
        failed = json_array_append_new(all, json_pack("{s:s,s:o,s:s}", "name", o->found[i].name,
                                                      "value", found_value(&o->found[i]), "unit",
                                                      o->found[i].unit));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *result(const struct htmt__experiment *x)
{
    const struct htmt_outcome *o = &x->outcome;
    double seconds = (double)x->results.predicted / (double)HTMT_SECOND;
    double rate = seconds > 0 ? o->flops / seconds : 0;
    return json_pack("{s:s?,s:s?,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "precision",
                     said(o->precision), "kernel_set", said(o->kernel_set), "complete",
                     !x->fault.code, "error", error(&x->fault), "correct", correct(o), "check",
                     check(o), "predicted_fs", json_integer(x->results.predicted), "predicted_s",
                     real(seconds), "flops", real(o->flops), "predicted_flops_per_s", real(rate),
                     "closed_form", closed_form(o), "wall", walls(&o->wall), "notes", notes(o),
                     "warnings", warnings(&o->warnings), "found", found(o));
}

static json_t *host(const struct htmt_host_report *h)
{
    return json_pack("{s:o,s:o,s:o,s:o}", "workers", whole(h->workers), "kernels", whole(h->jobs),
                     "on_clock_thread", whole(h->helped), "run_ahead_peak_bytes",
                     whole(h->run_ahead_peak_bytes));
}

/* A trace does not tell. */
static json_t *clock_way(const struct htmt__results *r)
{
    const struct htmt__clock_way *c = &r->clock;
    bool wide = c->lookahead == HTMT_TIME_MAX;
    if (!c->kind)
        return json_null();
    return json_pack("{s:s,s:s?,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "kind", c->kind, "reason",
                     c->reason, "lookahead_fs", wide ? json_null() : json_integer(c->lookahead),
                     "windows", whole(c->windows), "events_per_window",
                     c->windows ? real(htmt__events_per_window(r)) : json_null(), "partitions",
                     whole(c->partitions), "threads", whole(c->threads), "ranks", whole(c->ranks),
                     "shared_windows", whole(c->shared), "awaited_s", real(c->awaited_s));
}

static json_t *counts(const struct htmt__results *r)
{
    json_t *top = r->limit_count ? htmt__json_text(r->limit[0].name) : json_null();
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "host", host(&r->host), "clock",
                     clock_way(r), "parcels", whole(r->parcels), "events", whole(r->events),
                     "history_hash", json_string(htmt__format_hash(r->history_hash).s), "phases",
                     array(r->phase, r->phase_count, sizeof *r->phase, phase), "resources",
                     array(r->resource, r->resource_count, sizeof *r->resource, resource),
                     "memories", array(r->memory, r->memory_count, sizeof *r->memory, memory),
                     "bottleneck", top, "bottlenecks",
                     array(r->limit, r->limit_count, sizeof *r->limit, limit));
}

/* Only a program that names sections has the key. */
static json_t *sections(const struct htmt__results *r)
{
    if (!r->section_count)
        return json_object();
    return json_pack("{s:o}", "sections",
                     array(r->section, r->section_count, sizeof *r->section, section));
}

/* Only where a network has ports inside. */
static json_t *insides(const struct htmt__results *r)
{
    if (!r->inside_count)
        return json_object();
    return json_pack("{s:s,s:o,s:o}", "network_history", htmt__format_hash(r->network_history).s,
                     "insides", array(r->inside, r->inside_count, sizeof *r->inside, inside),
                     "ports", array(r->port, r->port_count, sizeof *r->port, port));
}

/* Only with --timing operations. */
static json_t *played(const struct htmt__results *r)
{
    if (!r->operations_count)
        return json_object();
    return json_pack("{s:o,s:o}", "operations",
                     array(r->operations, r->operations_count, sizeof *r->operations, operations),
                     "misses", array(r->miss, r->miss_count, sizeof *r->miss, miss));
}

/* Only where processors route. */
static json_t *routers(const struct htmt__results *r)
{
    if (!r->routing_count)
        return json_object();
    return json_pack("{s:o}", "routing",
                     array(r->routing, r->routing_count, sizeof *r->routing, routing));
}

/* What differs first, null where nothing does. */
static json_t *differing(const struct htmt_determinism_report *d)
{
    if (d->equal || !d->differing[0])
        return json_null();
    return json_pack("{s:o,s:o,s:o}", "number", whole(d->number), "first_run",
                     htmt__json_text(d->first), "other_run", htmt__json_text(d->differing));
}

static json_t *determinism(const struct htmt__experiment *x)
{
    const struct htmt_determinism_report *d = &x->determinism;
    if (!x->has_determinism)
        return json_null();
    return json_pack("{s:b,s:o,s:o,s:o}", "equal", d->equal, "runs", whole(d->runs), "events",
                     whole(d->events), "event", differing(d));
}

static json_t *tail(const struct htmt__experiment *x)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "model", model(x), "lint", lint(&x->lint),
                     "explanation", explanation(&x->explanation), "summary", summary(&x->summary),
                     "not_modelled", not_modelled(x->record.request->machine), "determinism",
                     determinism(x), "record",
                     record(&x->record, said(x->outcome.kernel_set),
                            x->has_results ? x->results.history_hash : 0));
}

static json_t *output(const void *from)
{
    const struct htmt__pair *p = from;
    return json_pack("{s:s,s:o}", "option", p->name, "file", htmt__json_text(p->value));
}

/* What the report says beside the figures. */
static json_t *told(const struct htmt__experiment *x)
{
    struct htmt__document d;
    json_t *all = NULL;
    if (!htmt__document_of_experiment(x, &d))
        all =
            json_pack("{s:o,s:s?,s:s?,s:o}", "machine_slices", whole(d.machine_slices), "unchecked",
                      d.unchecked, "closed_form_missing", d.closed_form_missing, "outputs",
                      array(d.outputs.pair, d.outputs.count, sizeof *d.outputs.pair, output));
    htmt__document_clear(&d);
    return all;
}

json_t *htmt__json_experiment(const struct htmt__experiment *x)
{
    json_t *all = join(head(&x->record, x->outcome.problem), result(x));
    all = join(all, told(x));
    all = join(all, counts(&x->results));
    all = join(all, sections(&x->results));
    all = join(all, insides(&x->results));
    all = join(all, routers(&x->results));
    all = join(all, played(&x->results));
    return join(all, tail(x));
}

static json_t *mode(enum htmt_mode mode)
{
    return json_string(mode == HTMT_MODEL ? "model" : "run");
}

/* The keys of a run that only the command knows are null, or an empty array. */
static json_t *program_head(const struct htmt__account *x)
{
    const struct htmt_emulator *e = x->emulator;
    return json_pack("{s:s,s:n,s:o,s:n,s:o,s:n,s:o,s:n,s:o,s:n}", "schema", HTMT__RESULTS_SCHEMA,
                     "app", "machine", htmt__json_text(htmt_emulator_machine(e)->name), "costs",
                     "mode", mode(htmt_emulator_options(e)->mode), "problem", "slices",
                     whole(htmt_emulator_slices(e)), "slices_why", "threads", whole(x->threads),
                     "seed");
}

static json_t *program_result(const struct htmt__account *x)
{
    return json_pack("{s:n,s:n,s:b,s:o,s:n,s:n,s:o,s:o,s:n,s:n,s:n,s:n,s:o,s:[],s:[]}", "precision",
                     "kernel_set", "complete", !x->fault.code, "error", error(&x->fault), "correct",
                     "check", "predicted_fs", json_integer(x->results.predicted), "predicted_s",
                     real((double)x->results.predicted / (double)HTMT_SECOND), "flops",
                     "predicted_flops_per_s", "closed_form", "wall", "notes",
                     add_left(json_array(), x->emulator), "warnings", "found");
}

static json_t *program_record(const struct htmt__account *x)
{
    return join(build(htmt__version(), htmt__commit(), htmt_emulator_machine(x->emulator)),
                json_pack("{s:n,s:n,s:n,s:[],s:n,s:n,s:o}", "costs", "costs_hash", "costs_file",
                          "options", "seed", "kernel_set", "history_hash",
                          hash(x->results.history_hash)));
}

static json_t *program_tail(const struct htmt__account *x)
{
    return json_pack("{s:n,s:o,s:o,s:o,s:o,s:n,s:o}", "model", "lint", lint(&x->lint),
                     "explanation", explanation(&x->explanation), "summary", summary(&x->summary),
                     "not_modelled", not_modelled(htmt_emulator_machine(x->emulator)),
                     "determinism", "record", program_record(x));
}

static json_t *program_told(const struct htmt__account *x)
{
    return json_pack("{s:o,s:n,s:n,s:[]}", "machine_slices",
                     whole(htmt_emulator_machine(x->emulator)->slices), "unchecked",
                     "closed_form_missing", "outputs");
}

json_t *htmt__json_account(const struct htmt__account *x)
{
    json_t *all = join(program_head(x), program_result(x));
    all = join(all, program_told(x));
    all = join(all, counts(&x->results));
    all = join(all, sections(&x->results));
    all = join(all, insides(&x->results));
    all = join(all, routers(&x->results));
    all = join(all, played(&x->results));
    return join(all, program_tail(x));
}

static json_t *term(const void *from)
{
    const struct htmt_term *t = from;
    return json_pack("{s:i,s:s,s:s,s:o,s:s,s:s,s:s}", "depth", (int)t->depth, "name", t->name,
                     "meaning", t->meaning, "value", real(t->value), "unit", t->unit, "expression",
                     t->expression, "inputs", t->inputs);
}

static json_t *largest_row(const void *from)
{
    const struct htmt__largest *r = from;
    return json_pack("{s:s,s:s,s:s,s:o,s:o,s:b,s:s}", "option", r->size->option, "meaning",
                     r->size->meaning, "memory", r->memory, "size",
                     r->alone.bounded ? whole(r->alone.size) : json_null(), "twice",
                     r->twice.bounded ? whole(r->twice.size) : json_null(), "binds", r->binds,
                     "refused", r->why);
}

static json_t *origin(const void *from)
{
    const struct htmt__origin *o = from;
    const struct htmt_figure *f = &o->figure;
    return json_pack("{s:s,s:s,s:s,s:s,s:o,s:i,s:b,s:o,s:o}", "key", f->key, "of",
                     o->of_costs ? "costs" : "machine", "value", f->value, "source", f->source,
                     "file", htmt__json_text(f->file), "line", f->line, "hidden", o->hidden, "half",
                     real(o->half), "twice", real(o->twice));
}

static json_t *origins(const struct htmt__answers *t)
{
    return json_pack("{s:s,s:o}", "term", t->term, "figures",
                     array(t->origin, t->origin_count, sizeof *t->origin, origin));
}

json_t *htmt__json_prediction(const struct htmt__provenance *r, const struct htmt__answers *answers)
{
    const struct htmt_prediction *prediction = &answers->prediction;
    double seconds = prediction->total_s;
    double rate = seconds > 0 ? prediction->flops / seconds : 0;
    json_t *all = join(head(r, prediction->problem),
                       json_pack("{s:n,s:o,s:o,s:o,s:o}", "correct", "predicted_s", real(seconds),
                                 "flops", real(prediction->flops), "predicted_flops_per_s",
                                 real(rate), "warnings", warnings(&prediction->warnings)));
    return join(
        all,
        json_pack("{s:o,s:o,s:o,s:o,s:o}", "origins",
                  answers->term ? origins(answers) : json_null(), "largest",
                  answers->largest ? array(answers->largest, answers->largest_count,
                                           sizeof *answers->largest, largest_row)
                                   : json_null(),
                  "terms",
                  array(prediction->term, prediction->count, sizeof *prediction->term, term),
                  "not_modelled", not_modelled(r->request->machine), "record", record(r, NULL, 0)));
}

static int write_text(const char *text, const char *path, struct htmt_fault *fault)
{
    if (strcmp(path, "-") != 0)
        return htmt_whole_file_write(path, text, strlen(text), fault);
    if (fputs(text, stdout) < 0 || fflush(stdout))
        return htmt_fault_set(fault, HTMT_EIO, "standard output cannot be written");
    return 0;
}

/* Takes the reference, also NULL. The caller frees the text. */
static char *make_line(json_t *object, size_t flags)
{
    char *text =
        object ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | flags) : NULL;
    char *line = text ? reallocarray(text, strlen(text) + 2, 1) : NULL;
    json_decref(object);
    if (line)
        strcat(line, "\n");
    else
        free(text);
    return line;
}

int htmt__json_print(json_t *object, FILE *out)
{
    char *line = make_line(object, JSON_ENSURE_ASCII);
    if (!line)
        return HTMT_ENOMEM;
    fputs(line, out);
    free(line);
    return 0;
}

int htmt__json_write(json_t *object, const char *path, struct htmt_fault *fault)
{
    char *line = make_line(object, strcmp(path, "-") ? 0 : JSON_ENSURE_ASCII); /* for terminals */
    if (!line)
        return htmt_fault_set(fault, HTMT_ENOMEM, "the JSON object cannot be made: no memory");
    int rc = write_text(line, path, fault);
    free(line);
    return rc;
}
