/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/questions/determinism.h"

#include "emul/questions/interrupt.h"

#include "emul/text/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct htmt__variant variants[HTMT__DETERMINISM_RUNS] = {
    {1, 1}, {2, 2}, {3, 3}, {8, 4}};

/* The common arguments of all runs of the comparison. */
struct determinism_check {
    const struct htmt_app *app;
    const struct htmt_request *request;
    const struct htmt_outcome *first;
    const struct htmt__event_digest *recorded;
    struct htmt__observer *observer;
    struct htmt__determinism *result;
    struct htmt_fault *fault;
};

/* A run that stops because its digest is full has not failed. A wrong result is no failure either:
 * it is compared. */
static int run_with(const struct determinism_check *c, struct htmt_request *request,
                    struct htmt__event_digest *digest, struct htmt_outcome *outcome)
{
    struct htmt_fault fault = {0};
    c->observer->digest = digest;
    htmt__observer_attach(c->observer, request, outcome);
    int rc = htmt__app_run(c->app, request, outcome, &fault);
    htmt__observer_detach(c->observer);
    c->observer->digest = NULL;
    if (digest->failed)
        return htmt_fault_set(c->fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (htmt__interrupt_asked())
        return htmt_fault_set(c->fault, HTMT_ECANCELLED, "interrupted while comparing runs");
    if (rc && rc != HTMT_EWRONG && !htmt__event_digest_full(digest))
        return htmt_fault_set(c->fault, rc, "%s", fault.text);
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

/* Repeats the recorded run to get its events of the window. */
static int find_first(const struct determinism_check *c, const struct htmt_emulator *e,
                      const struct htmt__event_digest *compared)
{
    struct htmt__determinism *d = c->result;
    struct htmt__event_digest witness;
    struct htmt_request request = *c->request;
    struct htmt_outcome again = {.correct = -1};
    int rc = htmt__event_digest_witness(&witness, compared);
    if (rc)
        return htmt_fault_set(c->fault, rc, "no memory to compare the runs");
    rc = run_with(c, &request, &witness, &again);
    if (!rc && htmt__event_digest_first(compared, &witness, &d->number)) {
        describe(again.emulator, htmt__event_digest_event(&witness, d->number), d->first,
                 sizeof d->first);
        describe(e, htmt__event_digest_event(compared, d->number), d->differing,
                 sizeof d->differing);
    } else if (!rc) {
        d->number = compared->first;
        snprintf(d->first, sizeof d->first, "unknown: made again, the first run agrees with it");
        describe(e, htmt__event_digest_event(compared, d->number), d->differing,
                 sizeof d->differing);
    }
    htmt_emulator_destroy(&again.emulator);
    htmt__event_digest_clear(&witness);
    return rc;
}

static int differ(const struct determinism_check *c, const struct htmt__variant *v,
                  const char *what)
{
    c->result->equal = false;
    c->result->culprit = *v;
    return htmt_fault_set(c->fault, HTMT_ENONDET,
                          "--threads %" PRIu32 " and --threads %" PRIu32 " --delay-seed %" PRIu64
                          " differ: %s",
                          c->request->emulator.threads, v->threads, v->delay_seed, what);
}

static int differ_at(const struct determinism_check *c, const struct htmt__variant *v,
                     const struct htmt_emulator *e, const struct htmt__event_digest *compared)
{
    char what[320];
    int rc = find_first(c, e, compared);
    if (rc)
        return rc;
    snprintf(what, sizeof what, "first in event %s, %s", htmt__format_count(c->result->number).s,
             c->result->differing);
    return differ(c, v, what);
}

/* Compares bits, so that a NaN equals itself and 0 differs from -0. */
static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static int compare_outcomes(const struct determinism_check *c, const struct htmt__variant *v,
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

static int compare_run(const struct determinism_check *c, const struct htmt__variant *v)
{
    struct htmt__event_digest digest;
    struct htmt_request request = *c->request;
    struct htmt_outcome outcome = {.correct = -1};
    request.emulator.threads = v->threads;
    request.emulator.delay_seed = v->delay_seed;
    memset(request.emulator.layer_threads, 0, sizeof request.emulator.layer_threads);
    int rc = htmt__event_digest_compare(&digest, c->recorded);
    if (rc)
        return htmt_fault_set(c->fault, rc, "no memory to compare the runs");
    rc = run_with(c, &request, &digest, &outcome);
    if (!rc && htmt__event_digest_differs(&digest))
        rc = differ_at(c, v, outcome.emulator, &digest);
    else if (!rc)
        rc = compare_outcomes(c, v, &outcome);
    htmt_emulator_destroy(&outcome.emulator);
    htmt__event_digest_clear(&digest);
    return rc;
}

int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first,
                            const struct htmt__event_digest *recorded,
                            struct htmt__observer *observer, struct htmt__determinism *result,
                            struct htmt_fault *fault)
{
    struct determinism_check c = {app, request, first, recorded, observer, result, fault};
    *result = (struct htmt__determinism){.equal = true, .events = recorded->events};
    int rc = 0;
    for (unsigned i = 0; i < HTMT__DETERMINISM_RUNS && !rc; i++) {
        rc = compare_run(&c, &variants[i]);
        result->variant[i] = variants[i];
        result->runs++;
    }
    return rc;
}
