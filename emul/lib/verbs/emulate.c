/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt run`, `htmt model` and `htmt predict`, from the words to the exit status:
 *  1. The words are parsed, and every file that will be written is claimed: what cannot be written
 *     is refused before anything is computed.
 *  2. The machine is loaded, the request and its provenance are made (prepare()).
 *  3. Ranks of one run tell each other whether all of them came so far, with the same request.
 *  4. The run is made, then its report, then its files. What failed first is told in one line.
 */
#include "emul/lib/options/captured.h"
#include "emul/lib/options/recording.h"
#include "emul/lib/options/timing.h"
#include "emul/lib/plugin/mpi_launch.h"
#include "emul/lib/questions/experiment.h"
#include "emul/lib/report/answers.h"
#include "emul/lib/report/json.h"
#include "emul/lib/report/report.h"
#include "emul/lib/verbs/against.h"
#include "emul/lib/verbs/hand_over.h"
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
    struct htmt__captured captured;
    struct htmt__timing timing;
    struct htmt__against against; /* with --against-clock */
    char *about;                  /* what it says of the run */
    struct htmt_fault fault;
    enum htmt__progress_kind progress;
    struct htmt__launch launch;
    const struct htmt__run_listener *listener; /* NULL: nobody listens */
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

static const char *csv_path(const struct invocation *v)
{
    const char *table = v->options.common[HTMT__TABLE];
    return table ? table + strlen("csv:") : NULL;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int claim(struct invocation *v, const char *name, const char *path)
{
    char option[HTMT_NAME_MAX];
    snprintf(option, sizeof option, "--%s", name);
    return htmt_output_claim(option, path, &v->fault);
}

static int check_word(const char *name, const char *value, void *user)
{
    struct invocation *v = user;
    if (htmt__utf8_valid(value))
        return 0;
    return htmt_fault_set(&v->fault, HTMT_EINVAL, "--%s: found '%s', expected UTF-8 with --json",
                          name, value);
}

/* Words that the JSON object repeats, and the files of the command itself. */
static int check_files(struct invocation *v)
{
    const struct htmt__provenance record = {.options = &v->options};
    const char *table = v->options.common[HTMT__TABLE], *trace = v->options.common[HTMT__TRACE],
               *capture = v->options.common[HTMT__CAPTURE];
    int rc = json_path(v) ? htmt__provenance_given(&record, check_word, v) : 0;
    if (!rc)
        rc = htmt__output_claim_streams(&v->fault);
    if (!rc && json_path(v) && !json_only(v))
        rc = claim(v, "json", json_path(v));
    if (!rc && table &&
        (strncmp(table, "csv:", 4) != 0 || !table[4] || strcmp(table + 4, "-") == 0))
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--table: found '%s', expected csv:FILE",
                              table);
    if (!rc && table)
        rc = claim(v, "table", csv_path(v));
    if (!rc && trace && strcmp(trace, "-") == 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--trace: found '-', expected a file");
    rc = rc || !trace ? rc : claim(v, "trace", trace);
    return rc || !capture ? rc : claim(v, "capture", capture);
}

/* Refuses questions that this verb cannot answer; claims the files of the application, which only a
 * run has results for; and takes the kind of progress: nobody reads the lines of a run that is
 * quiet. */
static int check_verb(struct invocation *v, const char *verb)
{
    static const enum htmt__option emulated[] = {HTMT__EXPLAIN,    HTMT__SUMMARY, HTMT__TABLE,
                                                 HTMT__LINT,       HTMT__TRACE,   HTMT__SECTIONS,
                                                 HTMT__OLD_HISTORY},
                                   evaluated[] = {HTMT__LARGEST, HTMT__TERM};
    const struct htmt__options *o = &v->options;
    const char *const *given = o->common, *kind = given[HTMT__PROGRESS];
    if (given[HTMT__AGAINST_CLOCK] && strcmp(verb, "run") != 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--against-clock: only run has kernels");
    if (given[HTMT__TIME_KERNELS] && strcmp(verb, "run") != 0)
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--time-kernels: only run has kernels");
    bool predicts = strcmp(verb, "predict") == 0;
    for (unsigned i = 0; i < sizeof emulated / sizeof *emulated && predicts; i++)
        if (given[emulated[i]])
            return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--%s: only run and model can tell",
                                  htmt__common_rows[emulated[i]].name);
    if (predicts && o->common_given[HTMT__TIMING])
        return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--timing: only run and model play kernels");
    for (unsigned i = 0; i < sizeof evaluated / sizeof *evaluated && !predicts; i++)
        if (given[evaluated[i]])
            return htmt_fault_set(&v->fault, HTMT_EUSAGE, "--%s: only predict can tell",
                                  htmt__common_rows[evaluated[i]].name);

    for (const char *const *output = o->app->outputs; output && *output; output++) {
        unsigned i = 0;
        while (o->rows[i].name && strcmp(o->rows[i].name, *output) != 0)
            i++;
        const char *path = o->rows[i].name ? o->own[i] : NULL;
        if (path && strcmp(verb, "run") != 0)
            return htmt_fault_set(&v->fault, HTMT_EUSAGE,
                                  "--%s: found a file for results, which %s does not have; "
                                  "expected htmt run",
                                  *output, verb);
        int rc = path ? claim(v, *output, path) : 0;
        if (rc)
            return rc;
    }

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

/* From the words to a request that can be made, in the order in which mistakes are told: words,
 * files, what the verb can do, the machine, and at last what needs the machine. An application that
 * leads slices from their outer layers finds no way on a machine whose slices a host alone joins.
 * What a trace says of its run is made here, too; nothing if no trace is asked for. */
static int prepare(struct invocation *v, const struct htmt__command *program,
                   const struct htmt_app *app, int argc, char **argv, enum htmt_mode mode)
{
    struct htmt__options *o = &v->options;
    int rc = htmt__options_parse(app, argc - 2, argv + 2, o, &v->fault);
    if (!rc)
        rc = check_files(v);
    if (!rc)
        rc = check_verb(v, argv[0]);
    if (!rc)
        rc = htmt__launch_check(o->common[HTMT__MPI], &v->fault);
    if (!rc)
        rc = htmt_machine_load(o->common[HTMT__MACHINE], o->set, o->set_count, &v->machine,
                               &v->fault);
    if (rc)
        return rc;
    rc = htmt__options_check_machine(app, v->machine, &v->fault);
    if (rc)
        return rc;
    v->request.machine = v->machine;
    v->request.emulator.mode = mode;
    v->request.emulator.ranks = htmt__launch_ranks(&v->launch);
    if (v->request.emulator.ranks && v->request.emulator.ranks->count > 1 && !app->ranks)
        return htmt_fault_set(
            &v->fault, HTMT_EUSAGE,
            "--mpi: found %u processes, and %s says nothing of ranks: start one "
            "(--mpi off: each runs alone), or let it say so (.ranks of struct htmt_app, "
            "ranks = True in Python)",
            v->request.emulator.ranks->count, app->name);
    rc = htmt__options_resolve(o, &v->request, &v->fault);
    rc = rc ? rc : htmt__timing_make(o, &v->request, &v->timing, &v->fault);
    rc = rc ? rc : htmt__provenance_make(argv[0], o, &v->request, &v->record, &v->fault);
    if (!rc && o->common[HTMT__AGAINST_CLOCK])
        rc = htmt__against_prepare(program, argv[1], o, &v->request, &v->against, &v->fault);
    rc = rc ? rc : htmt__captured_make(argv[0], o, &v->request, &v->captured, &v->fault);
    rc = rc ? rc : htmt__recording_make(o, &v->request, &v->recording, &v->fault);
    if (rc || !v->recording.recording.path)
        return rc;
    v->about = htmt__json_about(&v->record);
    if (!v->about)
        return htmt_fault_set(&v->fault, HTMT_ENOMEM, "no memory to prepare the trace");
    v->recording.recording.about = v->about;
    v->request.emulator.recording = &v->recording.recording;
    return 0;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* One line each, beside a report that does not have them. */
static void print_warnings(const struct invocation *v, const struct htmt_warnings *w)
{
    for (unsigned i = 0; i < w->count; i++)
        fprintf(stderr, "htmt %s: warning: %s\n", v->where, w->item[i].text);
}

static void say_wrong(const struct htmt__experiment *x, struct htmt_fault *fault)
{
    const struct htmt_outcome *o = &x->outcome;
    htmt_fault_set(fault, HTMT_EWRONG, "the result is wrong: %s gives %.3g, tolerance %.3g",
                   o->check.name, o->check.value, o->check.tolerance);
}

/* The report, then the files, then one line at most, about what failed first; its exit status. A
 * file that cannot be written does not keep the other from being written. The report of a deadlock
 * comes before the report of the run, in the same place, also if the application has a better line
 * for the fault. */
static int tell(struct invocation *v, struct htmt__experiment *x)
{
    const struct htmt_emulator *e = x->outcome.emulator;
    struct htmt_fault fault = x->fault.code ? x->fault : v->fault;
    int rc = 0;
    if (htmt__experiment_code(x) == HTMT_EWRONG)
        say_wrong(x, &fault);
    else if (v->request.strict && !fault.code)
        htmt__warnings_refuse(&x->outcome.warnings, &fault);
    if (e && htmt_emulator_fault(e)->code == HTMT_EDEADLOCK)
        rc = htmt_deadlock_print(e, json_only(v) ? stderr : stdout);
    if (!rc && !json_only(v) && x->has_results) {
        if (!is_quiet(v)) {
            rc = htmt__report_experiment(x, stdout);
        } else {
            htmt__report_brief(x, stdout);
            print_warnings(v, &x->outcome.warnings);
        }
    }
    if (rc)
        htmt_fault_set(&fault, rc, "the report cannot be printed");
    if (x->summary.made && csv_path(v))
        htmt__summary_write_csv(&x->summary, csv_path(v), &fault);
    if (json_path(v) && x->has_results)
        htmt__json_write(htmt__json_experiment(x), json_path(v), &fault);
    return fault.code ? htmt__complain(v->where, &fault) : 0;
}

/* Makes the run; then ranks of one run agree on what failed, so that all of them tell the same
 * line. A wrong result is no fault of the run: the others hear of it, and the report says WRONG. */
static int emulate(struct invocation *v)
{
    const struct htmt__run_listener *listener = v->listener;
    struct htmt__observer observer = {.listener = listener ? &listener->events : NULL,
                                      .progress = v->progress,
                                      .where = v->where};
    struct htmt__experiment *x = calloc(1, sizeof *x);
    if (!x) {
        htmt_fault_set(&v->fault, HTMT_ENOMEM, "the run cannot be prepared");
        return htmt__complain(v->where, &v->fault);
    }
    x->record = v->record;
    htmt__experiment_run(x, &observer);
    struct htmt_fault fault = x->fault;
    int code = htmt__experiment_code(x);
    if (code && !fault.code)
        say_wrong(x, &fault);
    htmt__launch_agree(&v->launch, &fault);
    if (!code)
        x->fault = fault;
    if (!code && !fault.code && v->options.common[HTMT__AGAINST_CLOCK])
        htmt__walls_take(v->against.word, (double)x->results.predicted / (double)HTMT_SECOND,
                         &v->against.host, &x->walls, &x->results, &v->fault);
    int status = tell(v, x);
    if (listener && !status)
        status = listener->ended(listener->events.user, x->outcome.emulator, &x->record);
    htmt__experiment_clear(x);
    free(x);
    return status;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* The closed form and the answers to --term and --largest, asked for and printed. Everything is
 * found before anything is printed, so that a refusal stands alone. */
static int predict(struct invocation *v)
{
    const char *const *given = v->options.common;
    struct htmt__answers *t = calloc(1, sizeof *t);
    int rc = 0;
    if (!t) {
        htmt_fault_set(&v->fault, HTMT_ENOMEM, "out of memory");
        return htmt__complain(v->where, &v->fault);
    }
    if (v->options.app->tell)
        rc = htmt__app_predict(v->options.app, &v->request, &t->prediction, &v->fault);
    else
        rc = htmt_fault_set(&v->fault, HTMT_EUSAGE, "this application has no closed form");
    t->term = given[HTMT__TERM];
    if (!rc && t->term)
        rc = htmt__origin_find(&v->options, &v->request, &t->prediction, t->term, &t->origin,
                               &t->origin_count, &v->fault);
    if (!rc && given[HTMT__LARGEST])
        rc =
            htmt__largest_find(&v->options, &v->request, &t->largest, &t->largest_count, &v->fault);
    if (rc) {
        if (!v->fault.code)
            htmt_fault_set(&v->fault, rc, "%s", htmt_strerror(rc));
        goto done;
    }
    if (!json_only(v) && is_quiet(v)) {
        htmt__report_brief_prediction(&v->record, &t->prediction, stdout);
        print_warnings(v, &t->prediction.warnings);
    } else if (!json_only(v)) {
        rc = htmt__report_prediction(&v->record, &t->prediction, stdout);
    }
    if (!rc && t->term && !json_only(v))
        rc = htmt__origin_print(&t->prediction, t->term, t->origin, t->origin_count, stdout);
    if (!rc && t->largest && !json_only(v))
        rc = htmt__largest_print(t->largest, t->largest_count, stdout);
    if (rc)
        htmt_fault_set(&v->fault, rc, "the report cannot be printed");
    else if (json_path(v))
        htmt__json_write(htmt__json_prediction(&v->record, t), json_path(v), &v->fault);
done:
    free(t->origin);
    free(t->largest);
    free(t);
    return v->fault.code ? htmt__complain(v->where, &v->fault) : 0;
}

/* ---- verbs ----------------------------------------------------------------------------------- */

/* `v`: a fault so far is told by one of the ranks. */
static int verb_of_app(struct invocation *v, struct htmt__command *program, int argc, char **argv,
                       enum htmt_mode mode, int (*work)(struct invocation *v))
{
    const struct htmt_app *app = NULL;
    const struct htmt__run_listener *listener = v->listener;
    if (!v->fault.code) {
        if (argc > 1)
            htmt__application_find(&program->apps, argv[1], &app, &v->fault);
        else
            htmt_fault_set(&v->fault, HTMT_EUSAGE,
                           "expected an application; 'htmt help' lists them");
        snprintf(v->where, sizeof v->where, "%s%s%s", argv[0], app ? " " : "",
                 app ? app->name : "");
        if (app && !prepare(v, program, app, argc, argv, mode) && listener)
            listener->begins(listener->events.user, v->machine, &v->fault);
    }
    htmt__launch_agree(&v->launch, &v->fault);
    if (!v->fault.code)
        htmt__launch_compare(&v->launch, &v->record, &v->fault);
    int status = v->fault.code ? htmt__complain(v->where, &v->fault) : work(v);
    free(v->about);
    htmt__captured_clear(&v->captured);
    htmt__timing_clear(&v->timing);
    htmt_machine_destroy(&v->machine);
    return status;
}

static int verb_of_ranks(struct invocation *v, struct htmt__command *program, int argc, char **argv,
                         enum htmt_mode mode)
{
    snprintf(v->where, sizeof v->where, "%s", argv[0]);
    htmt__launch_begin(&v->launch, argc, argv, &v->fault);
    return htmt__launch_end(&v->launch, verb_of_app(v, program, argc, argv, mode, emulate));
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct invocation v = {.listener = NULL};
    const char *timing = htmt__options_word("--timing", argc, argv);
    if (timing && strcmp(timing, "operations") == 0)
        htmt__hand_over(program, argc > 1 ? argv[1] : NULL, "O2", argv, &v.fault);
    return verb_of_ranks(&v, program, argc, argv, HTMT_RUN);
}

static int run_model(struct htmt__command *program, int argc, char **argv)
{
    if (htmt__sweep_asked(argc, argv))
        return htmt__sweep(program, argc, argv);
    struct invocation v = {.listener = NULL};
    return verb_of_ranks(&v, program, argc, argv, HTMT_MODEL);
}

static int run_prediction(struct htmt__command *program, int argc, char **argv)
{
    struct invocation v = {.where = ""};
    return verb_of_app(&v, program, argc, argv, HTMT_MODEL, predict);
}

int htmt__verb_listened(struct htmt__command *program, int argc, char **argv, enum htmt_mode mode,
                        const struct htmt__run_listener *listener)
{
    struct invocation v = {.listener = listener};
    return verb_of_ranks(&v, program, argc, argv, mode);
}

int htmt__verb_recorded(struct htmt__command *program, int argc, char **argv,
                        const struct htmt_operations *operations)
{
    struct invocation v = {.request.emulator.operations = operations};
    snprintf(v.where, sizeof v.where, "%s", argv[0]);
    return verb_of_app(&v, program, argc, argv, HTMT_RUN, emulate);
}

const struct htmt__verb htmt__verb_row_run = {
    .name = "run",
    .usage = "APP [options]",
    .summary = "run the kernels, check the result, predict the time",
    .run = run};
const struct htmt__verb htmt__verb_row_model = {
    .name = "model",
    .usage = "APP [options]",
    .summary = "predict by the virtual clock alone, without data or kernels",
    .run = run_model};
const struct htmt__verb htmt__verb_row_predict = {.name = "predict",
                                                  .usage = "APP [options]",
                                                  .summary =
                                                      "predict by the application's closed form",
                                                  .run = run_prediction};
