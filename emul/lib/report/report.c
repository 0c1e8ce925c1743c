/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A report goes from what was asked to what came out, and from the whole to its parts: title,
 * problem and warnings; the result of the check; the predicted time beside the closed form and the
 * model run; the host's times; then tables of phases, resources and memories, and the bottlenecks.
 * Answers that were asked for follow, and at the end the run record, from which anybody gets the
 * same bits again.
 *
 * One function prints reports of runs, of programs that drive their emulators themselves, and of
 * files of both; they differ only at their heads, since a program has no command line to tell
 * about.
 */
#include "emul/lib/report/report.h"

#include "emul/lib/report/answers.h"
#include "emul/lib/text/format.h"

#include <math.h>

static void print_pairs(const struct htmt__pairs *pairs, const char *label, FILE *out)
{
    for (unsigned i = 0; i < pairs->count; i++)
        htmt__report_item(out, label, "%s", pairs->pair[i].value);
}

static void print_fault(const struct htmt_fault *fault, FILE *out)
{
    if (fault->code == HTMT_ENONDET)
        fprintf(out, "\nNOT DETERMINISTIC: two runs of this command line differ\n");
    else if (fault->code)
        fprintf(out, "\nINCOMPLETE: %s; all figures are up to there\n", fault->text);
}

static void print_mode(const struct htmt__document *d, FILE *out)
{
    htmt__report_item(out, "mode", "%s",
                      !htmt__document_is_model(d) ? "run: the kernels run on the host"
                      : htmt__pairs_find(&d->options, htmt__common_rows[HTMT__CAPTURED].name)
                          ? "model: a captured run is played, no kernel runs"
                          : "model: costs only, no kernel runs");
}

/* The first line: "htmt run: cannon on htmt-oct98, 4 slices". */
static void print_title(const struct htmt__document *d, const char *end, FILE *out)
{
    htmt__report_line(out, "htmt %s: %s on %s, %s slice%s%s", d->mode,
                      d->app ? d->app : "a program", d->machine, htmt__format_count(d->slices).s,
                      d->slices == 1 ? "" : "s", end);
    print_fault(&d->fault, out);
}

/* The predicted time beside two others of the same problem: the closed form, which an application
 * may have, and the model run, which the command makes beside a short run. If the hashes are equal,
 * the run and the model run have the same events at the same instants. */
static void print_comparisons(const struct htmt__document *d, double predicted, FILE *out)
{
    const double model = (double)d->model.predicted / (double)HTMT_SECOND;
    const double more = model > 0 ? predicted / model - 1 : 0;
    const double beyond = d->closed_form_s > 0 ? predicted / d->closed_form_s - 1 : 0;
    if (!htmt__document_is_model(d) && !d->model.emulated)
        htmt__report_item(out, "model run", "%s",
                          d->results.events > HTMT__EVENTS_TO_MODEL
                              ? "not made beside so long a run; see htmt model"
                              : "failed or interrupted; see htmt model");
    else if (!htmt__document_is_model(d) && d->model.by_run)
        htmt__report_item(out, "model run",
                          "the same: without kernels a run plays the events of its model run");
    else if (!htmt__document_is_model(d) && d->same_events)
        htmt__report_item(out, "model run", "%s; the same events to the femtosecond",
                          htmt__format_fs(d->model.predicted).s);
    else if (!htmt__document_is_model(d) && d->model.steered)
        htmt__report_item(out, "model run",
                          "%s; with the data the clock says %.1f %% %s. The program goes by data, "
                          "which a model run does not have: %s parcels there are its own bound, %s "
                          "here",
                          htmt__format_fs(d->model.predicted).s, 100 * fabs(more),
                          more < 0 ? "less" : "more", htmt__format_count(d->model.parcels).s,
                          htmt__format_count(d->results.parcels).s);
    else if (!htmt__document_is_model(d) && more == 0)
        htmt__report_item(out, "model run", "%s; the same time, events in another order",
                          htmt__format_fs(d->model.predicted).s);
    else if (!htmt__document_is_model(d))
        htmt__report_item(out, "model run", "%s; with the data the clock says %.1f %% %s",
                          htmt__format_fs(d->model.predicted).s, 100 * fabs(more),
                          more < 0 ? "less" : "more");
    if (d->closed_form_s > 0)
        htmt__report_item(out, "closed form", "%s by %s; the virtual clock says %.1f %% %s",
                          htmt__format_si(d->closed_form_s, "s").s,
                          d->closed_form_name ? d->closed_form_name : "htmt predict",
                          100 * fabs(beyond), beyond < 0 ? "less" : "more");
    else if (d->closed_form_missing)
        htmt__report_item(out, "closed form", "none: %s", d->closed_form_missing);
}

static void print_time(const struct htmt__document *d, FILE *out)
{
    fprintf(out, "\nPREDICTED (virtual clock)\n");
    htmt__report_item(out, "time", "%s (%s fs)", htmt__format_fs(d->results.predicted).s,
                      htmt__format_count((uint64_t)d->results.predicted).s);
}

/* What the application counted, by the host's time. */
static void print_rates(const struct htmt__document *d, double seconds, FILE *out)
{
    static const char *const words[][2] = {
        {"messages", "messages/s"}, {"hops", "hops/s"}, {"edges_traversed", "edges/s"}};
    char line[200] = "";
    size_t used = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words && seconds > 0; k++)
        for (unsigned i = 0; i < d->found_count && used < sizeof line; i++)
            if (!strcmp(d->found[i].name, words[k][0]) && d->found[i].value > 0)
                used +=
                    (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? ", " : "",
                                     htmt__format_si(d->found[i].value / seconds, words[k][1]).s);
    if (used)
        htmt__report_item(out, "rates", "%s", line);
}

/* How the host played the run: threads and events, the windows of the clock, who played which
 * slices, and where kernels ran. `seconds` of the clock on the host; 0: nobody knows. */
static void print_host(const struct htmt__document *d, double seconds, FILE *out)
{
    const struct htmt__results *r = &d->results;
    const struct htmt__clock_kind *c = &r->clock;
    const struct htmt_host_report *h = &r->host;
    char each[96] = "";
    htmt__report_item(out, "threads", "%s", htmt__format_count(d->threads).s);
    htmt__report_item(out, "events", "%s of %s parcels%s%s", htmt__format_count(r->events).s,
                      htmt__format_count(r->parcels).s, seconds > 0 ? ", " : "",
                      seconds > 0 ? htmt__format_si((double)r->events / seconds, "events/s").s
                                  : "");
    print_rates(d, seconds, out);
    if (c->kind && c->reason)
        htmt__report_item(out, "clock", "one order of all slices: %s", c->reason);
    else if (c->kind && c->lookahead == HTMT_TIME_MAX)
        htmt__report_item(out, "clock", "one window: no slice that is played hears of another");
    else if (c->kind)
        htmt__report_item(out, "clock", "windows of %s, %s of them, %.1f events each",
                          htmt__format_fs(c->lookahead).s, htmt__format_count(c->windows).s,
                          htmt__events_per_window(r));
    if (c->ranks > 1)
        snprintf(each, sizeof each, " in %s processes, each", htmt__format_count(c->ranks).s);
    /* A program may drive several emulators at once: who waited for whom says little there. */
    if (!d->program && c->partitions > 1 && c->threads > 1)
        htmt__report_item(out, "partitions", "%s%s on %s threads; %s windows shared, %s awaited",
                          htmt__format_count(c->partitions).s, each,
                          htmt__format_count(c->threads).s, htmt__format_count(c->shared).s,
                          htmt__format_si(c->awaited_s, "s").s);
    else if (!d->program && c->partitions > 1)
        htmt__report_item(out, "partitions", "%s%s on one thread",
                          htmt__format_count(c->partitions).s, each);
    if (h->jobs)
        htmt__report_item(out, "kernels", "%s, %s of them on the clock's thread; at most %s ahead",
                          htmt__format_count(h->jobs).s, htmt__format_count(h->helped).s,
                          htmt__format_si((double)h->run_ahead_peak_bytes, "B").s);
}

static void print_command(const struct htmt__document *d, FILE *out)
{
    const struct htmt__wall_times *w = &d->wall;
    double seconds = (double)d->results.predicted / (double)HTMT_SECOND;
    htmt__disturbed_print(&d->disturbed, out);
    print_title(d, "", out);
    if (d->problem)
        htmt__report_item(out, "problem", "%s", d->problem);
    print_mode(d, out);
    htmt__report_slices(d, out);
    print_pairs(&d->warnings, "warning", out);

    fprintf(out, "\nRESULT\n");
    if (d->correct < 0)
        htmt__report_item(out, "not checked", "%s", d->unchecked ? d->unchecked : "");
    else
        htmt__report_item(out, d->correct ? "correct" : "WRONG", "%s: %.3g, tolerance %.3g",
                          d->check_name, d->check_value, d->check_tolerance);

    print_time(d, out);
    if (d->flops > 0 && seconds > 0 && !d->fault.code)
        htmt__report_item(out, "rate", "%s for %s", htmt__format_si(d->flops / seconds, "flop/s").s,
                          htmt__format_si(d->flops, "flop").s);
    if (!d->fault.code)
        print_comparisons(d, seconds, out);
    print_pairs(&d->notes, "note", out);

    fprintf(out, "\nWALL (host clock)\n");
    htmt__report_item(out, "total", "%s: input %s, set-up %s, emulation %s, check %s, output %s",
                      htmt__format_si(w->total_s, "s").s, htmt__format_si(w->input_s, "s").s,
                      htmt__format_si(w->setup_s, "s").s, htmt__format_si(w->emulate_s, "s").s,
                      htmt__format_si(w->check_s, "s").s, htmt__format_si(w->output_s, "s").s);
    print_host(d, w->emulate_s, out);
}

static void print_program(const struct htmt__document *d, FILE *out)
{
    htmt__report_line(out, "htmt: a program on %s, %s slice%s", d->machine,
                      htmt__format_count(d->slices).s, d->slices == 1 ? "" : "s");
    print_fault(&d->fault, out);
    print_mode(d, out);
    print_pairs(&d->warnings, "warning", out);
    print_time(d, out);
    print_pairs(&d->notes, "note", out);
    fprintf(out, "\nHOST\n");
    print_host(d, 0, out);
}

static void print_trace(const struct htmt__document *d, FILE *out)
{
    print_title(d, "; from a trace", out);
    print_mode(d, out);
    print_time(d, out);
    print_pairs(&d->notes, "note", out);
}

static void print_walls(const struct htmt__document *d, FILE *out)
{
    const struct htmt__walls *w = &d->walls;
    fprintf(out, "\nAGAINST THE CLOCK (the same kernels without hooks, on one thread)\n");
    htmt__report_item(out, "predicted", "%s of kernels, %.2f of the clock",
                      htmt__format_fs(d->results.predicted).s,
                      (double)d->results.predicted / (double)HTMT_SECOND / w->kernels);
    htmt__report_item(out, "kernels", "%s, and %s of the emulator's own work",
                      htmt__format_si(w->kernels, "s").s, htmt__format_si(w->own, "s").s);
    htmt__report_item(out, "wall",
                      "%s, the least of %s runs; the middle one takes %.1f %% longer; at %.3f GHz "
                      "as the machine, %.3f GHz now",
                      htmt__format_si(w->wall, "s").s,
                      w->runs ? htmt__format_count(w->runs).s : "all", w->spread, 1e-9 * w->own_hz,
                      1e-9 * w->hz);
    if (w->free < HTMT__WALLS_AGREE)
        htmt__report_item(out, "disturbed",
                          "of the runs that found the core free %s took as long: the wall may be "
                          "too long",
                          w->free ? "too few" : "none");
    htmt__report_item(out, "ratio", "%.2f of the wall: predicted and own work", w->ratio);
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

int htmt__report_document(const struct htmt__document *d, FILE *out)
{
    (d->trace ? print_trace : d->program ? print_program : print_command)(d, out);
    int rc = htmt__report_tables(&d->results, out);
    if (!rc && d->walls.made)
        rc = htmt__report_kernels(&d->results, out);
    if (!rc && d->walls.made)
        print_walls(d, out);
    if (!rc && d->summary.made && htmt__pairs_find(&d->options, "summary"))
        rc = htmt__summary_print(&d->summary, out); /* it was asked for as text */
    if (!rc && d->lint.made)
        rc = htmt__lint_print(&d->lint, out);
    if (!rc && d->explanation.made)
        rc = htmt__explanation_print(&d->explanation, out);
    if (d->has_determinism)
        htmt__report_determinism(&d->determinism, d->fault.text, out);
    htmt__report_open_figures(&d->not_modelled, d->machine, true, out);
    htmt__report_origin(d, out);
    return rc;
}

int htmt__report_experiment(const struct htmt__experiment *x, FILE *out)
{
    struct htmt__document d;
    int rc = htmt__document_of_experiment(x, &d);
    if (!rc)
        rc = htmt__report_document(&d, out);
    htmt__document_clear(&d);
    return rc;
}

int htmt__report_account(const struct htmt__account *x, FILE *out)
{
    struct htmt__document d;
    int rc = htmt__document_of_account(x, &d);
    if (!rc)
        rc = htmt__report_document(&d, out);
    htmt__document_clear(&d);
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
    for (unsigned i = 0; i < x->results.operations_count; i++) {
        const struct htmt__operations_sums *s = &x->results.operations[i];
        if (s->counted && *s->why)
            fprintf(out, "%s: by counts: %s, %s: %s\n", x->record.options->app->name, s->type,
                    s->stage, s->why);
    }
    if (x->walls.made)
        fprintf(out, "%s: own work %s, wall %s, ratio %.2f%s\n", x->record.options->app->name,
                htmt__format_si(x->walls.own, "s").s, htmt__format_si(x->walls.wall, "s").s,
                x->walls.ratio,
                x->walls.free < HTMT__WALLS_AGREE
                    ? "; others had the core: the wall may be too long"
                    : "");
}
