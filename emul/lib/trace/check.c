/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one block cannot tell: that the intervals of all blocks agree with each other and with the
 * footer. The reader has checked all else when it decoded a block. Blocks are read in the order of
 * slice and number, so that the levels of memories can be followed from block to block.
 *
 * The sums are the strongest test, since the run counted them on its own, interval by interval as
 * it was played, and the recorder wrote the intervals elsewhere: an interval that is lost, twice
 * there, or off by a femtosecond makes a difference. A slice that stands for many counts as many
 * times. What a filter has left out cannot be told from what is lost, so of a filtered trace
 * neither sums nor levels are compared.
 */
#include "emul/lib/trace/check.h"

#include "emul/lib/trace/file.h"
#include "parcels/observe/digits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    struct htmt_trace *t;
    const struct htmt_trace_info *info;
    struct htmt_fault *fault;
    struct sums {
        htmt_wide busy, paused, waited;
    } * resource;
    htmt_wide *stalled;          /* by layer */
    uint64_t *level;             /* of the slice whose blocks are read */
    uint32_t slice;              /* UINT32_MAX: none yet */
    struct htmt_trace_block all; /* the block that is checked */
};

__attribute__((format(printf, 2, 3))) static int differ(const struct checker *c, const char *format,
                                                        ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return htmt_fault_set(c->fault, HTMT_EWRONG, "%s: %s", c->t->path, text);
}

/* ---- intervals ------------------------------------------------------------------------------ */

/* It leads to another interval of the trace, which ends by that time. The times of intervals of
 * other blocks are not looked at. */
static int check_ref(const struct checker *c, uint32_t n, htmt_trace_ref ref, htmt_time by,
                     const char *what)
{
    uint64_t index, first = htmt_trace_ref_of(c->all.slice, c->all.first);
    if (ref == HTMT_TRACE_NONE)
        return 0;
    bool is_here = ref >= first && ref - first < c->all.count;
    if (is_here && ref - first != n && c->all.interval[ref - first].end > by)
        return differ(c,
                      "slice %" PRIu32 ", interval %" PRIu64 ": its %s, interval %" PRIu64
                      ", ends at %" PRId64 " fs, expected at most %" PRId64 " fs",
                      c->all.slice, c->all.first + n, what, htmt_trace_ref_number(ref),
                      c->all.interval[ref - first].end, by);
    if (is_here ? ref - first != n : htmt_trace_block_of(c->t, ref, &index) == 0)
        return 0;
    return differ(c,
                  "slice %" PRIu32 ", interval %" PRIu64 ": its %s is interval %" PRIu64
                  " of slice %" PRIu32 ", expected another interval of the trace",
                  c->all.slice, c->all.first + n, what, htmt_trace_ref_number(ref),
                  htmt_trace_ref_slice(ref));
}

/* The run's account has a service when it ends, a wait as far as it came. */
static int check_intervals(struct checker *c)
{
    int rc = 0;
    for (uint32_t n = 0; n < c->all.count && !rc; n++) {
        const struct htmt_trace_interval *i = &c->all.interval[n];
        const struct htmt_trace_step *step = &c->info->step[i->step];
        if (step->place == HTMT_TRACE_STALLED)
            c->stalled[step->layer] += i->wait;
        if (step->place <= HTMT_TRACE_RECEIVED) {
            c->resource[step->resource].busy += i->open ? 0 : i->service;
            c->resource[step->resource].waited += i->wait;
        }
        if (step->place == HTMT_TRACE_PAUSED)
            c->resource[step->resource].paused += i->open ? 0 : i->service;
        rc = check_ref(c, n, i->cause, i->end, "cause");
        if (!rc)
            rc = check_ref(c, n, i->line, i->end - i->service, "end of the wait");
        if (!rc && step->place == HTMT_TRACE_SECTION && i->serial >= c->info->sections)
            rc = differ(c,
                        "slice %" PRIu32 ", interval %" PRIu64 ": found section %" PRIu64
                        ", expected one of %" PRIu32,
                        c->all.slice, c->all.first + n, i->serial, c->info->sections);
    }
    return rc;
}

/* What a memory holds at the begin is what the block before left in it; it never overflows. */
static int check_samples(struct checker *c)
{
    for (uint32_t l = 0; l < c->info->layers; l++)
        if (c->slice == c->all.slice && c->level[l] != c->all.level[l] && !c->info->filtered)
            return differ(c,
                          "slice %" PRIu32 ", interval %" PRIu64 ": %s begins with %" PRIu64
                          " words, expected %" PRIu64 " as the block before leaves them",
                          c->all.slice, c->all.first, c->info->layer[l].memory, c->all.level[l],
                          c->level[l]);
    memcpy(c->level, c->all.level, c->info->layers * sizeof *c->level);
    c->slice = c->all.slice;
    int rc = 0;
    for (uint32_t n = 0; n < c->all.samples && !rc; n++) {
        const struct htmt_trace_sample *s = &c->all.sample[n];
        c->level[s->layer] = s->words;
        if (s->words > c->info->layer[s->layer].capacity)
            rc = differ(c,
                        "slice %" PRIu32 " at %" PRId64 " fs: %" PRIu64
                        " words in %s, expected at most %" PRIu64,
                        c->slice, s->at, s->words, c->info->layer[s->layer].memory,
                        c->info->layer[s->layer].capacity);
    }
    return rc;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static int compare(const struct checker *c, const char *what, const char *name,
                   const struct htmt_trace_places *places, htmt_wide found, htmt_wide expected)
{
    htmt_wide all = found * places->stands_for;
    if (all == expected)
        return 0;
    return differ(c, "%s of %s: the intervals have %s fs, expected %s fs as the footer says", what,
                  name, htmt__digits(all).s, htmt__digits(expected).s);
}

/* ---- ports ---------------------------------------------------------------------------------- */

static int compare_port_times(const struct htmt_trace *t, const char *port, const char *what,
                              htmt_wide found, htmt_wide expected, struct htmt_fault *fault)
{
    if (found == expected)
        return 0;
    return htmt_fault_set(fault, HTMT_EWRONG,
                          "%s: time %s of port %s: the intervals have %s fs, expected %s fs as the "
                          "footer says",
                          t->path, what, port, htmt__digits(found).s, htmt__digits(expected).s);
}

/* Sums of the ports' intervals are those of the run. The lanes of a port count as one. */
static int check_ports(struct htmt_trace *t, struct htmt_fault *fault)
{
    struct htmt__trace_port_interval *all = NULL;
    int rc = htmt__trace_ports_read(t, &all, fault);
    struct htmt__trace_port_sums *sums = calloc((size_t)t->ports.ports + 1, sizeof *sums);
    if (!rc && !sums)
        rc = htmt__trace_out_of_memory(t, fault);
    for (uint64_t i = 0; i < t->ports.intervals && !rc; i++) {
        const struct htmt__trace_inside *in = htmt__trace_inside_of(t, all[i].port);
        struct htmt__trace_port_sums *s = &sums[in->first + (all[i].port - in->first) / in->lanes];
        htmt_wide *const of[] = {&s->busy, &s->blocked, &s->waiting, &s->queued};
        *of[all[i].state] += all[i].end - all[i].begin;
    }
    for (uint32_t n = 0; n < t->ports.insides && !rc && !t->info.filtered; n++) {
        const struct htmt__trace_inside *in = &t->ports.inside[n];
        for (uint32_t i = 0; i < in->channels * in->planes && !rc; i++) {
            const struct htmt__trace_port_sums *found = &sums[in->first + i], *run = &in->sums[i];
            const char *name = in->channel[i % in->channels].name;
            /* Lanes share a wire, which is busy for their work: some goes on while one is blocked.
             */
            if (in->lanes == 1 || found->busy + found->blocked < run->busy)
                rc = compare_port_times(t, name, "busy", found->busy, run->busy, fault);
            if (!rc)
                rc = compare_port_times(t, name, "blocked", found->blocked, run->blocked, fault);
            if (!rc)
                rc = compare_port_times(t, name, "waiting", found->waiting, run->waiting, fault);
            if (!rc)
                rc = compare_port_times(t, name, "queued", found->queued, run->queued, fault);
        }
    }
    free(sums);
    free(all);
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------ */

int htmt__trace_check(struct htmt_trace *t, struct htmt_fault *fault)
{
    const struct htmt_trace_info *info = &t->info;
    struct checker c = {.t = t, .info = info, .fault = fault, .slice = UINT32_MAX};
    uint64_t index;
    int rc = 0;
    c.resource = calloc((size_t)info->resources + 1, sizeof *c.resource);
    c.stalled = calloc((size_t)info->layers + 1, sizeof *c.stalled);
    c.level = calloc((size_t)info->layers + 1, sizeof *c.level);
    if (!c.resource || !c.stalled || !c.level)
        rc = htmt__trace_out_of_memory(t, fault);
    else if (info->last != HTMT_TRACE_NONE && htmt_trace_block_of(t, info->last, &index))
        rc = differ(
            &c, "the last interval is %" PRIu64 " of slice %" PRIu32 ", expected one of the trace",
            htmt_trace_ref_number(info->last), htmt_trace_ref_slice(info->last));
    for (uint64_t i = 0; i < info->blocks && !rc; i++) {
        if (!(rc = htmt_trace_block_sorted(t, i, &index)) &&
            !(rc = htmt_trace_block_read(t, index, &c.all, fault)) && !(rc = check_samples(&c)))
            rc = check_intervals(&c);
        if (!rc && info->complete && c.all.to > info->end)
            rc = differ(&c,
                        "slice %" PRIu32 ": found an interval that ends at %" PRId64
                        " fs, expected none after the run's end at %" PRId64 " fs",
                        c.all.slice, c.all.to, info->end);
    }
    for (uint32_t i = 0; i < info->resources && !rc && !info->filtered; i++) {
        const struct htmt_trace_resource *r = &info->resource[i];
        rc = compare(&c, "busy time", r->name, &r->places, c.resource[i].busy, r->inside);
        if (!rc)
            rc = compare(&c, "time paused", r->name, &r->places, c.resource[i].paused,
                         htmt__trace_paused(t, i));
        if (!rc)
            rc = compare(&c, "time waited", r->name, &r->places, c.resource[i].waited, r->waited);
        /* Threads share an issue port, which is busy for no longer than they are inside. */
        if (!rc && r->busy > r->inside)
            rc = differ(&c,
                        "busy time of %s: found %s fs, expected at most the %s fs of its threads",
                        r->name, htmt__digits(r->busy).s, htmt__digits(r->inside).s);
    }
    for (uint32_t l = 0; l < info->layers && !rc && !info->filtered; l++)
        rc = compare(&c, "time stalled", info->layer[l].memory, &info->layer[l].places,
                     c.stalled[l], info->layer[l].stalled);
    if (!rc)
        rc = check_ports(t, fault);
    htmt_trace_block_clear(&c.all);
    free(c.level);
    free(c.stalled);
    free(c.resource);
    return rc;
}
