/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a run from its trace.
 *
 * Sums of resources and memories are in the footer. What only the intervals tell is added up block
 * by block: how often each step was served, the fullest memory, the sections.
 *
 * Sections. A slice is in one section at a time; the trace has the instants of change. The service
 * of an interval may span a change, and intervals are recorded as they end, so a change may come
 * later in the file than an interval that it divides. Hence two passes: the first collects the
 * changes of each slice, sorted by time; the second divides each service and each wait at them. In
 * a slice that changes to section 1 at 10 and to section 2 at 25, a service from 5 to 30 gives 5 to
 * section 0 (no section), 15 to section 1 and 5 to section 2. parcels/observe/section.c divides the
 * times of a run by the same rule while it is played.
 *
 * Of a filtered trace, the footer says what the run did and the intervals what the trace has
 * (filter.c): resources are those of the run, phases and waits those of the places that are there.
 */
#include "emul/lib/trace/account.h"

#include "emul/lib/report/reader.h"
#include "emul/lib/trace/file.h"
#include "emul/lib/trace/filter.h"
#include "emul/lib/trace/path.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double seconds(htmt_wide fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static bool is_service(const struct htmt_trace_step *s)
{
    return s->place <= HTMT_TRACE_RECEIVED;
}

/* ---- resources, memories, phases ------------------------------------------------------------- */

/* What is found in the blocks. */
struct tally {
    const struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    struct of_step {
        uint64_t count;
        htmt_wide busy, waited;
    } * step;
    uint64_t *peak; /* words, by layer */
    const struct htmt__trace_part *part;
    /* By resource or layer, then slice, where each slice has its own intervals. */
    struct of_slice {
        htmt_wide busy, waited;
    } * use, *stall;
};

/* A filtered trace lacks intervals, and one slice may stand for others. */
static bool has_slices(const struct htmt_trace_info *i)
{
    return !i->filtered && i->stands_for == 1 && i->slices > 1;
}

static int read_blocks(struct htmt_trace *t, struct tally *y, struct htmt_fault *fault)
{
    const size_t slices = has_slices(y->info) ? y->info->slices : 0;
    struct htmt_trace_block b = {0};
    y->use = calloc(y->info->resources * slices + 1, sizeof *y->use);
    y->stall = calloc(y->info->layers * slices + 1, sizeof *y->stall);
    int rc = y->use && y->stall
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    for (uint64_t i = 0; i < y->info->blocks && !rc; i++) {
        rc = htmt_trace_block_read(t, i, &b, fault);
        if (rc)
            break;
        for (uint32_t n = 0; n < b.count; n++) {
            struct of_step *s = &y->step[b.interval[n].step];
            s->count++;
            s->busy += b.interval[n].service;
            s->waited += b.interval[n].wait;
            const struct htmt_trace_step *step = &y->info->step[b.interval[n].step];
            if (b.slice >= slices)
                continue;
            if (is_service(step) && step->resource < y->info->resources) {
                struct of_slice *use = &y->use[step->resource * slices + b.slice];
                use->busy += b.interval[n].service;
                use->waited += b.interval[n].wait;
            } else if (step->place == HTMT_TRACE_STALLED && step->layer < y->info->layers) {
                y->stall[step->layer * slices + b.slice].waited += b.interval[n].wait;
            }
        }
        for (uint32_t n = 0; n < b.samples; n++)
            if (b.sample[n].words > y->peak[b.sample[n].layer])
                y->peak[b.sample[n].layer] = b.sample[n].words;
        for (uint32_t l = 0; l < y->info->layers && b.level; l++)
            if (b.level[l] > y->peak[l])
                y->peak[l] = b.level[l];
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* Time of all places, in fs. */
static double all_of(const struct htmt__results *r, const struct htmt_trace_places *places)
{
    return (double)r->predicted * places->count;
}

static void take_resource(const struct tally *y, uint32_t i, struct htmt__results *r)
{
    const struct htmt_trace_resource *from = &y->info->resource[i];
    struct htmt__resource *to = &r->resource[i];
    double all = all_of(r, &from->places);
    snprintf(to->name, sizeof to->name, "%s", from->name);
    if (from->layer < y->info->layers)
        snprintf(to->layer_name, sizeof to->layer_name, "%s", y->info->layer[from->layer].name);
    to->kind = from->kind == HTMT_BANK       ? "bank"
               : from->kind == HTMT_LINK_OUT ? "link out"
                                             : "link in";
    to->layer = from->layer;
    to->count = (uint64_t)from->count * from->places.count;
    htmt_wide waited = 0;
    for (uint32_t k = 0; k < y->info->steps; k++)
        if (is_service(&y->info->step[k]) && y->info->step[k].resource == i) {
            to->served += y->step[k].count;
            waited += y->step[k].waited;
        }
    to->served *= from->places.stands_for;
    /* Of a filtered trace both are of the services that it has. */
    waited = y->info->filtered ? waited * from->places.stands_for : from->waited;
    to->busy_s = seconds(from->busy);
    snprintf(to->term, sizeof to->term, "%s", htmt__trace_term(y->trace, i));
    to->paused_s = seconds(htmt__trace_paused(y->trace, i));
    to->utilization = over((double)from->busy, all * from->count);
    to->mean_wait_s = over(seconds(waited), (double)to->served);
    to->mean_queue = over((double)from->waited, all);
    to->max_queue = HTMT__UNTOLD;
}

/* The phases of a run are those of banks and of links out. The intervals of threads tell how long
 * these were inside services, not how long their issue port was in use: the footer does. Of a
 * filtered trace it says what the whole run did: there, where one step has all of the time inside,
 * its share is the resource's; of several the trace does not tell. */
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
    const double issue = htmt__trace_issue(&y->info->resource[s->resource]);
    bool alone = true;
    for (uint32_t k = 0; k < y->info->steps; k++)
        alone = alone && (k == i || y->info->step[k].resource != s->resource || !y->step[k].busy);
    const double part = alone || !y->step[i].busy || issue == 1 ? issue : NAN;
    htmt_wide whole;
    const bool told = !y->info->filtered && htmt__trace_step_busy(y->trace, i, &whole);
    const double busy = told ? over((double)whole, stands_for) : part * (double)y->step[i].busy;
    to->mean_s = over(busy / (double)HTMT_SECOND, (double)count);
    to->mean_wait_s = over(seconds(y->step[i].waited), (double)count);
    for (uint32_t k = 0; k < y->info->steps; k++) {
        const struct htmt_trace_step *pause = &y->info->step[k];
        if (pause->place == HTMT_TRACE_PAUSED && pause->stage == s->stage &&
            pause->resource == s->resource && strcmp(pause->type, s->type) == 0)
            to->mean_pause_s = over(seconds(y->step[k].busy), (double)count);
    }
    to->parallelism = r->resource[s->resource].count;
    /* Of a filtered trace: the mean of the places that it has. */
    const double places = (double)htmt__trace_part_places(y->part, y->info, s->resource) *
                          y->info->resource[s->resource].count;
    to->utilization = over(busy, (double)r->predicted * places);
}

/* As a run has them (emul/lib/questions/results.c), from the intervals of each slice. The services
 * of a processor with threads are longer than its issue port is busy. */
static int take_spreads(const struct tally *y, struct htmt__results *r, struct htmt_fault *fault)
{
    const struct htmt_trace_info *i = y->info;
    const uint32_t n = i->slices;
    double *share = calloc(n + 1u, sizeof *share), *queue = calloc(n + 1u, sizeof *queue);
    r->spread = calloc((size_t)i->resources + i->layers + 1, sizeof *r->spread);
    int rc = share && queue && r->spread
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    for (uint32_t k = 0; k < i->resources + i->layers && has_slices(i) && !rc; k++) {
        const bool memory = k >= i->resources;
        const struct htmt__memory *m = memory ? &r->memory[k - i->resources] : NULL;
        const struct htmt_trace_resource *from = memory ? NULL : &i->resource[k];
        const struct of_slice *of =
            memory ? &y->stall[(size_t)(k - i->resources) * n] : &y->use[(size_t)k * n];
        char name[sizeof r->spread->name];
        if (memory
                ? m->count != n || !(m->mean_queue > 0)
                : from->places.count != n || from->inside != from->busy || !r->resource[k].served)
            continue;
        for (uint32_t s = 0; s < n; s++) {
            share[s] =
                memory ? 0 : over((double)of[s].busy, (double)r->predicted * (double)from->count);
            queue[s] = over((double)of[s].waited, (double)r->predicted);
        }
        snprintf(name, sizeof name, memory ? "%s space" : "%s", memory ? m->name : from->name);
        htmt__results_spread(r, name, n, memory ? NULL : share, queue);
        struct htmt__spread *to = &r->spread[r->spread_count - 1];
        to->mean_share = memory ? to->mean_share : r->resource[k].utilization;
        to->mean_queue = memory ? m->mean_queue : r->resource[k].mean_queue;
    }
    free(share);
    free(queue);
    return rc;
}

static int take_results(const struct tally *y, struct htmt__results *r, struct htmt_fault *fault)
{
    const struct htmt_trace_info *i = y->info;
    *r = (struct htmt__results){
        .slices = i->slices, .predicted = i->end, .history_hash = i->history_hash};
    r->resource = calloc(i->resources + 1u, sizeof *r->resource);
    r->memory = calloc(i->layers + 1u, sizeof *r->memory);
    r->phase = calloc(i->steps + 1u, sizeof *r->phase);
    r->section = calloc(i->sections + 1u, sizeof *r->section);
    r->limit = calloc(2 * (size_t)i->resources + i->layers + 1, sizeof *r->limit);
    if (!r->resource || !r->memory || !r->phase || !r->section || !r->limit)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    r->resource_count = i->resources;
    r->memory_count = i->layers;
    for (uint32_t n = 0; n < i->resources; n++)
        take_resource(y, n, r);
    for (uint32_t n = 0; n < i->layers; n++) {
        const struct htmt_trace_layer *from = &i->layer[n];
        struct htmt__memory *to = &r->memory[n];
        snprintf(to->name, sizeof to->name, "%s", from->memory);
        to->count = from->places.count;
        to->capacity_words = from->capacity;
        to->peak_words = y->peak[n];
        to->stall_s = seconds(from->stalled);
        to->mean_queue = over((double)from->stalled, all_of(r, &from->places));
        to->max_queue = HTMT__UNTOLD;
    }
    for (uint32_t n = 0; n < i->steps; n++)
        take_phase(y, n, r);
    return take_spreads(y, r, fault);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* From that instant on. */
struct change {
    htmt_time at;
    uint32_t section;
};

struct changes {
    struct change *list; /* in order; before the first: section 0 */
    uint32_t count;
    size_t room;
};

enum column { TIME, BUSY, WAITED, STALLED, COLUMNS };

struct section {
    const char *name;
    htmt_time first; /* when some slice first came to it */
    htmt_wide sum[COLUMNS];
};

struct sections {
    struct htmt_trace *t;
    const struct htmt_trace_info *info;
    struct changes *changes; /* of each slice that was played */
    struct section *section;
};

/* Of two at one instant the later one holds. */
static int add_change(struct sections *s, uint32_t slice, htmt_time at, uint64_t section)
{
    struct changes *c = &s->changes[slice];
    uint32_t i = c->count;
    if (section >= s->info->sections)
        return 0;
    while (i && c->list[i - 1].at > at)
        i--;
    if (at < s->section[section].first)
        s->section[section].first = at;
    if (i && c->list[i - 1].at == at) {
        c->list[i - 1].section = (uint32_t)section;
        return 0;
    }
    if (!htmt__array_fits(&c->list, &c->room, (size_t)c->count + 1, sizeof *c->list))
        return HTMT_ENOMEM;
    memmove(&c->list[i + 1], &c->list[i], (c->count - i) * sizeof *c->list);
    c->list[i] = (struct change){at, (uint32_t)section};
    c->count++;
    return 0;
}

/* Gives each section its part of the time from `from` to `to`. */
static void split(struct sections *s, uint32_t slice, enum column column, htmt_time from,
                  htmt_time to)
{
    const struct changes *c = &s->changes[slice];
    uint32_t i = c->count;
    while (to > from) {
        while (i && c->list[i - 1].at >= to)
            i--;
        htmt_time begin = i && c->list[i - 1].at > from ? c->list[i - 1].at : from;
        s->section[i ? c->list[i - 1].section : 0].sum[column] += to - begin;
        to = begin;
    }
}

/* The first pass takes the changes, the second the times. Of a service that the end of the run
 * interrupted only the wait counts. */
static int pass(struct sections *s, bool changes, struct htmt_fault *fault)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    for (uint64_t k = 0; k < s->info->blocks && !rc; k++) {
        rc = htmt_trace_block_read(s->t, k, &b, fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *i = &b.interval[n];
            enum htmt_trace_place place = s->info->step[i->step].place;
            htmt_time start = i->end - i->service;
            bool used = place <= HTMT_TRACE_RECEIVED;
            if (changes && place == HTMT_TRACE_SECTION && add_change(s, b.slice, i->end, i->serial))
                rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the sections of the trace");
            if (!changes && used && !i->open)
                split(s, b.slice, BUSY, start, i->end);
            if (!changes && (used || place == HTMT_TRACE_STALLED))
                split(s, b.slice, used ? WAITED : STALLED, start - i->wait, start);
        }
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* As they began; of those that began at one instant, by name. */
static int by_first(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Into r->section, which has room for info->sections; r->slices and r->predicted are there. */
static int take_sections(struct htmt_trace *t, struct htmt__results *r, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct sections s = {.t = t, .info = info};
    if (!info->sections)
        return 0;
    s.changes = calloc(info->places, sizeof *s.changes);
    s.section = calloc(info->sections, sizeof *s.section);
    int rc = s.changes && s.section
                 ? 0
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the sections of the trace");
    for (uint32_t i = 0; i < info->sections && !rc; i++)
        s.section[i] = (struct section){.name = info->section[i], .first = i ? HTMT_TIME_MAX : -1};
    if (!rc)
        rc = pass(&s, true, fault);
    if (!rc)
        rc = pass(&s, false, fault);
    for (uint32_t i = 0; i < info->played && !rc; i++)
        split(&s, i, TIME, 0, info->end);
    if (!rc)
        qsort(s.section, info->sections, sizeof *s.section, by_first);
    for (uint32_t i = 0; i < info->sections && !rc; i++) {
        const struct section *from = &s.section[i];
        const double all = (double)r->predicted * r->slices;
        const uint32_t n = info->stands_for;
        /* That before the first one only if time was spent there. */
        if (!*from->name && !from->sum[TIME] && !from->sum[BUSY] && !from->sum[WAITED] &&
            !from->sum[STALLED])
            continue;
        struct htmt__section_time *to = &r->section[r->section_count++];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        to->time_s = seconds(from->sum[TIME] * n);
        to->share = all > 0 ? (double)(from->sum[TIME] * n) / all : 0;
        to->busy_s = seconds(from->sum[BUSY] * n);
        to->wait_s = seconds(from->sum[WAITED] * n);
        to->stall_s = seconds(from->sum[STALLED] * n);
    }
    for (uint32_t i = 0; i < info->places && s.changes; i++)
        free(s.changes[i].list);
    free(s.changes);
    free(s.section);
    return rc;
}

/* ---- the critical path ----------------------------------------------------------------------- */

/* As htmt__explanation_make() gives it after a run with htmt_options.explain, without a closed
 * form. */
static int take_path(struct htmt_trace *t, struct htmt__explanation *x, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt__trace_path found = {0};
    struct htmt_path path = {0};
    *x = (struct htmt__explanation){0};
    int rc = htmt__trace_path_find(t, &found, fault);
    if (rc)
        goto clear;
    rc = htmt__trace_path_explain(info, &found, &path);
    if (!rc && !(x->cause = calloc(path.count + 1u, sizeof *x->cause)))
        rc = HTMT_ENOMEM;
    if (rc) {
        htmt_fault_set(fault, rc, "no host memory for the critical path");
        goto clear;
    }
    x->made = true;
    x->predicted = path.total;
    x->intervals = path.length;
    x->count = path.count;
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
        x->sum[i] = htmt_path_sum(&path, (enum htmt_path_cause)i);
    if (path.principal < info->resources)
        snprintf(x->principal, sizeof x->principal, "%s", info->resource[path.principal].name);
    for (uint32_t i = 0; i < path.count; i++) {
        const struct htmt_path_part *from = &path.part[i];
        struct htmt__cause *to = &x->cause[i];
        to->cause = htmt_path_cause_name(from->cause);
        snprintf(to->of, sizeof to->of, "%s", htmt__trace_cause_of(info, &path, from));
        snprintf(to->type, sizeof to->type, "%s", from->type);
        to->stage = htmt_stage_name(from->stage);
        snprintf(to->used, sizeof to->used, "%s%s%s",
                 from->place == HTMT_PATH_PAUSED ? HTMT__IN_PAUSE
                                                 : htmt__trace_resource_name(info, from->resource),
                 from->inside ? ", " : "", from->inside ? from->inside : "");
        to->intervals = from->count;
        to->time = from->time;
    }
clear:
    htmt_path_clear(&path);
    htmt__trace_path_clear(&found);
    return rc;
}

/* ---- the document ---------------------------------------------------------------------------- */

/* The head, and a note for each thing that the trace lacks or that was open at its end. */
static int take_head(const struct htmt_trace_info *i, struct htmt__document *d,
                     struct htmt_fault *fault)
{
    *d = (struct htmt__document){.trace = true, .correct = -1};
    d->object = json_object();
    d->app = *i->app ? i->app : NULL;
    d->program = !d->app;
    d->machine = i->machine;
    d->mode = i->mode;
    d->slices = i->slices;
    if (!i->complete)
        htmt_fault_set(&d->fault, HTMT_ECANCELLED, "%s", i->fault);
    int rc = d->object ? 0 : HTMT_ENOMEM;
    if (!rc && i->filtered)
        rc = htmt__pairs_add(&d->notes, NULL,
                             "the trace is filtered: services and phases are those that it has, "
                             "busy times, use and stalls of resources those of the run; "
                             "causes are missing on the critical path");
    for (uint32_t n = 0; n < i->open_lines && !rc; n++)
        rc = htmt__pairs_add(&d->notes, NULL, i->open[n]);
    if (rc || htmt__document_read_record(i->about, d))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    return 0;
}

int htmt__trace_account(struct htmt_trace *t, struct htmt__document *d, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = htmt_trace_info(t);
    struct htmt__trace_part part = {.filtered = false};
    struct tally y = {.trace = t, .info = info, .part = &part};
    int rc = take_head(info, d, fault);
    y.step = calloc(info->steps + 1u, sizeof *y.step);
    y.peak = calloc(info->layers + 1u, sizeof *y.peak);
    if (!rc && (!y.step || !y.peak || htmt__trace_part_make(info, &part)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the results of the trace");
    if (!rc)
        rc = read_blocks(t, &y, fault);
    if (!rc)
        rc = take_results(&y, &d->results, fault);
    if (!rc)
        rc = take_sections(t, &d->results, fault);
    if (!rc)
        rc = take_path(t, &d->explanation, fault);
    if (!rc && htmt__explanation_share(&d->explanation, &d->results))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the critical path");
    if (!rc)
        htmt__results_rank(&d->results, &d->explanation);
    htmt__trace_part_clear(&part);
    free(y.step);
    free(y.peak);
    free(y.use);
    free(y.stall);
    return rc;
}
