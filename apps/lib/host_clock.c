/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A figure of a host's core means something only while its clock is at full speed and no other
 * thread shares the core. Neither can be asked for everywhere, but both can be seen. A chain of
 * additions takes a cycle each, whatever else runs on the core: it shows the clock. Four chains
 * beside each other fill the core: another thread there takes half of them. Both are compared with
 * the best time seen before, since nobody says what the best is.
 */
#include "apps/lib/host_clock.h"

#include <stdint.h>
#include <time.h>

double htmt_host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double htmt_host_elapsed(double *since)
{
    double now = htmt_host_seconds(), passed = now - *since;
    *since = now;
    return passed;
}

/* ---- how long a thread computes -------------------------------------------------------------- */

#define SHORT 1e-3 /* seconds */

static double computed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void htmt_host_watch_start(struct htmt_host_watch *watch)
{
    watch->computed = computed();
    watch->passed = htmt_host_seconds();
}

double htmt_host_watch_seconds(const struct htmt_host_watch *watch)
{
    double passed = htmt_host_seconds() - watch->passed;
    return passed < SHORT ? passed : computed() - watch->computed;
}

/* ---- how fast the core is -------------------------------------------------------------------- */

#define ADDED       16384 /* of a look, of the chain and of the four beside each other */
#define CLOCK_STILL 1.05
#define CORE_STILL  1.1

#define ADD(x)                                                                                     \
    x += one;                                                                                      \
    __asm__ volatile("" : "+r"(x))
#define FOUR(a, b, c, d)                                                                           \
    ADD(a);                                                                                        \
    ADD(b);                                                                                        \
    ADD(c);                                                                                        \
    ADD(d)
#define SIXTEEN(a, b, c, d)                                                                        \
    FOUR(a, b, c, d);                                                                              \
    FOUR(a, b, c, d);                                                                              \
    FOUR(a, b, c, d);                                                                              \
    FOUR(a, b, c, d)

static double chain_seconds(void)
{
    uint64_t x = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    double start = htmt_host_seconds();
    for (int i = 0; i < ADDED / 16; i++) {
        SIXTEEN(x, x, x, x);
    }
    return (htmt_host_seconds() - start) / ADDED;
}

static double apart_seconds(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    double start = htmt_host_seconds();
    for (int i = 0; i < ADDED / 64; i++) {
        SIXTEEN(a, b, c, d);
        SIXTEEN(a, b, c, d);
        SIXTEEN(a, b, c, d);
        SIXTEEN(a, b, c, d);
    }
    return (htmt_host_seconds() - start) / ADDED;
}

static bool still(double *best, double seconds, double most)
{
    if (*best <= 0 || seconds < *best)
        *best = seconds;
    return seconds < most * *best;
}

bool htmt_host_core_still(struct htmt_host_core *core, double patience)
{
    const double end = htmt_host_seconds() + patience;
    bool both;
    do {
        const bool alone = still(&core->apart, apart_seconds(), CORE_STILL);
        both = still(&core->chain, chain_seconds(), CLOCK_STILL) && alone;
    } while (!both && htmt_host_seconds() < end);
    return both;
}
