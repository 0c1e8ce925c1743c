/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energies against time, from above: the field's with theory, all, and the change of the total.
 */
#include "apps/formats/plot.h"
#include "apps/pic/io/output.h"
#include "apps/pic/io/theory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HEIGHT_FIELD    420
#define HEIGHT_ENERGIES 260
#define HEIGHT_CHANGE   220

/* ---- theory --------------------------------------------------------------------------------- */

/* A wave: level exp(rate t) up to t = to. */
struct growth {
    double level, rate, to;
};

static uint64_t strongest(const struct htmt__pic_record *r, uint64_t steps)
{
    uint64_t most = 0;
    for (uint64_t n = 1; n < steps; n++)
        if (r[n].field > r[most].field)
            most = n;
    return most;
}

/* The point where the line of theory meets the wave. A growing wave: half-way up in decades. A
 * damped wave: at its first extreme after the start, when it has its form. Another wave: at its
 * maximum.
 */
static uint64_t meeting(const struct htmt__pic_record *r, uint64_t steps, double rate)
{
    uint64_t top = strongest(r, steps), n = 0;
    if (rate > 0)
        for (n = top; n > 0 && r[n].field * r[n].field > r[0].field * r[top].field;)
            n--;
    else if (rate < 0) {
        while (n + 1 < steps && r[n + 1].field <= r[n].field)
            n++;
        while (n + 1 < steps && r[n + 1].field >= r[n].field)
            n++;
    }
    return rate == 0 ? top : n;
}

/* Draw growth up to its saturation. */
static void expect_wave(const struct htmt__pic_series *s, struct growth *g, char *name, size_t room)
{
    double complex wave = htmt__pic_wave(s->deck);
    double dt = s->deck->dt, rate = 2 * cimag(wave);
    uint64_t meet = meeting(s->record, s->steps, rate);
    *g = (struct growth){.rate = rate, .to = (double)(s->steps - 1) * dt};
    if (rate > 0)
        g->to = (double)strongest(s->record, s->steps) * dt;
    g->level = s->record[meet].field * exp(-rate * (double)meet * dt);
    snprintf(name, room, "theory: \u03c9 = %.4f, \u03b3 = %.4f", creal(wave), cimag(wave));
}

static void draw_wave(const struct growth *g, uint64_t steps, const double *t, double *theory)
{
    for (uint64_t n = 0; n < steps; n++)
        theory[n] = t[n] <= g->to ? g->level * exp(g->rate * t[n]) : 0;
}

static void draw_noise(const struct htmt__pic_deck *deck, uint64_t steps, double *equilibrium,
                       double *relaxing)
{
    double unit = htmt__pic_deck_temperature(deck), level = unit * htmt__pic_thermal_energy(deck);
    htmt__pic_thermal_relaxation(deck, steps, relaxing);
    for (uint64_t n = 0; n < steps; n++) {
        equilibrium[n] = level;
        relaxing[n] *= unit;
    }
}

/* ---- curves --------------------------------------------------------------------------------- */

enum { T, FIELD, KINETIC, TOTAL, THEORY, RELAXING, CHANGE, CURVES };

/* A value of each step. */
struct sheet {
    const struct htmt__pic_series *series;
    double *curve[CURVES];
    char theory[64];
    bool noise; /* the two curves of theory are those of thermal noise */
};

static int create(const struct htmt__pic_series *s, struct sheet *sheet)
{
    double *at = calloc(s->steps, CURVES * sizeof *at);
    *sheet = (struct sheet){.series = s};
    for (uint64_t i = 0; i < CURVES && at; i++)
        sheet->curve[i] = at + i * s->steps;
    return at ? 0 : HTMT_ENOMEM;
}

static void fill_energies(struct sheet *sheet)
{
    const struct htmt__pic_series *s = sheet->series;
    double **curve = sheet->curve, first = s->record[0].field + s->record[0].kinetic;
    for (uint64_t n = 0; n < s->steps; n++) {
        double total = s->record[n].field + s->record[n].kinetic;
        curve[T][n] = (double)n * s->deck->dt;
        curve[FIELD][n] = s->record[n].field;
        curve[KINETIC][n] = s->record[n].kinetic;
        curve[TOTAL][n] = total;
        curve[CHANGE][n] = first > 0 ? total / first - 1 : 0;
    }
}

static void fill_theory(struct sheet *sheet)
{
    const struct htmt__pic_series *s = sheet->series;
    struct growth g;
    if (htmt__pic_deck_perturbed(s->deck)) {
        expect_wave(s, &g, sheet->theory, sizeof sheet->theory);
        draw_wave(&g, s->steps, sheet->curve[T], sheet->curve[THEORY]);
    } else if (s->deck->species[0].thermal[0] > 0) {
        draw_noise(s->deck, s->steps, sheet->curve[THEORY], sheet->curve[RELAXING]);
        snprintf(sheet->theory, sizeof sheet->theory, "theory: equilibrium");
        sheet->noise = true;
    }
}

/* ---- picture -------------------------------------------------------------------------------- */

static struct htmt__plot_curve curve_of(const struct sheet *sheet, int which, const char *name,
                                        enum htmt__plot_style style)
{
    return (struct htmt__plot_curve){name, style, sheet->series->steps, sheet->curve[T],
                                     sheet->curve[which]};
}

static void write_title(const struct htmt__pic_series *s, char *text, size_t room)
{
    if (htmt__pic_incomplete(s))
        snprintf(text, room, "%s (incomplete: %" PRIu64 " of %" PRIu64 " steps)", s->deck->name,
                 s->steps, s->deck->steps);
    else
        snprintf(text, room, "%s", s->deck->name);
}

/* A box of one cell, or cold particles at rest, have none. */
static bool has_field(const struct htmt__pic_series *s)
{
    return s->record[strongest(s->record, s->steps)].field > 0;
}

static int draw(const char *path, const struct sheet *sheet, struct htmt_fault *fault)
{
    char title[160];
    const struct htmt__plot_curve field[] = {
        curve_of(sheet, FIELD, "field", HTMT__PLOT_LINE),
        curve_of(sheet, THEORY, sheet->theory, HTMT__PLOT_DASHED),
        curve_of(sheet, RELAXING, "theory: relaxing start", HTMT__PLOT_DASHED)};
    const struct htmt__plot_curve energies[] = {
        curve_of(sheet, FIELD, "field", HTMT__PLOT_LINE),
        curve_of(sheet, KINETIC, "kinetic", HTMT__PLOT_LINE),
        curve_of(sheet, TOTAL, "total", HTMT__PLOT_LINE)};
    const struct htmt__plot_curve change = curve_of(sheet, CHANGE, NULL, HTMT__PLOT_LINE);
    const struct htmt__plot last = {.x_label = "t (1/\u03c9p)",
                                    .y_label = "total / start - 1",
                                    .height = HEIGHT_CHANGE,
                                    .curves = &change,
                                    .count = 1};
    const struct htmt__plot middle = {.y_label = "energy",
                                      .height = HEIGHT_ENERGIES,
                                      .curves = energies,
                                      .count = 3,
                                      .below = &last};
    const struct htmt__plot first = {.title = title,
                                     .y_label = "field energy",
                                     .log_y = has_field(sheet->series),
                                     .height = HEIGHT_FIELD,
                                     .curves = field,
                                     .count = sheet->noise     ? 3
                                              : *sheet->theory ? 2
                                                               : 1,
                                     .below = &middle};
    write_title(sheet->series, title, sizeof title);
    return htmt__plot_write(path, &first, fault);
}

int htmt__pic_plot_energies(const char *path, const struct htmt__pic_series *series,
                            struct htmt_fault *fault)
{
    struct sheet sheet;
    if (create(series, &sheet))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot %s", path);
    fill_energies(&sheet);
    fill_theory(&sheet);
    int rc = draw(path, &sheet, fault);
    free(sheet.curve[T]);
    return rc;
}
