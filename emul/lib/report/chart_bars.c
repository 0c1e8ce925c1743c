/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charts whose rows are bars: where the demand is, and where the time goes.
 *
 * Equilibrium. For each resource the demand, its busy time for one server, as a share of the
 * predicted time. A bar that reaches 100 % leaves no time: the resource is the balance point, and
 * nothing but less work or more servers makes the run shorter. Bars are made of phases, so that it
 * shows whose work it is. Example: a link that is busy for 45 us of 50 us has 90 %, of which 60 %
 * may be `gather` and 30 % `scatter`.
 *
 * Waterfall. From the time of the closed form to that of the clock, a bar for each cause of the
 * difference, each beginning where the one before ends; the last one ends at the clock's time, to
 * the femtosecond. Without a closed form the bars begin at 0 and add up to the whole path.
 */
#include "emul/lib/report/charts.h"

#include "emul/lib/report/chart.h"
#include "emul/lib/report/families.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 26, BAR = 16 };

/* A chart of so many bars; names stand on the left, figures on the right. */
static struct htmt__chart chart_of(unsigned rows, double right, struct htmt__chart_axis x,
                                   FILE *out)
{
    return (struct htmt__chart){.out = out,
                                .left = 190,
                                .top = 10,
                                .width = 520,
                                .height = rows * (double)ROW,
                                .right = right,
                                .bottom = 44,
                                .x = x};
}

/* ---- equilibrium ----------------------------------------------------------------------------- */

static int by_use(const void *a, const void *b)
{
    const struct htmt__resource *x = *(const struct htmt__resource *const *)a;
    const struct htmt__resource *y = *(const struct htmt__resource *const *)b;
    if (x->utilization != y->utilization)
        return x->utilization < y->utilization ? 1 : -1;
    return x < y ? -1 : x > y; /* in the order of the report: both are of one array */
}

/* A part of the bar, from `at` of the axis on. Returns its end. */
static double draw_part(const struct htmt__chart *c, double y, double at, double share,
                        const struct htmt__resource *r, const char *name)
{
    char title[300];
    double from = htmt__chart_x(c, at), to = htmt__chart_x(c, at + share);
    snprintf(title, sizeof title, "%s on %s: %s", name, r->name, htmt__format_share(share).s);
    htmt__chart_bar(c, &(struct htmt__box){from, y, to - from, BAR},
                    strcmp(r->kind, "bank") == 0 ? "compute" : "transfer", name, share, title);
    return at + share;
}

/* Phases, then what no phase has, such as receiving. */
static void draw_resource(const struct htmt__chart *c, const struct htmt__results *of,
                          const struct htmt__family *all, unsigned count,
                          const struct htmt__resource *r, unsigned place)
{
    double y = c->top + place * (double)ROW, at = 0, least = 1e-9;
    char name[160], end[200];
    htmt__chart_text(c, c->left - 8, y + BAR - 3, "end", "ink", r->name);
    for (unsigned i = 0; i < count; i++) {
        const struct htmt__stage *p = &all[i].sum;
        snprintf(name, sizeof name, "%s %s", p->type, p->stage);
        if (strcmp(p->resource, r->name) == 0 && p->utilization > 0)
            at = draw_part(c, y, at, p->utilization, r, name);
    }
    if (r->utilization - at > least)
        draw_part(c, y, at, r->utilization - at, r, at > 0 ? "rest" : "all");
    snprintf(end, sizeof end, "%s: %s of %s%s", htmt__format_share(r->utilization).s,
             htmt__format_si(r->busy_s / (double)(r->count ? r->count : 1), "s").s,
             htmt__format_fs(of->predicted).s, place ? "" : ", balance point");
    htmt__chart_text(c, htmt__chart_x(c, r->utilization) + 6, y + BAR - 3, "start", "dim", end);
}

int htmt__chart_equilibrium(const struct htmt__document *d, FILE *out)
{
    static const struct htmt__chart_axis axis = {0, 1, false, "%",
                                                 "busy time of a server or channel, as a share "
                                                 "of the predicted time"};
    const struct htmt__results *r = &d->results;
    const struct htmt__resource **used = calloc(r->resource_count + 1u, sizeof *used);
    struct htmt__family *all;
    unsigned count = 0, families, left_out;
    int rc = used ? htmt__families_make(r, &all, &families, &left_out) : HTMT_ENOMEM;
    if (rc) {
        free(used);
        return rc;
    }
    for (unsigned i = 0; i < r->resource_count; i++)
        if (r->resource[i].served && isfinite(r->resource[i].utilization))
            used[count++] = &r->resource[i];
    qsort(used, count, sizeof *used, by_use);
    if (count) {
        const struct htmt__chart c = chart_of(count, 270, axis, out);
        fputs("<h2>Equilibrium (virtual clock)</h2>\n<p>Each bar is the demand on a resource: "
              "services times their mean time, for one server or channel. At 100 % the resource "
              "holds the run back. Parts of a bar are phases; processors are green, links "
              "blue.</p>\n",
              out);
        htmt__chart_begin(&c, "Demand of each resource as a share of what it can do");
        htmt__chart_grid_x(&c);
        for (unsigned i = 0; i < count; i++)
            draw_resource(&c, r, all, families, used[i], i);
        htmt__chart_end(&c);
    }
    free(all);
    free(used);
    return 0;
}

/* ---- waterfall ------------------------------------------------------------------------------- */

enum { STEPS_MAX = HTMT_PATH_CAUSES + 3 };

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

static void draw_step(const struct htmt__chart *c, const struct step *s, unsigned place)
{
    double y = c->top + place * (double)ROW;
    htmt_time by = s->to - s->from;
    double a = htmt__chart_x(c, seconds(s->from)), b = htmt__chart_x(c, seconds(s->to));
    char end[80];
    snprintf(end, sizeof end, "%s%s", by > 0 && !s->total ? "+" : "", htmt__format_fs(by).s);
    htmt__chart_text(c, c->left - 8, y + BAR - 3, "end", "ink", s->name);
    htmt__chart_bar(c, &(struct htmt__box){fmin(a, b), y, fmax(fabs(b - a), 1), BAR},
                    s->total          ? "neutral"
                    : s->to > s->from ? "worse"
                                      : "better",
                    s->name, (double)by, end);
    htmt__chart_text(c, fmax(a, b) + 6, y + BAR - 3, "start", "dim", end);
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
    const htmt_time *of = x->has_closed_form && x->has_parts ? x->more : x->sum;
    bool beside = x->has_closed_form && !x->has_parts; /* the closed form is one figure */
    if (x->has_closed_form)
        total(&w, "closed form", x->closed_form);
    if (beside)
        change(&w, "counted beside the work", -x->beside);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (!beside || order[i] != HTMT_PATH_WORK)
            change(&w, htmt_path_cause_name(order[i]), of[order[i]]);
    total(&w, "clock", x->predicted);
    htmt__markup(out,
                 "<p>%s The changes add up to the last bar, to the femtosecond. Work is that of "
                 "%s.</p>\n",
                 !x->has_closed_form ? "There is no closed form: the bars begin at 0."
                 : x->has_parts      ? "Each bar is a cause's time beyond the closed form's."
                                     : "The closed form does not tell its causes: what it counts "
                                       "beside the work goes, then the causes come.",
                 x->principal[0] ? x->principal : "nobody");
    const struct htmt__chart c = chart_of(w.count, 130, axis_of(&w), out);
    htmt__chart_begin(&c, "From the closed form to the clock, by cause");
    htmt__chart_grid_x(&c);
    for (unsigned i = 0; i < w.count; i++)
        draw_step(&c, &w.step[i], i);
    htmt__chart_end(&c);
    if (c.x.from > 0)
        fputs("<p>The axis does not begin at 0.</p>\n", out);
    if (w.count < 3)
        fputs("<p>Every cause is as the closed form has it.</p>\n", out);
}
