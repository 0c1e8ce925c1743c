/* SPDX-License-Identifier: BSD-3-Clause */
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

static void take_iterations(plan *p, program *g, struct htmt__traffic_results *r)
{
    uint64_t half = p->iterations / 2;
    htmt_time began = 0, middle = -1, end = -1;
    for (uint64_t i = 0; i < p->iterations; i++) {
        end = htmt__traffic_iteration(p, g, i, &began);
        if (end < 0)
            return;
        take(&r->iteration, end - began);
        if (i == half)
            middle = end;
    }
    if (p->iterations >= 4)
        r->apart = (double)(end - middle) / (double)(p->iterations - 1 - half);
}

struct htmt__traffic_results htmt__traffic_results_of(plan *p, program *g)
{
    struct htmt__traffic_results r = {.apart = -1};
    for (uint64_t i = 0; i < p->kept; i++)
        for (uint32_t m = 0; m < p->table.messages; m++) {
            htmt_time sent = htmt__traffic_sent(g, m, i), came = htmt__traffic_came(g, m, i);
            if (sent >= 0 && came >= 0)
                take(&r.message, came - sent);
        }
    take_iterations(p, g, &r);
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

static void set_period(struct htmt__traffic_table *t, htmt_time period)
{
    for (uint32_t i = 0; i < t->nodes; i++)
        if (t->node[i].sends && !htmt__traffic_waits(t, i))
            t->node[i].period = period;
}

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

static void judge(struct trial *t, program *g)
{
    htmt_time before = longest(&t->plan, g, TRIED / 4, TRIED / 2);
    htmt_time after = longest(&t->plan, g, TRIED / 2, TRIED);
    t->first = longest(&t->plan, g, 0, 1);
    t->failed = after < 0;
    t->sustained = after <= before;
}

static void try(struct trial *t, htmt_time period)
{
    plan *p = &t->plan;
    struct htmt_options options = {
        .machine = t->m, .slices = p->table.nodes, .mode = HTMT_MODEL, .threads = 1};
    struct htmt__traffic_program_desc desc = {&p->table, p->layer, p->network, TRIED, 0};
    struct htmt__traffic_program *g = NULL;
    struct htmt_emulator *e = NULL;
    set_period(&t->plan.table, period);
    t->failed = true;
    if (htmt_emulator_create(&e, &options, NULL))
        return;
    if (!htmt__traffic_program_create(e, &desc, &g, NULL) && !htmt_emulator_run(e))
        judge(t, g);
    htmt_emulator_destroy(&e);
    htmt__traffic_program_destroy(&g);
}

/* The least period of an interval whose end is sustained. */
static htmt_time search(struct trial *t, htmt_time low, htmt_time high)
{
    for (int i = 0; i < TRIES_MOST && !t->failed && high - low > high / PRECISION; i++) {
        htmt_time middle = low + (high - low) / 2;
        try(t, middle);
        if (t->sustained)
            high = middle;
        else
            low = middle;
    }
    return t->failed ? -1 : high;
}

/* Iterations as far apart as one takes alone do not meet. */
static htmt_time find(struct trial *t)
{
    try(t, HTMT_SECOND);
    htmt_time alone = t->first;
    if (!t->failed)
        try(t, alone);
    return t->failed || !t->sustained ? -1 : search(t, 0, alone);
}

htmt_time htmt__traffic_least_period(const struct htmt_machine *m,
                                     const struct htmt__traffic_settings *s)
{
    struct htmt__traffic_settings other = *s;
    struct trial t = {.m = m};
    htmt_time least = -1;
    other.iterations = TRIED;
    if (htmt__traffic_plan(m, &other, false, &t.plan, NULL))
        return -1;
    t.plan.kept = 0;
    if (t.plan.requests <= LARGE)
        least = find(&t);
    htmt__traffic_plan_clear(&t.plan);
    return least;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static void write_messages(FILE *out, plan *p, program *g, uint64_t i)
{
    for (uint32_t n = 0; n < p->table.messages && i < p->kept; n++) {
        const struct htmt__traffic_message *m = &p->table.message[n];
        fprintf(out,
                "message,%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRId64
                ",%" PRId64 "\n",
                i, m->source, m->target, m->index, m->bytes, htmt__traffic_sent(g, n, i),
                htmt__traffic_came(g, n, i));
    }
}

static void write_all(FILE *out, plan *p, program *g)
{
    fprintf(out, "what,iteration,source,target,index,bytes,began_fs,ended_fs\n");
    for (uint64_t i = 0; i < p->iterations; i++) {
        htmt_time began = 0, end = htmt__traffic_iteration(p, g, i, &began);
        fprintf(out, "iteration,%" PRIu64 ",,,,,%" PRId64 ",%" PRId64 "\n", i, began, end);
        write_messages(out, p, g, i);
    }
}

int htmt__traffic_write_times(const char *path, plan *p, program *g, struct htmt_fault *fault)
{
    struct htmt_whole_file *f = NULL;
    int rc = htmt_whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    write_all(htmt_whole_file_stream(f), p, g);
    return htmt_whole_file_commit(&f, fault);
}
