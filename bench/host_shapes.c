/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the node model is off on this host: measures it, and compares the kernels in the shapes
 * of other programs with its clock. Percent: the median, the mean and the worst error over all
 * sizes, sizes whose clock lies in their interval, and half of the intervals' width; and the error
 * of each size. Its figures are worth what the host's other load leaves of them.
 */
#include "bench/clock.h"
#include "bench/command.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void run(const char *htmt, const char *const *words)
{
    pid_t child;
    int status;
    if (posix_spawn(&child, htmt, NULL, NULL, (char *const *)(uintptr_t)words, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        bench_fail(words[2]);
}

static double figure(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (!at)
        bench_fail(key);
    return strtod(at + strlen(quoted), NULL);
}

static void report_sizes(const char *text)
{
    char name[64];
    for (const char *at = strstr(text, "\"kernel\": \""); at; at = strstr(at, "\"kernel\": \"")) {
        at += strlen("\"kernel\": \"");
        snprintf(name, sizeof name, "%.*s_%.0f", (int)strcspn(at, "\""), at, figure(at, "n"));
        bench_report("host", name, fabs(figure(at, "error_percent")), "%", 1);
    }
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t room = 1 << 20;
    char *text = calloc(1, room);
    if (!file || !text || !fread(text, 1, room - 1, file))
        bench_fail(path);
    fclose(file);
    return text;
}

int main(void)
{
    char folder[] = "/tmp/htmt-host-XXXXXX", machine[64], json[64], htmt[4096];
    if (!mkdtemp(folder))
        bench_fail("mkdtemp");
    snprintf(machine, sizeof machine, "%s/here.yaml", folder);
    snprintf(json, sizeof json, "%s/shapes.json", folder);
    const char *const measure[] = {htmt, "host", "measure", "--out", machine, NULL};
    const char *const compare[] = {htmt,        "host",   "compare", "--machine", machine,
                                   "--kernels", "shapes", "--json",  json,        NULL};
    bench_built(htmt, "htmt");
    run(htmt, measure);
    run(htmt, compare);
    char *text = read_all(json);
    static const char *const names[][2] = {{"median", "error_median_percent"},
                                           {"mean", "error_mean_percent"},
                                           {"worst", "error_worst_percent"},
                                           {"held", "held_percent"},
                                           {"half-width", "half_width_median_percent"},
                                           {"disturbed", "disturbed"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        bench_report("host", names[i][0], figure(text, names[i][1]), "%", 1);
    report_sizes(text);
    free(text);
    unlink(machine);
    unlink(json);
    rmdir(folder);
    return 0;
}
