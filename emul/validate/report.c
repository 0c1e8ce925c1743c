/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/report.h"

#include "emul/lib/report/answers.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/page.h"
#include "emul/lib/text/table.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Columns of a report. */
enum { PRINTED = 22, NUMBER = 15, OFF = 10, VERDICT = 88 };

struct cell_text {
    char s[HTMT__TABLE_CELL];
};

/* The value that differences are relative to. */
static double aim(const struct htmt__golden_row *r)
{
    const bool judged = r->use == HTMT__PREDICT || r->use == HTMT__MODEL;
    return judged ? htmt__golden_target(r)
                  : strtod(*r->recomputed ? r->recomputed : r->value, NULL);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static struct cell_text number(bool is_there, double value)
{
    struct cell_text c = {"-"};
    if (is_there)
        snprintf(c.s, sizeof c.s, "%.7g", value);
    return c;
}

/* "0" below a millionth, else "+0.03 %"; "+0.1pp" for percentages. A file may hold a constant as
 * printed or as recomputed: the nearer of the two counts. */
static struct cell_text difference(const struct htmt__golden_row *r, bool is_there, double value)
{
    struct cell_text c = {""};
    double target = aim(r), printed = strtod(*r->value ? r->value : r->recomputed, NULL);
    if (r->use == HTMT__INPUT && fabs(value - printed) < fabs(value - target))
        target = printed;
    double off = value - target, relative = off / target;
    if (!is_there || !isfinite(relative))
        return c;
    if (fabs(relative) < 1e-6)
        snprintf(c.s, sizeof c.s, "0");
    else if (!strcmp(r->unit, "%"))
        snprintf(c.s, sizeof c.s, "%+.1gpp", off);
    else
        snprintf(c.s, sizeof c.s, "%+.2g %%", 100 * relative);
    return c;
}

static const char *verdict(const struct htmt__finding *f)
{
    switch (f->verdict) {
    case HTMT__MET:
        return f->row->use == HTMT__INPUT ? "held" : "met";
    case HTMT__MISSED:
        return "MISSED";
    case HTMT__CANNOT_JUDGE:
        return "CANNOT JUDGE";
    case HTMT__NOT_JUDGED:
        if (f->is_absent)
            return "not judged";
        break;
    }
    return htmt__golden_use_name(f->row->use);
}

/* ---- sections ------------------------------------------------------------------------------- */

/* In lines of the terminal's width, from the second on indented. */
static void print_text(FILE *out, int indent, const char *text)
{
    htmt__text_print(out, 0, indent, htmt__text_width(STDOUT_FILENO), text);
    fputc('\n', out);
}

/* The column of the closed form also shows constants. */
static void print_finding(const struct htmt__finding *f, FILE *out)
{
    const struct htmt__golden_row *r = f->row;
    const bool is_there = f->is_held || f->is_predicted, has_unit = strcmp(r->unit, "1") != 0;
    const double value = f->is_held ? f->held : f->predicted;
    char text[1200], printed[HTMT__TABLE_CELL], line[8 * HTMT__TABLE_CELL];
    snprintf(text, sizeof text, "%s  %s", r->id, r->quantity);
    fputs("  ", out);
    int at = htmt__text_print(out, 2, 2, VERDICT - 2, text);
    fprintf(out, "%*s%s\n", at < VERDICT ? VERDICT - at : 0, "", verdict(f));
    snprintf(printed, sizeof printed, "%s%s%s", *r->value ? r->value : "-", has_unit ? " " : "",
             has_unit ? r->unit : "");
    int length =
        snprintf(line, sizeof line, "    %*s%*s%*s %-*s%*s %s", PRINTED, printed, NUMBER,
                 number(isfinite(aim(r)), aim(r)).s, NUMBER, number(is_there, value).s, OFF,
                 difference(r, is_there, value).s, NUMBER, number(f->is_emulated, f->emulated).s,
                 difference(r, f->is_emulated, f->emulated).s);
    while (length && line[length - 1] == ' ')
        length--;
    fprintf(out, "%.*s\n", length, line);
    if (*r->note)
        print_text(out, 6, r->note);
}

/* ---- totals --------------------------------------------------------------------------------- */

/* Findings of a verdict with their reasons; of rows that are not judged, those that lack something.
 */
static void print_failures(const struct htmt__validation *v, const char *title,
                           enum htmt__verdict verdict, FILE *out)
{
    fprintf(out, "%s\n", title);
    for (unsigned i = 0; i < v->count; i++)
        for (unsigned k = 0; k < v->section[i].count; k++) {
            const struct htmt__finding *f = &v->section[i].finding[k];
            char text[1200];
            if (f->verdict != verdict || (verdict == HTMT__NOT_JUDGED && !f->is_absent))
                continue;
            snprintf(text, sizeof text, "%s (%s): %s", f->row->id,
                     htmt__golden_use_name(f->row->use), f->why);
            print_text(out, 2, text);
        }
    fputc('\n', out);
}

static void print_misses_and_totals(const struct htmt__validation *v, FILE *out)
{
    const struct htmt__totals *t = &v->totals;
    if (t->missed)
        print_failures(v, "MISSED", HTMT__MISSED, out);
    if (t->cannot_judge)
        print_failures(v, "CANNOT JUDGE", HTMT__CANNOT_JUDGE, out);
    if (t->absent)
        print_failures(v, "NOT JUDGED", HTMT__NOT_JUDGED, out);
    fprintf(out, "TOTALS\n");
    fprintf(out, "  predict     %u of %u met, by the closed form\n", t->met_use[HTMT__PREDICT],
            t->use[HTMT__PREDICT] - t->absent);
    fprintf(out, "  model       %u of %u met, by the closed form and by the emulation\n",
            t->met_use[HTMT__MODEL], t->use[HTMT__MODEL]);
    fprintf(out, "  input       %u of %u held by machine and cost files\n", t->met_use[HTMT__INPUT],
            t->use[HTMT__INPUT]);
    fprintf(out, "  not judged  %u arithmetic, %u misprints, %u for reference",
            t->use[HTMT__ARITHMETIC], t->use[HTMT__MISPRINT], t->use[HTMT__REFERENCE]);
    if (t->absent)
        fprintf(out, ", %u that lack a file", t->absent);
    fputc('\n', out);
    fprintf(out, "  command lines: %u predicted, %u of them emulated\n", t->predictions,
            t->emulations);
    if (*v->golden->folder)
        fprintf(out, "  tables from %s\n", v->golden->folder);
}

void htmt__validate_print(const struct htmt__validation *v, FILE *out)
{
    char text[1200], line[1000];
    for (unsigned i = 0; i < v->count; i++) {
        const struct htmt__section *s = &v->section[i];
        fprintf(out, "%s (%s)\n", s->table->title, s->table->name);
        fprintf(out, "    %*s%*s%*s %-*s%*s %s\n", PRINTED, "printed", NUMBER, "target", NUMBER,
                "closed form", OFF, "off", NUMBER, "emulated", "off");
        for (unsigned k = 0; k < s->count; k++)
            print_finding(&s->finding[k], out);
        fputc('\n', out);
    }
    if (v->emulation_count)
        fprintf(out, "EMULATIONS (virtual clock; what parts each from its closed form)\n");
    for (unsigned i = 0; i < v->emulation_count; i++) {
        const struct htmt__emulation *e = &v->emulation[i];
        snprintf(text, sizeof text, "%s on %s: %s", e->app->name, e->machine, e->options);
        print_text(out, 2, text);
        htmt__explanation_line(&e->why, line, sizeof line);
        snprintf(text, sizeof text, "%s fs; %s", htmt__format_count((uint64_t)e->why.predicted).s,
                 line);
        print_text(out, 6, text);
    }
    if (v->emulation_count)
        fputc('\n', out);
    print_misses_and_totals(v, out);
}

void htmt__validate_print_brief(const struct htmt__validation *v, FILE *out)
{
    for (unsigned i = 0; i < v->count; i++) {
        const struct htmt__section *s = &v->section[i];
        unsigned met = 0, missed = 0;
        for (unsigned k = 0; k < s->count; k++) {
            met += s->finding[k].verdict == HTMT__MET;
            missed += s->finding[k].verdict == HTMT__MISSED;
        }
        fprintf(out, "%-32s %4u rows %4u met %4u missed\n", s->table->name, s->count, met, missed);
    }
    print_misses_and_totals(v, out);
}
