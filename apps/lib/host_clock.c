/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/host_clock.h"

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
