/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A study as CSV, JSON, a plot and a table for people. All are of the rows in the order of the
 * plan, so they are the same bytes however many processes computed them.
 */
#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/report/json.h"
#include "emul/study/table.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED     40 /* rows for people */
#define CURVES_MOST 12
#define SHARES      3

static const double shares[SHARES] = {0.05, 0.5, 0.95};

static const double *values_of(const struct htmt__study_table *t, uint64_t row)
{
    return &t->value[row * t->columns];
}

/* ---- CSV ------------------------------------------------------------------------------------- */

int htmt__study_table_csv(const struct htmt__study_table *t, const char *path,
                          struct htmt_fault *fault)
{
    const struct htmt__study *s = t->study;
    struct htmt_whole_file *file = NULL;
    char room[64];
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fputs("point,case", out);
    for (unsigned a = 0; a < s->axis_count; a++) {
        fputc(',', out);
        htmt__csv_put(out, s->axis[a].name, false);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        fputc(',', out);
        htmt__csv_put(out, c ? t->column[c].name : "T_s", false);
    }
    fputs(t->front[0] >= 0 ? ",front,refused\n" : ",refused\n", out);
    for (uint64_t i = 0; i < s->points; i++) {
        const double *value = values_of(t, i);
        fprintf(out, "%" PRIu64 ",", i + 1);
        htmt__csv_put(out, htmt__study_case_of(s, i)->name, false);
        for (unsigned a = 0; a < s->axis_count; a++) {
            fputc(',', out);
            htmt__csv_put(out, htmt__study_value(s, i, a, room, sizeof room), false);
        }
        for (unsigned c = 0; c < t->columns; c++)
            fprintf(out, isnan(value[c]) ? "," : ",%.17g", value[c]);
        if (t->front[0] >= 0)
            fprintf(out, ",%d", t->row[i].front);
        fputc(',', out);
        htmt__csv_put(out, t->row[i].why ? t->row[i].why : "", false);
        fputc('\n', out);
    }
    return htmt_whole_file_commit(&file, fault);
}

/* ---- of all samples -------------------------------------------------------------------------- */

/* The rows of one case: quantiles of T, and for each axis the rank correlation with it. NULL: out
 * of memory. */
static double *ranks_of(const struct htmt__study_table *t, unsigned of_case,
                        double quantile[SHARES])
{
    const struct htmt__study *s = t->study;
    const uint64_t n = s->of_case, first = of_case * n;
    double *x = malloc((2 * n + s->axis_count) * sizeof *x), *y = x + n, *r = y + n;
    int rc = x ? 0 : HTMT_ENOMEM;
    for (uint64_t i = 0; i < n && !rc; i++)
        y[i] = values_of(t, first + i)[0];
    rc = rc ? rc : htmt__quantiles(y, n, shares, SHARES, quantile);
    for (unsigned a = 0; a < s->axis_count && !rc; a++) {
        for (uint64_t i = 0; i < n; i++)
            x[i] = htmt__study_number(s, first + i, a);
        rc = htmt__rank_correlation(x, y, n, &r[a]);
    }
    if (!rc)
        memmove(x, r, s->axis_count * sizeof *x);
    else
        free(x);
    return rc ? NULL : x;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *row_object(const struct htmt__study_table *t, uint64_t i)
{
    const struct htmt__study *s = t->study;
    const struct htmt__row *row = &t->row[i];
    json_t *axes = json_object(), *columns = json_object();
    char room[64];
    for (unsigned a = 0; a < s->axis_count; a++)
        json_object_set_new(axes, s->axis[a].name,
                            json_string(htmt__study_value(s, i, a, room, sizeof room)));
    for (unsigned c = 1; c < t->columns; c++)
        json_object_set_new(columns, t->column[c].name, number(values_of(t, i)[c]));
    json_t *o =
        json_pack("{s:s, s:o, s:o, s:o, s:s?}", "case", htmt__study_case_of(s, i)->name, "axes",
                  axes, "T_s", number(values_of(t, i)[0]), "columns", columns, "refused", row->why);
    if (o && t->front[0] >= 0)
        json_object_set_new(o, "front", json_boolean(row->front));
    return o;
}

static json_t *samples_object(const struct htmt__study_table *t, unsigned of_case)
{
    const struct htmt__study *s = t->study;
    double quantile[SHARES], *r = ranks_of(t, of_case, quantile);
    json_t *ranks = json_object();
    for (unsigned a = 0; a < s->axis_count && r; a++)
        json_object_set_new(ranks, s->axis[a].name, number(r[a]));
    json_t *o = r ? json_pack("{s:s, s:o, s:o, s:o, s:o}", "case", s->cases[of_case].name, "T_5_s",
                              number(quantile[0]), "T_50_s", number(quantile[1]), "T_95_s",
                              number(quantile[2]), "rank_correlation", ranks)
                  : NULL;
    if (!r)
        json_decref(ranks);
    free(r);
    return o;
}

int htmt__study_table_json(const struct htmt__study_table *t, const char *path,
                           struct htmt_fault *fault)
{
    json_t *points = json_array(), *samples = json_array();
    for (uint64_t i = 0; i < t->study->points; i++)
        json_array_append_new(points, row_object(t, i));
    for (unsigned k = 0; k < t->study->case_count && t->study->samples; k++)
        json_array_append_new(samples, samples_object(t, k));
    return htmt__json_write(json_pack("{s:i, s:I, s:I, s:o, s:o}", "htmt-study", 1, "points_asked",
                                      (json_int_t)t->study->points, "refused",
                                      (json_int_t)t->refused, "points", points, "samples", samples),
                            path, fault);
}

/* ---- plot ------------------------------------------------------------------------------------ */

/* T, or the first column asked for, over the first axis of numbers, a curve for each choice of the
 * others; with a front, its two columns as points, and the front as a line. */
struct drawing {
    struct htmt__plot plot;
    struct htmt__plot_curve curve[CURVES_MOST];
    char name[CURVES_MOST][160], x_label[240];
    double *x, *y;
};

static int draw_front(const struct htmt__study_table *t, struct drawing *d)
{
    const uint64_t n = t->study->points;
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        d->x[i] = values_of(t, i)[t->front[0]];
        d->y[i] = values_of(t, i)[t->front[1]];
        if (t->row[i].front) {
            d->x[n + count] = d->x[i];
            d->y[n + count++] = d->y[i];
        }
    }
    d->curve[0] = (struct htmt__plot_curve){"points", HTMT__PLOT_POINTS, n, d->x, d->y};
    d->curve[1] = (struct htmt__plot_curve){"front", HTMT__PLOT_POINTS, count, d->x + n, d->y + n};
    d->plot.count = 2;
    d->plot.x_label = t->front[0] ? t->column[t->front[0]].name : "T, s";
    d->plot.y_label = t->front[1] ? t->column[t->front[1]].name : "T, s";
    return 0;
}

static const char *unit_of(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end + strspn(end, " ");
}

/* Value k of the axis, in the unit of the first: of "500 ns,2 us" they are 500 and 2000. */
static int place_value(const struct htmt__axis *a, uint64_t k, double *x, struct htmt_fault *fault)
{
    const char *unit = unit_of(a->text[0]);
    struct htmt_exact exact;
    *x = a->number[k];
    if (strcmp(unit_of(a->text[k]), unit) == 0)
        return 0;
    if (!htmt__study_in_unit(a->text[k], unit, &exact))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: axis %.80s: found '%.40s' beside '%.40s', expected one unit",
                              a->name, a->text[k], a->text[0]);
    *x = (double)htmt_exact_value(exact);
    return 0;
}

/* The first axis of numbers; axis_count: there is none. */
static unsigned drawn_axis(const struct htmt__study *s)
{
    unsigned axis = 0;
    while (axis < s->axis_count &&
           (s->samples || isnan(s->axis[axis].number[0]) || s->axis[axis].count < 2))
        axis++;
    return axis;
}

int htmt__study_check_plot(const struct htmt__study *s, struct htmt_fault *fault)
{
    const unsigned axis = drawn_axis(s);
    double x;
    int rc = 0;
    if (s->samples)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: found --sample, expected a grid, or --front");
    if (axis == s->axis_count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: expected an axis of two numbers or more, or --front");
    const uint64_t n = s->axis[axis].count;
    if (s->points / n > CURVES_MOST)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: found %" PRIu64 " curves, expected at most %d: fewer values "
                              "of the axes behind the first, or --front",
                              s->points / n, CURVES_MOST);
    for (uint64_t k = 0; k < n && !rc; k++)
        rc = place_value(&s->axis[axis], k, &x, fault);
    return rc;
}

static int draw_curves(const struct htmt__study_table *t, struct drawing *d,
                       struct htmt_fault *fault)
{
    const struct htmt__study *s = t->study;
    const unsigned axis = drawn_axis(s);
    const unsigned drawn = t->columns > 1;
    uint64_t inner = 1, used = 0;
    char room[64];
    d->plot.log_y = true;
    int rc = htmt__study_check_plot(s, fault);
    if (rc)
        return rc;
    const uint64_t n = s->axis[axis].count;
    for (unsigned a = axis + 1; a < s->axis_count; a++)
        inner *= s->axis[a].count;
    for (uint64_t i = 0; i < s->points; i++) {
        if (i / inner % n)
            continue;
        char *name = d->name[d->plot.count];
        size_t length = 0;
        const size_t most = sizeof d->name[0];
        if (s->case_count > 1)
            length = (size_t)snprintf(name, most, "%s", htmt__study_case_of(s, i)->name);
        for (unsigned a = 0; a < s->axis_count && length < most; a++)
            if (a != axis)
                length += (size_t)snprintf(name + length, most - length, "%s%s", length ? ", " : "",
                                           htmt__study_value(s, i, a, room, sizeof room));
        for (uint64_t k = 0; k < n; k++) {
            rc = rc ? rc : place_value(&s->axis[axis], k, &d->x[used + k], fault);
            d->y[used + k] = values_of(t, i + k * inner)[drawn];
            d->plot.log_y &= !(d->y[used + k] <= 0);
        }
        d->curve[d->plot.count++] = (struct htmt__plot_curve){*name ? name : NULL, HTMT__PLOT_LINE,
                                                              n, d->x + used, d->y + used};
        used += n;
    }
    const char *unit = s->axis[axis].factors ? "factor" : unit_of(s->axis[axis].text[0]);
    snprintf(d->x_label, sizeof d->x_label, "%s%s%s", s->axis[axis].name, *unit ? ", " : "", unit);
    d->plot.x_label = d->x_label;
    d->plot.log_x = s->axis[axis].logarithmic;
    d->plot.y_label = drawn ? t->column[drawn].name : "T, s";
    return rc;
}

int htmt__study_table_plot(const struct htmt__study_table *t, const char *path,
                           struct htmt_fault *fault)
{
    void *part = NULL;
    struct drawing *d = calloc(1, sizeof *d);
    const uint64_t n = t->study->points;
    int rc = d && (d->x = calloc(4 * n, sizeof *d->x)) ? 0 : HTMT_ENOMEM;
    if (rc)
        htmt_fault_set(fault, rc, "out of memory for a plot");
    if (!rc) {
        d->y = d->x + 2 * n;
        rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    }
    rc = rc ? rc : t->front[0] >= 0 ? draw_front(t, d) : draw_curves(t, d, fault);
    if (!rc) {
        d->plot.curves = d->curve;
        d->plot.title = t->study->case_count == 1 ? t->study->cases[0].name : NULL;
        rc = ((const struct htmt__plot_part *)part)->write(path, &d->plot, fault);
    }
    if (d)
        free(d->x);
    free(d);
    return rc;
}

/* ---- for people ------------------------------------------------------------------------------ */

/* Columns of the page: the case, each axis; as wide as what is printed in them needs. */
struct page {
    int of_case, axis[HTMT__STUDY_AXES];
    uint64_t row[PRINTED], rows;
};

static int column_width(const struct htmt__study_table *t, unsigned c)
{
    const size_t wide = c ? strlen(t->column[c].name) : 0;
    return wide > 12 ? (int)wide : 12;
}

static void lay_out(const struct htmt__study_table *t, struct page *p)
{
    const struct htmt__study *s = t->study;
    char room[64];
    *p = (struct page){.of_case = 4};
    for (unsigned a = 0; a < s->axis_count; a++)
        p->axis[a] = (int)strlen(s->axis[a].name);
    for (uint64_t i = 0; i < s->points && p->rows < PRINTED; i++) {
        if (t->front[0] >= 0 && !t->row[i].front && s->points > PRINTED)
            continue;
        p->row[p->rows++] = i;
        const int wide = (int)strlen(htmt__study_case_of(s, i)->name);
        p->of_case = wide > p->of_case ? wide : p->of_case;
        for (unsigned a = 0; a < s->axis_count; a++) {
            const int w = (int)strlen(htmt__study_value(s, i, a, room, sizeof room));
            p->axis[a] = w > p->axis[a] ? w : p->axis[a];
        }
    }
}

static void print_row(const struct htmt__study_table *t, const struct page *p, uint64_t i,
                      FILE *out)
{
    const struct htmt__study *s = t->study;
    char room[64];
    fputs("  ", out);
    if (s->case_count > 1)
        fprintf(out, "%-*s  ", p->of_case, htmt__study_case_of(s, i)->name);
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%-*s  ", p->axis[a], htmt__study_value(s, i, a, room, sizeof room));
    if (t->row[i].why)
        fprintf(out, "refused: %s", t->row[i].why);
    for (unsigned c = 0; c < t->columns && !t->row[i].why; c++)
        fprintf(out, "  %*.7g", column_width(t, c), values_of(t, i)[c]);
    fprintf(out, "%s\n", t->row[i].front ? "  front" : "");
}

int htmt__study_table_print(const struct htmt__study_table *t, FILE *out)
{
    const struct htmt__study *s = t->study;
    struct page p;
    lay_out(t, &p);
    fprintf(out, "%" PRIu64 " points, %" PRIu64 " refused\n  ", s->points, t->refused);
    if (s->case_count > 1)
        fprintf(out, "%-*s  ", p.of_case, "case");
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%-*s  ", p.axis[a], s->axis[a].name);
    for (unsigned c = 0; c < t->columns; c++)
        fprintf(out, "  %*s", column_width(t, c), c ? t->column[c].name : "T, s");
    fputc('\n', out);
    for (uint64_t i = 0; i < p.rows; i++)
        print_row(t, &p, p.row[i], out);
    if (p.rows < s->points)
        fprintf(out, "  %s\n",
                t->front[0] < 0 ? "...; --csv has all" : "the front alone; --csv has all");
    for (unsigned k = 0; k < s->case_count && s->samples; k++) {
        double quantile[SHARES], *r = ranks_of(t, k, quantile);
        if (!r)
            return HTMT_ENOMEM;
        fprintf(out,
                "%s: T is %.6g s in the middle, from %.6g to %.6g s in 90 %%; rank correlations\n",
                s->cases[k].name, quantile[1], quantile[0], quantile[2]);
        for (unsigned a = 0; a < s->axis_count; a++)
            fprintf(out, "  %+.3f  %s\n", r[a], s->axis[a].name);
        free(r);
    }
    return ferror(out) ? HTMT_EIO : 0;
}
