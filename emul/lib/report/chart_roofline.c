/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A roofline says what bounds the work of a kind of processor. Where each word that a link brings
 * is used for i operations, a link of w words a second feeds at most i w operations a second, a
 * slope on logarithmic axes; the processors do at most their peak, a level line. The lower one of
 * both is the roof. A point lies at its own i and at the rate that the run had: near the roof that
 * bound holds it back, far below it something else does, such as latency.
 *
 * Example: 256 Gflop/s and a link of 40 Gword/s meet at 6.4 operations a word. A type with 2
 * operations a word can have 80 Gflop/s; if it had 60, its share of the roof is 75 %.
 */
#include "emul/lib/report/charts.h"

#include "emul/lib/report/chart.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/text/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 40, NEAR = 8 /* of points in a chart, in pixels */ };

/* Operations of one phase, or of all, against the words of one link. */
struct point {
    char name[160];
    const struct htmt__resource *link;
    double per_word, rate;
};

/* The chart of one kind of processor. */
struct roofline {
    const struct htmt__document *d;
    const struct htmt__resource *bank;
    const char *unit; /* the class of operations with the most of them */
    double peak;      /* 0: the machine has no bound */
    double seconds;
    unsigned count, left_out;
    struct point point[POINTS_MAX];
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool is_link(const struct htmt__resource *r)
{
    return strncmp(r->kind, "link", 4) == 0;
}

/* "rti sram out" is of the network "rti". */
static size_t network_length(const struct htmt__resource *link)
{
    size_t length = strlen(link->name), tail = strlen(link->layer_name) + 1;
    tail += strcmp(link->kind, "link out") == 0 ? strlen(" out") : strlen(" in");
    return length > tail ? length - tail : 0;
}

/* Whether words of the link come from or go to the layer of the bank. */
static bool reaches(const struct htmt__results *r, const struct htmt__resource *link,
                    const struct htmt__resource *bank)
{
    if (strcmp(link->layer_name, bank->layer_name) == 0)
        return true;
    const size_t length = network_length(link);
    for (unsigned i = 0; i < r->resource_count && length; i++) {
        const struct htmt__resource *other = &r->resource[i];
        if (is_link(other) && other->count && network_length(other) == length &&
            strncmp(other->name, link->name, length) == 0 &&
            strcmp(other->layer_name, bank->layer_name) == 0)
            return true;
    }
    return false;
}

/* Operations of a class by a type on a bank; NULL: by all types. Files of before 0.2 have the most
 * frequent class of a phase alone. */
static double operations(const struct htmt__results *r, const struct htmt__resource *bank,
                         const char *type, unsigned class)
{
    double sum = 0;
    for (unsigned i = 0; i < r->phase_count; i++) {
        const struct htmt__stage *p = &r->phase[i];
        if (strcmp(p->resource, bank->name) != 0 || (type && strcmp(p->type, type) != 0))
            continue;
        if (p->classes.of[class] > 0)
            sum += p->classes.of[class];
        else if (strcmp(p->unit, htmt__op_names[class]) == 0)
            sum += p->quantity;
    }
    return sum;
}

/* Words of a type that left by a link. */
static double words_of(const struct htmt__results *r, const struct htmt__resource *link,
                       const char *type)
{
    double sum = 0;
    for (unsigned i = 0; i < r->phase_count; i++) {
        const struct htmt__stage *p = &r->phase[i];
        if (strcmp(p->resource, link->name) == 0 && strcmp(p->unit, "words") == 0 &&
            strcmp(p->type, type) == 0)
            sum += p->quantity;
    }
    return sum;
}

static void add_point(struct roofline *f, const char *name, const struct htmt__resource *link,
                      double operations_done, double words)
{
    double per_word = operations_done / words, rate = operations_done / f->seconds;
    if (!(words > 0) || !(per_word > 0) || !isfinite(per_word) || !isfinite(rate))
        return;
    if (f->count == POINTS_MAX) {
        f->left_out++;
        return;
    }
    struct point *p = &f->point[f->count++];
    *p = (struct point){.link = link, .per_word = per_word, .rate = rate};
    snprintf(p->name, sizeof p->name, "%s", name);
}

/* Points of the class of which the bank did most, for each link with a known rate that reaches it:
 * one of all types together, with all words of the link, and one for each type that moved words of
 * its own. A type that did everything would be the first point again, and is left out. */
static void collect(struct roofline *f)
{
    const struct htmt__results *r = &f->d->results;
    double all = 0;
    unsigned class = 0;
    for (unsigned i = 0; i < HTMT_OP_CLASSES; i++) {
        double done = operations(r, f->bank, NULL, i);
        if (done > all) {
            all = done;
            class = i;
            f->unit = htmt__op_names[i];
            f->peak = f->bank->peak.of_class[i];
        }
    }
    for (unsigned l = 0; l < r->resource_count && f->unit; l++) {
        const struct htmt__resource *link = &r->resource[l];
        if (!is_link(link) || !(link->words > 0) || !(link->peak.words > 0) ||
            !reaches(r, link, f->bank))
            continue;
        add_point(f, "all", link, all, link->words);
        for (unsigned i = 0; i < r->phase_count; i++) {
            const struct htmt__stage *p = &r->phase[i];
            bool seen = strcmp(p->resource, f->bank->name) != 0;
            for (unsigned j = 0; j < i && !seen; j++)
                seen = strcmp(r->phase[j].type, p->type) == 0 &&
                       strcmp(r->phase[j].resource, p->resource) == 0;
            double done = seen ? 0 : operations(r, f->bank, p->type, class);
            if (!seen && done < all)
                add_point(f, p->type, link, done, words_of(r, link, p->type));
        }
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* From a value to one that it is below, on a logarithmic axis. */
static void include(struct htmt__chart_axis *axis, double value)
{
    if (!(value > 0) || !isfinite(value))
        return;
    axis->from = fmin(axis->from, value);
    axis->to = fmax(axis->to, value);
}

/* All points, and the corners where slopes meet the peak. */
static struct htmt__chart chart_of(const struct roofline *f, FILE *out)
{
    struct htmt__chart c = {.out = out,
                            .left = 110,
                            .top = 34,
                            .width = 560,
                            .height = 300,
                            .right = 180,
                            .bottom = 48,
                            .x = {INFINITY, 0, true, "", "operations a word"},
                            .y = {INFINITY, 0, true, f->unit, "operations a second"}};
    include(&c.y, f->peak);
    for (unsigned i = 0; i < f->count; i++) {
        include(&c.x, f->point[i].per_word);
        include(&c.x, f->peak / f->point[i].link->peak.words);
        include(&c.y, f->point[i].rate);
    }
    c.x.from /= 4;
    c.x.to *= 4;
    c.y.from /= 4;
    c.y.to *= 2.5;
    return c;
}

/* The line of a link ends at the peak, or at the end of the plot. `place` keeps names apart. */
static void draw_slope(const struct htmt__chart *c, const struct roofline *f,
                       const struct htmt__resource *link, unsigned place)
{
    double words = link->peak.words, high = f->peak > 0 ? f->peak : c->y.to;
    double from = fmax(c->x.from, c->y.from / words), to = fmin(c->x.to, high / words);
    if (!(to > from))
        return;
    double x0 = htmt__chart_x(c, from), y0 = htmt__chart_y(c, from * words);
    double x1 = htmt__chart_x(c, to), y1 = htmt__chart_y(c, to * words);
    double at = 0.15 + 0.22 * (place % 4);
    htmt__chart_line(c, x0, y0, x1, y1, "link");
    htmt__chart_text(c, x0 + at * (x1 - x0) + 5, y0 + at * (y1 - y0) + 10, "start", "dim halo",
                     link->name);
}

static bool same_place(const struct htmt__chart *c, const struct point *p, const struct point *q)
{
    return fabs(htmt__chart_x(c, p->per_word) - htmt__chart_x(c, q->per_word)) < NEAR &&
           fabs(htmt__chart_y(c, p->rate) - htmt__chart_y(c, q->rate)) < NEAR;
}

/* The numbers of all points in this place, unless an earlier one of them has told them. */
static void label(const struct htmt__chart *c, const struct roofline *f, unsigned first)
{
    const struct point *p = &f->point[first];
    char text[4 * POINTS_MAX + 1];
    size_t length = 0;
    for (unsigned i = 0; i < first; i++)
        if (same_place(c, p, &f->point[i]))
            return;
    for (unsigned i = first; i < f->count; i++)
        if (same_place(c, p, &f->point[i]))
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u",
                                       length ? ", " : "", i + 1);
    htmt__chart_text(c, htmt__chart_x(c, p->per_word) + 9, htmt__chart_y(c, p->rate) + 4, "start",
                     "ink halo", text);
}

/* The peak, the slope of each link once, the points, and at last their numbers, which must not hide
 * behind a line. */
static void draw(const struct roofline *f, FILE *out)
{
    struct htmt__chart c = chart_of(f, out);
    char name[200], title[400];
    unsigned slopes = 0;
    snprintf(name, sizeof name, "Roofline of %s", f->bank->name);
    htmt__chart_begin(&c, name);
    htmt__chart_grid_x(&c);
    htmt__chart_grid_y(&c);
    if (f->peak > 0) {
        double y = htmt__chart_y(&c, f->peak), right = c.left + c.width;
        snprintf(title, sizeof title, "peak %s/s", htmt__format_si(f->peak, f->unit).s);
        htmt__chart_line(&c, c.left, y, right, y, "bank");
        htmt__chart_text(&c, right + 6, y + 4, "start", "ink", title);
    }
    for (unsigned i = 0; i < f->count; i++) {
        unsigned first = 0;
        while (f->point[first].link != f->point[i].link)
            first++;
        if (first == i)
            draw_slope(&c, f, f->point[i].link, slopes++);
    }
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *p = &f->point[i];
        snprintf(title, sizeof title, "%u: %s by %s", i + 1, p->name, p->link->name);
        htmt__chart_dot(&c, p->per_word, p->rate, "compute", p->link->name, title);
    }
    for (unsigned i = 0; i < f->count; i++)
        label(&c, f, i);
    htmt__chart_end(&c);
}

static void list(const struct roofline *f, FILE *out)
{
    static const char *const heads[] = {"point",
                                        "type",
                                        "link",
                                        "operations a word",
                                        "operations a second",
                                        "roof",
                                        "share of the roof"};
    htmt__markup_table(out, "Points of the chart", 3, 7, heads);
    for (unsigned i = 0; i < f->count; i++) {
        const struct point *p = &f->point[i];
        double slope = p->per_word * p->link->peak.words;
        double roof = f->peak > 0 ? fmin(slope, f->peak) : slope;
        char place[12], per_word[40];
        snprintf(place, sizeof place, "%u", i + 1);
        snprintf(per_word, sizeof per_word, "%.4g", p->per_word);
        htmt__markup_row(out, 3, 7,
                         (const char *const[]){place, p->name, p->link->name, per_word,
                                               htmt__format_si(p->rate, f->unit).s,
                                               htmt__format_si(roof, f->unit).s,
                                               htmt__format_share(p->rate / roof).s});
    }
    htmt__markup_table_end(out);
    if (f->left_out)
        htmt__markup(out, "<p>%u more points are left out.</p>\n", f->left_out);
}

int htmt__chart_rooflines(const struct htmt__document *d, FILE *out)
{
    const struct htmt__results *r = &d->results;
    struct roofline *f = malloc(sizeof *f);
    if (!f)
        return HTMT_ENOMEM;
    fputs("<h2>Rooflines (virtual clock)</h2>\n<p>One chart for each kind of processor. A point is "
          "the work of all its processors against the words of one link that reaches its layer. "
          "The level line is the peak of the machine file, each slope the rate of a "
          "link.</p>\n",
          out);
    for (unsigned i = 0; i < r->resource_count; i++) {
        if (strcmp(r->resource[i].kind, "bank") != 0 || !r->resource[i].served)
            continue;
        *f = (struct roofline){
            .d = d, .bank = &r->resource[i], .seconds = (double)r->predicted / (double)HTMT_SECOND};
        if (f->seconds > 0)
            collect(f);
        htmt__markup(out, "<h3>%s: %s</h3>\n", f->bank->name, f->unit ? f->unit : "no operations");
        if (f->count) {
            draw(f, out);
            list(f, out);
        } else {
            fputs("<p>Left out: it has no operations with a known time, or no words came by a link "
                  "with a known rate.</p>\n",
                  out);
        }
    }
    free(f);
    return 0;
}
