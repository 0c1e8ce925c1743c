/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The determinism check of programs that drive their emulators themselves.
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

/* ---- observers ------------------------------------------------------------------------------- */

static void observe(void *user, const struct htmt_event *event)
{
    const struct program *p = user;
    const struct htmt_options *options = &p->options;
    htmt__event_digest_add(p->digest, event);
    if (options->observe)
        options->observe(options->user, event);
}

static void progress(void *user, htmt_time now, uint64_t events)
{
    const struct htmt_options *options = &((const struct program *)user)->options;
    options->progress(options->user, now, events);
}

static bool asked_to_end(const struct program *p)
{
    const struct htmt_options *options = &p->options;
    return options->cancelled && options->cancelled(options->user);
}

static bool cancelled(void *user)
{
    const struct program *p = user;
    return (p->digest && htmt__event_digest_full(p->digest)) || asked_to_end(p);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int end(int rc, const struct htmt_emulator *e, struct htmt_fault *fault)
{
    const char *line = e ? htmt_emulator_fault(e)->text : "";
    return htmt_fault_set(fault, rc, "%s", *line ? line : htmt_strerror(rc));
}

static int emulate(struct program *p, struct htmt__rerun *rerun, struct htmt_fault *fault)
{
    const struct htmt_determinism_desc *desc = p->desc;
    int rc = desc->create(rerun->emulator, desc->user);
    if (!rc)
        rc = htmt_emulator_run(rerun->emulator);
    if (p->digest && p->digest->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to compare the runs");
    if (asked_to_end(p))
        return htmt_fault_set(fault, HTMT_ECANCELLED, "interrupted while comparing runs");
    if (rc && p->digest && htmt__event_digest_full(p->digest))
        return 0;
    if (rc)
        return end(rc, rerun->emulator, fault);
    rerun->result[0] = desc->result ? desc->result(rerun->emulator, desc->user) : 0;
    return 0;
}

static int run(void *user, const struct htmt__variant *variant, struct htmt__event_digest *digest,
               struct htmt__rerun *rerun, struct htmt_fault *fault)
{
    struct program *p = user;
    struct htmt_options options = p->options;
    p->digest = digest;
    htmt__variant_set(variant, &options);
    options.observe = digest ? observe : NULL;
    options.progress = options.progress ? progress : NULL;
    options.cancelled = cancelled;
    options.user = p;
    int rc = htmt_emulator_create(&rerun->emulator, &options, fault);
    return rc ? rc : emulate(p, rerun, fault);
}

static void destroy(void *user, struct htmt__rerun *rerun)
{
    const struct htmt_determinism_desc *desc = ((const struct program *)user)->desc;
    bool created = rerun->emulator != NULL;
    htmt_emulator_destroy(&rerun->emulator);
    if (created && desc->destroy)
        desc->destroy(desc->user);
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* The first run: its events are recorded. */
static int record(struct htmt__comparison *c, struct htmt__event_digest *digest,
                  struct htmt_fault *fault)
{
    struct htmt__rerun first = {.emulator = NULL};
    int rc = run(c->user, NULL, digest, &first, fault);
    c->predicted = htmt_predicted(first.emulator);
    c->history_hash = htmt_history_hash(first.emulator);
    c->result[0] = first.result[0];
    destroy(c->user, &first);
    return rc;
}

static const char *plural(uint32_t threads)
{
    return threads == 1 ? "thread" : "threads";
}

/* The first words of the line; their length. */
static int name_runs(const struct program *p, struct htmt_determinism_report *r)
{
    uint32_t first = p->options.threads ? p->options.threads : 1;
    if (!r->threads)
        return snprintf(r->difference, sizeof r->difference,
                        "runs by the sequential clock and by %s differ: ", htmt__comparison_way(r));
    return snprintf(r->difference, sizeof r->difference,
                    "runs with %" PRIu32 " %s and with %" PRIu32 " %s and delays (seed %" PRIu64
                    ") differ: ",
                    first, plural(first), r->threads, plural(r->threads), r->delay_seed);
}

static int say(const struct program *p, struct htmt_determinism_report *r, struct htmt_fault *fault)
{
    char what[400]; /* at least as long as the comparison makes it */
    snprintf(what, sizeof what, "%.399s", r->difference);
    int length = name_runs(p, r);
    snprintf(r->difference + length, sizeof r->difference - (size_t)length, "%s", what);
    return htmt_fault_set(fault, HTMT_ENONDET, "%s", r->difference);
}

static int compare(struct htmt__comparison *c, struct htmt_determinism_report *report,
                   struct htmt_fault *fault)
{
    struct htmt__event_digest digest;
    if (htmt__event_digest_record(&digest, HTMT__EVENT_DIGEST_MARKS))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to compare the runs");
    c->recorded = &digest;
    *report = (struct htmt_determinism_report){.equal = true};
    int rc = record(c, &digest, fault);
    if (!rc)
        rc = htmt__comparison_make(c, report, fault);
    htmt__event_digest_clear(&digest);
    return rc == HTMT_ENONDET && !report->equal ? say(c->user, report, fault) : rc;
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

/* What an older program lacks is zero. Options of a newer one are refused with the first emulator.
 */
static struct htmt_options whole(const struct htmt_options *given)
{
    struct htmt_options o = {.size = 0};
    size_t size = given->size ? given->size : sizeof o;
    memcpy(&o, given, size < sizeof o ? size : sizeof o);
    o.size = size < sizeof o ? sizeof o : size;
    return o;
}

int htmt_determinism_check(const struct htmt_determinism_desc *desc,
                           struct htmt_determinism_report *report, struct htmt_fault *fault)
{
    const char *text = fault_of(desc, report);
    if (text)
        return htmt_fault_set(fault, HTMT_EINVAL, "htmt_determinism_check(): %s", text);
    struct program p = {.desc = desc, .options = whole(desc->options)};
    struct htmt__comparison c = {.windows = htmt__comparison_has_windows(&p.options),
                                 .result_name = "the digest of the results",
                                 .run = run,
                                 .destroy = destroy,
                                 .user = &p};
    return compare(&c, report, fault);
}

int htmt_determinism_print(const struct htmt_determinism_report *report, FILE *out)
{
    if (!report || !out)
        return HTMT_EINVAL;
    htmt__report_determinism(report, report->difference, out);
    return ferror(out) ? HTMT_EIO : 0;
}
