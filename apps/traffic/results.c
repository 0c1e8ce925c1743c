/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Latencies of a run, and the least period that a network sustains.
 *
 * The least period is found by emulation: 32 iterations with a period that is tried. It is
 * sustained if no iteration of the second half takes longer than those of the second quarter;
 * otherwise messages queue up, and each iteration waits for more of them. Iterations as far apart
 * as one takes alone do not meet, so this period is sustained; bisection from there costs some
 * twelve emulations for a part in 2000.
 */
#include "apps/traffic/results.h"

#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdio.h>

typedef const struct htmt__traffic_plan plan;
typedef const struct htmt__traffic_program program;

/* ---- ranges ---------------------------------------------------------------------------------- */

static void take(struct htmt__traffic_range *r, htmt_time t)
{
    r->least = !r->count || t < r->least ? t : r->least;
    r->most = !r->count || t > r->most ? t : r->most;
    r->mean += ((double)t - r->mean) / (double)++r->count;
}

htmt_time htmt__traffic_iteration(plan *p, program *g, uint64_t i, htmt_time *began)
{
    htmt_time first = HTMT_TIME_MAX, last = -1;
    for (uint32_t n = 0; n < p->table.nodes; n++) {
        htmt_time begin = htmt__traffic_began(g, n, i), end = htmt__traffic_ended(g, n, i);
        if (!p->table.node[n].count)
            continue;
        if (end < 0)
            return -1;
        last = end > last ? end : last;
        if (htmt__traffic_begins(&p->table, n) && begin < first)
            first = begin;
    }
    *began = first < HTMT_TIME_MAX ? first : 0;
    return last;
}

/* ---- times ----------------------------------------------------------------------------------- */

struct htmt__traffic_results htmt__traffic_results_of(plan *p, program *g)
{
    struct htmt__traffic_results r = {.apart = -1};
    const uint64_t half = p->iterations / 2;
    htmt_time began = 0, middle = -1, end = -1;
    for (uint64_t i = 0; i < p->kept; i++)
        for (uint32_t m = 0; m < p->table.messages; m++) {
            htmt_time sent = htmt__traffic_sent(g, m, i), came = htmt__traffic_came(g, m, i);
            if (sent >= 0 && came >= 0)
                take(&r.message, came - sent);
        }
    for (uint64_t i = 0; i < p->iterations; i++) {
        end = htmt__traffic_iteration(p, g, i, &began);
        if (end < 0)
            return r;
        take(&r.iteration, end - began);
        if (i == half)
            middle = end;
    }
    if (p->iterations >= 4)
        r.apart = (double)(end - middle) / (double)(p->iterations - 1 - half);
    return r;
}

/* ---- the least period ------------------------------------------------------------------------ */

#define TRIED      32    /* iterations of a period that is tried */
#define TRIES_MOST 24    /* halves of the interval */
#define PRECISION  2000  /* the interval's share at which the search ends */
#define LARGE      20000 /* messages of an iteration, of tables that are not tried */

/* A period of all sources, and whether iterations of it take longer and longer. */
struct trial {
    const struct htmt_machine *m;
    struct htmt__traffic_plan plan;
    htmt_time first; /* latency of the first iteration */
    bool sustained, failed;
};

/* The longest latency of some iterations; -1: one has not ended. */
static htmt_time longest(plan *p, program *g, uint64_t from, uint64_t to)
{
    htmt_time most = 0;
    for (uint64_t i = from; i < to; i++) {
        htmt_time began = 0, end = htmt__traffic_iteration(p, g, i, &began);
        if (end < 0)
            return -1;
        most = end - began > most ? end - began : most;
    }
    return most;
}

static void try(struct trial *t, htmt_time period)
{
    plan *p = &t->plan;
    struct htmt_options options = {
        .machine = t->m, .slices = p->table.nodes, .mode = HTMT_MODEL, .threads = 1};
    struct htmt__traffic_program_desc desc = {.table = &p->table,
                                              .layer = p->layer,
                                              .network = p->network,
                                              .iterations = TRIED,
                                              .buffers = 1};
    struct htmt__traffic_program *g = NULL;
    struct htmt_emulator *e = NULL;
    for (uint32_t i = 0; i < p->table.nodes; i++)
        if (p->table.node[i].sends && !htmt__traffic_waits(&p->table, i))
            t->plan.table.node[i].period = period;
    t->failed = true;
    if (htmt_emulator_create(&e, &options, NULL))
        return;
    if (!htmt__traffic_program_create(e, &desc, &g, NULL) && !htmt_emulator_run(e)) {
        htmt_time before = longest(p, g, TRIED / 4, TRIED / 2);
        htmt_time after = longest(p, g, TRIED / 2, TRIED);
        t->first = longest(p, g, 0, 1);
        t->failed = after < 0;
        t->sustained = after <= before;
    }
    htmt_emulator_destroy(&e);
    htmt__traffic_program_destroy(&g);
}

htmt_time htmt__traffic_least_period(const struct htmt_machine *m,
                                     const struct htmt__traffic_settings *s)
{
    struct htmt__traffic_settings other = *s;
    struct trial t = {.m = m};
    htmt_time low = 0, high;
    other.iterations = TRIED;
    if (htmt__traffic_plan(m, &other, false, &t.plan, NULL))
        return -1;
    t.plan.kept = 0;
    t.failed = t.plan.requests > LARGE;
    if (!t.failed)
        try(&t, HTMT_SECOND);
    high = t.first; /* the latency of an iteration alone */
    if (!t.failed)
        try(&t, high);
    t.failed = t.failed || !t.sustained;
    for (int i = 0; i < TRIES_MOST && !t.failed && high - low > high / PRECISION; i++) {
        htmt_time middle = low + (high - low) / 2;
        try(&t, middle);
        *(t.sustained ? &high : &low) = middle;
    }
    htmt__traffic_plan_clear(&t.plan);
    return t.failed ? -1 : high;
}

/* ---- a file ---------------------------------------------------------------------------------- */

int htmt__traffic_write_times(const char *path, plan *p, program *g, struct htmt_fault *fault)
{
    struct htmt_whole_file *f = NULL;
    int rc = htmt_whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(f);
    fprintf(out, "what,iteration,source,target,index,bytes,began_fs,ended_fs\n");
    for (uint64_t i = 0; i < p->iterations; i++) {
        htmt_time began = 0, end = htmt__traffic_iteration(p, g, i, &began);
        fprintf(out, "iteration,%" PRIu64 ",,,,,%" PRId64 ",%" PRId64 "\n", i, began, end);
        for (uint32_t n = 0; n < p->table.messages && i < p->kept; n++) {
            const struct htmt__traffic_message *m = &p->table.message[n];
            fprintf(out,
                    "message,%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRId64
                    ",%" PRId64 "\n",
                    i, m->source, m->target, m->index, m->bytes, htmt__traffic_sent(g, n, i),
                    htmt__traffic_came(g, n, i));
        }
    }
    return htmt_whole_file_commit(&f, fault);
}
