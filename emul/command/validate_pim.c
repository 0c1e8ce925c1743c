/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/validate_pim.h"

#include "emul/lib/verbs/verb.h"
#include "emul/validate/pim/pim_report.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/suggest.h"

#include <string.h>

struct request {
    const char *data, *csv, *plot;
    bool quiet;
};

/* The option's value: behind '=' or the next word; NULL: it is another option. */
static const char *value_of(const char *option, int argc, char **argv, int *i)
{
    size_t length = strlen(option);
    const char *word = argv[*i];
    if (strncmp(word, option, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    return word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
}

static int refuse_word(const char *word, struct htmt_fault *fault)
{
    static const char *const known[] = {"--data", "--csv", "--plot", "--quiet"};
    static const char *const others[] = {"--list", "--json", "--host", "--n", "--sizes"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcspn(word, "=") == strlen(others[i]) &&
            strncmp(word, others[i], strlen(others[i])) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "%s: 'pim' does not have it, expected --data, --csv, --plot or "
                                  "--quiet",
                                  others[i]);
    if (*word != '-')
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found '%.60s' behind 'pim', expected an option (tables of papers "
                              "are judged by a run of their own)",
                              word);
    return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                "'htmt help validate'", fault);
}

static int take_word(struct request *r, int argc, char **argv, int *i, struct htmt_fault *fault)
{
    const struct {
        const char *name, *wanted;
        const char **value;
    } valued[] = {
        {"--data", "DIR", &r->data}, {"--csv", "FILE", &r->csv}, {"--plot", "FILE", &r->plot}};
    if (!strcmp(argv[*i], "--quiet")) {
        r->quiet = true;
        return 0;
    }
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++) {
        const char *value = value_of(valued[k].name, argc, argv, i);
        if (!value)
            continue;
        if (*valued[k].value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", valued[k].name);
        if (!*value)
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing, expected %s",
                                  valued[k].name, valued[k].wanted);
        *valued[k].value = value;
        return 0;
    }
    return refuse_word(argv[*i], fault);
}

static int read_words(struct request *r, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 1; i < argc && !rc; i++)
        rc = take_word(r, argc, argv, &i, fault);
    if (!rc && r->csv && !strcmp(r->csv, "-"))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--csv: found '-', expected a file");
    if (!rc)
        rc = htmt__output_claim_streams(fault);
    if (!rc && r->csv)
        rc = htmt_output_claim("--csv", r->csv, fault);
    if (!rc && r->plot)
        rc = htmt__pim_plot_check(r->plot, fault);
    if (!rc && r->plot)
        rc = htmt_output_claim("--plot", r->plot, fault);
    return rc;
}

/* A file that cannot be written does not keep the other from being written. */
static int write_files(const struct request *r, const struct htmt__pim_judgement *j,
                       struct htmt_fault *fault)
{
    int csv = r->csv ? htmt__pim_csv(j, r->csv, fault) : 0;
    int plot = r->plot ? htmt__pim_plot(j, r->plot, fault) : 0;
    return csv ? csv : plot;
}

/* Whether the file, NULL: any, has a row that is known. */
static bool has_known(const struct htmt__pim_judgement *j, const char *file)
{
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__measured_row *row = j->finding[i].row;
        if (row->kind != HTMT__MEASURED_UNKNOWN && (!file || row->file == file))
            return true;
    }
    return false;
}

/* The first unknown id that stands among known ones; a file without any known id is another table.
 * NULL: there is none. */
static const struct htmt__measured_row *first_unknown(const struct htmt__pim_judgement *j)
{
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__measured_row *row = j->finding[i].row;
        if (row->kind == HTMT__MEASURED_UNKNOWN && (has_known(j, row->file) || !has_known(j, NULL)))
            return row;
    }
    return NULL;
}

static int tell(const struct request *r, const struct htmt__pim_judgement *j,
                struct htmt_fault *fault)
{
    htmt__pim_print(j, r->quiet, stdout);
    int rc = write_files(r, j, fault);
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

int htmt__validate_pim(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt_app *const *apps;
    struct request r = {0};
    struct htmt__pim_judgement j;
    struct htmt_fault fault = {0};
    int rc = read_words(&r, argc, argv, &fault);
    if (!rc)
        rc = htmt__application_all(&program->apps, &apps, &fault);
    if (!rc)
        rc = htmt__pim_judge(r.data, apps, &j, &fault);
    if (!rc) {
        rc = tell(&r, &j, &fault);
        htmt__pim_clear(&j);
    }
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("validate", &fault) : 0;
}
