/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seconds of the command for each application, without and with --trace, in turns, from its start
 * to its end on one thread, and the bytes of an interval in the trace: in the file, and as columns.
 */
#define _GNU_SOURCE /* program_invocation_name */
#include "bench/clock.h"
#include "emul/trace/htmt_trace.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 20 };

extern char **environ;

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

/* `build/htmt` of `build/bench/trace_cost`. */
static const char *command(char room[static 4096])
{
    char own[4096];
    snprintf(own, sizeof own, "%s", program_invocation_name);
    snprintf(room, 4096, "%s/../htmt", dirname(own));
    return room;
}

/* The JSON of the run comes through the pipe. */
static pid_t start(const char *const *line, const char *trace, int *from)
{
    static const char *const options[] = {"--threads", "1", "--json", "-", "--trace", NULL};
    char name[4096];
    const char *words[WORDS_MAX + 8] = {command(name)};
    unsigned count = 1;
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    for (unsigned i = 0; i < WORDS_MAX && line[i]; i++)
        words[count++] = line[i];
    for (unsigned i = 0; i < (trace ? 5 : 4); i++)
        words[count++] = options[i];
    words[count] = trace;
    if (pipe(ends) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) ||
        posix_spawn_file_actions_addclose(&actions, ends[0]) ||
        posix_spawn(&child, name, &actions, NULL, (char *const *)(uintptr_t)words, environ))
        bench_fail("htmt does not start");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = ends[0];
    return child;
}

/* The history: it proves that the run with the trace did the same. */
static uint64_t history_of(const json_t *run)
{
    const char *hash = json_string_value(json_object_get(run, "history_hash"));
    if (!hash)
        bench_fail("htmt tells no history");
    return strtoull(hash, NULL, 16);
}

static double measure(const char *const *line, const char *trace, uint64_t *history)
{
    int from, status;
    double begin = bench_now();
    pid_t child = start(line, trace, &from);
    json_t *run = json_loadfd(from, JSON_DISABLE_EOF_CHECK, NULL);
    if (waitpid(child, &status, 0) != child || status)
        bench_fail("htmt fails");
    double seconds = bench_now() - begin;
    *history = history_of(run);
    json_decref(run);
    close(from);
    return seconds;
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
