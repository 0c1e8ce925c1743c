/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's algorithm by its kernels' own operations on one host thread and on two: seconds of the
 * clock in the emulated section.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stddef.h>

static struct bench_command cannon(const char *threads)
{
    const char *const words[] = {"run",       "cannon", "--machine", "pim-node", "--slices",
                                 "4",         "--size", "256",       "--timing", "operations",
                                 "--threads", threads,  NULL};
    char htmt[4096];
    bench_built(htmt, "htmt");
    return bench_command(htmt, words);
}

int main(void)
{
    struct bench_command one = cannon("1"), two = cannon("2");
    bench_report("recorded-cannon", "recorded_1", one.emulate_s, "s", one.history);
    bench_report("recorded-cannon", "recorded_2", two.emulate_s, "s", two.history);
    return 0;
}
