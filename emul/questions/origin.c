/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/questions/origin.h"

#include "emul/report/format.h"
#include "emul/report/report.h"
#include "emul/report/table.h"
#include "layers/file/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR  1024
#define SAME 1e-12 /* relative: that much is rounding */

enum { TEXT = 200 };

struct probe {
    const struct htmt__options *options;
    const struct htmt_request *request;
    const char *term;
    double value; /* as the files are */
    struct htmt_prediction *prediction;
};

static const struct htmt_term *find_term(const struct htmt_prediction *p, const char *name)
{
    for (unsigned i = 0; i < p->count; i++)
        if (!strcmp(p->term[i].name, name))
            return &p->term[i];
    return NULL;
}

/* ---- another figure ------------------------------------------------------------------------- */

/* The term of the command line with its machine and `cost_set`; NAN: there is none. */
static double predict_on(struct probe *p, const struct htmt_machine *machine, const char *cost_set)
{
    struct htmt_request request = *p->request;
    struct htmt_fault fault = {0};
    const struct htmt_term *term = NULL;
    request.machine = machine;
    request.cost_set = &cost_set;
    request.cost_set_count = cost_set ? 1 : 0;
    if (!htmt__options_resolve(p->options, &request, &fault) &&
        !p->options->app->predict(p->options->app, &request, p->prediction, &fault))
        term = find_term(p->prediction, p->term);
    return term ? term->value : (double)NAN;
}

static double predict_with(struct probe *p, bool of_costs, const char *set)
{
    const struct htmt__options *o = p->options;
    const char *sets[HTMT__SETS_MAX + 1];
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    unsigned count = o->set_count;
    memcpy(sets, o->set, count * sizeof *sets);
    if (!of_costs)
        sets[count++] = set;
    if (htmt_machine_load(o->common[HTMT__MACHINE], sets, count, &machine, &fault))
        return (double)NAN;
    double value = predict_on(p, machine, of_costs ? set : NULL);
    htmt_machine_destroy(&machine);
    return value;
}

/* "500 MHz" by a factor; one unit of what is 0; counts stay whole. False: it is no number, or the
 * same again. */
static bool multiply(const struct htmt_figure *f, double factor, char *set, size_t room)
{
    char *unit;
    double x = strtod(f->value, &unit), y = x > 0 ? x * factor : 1;
    bool whole = x >= 1 && x < 1e6 && x == floor(x);
    y = whole ? fmax(1, floor(y)) : y;
    snprintf(set, room, "%s=%.12g%s", f->key, y, unit);
    return unit != f->value && y != x;
}

static double moved_by(struct probe *p, const struct htmt__origin *row, double factor)
{
    char set[TEXT];
    if (!multiply(&row->figure, factor, set, sizeof set))
        return p->value;
    return predict_with(p, row->of_costs, set);
}

/* ---- all figures ---------------------------------------------------------------------------- */

static bool differs(const struct probe *p, double value)
{
    return isfinite(value) && fabs(value - p->value) > SAME * fabs(p->value);
}

static bool is_zero(const struct htmt_figure *f)
{
    char *unit;
    return strtod(f->value, &unit) == 0 && unit != f->value;
}

/* Whether the term depends on the figure. */
static bool look(struct probe *p, struct htmt__origin *row)
{
    double step = strcmp(row->figure.key, "slices") ? 2 : 4;
    row->half = row->twice = p->value;
    if (!is_zero(&row->figure)) {
        row->half = moved_by(p, row, 1 / step);
        row->twice = moved_by(p, row, step);
        if (differs(p, row->half) || differs(p, row->twice))
            return true;
    }
    row->hidden = true;
    return differs(p, moved_by(p, row, FAR)) || differs(p, moved_by(p, row, 1.0 / FAR));
}

static void look_at_all(struct probe *p, const struct htmt_figure *figure, unsigned count,
                        bool of_costs, struct htmt__origin *rows, unsigned *used)
{
    for (unsigned i = 0; i < count; i++) {
        struct htmt__origin *row = &rows[*used];
        *row = (struct htmt__origin){.figure = figure[i], .of_costs = of_costs};
        *used += look(p, row);
    }
}

int htmt__origin_find(const struct htmt__options *options, const struct htmt_request *request,
                      const struct htmt_prediction *prediction, const char *term,
                      struct htmt__origin **rows, unsigned *count, struct htmt_fault *fault)
{
    const struct htmt_machine *m = request->machine;
    const struct htmt_term *found = find_term(prediction, term);
    struct probe p = {options, request, term, found ? found->value : 0, NULL};
    struct htmt_figure *costs = NULL;
    unsigned cost_count = 0;
    *count = 0;
    if (!found)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--term: there is no term '%s'; without --term all are listed", term);
    int rc = request->costs ? htmt_costs_figures(request->costs, &costs, &cost_count, fault) : 0;
    if (rc)
        return rc;
    *rows = calloc(m->figure_count + cost_count + 1, sizeof **rows);
    p.prediction = calloc(1, sizeof *p.prediction);
    if (*rows && p.prediction) {
        look_at_all(&p, m->figure, m->figure_count, false, *rows, count);
        look_at_all(&p, costs, cost_count, true, *rows, count);
    } else {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    }
    free(p.prediction);
    free(costs);
    return rc;
}

/* ---- report --------------------------------------------------------------------------------- */

/* The term from row `first` with what stands under it. */
static unsigned end_of(const struct htmt_prediction *p, unsigned first)
{
    unsigned end = first + 1;
    while (end < p->count && p->term[end].depth > p->term[first].depth)
        end++;
    return end;
}

static struct htmt__number change(double from, double to)
{
    struct htmt__number n = {"-"};
    if (isfinite(to) && from != 0)
        snprintf(n.s, sizeof n.s, fabs(to - from) > SAME * fabs(from) ? "%+.4g %%" : "0",
                 100 * (to - from) / from);
    else if (isfinite(to))
        snprintf(n.s, sizeof n.s, "%.4g", to);
    return n;
}

static int add_figure(struct htmt__table *table, const struct htmt_term *term,
                      const struct htmt__origin *row)
{
    const struct htmt_figure *f = &row->figure;
    char place[sizeof f->file + 20];
    snprintf(place, sizeof place, f->line ? "%s:%d" : "%s", f->file, f->line);
    return htmt__table_row(
        table, (const char *const[]){f->key, f->value,
                                     row->hidden ? "hidden" : change(term->value, row->half).s,
                                     row->hidden ? "" : change(term->value, row->twice).s, place});
}

static int print_figures(const struct htmt_term *term, const struct htmt__origin *rows,
                         unsigned count, FILE *out)
{
    struct htmt__table table = {
        .columns = 5, .head = {"figure", "value", "half", "twice", "stands in"}, .left = 0x11};
    int code = 0;
    for (unsigned i = 0; i < count && !code; i++)
        code = add_figure(&table, term, &rows[i]);
    if (!code) {
        fprintf(out,
                "\nFIGURES (what half and twice of each makes of the term; hidden: something else "
                "bounds it)\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return code;
}

static int print_sources(const struct htmt__origin *rows, unsigned count, FILE *out)
{
    struct htmt__table table = {.columns = 2, .head = {"figure", "source"}, .left = 0x3};
    int code = 0;
    for (unsigned i = 0; i < count && !code; i++)
        if (*rows[i].figure.source)
            code = htmt__table_row(
                &table, (const char *const[]){rows[i].figure.key, rows[i].figure.source});
    if (!code) {
        fprintf(out, "\nSOURCES\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return code;
}

/* "M_S = multiply.flop * b_c * b_c * b_c: flop of a SPELL", and the values of the names. */
static void print_formula(const struct htmt_term *term, FILE *out)
{
    fprintf(out, "\nEVALUATED (exactly; times in fs)\n");
    htmt__report_item(out, "formula", "%s", term->expression);
    if (*term->values)
        htmt__report_item(out, "with", "%s", term->values);
}

int htmt__origin_print(const struct htmt_prediction *prediction, const char *term,
                       const struct htmt__origin *rows, unsigned count, FILE *out)
{
    const struct htmt_term *found = find_term(prediction, term);
    unsigned first = (unsigned)(found - prediction->term);
    fprintf(out, "\nTERM (closed form; what stands under it is part of it)\n");
    int code = htmt__report_terms(prediction, first, end_of(prediction, first), out);
    print_formula(found, out);
    if (!code)
        code = print_figures(found, rows, count, out);
    return code ? code : print_sources(rows, count, out);
}
