/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seconds of a run without and with --capture, in turns, on one thread; and nanoseconds of an event
 * of the model run that takes its own counts, and of the one that plays the captured run. All are
 * of the command from its start to its end, so reading the file is part of playing it.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 14 };

static const char *const lines[][WORDS_MAX] = {
    {"volume", "--phantom", "128", "--size", "256", "--slices", "4", "--check", "none"},
    {"pic", "--case", "thermal", "--slices", "4", "--steps", "40", "--check", "none"},
};

static struct bench_command command(const char *verb, const char *const *line, const char *option,
                                    const char *path)
{
    char htmt[4096];
    const char *words[WORDS_MAX + 6] = {verb};
    unsigned count = 1;
    for (unsigned i = 0; i < WORDS_MAX && line[i]; i++)
        words[count++] = line[i];
    words[count++] = "--threads";
    words[count++] = "1";
    words[count++] = option; /* NULL: the words end here */
    words[count++] = path;
    words[count] = NULL;
    bench_built(htmt, "htmt");
    return bench_command(htmt, words);
}

static void compare(const char *const *line, const char *path)
{
    char group[80];
    command("run", line, NULL, NULL); /* the host's huge pages come late to the first one */
    struct bench_command run = command("run", line, NULL, NULL);
    struct bench_command capture = command("run", line, "--capture", path);
    snprintf(group, sizeof group, "capture-%s", line[0]);
    bench_report(group, "run_1", run.seconds, "s", run.history);
    bench_report(group, "capture_1", capture.seconds, "s", capture.history);
    struct bench_command model = command("model", line, NULL, NULL);
    struct bench_command played = command("model", line, "--captured", path);
    if (played.history != run.history || played.predicted_fs != run.predicted_fs)
        bench_fail("the captured run is not the run");
    snprintf(group, sizeof group, "captured-%s", line[0]);
    bench_report(group, "model_1", 1e9 * model.seconds / (double)model.events, "ns", 0);
    bench_report(group, "captured_1", 1e9 * played.seconds / (double)played.events, "ns", 0);
}

int main(void)
{
    char path[] = "/dev/shm/htmt-bench-XXXXXX"; /* no disk */
    int fd = mkstemp(path);
    if (fd < 0 || close(fd))
        bench_fail("no file for a captured run");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        compare(lines[i], path);
    unlink(path);
    return 0;
}
