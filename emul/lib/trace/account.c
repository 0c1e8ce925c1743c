/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/account.h"

#include "emul/lib/report/reader.h"
#include "emul/lib/trace/account_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is found in the blocks. */
struct tally {
    struct htmt_trace *t;
    const struct htmt_trace_info *info;
    struct htmt_fault *fault;
    struct of_step {
        uint64_t count;
        htmt_wide busy, waited;
    } * step;
    uint64_t *peak; /* words, by layer */
};

static double seconds(htmt_wide fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void add_block(struct tally *y, const struct htmt_trace_block *b)
{
    for (uint32_t n = 0; n < b->count; n++) {
        struct of_step *s = &y->step[b->interval[n].step];
        s->count++;
        s->busy += b->interval[n].service;
        s->waited += b->interval[n].wait;
    }
    for (uint32_t n = 0; n < b->samples; n++)
        if (b->sample[n].words > y->peak[b->sample[n].layer])
            y->peak[b->sample[n].layer] = b->sample[n].words;
    for (uint32_t i = 0; i < y->info->layers && b->level; i++)
        if (b->level[i] > y->peak[i])
            y->peak[i] = b->level[i];
}

static int read_blocks(struct tally *y)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t i = 0; i < y->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(y->t, i, &b, y->fault);
        if (!rc)
            add_block(y, &b);
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* ---- results --------------------------------------------------------------------------------- */

static const char *kind_name(enum htmt_resource_kind kind)
{
    return kind == HTMT_BANK ? "bank" : kind == HTMT_LINK_OUT ? "link out" : "link in";
}

static bool is_service(const struct htmt_trace_step *s)
{
    return s->place == HTMT_TRACE_SERVED || s->place == HTMT_TRACE_SENT ||
           s->place == HTMT_TRACE_RECEIVED;
}

/* Time of all places, in fs. */
static double all_of(const struct htmt__results *r, const struct htmt_trace_places *places)
{
    return (double)r->predicted * places->count;
}

static uint64_t served_by(const struct tally *y, uint32_t resource)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < y->info->steps; i++)
        if (is_service(&y->info->step[i]) && y->info->step[i].resource == resource)
            count += y->step[i].count;
    return count * y->info->resource[resource].places.stands_for;
}

static void take_resource(const struct tally *y, uint32_t i, struct htmt__results *r)
{
    const struct htmt_trace_resource *from = &y->info->resource[i];
    struct htmt__resource *to = &r->resource[i];
    double all = all_of(r, &from->places);
    snprintf(to->name, sizeof to->name, "%s", from->name);
    if (from->layer < y->info->layers)
        snprintf(to->layer_name, sizeof to->layer_name, "%s", y->info->layer[from->layer].name);
    to->kind = kind_name(from->kind);
    to->layer = from->layer;
    to->count = (uint64_t)from->count * from->places.count;
    to->served = served_by(y, i);
    to->busy_s = seconds(from->busy);
    to->utilization = over((double)from->busy, all * from->count);
    to->mean_wait_s = over(seconds(from->waited), (double)to->served);
    to->mean_queue = over((double)from->waited, all);
    to->max_queue = HTMT__UNTOLD;
}

static void take_memory(const struct tally *y, uint32_t i, struct htmt__results *r)
{
    const struct htmt_trace_layer *from = &y->info->layer[i];
    struct htmt__memory *to = &r->memory[i];
    snprintf(to->name, sizeof to->name, "%s", from->memory);
    to->count = from->places.count;
    to->capacity_words = from->capacity;
    to->peak_words = y->peak[i];
    to->stall_s = seconds(from->stalled);
    to->mean_queue = over((double)from->stalled, all_of(r, &from->places));
    to->max_queue = HTMT__UNTOLD;
}

/* The phases of a run are those of banks and of links out. */
static void take_phase(const struct tally *y, uint32_t i, struct htmt__results *r)
{
    const struct htmt_trace_step *s = &y->info->step[i];
    uint64_t count = y->step[i].count;
    if (!is_service(s) || s->place == HTMT_TRACE_RECEIVED || !count ||
        s->resource >= y->info->resources)
        return;
    struct htmt__stage *to = &r->phase[r->phase_count++];
    snprintf(to->type, sizeof to->type, "%s", s->type);
    snprintf(to->resource, sizeof to->resource, "%s", y->info->resource[s->resource].name);
    to->stage = s->stage < HTMT_STAGES ? htmt_stage_name(s->stage) : "-";
    const uint32_t stands_for = y->info->resource[s->resource].places.stands_for;
    to->parcels = count * stands_for;
    to->quantity = (double)to->parcels;
    to->unit = "parcels";
    to->mean_s = over(seconds(y->step[i].busy), (double)count);
    to->mean_wait_s = over(seconds(y->step[i].waited), (double)count);
    to->parallelism = r->resource[s->resource].count;
    to->utilization =
        over((double)y->step[i].busy * stands_for, (double)r->predicted * (double)to->parallelism);
}

static int make_room(const struct htmt_trace_info *i, struct htmt__results *r)
{
    r->resource = calloc(i->resources + 1u, sizeof *r->resource);
    r->memory = calloc(i->layers + 1u, sizeof *r->memory);
    r->phase = calloc(i->steps + 1u, sizeof *r->phase);
    r->section = calloc(i->sections + 1u, sizeof *r->section);
    r->limit = calloc((size_t)i->resources + i->layers + 1, sizeof *r->limit);
    return r->resource && r->memory && r->phase && r->section && r->limit ? 0 : HTMT_ENOMEM;
}

static int take_results(const struct tally *y, struct htmt__results *r)
{
    *r = (struct htmt__results){.slices = y->info->slices,
                                .predicted = y->info->end,
                                .history_hash = y->info->history_hash};
    if (make_room(y->info, r))
        return htmt_fault_set(y->fault, HTMT_ENOMEM, "no memory for the results of the trace");
    r->resource_count = y->info->resources;
    r->memory_count = y->info->layers;
    for (uint32_t i = 0; i < y->info->resources; i++)
        take_resource(y, i, r);
    for (uint32_t i = 0; i < y->info->layers; i++)
        take_memory(y, i, r);
    for (uint32_t i = 0; i < y->info->steps; i++)
        take_phase(y, i, r);
    htmt__results_rank(r);
    return 0;
}

/* ---- the document ---------------------------------------------------------------------------- */

static int take_lines(const struct htmt_trace_info *i, struct htmt__document *d)
{
    int rc = 0;
    if (i->filtered)
        rc = htmt__pairs_add(&d->notes, NULL,
                             "the trace is filtered: services and phases are those that it has, "
                             "busy times and stalls those of the run; "
                             "causes are missing on the critical path");
    for (uint32_t n = 0; n < i->open_lines && !rc; n++)
        rc = htmt__pairs_add(&d->notes, NULL, i->open[n]);
    return rc;
}

static int take_head(const struct tally *y, struct htmt__document *d)
{
    const struct htmt_trace_info *i = y->info;
    *d = (struct htmt__document){.trace = true, .correct = -1};
    d->object = json_object();
    d->app = *i->app ? i->app : NULL;
    d->program = !d->app;
    d->machine = i->machine;
    d->mode = i->mode;
    d->slices = i->slices;
    if (!i->complete)
        htmt_fault_set(&d->fault, HTMT_ECANCELLED, "%s", i->fault);
    if (!d->object || take_lines(i, d) || htmt__document_read_record(i->about, d))
        return htmt_fault_set(y->fault, HTMT_ENOMEM, "no memory for the results of the trace");
    return 0;
}

int htmt__trace_account(struct htmt_trace *t, struct htmt__document *d, struct htmt_fault *fault)
{
    struct tally y = {.t = t, .info = htmt_trace_info(t), .fault = fault};
    int rc = take_head(&y, d);
    y.step = calloc(y.info->steps + 1u, sizeof *y.step);
    y.peak = calloc(y.info->layers + 1u, sizeof *y.peak);
    if (!rc && (!y.step || !y.peak))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    if (!rc)
        rc = read_blocks(&y);
    if (!rc)
        rc = take_results(&y, &d->results);
    if (!rc)
        rc = htmt__account_sections(t, &d->results, fault);
    if (!rc)
        rc = htmt__account_path(t, &d->explanation, fault);
    free(y.step);
    free(y.peak);
    return rc;
}
