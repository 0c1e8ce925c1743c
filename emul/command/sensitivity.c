/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt sensitivity`: the figures that the time of a command line depends on.
 */
#include "emul/study/sensitivity.h"
#include "apps/formats/plot.h"
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/study/file.h"
#include "layers/file/yaml.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATTERNS_MOST 64

static const struct htmt_app_option rows[] = {
    {"figures", "PATTERN", NULL,
     "figures of the machine, or costs:KEY; without it all; may be repeated"},
    {"group", "NAME=PATTERN", NULL, "these are one figure and change together; may be repeated"},
    {"far", NULL, NULL, "model, run: how far that holds, and steps; some twenty runs a figure"},
    {"study", "FILE", NULL, "keep the predictions here; what is there is not computed again"},
    {"csv", "FILE", NULL, "write all figures as comma-separated values"},
    {"json", "FILE|-", NULL, "the same as JSON"},
    {"plot", "FILE", NULL, "draw the largest as bars: .svg, .png or .pdf"},
    {"jobs", "N", "online", "processes that compute predictions"},
    {NULL, NULL, NULL, NULL}};

struct asked {
    struct htmt__sweep cases;
    struct htmt__sensitivity found;
    const char *figures[PATTERNS_MOST], *group[PATTERNS_MOST];
    const char *csv, *json, *plot, *far;
};

static int take_words(struct asked *a, int *argc, char **argv, struct htmt_fault *fault)
{
    const struct htmt__command_word words[] = {
        {"--figures", a->figures, &a->found.patterns, PATTERNS_MOST},
        {"--group", a->group, &a->found.groups, PATTERNS_MOST},
        {"--study", &a->cases.store, NULL, 0},
        {"--csv", &a->csv, NULL, 0},
        {"--json", &a->json, NULL, 0},
        {"--plot", &a->plot, NULL, 0},
        {"--jobs", &a->cases.jobs, NULL, 0},
        {"--far", &a->far, NULL, HTMT__COMMAND_SWITCH}};
    a->found.figures = a->figures;
    a->found.group = a->group;
    int rc = htmt__command_take(words, sizeof words / sizeof *words, argc, argv, fault);
    a->found.far = a->far != NULL;
    /* Before the study file is read, since an output may not be an input. */
    if (!rc && a->csv)
        rc = htmt_output_claim("--csv", a->csv, fault);
    if (!rc && a->json && strcmp(a->json, "-") != 0)
        rc = htmt_output_claim("--json", a->json, fault);
    if (!rc && a->plot)
        rc = htmt_output_claim("--plot", a->plot, fault);
    if (!rc && a->cases.store)
        rc = htmt_output_claim("--study", a->cases.store, fault);
    return rc;
}

/* Everything that can be refused before a prediction is made. */
static int prepare(struct asked *a, struct htmt_fault *fault)
{
    void *part = NULL;
    uint64_t n = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    int rc = 0;
    if (a->cases.jobs && strcmp(a->cases.jobs, "online") != 0)
        rc = htmt__options_number("jobs", a->cases.jobs, 1, HTMT__JOBS_MOST, &n, fault);
    a->found.jobs = (unsigned)(n > HTMT__JOBS_MOST ? HTMT__JOBS_MOST : n);
    if (!rc && a->plot)
        rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc && a->plot)
        rc = ((const struct htmt__plot_part *)part)->check(a->plot, fault);
    return rc;
}

static int find(struct asked *a, struct htmt_fault *fault)
{
    struct htmt__study_place place;
    int rc = htmt__study_place_open("sensitivity", a->cases.store, &place, fault);
    if (rc)
        return rc;
    a->found.study = &a->cases.study;
    rc = htmt__sensitivity_find(&a->found, &place, fault);
    htmt__study_place_close(&place);
    if (!rc && a->csv)
        rc = htmt__sensitivity_csv(&a->found, a->csv, fault);
    if (!rc && a->json)
        rc = htmt__sensitivity_json(&a->found, a->json, fault);
    if (!rc && a->plot)
        rc = htmt__sensitivity_plot(&a->found, a->plot, fault);
    if (!rc && !(a->json && strcmp(a->json, "-") == 0)) {
        rc = htmt__sensitivity_print(&a->found, stdout);
        if (!rc && a->cases.axes)
            puts("The axes of the file are left out: each case is its own command line.");
        if (!rc && a->cases.store)
            printf("%s: %" PRIu64 " predictions computed now\n", a->cases.store, a->found.computed);
    }
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_strerror(rc)) : 0;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct asked *a = calloc(1, sizeof *a);
    char **words = argv + 1;
    int count = argc - 1;
    int rc = a ? take_words(a, &count, words, &fault)
               : htmt_fault_set(&fault, HTMT_ENOMEM, "out of memory");
    rc =
        rc ? rc : htmt__sweep_words(&a->cases, &program->apps, "sensitivity", count, words, &fault);
    rc = rc ? rc : prepare(a, &fault);
    rc = rc ? rc : find(a, &fault);
    if (a) {
        if (a->found.study)
            htmt__sensitivity_fini(&a->found);
        htmt__study_fini(&a->cases.study);
        htmt_yaml_destroy(&a->cases.tree);
    }
    free(a);
    return rc ? htmt__complain("sensitivity", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_sensitivity = {
    "sensitivity",
    "predict|model|run APP [options] | STUDY.yaml [options]",
    "the figures that the time depends on, and how far that holds",
    run,
    rows,
    NULL};
