/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The vector addition on all processors in memory banks of a server, 65,536 elements each: events a
 * second of a model run, and seconds folded and unfolded, which predict the same to the
 * femtosecond.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stddef.h>

int main(void)
{
    static const char *const all[] = {"model",     "prim",      "va",   "--machine",
                                      "upmem-p21", "--dpus",    "2556", "--size",
                                      "167510016", "--threads", "1",    NULL},
                             *const folded[] = {"model",     "prim",      "va",   "--machine",
                                                "upmem-p21", "--dpus",    "2556", "--size",
                                                "167510016", "--threads", "1",    "--fold",
                                                NULL};
    char htmt[4096];
    bench_built(htmt, "htmt");
    struct bench_command va = bench_command(htmt, all), fold = bench_command(htmt, folded);
    bench_report("banks", "va_1", (double)va.events / va.emulate_s, "1/s", 0);
    bench_report("banks-fold", "va_1", va.emulate_s, "s", va.predicted_fs);
    bench_report("banks-fold", "folded_1", fold.emulate_s, "s", fold.predicted_fs);
    return 0;
}
