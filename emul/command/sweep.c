/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt sweep`: the command line of predict, model or run at all points of its axes.
 */
#include "apps/formats/plot.h"
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/study/file.h"
#include "emul/study/workers.h"
#include "layers/file/yaml.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct htmt_app_option rows[] = {
    {"vary", "KEY=VALUES", NULL,
     "an axis: a figure of the machine, costs:KEY, opt:NAME, or machine:A,B; values are a list, "
     "A..B:N, A..B:logN or factors such as 0.5x..2x:N; may be repeated"},
    {"column", "NAME[=FORMULA]", NULL, "a result, or a formula of results and figures"},
    {"front", "NAME,NAME", NULL, "mark the points that none betters in both columns"},
    {"sample", "N", NULL, "a Latin hypercube of N points in place of the grid"},
    {"study", "FILE", NULL, "keep the results here; what is there is not computed again"},
    {"csv", "FILE", NULL, "write all rows as comma-separated values"},
    {"json", "FILE|-", NULL, "the same as JSON"},
    {"plot", "FILE", NULL,
     "draw T, or the first --column, over the first axis, or the front: .svg, .png or .pdf"},
    {"jobs", "N", "online", "processes that compute points"},
    {NULL, NULL, NULL, NULL}};

static int claim(const char *option, const char *path, struct htmt_fault *fault)
{
    return path && strcmp(path, "-") != 0 ? htmt_output_claim(option, path, fault) : 0;
}

/* Once before the study file is read, since an output may not be an input, and once behind it. */
static int claim_all(const struct htmt__sweep *w, struct htmt_fault *fault)
{
    int rc = claim("--csv", w->csv, fault);
    rc = rc ? rc : claim("--json", w->json, fault);
    rc = rc ? rc : claim("--plot", w->plot, fault);
    return rc ? rc : claim("--study", w->store, fault);
}

/* Takes the study's words out of argv; what is left is the application's. */
static int take_words(struct htmt__sweep *w, int *argc, char **argv, struct htmt_fault *fault)
{
    const struct htmt__command_word words[] = {
        {"--vary", w->vary, &w->axes, HTMT__STUDY_AXES},
        {"--column", w->column, &w->columns, HTMT__COLUMNS_MOST},
        {"--front", &w->front, NULL, 0},
        {"--sample", &w->sample, NULL, 0},
        {"--study", &w->store, NULL, 0},
        {"--csv", &w->csv, NULL, 0},
        {"--json", &w->json, NULL, 0},
        {"--plot", &w->plot, NULL, 0},
        {"--jobs", &w->jobs, NULL, 0}};
    int rc = htmt__command_take(words, sizeof words / sizeof *words, argc, argv, fault);
    for (unsigned i = 0; i < w->axes; i++)
        w->where[i] = "--vary";
    return rc ? rc : claim_all(w, fault);
}

/* Everything that can be refused before a point is computed. */
static int prepare(struct htmt__sweep *w, unsigned *jobs, struct htmt_fault *fault)
{
    struct htmt__study *s = &w->study;
    uint64_t n = 0;
    void *part = NULL;
    int rc = 0;
    for (unsigned i = 0; i < w->axes && !rc; i++) {
        struct htmt__axis axis;
        rc = htmt__axis_read(w->where[i], w->vary[i], &axis, fault);
        if (!rc)
            rc = htmt__study_axis(s, &axis, fault);
        else
            htmt__axis_fini(&axis);
    }
    if (!rc && w->sample)
        rc = htmt__options_number("sample", w->sample, 1, HTMT__STUDY_POINTS, &s->samples, fault);
    if (!rc && w->seed)
        rc = htmt__options_number("seed", w->seed, 0, UINT64_MAX, &s->seed, fault);
    n = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (!rc && w->jobs && strcmp(w->jobs, "online") != 0)
        rc = htmt__options_number("jobs", w->jobs, 1, HTMT__JOBS_MOST, &n, fault);
    *jobs = (unsigned)(n > HTMT__JOBS_MOST ? HTMT__JOBS_MOST : n);
    rc = rc ? rc : htmt__study_table_column(&w->table, "T", fault);
    for (unsigned i = 0; i < w->columns && !rc; i++)
        rc = htmt__study_table_column(&w->table, w->column[i], fault);
    w->table.front[0] = -1;
    if (!rc && w->front)
        rc = htmt__study_table_front(&w->table, w->front, fault);
    rc = rc ? rc : claim_all(w, fault);
    if (!rc && w->plot)
        rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc && w->plot)
        rc = ((const struct htmt__plot_part *)part)->check(w->plot, fault);
    rc = rc ? rc : htmt__study_plan(s, fault);
    return rc || !w->plot || w->table.front[0] >= 0 ? rc : htmt__study_check_plot(s, fault);
}

static int study(struct htmt__sweep *w, unsigned jobs, struct htmt_fault *fault)
{
    struct htmt__study_place place;
    uint64_t computed = 0;
    int rc = htmt__study_place_open("sweep", w->store, &place, fault);
    if (rc)
        return rc;
    rc = htmt__study_compute(&w->study, &w->table, &place, jobs, &computed, fault);
    htmt__study_place_close(&place);
    const bool some = w->table.refused < w->study.points;
    if (!rc && some && w->csv)
        rc = htmt__study_table_csv(&w->table, w->csv, fault);
    if (!rc && w->json && (some || strcmp(w->json, "-") == 0))
        rc = htmt__study_table_json(&w->table, w->json, fault);
    if (!rc && some && w->plot)
        rc = htmt__study_table_plot(&w->table, w->plot, fault);
    if (!rc && !(w->json && strcmp(w->json, "-") == 0)) {
        rc = htmt__study_table_print(&w->table, stdout);
        if (!rc && w->store)
            printf("%s: %" PRIu64 " of them computed now\n", w->store, computed);
    }
    if (!rc && !some)
        rc = htmt_fault_set(fault, w->table.row[0].code, "all points are refused: %s",
                            w->table.row[0].why);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_strerror(rc)) : 0;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct htmt__sweep *w = calloc(1, sizeof *w);
    unsigned jobs = 1;
    char **words = w ? argv + 1 : NULL;
    int count = argc - 1;
    int rc = w ? take_words(w, &count, words, &fault)
               : htmt_fault_set(&fault, HTMT_ENOMEM, "out of memory");
    if (!rc) {
        w->seed = htmt__options_word("--seed", count, words);
        rc = htmt__sweep_words(w, &program->apps, "sweep", count, words, &fault);
    }
    rc = rc ? rc : prepare(w, &jobs, &fault);
    rc = rc ? rc : study(w, jobs, &fault);
    if (w) {
        htmt__study_table_fini(&w->table);
        htmt__study_fini(&w->study);
        htmt_yaml_destroy(&w->tree);
    }
    free(w);
    return rc ? htmt__complain("sweep", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_sweep = {
    "sweep",
    "predict|model|run APP [options] | STUDY.yaml [options]",
    "many predictions: a command line at all points of its axes",
    run,
    rows,
    NULL};
