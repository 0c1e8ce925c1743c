/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt trace`: looks at trace files (docs/trace-format.md). Results go to standard output, one
 * line per failure to standard error; the exit status is 1 if check finds a difference.
 */
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "emul/lib/trace/check.h"
#include "emul/lib/trace/digest.h"
#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/path_report.h"
#include "emul/lib/trace/sort.h"
#include "emul/lib/verbs/verb.h"
#include "emul/trace/htmt_trace.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/printable.h"
#include "runtime/base/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define USAGE                                                                                      \
    "info FILE | sort FILE -o OUT | digest FILE | check FILE | path FILE [--json OUT|-] | "        \
    "export FILE [--perfetto OUT] [--paje OUT] [--csv OUT] [--unit fs|ps]"
#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define LINE_MAX_BYTES  2000
#define OPTIONS_MAX     4

/* The words behind an action's name. */
struct words {
    const char *file;
    const char *value[OPTIONS_MAX]; /* of the action's options, in their order; NULL: not given */
};

static int complain(int rc, const struct htmt_fault *fault)
{
    fprintf(stderr, "htmt trace: %s\n", *fault->text ? fault->text : htmt_strerror(rc));
    return htmt_exit_status(rc);
}

static int usage(const char *what)
{
    fprintf(stderr, "htmt trace: %s; usage: htmt trace " USAGE "\n", what);
    return htmt_exit_status(HTMT_EUSAGE);
}

/* ---- info ----------------------------------------------------------------------------------- */

/* A name with a line break makes no line. */
__attribute__((format(printf, 2, 3))) static void item(const char *label, const char *format, ...)
{
    char raw[LINE_MAX_BYTES], text[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    htmt_printable(raw, text, sizeof text);
    printf("%-14s %s\n", label, text);
}

/* "1 block", "2 blocks" */
static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_run(const struct htmt_trace_info *i)
{
    const bool has_host = i->host != UINT32_MAX;
    const char *host = has_host ? ", and the host" : "";
    item("trace", "version %" PRIu32, i->version);
    item("run", "%s%s%s on machine %s", i->mode, *i->app ? " of " : "", i->app, i->machine);
    if (i->stands_for > 1)
        item("slices", "%s played of %s; each stands for %s%s",
             htmt__format_count(i->played - has_host).s, htmt__format_count(i->slices).s,
             htmt__format_count(i->stands_for).s, host);
    else
        item(i->slices == 1 ? "slice" : "slices", "%s%s", htmt__format_count(i->slices).s, host);
    item("end", "%s, %" PRId64 " fs", htmt__format_fs(i->end).s, i->end);
    item("history hash", "%s", htmt__format_hash(i->history_hash).s);
    if (!i->complete)
        item("INCOMPLETE", "%s", i->fault);
    for (uint32_t n = 0; n < i->open_lines; n++)
        item(n ? "" : "open", "%s", i->open[n]);
    if (i->filtered)
        item("filter", "%s", i->filter);
    item("about", "%s", i->about);
}

static void print_machine(const struct htmt_trace_info *i)
{
    bool first = true;
    for (uint32_t n = 0; n < i->layers; n++)
        item(n ? "" : "layers", "%s: %s, %" PRIu32 " server%s; %s, %s words", i->layer[n].name,
             *i->layer[n].processor ? i->layer[n].processor : "no processor", i->layer[n].servers,
             plural(i->layer[n].servers), i->layer[n].memory,
             htmt__format_count(i->layer[n].capacity).s);
    for (uint32_t n = 0; n < i->resources; n++) {
        const struct htmt_trace_resource *r = &i->resource[n];
        if (!r->busy && !r->waited)
            continue;
        item(first ? "resources" : "", "%s: busy %s, waited for %s", r->name,
             htmt__format_fs(r->busy).s, htmt__format_fs(r->waited).s);
        first = false;
    }
    for (uint32_t n = 0; n < i->sections; n++)
        item(n ? "" : "sections", "%s", i->section[n]);
}

static int info(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    const struct htmt_trace_info *i = htmt_trace_info(t);
    uint64_t samples = 0;
    struct htmt_trace_block b;
    (void)w, (void)fault;
    print_run(i);
    print_machine(i);
    for (uint64_t n = 0; htmt_trace_block_at(t, n, &b) == 0; n++)
        samples += b.samples;
    item("content", "%s interval%s, %s change%s of memories, %s block%s, %" PRIu32 " step%s",
         htmt__format_count(i->intervals).s, plural(i->intervals), htmt__format_count(samples).s,
         plural(samples), htmt__format_count(i->blocks).s, plural(i->blocks), i->steps,
         plural(i->steps));
    if (i->intervals)
        item("an interval", "%.2f bytes in the file, %.2f inflated",
             (double)i->bytes / (double)i->intervals, (double)i->inflated / (double)i->intervals);
    return 0;
}

/* ---- other actions -------------------------------------------------------------------------- */

static int sort(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    return htmt__trace_sort(t, w->value[0], fault);
}

static int digest(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    uint64_t found = 0;
    (void)w;
    int rc = htmt__trace_digest(t, &found, fault);
    if (!rc)
        printf("%s\n", htmt__format_hash(found).s);
    return rc;
}

static int check(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    const struct htmt_trace_info *i = htmt_trace_info(t);
    (void)w;
    int rc = htmt__trace_check(t, fault);
    if (!rc)
        printf("good: %s interval%s in %s block%s%s\n", htmt__format_count(i->intervals).s,
               plural(i->intervals), htmt__format_count(i->blocks).s, plural(i->blocks),
               i->filtered ? "; filtered, so their sums were not compared"
                           : "; their sums are the run's, to the femtosecond");
    return rc;
}

/* The JSON goes beside the report, or to standard output instead of it. */
static int path(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    struct htmt__path_report r;
    const char *json = w->value[0];
    int rc = htmt__path_report_make(t, &r, fault);
    if (!rc && json)
        rc = htmt__json_write(htmt__path_report_json(&r), json, fault);
    if (!rc && (!json || strcmp(json, "-") != 0)) {
        rc = htmt__path_report_print(&r, stdout);
        if (rc)
            htmt_fault_set(fault, rc, "no host memory for the report");
    }
    htmt__path_report_clear(&r);
    return rc;
}

static int export(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault)
{
    const char *perfetto = w->value[0], *paje = w->value[1], *csv = w->value[2];
    const char *name = w->value[3] ? w->value[3] : "fs";
    enum htmt__export_unit unit = strcmp(name, "ps") == 0 ? HTMT__EXPORT_PS : HTMT__EXPORT_FS;
    int rc = 0;
    if (unit == HTMT__EXPORT_FS && strcmp(name, "fs") != 0)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--unit: found '%s', expected fs or ps", name);
    if (!rc && !perfetto && !paje && !csv)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "export needs --perfetto OUT, --paje OUT or --csv OUT");
    if (!rc && perfetto)
        rc = htmt__export_perfetto(t, perfetto, unit, fault);
    if (!rc && paje)
        rc = htmt__export_paje(t, paje, unit, fault);
    if (!rc && csv)
        rc = htmt__export_csv(t, csv, unit, fault);
    return rc;
}

/* ---- command line --------------------------------------------------------------------------- */

/* Each option has a value. */
struct option {
    const char *name;
    bool is_output, is_needed;
};

static const struct action {
    const char *name;
    int (*run)(struct htmt_trace *t, const struct words *w, struct htmt_fault *fault);
    struct option option[OPTIONS_MAX];
} actions[] = {
    {"info", info, {{0}}},
    {"sort", sort, {{"-o", true, true}}},
    {"digest", digest, {{0}}},
    {"check", check, {{0}}},
    {"path", path, {{"--json", true, false}}},
    {"export",
     export,
     {{"--perfetto", true, false},
      {"--paje", true, false},
      {"--csv", true, false},
      {"--unit", false, false}}},
};

/* "-o OUT", "--json=FILE"; advances *i if the value is the next word. */
static int take_option(const struct action *action, struct words *w, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    for (unsigned k = 0; k < OPTIONS_MAX && action->option[k].name; k++) {
        size_t length = strlen(action->option[k].name);
        if (strncmp(word, action->option[k].name, length) != 0 ||
            (word[length] && word[length] != '='))
            continue;
        if (w->value[k])
            return usage("an option is given twice");
        w->value[k] = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
        return *w->value[k] ? 0 : usage("the value of an option is missing");
    }
    return usage("unknown option");
}

/* Every output is claimed before the trace is opened. */
static int act(const struct action *action, int argc, char **argv)
{
    struct words w = {0};
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    int status = 0, rc;
    for (int i = 0; i < argc && !status; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            status = take_option(action, &w, argc, argv, &i);
        else if (w.file)
            status = usage("found more than one file");
        else
            w.file = argv[i];
    }
    if (!status && !w.file)
        status = usage("the file is missing");
    for (unsigned k = 0; k < OPTIONS_MAX && !status; k++)
        if (action->option[k].is_needed && !w.value[k])
            status = usage("an option is missing");
    if (status)
        return status;
    rc = htmt__output_claim_streams(&fault);
    for (unsigned k = 0; k < OPTIONS_MAX && !rc; k++)
        if (action->option[k].is_output && w.value[k] && strcmp(w.value[k], "-") != 0)
            rc = htmt_output_claim(action->option[k].name, w.value[k], &fault);
    if (!rc)
        rc = htmt_trace_open(&t, w.file, &fault);
    if (!rc)
        rc = action->run(t, &w, &fault);
    htmt_trace_close(&t);
    if (!rc && (fflush(stdout) || ferror(stdout)))
        rc = htmt_fault_set(&fault, HTMT_EIO, "cannot write the result: %s", strerror(errno));
    return rc ? complain(rc, &fault) : 0;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    (void)program;
    const char *known[COUNT_OF(actions)];
    struct htmt_fault fault = {0};
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        known[i] = actions[i].name;
        if (argc > 1 && strcmp(argv[1], actions[i].name) == 0)
            return act(&actions[i], argc - 2, argv + 2);
    }
    if (argc < 2)
        return usage("what to do is missing");
    const char *near = htmt__suggest_near(argv[1], known, COUNT_OF(actions));
    if (!near)
        return usage("unknown action");
    htmt_fault_set(&fault, HTMT_EUSAGE, "unknown action '%s', did you mean '%s'?", argv[1], near);
    return complain(HTMT_EUSAGE, &fault);
}

static const struct htmt__verb_action help[] = {
    {"info", "print what the trace says of its run, its machine and its content"},
    {"sort", "write it again with its blocks in the order of slice and number"},
    {"digest", "print 16 hexadecimal digits that are the same for any order of blocks"},
    {"check", "compare the sums over all intervals with those of the run"},
    {"path", "print the critical path, the slack beside it and what more speed gains"},
    {"export", "write it for Perfetto, for tools that read Paje, or as CSV"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_trace = {.name = "trace",
                                                .usage = USAGE,
                                                .summary = "look at traces of runs",
                                                .run = run,
                                                .actions = help};
