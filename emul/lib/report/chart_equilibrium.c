/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/charts.h"

#include "emul/lib/report/chart.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 26, BAR = 16 };

struct ranked {
    const struct htmt__resource **resource;
    unsigned count;
};

static int by_use(const void *a, const void *b)
{
    const struct htmt__resource *x = *(const struct htmt__resource *const *)a;
    const struct htmt__resource *y = *(const struct htmt__resource *const *)b;
    if (x->utilization != y->utilization)
        return x->utilization < y->utilization ? 1 : -1;
    return x < y ? -1 : x > y; /* in the order of the report: both are of one array */
}

/* Those that served, the busiest first. */
static int rank(const struct htmt__results *r, struct ranked *all)
{
    all->resource = calloc(r->resource_count + 1u, sizeof(const struct htmt__resource *));
    if (!all->resource)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < r->resource_count; i++)
        if (r->resource[i].served && isfinite(r->resource[i].utilization))
            all->resource[all->count++] = &r->resource[i];
    qsort(all->resource, all->count, sizeof(const struct htmt__resource *), by_use);
    return 0;
}

static const char *class_of(const struct htmt__resource *r)
{
    return strcmp(r->kind, "bank") == 0 ? "compute" : "transfer";
}

/* A part of the bar, from `at` of the axis on. Returns its end. */
static double draw_part(const struct htmt__chart *c, double y, double at, double share,
                        const struct htmt__resource *r, const char *name)
{
    char title[300];
    double from = htmt__chart_x(c, at), to = htmt__chart_x(c, at + share);
    snprintf(title, sizeof title, "%s on %s: %s", name, r->name, htmt__format_share(share).s);
    htmt__chart_bar(c, &(struct htmt__box){from, y, to - from, BAR}, class_of(r), name, share,
                    title);
    return at + share;
}

/* Phases, then what no phase has, such as receiving. */
static void draw_resource(const struct htmt__chart *c, const struct htmt__results *of,
                          const struct htmt__resource *r, double y)
{
    double at = 0, least = 1e-9;
    for (unsigned i = 0; i < of->phase_count; i++) {
        const struct htmt__stage *p = &of->phase[i];
        char name[160];
        snprintf(name, sizeof name, "%s %s", p->type, p->stage);
        if (strcmp(p->resource, r->name) == 0 && p->utilization > 0)
            at = draw_part(c, y, at, p->utilization, r, name);
    }
    if (r->utilization - at > least)
        draw_part(c, y, at, r->utilization - at, r, at > 0 ? "rest" : "all");
}

static void draw_row(const struct htmt__chart *c, const struct htmt__document *d,
                     const struct htmt__resource *r, unsigned place)
{
    double y = c->top + place * (double)ROW;
    char end[200];
    snprintf(end, sizeof end, "%s: %s of %s%s", htmt__format_share(r->utilization).s,
             htmt__format_si(r->busy_s / (double)(r->count ? r->count : 1), "s").s,
             htmt__format_fs(d->results.predicted).s, place ? "" : ", balance point");
    htmt__chart_text(c, c->left - 8, y + BAR - 3, "end", "ink", r->name);
    draw_resource(c, &d->results, r, y);
    htmt__chart_text(c, htmt__chart_x(c, r->utilization) + 6, y + BAR - 3, "start", "dim", end);
}

static void draw(const struct ranked *all, const struct htmt__document *d, FILE *out)
{
    struct htmt__chart c = {.out = out,
                            .left = 190,
                            .top = 10,
                            .width = 520,
                            .height = all->count * (double)ROW,
                            .right = 270,
                            .bottom = 44,
                            .x = {0, 1, false, "%",
                                  "busy time of a server or channel, as a share "
                                  "of the predicted time"}};
    htmt__chart_begin(&c, "Demand of each resource as a share of what it can do");
    htmt__chart_grid_x(&c);
    for (unsigned i = 0; i < all->count; i++)
        draw_row(&c, d, all->resource[i], i);
    htmt__chart_end(&c);
}

int htmt__chart_equilibrium(const struct htmt__document *d, FILE *out)
{
    struct ranked all = {NULL, 0};
    int rc = rank(&d->results, &all);
    if (!rc && all.count) {
        fputs("<h2>Equilibrium (virtual clock)</h2>\n<p>Each bar is the demand on a resource: "
              "services times their mean time, for one server or channel. At 100 % the resource "
              "holds the run back. Parts of a bar are phases; processors are green, links "
              "blue.</p>\n",
              out);
        draw(&all, d, out);
    }
    free(all.resource);
    return rc;
}
