/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/charts.h"

#include "emul/lib/report/chart.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"

#include <math.h>

enum { ROW = 26, BAR = 16, STEPS_MAX = HTMT_PATH_CAUSES + 3 };

/* From one time to another; a total stands on 0. */
struct step {
    const char *name;
    htmt_time from, to;
    bool total;
};

struct waterfall {
    unsigned count;
    struct step step[STEPS_MAX];
};

static const enum htmt_path_cause order[] = {HTMT_PATH_WORK,  HTMT_PATH_FILL,    HTMT_PATH_QUEUE,
                                             HTMT_PATH_STALL, HTMT_PATH_BLOCKED, HTMT_PATH_OVERHEAD,
                                             HTMT_PATH_DRAIN};

static void total(struct waterfall *w, const char *name, htmt_time of)
{
    w->step[w->count++] = (struct step){name, 0, of, true};
}

/* From where the step before ends; nothing if nothing changes. */
static void change(struct waterfall *w, const char *name, htmt_time by)
{
    htmt_time at = w->count ? w->step[w->count - 1].to : 0;
    if (by)
        w->step[w->count++] = (struct step){name, at, at + by, false};
}

static void collect(const struct htmt__explanation *x, struct waterfall *w)
{
    const htmt_time *of = x->has_closed_form && x->has_parts ? x->more : x->sum;
    bool beside = x->has_closed_form && !x->has_parts;
    if (x->has_closed_form)
        total(w, "closed form", x->closed_form);
    if (beside)
        change(w, "counted beside the work", -x->beside);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (!beside || order[i] != HTMT_PATH_WORK)
            change(w, htmt_path_cause_name(order[i]), of[order[i]]);
    total(w, "clock", x->predicted);
}

static double seconds(htmt_time fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

/* The axis begins above 0 where the changes are small against the times. */
static struct htmt__chart_axis axis_of(const struct waterfall *w)
{
    double least = seconds(w->step[w->count - 1].to), most = least;
    for (unsigned i = 0; i < w->count; i++) {
        const struct step *s = &w->step[i];
        least = fmin(least, fmin(s->total ? least : seconds(s->from), seconds(s->to)));
        most = fmax(most, fmax(seconds(s->from), seconds(s->to)));
    }
    double room = most - least, from = least - 0.25 * room, to = most + 0.05 * room;
    if (!(room > 0) || (from < 0.25 * to && least >= 0))
        from = 0;
    return (struct htmt__chart_axis){from, to > from ? to : from + 1, false, "s", "virtual time"};
}

static const char *class_of(const struct step *s)
{
    return s->total ? "neutral" : s->to > s->from ? "worse" : "better";
}

static void draw_step(const struct htmt__chart *c, const struct step *s, unsigned place)
{
    double y = c->top + place * (double)ROW;
    htmt_time by = s->to - s->from;
    double a = htmt__chart_x(c, seconds(s->from)), b = htmt__chart_x(c, seconds(s->to));
    char end[80];
    snprintf(end, sizeof end, "%s%s", by > 0 && !s->total ? "+" : "", htmt__format_fs(by).s);
    htmt__chart_text(c, c->left - 8, y + BAR - 3, "end", "ink", s->name);
    htmt__chart_bar(c, &(struct htmt__box){fmin(a, b), y, fmax(fabs(b - a), 1), BAR}, class_of(s),
                    s->name, (double)by, end);
    htmt__chart_text(c, fmax(a, b) + 6, y + BAR - 3, "start", "dim", end);
}

static void draw(const struct waterfall *w, FILE *out)
{
    struct htmt__chart c = {.out = out,
                            .left = 190,
                            .top = 10,
                            .width = 520,
                            .height = w->count * (double)ROW,
                            .right = 130,
                            .bottom = 44,
                            .x = axis_of(w)};
    htmt__chart_begin(&c, "From the closed form to the clock, by cause");
    htmt__chart_grid_x(&c);
    for (unsigned i = 0; i < w->count; i++)
        draw_step(&c, &w->step[i], i);
    htmt__chart_end(&c);
    if (c.x.from > 0)
        fputs("<p>The axis does not begin at 0.</p>\n", out);
}

void htmt__chart_waterfall(const struct htmt__document *d, FILE *out)
{
    const struct htmt__explanation *x = &d->explanation;
    struct waterfall w = {.count = 0};
    fputs("<h2>Explanation (virtual clock)</h2>\n", out);
    if (!x->made) {
        fputs("<p>Left out: the run was made without <code>--explain</code>.</p>\n", out);
        return;
    }
    collect(x, &w);
    htmt__markup(out,
                 "<p>%s The changes add up to the last bar, to the femtosecond. Work is that of "
                 "%s.</p>\n",
                 !x->has_closed_form ? "There is no closed form: the bars begin at 0."
                 : x->has_parts      ? "Each bar is a cause's time beyond the closed form's."
                                     : "The closed form does not tell its causes: what it counts "
                                       "beside the work goes, then the causes come.",
                 x->principal[0] ? x->principal : "nobody");
    draw(&w, out);
    if (w.count < 3)
        fputs("<p>Every cause is as the closed form has it.</p>\n", out);
}
