/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A prediction by operations is of the kernels as htmt-cc compiled them: scalar code of clang. Its
 * wall is that of the same files by the same compiler with the same flags, without hooks, on one
 * thread. The emulator's own work for the parcels is part of a wall and no figure of a machine:
 * events, copies, and the system's time when copies touch a page for the first time, which was 1.4
 * us a page on one host. A model run has the same events without the rest. So the run itself tells
 * how long its kernels took, and all else is added to the prediction.
 *
 * Each run is a process, and of its wall the part counts in which it had a processor. It lies
 * between two looks at the core (apps/lib/host_clock.h), which tell the clock: a wall is so many
 * cycles, told as they would be at the clock in the machine's file. A run is long beside the looks,
 * so they do not tell whether it was disturbed, only whether others were about. What disturbs a run
 * makes it longer, but a look that shares its core takes the clock for slower than it is, and the
 * run for shorter: ten steps of pic once took less than seven. So the least of the runs that found
 * the core free counts, or where none did of all, and runs go on until AGREE of the free ones take
 * no more than it and a few percent; or for some seconds. Their process stays on one processor, as
 * looks at another one would tell nothing.
 *
 * By hand, four steps of pic: kernels take 1.08 ms of a wall of 1.40 ms, so the own work is 0.32
 * ms; predicted are 1.15 ms, 1.47 ms with that work, and the ratio is 1.05.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "emul/lib/questions/walls.h"

#include "apps/lib/host_clock.h"
#include "emul/lib/questions/results.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "runtime/base/by_size.h"
#include "runtime/base/child.h"

#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS     256
#define PATIENCE  2e-2 /* seconds that a run waits for a core that is free */
#define RUNS_MOST 40
#define LONGEST   2.5  /* seconds, after which no other run begins */
#define ALIKE     1.03 /* of walls that agree */

int htmt__walls_of_host(const struct htmt_machine *m, const char *name, const char *option,
                        struct htmt__walls_host *host, struct htmt_fault *fault)
{
    uint32_t l = 0;
    while (l < m->layer_count && !htmt__machine_node(m, l))
        l++;
    if (l == m->layer_count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s: no processor of %s has an inside, expected a file of 'htmt host "
                              "measure'",
                              option, name);
    if (strncmp(m->about, "this host, ", strlen("this host, ")) != 0)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s: %s is not of this host, expected a file of 'htmt host measure'",
                              option, name);
    const struct htmt_ratio fs = m->layer[l].processor.time[HTMT_CYCLE];
    *host = (struct htmt__walls_host){
        .hertz = fs.num ? 1e15 * (double)fs.den / (double)fs.num : 0,
        .core = {htmt__machine_nothing(m), htmt__machine_inside(m)->reorder}};
    return 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Of a run. */
struct run {
    double predicted, wall, kernels; /* s */
    double had;                      /* the share of its time in which it had a processor */
    json_t *report;                  /* the run's own */
};

static int read_number(const json_t *object, const char *key, double *number,
                       struct htmt_fault *fault)
{
    const json_t *found = json_object_get(object, key);
    *number = json_number_value(found);
    return json_is_number(found)
               ? 0
               : htmt_fault_set(fault, HTMT_EFORMAT, "report of a run: expected a number %s", key);
}

static int read_report(const char *path, const struct htmt__child_end *end, bool predicts,
                       struct run *run, struct htmt_fault *fault)
{
    double total = 0;
    json_t *report = json_load_file(path, 0, NULL);
    const json_t *wall = json_object_get(report, "wall");
    int rc = predicts ? read_number(report, "predicted_s", &run->predicted, fault)
                      : read_number(wall, "kernels_s", &run->kernels, fault);
    rc = rc ? rc : read_number(wall, "emulate_s", &run->wall, fault);
    rc = rc ? rc : read_number(wall, "total_s", &total, fault);
    run->had = total > end->computed ? end->computed / total : 1;
    run->wall *= run->had;
    run->kernels *= run->had;
    run->report = report;
    return rc;
}

/* `predicts`: the prediction is asked for, and not how long the kernels take. The caller drops
 * run->report, whatever comes back. */
static int run_words(const char *const *words, bool predicts, struct run *run,
                     struct htmt_fault *fault)
{
    char folder[HTMT_PATH_MAX], json[HTMT_PATH_MAX + 16], said[HTMT_PATH_MAX + 16], line[400];
    const char *word[WORDS + 4], *const last[] = {"--json", json,
                                                  predicts ? NULL : "--time-kernels", NULL};
    const struct htmt__child child = {word, said, "/dev/null"};
    struct htmt__child_end end;
    size_t n = 0;
    for (; n < 2 || words[n]; n++) {
        if (n == WORDS)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--against-clock: expected fewer than %d words", WORDS);
        word[n] = n == 1 ? "run" : words[n];
    }
    memcpy(word + n, last, sizeof last);
    int rc = htmt__folder_temporary(folder, sizeof folder, fault);
    if (rc)
        return rc;
    snprintf(json, sizeof json, "%s/report.json", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    rc = htmt__child_run(&child, &end, fault);
    if (!rc && end.status) {
        htmt__child_said(said, line, sizeof line);
        const char *name = strrchr(words[0], '/');
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "%s: %s", name ? name + 1 : words[0], line);
    }
    rc = rc ? rc : read_report(json, &end, predicts, run, fault);
    unlink(json);
    unlink(said);
    rmdir(folder);
    return rc;
}

int htmt__walls_predict(const char *const *words, double *predicted, struct htmt_fault *fault)
{
    struct run run = {.wall = 0};
    const int rc = run_words(words, true, &run, fault);
    *predicted = run.predicted;
    json_decref(run.report);
    return rc;
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* Walls so far, in cycles: of runs that found the core free, as soon as there is one. Before that
 * of all runs, whose looks may show a clock that is too slow. */
struct runs {
    const char *const *words;
    struct htmt_host_expected core; /* of the host */
    struct run last;
    int rc;
    struct htmt_fault *fault;
    unsigned made, n;
    bool free;
    double wall[RUNS_MOST], cycle[RUNS_MOST]; /* `n` */
    double kernels;                           /* of the least */
    json_t *report; /* of the least, in which a second of a kernel is so many cycles: */
    double cycles;
};

static void run_one(void *user, uint64_t n)
{
    struct runs *r = user;
    (void)n;
    r->last = (struct run){.wall = 0};
    r->rc = run_words(r->words, false, &r->last, r->fault);
}

static double least_of(const double *value, unsigned n)
{
    double least = value[0];
    for (unsigned i = 1; i < n; i++)
        least = value[i] < least ? value[i] : least;
    return least;
}

/* Of those that found the core free, how many agree with the least of them. */
static unsigned agreeing(const struct runs *r)
{
    unsigned n = 0;
    for (unsigned i = 0; r->free && i < r->n; i++)
        n += r->wall[i] <= ALIKE * least_of(r->wall, r->n);
    return n;
}

static void take_run(struct runs *r, double cycle, bool free)
{
    const double wall = r->last.wall / cycle;
    r->made++;
    if (r->free && !free)
        return;
    if (free && !r->free)
        r->n = 0;
    r->free = free;
    if (!r->n || wall < least_of(r->wall, r->n)) {
        r->kernels = r->last.kernels / cycle;
        r->cycles = r->last.had / cycle;
        json_decref(r->report);
        r->report = json_incref(r->last.report);
    }
    r->cycle[r->n] = cycle;
    r->wall[r->n++] = wall;
}

static void take_runs(struct runs *r)
{
    struct htmt_host_core core = {.cycle = 0};
    htmt_host_core_expect(&core, r->core);
    const double end = htmt_host_seconds() + LONGEST;
    while (!r->rc && r->made < RUNS_MOST &&
           (r->made < HTMT__WALLS_AGREE ||
            (agreeing(r) < HTMT__WALLS_AGREE && htmt_host_seconds() < end))) {
        const struct htmt_host_sample s =
            htmt_host_core_sample(&core, PATIENCE, NULL, run_one, r, 1);
        if (!r->rc)
            take_run(r, core.cycle, s.still);
        json_decref(r->last.report);
    }
}

/* Where the system lets it. */
static void take_runs_in_place(struct runs *r)
{
    cpu_set_t all, one;
    const int cpu = sched_getcpu();
    const bool known = cpu >= 0 && cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    if (known)
        CPU_SET((size_t)cpu, &one);
    const bool moved = known && !sched_setaffinity(0, sizeof one, &one);
    take_runs(r);
    if (moved)
        sched_setaffinity(0, sizeof all, &all);
}

/* Phases of the prediction get what the same ones took. */
static void take_kernels(const struct runs *r, double cycle, struct htmt__results *results)
{
    const json_t *phases = json_object_get(r->report, "phases"), *phase;
    size_t n;
    for (unsigned i = 0; i < results->phase_count; i++) {
        struct htmt__stage *s = &results->phase[i];
        s->kernels_s = 0;
        json_array_foreach(phases, n, phase)
        {
            const char *name = json_string_value(json_object_get(phase, "name")),
                       *stage = json_string_value(json_object_get(phase, "stage"));
            if (name && stage && strcmp(name, s->type) == 0 && strcmp(stage, s->stage) == 0)
                s->kernels_s +=
                    cycle * r->cycles * json_number_value(json_object_get(phase, "kernels_s"));
        }
    }
}

int htmt__walls_take(const char *const *words, double predicted,
                     const struct htmt__walls_host *host, struct htmt__walls *w,
                     struct htmt__results *results, struct htmt_fault *fault)
{
    struct runs r = {.words = words, .core = host->core, .fault = fault};
    *w = (struct htmt__walls){.own_hz = host->hertz};
    take_runs_in_place(&r);
    if (r.rc) {
        json_decref(r.report);
        return r.rc;
    }
    const unsigned agree = agreeing(&r);
    qsort(r.wall, r.n, sizeof *r.wall, htmt__by_size);
    qsort(r.cycle, r.n, sizeof *r.cycle, htmt__by_size);
    const double now = r.cycle[r.n / 2], told = host->hertz > 0 ? 1 / host->hertz : now;
    w->made = true;
    w->runs = r.made;
    w->free = agree;
    w->wall = told * r.wall[0];
    w->kernels = told * r.kernels;
    w->own = w->wall - w->kernels;
    w->ratio = (predicted + w->own) / w->wall;
    w->spread = 100 * (r.wall[r.n / 2] / r.wall[0] - 1);
    w->hz = 1 / now;
    if (results)
        take_kernels(&r, told, results);
    json_decref(r.report);
    return 0;
}
