/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/options/recording.h"
#include "emul/lib/options/timing.h"
#include "emul/lib/plugin/mpi_launch.h"
#include "emul/lib/questions/experiment.h"
#include "emul/lib/report/answers.h"
#include "emul/lib/report/json.h"
#include "emul/lib/report/report.h"
#include "emul/lib/verbs/hand_over.h"
#include "emul/lib/verbs/sweep.h"
#include "emul/lib/verbs/verb.h"
#include "layers/bank/controller.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A command line after parsing and checking; the request points into the struct. */
struct invocation {
    char where[96]; /* "run cannon", for messages */
    struct htmt__options options;
    struct htmt_machine *machine;
    struct htmt_request request;
    struct htmt__provenance record;
    struct htmt__recording recording;
    struct htmt__timing timing;
    char *about; /* what it says of the run */
    struct htmt_fault fault;
    enum htmt__progress_kind progress;
    struct htmt__launch launch;
    const struct htmt__run_listener *heard; /* NULL: nobody listens */
};

static const char *json_path(const struct invocation *v)
{
    return v->options.common[HTMT__JSON];
}

/* Whether standard output takes only the JSON object. */
static bool json_only(const struct invocation *v)
{
    return json_path(v) && strcmp(json_path(v), "-") == 0;
}

static bool is_quiet(const struct invocation *v)
{
    return v->options.common[HTMT__QUIET] != NULL;
}

static int claim(struct invocation *v, const char *name, const char *path)
{
    char option[HTMT_NAME_MAX];
    snprintf(option, sizeof option, "--%s", name);
    return htmt_output_claim(option, path, &v->fault);
}

static int check_json(struct invocation *v)
{
    return json_path(v) && !json_only(v) ? claim(v, "json", json_path(v)) : 0;
}

static int check_word(const char *name, const char *value, void *user)
{
    struct invocation *v = user;
    if (htmt__utf8_valid(value))
        return 0;
    return htmt_fault_set(&v->fault, HTMT_EINVAL, "--%s: found '%s', expected UTF-8 with --json",
                          name, value);
}

/* The object repeats every option. */
static int check_words(struct invocation *v)
{
    const struct htmt__provenance record = {.options = &v->options};
    return json_path(v) ? htmt__provenance_given(&record, check_word, v) : 0;
}

static const char *csv_path(const struct invocation *v)
{
    const char *table = v->options.common[HTMT__TABLE];
    return table ? table + strlen("csv:") : NULL;
}

static int check_table(struct invocation *v)
{
    const char *table = v->options.common[HTMT__TABLE];
    if (!table)
        return 0;
    if (strncmp(table, "csv:", 4) != 0 || !table[4] || strcmp(table + 4, "-") == 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--table: found '%s', expected csv:FILE",
                              table);
    return claim(v, "table", csv_path(v));
}

static int check_trace(struct invocation *v)
{
    const char *path = v->options.common[HTMT__TRACE];
    if (path && strcmp(path, "-") == 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--trace: found '-', expected a file");
    return path ? claim(v, "trace", path) : 0;
}

static const char *value_of(const struct htmt__options *o, const char *name)
{
    for (unsigned i = 0; o->rows[i].name; i++)
        if (strcmp(o->rows[i].name, name) == 0)
            return o->own[i];
    return NULL;
}

/* Only a run has results to write. */
static int check_outputs(struct invocation *v, const char *verb)
{
    const char *const *output = v->options.app->outputs;
    int rc = 0;
    for (; output && *output && !rc; output++) {
        const char *path = value_of(&v->options, *output);
        if (path && strcmp(verb, "run") != 0)
            rc = htmt_fault_set(&v->fault, HTMT_EUSAGE,
                                "--%s: found a file for results, which %s does not have; "
                                "expected htmt run",
                                *output, verb);
        else if (path)
            rc = claim(v, *output, path);
    }
    return rc;
}

/* Refuses questions that this verb cannot answer. */
static int check_verb(struct invocation *v, const char *verb)
{
    static const enum htmt__option emulated[] = {HTMT__EXPLAIN, HTMT__SUMMARY, HTMT__TABLE,
                                                 HTMT__LINT, HTMT__TRACE},
                                   evaluated[] = {HTMT__LARGEST, HTMT__TERM};
    const char *const *given = v->options.common;
    bool predicts = strcmp(verb, "predict") == 0;
    for (unsigned i = 0; i < sizeof emulated / sizeof *emulated && predicts; i++)
        if (given[emulated[i]])
            return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--%s: only run and model can tell",
                                  htmt__common_rows[emulated[i]].name);
    if (predicts && v->options.common_given[HTMT__TIMING])
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--timing: only run and model play kernels");
    for (unsigned i = 0; i < sizeof evaluated / sizeof *evaluated && !predicts; i++)
        if (given[evaluated[i]])
            return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--%s: only predict can tell",
                                  htmt__common_rows[evaluated[i]].name);
    return 0;
}

/* Nobody reads the lines of a run that is quiet. */
static int check_progress(struct invocation *v)
{
    const char *kind = v->options.common[HTMT__PROGRESS];
    if (strcmp(kind, "json") == 0)
        v->progress = HTMT__PROGRESS_JSON;
    else if (strcmp(kind, "auto") == 0)
        v->progress = isatty(STDERR_FILENO) ? HTMT__PROGRESS_TERMINAL : HTMT__PROGRESS_LINES;
    else if (strcmp(kind, "off") != 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE,
                              "--progress: found '%s', expected auto, json or off", kind);
    if (is_quiet(v) || htmt__launch_is_mute(&v->launch))
        v->progress = HTMT__PROGRESS_OFF;
    return 0;
}

static int record(struct invocation *v)
{
    struct htmt_recording *recording = &v->recording.recording;
    int rc = htmt__recording_make(&v->options, &v->request, &v->recording, &v->fault);
    if (rc || !recording->path)
        return rc;
    v->about = htmt__json_about(&v->record);
    if (!v->about)
        return htmt_fault_set(&v->fault, HTMT_ENOMEM, "no memory to prepare the trace");
    recording->about = v->about;
    v->request.emulator.recording = recording;
    return 0;
}

/* An application that leads slices from their outer layers finds no way on such a machine. */
static int refuse_host(struct invocation *v)
{
    if (!htmt__machine_bank_host(v->machine) || v->options.app->hosted)
        return 0;
    return htmt_fault_set(&v->fault, HTMT_EUSAGE,
                          "--machine %s: found slices that a host alone joins, which %s does not "
                          "know; expected prim or micro",
                          v->machine->name, v->options.app->name);
}

static int prepare(struct invocation *v, const struct htmt_app *app, int argc, char **argv,
                   enum htmt_mode mode)
{
    struct htmt__options *o = &v->options;
    int rc = htmt__options_parse(app, argc - 2, argv + 2, o, &v->fault);
    if (!rc)
        rc = check_words(v);
    if (!rc)
        rc = htmt__output_claim_streams(&v->fault);
    if (!rc)
        rc = check_json(v);
    if (!rc)
        rc = check_table(v);
    if (!rc)
        rc = check_trace(v);
    if (!rc)
        rc = check_verb(v, argv[0]);
    if (!rc)
        rc = check_outputs(v, argv[0]);
    if (!rc)
        rc = check_progress(v);
    if (!rc)
        rc = htmt__launch_check(o->common[HTMT__MPI], &v->fault);
    if (!rc)
        rc = htmt_machine_load(o->common[HTMT__MACHINE], o->set, o->set_count, &v->machine,
                               &v->fault);
    if (!rc)
        rc = refuse_host(v);
    if (rc)
        return rc;
    v->request.machine = v->machine;
    v->request.emulator.mode = mode;
    v->request.emulator.ranks = htmt__launch_ranks(&v->launch);
    rc = htmt__options_resolve(o, &v->request, &v->fault);
    rc = rc ? rc : htmt__timing_make(o, &v->request, &v->timing, &v->fault);
    rc = rc ? rc : htmt__provenance_make(argv[0], o, &v->request, &v->record, &v->fault);
    return rc ? rc : record(v);
}

/* The report of a deadlock comes before the report of the run, in the same place, also if the
 * application has a better line for the fault. */
static int print_deadlock(const struct invocation *v, const struct htmt__experiment *x)
{
    FILE *out = json_only(v) ? stderr : stdout;
    const struct htmt_emulator *e = x->outcome.emulator;
    if (!e || htmt_emulator_fault(e)->code != HTMT_EDEADLOCK)
        return 0;
    return htmt_deadlock_print(e, out);
}

/* One line each, beside a report that does not have them. */
static void print_warnings(const struct invocation *v, const struct htmt_warnings *w)
{
    for (unsigned i = 0; i < w->count; i++)
        fprintf(stderr, "htmt %s: warning: %s\n", v->where, w->item[i].text);
}

static int print_report(const struct invocation *v, const struct htmt__experiment *x)
{
    int rc = print_deadlock(v, x);
    if (rc || json_only(v) || !x->has_results)
        return rc;
    if (!is_quiet(v))
        return htmt__report_experiment(x, stdout);
    htmt__report_brief(x, stdout);
    print_warnings(v, &x->outcome.warnings);
    return 0;
}

static void say_wrong(const struct htmt__experiment *x, struct htmt_fault *fault)
{
    const struct htmt_outcome *o = &x->outcome;
    htmt_fault_set(fault, HTMT_EWRONG, "the result is wrong: %s gives %.3g, tolerance %.3g",
                   o->check.name, o->check.value, o->check.tolerance);
}

/* A file that cannot be written does not keep the other from being written. */
static void write_files(const struct invocation *v, const struct htmt__experiment *x,
                        struct htmt_fault *fault)
{
    if (x->summary.made && csv_path(v))
        htmt__summary_write_csv(&x->summary, csv_path(v), fault);
    if (json_path(v) && x->has_results)
        htmt__json_write(htmt__json_experiment(x), json_path(v), fault);
}

/* One line at most, about what failed first; its exit status. */
static int tell(struct invocation *v, struct htmt__experiment *x)
{
    struct htmt_fault fault = x->fault;
    if (htmt__experiment_code(x) == HTMT_EWRONG)
        say_wrong(x, &fault);
    else if (v->request.strict && !fault.code)
        htmt__warnings_refuse(&x->outcome.warnings, &fault);
    int rc = print_report(v, x);
    if (rc)
        htmt_fault_set(&fault, rc, "the report cannot be printed");
    write_files(v, x, &fault);
    return fault.code ? htmt__complain(v->where, &fault) : 0;
}

/* A wrong result is no fault of the run. */
static void agree(struct invocation *v, struct htmt__experiment *x)
{
    struct htmt_fault fault = x->fault;
    int code = htmt__experiment_code(x);
    if (code && !fault.code)
        say_wrong(x, &fault);
    htmt__launch_agree(&v->launch, &fault);
    if (!code)
        x->fault = fault;
}

static int emulate(struct invocation *v)
{
    struct htmt__observer observer = {.listener = v->heard ? &v->heard->listener : NULL,
                                      .progress = v->progress,
                                      .where = v->where};
    struct htmt__experiment *x = calloc(1, sizeof *x);
    if (!x) {
        htmt_fault_set(&v->fault, HTMT_ENOMEM, "the run cannot be prepared");
        return htmt__complain(v->where, &v->fault);
    }
    x->record = v->record;
    htmt__experiment_run(x, &observer);
    agree(v, x);
    int status = tell(v, x);
    const struct htmt__run_listener *heard = v->heard;
    if (heard && !status)
        status = heard->ended(heard->listener.user, x->outcome.emulator, &x->record);
    htmt__experiment_clear(x);
    free(x);
    return status;
}

static int print_prediction(const struct invocation *v, const struct htmt__answers *t)
{
    int rc = 0;
    if (is_quiet(v)) {
        htmt__report_brief_prediction(&v->record, &t->prediction, stdout);
        print_warnings(v, &t->prediction.warnings);
    } else {
        rc = htmt__report_prediction(&v->record, &t->prediction, stdout);
    }
    if (!rc && t->term)
        rc = htmt__origin_print(&t->prediction, t->term, t->origin, t->origin_count, stdout);
    if (!rc && t->largest)
        rc = htmt__largest_print(t->largest, t->largest_count, stdout);
    return rc;
}

static int tell_prediction(struct invocation *v, const struct htmt__answers *t)
{
    int rc = json_only(v) ? 0 : print_prediction(v, t);
    if (rc)
        htmt_fault_set(&v->fault, rc, "the report cannot be printed");
    else if (json_path(v))
        htmt__json_write(htmt__json_prediction(&v->record, t), json_path(v), &v->fault);
    return v->fault.code ? htmt__complain(v->where, &v->fault) : 0;
}

/* Answers --term and --largest. */
static int ask(struct invocation *v, struct htmt__answers *t)
{
    const char *const *given = v->options.common;
    int rc = 0;
    t->term = given[HTMT__TERM];
    if (t->term)
        rc = htmt__origin_find(&v->options, &v->request, &t->prediction, t->term, &t->origin,
                               &t->origin_count, &v->fault);
    if (!rc && given[HTMT__LARGEST])
        rc =
            htmt__largest_find(&v->options, &v->request, &t->largest, &t->largest_count, &v->fault);
    return rc;
}

static int predict(struct invocation *v)
{
    const struct htmt_app *app = v->options.app;
    struct htmt__answers *t = calloc(1, sizeof *t);
    int rc = HTMT_ENOMEM, status;
    if (t && app->tell)
        rc = htmt__app_predict(app, &v->request, &t->prediction, &v->fault);
    else
        htmt_fault_set(&v->fault, t ? HTMT_EUSAGE : HTMT_ENOMEM,
                       t ? "this application has no closed form" : "out of memory");
    if (!rc)
        rc = ask(v, t);
    if (rc && !v->fault.code)
        htmt_fault_set(&v->fault, rc, "%s", htmt_strerror(rc));
    status = v->fault.code ? htmt__complain(v->where, &v->fault) : tell_prediction(v, t);
    if (t) {
        free(t->origin);
        free(t->largest);
    }
    free(t);
    return status;
}

static void find_and_prepare(struct invocation *v, struct htmt__command *program, int argc,
                             char **argv, enum htmt_mode mode)
{
    const struct htmt_app *app = NULL;
    if (v->fault.code)
        return;
    if (argc > 1)
        htmt__application_find(&program->apps, argv[1], &app, &v->fault);
    else
        htmt_fault_set(&v->fault, HTMT_EUSAGE, "expected an application; 'htmt help' lists them");
    snprintf(v->where, sizeof v->where, "%s%s%s", argv[0], app ? " " : "", app ? app->name : "");
    const struct htmt__run_listener *heard = v->heard;
    if (app && !prepare(v, app, argc, argv, mode) && heard)
        heard->begins(heard->listener.user, v->machine, &v->fault);
}

static int verb_of_app(struct invocation *v, struct htmt__command *program, int argc, char **argv,
                       enum htmt_mode mode, int (*work)(struct invocation *v))
{
    find_and_prepare(v, program, argc, argv, mode);
    htmt__launch_agree(&v->launch, &v->fault);
    if (!v->fault.code)
        htmt__launch_compare(&v->launch, &v->record, &v->fault);
    int status = v->fault.code ? htmt__complain(v->where, &v->fault) : work(v);
    free(v->about);
    htmt__timing_clear(&v->timing);
    htmt_machine_destroy(&v->machine);
    return status;
}

/* `v`: a fault so far is told by one of the ranks. */
static int verb_of_ranks(struct invocation *v, struct htmt__command *program, int argc, char **argv,
                         enum htmt_mode mode)
{
    snprintf(v->where, sizeof v->where, "%s", argv[0]);
    htmt__launch_begin(&v->launch, argc, argv, &v->fault);
    return htmt__launch_end(&v->launch, verb_of_app(v, program, argc, argv, mode, emulate));
}

int htmt__verb_run(struct htmt__command *program, int argc, char **argv)
{
    struct invocation v = {.heard = NULL};
    const char *timing = htmt__options_word("--timing", argc, argv);
    if (timing && strcmp(timing, "operations") == 0)
        htmt__hand_over(program, "O2", argv, &v.fault);
    return verb_of_ranks(&v, program, argc, argv, HTMT_RUN);
}

int htmt__verb_model(struct htmt__command *program, int argc, char **argv)
{
    if (htmt__sweep_asked(argc, argv))
        return htmt__sweep(program, argc, argv);
    struct invocation v = {.heard = NULL};
    return verb_of_ranks(&v, program, argc, argv, HTMT_MODEL);
}

int htmt__verb_listened(struct htmt__command *program, int argc, char **argv, enum htmt_mode mode,
                        const struct htmt__run_listener *heard)
{
    struct invocation v = {.heard = heard};
    return verb_of_ranks(&v, program, argc, argv, mode);
}

int htmt__verb_recorded(struct htmt__command *program, int argc, char **argv,
                        const struct htmt_operations *operations)
{
    struct invocation v = {.request.emulator.operations = operations};
    snprintf(v.where, sizeof v.where, "%s", argv[0]);
    return verb_of_app(&v, program, argc, argv, HTMT_RUN, emulate);
}

int htmt__verb_predict(struct htmt__command *program, int argc, char **argv)
{
    struct invocation v = {.where = ""};
    return verb_of_app(&v, program, argc, argv, HTMT_MODEL, predict);
}
