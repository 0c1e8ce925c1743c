/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate`: compares the tables of the papers with files, closed forms and model runs;
 * `validate pim` compares measured machines with predictions of them. `validate mermaid --host` is
 * answered by the verb host.
 */
#include "emul/command/command.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/progress.h"
#include "emul/validate/figure7.h"
#include "emul/validate/graph_judge.h"
#include "emul/validate/pim/pim_report.h"
#include "emul/validate/report.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/suggest.h"

#include <string.h>
#include <unistd.h>

#define TABLES_MAX 64
#define MEASURED   "pim" /* machines that were built, in place of papers */
#define KERNELS    "mermaid"
#define GRAPHS     "graph" /* runs of another simulator */

static const struct htmt_app_option rows[] = {
    {"list", NULL, NULL, "list the tables of papers"},
    {"quiet", NULL, NULL, "a line for each table, the misses, the totals"},
    {"json", "FILE|-", NULL, "of papers: everything as one JSON object; - replaces the report"},
    {"csv", "FILE", NULL, "a line for each row"},
    {"plot", "FILE", NULL, "Figure 7 of Amaral et al.; of pim, the scatter: .svg, .png or .pdf"},
    {"data", "DIR", NULL,
     "of papers and pim: rows of another folder; of graph: its graphs, and rows, if it has any"},
    {"host", "FILE|measure", NULL, "of mermaid: its kernels by the node model and by the clock"},
    {"n", "N..M", NULL, "with --host: sizes of all kernels; default: from l1 to memory"},
    {"sizes", "COUNT", NULL, "with --host: how many; default: 20"},
    {NULL, NULL, NULL, NULL},
};

struct validate_request {
    const char *table[TABLES_MAX];
    unsigned tables;
    const char *json, *csv, *plot, *data;
    bool list, quiet;
    bool shows; /* progress is shown on a terminal */
};

/* ---- the command line ------------------------------------------------------------------------ */

struct valued {
    const char *name, *wanted;
    const char **value;
};

/* "--json FILE" or "--json=FILE", each once; `count` rows. *taken: whether the word is one of them.
 */
static int take_valued(const struct valued *of, size_t count, int argc, char **argv, int *i,
                       bool *taken, struct htmt_fault *fault)
{
    *taken = false;
    for (size_t k = 0; k < count && !*taken; k++) {
        const char *value = htmt__command_value(of[k].name, argc, argv, i);
        if (!value)
            continue;
        *taken = true;
        if (*of[k].value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", of[k].name);
        if (!*value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing, expected %s",
                                  of[k].name, of[k].wanted);
        *of[k].value = value;
    }
    return 0;
}

/* Checks before the work starts that the files can be written. */
static int claim_files(const char *json, const char *csv, const char *plot,
                       int (*check_plot)(const char *, struct htmt_fault *),
                       struct htmt_fault *fault)
{
    if (csv && !strcmp(csv, "-"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--csv: found '-', expected a file");
    int rc = htmt__output_claim_streams(fault);
    if (!rc && json && strcmp(json, "-") != 0)
        rc = htmt_output_claim("--json", json, fault);
    if (!rc && csv)
        rc = htmt_output_claim("--csv", csv, fault);
    if (!rc && plot)
        rc = check_plot(plot, fault);
    if (!rc && plot)
        rc = htmt_output_claim("--plot", plot, fault);
    return rc;
}

static int read_words(struct validate_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    static const char *const known[] = {"--list", "--quiet", "--json", "--csv", "--plot", "--data"};
    const struct valued valued[] = {{"--json", "FILE", &r->json},
                                    {"--csv", "FILE", &r->csv},
                                    {"--plot", "FILE", &r->plot},
                                    {"--data", "DIR", &r->data}};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        bool taken;
        if (*word != '-') {
            if (r->tables == TABLES_MAX)
                return htmt_fault_set(fault, HTMT_EUSAGE, "more than %d tables", TABLES_MAX);
            r->table[r->tables++] = word;
            continue;
        }
        int rc = take_valued(valued, sizeof valued / sizeof *valued, argc, argv, &i, &taken, fault);
        if (rc)
            return rc;
        if (taken)
            continue;
        bool *given = !strcmp(word, "--list")    ? &r->list
                      : !strcmp(word, "--quiet") ? &r->quiet
                                                 : NULL;
        if (!given)
            return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                        "'htmt help validate'", fault);
        if (*given)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", word);
        *given = true;
    }
    if (r->list && argc > 2)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--list: found more, expected nothing beside it");
    return claim_files(r->json, r->csv, r->plot, htmt__figure7_check, fault);
}

/* ---- papers ---------------------------------------------------------------------------------- */

/* A file that cannot be written does not keep the others from being written. */
static int tell(const struct validate_request *r, const struct htmt__validation *v,
                struct htmt_fault *fault)
{
    if (!r->json || strcmp(r->json, "-") != 0)
        (r->quiet ? htmt__validate_print_brief : htmt__validate_print)(v, stdout);
    int json = r->json ? htmt__json_write(htmt__validate_json(v), r->json, fault) : 0;
    int csv = r->csv ? htmt__validate_csv(v, r->csv, fault) : 0;
    int plot = r->plot ? htmt__figure7_plot(v, r->plot, fault) : 0;
    int rc = json ? json : csv ? csv : plot;
    if (!rc && v->totals.missed)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%u of %u figures are missed", v->totals.missed,
                            v->totals.judged);
    if (!rc && v->totals.cannot_judge)
        rc = htmt_fault_set(fault, HTMT_ESYSTEM,
                            "%u of %u figures could not be judged: the host failed",
                            v->totals.cannot_judge, v->totals.judged);
    return rc;
}

static void show(void *user, const char *what)
{
    const struct validate_request *r = user;
    if (r->shows)
        htmt__progress_line(what);
}

static int validate(struct validate_request *r, const struct htmt_app *const *apps,
                    const struct htmt__golden *golden, struct htmt_fault *fault)
{
    struct htmt__validation v;
    struct htmt__validation_options o = {
        .tables = r->table, .table_count = r->tables, .progress = show, .user = r};
    if (r->plot && !htmt__validation_chooses(&o, HTMT__FIGURE7_TABLE))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: " HTMT__FIGURE7_TABLE " is not among the tables");
    r->shows = isatty(STDERR_FILENO) && !r->quiet;
    int rc = htmt__validate(golden, apps, &o, &v, fault);
    if (r->shows)
        htmt__progress_line("");
    if (rc)
        return rc;
    rc = tell(r, &v, fault);
    htmt__validation_clear(&v);
    return rc;
}

/* ---- measured machines -------------------------------------------------------------------------
 */

struct pim_request {
    const char *data, *csv, *plot;
    bool quiet;
};

/* Words behind a table of measurements: its valued options and --quiet. `expected` has them for
 * people. Options of the papers are refused by name. */
static int read_measured(const char *table, const char *expected, const struct valued *valued,
                         unsigned count, bool *quiet, int argc, char **argv,
                         struct htmt_fault *fault)
{
    const char *known[8] = {"--quiet"};
    bool taken;
    for (unsigned k = 0; k < count; k++)
        known[1 + k] = valued[k].name;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        int rc = take_valued(valued, count, argc, argv, &i, &taken, fault);
        if (rc)
            return rc;
        if (taken)
            continue;
        if (!strcmp(word, "--quiet")) {
            *quiet = true;
            continue;
        }
        if (*word != '-')
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "found '%.60s' behind '%s', expected %s (tables of papers are "
                                  "judged by a run of their own)",
                                  word, table, expected);
        for (const struct htmt_app_option *o = rows; o->name && !strncmp(word, "--", 2); o++)
            if (strcmp(o->name, "quiet") != 0 && strcspn(word + 2, "=") == strlen(o->name) &&
                !strncmp(word + 2, o->name, strlen(o->name)))
                return htmt_fault_set(fault, HTMT_EUSAGE,
                                      "--%s: '%s' does not have it, expected %s", o->name, table,
                                      expected);
        return htmt__suggest_refuse("option", word, known, count + 1, "'htmt help validate'",
                                    fault);
    }
    return 0;
}

static int read_pim_words(struct pim_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    const struct valued valued[] = {
        {"--data", "DIR", &r->data}, {"--csv", "FILE", &r->csv}, {"--plot", "FILE", &r->plot}};
    int rc = read_measured(MEASURED, "--data, --csv, --plot or --quiet", valued, 3, &r->quiet, argc,
                           argv, fault);
    return rc ? rc : claim_files(NULL, r->csv, r->plot, htmt__pim_plot_check, fault);
}

/* The first unknown id that stands among known ones; a file without any known id is another table,
 * unless no file has any. NULL: there is none. */
static const struct htmt__measured_row *first_unknown(const struct htmt__pim_judgement *j)
{
    bool any = false;
    for (unsigned i = 0; i < j->count; i++)
        any |= j->finding[i].row->kind != HTMT__MEASURED_UNKNOWN;
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__measured_row *row = j->finding[i].row;
        bool known = !any;
        if (row->kind != HTMT__MEASURED_UNKNOWN)
            continue;
        for (unsigned k = 0; k < j->count && !known; k++)
            known = j->finding[k].row->kind != HTMT__MEASURED_UNKNOWN &&
                    j->finding[k].row->file == row->file;
        if (known)
            return row;
    }
    return NULL;
}

static int tell_pim(const struct pim_request *r, const struct htmt__pim_judgement *j,
                    struct htmt_fault *fault)
{
    htmt__pim_print(j, r->quiet, stdout);
    int csv = r->csv ? htmt__pim_csv(j, r->csv, fault) : 0;
    int plot = r->plot ? htmt__pim_plot(j, r->plot, fault) : 0;
    int rc = csv ? csv : plot;
    const struct htmt__measured_row *row = first_unknown(j);
    if (!rc && row)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: unknown id '%.60s'", row->file, row->line,
                            row->id);
    if (!rc && j->missed)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%u groups miss their target", j->missed);
    if (!rc && j->not_judged)
        rc = htmt_fault_set(
            fault, HTMT_ESYSTEM,
            "groups with a target whose rows have no prediction, and are not judged: "
            "%u",
            j->not_judged);
    return rc;
}

static int validate_pim(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt_app *const *apps;
    struct pim_request r = {0};
    struct htmt__pim_judgement j;
    struct htmt_fault fault = {0};
    int rc = read_pim_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt__application_all(&program->apps, &apps, &fault);
    if (!rc)
        rc = htmt__pim_judge(r.data, apps, &j, &fault);
    if (!rc) {
        rc = tell_pim(&r, &j, &fault);
        htmt__pim_clear(&j);
    }
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("validate", &fault) : 0;
}

/* ---- graph programs -------------------------------------------------------------------------- */

static int read_graph_words(struct htmt__graph_judgement *r, int argc, char **argv,
                            struct htmt_fault *fault)
{
    const struct valued valued[] = {{"--data", "DIR", &r->data}, {"--csv", "FILE", &r->csv}};
    int rc =
        read_measured(GRAPHS, "--data, --csv or --quiet", valued, 2, &r->quiet, argc, argv, fault);
    return rc ? rc : claim_files(NULL, r->csv, NULL, NULL, fault);
}

static int validate_graph(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt_app *const *apps;
    struct htmt__graph_judgement r = {0};
    struct htmt_fault fault = {0};
    int rc = read_graph_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt__application_all(&program->apps, &apps, &fault);
    if (!rc)
        rc = htmt__graph_judge(apps, &r, stdout, &fault);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("validate", &fault) : 0;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int verb_validate(struct htmt__command *program, int argc, char **argv)
{
    struct validate_request r = {0};
    struct htmt__golden golden;
    const struct htmt_app *const *apps;
    struct htmt_fault fault = {0};
    if (argc > 1 && !strcmp(argv[1], MEASURED))
        return validate_pim(program, argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], GRAPHS))
        return validate_graph(program, argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], KERNELS) && htmt__asks_for_host(argc, argv))
        return htmt__validate_host(program, argc, argv);
    int rc = read_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt__golden_load(&golden, r.data, &fault);
    if (!rc) {
        for (unsigned i = 0; r.list && i < golden.count; i++)
            printf("%-32s %4u rows  %s\n", golden.table[i].name, golden.table[i].count,
                   golden.table[i].title);
        if (!r.list)
            rc = htmt__application_all(&program->apps, &apps, &fault);
        if (!rc && !r.list)
            rc = validate(&r, apps, &golden, &fault);
        htmt__golden_clear(&golden);
    }
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("validate", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_validate = {
    "validate",
    "[TABLE]... [--list] [--quiet] [--data DIR] [--json FILE|-] [--csv FILE] [--plot FILE], or pim "
    "[--data DIR]"
    " [--quiet] [--csv FILE] [--plot FILE], or graph [--data DIR] [--quiet] [--csv FILE], or "
    "mermaid --host FILE|measure [--csv FILE]"
    " [--plot FILE] [--n N..M] [--sizes COUNT]",
    "compare with the figures of papers and of measured machines",
    verb_validate,
    rows,
    NULL};
