/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/sample.h"

#include <stdlib.h>

#define START    0.05   /* seconds of looks at the start */
#define PATIENCE 300e-6 /* seconds that a sample waits for a still core */
#define RETRIES  0.01   /* seconds in which samples are taken again */
#define SAMPLES  8
#define LONG     2e-3 /* seconds */
#define TURNS    (UINT64_C(1) << 30)
#define UNSTEADY 0.1 /* spread of a disturbed figure */

double htmt__host_cycle(const struct htmt__host_clock *clock)
{
    return clock->told ? 1 : 1e9 * clock->core.chain;
}

void htmt__host_clock_start(struct htmt__host_clock *clock)
{
    double end = htmt_host_seconds() + START;
    *clock = (struct htmt__host_clock){.core = {.chain = 0}};
    while (htmt_host_seconds() < end)
        htmt_host_core_still(&clock->core, 0);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Cycles of a turn; whether the core was still before and after. */
static bool take(struct htmt__host_clock *clock, const struct htmt__host_loop *loop, uint64_t n,
                 double *cycles)
{
    struct htmt_host_watch watch;
    if (clock->told) {
        const double ns = clock->told(clock->user, loop->name, n);
        *cycles = (ns < 0 ? -ns : ns) / (double)n;
        return ns >= 0;
    }
    bool before = htmt_host_core_still(&clock->core, PATIENCE);
    if (loop->prepare)
        loop->prepare(loop->user);
    htmt_host_watch_start(&watch);
    loop->run(loop->user, n);
    /* A sample that computed for less than LONG, and was interrupted, is slow and does not count.
     * What the kernel says of so short a time may be much too little. */
    const double passed = htmt_host_seconds() - watch.passed;
    const double seconds = htmt_host_watch_seconds(&watch);
    const double ns = 1e9 * (seconds < LONG ? passed : seconds);
    bool after = htmt_host_core_still(&clock->core, 0);
    *cycles = ns / (double)n / htmt__host_cycle(clock);
    return before && after;
}

struct htmt__host_figure htmt__host_samples(struct htmt__host_clock *clock,
                                            const struct htmt__host_loop *loop, uint64_t n,
                                            unsigned samples)
{
    double sample[SAMPLES], least = 0, end = htmt_host_seconds() + RETRIES;
    unsigned taken = 0;
    samples = samples < SAMPLES ? samples : SAMPLES;
    if (!clock->told)
        loop->run(loop->user, n);
    for (unsigned i = 0; taken < samples && (i < samples || htmt_host_seconds() < end); i++) {
        double cycles;
        if (take(clock, loop, n, &cycles))
            sample[taken++] = cycles;
        least = least > 0 && least < cycles ? least : cycles;
    }
    if (!taken) /* never still: the fastest one, marked */
        return (struct htmt__host_figure){.value = least, .disturbed = true};
    /* The lowest counts, the middle one says how far samples spread. */
    qsort(sample, taken, sizeof *sample, compare);
    const double spread = sample[taken / 2] / sample[0] - 1;
    return (struct htmt__host_figure){.value = sample[0],
                                      .spread = spread,
                                      .taken = taken,
                                      .disturbed = 3 * taken < samples || spread > UNSTEADY};
}

struct htmt__host_figure htmt__host_sample(struct htmt__host_clock *clock,
                                           const struct htmt__host_loop *loop, double least)
{
    uint64_t n = 16;
    if (!clock->told)
        loop->run(loop->user, n); /* code comes from its file, functions are bound */
    for (double time = 0; time < least && n < TURNS && !clock->told; n = time < least ? 2 * n : n) {
        struct htmt_host_watch watch;
        htmt_host_watch_start(&watch);
        loop->run(loop->user, n);
        time = 1e9 * htmt_host_watch_seconds(&watch);
    }
    return htmt__host_samples(clock, loop, n, SAMPLES);
}

static struct htmt__host_figure with(struct htmt__host_figure a, struct htmt__host_figure b,
                                     double value)
{
    return (struct htmt__host_figure){.value = value,
                                      .spread = a.spread > b.spread ? a.spread : b.spread,
                                      .taken = a.taken < b.taken ? a.taken : b.taken,
                                      .disturbed = a.disturbed || b.disturbed};
}

struct htmt__host_figure htmt__host_less(struct htmt__host_figure a, struct htmt__host_figure b)
{
    return with(a, b, a.value > b.value ? a.value - b.value : 0);
}

struct htmt__host_figure htmt__host_part_of(struct htmt__host_figure a, double by)
{
    return with(a, a, a.value / by);
}

void htmt__host_keep(struct htmt__host_figure *best, struct htmt__host_figure f)
{
    bool first = best->value <= 0 || (f.taken && !best->taken);
    if (first || (f.value < best->value && (f.taken || !best->taken)))
        *best = f;
}
