/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The determinism check of programs that drive their emulators themselves. The comparison makes the
 * runs (emul/lib/questions/comparison.h); here each run creates the program's emulator with the
 * options that the comparison wants, and observers of its own that pass everything on to the
 * program's.
 */
#include "emul/lib/questions/comparison.h"
#include "emul/lib/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct program {
    const struct htmt_determinism_desc *desc;
    struct htmt_options options;       /* the program's, as this library knows them */
    struct htmt__event_digest *digest; /* of this run; NULL: nobody observes it */
};

static void observe(void *user, const struct htmt_event *event)
{
    const struct program *p = user;
    htmt__event_digest_add(p->digest, event);
    if (p->options.observe)
        p->options.observe(p->options.user, event);
}

static void progress(void *user, htmt_time now, uint64_t events)
{
    const struct program *p = user;
    p->options.progress(p->options.user, now, events);
}

static bool asked_to_end(const struct program *p)
{
    return p->options.cancelled && p->options.cancelled(p->options.user);
}

static bool cancelled(void *user)
{
    const struct program *p = user;
    return (p->digest && htmt__event_digest_full(p->digest)) || asked_to_end(p);
}

static int run(void *user, const struct htmt__variant *variant, struct htmt__event_digest *digest,
               struct htmt__rerun *rerun, struct htmt_fault *fault)
{
    struct program *p = user;
    const struct htmt_determinism_desc *desc = p->desc;
    struct htmt_options options = p->options;
    p->digest = digest;
    htmt__variant_set(variant, &options);
    options.observe = digest ? observe : NULL;
    options.progress = options.progress ? progress : NULL;
    options.cancelled = cancelled;
    options.user = p;
    int rc = htmt_emulator_create(&rerun->emulator, &options, fault);
    if (rc)
        return rc;
    rc = desc->create(rerun->emulator, desc->user);
    if (!rc)
        rc = htmt_emulator_run(rerun->emulator);
    if (digest && digest->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (asked_to_end(p))
        return htmt_fault_set(fault, HTMT_ECANCELLED, "interrupted while comparing runs");
    if (rc && digest && htmt__event_digest_full(digest))
        return 0;
    if (rc) {
        const char *line = rerun->emulator ? htmt_emulator_fault(rerun->emulator)->text : "";
        return htmt_fault_set(fault, rc, "%s", *line ? line : htmt_strerror(rc));
    }
    rerun->result[0] = desc->result ? desc->result(rerun->emulator, desc->user) : 0;
    return 0;
}

static void destroy(void *user, struct htmt__rerun *rerun)
{
    const struct htmt_determinism_desc *desc = ((const struct program *)user)->desc;
    bool created = rerun->emulator != NULL;
    htmt_emulator_destroy(&rerun->emulator);
    if (created && desc->destroy)
        desc->destroy(desc->user);
}

static const char *plural(uint32_t threads)
{
    return threads == 1 ? "thread" : "threads";
}

/* Puts before what differs which runs differ. */
static int name_runs(const struct program *p, struct htmt_determinism_report *r,
                     struct htmt_fault *fault)
{
    char what[400]; /* at least as long as the comparison makes it */
    uint32_t first = p->options.threads ? p->options.threads : 1;
    snprintf(what, sizeof what, "%.399s", r->difference);
    if (!r->threads)
        snprintf(r->difference, sizeof r->difference,
                 "runs by the sequential clock and by %s differ: %s", htmt__comparison_way(r),
                 what);
    else
        snprintf(r->difference, sizeof r->difference,
                 "runs with %" PRIu32 " %s and with %" PRIu32 " %s and delays (seed %" PRIu64
                 ") differ: %s",
                 first, plural(first), r->threads, plural(r->threads), r->delay_seed, what);
    return htmt_fault_set(fault, HTMT_ENONDET, "%s", r->difference);
}

static const char *fault_of(const struct htmt_determinism_desc *desc,
                            const struct htmt_determinism_report *report)
{
    if (!desc || !report)
        return desc ? "no place for the report (NULL)" : "no description (NULL)";
    if (desc->size > sizeof *desc)
        return "a description that was built for a newer libhtmt";
    if (!desc->options || !desc->create)
        return desc->options ? "no function that creates the program (NULL)" : "no options (NULL)";
    return NULL;
}

int htmt_determinism_check(const struct htmt_determinism_desc *desc,
                           struct htmt_determinism_report *report, struct htmt_fault *fault)
{
    const char *text = fault_of(desc, report);
    if (text)
        return htmt_fault_set(fault, HTMT_EINVAL, "htmt_determinism_check(): %s", text);

    /* What an older program lacks is zero. Options of a newer one are refused with the first
     * emulator. */
    struct program p = {.desc = desc};
    size_t size = desc->options->size ? desc->options->size : sizeof p.options;
    memcpy(&p.options, desc->options, size < sizeof p.options ? size : sizeof p.options);
    p.options.size = size < sizeof p.options ? sizeof p.options : size;

    struct htmt__comparison c = {.windows = htmt__comparison_has_windows(&p.options),
                                 .result_name = "the digest of the results",
                                 .run = run,
                                 .destroy = destroy,
                                 .user = &p};
    struct htmt__rerun first = {.emulator = NULL};
    struct htmt__event_digest digest;
    if (htmt__event_digest_record(&digest, HTMT__EVENT_DIGEST_MARKS))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to compare the runs");
    c.recorded = &digest;
    *report = (struct htmt_determinism_report){.equal = true};
    int rc = run(&p, NULL, &digest, &first, fault); /* its events are recorded */
    c.predicted = htmt_predicted(first.emulator);
    c.history_hash = htmt_history_hash(first.emulator);
    c.result[0] = first.result[0];
    destroy(&p, &first);
    if (!rc)
        rc = htmt__comparison_make(&c, report, fault);
    htmt__event_digest_clear(&digest);
    return rc == HTMT_ENONDET && !report->equal ? name_runs(&p, report, fault) : rc;
}

int htmt_determinism_print(const struct htmt_determinism_report *report, FILE *out)
{
    if (!report || !out)
        return HTMT_EINVAL;
    htmt__report_determinism(report, report->difference, out);
    return ferror(out) ? HTMT_EIO : 0;
}
