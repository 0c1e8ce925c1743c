/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/kernels/clock.h"

#include "apps/lib/host_clock.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SAMPLES   32
#define ENOUGH    3     /* samples, once they have taken LONGEST */
#define LEAST     50e-6 /* seconds of a sample */
#define LONGEST   0.05  /* of all of them */
#define HUGE_PAGE (UINT64_C(2) << 20)

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds that the thread has computed: without the time in which others had its core. */
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(htmt__kernels_loop_fn *run, const struct htmt__kernels_loop_data *d,
                         char *block, uint64_t turns)
{
    double start = used();
    for (uint64_t i = 0; i < turns; i++)
        run(NULL, d, block);
    return used() - start;
}

static void take_samples(htmt__kernels_loop_fn *run, const struct htmt__kernels_loop_data *d,
                         char *block, struct htmt__kernels_clock *clock)
{
    double sample[SAMPLES], begun = htmt_host_seconds();
    uint64_t turns = 1;
    unsigned taken = 0;
    seconds_of(run, d, block, 1);
    while (seconds_of(run, d, block, turns) < LEAST)
        turns *= 2;
    while (taken < SAMPLES && (taken < ENOUGH || htmt_host_seconds() - begun < LONGEST))
        sample[taken++] = seconds_of(run, d, block, turns) / (double)turns;
    qsort(sample, taken, sizeof *sample, compare);
    clock->fs = 1e15 * sample[0];
    clock->spread = sample[taken / 2] / sample[0] - 1;
}

int htmt__kernels_clock(const struct htmt__kernels_loop *loop, bool vectors, uint64_t n,
                        struct htmt__kernels_clock *clock)
{
    struct htmt__kernels_loop_data d;
    htmt__kernels_loop_place(loop, n, &d);
    uint64_t bytes = (d.bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *block = aligned_alloc(HUGE_PAGE, bytes);
    if (!block)
        return HTMT_ENOMEM;
    madvise(block, bytes, MADV_HUGEPAGE);
    memset(block, 0, d.bytes);
    htmt__kernels_loop_fill(loop, &d, block);
    take_samples(loop->run[vectors], &d, block, clock);
    free(block);
    return 0;
}
