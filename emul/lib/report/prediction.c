/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <string.h>

int htmt__report_terms(const struct htmt_prediction *p, unsigned first, unsigned end, FILE *out)
{
    struct htmt__table table = {
        .columns = 4, .head = {"term", "value", "is", "meaning"}, .left = 0xd};
    int rc = 0;
    for (unsigned i = first; i < end && !rc; i++) {
        const struct htmt_term *t = &p->term[i];
        char name[HTMT__TABLE_CELL];
        struct htmt__number value = {""};
        snprintf(name, sizeof name, "%*s%s", (int)(2 * (t->depth - p->term[first].depth)), "",
                 t->name);
        if (strcmp(t->unit, "1") == 0)
            snprintf(value.s, sizeof value.s, "%.6g", t->value);
        else if (strcmp(t->unit, "%") == 0)
            snprintf(value.s, sizeof value.s, "%.4g %%", t->value);
        else
            value = htmt__format_si(t->value, t->unit);
        rc = htmt__table_add(&table, name, value.s, t->expression, t->meaning);
    }
    if (!rc)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

static double rate(const struct htmt_prediction *p)
{
    return p->total_s > 0 ? p->flops / p->total_s : 0;
}

int htmt__report_prediction(const struct htmt__provenance *record, const struct htmt_prediction *p,
                            FILE *out)
{
    struct htmt__document d;
    bool any = false;
    int rc = htmt__document_of_record(record, &d);
    if (rc) {
        htmt__document_clear(&d);
        return rc;
    }
    htmt__disturbed_print(&d.disturbed, out);
    fprintf(out, "htmt predict: %s on %s, %s slice%s\n", d.app, d.machine,
            htmt__format_count(d.slices).s, d.slices == 1 ? "" : "s");
    if (p->problem[0])
        htmt__report_item(out, "problem", "%s", p->problem);
    htmt__report_item(out, "mode", "predict: the closed form, nothing runs");
    htmt__report_slices(&d, out);
    for (unsigned i = 0; i < p->warnings.count; i++)
        htmt__report_item(out, "warning", "%s", p->warnings.item[i].text);

    fprintf(out, "\nPREDICTED (closed form)\n");
    htmt__report_item(out, "time", "%s", htmt__format_si(p->total_s, "s").s);
    if (p->flops > 0)
        htmt__report_item(out, "rate", "%s for %s", htmt__format_si(rate(p), "flop/s").s,
                          htmt__format_si(p->flops, "flop").s);
    if (p->count)
        fprintf(out, "\nTERMS (closed form; what stands under a term is part of it)\n");
    rc = htmt__report_terms(p, 0, p->count, out);
    for (unsigned i = 0; i < p->count; i++) {
        if (!p->term[i].inputs[0])
            continue;
        if (!any)
            fprintf(out, "\nINPUTS\n");
        any = true;
        htmt__report_item(out, p->term[i].name, "%s", p->term[i].inputs);
    }
    htmt__report_open_figures(&d.not_modelled, d.machine, false, out);
    htmt__report_origin(&d, out);
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
