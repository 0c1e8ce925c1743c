/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A prediction by operations is of the kernels as htmt-cc compiled them: scalar code of clang. Its
 * wall is that of the same files by the same compiler with the same flags, without hooks, on one
 * thread. The emulator's own work for the parcels is part of a wall and no figure of a machine. A
 * model run has the same parcels and no kernels, so its wall is added to the prediction.
 *
 * Each run is a process, and of its wall the part counts in which it had a processor. It lies
 * between two looks at the core (apps/lib/host_clock.h). They tell the clock, of which the middle
 * one counts: a wall is so many cycles of it, told as they would be at the clock in the machine's
 * file. A run is long beside the looks, so they do not tell whether it was disturbed, only whether
 * others were about. What disturbs a run makes it longer, so the least counts.
 *
 * By hand, pic of a hundred steps at one clock: predicted 32.9 ms, a model run takes 3.3 ms, so
 * 36.2 ms are expected; the run without hooks takes 36.4 ms, and the ratio is 0.99.
 */
#include "emul/lib/questions/walls.h"

#include "apps/lib/host_clock.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "runtime/base/by_size.h"
#include "runtime/base/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS    256
#define PATIENCE 3e-3 /* seconds that a run waits for a core that is free */

int htmt__walls_of_host(const struct htmt_machine *m, const char *name, const char *option,
                        double *hertz, struct htmt_fault *fault)
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
    *hertz = fs.num ? 1e15 * (double)fs.den / (double)fs.num : 0;
    return 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The number behind the first `"key": ` of the report. */
static int read_number(const char *path, const char *key, double *number, struct htmt_fault *fault)
{
    char line[4096], wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    FILE *report = fopen(path, "r");
    const char *found = NULL;
    while (report && !found && fgets(line, sizeof line, report)) {
        found = strstr(line, wanted);
        if (found)
            *number = strtod(found + strlen(wanted), NULL);
    }
    if (report)
        fclose(report);
    return found ? 0 : htmt_fault_set(fault, HTMT_EFORMAT, "%s: expected the key %s", path, key);
}

static int read_report(const char *path, const struct htmt__child_end *end, double *predicted,
                       double *wall, struct htmt_fault *fault)
{
    double total = 0;
    int rc = predicted ? read_number(path, "predicted_s", predicted, fault) : 0;
    rc = rc ? rc : read_number(path, "emulate_s", wall, fault);
    rc = rc ? rc : read_number(path, "total_s", &total, fault);
    *wall *= total > end->computed ? end->computed / total : 1;
    return rc;
}

int htmt__walls_run(const char *const *words, const char *verb, double *predicted, double *wall,
                    struct htmt_fault *fault)
{
    char folder[HTMT_PATH_MAX], json[HTMT_PATH_MAX + 16], said[HTMT_PATH_MAX + 16], line[400];
    const char *word[WORDS + 3], *const last[] = {"--json", json, NULL};
    const struct htmt__child child = {word, said, "/dev/null"};
    struct htmt__child_end end;
    size_t n = 0;
    for (; n < 2 || words[n]; n++) {
        if (n == WORDS)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--against-clock: expected fewer than %d words", WORDS);
        word[n] = n == 1 ? verb : words[n];
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
    rc = rc ? rc : read_report(json, &end, predicted, wall, fault);
    unlink(json);
    unlink(said);
    rmdir(folder);
    return rc;
}

/* ---- all runs -------------------------------------------------------------------------------- */

struct one {
    const char *const *words, *verb;
    double wall;
    int rc;
    struct htmt_fault *fault;
};

static void run_one(void *user, uint64_t n)
{
    struct one *o = user;
    (void)n;
    o->rc = htmt__walls_run(o->words, o->verb, NULL, &o->wall, o->fault);
}

/* Runs of one verb so far. */
struct runs {
    unsigned n, free;
    double wall[HTMT__WALLS_RUNS];
};

static int add_run(struct htmt_host_core *core, struct one *o, struct runs *r)
{
    const struct htmt_host_sample s = htmt_host_core_sample(core, PATIENCE, NULL, run_one, o, 1);
    r->free += s.still;
    r->wall[r->n++] = o->wall;
    return o->rc;
}

int htmt__walls_take(const char *const *words, double predicted, double hertz,
                     struct htmt__walls *w, struct htmt_fault *fault)
{
    struct htmt_host_core core = {.cycle = 0};
    struct runs run = {.n = 0}, model = {.n = 0};
    double cycle[HTMT__WALLS_RUNS];
    int rc = 0;
    *w = (struct htmt__walls){.own_hz = hertz};
    for (unsigned i = 0; i < HTMT__WALLS_RUNS && !rc; i++) {
        struct one o = {.words = words, .verb = "run", .fault = fault};
        rc = add_run(&core, &o, &run);
        cycle[i] = core.cycle;
        o.verb = "model";
        rc = rc ? rc : add_run(&core, &o, &model);
    }
    if (rc)
        return rc;
    qsort(run.wall, HTMT__WALLS_RUNS, sizeof *run.wall, htmt__by_size);
    qsort(model.wall, HTMT__WALLS_RUNS, sizeof *model.wall, htmt__by_size);
    qsort(cycle, HTMT__WALLS_RUNS, sizeof *cycle, htmt__by_size);
    const double now = cycle[HTMT__WALLS_RUNS / 2], told = hertz > 0 ? 1 / (now * hertz) : 1;
    w->made = true;
    w->runs = HTMT__WALLS_RUNS;
    w->free = run.free;
    w->wall = told * run.wall[0];
    w->own = told * model.wall[0];
    w->ratio = (predicted + w->own) / w->wall;
    w->spread = 100 * (run.wall[HTMT__WALLS_RUNS / 2] / run.wall[0] - 1);
    w->hz = 1 / now;
    return 0;
}
