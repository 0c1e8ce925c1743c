/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison (comparison.h) wants to run a program with settings; here an application is that
 * program: all its steps are made again with the request of the first run, but for threads, delays
 * and clock. Nothing is recorded twice: traces are of the first run alone.
 */
#include "emul/lib/questions/determinism.h"

#include "emul/lib/questions/interrupt.h"

#include <inttypes.h>
#include <string.h>

/* The common arguments of all runs of the comparison. */
struct determinism_check {
    const struct htmt_app *app;
    const struct htmt_request *request;
    struct htmt__observer *observer;
};

/* Bits are compared, so that a NaN equals itself and 0 differs from -0. */
static void result_of(const struct htmt_outcome *o, uint64_t result[2])
{
    result[0] = (uint64_t)o->correct;
    memcpy(&result[1], &o->check.value, sizeof result[1]);
}

/* A run that stops because its digest is full has not failed. A wrong result is no failure either:
 * it is compared. */
static int run_with(void *user, const struct htmt__variant *variant,
                    struct htmt__event_digest *digest, struct htmt__rerun *rerun,
                    struct htmt_fault *fault)
{
    const struct determinism_check *c = user;
    struct htmt_request request = *c->request;
    struct htmt_outcome outcome = {.correct = -1};
    struct htmt_fault of_run = {0};
    htmt__variant_set(variant, &request.emulator);
    request.emulator.recording = NULL;
    if (request.emulator.mode == HTMT_RUN)
        request.emulator.replies = NULL; /* the first run was captured */
    c->observer->digest = digest;
    htmt__observer_attach(c->observer, &request, &outcome);
    int rc = htmt__app_run(c->app, &request, &outcome, &of_run);
    htmt__observer_detach(c->observer);
    c->observer->digest = NULL;
    rerun->emulator = outcome.emulator;
    result_of(&outcome, rerun->result);
    if (digest && digest->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (htmt__interrupt_asked())
        return htmt_fault_set(fault, HTMT_ECANCELLED, "interrupted while comparing runs");
    if (rc && rc != HTMT_EWRONG && !(digest && htmt__event_digest_full(digest)))
        return htmt_fault_set(fault, rc, "%s", of_run.text);
    return 0;
}

static void destroy(void *user, struct htmt__rerun *rerun)
{
    (void)user;
    htmt_emulator_destroy(&rerun->emulator);
}

int htmt__determinism_check(const struct htmt_app *app, const struct htmt_request *request,
                            const struct htmt_outcome *first,
                            const struct htmt__event_digest *recorded,
                            struct htmt__observer *observer, struct htmt_determinism_report *result,
                            struct htmt_fault *fault)
{
    struct determinism_check check = {app, request, observer};
    struct htmt__comparison c = {.recorded = recorded,
                                 .predicted = htmt_predicted(first->emulator),
                                 .history_hash = htmt_history_hash(first->emulator),
                                 .windows = htmt__comparison_has_windows(&request->emulator),
                                 .result_name = "the result's check",
                                 .run = run_with,
                                 .destroy = destroy,
                                 .user = &check};
    result_of(first, c.result);
    int rc = htmt__comparison_make(&c, result, fault);
    if (rc == HTMT_ENONDET && !result->threads)
        htmt_fault_set(fault, rc, "--clock sequential and --clock %s differ: %s",
                       htmt__comparison_way(result), result->difference);
    else if (rc == HTMT_ENONDET)
        htmt_fault_set(
            fault, rc,
            "--threads %" PRIu32 " and --threads %" PRIu32 " --delay-seed %" PRIu64 " differ: %s",
            request->emulator.threads, result->threads, result->delay_seed, result->difference);
    return rc;
}
