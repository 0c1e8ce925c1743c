/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <string.h>

static struct htmt__number term_value(const struct htmt_term *t)
{
    struct htmt__number out;
    if (strcmp(t->unit, "1") == 0)
        snprintf(out.s, sizeof out.s, "%.6g", t->value);
    else if (strcmp(t->unit, "%") == 0)
        snprintf(out.s, sizeof out.s, "%.4g %%", t->value);
    else
        out = htmt__format_si(t->value, t->unit);
    return out;
}

static int add_term(struct htmt__table *table, const struct htmt_term *t, unsigned depth)
{
    char name[HTMT__TABLE_CELL];
    snprintf(name, sizeof name, "%*s%s", (int)(2 * (t->depth - depth)), "", t->name);
    return htmt__table_row(table,
                           (const char *const[]){name, term_value(t).s, t->expression, t->meaning});
}

int htmt__report_terms(const struct htmt_prediction *p, unsigned first, unsigned end, FILE *out)
{
    struct htmt__table table = {
        .columns = 4, .head = {"term", "value", "is", "meaning"}, .left = 0xd};
    int rc = 0;
    for (unsigned i = first; i < end && !rc; i++)
        rc = add_term(&table, &p->term[i], p->term[first].depth);
    if (!rc)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

static void print_inputs(const struct htmt_prediction *p, FILE *out)
{
    bool any = false;
    for (unsigned i = 0; i < p->count; i++) {
        if (!p->term[i].inputs[0])
            continue;
        if (!any)
            fprintf(out, "\nINPUTS\n");
        any = true;
        htmt__report_item(out, p->term[i].name, "%s", p->term[i].inputs);
    }
}

static double rate(const struct htmt_prediction *p)
{
    return p->total_s > 0 ? p->flops / p->total_s : 0;
}

static void print_head(const struct htmt__document *d, const struct htmt_prediction *prediction,
                       FILE *out)
{
    fprintf(out, "htmt predict: %s on %s, %s slice%s\n", d->app, d->machine,
            htmt__format_count(d->slices).s, d->slices == 1 ? "" : "s");
    if (prediction->problem[0])
        htmt__report_item(out, "problem", "%s", prediction->problem);
    htmt__report_item(out, "mode", "predict: the closed form, nothing runs");
    htmt__report_slices(d, out);
    htmt__report_warnings(&prediction->warnings, out);
}

static int print_terms(const struct htmt_prediction *prediction, FILE *out)
{
    fprintf(out, "\nPREDICTED (closed form)\n");
    htmt__report_item(out, "time", "%s", htmt__format_si(prediction->total_s, "s").s);
    if (prediction->flops > 0)
        htmt__report_item(out, "rate", "%s for %s", htmt__format_si(rate(prediction), "flop/s").s,
                          htmt__format_si(prediction->flops, "flop").s);
    if (prediction->count)
        fprintf(out, "\nTERMS (closed form; what stands under a term is part of it)\n");
    int rc = htmt__report_terms(prediction, 0, prediction->count, out);
    print_inputs(prediction, out);
    return rc;
}

int htmt__report_prediction(const struct htmt__provenance *record,
                            const struct htmt_prediction *prediction, FILE *out)
{
    struct htmt__document d;
    int rc = htmt__document_of_record(record, &d);
    if (!rc) {
        print_head(&d, prediction, out);
        rc = print_terms(prediction, out);
        htmt__report_open_figures(&d.not_modelled, d.machine, out);
        htmt__report_origin(&d, out);
    }
    htmt__document_clear(&d);
    return rc;
}

void htmt__report_brief_prediction(const struct htmt__provenance *record,
                                   const struct htmt_prediction *prediction, FILE *out)
{
    bool rated = prediction->flops > 0;
    fprintf(out, "%s: predicted %s (closed form)%s%s\n", record->options->app->name,
            htmt__format_si(prediction->total_s, "s").s, rated ? ", " : "",
            rated ? htmt__format_si(rate(prediction), "flop/s").s : "");
}
