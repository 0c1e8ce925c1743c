/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/report.h"

#include "emul/lib/options/options.h"
#include "emul/lib/report/difference.h"
#include "emul/lib/report/html.h"
#include "emul/lib/report/json.h"
#include "emul/lib/report/reader.h"
#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/trace/account.h"
#include "emul/lib/trace/use.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/text_stream.h"
#include "runtime/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 240 }; /* pieces of time in the page */

enum option { COMPARE, JSON, HTML, TRACE };

static const struct htmt_app_option rows[] = {
    [COMPARE] = {"compare", NULL, NULL, "what changed from the first of two runs to the second"},
    [JSON] = {"json", "FILE|-", NULL, "write the comparison as JSON; - replaces its report"},
    [HTML] = {"html", "FILE", NULL, "write the report of one run as a page with charts"},
    [TRACE] = {"trace", "FILE", NULL, "the trace of that run, for use over time in the page"},
    {NULL, NULL, NULL, NULL},
};

static const struct htmt_app_verb verb = {.name = "report", .options = rows};

/* The words of the command line. */
struct words {
    struct htmt__options options;
    const char **file;
    unsigned files;
};

static const char *given(const struct words *w, enum option option)
{
    return w->options.own[option];
}

/* Whether the next word is the value of this one. */
static bool takes_next(const char *word)
{
    for (unsigned i = 0; rows[i].name; i++)
        if (rows[i].value_name && strcmp(word + 2, rows[i].name) == 0)
            return true;
    return false;
}

/* Options may stand before, between and behind the files. */
static int read_words(struct words *w, int argc, char **argv, struct htmt_fault *fault)
{
    char **options = calloc((size_t)argc + 1, sizeof *options);
    int count = 0, rc;
    w->file = calloc((size_t)argc + 1, sizeof *w->file);
    for (int i = 1; i < argc && options && w->file; i++) {
        bool option = strncmp(argv[i], "--", 2) == 0;
        if (option)
            options[count++] = argv[i];
        else
            w->file[w->files++] = argv[i];
        if (option && i + 1 < argc && takes_next(argv[i]))
            options[count++] = argv[++i];
    }
    if (options && w->file)
        rc = htmt__options_parse_verb(NULL, &verb, count, options, &w->options, fault);
    else
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    free(options);
    return rc;
}

static int expect_files(const struct words *w, unsigned least, unsigned most, const char *wanted,
                        struct htmt_fault *fault)
{
    if (w->files >= least && w->files <= most)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "found %u file%s, expected %s", w->files,
                          w->files == 1 ? "" : "s", wanted);
}

static int check_words(const struct words *w, struct htmt_fault *fault)
{
    if (given(w, COMPARE) && given(w, HTML))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--compare has no page, found --html");
    if (given(w, JSON) && !given(w, COMPARE))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json is the form of --compare, not found");
    if (given(w, TRACE) && !given(w, HTML))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--trace is for the page of --html, not found");
    if (given(w, COMPARE))
        return expect_files(w, 2, 2, "the JSON of two runs", fault);
    if (given(w, HTML))
        return expect_files(w, 1, 1, "the JSON of one run", fault);
    return expect_files(w, 1, UINT32_MAX, "the JSON or the trace of a run", fault);
}

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

static int claim_outputs(const struct words *w, struct htmt_fault *fault)
{
    int rc = htmt__output_claim_streams(fault);
    if (!rc && is_file(given(w, JSON)))
        rc = htmt_output_claim("--json", given(w, JSON), fault);
    if (!rc && given(w, HTML))
        rc = htmt_output_claim("--html", given(w, HTML), fault);
    return rc;
}

/* A file of the command line: the JSON of a run, or a trace, which stays open. */
struct source {
    struct htmt_trace *trace;
    struct htmt__document d;
};

static int load_one(const char *path, bool traces, struct source *s, struct htmt_fault *fault)
{
    bool trace = false;
    int rc = traces ? htmt__document_is_trace(path, &trace, fault) : 0;
    if (rc || !trace)
        return rc ? rc : htmt__document_load(path, &s->d, fault);
    rc = htmt_trace_open(&s->trace, path, fault);
    return rc ? rc : htmt__trace_account(s->trace, &s->d, fault);
}

/* All are read before anything is written. Comparisons and pages need the JSON. */
static int load(const struct words *w, struct source *s, struct htmt_fault *fault)
{
    bool traces = !given(w, COMPARE) && !given(w, HTML);
    int rc = 0;
    for (unsigned i = 0; i < w->files && !rc; i++)
        rc = load_one(w->file[i], traces, &s[i], fault);
    return rc;
}

/* Several reports are headed by their files. */
static int print_all(const struct words *w, const struct source *s, struct htmt_fault *fault)
{
    int rc = 0;
    for (unsigned i = 0; i < w->files && !rc; i++) {
        if (i)
            putchar('\n');
        if (w->files > 1)
            htmt__report_line(stdout, "==> %s <==", w->file[i]);
        rc = htmt__report_document(&s[i].d, stdout);
    }
    return rc ? htmt_fault_set(fault, rc, "the report cannot be printed") : 0;
}

static bool replaces_report(const char *json)
{
    return json && strcmp(json, "-") == 0;
}

static int compare(const struct words *w, const struct source *s, struct htmt_fault *fault)
{
    struct htmt__difference x;
    const char *json = given(w, JSON);
    int rc = htmt__difference_make(&s[0].d, &s[1].d, &x);
    if (!rc && !replaces_report(json))
        rc = htmt__difference_print(&x, stdout);
    if (rc)
        htmt_fault_set(fault, rc, "the comparison cannot be made: %s", htmt_strerror(rc));
    else if (json)
        rc = htmt__json_write(htmt__difference_json(&x), json, fault);
    htmt__difference_clear(&x);
    return rc;
}

/* Use over time, of the same run; nothing without --trace. */
static int read_use(const struct words *w, const struct htmt__document *d, struct htmt_trace **t,
                    struct htmt__trace_use *use, struct htmt_fault *fault)
{
    const char *path = given(w, TRACE);
    int rc = path ? htmt_trace_open(t, path, fault) : 0;
    if (rc || !path)
        return rc;
    uint64_t hash = htmt_trace_info(*t)->history_hash;
    if (hash != d->results.history_hash)
        return htmt_fault_set(
            fault, HTMT_EFORMAT, "%s: found the trace of a run with history hash %s, expected %s",
            path, htmt__format_hash(hash).s, htmt__format_hash(d->results.history_hash).s);
    return htmt__trace_use_make(*t, BINS, use, fault);
}

/* The page appears whole or not at all. */
static int write_page(const struct words *w, const struct htmt__document *d,
                      const struct htmt__trace_use *use, struct htmt_fault *fault)
{
    struct htmt__text text;
    FILE *out = htmt__text_open(&text);
    int rc = out ? htmt__html_print(d, use->busy ? htmt__trace_use_print : NULL, use, out) : 0;
    int kept = htmt__text_close(out, &text);
    if (!rc)
        rc = kept;
    if (rc)
        htmt_fault_set(fault, rc, "the page cannot be made: %s", htmt_strerror(rc));
    else
        rc = htmt_whole_file_write(given(w, HTML), text.at, text.length, fault);
    free(text.at);
    return rc;
}

static int draw(const struct words *w, const struct source *s, struct htmt_fault *fault)
{
    struct htmt_trace *t = NULL;
    struct htmt__trace_use use = {.bins = 0};
    int rc = read_use(w, &s->d, &t, &use, fault);
    if (!rc)
        rc = write_page(w, &s->d, &use, fault);
    htmt__trace_use_clear(&use);
    htmt_trace_close(&t);
    return rc;
}

static int answer(const struct words *w, struct htmt_fault *fault)
{
    struct source *s = calloc(w->files, sizeof *s);
    if (!s)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the reports");
    int rc = load(w, s, fault);
    if (!rc)
        rc = (given(w, COMPARE) ? compare : given(w, HTML) ? draw : print_all)(w, s, fault);
    for (unsigned i = 0; i < w->files; i++) {
        htmt__document_clear(&s[i].d);
        htmt_trace_close(&s[i].trace);
    }
    free(s);
    return rc;
}

static int report(struct htmt__command *program, int argc, char **argv)
{
    struct words w = {.files = 0};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_words(&w, argc, argv, &fault);
    if (!rc)
        rc = check_words(&w, &fault);
    if (!rc)
        rc = claim_outputs(&w, &fault);
    if (!rc)
        rc = answer(&w, &fault);
    free(w.file);
    return rc ? htmt__complain("report", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_report = {
    "report",
    "FILE... | --compare A B [--json FILE|-] | FILE --html FILE [--trace FILE]",
    "report, compare and draw runs by their JSON",
    report,
    rows,
    NULL};
