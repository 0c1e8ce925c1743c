/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/host/sample.h"

#include <stdlib.h>
#include <time.h>

#define CHAIN    16384 /* additions of a look at the clock */
#define LOOKS    40    /* at the start */
#define SAMPLES  8
#define STILL    1.05 /* a sample counts when its two clocks are within that of the fastest */
#define TURNS    (UINT64_C(1) << 30)
#define UNSTEADY 0.1 /* spread of a disturbed figure */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ns that the thread has computed: without the time in which others had its core. */
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define STEP                                                                                       \
    x += one;                                                                                      \
    __asm__ volatile("" : "+r"(x));

double htmt__host_cycle(void)
{
    uint64_t x = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    double start = now();
    for (int i = 0; i < CHAIN / 16; i++) {
        STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
    }
    return (now() - start) / CHAIN;
}

void htmt__host_clock_start(struct htmt__host_clock *clock)
{
    clock->cycle = htmt__host_cycle();
    for (int i = 0; i < LOOKS; i++) {
        double cycle = htmt__host_cycle();
        clock->cycle = cycle < clock->cycle ? cycle : clock->cycle;
    }
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The lowest counts, the middle one says how far samples spread. */
static struct htmt__host_figure figure_of(double *sample, unsigned taken, unsigned samples)
{
    qsort(sample, taken, sizeof *sample, compare);
    double spread = taken ? sample[taken / 2] / sample[0] - 1 : 0;
    return (struct htmt__host_figure){.value = taken ? sample[0] : 0,
                                      .spread = spread,
                                      .taken = taken,
                                      .disturbed = 3 * taken < samples || spread > UNSTEADY};
}

/* Cycles of a turn by the clock beside it; whether the clock kept still. */
static bool take(struct htmt__host_clock *clock, htmt__host_loop_fn *loop, void *user, uint64_t n,
                 double *cycles)
{
    double before = htmt__host_cycle(), start = used();
    loop(user, n);
    double time = used() - start, after = htmt__host_cycle();
    clock->cycle = before < clock->cycle ? before : clock->cycle;
    clock->cycle = after < clock->cycle ? after : clock->cycle;
    *cycles = time / (double)n / clock->cycle;
    return before < STILL * clock->cycle && after < STILL * clock->cycle;
}

struct htmt__host_figure htmt__host_samples(struct htmt__host_clock *clock,
                                            htmt__host_loop_fn *loop, void *user, uint64_t n,
                                            unsigned samples)
{
    double sample[SAMPLES], kept = 0;
    unsigned taken = 0;
    samples = samples < SAMPLES ? samples : SAMPLES;
    loop(user, n);
    for (unsigned i = 0; i < samples; i++)
        if (take(clock, loop, user, n, &kept))
            sample[taken++] = kept;
    if (taken)
        return figure_of(sample, taken, samples);
    /* Never still: the last one, marked. */
    return (struct htmt__host_figure){.value = kept, .disturbed = true};
}

struct htmt__host_figure htmt__host_sample(struct htmt__host_clock *clock, htmt__host_loop_fn *loop,
                                           void *user, double least)
{
    uint64_t n = 16;
    loop(user, n); /* code comes from its file, functions are bound */
    for (double time = 0; time < least && n < TURNS; n = time < least ? 2 * n : n) {
        double start = used();
        loop(user, n);
        time = used() - start;
    }
    return htmt__host_samples(clock, loop, user, n, SAMPLES);
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
    if (f.taken && (!best->taken || f.value < best->value))
        *best = f;
}
