/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/report/report.h"

#include "emul/report/answers.h"
#include "emul/text/format.h"
#include "emul/text/table.h"

#include <math.h>

enum { LIMITS_SHOWN = 5 };

static bool is_model(const struct htmt__experiment *x)
{
    return x->record.request->emulator.mode == HTMT_MODEL;
}

void htmt__report_slices(const struct htmt__record *record, FILE *out)
{
    const struct htmt_request *r = record->request;
    const char *why = htmt__record_slices_why(record);
    if (why)
        htmt__report_item(out, "slices", "%s of %s: %s; --slices takes another number",
                          htmt__format_count(r->emulator.slices).s,
                          htmt__format_count(r->machine->slices).s, why);
}

void htmt__report_warnings(const struct htmt_warnings *w, FILE *out)
{
    for (unsigned i = 0; i < w->count; i++)
        htmt__report_item(out, "warning", "%s", w->item[i].text);
}

static void print_incomplete(const struct htmt_fault *fault, FILE *out)
{
    fprintf(out, "\nINCOMPLETE: %s; all figures are up to there\n", fault->text);
}

static void print_mode(enum htmt_mode mode, FILE *out)
{
    htmt__report_item(out, "mode", "%s",
                      mode == HTMT_MODEL ? "model: costs only, no kernel runs"
                                         : "run: the kernels run on the host");
}

static void print_head(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt_request *r = x->record.request;
    fprintf(out, "htmt %s: %s on %s, %s slice%s\n", x->record.verb, x->record.options->app->name,
            r->machine->name, htmt__format_count(r->emulator.slices).s,
            r->emulator.slices == 1 ? "" : "s");
    if (x->fault.code == HTMT_ENONDET)
        fprintf(out, "\nNOT DETERMINISTIC: two runs of this command line differ\n");
    else if (x->fault.code)
        print_incomplete(&x->fault, out);
    if (x->outcome.problem[0])
        htmt__report_item(out, "problem", "%s", x->outcome.problem);
    print_mode(x->record.request->emulator.mode, out);
    htmt__report_slices(&x->record, out);
    htmt__report_warnings(&x->outcome.warnings, out);
}

static void print_result(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt_outcome *o = &x->outcome;
    fprintf(out, "\nRESULT\n");
    if (o->correct < 0) {
        htmt__report_item(out, "not checked", "%s",
                          is_model(x) ? "a model run has no data"
                          : x->record.options->app->check
                              ? "nothing to compare with"
                              : "nothing was checked: the application has no check");
        return;
    }
    htmt__report_item(out, o->correct ? "correct" : "WRONG", "%s: %.3g, tolerance %.3g",
                      o->check.name, o->check.value, o->check.tolerance);
}

static void print_closed_form(const struct htmt__experiment *x, double predicted, FILE *out)
{
    const struct htmt_outcome *o = &x->outcome;
    if (!(o->closed_form_s > 0)) {
        if (!x->record.options->app->tell)
            htmt__report_item(out, "closed form", "none: the application does not have one");
        return;
    }
    double off = predicted / o->closed_form_s - 1;
    htmt__report_item(out, "closed form", "%s by %s; the virtual clock says %.1f %% %s",
                      htmt__format_si(o->closed_form_s, "s").s,
                      o->closed_form_name[0] ? o->closed_form_name : "htmt predict",
                      100 * fabs(off), off < 0 ? "less" : "more");
}

/* If the hashes are equal, the run and the model run have the same events at the same instants. */
static void print_model(const struct htmt__experiment *x, double predicted, FILE *out)
{
    if (is_model(x))
        return;
    if (!x->model.emulated) {
        htmt__report_item(out, "model run", "%s",
                          x->results.events > HTMT__EVENTS_TO_MODEL
                              ? "not made beside so long a run; see htmt model"
                              : "failed or interrupted; see htmt model");
        return;
    }
    double model = (double)x->model.predicted / (double)HTMT_SECOND, off = predicted / model - 1;
    if (htmt__experiment_agrees(x))
        htmt__report_item(out, "model run", "%s; the same events to the femtosecond",
                          htmt__format_fs(x->model.predicted).s);
    else
        htmt__report_item(out, "model run", "%s; with the data the clock says %.1f %% %s",
                          htmt__format_fs(x->model.predicted).s, model > 0 ? 100 * fabs(off) : 0,
                          off < 0 ? "less" : "more");
}

static void print_left(const struct htmt_emulator *e, FILE *out)
{
    const char *left;
    for (uint32_t i = 0; (left = htmt_note_at(e, i)); i++)
        htmt__report_item(out, "note", "%s", left);
}

/* Of the application, then of the emulator. */
static void print_notes(const struct htmt_outcome *o, FILE *out)
{
    for (unsigned i = 0; i < sizeof o->notes / sizeof *o->notes; i++)
        if (o->notes[i][0])
            htmt__report_item(out, "note", "%s", o->notes[i]);
    print_left(o->emulator, out);
}

static void print_time(htmt_time predicted, FILE *out)
{
    fprintf(out, "\nPREDICTED (virtual clock)\n");
    htmt__report_item(out, "time", "%s (%s fs)", htmt__format_fs(predicted).s,
                      htmt__format_count((uint64_t)predicted).s);
}

static void print_predicted(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt_outcome *o = &x->outcome;
    double seconds = (double)x->results.predicted / (double)HTMT_SECOND;
    print_time(x->results.predicted, out);
    if (o->flops > 0 && seconds > 0 && !x->fault.code)
        htmt__report_item(out, "rate", "%s for %s", htmt__format_si(o->flops / seconds, "flop/s").s,
                          htmt__format_si(o->flops, "flop").s);
    if (!x->fault.code) {
        print_model(x, seconds, out);
        print_closed_form(x, seconds, out);
    }
    print_notes(o, out);
}

/* `seconds` of the clock on the host; 0: nobody knows. */
static void print_events(const struct htmt__results *r, uint64_t threads, double seconds, FILE *out)
{
    htmt__report_item(out, "threads", "%s", htmt__format_count(threads).s);
    htmt__report_item(out, "events", "%s of %s parcels%s%s", htmt__format_count(r->events).s,
                      htmt__format_count(r->parcels).s, seconds > 0 ? ", " : "",
                      seconds > 0 ? htmt__format_si((double)r->events / seconds, "events/s").s
                                  : "");
}

static void print_wall(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt_walls *w = &x->outcome.wall;
    fprintf(out, "\nWALL (host clock)\n");
    htmt__report_item(out, "total", "%s: input %s, set-up %s, emulation %s, check %s, output %s",
                      htmt__format_si(w->total_s, "s").s, htmt__format_si(w->input_s, "s").s,
                      htmt__format_si(w->setup_s, "s").s, htmt__format_si(w->emulate_s, "s").s,
                      htmt__format_si(w->check_s, "s").s, htmt__format_si(w->output_s, "s").s);
    print_events(&x->results, x->record.request->emulator.threads, w->emulate_s, out);
}

static void print_host(const struct htmt_host_report *h, FILE *out)
{
    if (h->jobs)
        htmt__report_item(out, "kernels", "%s, %s of them on the clock's thread; at most %s ahead",
                          htmt__format_count(h->jobs).s, htmt__format_count(h->helped).s,
                          htmt__format_si((double)h->run_ahead_peak_bytes, "B").s);
}

static int print_table(struct htmt__table *table, int rc, const char *title, FILE *out)
{
    if (!rc && table->rows) {
        fprintf(out, "\n%s\n", title);
        htmt__table_print(table, out);
    }
    htmt__table_clear(table);
    return rc;
}

static int print_phases(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"type", "stage", "resource", "parcels", "quantity",
                                         "mean time", "parallel", "used"},
                                .left = 0x7};
    int rc = 0;
    for (unsigned i = 0; i < r->phase_count && !rc; i++) {
        const struct htmt__stage *p = &r->phase[i];
        rc = htmt__table_row(&table, (const char *const[]){p->type, p->stage, p->resource,
                                                           htmt__format_count(p->parcels).s,
                                                           htmt__format_si(p->quantity, p->unit).s,
                                                           htmt__format_si(p->mean_s, "s").s,
                                                           htmt__format_count(p->parallelism).s,
                                                           htmt__format_share(p->utilization).s});
    }
    return print_table(&table, rc, "PHASES (virtual clock)", out);
}

static int print_resources(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"resource", "count", "served", "busy", "used", "mean wait", "longest queue"},
        .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->resource_count && !rc; i++) {
        const struct htmt__resource *p = &r->resource[i];
        if (p->served)
            rc = htmt__table_row(
                &table,
                (const char *const[]){
                    p->name, htmt__format_count(p->count).s, htmt__format_count(p->served).s,
                    htmt__format_si(p->busy_s, "s").s, htmt__format_share(p->utilization).s,
                    htmt__format_si(p->mean_wait_s, "s").s, htmt__format_count(p->max_queue).s});
    }
    return print_table(&table, rc, "RESOURCES (virtual clock, all slices; unused ones left out)",
                       out);
}

static int print_memories(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"memory", "count", "capacity", "peak", "full", "stall", "longest queue"},
        .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->memory_count && !rc; i++) {
        const struct htmt__memory *p = &r->memory[i];
        double full = (double)p->peak_words / (double)p->capacity_words;
        rc = htmt__table_row(
            &table,
            (const char *const[]){p->name, htmt__format_count(p->count).s,
                                  htmt__format_si((double)p->capacity_words, "words").s,
                                  htmt__format_si((double)p->peak_words, "words").s,
                                  htmt__format_share(full).s, htmt__format_si(p->stall_s, "s").s,
                                  htmt__format_count(p->max_queue).s});
    }
    return print_table(&table, rc, "MEMORIES (a slice; peak of the fullest, stall of all)", out);
}

/* Only a program that names sections has any. */
static int print_sections(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 6, .head = {"section", "time", "share", "busy", "wait", "stall"}, .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->section_count && !rc; i++) {
        const struct htmt__section_time *p = &r->section[i];
        rc = htmt__table_row(
            &table, (const char *const[]){
                        p->name[0] ? p->name : "(before)", htmt__format_si(p->time_s, "s").s,
                        htmt__format_share(p->share).s, htmt__format_si(p->busy_s, "s").s,
                        htmt__format_si(p->wait_s, "s").s, htmt__format_si(p->stall_s, "s").s});
    }
    return print_table(&table, rc, "SECTIONS (virtual clock; sums over all slices)", out);
}

static void print_limit(const struct htmt_limit_report *l, unsigned place, FILE *out)
{
    if (l->space)
        htmt__report_line(out, "  %u. %s: %s of the capacity, %.2f moves waiting on average%s",
                          place, l->name, htmt__format_share(l->utilization).s, l->mean_queue,
                          l->binding ? ", and no resource is saturated" : "");
    else
        htmt__report_line(out, "  %u. %s: in use for %s, mean wait %s%s", place, l->name,
                          htmt__format_share(l->utilization).s,
                          htmt__format_si(l->mean_wait_s, "s").s, l->binding ? ", saturated" : "");
}

void htmt__report_limits(const struct htmt__results *r, FILE *out)
{
    if (!r->limit_count)
        return;
    fprintf(out, "\nBOTTLENECKS (virtual clock; the worst first%s)\n",
            r->limit[0].binding ? "" : "; nothing is saturated: latency and dependences hold");
    for (unsigned i = 0; i < r->limit_count && i < LIMITS_SHOWN; i++)
        print_limit(&r->limit[i], i + 1, out);
}

void htmt__report_determinism(const struct htmt_determinism_report *d, const char *difference,
                              FILE *out)
{
    fprintf(out, "\nDETERMINISM\n");
    if (d->equal) {
        htmt__report_item(out, "equal", "%u more runs, each with the same %s events", d->runs,
                          htmt__format_count(d->events).s);
        return;
    }
    htmt__report_item(out, "DIFFERENT", "%s", difference);
    if (!d->differing[0])
        return;
    htmt__report_item(out, "event", "%s (from 0)", htmt__format_count(d->number).s);
    htmt__report_item(out, "first run", "%s", d->first);
    htmt__report_item(out, "other run", "%s", d->differing);
}

/* Phases, resources, memories, sections, bottlenecks. */
static int print_accounts(const struct htmt__results *r, FILE *out)
{
    int rc = print_phases(r, out);
    if (!rc)
        rc = print_resources(r, out);
    if (!rc)
        rc = print_memories(r, out);
    if (!rc)
        rc = print_sections(r, out);
    if (!rc)
        htmt__report_limits(r, out);
    return rc;
}

/* What the emulator was asked when it was created. */
static int print_answers(const struct htmt__lint *lint, const struct htmt__explanation *x,
                         FILE *out)
{
    int rc = lint->made ? htmt__lint_print(lint, out) : 0;
    return rc || !x->made ? rc : htmt__explanation_print(x, out);
}

int htmt__report_experiment(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt__results *r = &x->results;
    print_head(x, out);
    print_result(x, out);
    print_predicted(x, out);
    print_wall(x, out);
    print_host(&r->host, out);
    int rc = print_accounts(r, out);
    if (!rc && x->record.options->common[HTMT__SUMMARY] && x->summary.made)
        rc = htmt__summary_print(&x->summary, out);
    if (!rc)
        rc = print_answers(&x->lint, &x->explanation, out);
    if (x->has_determinism)
        htmt__report_determinism(&x->determinism, x->fault.text, out);
    htmt__report_not_modelled(x->record.request->machine, out);
    htmt__report_record(&x->record, x->outcome.kernel_set[0] ? x->outcome.kernel_set : NULL,
                        htmt__format_hash(r->history_hash).s, out);
    return rc;
}

static void print_program(const struct htmt__account *x, FILE *out)
{
    const struct htmt_emulator *e = x->emulator;
    uint32_t slices = htmt_emulator_slices(e);
    htmt__report_line(out, "htmt: a program on %s, %s slice%s", htmt_emulator_machine(e)->name,
                      htmt__format_count(slices).s, slices == 1 ? "" : "s");
    if (x->fault.code)
        print_incomplete(&x->fault, out);
    print_mode(htmt_emulator_options(e)->mode, out);
    print_time(x->results.predicted, out);
    print_left(e, out);
    fprintf(out, "\nHOST\n");
    print_events(&x->results, x->threads, 0, out);
    print_host(&x->results.host, out);
}

int htmt__report_account(const struct htmt__account *x, FILE *out)
{
    const struct htmt_machine *m = htmt_emulator_machine(x->emulator);
    print_program(x, out);
    int rc = print_accounts(&x->results, out);
    if (!rc)
        rc = print_answers(&x->lint, &x->explanation, out);
    htmt__report_not_modelled(m, out);
    htmt__report_build(htmt__version(), htmt__commit(), m, out);
    htmt__report_item(out, "history hash", "%s", htmt__format_hash(x->results.history_hash).s);
    return rc;
}

void htmt__report_brief(const struct htmt__experiment *x, FILE *out)
{
    const struct htmt_outcome *o = &x->outcome;
    fprintf(out, "%s: %s, predicted %s (virtual clock), emulated in %s (host clock)\n",
            x->record.options->app->name,
            x->fault.code    ? "incomplete"
            : o->correct < 0 ? "not checked"
            : o->correct     ? "correct"
                             : "WRONG",
            htmt__format_fs(x->results.predicted).s, htmt__format_si(o->wall.emulate_s, "s").s);
}
