/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run computes must not depend on how fast the host's threads are. So the program is run
 * again with 1, 2, 3 and 8 threads, each time with random delays before kernels, and every event
 * must be the one of the first run. These runs are observed, and an observed clock is sequential;
 * so a model run is made twice more by windows, on one clock thread and on two, and its predicted
 * time and history hash are compared. The first run that differs ends the comparison.
 */
#include "emul/lib/questions/comparison.h"

#include "emul/lib/text/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct htmt__variant variants[HTMT_DETERMINISM_RUNS] = {
    {.threads = 1, .delay_seed = 1},
    {.threads = 2, .delay_seed = 2},
    {.threads = 3, .delay_seed = 3},
    {.threads = 8, .delay_seed = 4}};

#define BY_WINDOWS 2u
static const struct htmt__variant by_windows[BY_WINDOWS] = {{.windows = true, .clock_threads = 1},
                                                            {.windows = true, .clock_threads = 2}};

void htmt__variant_set(const struct htmt__variant *v, struct htmt_options *options)
{
    if (!v)
        return;
    if (v->windows) {
        options->clock = HTMT_CLOCK_SHARED; /* on one thread these are windows, too */
        options->clock_threads = v->clock_threads;
        return;
    }
    options->threads = v->threads;
    options->delay_seed = v->delay_seed;
    memset(options->layer_threads, 0, sizeof options->layer_threads);
}

bool htmt__comparison_has_windows(const struct htmt_options *o)
{
    bool listens = o->observe || o->explain || o->slopes || o->lint || o->what_if || o->recording;
    return o->mode == HTMT_MODEL && o->clock != HTMT_CLOCK_SEQUENTIAL && !listens;
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

/* Repeats the recorded run to get its events of the window. Both runs name their resources alike.
 */
static int find_first(const struct htmt__comparison *c, const struct htmt__event_digest *compared,
                      struct htmt_determinism_report *r, struct htmt_fault *fault)
{
    struct htmt__event_digest witness;
    struct htmt__rerun again = {.emulator = NULL};
    int rc = htmt__event_digest_witness(&witness, compared);
    if (rc)
        return htmt_fault_set(fault, rc, "no memory to compare the runs");
    rc = c->run(c->user, NULL, &witness, &again, fault);
    if (!rc && htmt__event_digest_first(compared, &witness, &r->number)) {
        describe(again.emulator, htmt__event_digest_event(&witness, r->number), r->first,
                 sizeof r->first);
    } else if (!rc) {
        r->number = compared->first;
        snprintf(r->first, sizeof r->first, "unknown: made again, the first run agrees with it");
    }
    if (!rc)
        describe(again.emulator, htmt__event_digest_event(compared, r->number), r->differing,
                 sizeof r->differing);
    c->destroy(c->user, &again);
    htmt__event_digest_clear(&witness);
    return rc;
}

static int differ(const struct htmt__variant *v, const char *what,
                  struct htmt_determinism_report *r)
{
    r->equal = false;
    r->threads = v->threads;
    r->delay_seed = v->delay_seed;
    snprintf(r->difference, sizeof r->difference, "%s", what);
    return HTMT_ENONDET;
}

static int compare_ends(const struct htmt__comparison *c, const struct htmt__variant *v,
                        const struct htmt__rerun *rerun, struct htmt_determinism_report *r)
{
    char line[120];
    const char *what = htmt_predicted(rerun->emulator) != c->predicted ? "the predicted time"
                       : htmt_history_hash(rerun->emulator) != c->history_hash ? "the history hash"
                       : memcmp(rerun->result, c->result, sizeof c->result)    ? c->result_name
                                                                               : NULL;
    if (!what)
        return 0;
    snprintf(line, sizeof line, "%s%s", what, v->windows ? "" : ", though no event does");
    return differ(v, line, r);
}

static int compare_run(const struct htmt__comparison *c, const struct htmt__variant *v,
                       struct htmt_determinism_report *r, struct htmt_fault *fault)
{
    struct htmt__event_digest digest;
    struct htmt__rerun rerun = {.emulator = NULL};
    int rc = htmt__event_digest_compare(&digest, c->recorded);
    if (rc)
        return htmt_fault_set(fault, rc, "no memory to compare the runs");
    rc = c->run(c->user, v, &digest, &rerun, fault);
    bool differs = !rc && htmt__event_digest_differs(&digest);
    if (!rc && !differs)
        rc = compare_ends(c, v, &rerun, r);
    c->destroy(c->user, &rerun);
    if (differs)
        rc = find_first(c, &digest, r, fault);
    if (differs && !rc) {
        char what[320];
        snprintf(what, sizeof what, "first in event %s, %s", htmt__format_count(r->number).s,
                 r->differing);
        rc = differ(v, what, r);
    }
    htmt__event_digest_clear(&digest);
    return rc;
}

/* Its events are compared by the hash over all of them. */
static int compare_windows(const struct htmt__comparison *c, const struct htmt__variant *v,
                           struct htmt_determinism_report *r, struct htmt_fault *fault)
{
    struct htmt__rerun rerun = {.emulator = NULL};
    int rc = c->run(c->user, v, NULL, &rerun, fault);
    if (!rc)
        rc = compare_ends(c, v, &rerun, r);
    c->destroy(c->user, &rerun);
    r->runs++;
    return rc;
}

const char *htmt__comparison_way(const struct htmt_determinism_report *r)
{
    return r->runs > HTMT_DETERMINISM_RUNS + 1 ? "windows on two threads" : "windows";
}

int htmt__comparison_make(const struct htmt__comparison *c, struct htmt_determinism_report *report,
                          struct htmt_fault *fault)
{
    *report = (struct htmt_determinism_report){.equal = true, .events = c->recorded->events};
    int rc = 0;
    for (; report->runs < HTMT_DETERMINISM_RUNS && !rc; report->runs++)
        rc = compare_run(c, &variants[report->runs], report, fault);
    for (unsigned i = 0; c->windows && i < BY_WINDOWS && !rc; i++)
        rc = compare_windows(c, &by_windows[i], report, fault);
    return rc;
}
