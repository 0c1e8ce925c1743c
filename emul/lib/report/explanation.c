/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/answers.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <stdarg.h>

/* ---- one line -------------------------------------------------------------------------------- */

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

static const enum htmt_path_cause order[] = {HTMT_PATH_FILL,     HTMT_PATH_QUEUE,
                                             HTMT_PATH_STALL,    HTMT_PATH_BLOCKED,
                                             HTMT_PATH_OVERHEAD, HTMT_PATH_DRAIN};

/* "fill 3.1 us + stall 0.4 us", causes of 0 left out. False: all causes are 0. */
static bool say_causes(struct sentence *t, const htmt_time *of)
{
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

/* ---- for people ------------------------------------------------------------------------------ */

static int add_row(struct htmt__table *table, const struct htmt__explanation *x,
                   const struct htmt__cause *c)
{
    char what[HTMT__TABLE_CELL];
    double share = x->predicted ? (double)c->time / (double)x->predicted : 0;
    snprintf(what, sizeof what, "%s %s", c->type, c->stage);
    return htmt__table_row(table, (const char *const[]){c->cause, c->of, what, c->used,
                                                        htmt__format_count(c->intervals).s,
                                                        htmt__format_fs(c->time).s,
                                                        htmt__format_share(share).s});
}

static void print_sums(const struct htmt__explanation *x, FILE *out)
{
    char line[600];
    struct sentence t = {line, sizeof line, 0};
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++)
        if (x->sum[i])
            say(&t, "%s%s %s", t.length ? " + " : "", htmt_path_cause_name((enum htmt_path_cause)i),
                htmt__format_count((uint64_t)x->sum[i]).s);
    htmt__report_item(out, "time", "%s fs = %s", htmt__format_count((uint64_t)x->predicted).s,
                      t.length ? line : "0");
    if (!x->has_closed_form)
        return;
    htmt__explanation_line(x, line, sizeof line);
    htmt__report_item(out, "closed form", "%s; the clock says %s",
                      htmt__format_fs(x->closed_form).s, line);
}

int htmt__explanation_print(const struct htmt__explanation *x, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"cause", "of", "went by in", "using", "intervals", "time", "share"},
        .left = 0xf};
    int rc = 0;
    fputc('\n', out);
    htmt__report_line(out, "EXPLANATION (virtual clock; the critical path, work is that of %s)",
                      x->principal[0] ? x->principal : "nobody");
    print_sums(x, out);
    for (unsigned i = 0; i < x->count && !rc; i++)
        rc = add_row(&table, x, &x->cause[i]);
    if (!rc && table.rows)
        htmt__table_print(&table, out);
    htmt__table_clear(&table);
    return rc;
}
