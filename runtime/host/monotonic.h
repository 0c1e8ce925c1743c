/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, for what waits and what is reported of waiting. No prediction may depend on it.
 */
#ifndef HTMT_RUNTIME_HOST_MONOTONIC_H
#define HTMT_RUNTIME_HOST_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Of the calling thread, ns for which it had a processor. */
static inline int64_t htmt__thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ns since some instant of the host's own. */
static inline int64_t htmt__monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
