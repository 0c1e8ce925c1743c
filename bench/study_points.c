/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seconds of a study in one and in two processes, from the start of the command to its end: 8000
 * predictions of Cannon, which take less than a millisecond each, and 2000 model runs. All print
 * the same rows.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stdio.h>

static const struct {
    const char *group, *words;
} studies[] = {{"study-predict",
                "predict cannon --machine htmt-2007 --size 208000 --schedule paper "
                "--vary 'layers.cram.processor.flop=1 ps..10 ps:8000'"},
               {"study-model", "model cannon --size 1024 --slices 16 --fold "
                               "--vary 'layers.cram.processor.flop=1 ps..10 ps:2000'"}};

static void report(const char *htmt, unsigned study, int jobs)
{
    char line[4096 + 300], name[20], bytes[4096];
    uint64_t rows = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    size_t n;
    snprintf(line, sizeof line, "'%s' sweep %s --jobs %d --json -", htmt, studies[study].words,
             jobs);
    snprintf(name, sizeof name, "jobs_%d", jobs);
    const double begin = bench_now();
    FILE *f = popen(line, "r");
    if (!f)
        bench_fail("htmt does not start");
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        for (size_t i = 0; i < n; i++)
            rows = (rows ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    if (pclose(f))
        bench_fail("htmt fails");
    bench_report(studies[study].group, name, bench_now() - begin, "s", rows);
}

int main(void)
{
    char htmt[4096];
    bench_built(htmt, "htmt");
    for (unsigned i = 0; i < sizeof studies / sizeof *studies; i++)
        for (int jobs = 1; jobs <= 2; jobs++)
            report(htmt, i, jobs);
    return 0;
}
