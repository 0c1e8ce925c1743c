/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt validate`: compares the tables of the papers with files, closed forms and model runs.
 */
#include "emul/command/validate.h"
#include "emul/command/host_compare.h"
#include "emul/command/validate_pim.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/progress.h"
#include "emul/validate/figure7.h"
#include "emul/validate/report.h"

#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/suggest.h"

#include <string.h>
#include <unistd.h>

#define TABLES_MAX 64
#define MEASURED   "pim" /* machines that were built, in place of papers */
#define KERNELS    "mermaid"

static const struct htmt_app_option rows[] = {
    {"list", NULL, NULL, "list the tables of papers"},
    {"quiet", NULL, NULL, "a line for each table, the misses, the totals"},
    {"json", "FILE|-", NULL, "of papers: everything as one JSON object; - replaces the report"},
    {"csv", "FILE", NULL, "a line for each row"},
    {"plot", "FILE", NULL, "Figure 7 of Amaral et al.; of pim, the scatter: .svg, .png or .pdf"},
    {"data", "DIR", NULL, "of pim: measured rows of another folder"},
    {"host", "FILE|measure", NULL, "of mermaid: its kernels by the node model and by the clock"},
    {"n", "N..M", NULL, "with --host: sizes of all kernels; default: from l1 to memory"},
    {"sizes", "COUNT", NULL, "with --host: how many; default: 20"},
    {NULL, NULL, NULL, NULL},
};

struct validate_request {
    const char *table[TABLES_MAX];
    unsigned tables;
    const char *json, *csv, *plot;
    bool list, quiet;
    bool shows; /* progress is shown on a terminal */
};

/* ---- command line --------------------------------------------------------------------------- */

static int take_table(struct validate_request *r, const char *name, struct htmt_fault *fault)
{
    if (r->tables == TABLES_MAX)
        return htmt_fault_set(fault, HTMT_EUSAGE, "more than %d tables", TABLES_MAX);
    r->table[r->tables++] = name;
    return 0;
}

static int take_switch(const char *word, bool *given, struct htmt_fault *fault)
{
    if (*given)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", word);
    *given = true;
    return 0;
}

static int refuse_option(const char *word, struct htmt_fault *fault)
{
    static const char *const known[] = {"--list", "--quiet", "--json", "--csv", "--plot"};
    return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                "'htmt help validate'", fault);
}

/* "--json FILE" or "--json=FILE"; advances *i if the value is the next word. */
static int take_option(struct validate_request *r, int argc, char **argv, int *i,
                       struct htmt_fault *fault)
{
    const struct {
        const char *name;
        const char **value;
    } valued[] = {{"--json", &r->json}, {"--csv", &r->csv}, {"--plot", &r->plot}};
    const char *word = argv[*i];
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++) {
        size_t length = strlen(valued[k].name);
        if (strncmp(word, valued[k].name, length) != 0 || (word[length] && word[length] != '='))
            continue;
        if (*valued[k].value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", valued[k].name);
        *valued[k].value = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
        if (!**valued[k].value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing, expected FILE",
                                  valued[k].name);
        return 0;
    }
    if (!strcmp(word, "--list"))
        return take_switch(word, &r->list, fault);
    if (!strcmp(word, "--quiet"))
        return take_switch(word, &r->quiet, fault);
    return refuse_option(word, fault);
}

static bool json_only(const struct validate_request *r)
{
    return r->json && !strcmp(r->json, "-");
}

/* Checks before the work starts that the files can be written. */
static int check_files(const struct validate_request *r, struct htmt_fault *fault)
{
    if (r->csv && !strcmp(r->csv, "-"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--csv: found '-', expected a file");
    int rc = htmt__output_claim_streams(fault);
    if (!rc && r->json && !json_only(r))
        rc = htmt_output_claim("--json", r->json, fault);
    if (!rc && r->csv)
        rc = htmt_output_claim("--csv", r->csv, fault);
    if (!rc && r->plot)
        rc = htmt__figure7_check(r->plot, fault);
    if (!rc && r->plot)
        rc = htmt_output_claim("--plot", r->plot, fault);
    return rc;
}

static int read_words(struct validate_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 1; i < argc && !rc; i++)
        rc = argv[i][0] == '-' ? take_option(r, argc, argv, &i, fault)
                               : take_table(r, argv[i], fault);
    if (!rc && r->list && argc > 2)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--list: found more, expected nothing beside it");
    return rc ? rc : check_files(r, fault);
}

/* ---- work ----------------------------------------------------------------------------------- */

static void show(void *user, const char *what)
{
    const struct validate_request *r = user;
    if (r->shows)
        htmt__progress_line(what);
}

static void list(const struct htmt__golden *g)
{
    for (unsigned i = 0; i < g->count; i++)
        printf("%-32s %4u rows  %s\n", g->table[i].name, g->table[i].count, g->table[i].title);
}

static void print(const struct validate_request *r, const struct htmt__validation *v)
{
    if (r->quiet && !json_only(r))
        htmt__validate_print_brief(v, stdout);
    else if (!json_only(r))
        htmt__validate_print(v, stdout);
}

/* A file that cannot be written does not keep the others from being written. */
static int write_files(const struct validate_request *r, const struct htmt__validation *v,
                       struct htmt_fault *fault)
{
    int json = r->json ? htmt__json_write(htmt__validate_json(v), r->json, fault) : 0;
    int csv = r->csv ? htmt__validate_csv(v, r->csv, fault) : 0;
    int plot = r->plot ? htmt__figure7_plot(v, r->plot, fault) : 0;
    return json ? json : csv ? csv : plot;
}

static int tell(const struct validate_request *r, const struct htmt__validation *v,
                struct htmt_fault *fault)
{
    print(r, v);
    int rc = write_files(r, v, fault);
    if (!rc && v->totals.missed)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%u of %u figures are missed", v->totals.missed,
                            v->totals.judged);
    if (!rc && v->totals.cannot_judge)
        rc = htmt_fault_set(fault, HTMT_ESYSTEM,
                            "%u of %u figures could not be judged: the host failed",
                            v->totals.cannot_judge, v->totals.judged);
    return rc;
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

static int run(struct htmt__command *program, struct validate_request *r,
               const struct htmt__golden *golden, struct htmt_fault *fault)
{
    const struct htmt_app *const *apps;
    if (r->list) {
        list(golden);
        return 0;
    }
    int rc = htmt__application_all(&program->apps, &apps, fault);
    return rc ? rc : validate(r, apps, golden, fault);
}

static int verb_validate(struct htmt__command *program, int argc, char **argv)
{
    struct validate_request r = {0};
    struct htmt__golden golden;
    struct htmt_fault fault = {0};
    if (argc > 1 && !strcmp(argv[1], MEASURED))
        return htmt__validate_pim(program, argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], KERNELS) && htmt__asks_for_host(argc, argv))
        return htmt__validate_host(program, argc, argv);
    int rc = read_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt__golden_load(&golden, &fault);
    if (!rc) {
        rc = run(program, &r, &golden, &fault);
        htmt__golden_clear(&golden);
    }
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("validate", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_validate = {
    "validate",
    "[TABLE]... [--list] [--quiet] [--json FILE|-] [--csv FILE] [--plot FILE], or pim [--data DIR]"
    " [--quiet] [--csv FILE] [--plot FILE], or mermaid --host FILE|measure [--csv FILE]"
    " [--plot FILE] [--n N..M] [--sizes COUNT]",
    "compare with the figures of papers and of measured machines",
    verb_validate,
    rows,
    NULL};
