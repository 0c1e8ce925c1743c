/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A row is a command line: its columns become options and figures of the machine. The run checks
 * its answer by itself, so a row is exact when the answer is right and no count differs.
 */
#include "emul/validate/graph_judge.h"

#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/graph_rows.h"
#include "layers/file/search.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one row --------------------------------------------------------------------------------- */

/* "--graph FILE" of the folder, or "--rmat SCALE --factor F --seed N"; false: there is none. */
static bool find_graph(const char *data, const char *name, char *options, size_t room)
{
    static const char *const places[][2] = {{"", ""}, {"", ".edgelist"}, {"inputs/", ".edgelist"}};
    char path[HTMT_PATH_MAX], kind[16];
    unsigned scale, factor;
    uint64_t seed;
    int rest = 0;
    if (sscanf(name, "%15[a-z0-9]-%u-%u-%" SCNu64 "%n", kind, &scale, &factor, &seed, &rest) == 4 &&
        !name[rest]) {
        snprintf(options, room, "--%s %u --factor %u --seed %" PRIu64, kind, scale, factor, seed);
        return true;
    }
    for (size_t i = 0; data && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s%s%s", data, places[i][0], name, places[i][1]);
        if (access(path, R_OK) == 0) {
            snprintf(options, room, "--graph %s", path);
            return true;
        }
    }
    return false;
}

static void command_line(const struct htmt__graph_row *r, const char *graph, char *text,
                         size_t room)
{
    const uint32_t *f = r->figure;
    char throttle[24] = "not-modelled", sweeps[48] = "";
    if (r->throttles)
        snprintf(throttle, sizeof throttle, "%u", f[HTMT__GRAPH_COOL]);
    if (strcmp(r->app, "pagerank") == 0)
        snprintf(sweeps, sizeof sweeps, " --iterations %u --begin cca", r->iterations);
    snprintf(text, room,
             "--program %s %s --root %u%s --place cca --machine %s "
             "--slices %u --min-edges %u --max-edges %u --ghosts %u --vicinity %u "
             "--set networks.grid.inside.buffer=%u --set networks.grid.inside.throttle=%s "
             "--set layers.cell.processor.queues.action.room=%u "
             "--set layers.cell.processor.queues.action.own=%u "
             "--set layers.cell.processor.queues.diffuse.room=%u",
             r->app, graph, r->root, sweeps, r->mesh ? "am-cca-mesh" : "am-cca", r->side * r->side,
             f[HTMT__GRAPH_LEAST], f[HTMT__GRAPH_MOST], f[HTMT__GRAPH_GHOSTS],
             f[HTMT__GRAPH_VICINITY], f[HTMT__GRAPH_RECV], throttle, f[HTMT__GRAPH_ACTION],
             f[HTMT__GRAPH_MOST] + 7, f[HTMT__GRAPH_DIFFUSE]);
}

static int64_t figure(const struct htmt_outcome *o, const char *name)
{
    for (unsigned i = 0; i < o->found_count; i++)
        if (strcmp(o->found[i].name, name) == 0)
            return (int64_t)o->found[i].value;
    return -1;
}

static int play(const struct htmt_app *app, const char *options, int64_t found[HTMT__GRAPH_COUNTS],
                bool *right, struct htmt_fault *fault)
{
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__quiet_run_prepare(app, options, NULL, NULL, 0, run, fault);
    run->request.emulator.mode = HTMT_RUN; /* whose answer is checked */
    rc = rc ? rc : htmt__quiet_run_emulate(run, fault);
    for (int i = 0; !rc && i < HTMT__GRAPH_COUNTS; i++)
        found[i] = figure(&run->outcome, htmt__graph_count_figures[i]);
    *right = !rc && run->outcome.correct != 0;
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

/* ---- what is told ---------------------------------------------------------------------------- */

struct totals {
    unsigned played, exact, absent; /* absent: without their graph */
};

static void tell_row(FILE *out, FILE *csv, const struct htmt__graph_row *r,
                     const int64_t found[HTMT__GRAPH_COUNTS], bool right, bool exact, bool quiet)
{
    if (csv) {
        fprintf(csv, "%s,%s,%s", r->id, exact ? "exact" : "differs", right ? "right" : "wrong");
        for (int i = 0; i < HTMT__GRAPH_COUNTS; i++)
            fprintf(csv, ",%" PRId64, found[i]);
        putc('\n', csv);
    }
    if (quiet && exact)
        return;
    fprintf(out, "%-44s %10" PRId64 " cycles %12" PRId64 " hops  ", r->id,
            found[HTMT__GRAPH_CYCLES], found[HTMT__GRAPH_HOPS]);
    if (exact)
        fputs("exact", out);
    if (!right)
        fputs("the answer is wrong; ", out);
    for (int i = 0; i < HTMT__GRAPH_COUNTS; i++)
        if (r->wanted[i] >= 0 && r->wanted[i] != found[i])
            fprintf(out, "%s %" PRId64 " for %" PRId64 "; ", htmt__graph_count_columns[i], found[i],
                    r->wanted[i]);
    putc('\n', out);
}

static int judge_row(const struct htmt_app *app, const struct htmt__graph_judgement *how,
                     const struct htmt__graph_row *r, FILE *out, FILE *csv, struct totals *t,
                     struct htmt_fault *fault)
{
    char graph[HTMT_PATH_MAX + 16], options[HTMT_PATH_MAX + 800];
    int64_t found[HTMT__GRAPH_COUNTS];
    struct htmt_fault why = {0};
    bool right = false;
    if (!find_graph(how->data, r->graph, graph, sizeof graph)) {
        t->absent++;
        if (!how->data)
            return 0;
        return htmt_fault_set(fault, HTMT_ENOENT, "%s:%d: found no graph '%.60s' in %s", r->file,
                              r->line, r->graph, how->data);
    }
    command_line(r, graph, options, sizeof options);
    int rc = play(app, options, found, &right, &why);
    if (rc)
        return htmt_fault_set(fault, rc, "%s: %s", r->id, why.text);
    bool exact = right;
    for (int i = 0; i < HTMT__GRAPH_COUNTS; i++)
        exact &= r->wanted[i] < 0 || r->wanted[i] == found[i];
    t->played++;
    t->exact += exact;
    tell_row(out, csv, r, found, right, exact, how->quiet);
    return 0;
}

static int judge_all(const struct htmt_app *app, const struct htmt__graph_judgement *how,
                     const struct htmt__graph_rows *rows, FILE *out, FILE *csv,
                     struct htmt_fault *fault)
{
    struct totals t = {0};
    int rc = 0;
    if (csv) {
        fputs("id,verdict,answer", csv);
        for (int i = 0; i < HTMT__GRAPH_COUNTS; i++)
            fprintf(csv, ",%s", htmt__graph_count_columns[i]);
        putc('\n', csv);
    }
    for (size_t i = 0; !rc && i < rows->count; i++)
        rc = judge_row(app, how, &rows->row[i], out, csv, &t, fault);
    if (rc)
        return rc;
    fprintf(out, "%u rows: %u exact, %u differ\n", t.played, t.exact, t.played - t.exact);
    if (rows->others)
        fprintf(out, "%u tables have other columns, and are left out\n", rows->others);
    if (t.absent)
        fprintf(out, "%u rows are of graphs that are not shipped: --data DIR names their folder\n",
                t.absent);
    if (t.played != t.exact)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%u of %u rows differ", t.played - t.exact,
                            t.played);
    return rc;
}

int htmt__graph_judge(const struct htmt_app *const *apps, const struct htmt__graph_judgement *how,
                      FILE *out, struct htmt_fault *fault)
{
    struct htmt__graph_rows rows = {.count = 0};
    struct htmt_whole_file *f = NULL;
    while (*apps && strcmp((*apps)->name, "graph") != 0)
        apps++;
    int rc = *apps ? 0 : htmt_fault_set(fault, HTMT_ENOENT, "no application 'graph'");
    if (!rc && how->data && access(how->data, R_OK | X_OK) != 0)
        rc = htmt_fault_set(fault, HTMT_ENOENT, "--data: cannot open the folder '%s'", how->data);
    if (!rc && how->data)
        rc = htmt__graph_rows_load(how->data, &rows, fault);
    if (!rc && !rows.count) {
        htmt__graph_rows_clear(&rows);
        rc = htmt__graph_rows_load(NULL, &rows, fault);
    }
    if (!rc && how->csv)
        rc = htmt_whole_file_open(how->csv, &f, fault);
    if (!rc)
        rc = judge_all(*apps, how, &rows, out, f ? htmt_whole_file_stream(f) : NULL, fault);
    /* What differs is in the file, too. */
    if (f && (!rc || rc == HTMT_EWRONG)) {
        struct htmt_fault failed = {0};
        if (htmt_whole_file_commit(&f, &failed) && !rc)
            rc = htmt_fault_set(fault, failed.code, "%s", failed.text);
    }
    htmt_whole_file_abandon(&f);
    htmt__graph_rows_clear(&rows);
    return rc;
}
