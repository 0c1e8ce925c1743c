/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of runs of one command line: the run, as it was asked; with --check-determinism the
 * runs that are compared with it; for a run with data the model run, whose time and history should
 * be the same, unless the application says that the run is one; with --lint a what-if run for each
 * kind of departure. The report is never lost by what comes after the run: a later run that fails
 * or is interrupted leaves its answer out.
 */
#include "emul/lib/questions/experiment.h"

#include "parcels/clock/statistics.h"

int htmt__experiment_code(const struct htmt__experiment *x)
{
    if (x->fault.code)
        return x->fault.code;
    return x->outcome.correct == 0 ? HTMT_EWRONG : 0;
}

/* A run with a wrong result is complete. Other errors get a message if the application gave none.
 */
static void run_once(struct htmt__experiment *x, struct htmt__observer *observer)
{
    struct htmt_request request = *x->record.request;
    htmt__observer_attach(observer, &request, &x->outcome);
    int rc = htmt__app_run(x->record.options->app, &request, &x->outcome, &x->fault);
    htmt__observer_detach(observer);
    if (rc == HTMT_EWRONG) {
        x->outcome.correct = 0;
        x->fault = (struct htmt_fault){0};
    } else if (rc && !x->fault.code) {
        htmt_fault_set(&x->fault, rc, "%s", htmt_strerror(rc));
    }
}

/* The first run is recorded for the comparison. */
static void run_and_compare(struct htmt__experiment *x, struct htmt__observer *observer)
{
    struct htmt__event_digest digest;
    if (htmt__event_digest_record(&digest, HTMT__EVENT_DIGEST_MARKS)) {
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory to compare the runs");
        return;
    }
    observer->digest = &digest;
    run_once(x, observer);
    observer->digest = NULL;
    if (digest.failed)
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (!x->fault.code) {
        int rc = htmt__determinism_check(x->record.options->app, x->record.request, &x->outcome,
                                         &digest, observer, &x->determinism, &x->fault);
        x->has_determinism = !rc || rc == HTMT_ENONDET;
    }
    htmt__event_digest_clear(&digest);
}

static void collect(struct htmt__experiment *x)
{
    const struct htmt_emulator *e = x->outcome.emulator;
    if (!x->fault.code)
        htmt_audit(e, &x->fault);
    if (x->fault.code && !htmt_event_count(e))
        return;
    int rc = htmt__results_collect(e, &x->results);
    x->has_results = !rc;
    if (rc)
        htmt_fault_set(&x->fault, rc, "no memory for the results");
    for (unsigned i = 0; !rc && i < x->results.unpriced_count; i++)
        htmt_warn(&x->outcome.warnings, "unpriced", "%s", x->results.unpriced[i].text);
    if (!rc && x->record.request->emulator.explain &&
        htmt__explanation_make(e, x->fault.code ? NULL : &x->outcome, &x->explanation))
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory for the explanation");
    if (!rc && x->explanation.made && htmt__explanation_share(&x->explanation, &x->results))
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory for the explanation");
    if (!rc && x->explanation.made)
        htmt__results_rank(&x->results, &x->explanation);
    const char *const *given = x->record.options->common;
    if (!rc && (given[HTMT__SUMMARY] || given[HTMT__TABLE]) && htmt__summary_make(e, &x->summary))
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory for the summary");
    if (!rc && given[HTMT__LINT] && htmt__lint_make(e, &x->lint))
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory for the departures");
}

/* Emulates the command line as a model run. A failure does not change the run: the report then says
 * that there is no model run. */
static int model_of(const struct htmt__experiment *x, unsigned what_if,
                    struct htmt__observer *observer, struct htmt_outcome *outcome,
                    struct htmt_fault *fault)
{
    struct htmt_request request = *x->record.request;
    *outcome = (struct htmt_outcome){.correct = -1};
    request.emulator.mode = HTMT_MODEL;
    request.emulator.explain = request.emulator.lint = false;
    request.emulator.what_if = what_if;
    request.emulator.recording = NULL;
    request.emulator.replies = NULL;
    observer->reports = true;
    htmt__observer_attach(observer, &request, outcome);
    const struct htmt_app *app = x->record.options->app;
    int rc = htmt__app_run(app, &request, outcome, fault);
    htmt__observer_detach(observer);
    return rc;
}

static struct htmt__model_of_run told_by(const struct htmt_emulator *e, bool run)
{
    return (struct htmt__model_of_run){.by_run = run,
                                       .emulated = true,
                                       .predicted = htmt_predicted(e),
                                       .history_hash = htmt_history_hash(e),
                                       .steered = htmt__is_steered(e),
                                       .parcels = htmt_parcel_count(e)};
}

/* Where a run is the model run of its application, it need not be played again, unless doubts are
 * asked for. */
static void model(struct htmt__experiment *x, struct htmt__observer *observer)
{
    struct htmt_outcome outcome;
    struct htmt_fault fault = {0};
    if (x->record.options->app->runs_model && !x->record.options->common[HTMT__CHECK_DETERMINISM]) {
        x->model = told_by(x->outcome.emulator, true);
        return;
    }
    if (!model_of(x, 0, observer, &outcome, &fault))
        x->model = told_by(outcome.emulator, false);
    htmt_emulator_destroy(&outcome.emulator);
}

/* Emulates again with the moves that these departures saved. */
static void ask_what_if(struct htmt__experiment *x, unsigned kinds, struct htmt__observer *observer)
{
    struct htmt_outcome outcome;
    struct htmt__what_if *c = &x->lint.what_if[x->lint.what_if_count++];
    c->kinds = kinds;
    if (!model_of(x, kinds, observer, &outcome, &c->fault) &&
        !htmt_audit(outcome.emulator, &c->fault))
        c->predicted = htmt_predicted(outcome.emulator);
    htmt_emulator_destroy(&outcome.emulator);
}

/* One what-if run for each kind of departure, then one for all kinds. They are compared with the
 * time of a model run; without one there is nothing to ask. */
static void ask_what_ifs(struct htmt__experiment *x, struct htmt__observer *observer)
{
    const bool runs = x->record.request->emulator.mode == HTMT_RUN;
    unsigned kinds = htmt__lint_kinds(&x->lint);
    if (!kinds)
        return;
    if (runs && !x->model.emulated)
        model(x, observer);
    x->lint.kept = x->model.emulated ? x->model.predicted : x->lint.predicted;
    if (runs && !x->model.emulated)
        return;
    for (unsigned rest = kinds; rest; rest &= rest - 1)
        ask_what_if(x, rest & -rest, observer);
    if (kinds & (kinds - 1))
        ask_what_if(x, kinds, observer);
}

bool htmt__experiment_agrees(const struct htmt__experiment *x)
{
    return x->model.emulated && x->model.predicted == x->results.predicted &&
           x->model.history_hash == x->results.history_hash;
}

static void tell_old_history(struct htmt__experiment *x, const struct htmt__old_history *old)
{
    if (old->failed && !x->fault.code)
        htmt_fault_set(&x->fault, HTMT_ENOMEM, "no memory for the old history");
    x->results.old_histories = x->has_results && !old->failed;
    if (x->results.old_histories)
        x->results.old_history =
            htmt__old_history_hash(old, htmt_emulator_played(x->outcome.emulator));
}

int htmt__experiment_run(struct htmt__experiment *x, struct htmt__observer *observer)
{
    struct htmt__old_history old = {0};
    x->outcome.correct = -1;
    if (x->record.options->common[HTMT__OLD_HISTORY])
        observer->old = &old;
    if (x->record.options->common[HTMT__CHECK_DETERMINISM])
        run_and_compare(x, observer);
    else
        run_once(x, observer);
    if (x->outcome.emulator)
        collect(x);
    if (observer->old)
        tell_old_history(x, &old);
    observer->old = NULL;
    htmt__old_history_clear(&old);
    if (x->has_results && !x->fault.code && x->record.request->emulator.mode == HTMT_RUN &&
        x->results.events <= HTMT__EVENTS_TO_MODEL)
        model(x, observer);
    if (!x->fault.code)
        ask_what_ifs(x, observer);
    return htmt__experiment_code(x);
}

void htmt__experiment_clear(struct htmt__experiment *x)
{
    htmt__results_clear(&x->results);
    htmt__explanation_clear(&x->explanation);
    htmt__summary_clear(&x->summary);
    htmt__lint_clear(&x->lint);
    htmt_emulator_destroy(&x->outcome.emulator);
}
