/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/questions/determinism.h"

#include "emul/report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct htmt__variant variants[HTMT__DETERMINISM_RUNS] = {
    {1, 1}, {2, 2}, {3, 3}, {8, 4}};

/* What every run of the comparison needs. */
struct comparison {
    const struct htmt_app *app;
    const struct htmt_request *request;
    const struct htmt_outcome *first;
    const struct htmt__trail *recorded;
    struct htmt__observer *observer;
    struct htmt__determinism *result;
    struct htmt_fault *fault;
};

/* A run stopped because its trail is full is no failure, nor is a wrong result: it is compared. */
static int run_with(const struct comparison *c, struct htmt_request *request,
                    struct htmt__trail *trail, struct htmt_outcome *outcome)
{
    struct htmt_fault fault = {0};
    c->observer->trail = trail;
    htmt__observer_attach(c->observer, &request->emulator);
    int code = htmt_app_run(c->app, request, outcome, &fault);
    htmt__observer_detach(c->observer);
    c->observer->trail = NULL;
    if (trail->failed)
        return htmt_fault_set(c->fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (htmt__interrupt_asked(c->observer->interrupt))
        return htmt_fault_set(c->fault, HTMT_ECANCELLED, "interrupted while comparing runs");
    if (code && code != HTMT_EWRONG && !htmt__trail_full(trail))
        return htmt_fault_set(c->fault, code, "%s", fault.text);
    return 0;
}

static void describe(const struct htmt_emulator *e, const struct htmt_event *event, char *line,
                     size_t room)
{
    struct htmt_resource_report resource = {.name = "?"};
    if (!event) {
        snprintf(line, room, "no such event: the run is over");
        return;
    }
    if (!e || htmt_resource_at(e, event->resource, &resource))
        snprintf(resource.name, sizeof resource.name, "resource %" PRIu32, event->resource);
    snprintf(line, room,
             "%s fs, %s, slice %" PRIu32 ", parcel %" PRIu64 ":%" PRIu64 ", %s, %s words",
             htmt__format_count((uint64_t)event->time).s, resource.name, event->slice,
             event->serial >> 40, event->serial & ((UINT64_C(1) << 40) - 1),
             event->stage < HTMT_STAGES ? htmt_stage_name((enum htmt_stage_id)event->stage) : "?",
             htmt__format_count(event->words).s);
}

/* Run the recorded one again to see its side of the window. */
static int find_first(const struct comparison *c, const struct htmt_emulator *e,
                      const struct htmt__trail *compared)
{
    struct htmt__determinism *d = c->result;
    struct htmt__trail witness;
    struct htmt_request request = *c->request;
    struct htmt_outcome again = {.correct = -1};
    int code = htmt__trail_witness(&witness, compared);
    if (code)
        return htmt_fault_set(c->fault, code, "no memory to compare the runs");
    code = run_with(c, &request, &witness, &again);
    if (!code && htmt__trail_first(compared, &witness, &d->number)) {
        describe(again.emulator, htmt__trail_event(&witness, d->number), d->first, sizeof d->first);
        describe(e, htmt__trail_event(compared, d->number), d->differing, sizeof d->differing);
    } else if (!code) {
        d->number = compared->first;
        snprintf(d->first, sizeof d->first, "unknown: made again, the first run agrees with it");
        describe(e, htmt__trail_event(compared, d->number), d->differing, sizeof d->differing);
    }
    htmt_emulator_destroy(&again.emulator);
    htmt__trail_clear(&witness);
    return code;
}

static int differ(const struct comparison *c, const struct htmt__variant *v, const char *what)
{
    c->result->equal = false;
    c->result->culprit = *v;
    return htmt_fault_set(c->fault, HTMT_ENONDET,
                          "--threads %" PRIu32 " and --threads %" PRIu32 " --delay-seed %" PRIu64
                          " differ: %s",
                          c->request->emulator.threads, v->threads, v->delay_seed, what);
}

static int differ_at(const struct comparison *c, const struct htmt__variant *v,
                     const struct htmt_emulator *e, const struct htmt__trail *compared)
{
    char what[320];
    int code = find_first(c, e, compared);
    if (code)
        return code;
    snprintf(what, sizeof what, "first in event %s, %s", htmt__format_count(c->result->number).s,
             c->result->differing);
    return differ(c, v, what);
}

/* The bits of the value, so that a NaN equals itself and 0 differs from -0. */
static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static int compare_outcomes(const struct comparison *c, const struct htmt__variant *v,
                            const struct htmt_outcome *o)
{
    const struct htmt_outcome *first = c->first;
    if (htmt_predicted(o->emulator) != htmt_predicted(first->emulator))
        return differ(c, v, "the predicted time, though no event does");
    if (htmt_history_hash(o->emulator) != htmt_history_hash(first->emulator))
        return differ(c, v, "the history hash, though no event does");
    if (o->correct != first->correct || !same_bits(o->check.value, first->check.value))
        return differ(c, v, "the result's check, though no event does");
    return 0;
}

static int compare_run(const struct comparison *c, const struct htmt__variant *v)
{
    struct htmt__trail trail;
    struct htmt_request request = *c->request;
    struct htmt_outcome outcome = {.correct = -1};
    request.emulator.threads = v->threads;
    request.emulator.delay_seed = v->delay_seed;
    memset(request.emulator.layer_threads, 0, sizeof request.emulator.layer_threads);
    int code = htmt__trail_compare(&trail, c->recorded);
    if (code)
        return htmt_fault_set(c->fault, code, "no memory to compare the runs");
    code = run_with(c, &request, &trail, &outcome);
    if (!code && htmt__trail_differs(&trail))
        code = differ_at(c, v, outcome.emulator, &trail);
    else if (!code)
        code = compare_outcomes(c, v, &outcome);
    htmt_emulator_destroy(&outcome.emulator);
    htmt__trail_clear(&trail);
    return code;
}

int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first, const struct htmt__trail *recorded,
                            struct htmt__observer *observer, struct htmt__determinism *result,
                            struct htmt_fault *fault)
{
    struct comparison c = {app, request, first, recorded, observer, result, fault};
    *result = (struct htmt__determinism){.equal = true, .events = recorded->events};
    int code = 0;
    for (unsigned i = 0; i < HTMT__DETERMINISM_RUNS && !code; i++) {
        code = compare_run(&c, &variants[i]);
        result->variant[i] = variants[i];
        result->runs++;
    }
    return code;
}
