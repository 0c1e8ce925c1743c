/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the node model is off on this host: measures it, and compares kernels and loops in the
 * shapes of other programs with its clock. Percent: the median, the mean and the worst error over
 * the sizes of the shapes, as scalar code and with vectors, sizes whose clock lies in their
 * interval, and half of the intervals' width; the mean error of each kernel and of the sum through
 * memory; the median and the worst one of sets beyond l2; and the error of each size. Instructions
 * against callgrind are counted by a script of their own. Its figures are worth what the host's
 * other load leaves of them.
 */
#include "bench/clock.h"
#include "bench/command.h"
#include "runtime/base/by_size.h"

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
    fflush(stdout); /* a line of ours shall not be parted by one of its own */
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

/* ---- errors of sizes ------------------------------------------------------------------------- */

#define SIZES_MOST 200

struct error {
    char kernel[32];
    double n, percent;
};

struct errors {
    unsigned count;
    struct error of[SIZES_MOST];
};

static void read_sizes(const char *text, struct errors *all)
{
    const char key[] = "\"kernel\": \"";
    for (const char *at = strstr(text, key); at; at = strstr(at, key)) {
        if (all->count == SIZES_MOST)
            bench_fail("more sizes than there is room for");
        struct error *e = &all->of[all->count++];
        at += strlen(key);
        snprintf(e->kernel, sizeof e->kernel, "%.*s", (int)strcspn(at, "\""), at);
        e->n = figure(at, "n");
        e->percent = fabs(figure(at, "error_percent"));
    }
}

static void report_sizes(const struct errors *all, const char *suffix)
{
    char name[64];
    for (unsigned i = 0; i < all->count; i++) {
        snprintf(name, sizeof name, "%s_%.0f%s", all->of[i].kernel, all->of[i].n, suffix);
        bench_report("host", name, all->of[i].percent, "%", 1);
    }
}

static void report_mean(const struct errors *all, const char *kernel, const char *name)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < all->count; i++)
        if (strcmp(all->of[i].kernel, kernel) == 0) {
            sum += all->of[i].percent;
            n++;
        }
    if (n)
        bench_report("host", name, sum / n, "%", 1);
}

/* Of 10 MB and more: no core has that much of its own. */
static void report_beyond(const struct errors *all)
{
    static const struct {
        const char *kernel;
        double n;
    } large[] = {{"bicg", 2000},    {"solve", 2000}, {"stencil1", 1e6}, {"stencil2", 1200},
                 {"stencil3", 120}, {"filter", 1e6}, {"total", 1e6},    {"ddot", 1e6},
                 {"ddot4", 1e6},    {"daxpy", 1e6},  {"triad", 1e6},    {"dipole", 2e5}};
    double percent[SIZES_MOST];
    unsigned n = 0;
    for (unsigned i = 0; i < all->count; i++)
        for (size_t k = 0; k < sizeof large / sizeof *large; k++)
            if (strcmp(all->of[i].kernel, large[k].kernel) == 0 && all->of[i].n >= large[k].n)
                percent[n++] = all->of[i].percent;
    if (!n)
        return;
    qsort(percent, n, sizeof *percent, htmt__by_size);
    bench_report("host", "beyond-l2-median", percent[n / 2], "%", 1);
    bench_report("host", "beyond-l2-worst", percent[n - 1], "%", 1);
}

/* ---- runs ------------------------------------------------------------------------------------ */

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

static void report_figures(const char *text, const char *const names[][2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        bench_report("host", names[i][0], figure(text, names[i][1]), "%", 1);
}

/* Compares these kernels; adds their sizes, and gives what was written. */
static char *compare(const char *htmt, const char *machine, const char *json, const char *kernels,
                     const char *flags, struct errors *sizes)
{
    const char *const words[] = {
        htmt,        "host",  "compare", "--machine", machine,
        "--kernels", kernels, "--json",  json,        flags ? "--flags" : NULL,
        flags,       NULL};
    run(htmt, words);
    char *text = read_all(json);
    read_sizes(text, sizes);
    return text;
}

int main(void)
{
    static const char *const scalar[][2] = {{"median", "error_median_percent"},
                                            {"mean", "error_mean_percent"},
                                            {"worst", "error_worst_percent"},
                                            {"held", "held_percent"},
                                            {"half-width", "half_width_median_percent"},
                                            {"disturbed", "disturbed"}};
    static const char *const vectors[][2] = {{"median-vectors", "error_median_percent"},
                                             {"mean-vectors", "error_mean_percent"},
                                             {"held-vectors", "held_percent"}};
    static const char *const kernels[] = {"ddot",  "ddot4", "daxpy", "dipole",
                                          "triad", "dgemm", "fft"};
    static struct errors all, wide;
    char folder[] = "/tmp/htmt-host-XXXXXX", machine[64], json[64], htmt[4096];
    if (!mkdtemp(folder))
        bench_fail("mkdtemp");
    snprintf(machine, sizeof machine, "%s/here.yaml", folder);
    snprintf(json, sizeof json, "%s/found.json", folder);
    const char *const measure[] = {htmt, "host", "measure", "--out", machine, NULL};
    bench_built(htmt, "htmt");
    run(htmt, measure);
    char *text = compare(htmt, machine, json, "shapes", NULL, &all);
    report_figures(text, scalar, sizeof scalar / sizeof *scalar);
    report_mean(&all, "total", "through-memory");
    free(text);
    free(compare(htmt, machine, json, "mermaid,others", NULL, &all));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        report_mean(&all, kernels[i], kernels[i]);
    report_beyond(&all);
    report_sizes(&all, "");
    text = compare(htmt, machine, json, "shapes", "-O3 -march=native", &wide);
    report_figures(text, vectors, sizeof vectors / sizeof *vectors);
    report_sizes(&wide, "-vectors");
    free(text);
    unlink(machine);
    unlink(json);
    rmdir(folder);
    return 0;
}
