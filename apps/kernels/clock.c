/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/kernels/clock.h"

#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SAMPLES   32
#define ENOUGH    3      /* samples, once they have taken LONGEST */
#define LEAST     50e-6  /* seconds of a sample */
#define LONGEST   0.05   /* of all of them */
#define PATIENCE  300e-6 /* seconds that a sample waits for a still core */
#define HUGE_PAGE (UINT64_C(2) << 20)

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double seconds_of(htmt__kernels_loop_fn *run, const struct htmt__kernels_loop_data *d,
                         char *block, uint64_t turns)
{
    struct htmt_host_watch watch;
    htmt_host_watch_start(&watch);
    for (uint64_t i = 0; i < turns; i++)
        run(NULL, d, block);
    return htmt_host_watch_seconds(&watch);
}

/* Turns that take long enough for the clock. */
static uint64_t turns_of(htmt__kernels_loop_fn *run, const struct htmt__kernels_loop_data *d,
                         char *block)
{
    uint64_t turns = 1;
    seconds_of(run, d, block, 1);
    while (seconds_of(run, d, block, turns) < LEAST)
        turns *= 2;
    return turns;
}

/* Samples of a core that was still before and after them; where there is none, the fastest. */
static void take_samples(htmt__kernels_loop_fn *run, const struct htmt__kernels_loop_data *d,
                         char *block, struct htmt_host_core *core,
                         struct htmt__kernels_clock *clock)
{
    double sample[SAMPLES], least = 0, begun = htmt_host_seconds();
    uint64_t turns = turns_of(run, d, block);
    unsigned taken = 0;
    for (unsigned i = 0; taken < SAMPLES && (i < ENOUGH || htmt_host_seconds() - begun < LONGEST);
         i++) {
        bool before = htmt_host_core_still(core, PATIENCE);
        double seconds = seconds_of(run, d, block, turns) / (double)turns;
        if (htmt_host_core_still(core, 0) && before)
            sample[taken++] = seconds;
        least = i && least < seconds ? least : seconds;
    }
    clock->still = taken > 0;
    if (!taken)
        sample[taken++] = least;
    qsort(sample, taken, sizeof *sample, compare);
    clock->fs = 1e15 * sample[0];
    clock->spread = sample[taken / 2] / sample[0] - 1;
}

int htmt__kernels_clock(const struct htmt__kernels_loop *loop, bool vectors, uint64_t n,
                        struct htmt_host_core *core, struct htmt__kernels_clock *clock)
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
    take_samples(loop->run[vectors], &d, block, core, clock);
    free(block);
    return 0;
}
