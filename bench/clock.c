/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "bench/clock.h"

#include "layers/machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        bench_fail("clock_gettime");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_used(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_used_by_children(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        bench_fail("getrusage");
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

struct htmt_machine *bench_machine(const char *const *settings, unsigned count)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *m = NULL;
    if (htmt_machine_load("htmt-oct98", settings, count, &m, &fault))
        bench_fail(fault.text);
    return m;
}

void bench_report(const char *group, const char *name, double value, const char *unit,
                  uint64_t work)
{
    if (printf("RESULT %s %s %.6g %s %016" PRIx64 "\n", group, name, value, unit, work) < 0)
        bench_fail("standard output");
}

_Noreturn void bench_fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(4);
}
