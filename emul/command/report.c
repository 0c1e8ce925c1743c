/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt report`: reports of files of results or traces; what changed between two runs; a page of
 * one.
 */
#include "emul/command/command.h"

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
    [COMPARE] = {"compare", NULL, NULL,
                 "what changed from the first of two runs, or traces, to the second"},
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

/* Options may stand before, between and behind the files. */
static int read_words(struct words *w, int argc, char **argv, struct htmt_fault *fault)
{
    char **options = calloc((size_t)argc + 1, sizeof *options);
    int count = 0, rc;
    w->file = calloc((size_t)argc + 1, sizeof *w->file);
    for (int i = 1; i < argc && options && w->file; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            w->file[w->files++] = argv[i];
            continue;
        }
        const struct htmt_app_option *row = rows;
        while (row->name && (!row->value_name || strcmp(argv[i] + 2, row->name) != 0))
            row++;
        options[count++] = argv[i];
        if (row->name && i + 1 < argc) /* the next word is its value */
            options[count++] = argv[++i];
    }
    if (options && w->file)
        rc = htmt__options_parse_verb(NULL, &verb, count, options, &w->options, fault);
    else
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the command line");
    free(options);
    return rc;
}

/* Which options and files go together; then whether the outputs can be written. */
static int check_words(const struct words *w, struct htmt_fault *fault)
{
    if (given(w, COMPARE) && given(w, HTML))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--compare has no page, found --html");
    if (given(w, JSON) && !given(w, COMPARE))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json is the form of --compare, not found");
    if (given(w, TRACE) && !given(w, HTML))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--trace is for the page of --html, not found");
    unsigned least = given(w, COMPARE) ? 2 : 1;
    bool more = !given(w, COMPARE) && !given(w, HTML);
    if (w->files < least || (w->files > least && !more))
        return htmt_fault_set(fault, HTMT_EUSAGE, "found %u file%s, expected %s", w->files,
                              w->files == 1 ? "" : "s",
                              given(w, COMPARE) ? "the JSON or the traces of two runs"
                              : given(w, HTML)  ? "the JSON of one run"
                                                : "the JSON or the trace of a run");
    const char *json = given(w, JSON);
    int rc = htmt__output_claim_streams(fault);
    if (!rc && json && strcmp(json, "-") != 0)
        rc = htmt_output_claim("--json", json, fault);
    if (!rc && given(w, HTML))
        rc = htmt_output_claim("--html", given(w, HTML), fault);
    return rc;
}

/* A file of the command line: the JSON of a run, or a trace, which stays open. */
struct source {
    struct htmt_trace *trace;
    struct htmt__document d;
};

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

static int compare(const struct words *w, const struct source *s, struct htmt_fault *fault)
{
    struct htmt__difference x;
    const char *json = given(w, JSON);
    int rc = htmt__difference_make(&s[0].d, &s[1].d, &x);
    if (!rc && (!json || strcmp(json, "-") != 0))
        rc = htmt__difference_print(&x, stdout);
    if (rc)
        htmt_fault_set(fault, rc, "the comparison cannot be made: %s", htmt_strerror(rc));
    else if (json)
        rc = htmt__json_write(htmt__difference_json(&x), json, fault);
    htmt__difference_clear(&x);
    return rc;
}

/* A page with use over time, if there is a trace of the same run; whole or not at all. */
static int draw(const struct words *w, const struct source *s, struct htmt_fault *fault)
{
    const struct htmt__document *d = &s->d;
    const char *path = given(w, TRACE);
    struct htmt_trace *t = NULL;
    struct htmt__trace_use use = {.bins = 0};
    struct htmt__text text;
    int rc = path ? htmt_trace_open(&t, path, fault) : 0;
    if (rc)
        goto close;
    const uint64_t hash = path ? htmt_trace_info(t)->history_hash : 0;
    if (path && hash != d->results.history_hash)
        rc = htmt_fault_set(
            fault, HTMT_EFORMAT, "%s: found the trace of a run with history hash %s, expected %s",
            path, htmt__format_hash(hash).s, htmt__format_hash(d->results.history_hash).s);
    else if (path)
        rc = htmt__trace_use_make(t, BINS, &use, fault);
    if (rc)
        goto close;
    FILE *out = htmt__text_open(&text);
    rc = out ? htmt__html_print(d, use.busy ? htmt__trace_use_print : NULL, &use, out) : 0;
    int kept = htmt__text_close(out, &text);
    rc = rc ? rc : kept;
    if (rc)
        htmt_fault_set(fault, rc, "the page cannot be made: %s", htmt_strerror(rc));
    else
        rc = htmt_whole_file_write(given(w, HTML), text.at, text.length, fault);
    free(text.at);
close:
    htmt__trace_use_clear(&use);
    htmt_trace_close(&t);
    return rc;
}

/* All files are read before anything is written. Pages need the JSON. */
static int answer(const struct words *w, struct htmt_fault *fault)
{
    const bool traces = !given(w, HTML);
    struct source *s = calloc(w->files, sizeof *s);
    int rc = 0;
    if (!s)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the reports");
    for (unsigned i = 0; i < w->files && !rc; i++) {
        bool trace = false;
        rc = traces ? htmt__document_is_trace(w->file[i], &trace, fault) : 0;
        if (!rc && !trace)
            rc = htmt__document_load(w->file[i], &s[i].d, fault);
        else if (!rc && !(rc = htmt_trace_open(&s[i].trace, w->file[i], fault)))
            rc = htmt__trace_account(s[i].trace, &s[i].d, fault);
    }
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
