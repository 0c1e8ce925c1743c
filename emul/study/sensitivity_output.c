/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elasticities as a table for people, CSV, JSON and a plot.
 */
#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/page.h"
#include "emul/lib/text/table.h"
#include "emul/study/sensitivity.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BARS 12

static const char *const kinds[] = {"time", "rate", "cycles", "per cycle", "share", "steps"};

static bool is_there(const struct htmt__sensitivity *x, const struct htmt__subject *s, unsigned k)
{
    return s->cell[k].members && !isnan(x->of[k].t);
}

static bool has_steps(const struct htmt__cell *c)
{
    return c->kind == HTMT__OF_STEPS;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* By the largest |e|; figures of steps behind, by how far T moves; then as the machine has them. */
struct place {
    const struct htmt__subject *subject;
    double e, moved;
};

static int by_weight(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->e != q->e)
        return p->e < q->e ? 1 : -1;
    if (p->moved != q->moved)
        return p->moved < q->moved ? 1 : -1;
    return (p->subject > q->subject) - (p->subject < q->subject);
}

/* NULL: out of memory. The caller frees it. */
static struct place *in_order(const struct htmt__sensitivity *x)
{
    struct place *p = calloc(x->subjects + 1u, sizeof *p);
    for (unsigned i = 0; i < x->subjects && p; i++) {
        p[i].subject = &x->subject[i];
        for (unsigned k = 0; k < x->study->case_count; k++) {
            const struct htmt__cell *c = &x->subject[i].cell[k];
            if (!is_there(x, &x->subject[i], k))
                continue;
            if (has_steps(c))
                p[i].moved = fmax(p[i].moved, fmax(fabs(c->half / x->of[k].t - 1),
                                                   fabs(c->twice / x->of[k].t - 1)));
            else if (!isnan(c->e))
                p[i].e = fmax(p[i].e, fabs(c->e));
        }
    }
    if (p)
        qsort(p, x->subjects, sizeof *p, by_weight);
    return p;
}

/* ---- for people ------------------------------------------------------------------------------ */

struct text {
    char s[48];
};

static struct text number(const char *format, double v)
{
    struct text t = {"-"};
    if (!isnan(v))
        snprintf(t.s, sizeof t.s, format, v);
    return t;
}

static struct text elasticity(double e, int digits)
{
    struct text t = {"0"};
    if (isnan(e))
        return (struct text){"-"};
    if (fabs(e) >= 0.5 * pow(10, -digits))
        snprintf(t.s, sizeof t.s, "%.*f", digits, e);
    return t;
}

static struct text reach(const struct htmt__reach *r)
{
    return number(r->ends ? "%.5g" : ">%.5g", r->factor);
}

static void print_heads(const struct htmt__sensitivity *x, FILE *out)
{
    for (unsigned k = 0; k < x->study->case_count; k++) {
        const struct htmt__study_case *c = &x->study->cases[k];
        const struct htmt__sensed *of = &x->of[k];
        fprintf(out, "%s: ", c->name);
        if (isnan(of->t)) {
            fprintf(out, "refused: %s\n", of->why ? of->why : "");
            continue;
        }
        fprintf(out, "T %.8g s by %s; %s", of->t, c->verb, of->method);
        if (strcmp(of->method, "path") != 0)
            fprintf(out, ", h = %g", of->h);
        fprintf(out, "; %u %s", of->ties, of->ties == 1 ? "tie" : "ties");
        if (of->uneven)
            fprintf(out, "; %u uneven: T is no straight line up to 2 h", of->uneven);
        if (!isnan(of->sum))
            fprintf(out, "; e of times less e of rates %.6f", of->sum);
        fputc('\n', out);
        if (of->no_slope)
            fprintf(out, "  %s\n", of->no_slope);
    }
}

/* One case: both sides where they differ, and how far where that was asked for and the page has
 * room.
 */
static int print_one(const struct htmt__sensitivity *x, const struct place *p, bool narrow,
                     FILE *out)
{
    const struct htmt__sensed *of = &x->of[0];
    const bool far = htmt__sensitivity_goes_far(x, 0), beside = far && !narrow;
    struct htmt__table t = {.columns = 2, .head = {"figure", "value"}, .left = 3};
    unsigned still = 0;
    int rc = 0;
    t.head[t.columns++] = of->ties ? "larger" : "e";
    if (of->ties)
        t.head[t.columns++] = "smaller";
    for (unsigned i = 0; i < 4 && beside; i++)
        t.head[t.columns++] =
            (const char *const[]){"faster to", "T at once", "slower to", "+1 % at"}[i];
    for (unsigned i = 0; i < x->subjects && !rc; i++) {
        const struct htmt__subject *s = p[i].subject;
        const struct htmt__cell *c = &s->cell[0];
        const struct text cell[] = {
            elasticity(c->larger, 6), c->tie ? elasticity(c->smaller, 6) : (struct text){""},
            reach(&c->faster),        number("%.7g", c->at_once),
            reach(&c->slower),        reach(&c->percent)};
        const char *cells[HTMT__TABLE_COLUMNS] = {s->name, c->members ? c->member[0].value : ""};
        if (!is_there(x, s, 0) || has_steps(c))
            continue;
        if (c->e == 0 && !c->tie && !c->faster.ends && !c->slower.ends) {
            still++;
            continue;
        }
        for (unsigned k = 0, column = 2; k < 6; k++)
            if (k == 0 || (k == 1 && of->ties) || (k > 1 && beside))
                cells[column++] = cell[k].s;
        rc = htmt__table_row(&t, cells);
    }
    rc = htmt__table_end(&t, rc, "ELASTICITY d ln T / d ln FIGURE", out);
    if (still)
        fprintf(out, "  %u more: 0%s\n", still,
                far ? ", up to 1024 times faster and slower" : "; --far tells how far that holds");
    return rc;
}

static int print_cases(const struct htmt__sensitivity *x, const struct place *p, FILE *out)
{
    struct htmt__table t = {.columns = 1, .head = {"figure"}, .left = 1};
    unsigned of_column[HTMT__TABLE_COLUMNS] = {0};
    int rc = 0;
    unsigned left_out = 0;
    for (unsigned k = 0; k < x->study->case_count; k++) {
        if (isnan(x->of[k].t))
            continue;
        if (t.columns == HTMT__TABLE_COLUMNS) {
            left_out++;
            continue;
        }
        of_column[t.columns] = k;
        t.head[t.columns++] = x->study->cases[k].name;
    }
    for (unsigned i = 0; i < x->subjects && p[i].e > 0 && !rc; i++) {
        struct text cell[HTMT__TABLE_COLUMNS];
        const char *cells[HTMT__TABLE_COLUMNS] = {p[i].subject->name};
        for (unsigned column = 1; column < t.columns; column++) {
            const struct htmt__cell *c = &p[i].subject->cell[of_column[column]];
            cells[column] = cell[column].s;
            cell[column] = !c->members    ? (struct text){"-"}
                           : has_steps(c) ? (struct text){"steps"}
                                          : elasticity(c->larger, 4);
            if (c->tie)
                snprintf(cell[column].s, sizeof cell[column].s, "%.20s|%.20s",
                         elasticity(c->larger, 4).s, elasticity(c->smaller, 4).s);
        }
        rc = htmt__table_row(&t, cells);
    }
    rc = htmt__table_end(&t, rc, "ELASTICITY d ln T / d ln FIGURE (larger|smaller: a tie)", out);
    if (left_out)
        fprintf(out, "  %u more cases; --csv has all\n", left_out);
    return rc;
}

/* Over all cases that have it. */
static int print_least(const struct htmt__sensitivity *x, const struct place *p, FILE *out)
{
    const unsigned cases = x->study->case_count;
    struct htmt__table t = {
        .columns = 4, .head = {"figure", "faster to", "+1 % at", "slower to"}, .left = 1};
    int rc = 0;
    for (unsigned i = 0; i < x->subjects && !rc; i++) {
        const struct htmt__reach faster = htmt__least_reach(p[i].subject, cases,
                                                            offsetof(struct htmt__cell, faster)),
                                 slower = htmt__least_reach(p[i].subject, cases,
                                                            offsetof(struct htmt__cell, slower)),
                                 percent = htmt__least_reach(p[i].subject, cases,
                                                             offsetof(struct htmt__cell, percent));
        if (p[i].e > 0 || faster.ends || slower.ends)
            rc = htmt__table_add(&t, p[i].subject->name, reach(&faster).s, reach(&percent).s,
                                 reach(&slower).s);
    }
    return htmt__table_end(&t, rc,
                           cases == 1 ? "HOW FAR"
                           : x->far   ? "HOW FAR, the least of all cases"
                                      : "HOW FAR, the least of the cases by predict",
                           out);
}

/* A row for each that changes T. */
static int print_steps(const struct htmt__sensitivity *x, const struct place *p, FILE *out)
{
    struct htmt__table t = {.columns = 5,
                            .head = {"figure", "value", "case", "T at half, s", "T at twice, s"},
                            .left = 7};
    unsigned unasked = 0, same = 0;
    int rc = 0;
    for (unsigned i = 0; i < x->subjects && !rc; i++)
        for (unsigned k = 0; k < x->study->case_count && !rc; k++) {
            const struct htmt__subject *s = p[i].subject;
            const struct htmt__cell *c = &s->cell[k];
            if (!is_there(x, s, k) || !has_steps(c))
                continue;
            if (!htmt__sensitivity_goes_far(x, k))
                unasked++;
            else if (c->half != x->of[k].t || c->twice != x->of[k].t)
                rc = htmt__table_add(&t, s->name, c->member[0].value, x->study->cases[k].name,
                                     number("%.7g", c->half).s, number("%.7g", c->twice).s);
            else
                same++;
        }
    rc = htmt__table_end(&t, rc, "STEPS: counts and capacities (-: refused)", out);
    if (same)
        fprintf(out, "  counts and capacities with the same T at half and at twice: %u\n", same);
    if (unasked)
        fprintf(
            out,
            "  counts and capacities, which have steps: %u; --far tells T at half and at twice\n",
            unasked);
    return rc;
}

int htmt__sensitivity_print(const struct htmt__sensitivity *x, FILE *out)
{
    struct place *p = in_order(x);
    int rc = p ? 0 : HTMT_ENOMEM;
    if (rc)
        return rc;
    print_heads(x, out);
    if (x->study->case_count == 1) {
        const bool narrow = htmt__text_width_of(out) < HTMT__TEXT_WIDTH;
        rc = print_one(x, p, narrow, out);
        if (!rc && narrow && htmt__sensitivity_goes_far(x, 0))
            rc = print_least(x, p, out);
    } else {
        rc = print_cases(x, p, out);
        rc = rc ? rc : print_least(x, p, out);
    }
    rc = rc ? rc : print_steps(x, p, out);
    bool clock = false;
    for (unsigned k = 0; k < x->study->case_count; k++)
        clock = clock || strcmp(x->study->cases[k].verb, "predict") != 0;
    if (x->far && clock)
        fputs(
            "Another order of events may end a line earlier: T was looked at for powers of four.\n",
            out);
    free(p);
    return rc ? rc : ferror(out) ? HTMT_EIO : 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void put_number(FILE *out, double v)
{
    fprintf(out, isnan(v) ? "," : ",%.17g", v);
}

int htmt__sensitivity_csv(const struct htmt__sensitivity *x, const char *path,
                          struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    struct place *p = in_order(x);
    int rc = p ? htmt_whole_file_open(path, &file, fault)
               : htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    if (rc) {
        free(p);
        return rc;
    }
    FILE *out = htmt_whole_file_stream(file);
    fputs("case,figure,value,kind,larger,smaller,tie,T_half_s,T_twice_s,faster_to,slower_to,"
          "one_percent_at,T_at_once_s\n",
          out);
    for (unsigned i = 0; i < x->subjects; i++)
        for (unsigned k = 0; k < x->study->case_count; k++) {
            const struct htmt__subject *s = p[i].subject;
            const struct htmt__cell *c = &s->cell[k];
            const bool steps = has_steps(c);
            if (!is_there(x, s, k))
                continue;
            htmt__csv_put(out, x->study->cases[k].name, false);
            fputc(',', out);
            htmt__csv_put(out, s->name, false);
            fputc(',', out);
            htmt__csv_put(out, c->member[0].value, false);
            fprintf(out, ",%s", kinds[c->kind]);
            put_number(out, steps ? (double)NAN : c->larger);
            put_number(out, steps ? (double)NAN : c->smaller);
            fprintf(out, ",%d", c->tie);
            put_number(out, c->half);
            put_number(out, c->twice);
            put_number(out, c->faster.ends ? c->faster.factor : (double)NAN);
            put_number(out, c->slower.ends ? c->slower.factor : (double)NAN);
            put_number(out, c->percent.ends ? c->percent.factor : (double)NAN);
            put_number(out, c->at_once);
            fputc('\n', out);
        }
    free(p);
    return htmt_whole_file_commit(&file, fault);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *reach_object(const struct htmt__reach *r)
{
    return isnan(r->factor) ? json_null()
                            : json_pack("{s:f, s:b}", "factor", r->factor, "ends", r->ends);
}

static json_t *cell_object(const struct htmt__cell *c, const char *name)
{
    const bool steps = has_steps(c);
    json_t *keys = json_array();
    for (unsigned i = 0; i < c->members; i++)
        json_array_append_new(
            keys, json_pack("{s:s, s:s}", "key", c->member[i].key, "value", c->member[i].value));
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "case",
                     name, "figures", keys, "kind", kinds[c->kind], "larger",
                     real(steps ? (double)NAN : c->larger), "smaller",
                     real(steps ? (double)NAN : c->smaller), "tie", c->tie, "uneven", c->uneven,
                     "T_half_s", real(c->half), "T_twice_s", real(c->twice), "faster_to",
                     reach_object(&c->faster), "slower_to", reach_object(&c->slower),
                     "one_percent_at", reach_object(&c->percent), "T_at_once_s", real(c->at_once));
}

int htmt__sensitivity_json(const struct htmt__sensitivity *x, const char *path,
                           struct htmt_fault *fault)
{
    const unsigned cases = x->study->case_count;
    json_t *of = json_array(), *figures = json_array();
    struct place *p = in_order(x);
    for (unsigned k = 0; k < cases; k++)
        json_array_append_new(of, json_pack("{s:s, s:s, s:o, s:s?, s:f, s:i, s:i, s:o, s:s?}",
                                            "case", x->study->cases[k].name, "verb",
                                            x->study->cases[k].verb, "T_s", real(x->of[k].t),
                                            "method", x->of[k].method, "h", x->of[k].h, "ties",
                                            (int)x->of[k].ties, "uneven", (int)x->of[k].uneven,
                                            "sum", real(x->of[k].sum), "refused", x->of[k].why));
    for (unsigned i = 0; i < x->subjects && p; i++) {
        const struct htmt__subject *s = p[i].subject;
        const struct htmt__reach faster = htmt__least_reach(s, cases,
                                                            offsetof(struct htmt__cell, faster)),
                                 slower = htmt__least_reach(s, cases,
                                                            offsetof(struct htmt__cell, slower)),
                                 percent = htmt__least_reach(s, cases,
                                                             offsetof(struct htmt__cell, percent));
        json_t *cells = json_array();
        for (unsigned k = 0; k < cases; k++)
            if (is_there(x, s, k))
                json_array_append_new(cells, cell_object(&s->cell[k], x->study->cases[k].name));
        if (json_array_size(cells))
            json_array_append_new(figures, json_pack("{s:s, s:b, s:O, s:o, s:o, s:o}", "name",
                                                     s->name, "group", s->group, "cases", cells,
                                                     "faster_to", reach_object(&faster),
                                                     "slower_to", reach_object(&slower),
                                                     "one_percent_at", reach_object(&percent)));
        json_decref(cells);
    }
    json_t *whole =
        p ? json_pack("{s:i, s:o, s:o}", "htmt-sensitivity", 1, "cases", of, "figures", figures)
          : NULL;
    if (!p) {
        json_decref(of);
        json_decref(figures);
    }
    free(p);
    return htmt__json_write(whole, path, fault);
}

/* ---- plot ------------------------------------------------------------------------------------ */

/* A panel a case: bars of |e|. Of a tie the smaller side is one bar, what the other has more stands
 * on it. */
struct panel {
    struct htmt__plot plot;
    struct htmt__plot_curve curve[2];
    double place[BARS], both[BARS], tie[BARS];
    char name[BARS][128];
    const char *bar[BARS + 1];
};

static const char *behind(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return text + strlen(*words);
    return text;
}

/* In two lines that fit below a bar: "layers.cram.processor.flop" as cram and flop,
 * "networks.vortex.ports.dram.out-rate" as vortex and dram.out-rate. */
static void break_name(const char *name, char out[128])
{
    static const char *const first[] = {"layers.", "networks.", NULL}, *const second[] = {
                                                                           "processor.", "ports.",
                                                                           NULL};
    const char *head = behind(name, first), *dot = strchr(head, '.');
    if (head == name || !dot)
        snprintf(out, 128, "%s", name);
    else
        snprintf(out, 128, "%.*s\n%s", (int)(dot - head), head, behind(dot + 1, second));
}

static void draw(const struct htmt__sensitivity *x, const struct place *p, unsigned k,
                 struct panel *d)
{
    unsigned n = 0;
    for (unsigned i = 0; i < x->subjects && n < BARS; i++) {
        const struct htmt__cell *c = &p[i].subject->cell[k];
        if (!is_there(x, p[i].subject, k) || has_steps(c) || !(fabs(c->e) > 0))
            continue;
        const double less = fmin(fabs(c->larger), fabs(c->smaller));
        d->place[n] = n + 1;
        d->both[n] = less;
        d->tie[n] = fabs(c->e) - less;
        break_name(p[i].subject->name, d->name[n]);
        d->bar[n] = d->name[n];
        n++;
    }
    d->curve[0] = (struct htmt__plot_curve){"|e|", HTMT__PLOT_STACK, n, d->place, d->both};
    d->curve[1] =
        (struct htmt__plot_curve){"more on one side: a tie", HTMT__PLOT_STACK, n, d->place, d->tie};
    d->plot = (struct htmt__plot){.title = x->study->cases[k].name,
                                  .y_label = "|e|",
                                  .x_least = 0.5,
                                  .x_most = n + 0.5,
                                  .width = 1200,
                                  .height = 420,
                                  .curves = d->curve,
                                  .count = x->of[k].ties ? 2 : 1,
                                  .bars = d->bar};
}

int htmt__sensitivity_plot(const struct htmt__sensitivity *x, const char *path,
                           struct htmt_fault *fault)
{
    void *part = NULL;
    unsigned n = 0;
    struct place *p = in_order(x);
    struct panel *d = calloc(HTMT__PLOT_PANELS, sizeof *d);
    int rc = p && d ? htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault)
                    : htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    for (unsigned k = 0; k < x->study->case_count && n < HTMT__PLOT_PANELS && !rc; k++) {
        if (isnan(x->of[k].t))
            continue;
        draw(x, p, k, &d[n]);
        if (!d[n].curve[0].count)
            continue;
        if (n)
            d[n - 1].plot.below = &d[n].plot;
        n++;
    }
    if (!rc && !n)
        rc = htmt_fault_set(fault, HTMT_EINVAL, "--plot: T depends on none of the figures");
    rc = rc ? rc : ((const struct htmt__plot_part *)part)->write(path, &d[0].plot, fault);
    free(p);
    free(d);
    return rc;
}
