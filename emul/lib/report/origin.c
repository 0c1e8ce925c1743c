/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/answers.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <math.h>

/* The row after the last one of the tree of terms that starts at row `first`. */
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
        snprintf(n.s, sizeof n.s,
                 fabs(to - from) > HTMT__ORIGIN_SAME * fabs(from) ? "%+.4g %%" : "0",
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
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++)
        rc = add_figure(&table, term, &rows[i]);
    if (!rc) {
        fprintf(out,
                "\nFIGURES (what half and twice of each makes of the term; hidden: something else "
                "bounds it)\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}

static int print_sources(const struct htmt__origin *rows, unsigned count, FILE *out)
{
    struct htmt__table table = {.columns = 2, .head = {"figure", "source"}, .left = 0x3};
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++)
        if (*rows[i].figure.source)
            rc = htmt__table_row(&table,
                                 (const char *const[]){rows[i].figure.key, rows[i].figure.source});
    if (!rc) {
        fprintf(out, "\nSOURCES\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
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
    const struct htmt_term *found = htmt__term_find(prediction, term);
    unsigned first = (unsigned)(found - prediction->term);
    fprintf(out, "\nTERM (closed form; what stands under it is part of it)\n");
    int rc = htmt__report_terms(prediction, first, end_of(prediction, first), out);
    print_formula(found, out);
    if (!rc)
        rc = print_figures(found, rows, count, out);
    return rc ? rc : print_sources(rows, count, out);
}
