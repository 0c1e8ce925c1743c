/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of 32,000 atoms of a liquid: the serial program that judges runs of `htmt run md`, and
 * parcels of two slices on one host thread and on two, in blocks that are large for the host's
 * sake; and 3.4e10 atoms on 4096 slices, folded, without data.
 */
#include "apps/md/reference.h"
#include "bench/clock.h"
#include "bench/command.h"

#include <math.h>
#include <stdlib.h>

#define CUBES 20
#define STEPS 20

static double serial(void)
{
    const double a = cbrt(4 / 0.8442), edge = a * CUBES;
    const struct htmt__md_plan plan = {.atoms = 4 * CUBES * CUBES * CUBES,
                                       .box = {edge, edge, edge},
                                       .density = 0.8442,
                                       .cut = 2.5,
                                       .dt = 0.005,
                                       .steps = STEPS};
    struct htmt__md_reference *r = NULL;
    struct htmt__md_atoms atoms = {0};
    struct htmt__md_record series[STEPS + 1];
    struct htmt_fault fault = {0};
    if (htmt__md_lattice((uint32_t[]){CUBES, CUBES, CUBES}, a, &atoms))
        bench_fail("no memory for atoms");
    htmt__md_heat(&atoms, 1.44, 1);
    if (htmt__md_reference_create(&plan, &atoms, &r, &fault))
        bench_fail(fault.text);
    const double begun = bench_now();
    htmt__md_reference_run(r, STEPS, series);
    const double took = bench_now() - begun;
    if (fabs(series[0].potential / 32000 + 6.7733681) > 1e-6)
        bench_fail("the serial program is wrong");
    htmt__md_reference_destroy(&r);
    htmt__md_atoms_destroy(&atoms);
    return took;
}

static struct bench_command parcels(const char *threads)
{
    const char *const words[] = {"run",       "md",       "--edge", "20",      "--steps",
                                 "20",        "--slices", "2",      "--check", "none",
                                 "--threads", threads,    NULL};
    char htmt[4096];
    bench_built(htmt, "htmt");
    return bench_command(htmt, words);
}

int main(void)
{
    static const char *const folded[] = {"model",    "md",   "--edge", "2048",
                                         "--slices", "4096", "--fold", NULL};
    const uint64_t work = (STEPS + 1) * 32000;
    char htmt[4096];
    bench_built(htmt, "htmt");
    bench_report("md", "serial_1", serial(), "s", work);
    bench_report("md", "parcels_1", parcels("1").emulate_s, "s", work);
    bench_report("md", "parcels_2", parcels("2").emulate_s, "s", work);
    bench_report("md-fold", "folded_1", bench_command(htmt, folded).seconds, "s", work);
    return 0;
}
