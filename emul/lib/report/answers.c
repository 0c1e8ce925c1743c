/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The answers to questions that were asked by options, each as a section of a report: why the run
 * took its time (--explain), what it does unlike percolation (--lint), how large the problem may be
 * (--largest), which figures a term depends on (--term), and what a parcel of each type demands
 * (--summary, and --table for programs).
 */
#include "emul/lib/report/answers.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/text_stream.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- explanation ----------------------------------------------------------------------------- */

struct sentence {
    char *at;
    size_t room, length;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->length, t->room - t->length, format, args);
    va_end(args);
    if (n > 0)
        t->length = (size_t)n < t->room - t->length ? t->length + (size_t)n : t->room - 1;
}

/* "fill 3.1 us + stall 0.4 us", causes of 0 left out. False: all causes are 0. */
static bool say_causes(struct sentence *t, const htmt_time *of)
{
    static const enum htmt_path_cause order[] = {HTMT_PATH_FILL,     HTMT_PATH_QUEUE,
                                                 HTMT_PATH_STALL,    HTMT_PATH_BLOCKED,
                                                 HTMT_PATH_OVERHEAD, HTMT_PATH_DRAIN};
    bool any = false;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        htmt_time time = of[order[i]];
        if (!time)
            continue;
        say(t, "%s%s %s",
            time < 0 ? any ? " - " : "-"
            : any    ? " + "
                     : "",
            htmt_path_cause_name(order[i]), htmt__format_fs(time < 0 ? -time : time).s);
        any = true;
    }
    return any;
}

void htmt__explanation_line(const struct htmt__explanation *x, char *line, size_t room)
{
    struct sentence t = {line, room, 0};
    say(&t, "%s %s = ", htmt__format_fs(x->gap < 0 ? -x->gap : x->gap).s,
        x->gap < 0 ? "less" : "more");
    if (x->has_parts) {
        say(&t, "%s",
            say_causes(&t, x->more) ? ", each beyond the closed form's"
                                    : "every cause as the closed form has it");
        return;
    }
    bool any = say_causes(&t, x->sum);
    if (x->beside || !any)
        say(&t, "%s%s that the closed form %s", x->beside < 0 ? any ? " + " : "" : " - ",
            htmt__format_fs(x->beside < 0 ? -x->beside : x->beside).s,
            x->beside < 0 ? "lacks of the work" : "counts beside the work");
}

/* What the rows of the path add up to, by network, layer, memory and phase; of many phases the
 * shortest are one row. */
static int print_shares(const struct htmt__explanation *x, FILE *out)
{
    struct htmt__table table = {
        .columns = 4, .head = {"sum over", "name", "time", "share"}, .left = 0x3};
    int rc = 0;
    for (unsigned i = 0, first = 0; i < x->shares && !rc; i++) {
        struct htmt__path_share s = x->share[i];
        first = strcmp(s.of, x->share[first].of) == 0 ? first : i;
        unsigned others = 1;
        for (; i - first >= HTMT__CAUSES_SHOWN && i + 1 < x->shares &&
               strcmp(x->share[i + 1].of, s.of) == 0;
             i++, others++)
            s.time += x->share[i + 1].time;
        if (others > 1)
            snprintf(s.name, sizeof s.name, "%u others", others);
        double share = x->predicted ? (double)s.time / (double)x->predicted : 0;
        rc = htmt__table_add(&table, i == first ? s.of : "", s.name, htmt__format_fs(s.time).s,
                             htmt__format_share(share).s);
    }
    if (!rc && table.rows) {
        fputc('\n', out);
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}

int htmt__explanation_print(const struct htmt__explanation *x, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"cause", "of", "went by in", "using", "intervals", "time", "share"},
        .left = 0xf};
    char line[600];
    struct sentence t = {line, sizeof line, 0};
    int rc = 0;
    fputc('\n', out);
    htmt__report_line(out, "EXPLANATION (virtual clock; the critical path, work is that of %s)",
                      x->principal[0] ? x->principal : "nobody");
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
        if (x->sum[i])
            say(&t, "%s%s %s", t.length ? " + " : "", htmt_path_cause_name((enum htmt_path_cause)i),
                htmt__format_count((uint64_t)x->sum[i]).s);
    htmt__report_item(out, "time", "%s fs = %s", htmt__format_count((uint64_t)x->predicted).s,
                      t.length ? line : "0");
    if (x->has_closed_form) {
        htmt__explanation_line(x, line, sizeof line);
        htmt__report_item(out, "closed form", "%s; the clock says %s",
                          htmt__format_fs(x->closed_form).s, line);
    }
    struct htmt__cause c;
    for (unsigned i = 0; !rc && htmt__explanation_next(x, &i, &c);) {
        char what[HTMT__TABLE_CELL];
        double share = x->predicted ? (double)c.time / (double)x->predicted : 0;
        snprintf(what, sizeof what, "%s %s", c.type, c.stage);
        rc = htmt__table_add(&table, c.cause, c.of, what, c.used, htmt__format_count(c.intervals).s,
                             htmt__format_fs(c.time).s, htmt__format_share(share).s);
    }
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc ? rc : print_shares(x, out);
}

/* ---- departures from percolation ------------------------------------------------------------- */

/* The time of the same run with the moves of each kind, then with all moves. A reason that several
 * refusals share is printed once. */
static int print_what_ifs(const struct htmt__lint *lint, FILE *out)
{
    struct htmt__table table = {
        .columns = 4, .head = {"what-if moves (emulated)", "time", "more", ""}, .left = 0x1};
    const char *last = "";
    int rc = 0;
    for (unsigned i = 0; i < lint->what_if_count && !rc; i++) {
        const struct htmt__what_if *w = &lint->what_if[i];
        const char *kind = htmt__lint_kind(w->kinds);
        htmt_time more = w->predicted - lint->kept;
        char percent[32];
        snprintf(percent, sizeof percent, "%.1f %%", 100 * (double)more / (double)lint->kept);
        rc = w->fault.code ? htmt__table_add(&table, kind, "refused", "", "")
                           : htmt__table_add(&table, kind, htmt__format_fs(w->predicted).s,
                                             htmt__format_fs(more).s, percent);
    }
    if (!rc && table.rows) {
        fputc('\n', out);
        htmt__table_print(&table, out);
        if (lint->kept != lint->predicted)
            htmt__report_item(out, "compared", "with %s of a model run without what-if moves",
                              htmt__format_fs(lint->kept).s);
    }
    for (unsigned i = 0; i < lint->what_if_count && !rc; i++) {
        const struct htmt_fault *fault = &lint->what_if[i].fault;
        if (fault->code && strcmp(fault->text, last) != 0)
            htmt__report_item(out, "refused", "%s: %s", htmt__lint_kind(lint->what_if[i].kinds),
                              fault->text);
        if (fault->code)
            last = fault->text;
    }
    htmt__table_clear(&table);
    return rc;
}

int htmt__lint_print(const struct htmt__lint *lint, FILE *out)
{
    struct htmt__table table = {
        .columns = 6,
        .head = {"type", "departs by", "declared", "times", "saves", "moved, a slice"},
        .left = 0x7};
    int rc = 0;
    unsigned unknown = 0;
    fprintf(out,
            "\nDEPARTURES from the percolation model (virtual clock; moved: charges of the moves "
            "saved)\n");
    for (unsigned i = 0; i < lint->count && !rc; i++) {
        const struct htmt_departure_report *d = &lint->departure[i];
        double slice = (double)d->time / (double)HTMT_SECOND / lint->slices;
        rc = htmt__table_add(&table, d->type, htmt__lint_kind(d->kind), d->declared ? "yes" : "NO",
                             htmt__format_count(d->count).s,
                             htmt__format_si((double)d->words, "words").s,
                             htmt__format_si(slice, "s").s);
        unknown += d->count && !d->declared;
    }
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    if (!table.rows)
        htmt__report_item(out, "none", "every parcel came with all that it needed");
    if (unknown)
        htmt__report_item(out, "UNDECLARED", "%u, marked NO", unknown);
    htmt__table_clear(&table);
    return rc ? rc : print_what_ifs(lint, out);
}

/* ---- the largest problem --------------------------------------------------------------------- */

static struct htmt__number bound_text(const struct htmt__largest_bound *b)
{
    return b->bounded ? htmt__format_count(b->size) : (struct htmt__number){"no bound"};
}

int htmt__largest_print(const struct htmt__largest *rows, unsigned count, FILE *out)
{
    struct htmt__table table = {
        .columns = 4,
        .head = {"memory", "allows", "twice of it", "what is larger is refused"},
        .left = 0x9};
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++) {
        const struct htmt__largest *r = &rows[i];
        bool all = strcmp(r->memory, "all") == 0;
        char name[HTMT__TABLE_CELL];
        if (all)
            snprintf(name, sizeof name, "all, --%s", r->size->option);
        else
            snprintf(name, sizeof name, "  %s%s", r->memory, r->binds ? " (binds)" : "");
        rc = htmt__table_add(&table, name, r->refused ? "-" : bound_text(&r->alone).s,
                             all ? "" : bound_text(&r->twice).s, r->why);
    }
    if (!rc) {
        fprintf(out,
                "\nLARGEST PROBLEM (closed form; all memories as they are, then each alone, the "
                "others\nwithout bounds, and with twice as much of it)\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}

/* ---- the figures behind a term --------------------------------------------------------------- */

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

int htmt__origin_print(const struct htmt_prediction *p, const char *name,
                       const struct htmt__origin *rows, unsigned count, FILE *out)
{
    struct htmt__table figures = {.columns = 5,
                                  .head = {"figure", "value", "half", "twice", "stands in"},
                                  .left = 0x11},
                       sources = {.columns = 2, .head = {"figure", "source"}, .left = 0x3};
    const struct htmt_term *term = htmt__term_find(p, name);
    unsigned first = (unsigned)(term - p->term), end = first + 1;
    while (end < p->count && p->term[end].depth > term->depth)
        end++;
    fprintf(out, "\nTERM (closed form; what stands under it is part of it)\n");
    int rc = htmt__report_terms(p, first, end, out);
    fprintf(out, "\nEVALUATED (exactly; times in fs)\n");
    htmt__report_item(out, "formula", "%s", term->expression);
    if (*term->values)
        htmt__report_item(out, "with", "%s", term->values);
    for (unsigned i = 0; i < count && !rc; i++) {
        const struct htmt_figure *f = &rows[i].figure;
        char place[sizeof f->file + 20];
        snprintf(place, sizeof place, f->line ? "%s:%d" : "%s", f->file, f->line);
        rc = htmt__table_add(&figures, f->key, f->value,
                             rows[i].hidden ? "hidden" : change(term->value, rows[i].half).s,
                             rows[i].hidden ? "" : change(term->value, rows[i].twice).s, place);
        if (!rc && *f->source)
            rc = htmt__table_add(&sources, f->key, f->source);
    }
    if (!rc) {
        fprintf(out,
                "\nFIGURES (what half and twice of each makes of the term; hidden: something else "
                "bounds it)\n");
        htmt__table_print(&figures, out);
        fprintf(out, "\nSOURCES\n");
        htmt__table_print(&sources, out);
    }
    htmt__table_clear(&figures);
    htmt__table_clear(&sources);
    return rc;
}

/* ---- summary --------------------------------------------------------------------------------- */

const char *htmt__summary_group_name(enum htmt__summary_group group)
{
    static const char *const names[] = {
        [HTMT__SUMMARY_COUNT] = "count",   [HTMT__SUMMARY_TIME] = "time",
        [HTMT__SUMMARY_WORK] = "work",     [HTMT__SUMMARY_WORDS] = "words",
        [HTMT__SUMMARY_MEMORY] = "memory", [HTMT__SUMMARY_BALANCE] = "used",
    };
    return names[group];
}

static struct htmt__number summary_cell(const struct htmt__summary_row *row, double value)
{
    struct htmt__number n = {""};
    if (isnan(value))
        return n;
    if (strcmp(row->unit, "%") == 0)
        return htmt__format_share(value / 100);
    if (strcmp(row->unit, "1") != 0)
        return htmt__format_si(value, row->unit);
    snprintf(n.s, sizeof n.s, "%.6g", value);
    return n;
}

enum { TOGETHER = 5 }; /* columns of one table */

/* Rows without a value in these columns are left out. */
static int print_columns(const struct htmt__summary *s, unsigned from, unsigned to, FILE *out)
{
    static const char *const titles[] = {
        [HTMT__SUMMARY_COUNT] = "",          [HTMT__SUMMARY_TIME] = "time on ",
        [HTMT__SUMMARY_WORK] = "work: ",     [HTMT__SUMMARY_WORDS] = "words: ",
        [HTMT__SUMMARY_MEMORY] = "memory: ", [HTMT__SUMMARY_BALANCE] = "used: ",
    };
    struct htmt__table table = {.columns = to - from + 1, .head = {"a parcel"}, .left = 1};
    int rc = 0;
    for (unsigned c = from; c < to; c++)
        table.head[c - from + 1] = s->name[c];
    for (unsigned i = 0; i < s->rows && !rc; i++) {
        const struct htmt__summary_row *row = &s->row[i];
        char name[HTMT__TABLE_CELL];
        struct htmt__number number[TOGETHER];
        const char *cells[TOGETHER + 1] = {name};
        bool any = false;
        snprintf(name, sizeof name, "%s%s", titles[row->group], row->name);
        for (unsigned c = from; c < to; c++) {
            number[c - from] = summary_cell(row, row->value[c]);
            cells[c - from + 1] = number[c - from].s;
            any |= number[c - from].s[0] != '\0';
        }
        rc = any ? htmt__table_row(&table, cells) : 0;
    }
    if (!rc)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}

int htmt__summary_print(const struct htmt__summary *s, FILE *out)
{
    int rc = 0;
    fprintf(
        out,
        "\nSUMMARY (virtual clock; of one parcel of each type, of all in a slice; used: a share "
        "of\nthe principal resource of the column)\n");
    for (unsigned from = 0; from < s->columns && !rc; from += TOGETHER) {
        if (from)
            fputc('\n', out);
        rc = print_columns(s, from, from + TOGETHER < s->columns ? from + TOGETHER : s->columns,
                           out);
    }
    return rc;
}

int htmt__summary_write_csv(const struct htmt__summary *s, const char *path,
                            struct htmt_fault *fault)
{
    struct htmt__text text;
    FILE *out = htmt__text_open(&text);
    if (out)
        fputs("group,name,unit", out);
    for (unsigned c = 0; out && c < s->columns; c++) {
        fputc(',', out);
        htmt__csv_put(out, s->name[c], true);
    }
    if (out)
        fputc('\n', out);
    for (unsigned i = 0; out && i < s->rows; i++) {
        fprintf(out, "%s,", htmt__summary_group_name(s->row[i].group));
        htmt__csv_put(out, s->row[i].name, true);
        fputc(',', out);
        htmt__csv_put(out, s->row[i].unit, false);
        for (unsigned c = 0; c < s->columns; c++)
            fprintf(out, isnan(s->row[i].value[c]) ? "," : ",%.17g", s->row[i].value[c]);
        fputc('\n', out);
    }
    if (htmt__text_close(out, &text))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the table");
    int rc = htmt_whole_file_write(path, text.at, text.length, fault);
    free(text.at);
    return rc;
}
