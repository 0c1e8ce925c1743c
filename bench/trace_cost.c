/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seconds of the command for each application, without and with --trace, in turns, from its start
 * to its end on one thread, and the bytes of an interval in the trace: in the file, and as columns.
 */
#include "bench/clock.h"
#include "bench/command.h"
#include "emul/trace/htmt_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 20 };

/* The words of each command line; the group is named by the first two. */
static const char *const lines[][WORDS_MAX] = {
    {"run", "cannon", "--size", "2048", "--slices", "16"},
    {"run", "pic", "--cells", "16,16,16", "--slices", "4"},
    {"run", "sar", "--lines", "2048", "--samples", "2048", "--slices", "4"},
    {"run", "volume", "--phantom", "128", "--size", "256", "--slices", "4"},
    {"model", "cannon", "--size", "16384", "--slices", "16"},
    {"model", "pic", "--cells", "64,64,64", "--slices", "4"},
    {"model", "sar", "--lines", "8192", "--samples", "8192", "--slices", "4"},
    {"model", "volume", "--phantom", "256", "--size", "1024", "--slices", "4"},
};

static double measure(const char *const *line, const char *trace, uint64_t *history)
{
    char htmt[4096];
    const char *words[WORDS_MAX + 5];
    unsigned count = 0;
    for (; count < WORDS_MAX && line[count]; count++)
        words[count] = line[count];
    words[count++] = "--threads";
    words[count++] = "1";
    if (trace)
        words[count++] = "--trace";
    words[count] = trace;
    words[count + 1] = NULL;
    bench_built(htmt, "htmt");
    struct bench_command c = bench_command(htmt, words);
    *history = c.history;
    return c.seconds;
}

static void report_bytes(const char *name, const char *path)
{
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    if (htmt_trace_open(&t, path, &fault))
        bench_fail(fault.text);
    const struct htmt_trace_info *i = htmt_trace_info(t);
    bench_report("trace-bytes", name, (double)i->bytes / (double)i->intervals, "B", 0);
    bench_report("trace-columns", name, (double)i->inflated / (double)i->intervals, "B", 0);
    htmt_trace_close(&t);
}

static void compare(const char *const *line, const char *path)
{
    char group[80], name[64];
    uint64_t history;
    snprintf(name, sizeof name, "%s-%s", line[0], line[1]);
    snprintf(group, sizeof group, "trace-%s", name);
    measure(line, NULL, &history); /* the host's huge pages come late to the first one */
    double plain = measure(line, NULL, &history);
    bench_report(group, "plain_1", plain, "s", history);
    double traced = measure(line, path, &history);
    bench_report(group, "traced_1", traced, "s", history);
    report_bytes(name, path);
}

int main(void)
{
    char path[] = "/dev/shm/htmt-bench-XXXXXX"; /* no disk */
    int fd = mkstemp(path);
    if (fd < 0 || close(fd))
        bench_fail("no file for a trace");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        compare(lines[i], path);
    unlink(path);
    return 0;
}
