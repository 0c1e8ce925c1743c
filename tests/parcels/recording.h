/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of recordings: a trace in memory, and what its intervals add up to.
 */
#ifndef HTMT_TESTS_PARCELS_RECORDING_H
#define HTMT_TESTS_PARCELS_RECORDING_H

#include "emul/trace/htmt_trace.h"
#include "tests/parcels/program.h"

#include <unistd.h>

#define TRACE_SLICES 8

struct trace {
    struct htmt_trace *t;
    const struct htmt_trace_info *info;
    struct htmt_trace_interval *of[TRACE_SLICES]; /* of each slice */
    uint64_t count[TRACE_SLICES];
    uint64_t samples;
};

static inline void trace_path(char path[64])
{
    static unsigned number;
    snprintf(path, 64, "/tmp/htmt-recording-%ld-%u.trace", (long)getpid(), number++);
}

static inline void trace_append(struct trace *t, const struct htmt_trace_block *b)
{
    uint64_t *count = &t->count[b->slice];
    cr_assert_lt(b->slice, TRACE_SLICES);
    cr_assert_eq(b->first, *count, "slice %u", b->slice);
    t->of[b->slice] = realloc(t->of[b->slice], (*count + b->count + 1) * sizeof **t->of);
    memcpy(t->of[b->slice] + *count, b->interval, b->count * sizeof **t->of);
    *count += b->count;
    t->samples += b->samples;
}

/* Reads the file and removes it. */
static inline struct trace trace_read(const char *path)
{
    struct trace t = {0};
    struct htmt_trace_block b = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_trace_open(&t.t, path, &fault), 0, "%s", fault.text);
    t.info = htmt_trace_info(t.t);
    for (uint64_t i = 0; i < t.info->blocks; i++) {
        cr_assert_eq(htmt_trace_block_read(t.t, i, &b, &fault), 0, "%s", fault.text);
        trace_append(&t, &b);
    }
    htmt_trace_block_clear(&b);
    unlink(path);
    return t;
}

static inline void trace_close(struct trace *t)
{
    for (unsigned i = 0; i < TRACE_SLICES; i++)
        free(t->of[i]);
    htmt_trace_close(&t->t);
}

static inline const struct htmt_trace_interval *trace_at(const struct trace *t, htmt_trace_ref ref)
{
    uint32_t slice = htmt_trace_ref_slice(ref);
    uint64_t number = htmt_trace_ref_number(ref);
    cr_assert(slice < TRACE_SLICES && number < t->count[slice], "no interval %u %llu", slice,
              (unsigned long long)number);
    return &t->of[slice][number];
}

/* Sums of services and waits of a resource; of waits for words of a layer. */
struct trace_sums {
    htmt_wide busy[64], waited[64], stalled[HTMT_LAYERS_MAX];
};

static inline void trace_add(const struct trace *t, const struct htmt_trace_interval *i,
                             struct trace_sums *sums)
{
    const struct htmt_trace_step *step = &t->info->step[i->step];
    if (step->place == HTMT_TRACE_STALLED)
        sums->stalled[step->layer] += i->wait;
    if (step->resource == UINT32_MAX)
        return;
    sums->waited[step->resource] += i->wait;
    sums->busy[step->resource] += i->open || step->place == HTMT_TRACE_PAUSED ? 0 : i->service;
}

/* To the femtosecond what the emulator reports. */
static inline void trace_sums_equal(const struct trace *t, const struct htmt_emulator *e)
{
    struct trace_sums sums = {0};
    struct htmt_resource_report r;
    struct htmt_memory_report m;
    for (uint32_t s = 0; s < TRACE_SLICES; s++)
        for (uint64_t k = 0; k < t->count[s]; k++)
            trace_add(t, &t->of[s][k], &sums);
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        cr_assert(sums.busy[i] * t->info->stands_for == r.busy &&
                      sums.waited[i] * t->info->stands_for == r.waited,
                  "%s", r.name);
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++)
        cr_assert(sums.stalled[l] * t->info->stands_for == m.stalled, "%s", m.name);
}

/* Back from the last interval along what each waited for: of each the time since the one before.
 * Nothing is before time 0. */
static inline htmt_time trace_path_time(const struct trace *t)
{
    htmt_time at = t->info->end, sum = 0;
    htmt_trace_ref ref = t->info->last;
    for (uint64_t steps = 0; ref != HTMT_TRACE_NONE; steps++) {
        const struct htmt_trace_interval *i = trace_at(t, ref);
        htmt_time start = i->end - i->service;
        cr_assert(start >= 0 && start <= at, "interval %llu begins at %lld, after %lld",
                  (unsigned long long)ref, (long long)start, (long long)at);
        cr_assert_lt(steps, t->info->intervals);
        sum += at - start;
        at = start;
        ref = i->wait ? i->line : i->cause;
    }
    return sum + at;
}

#endif
