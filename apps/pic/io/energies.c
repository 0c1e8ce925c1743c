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

enum { T, FIELD, KINETIC, TOTAL, THEORY, RELAXING, CHANGE, CURVES };

/* A value of each step. */
struct sheet {
    const struct htmt__pic_series *series;
    double *curve[CURVES];
    char theory[64];
    bool noise; /* the two curves of theory are those of thermal noise */
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
 * maximum. */
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

/* Theory of a wave, a line of growth up to its saturation, or of thermal noise. */
static void fill_theory(struct sheet *sheet)
{
    const struct htmt__pic_series *s = sheet->series;
    const struct htmt__pic_deck *deck = s->deck;
    double *theory = sheet->curve[THEORY], *relaxing = sheet->curve[RELAXING];
    if (htmt__pic_deck_perturbed(deck)) {
        double complex wave = htmt__pic_wave(deck);
        double rate = 2 * cimag(wave);
        uint64_t meet = meeting(s->record, s->steps, rate), to = s->steps - 1;
        if (rate > 0)
            to = strongest(s->record, s->steps);
        double level = s->record[meet].field * exp(-rate * (double)meet * deck->dt);
        for (uint64_t n = 0; n < s->steps; n++) {
            double t = sheet->curve[T][n];
            theory[n] = t <= (double)to * deck->dt ? level * exp(rate * t) : 0;
        }
        snprintf(sheet->theory, sizeof sheet->theory, "theory: \u03c9 = %.4f, \u03b3 = %.4f",
                 creal(wave), cimag(wave));
    } else if (deck->species[0].thermal[0] > 0) {
        double unit = htmt__pic_deck_temperature(deck);
        double level = unit * htmt__pic_thermal_energy(deck);
        htmt__pic_thermal_relaxation(deck, s->steps, relaxing);
        for (uint64_t n = 0; n < s->steps; n++) {
            theory[n] = level;
            relaxing[n] *= unit;
        }
        snprintf(sheet->theory, sizeof sheet->theory, "theory: equilibrium");
        sheet->noise = true;
    }
}

static struct htmt__plot_curve curve_of(const struct sheet *sheet, int which, const char *name,
                                        enum htmt__plot_style style)
{
    return (struct htmt__plot_curve){name, style, sheet->series->steps, sheet->curve[T],
                                     sheet->curve[which]};
}

static int draw(const char *path, const struct sheet *sheet, struct htmt_fault *fault)
{
    const struct htmt__pic_series *s = sheet->series;
    const struct htmt__plot_curve field[] = {
        curve_of(sheet, FIELD, "field", HTMT__PLOT_LINE),
        curve_of(sheet, THEORY, sheet->theory, HTMT__PLOT_DASHED),
        curve_of(sheet, RELAXING, "theory: relaxing start", HTMT__PLOT_DASHED)};
    const struct htmt__plot_curve energies[] = {
        curve_of(sheet, FIELD, "field", HTMT__PLOT_LINE),
        curve_of(sheet, KINETIC, "kinetic", HTMT__PLOT_LINE),
        curve_of(sheet, TOTAL, "total", HTMT__PLOT_LINE)};
    const struct htmt__plot_curve change = curve_of(sheet, CHANGE, NULL, HTMT__PLOT_LINE);
    char title[160];
    if (htmt__pic_incomplete(s))
        snprintf(title, sizeof title, "%s (incomplete: %" PRIu64 " of %" PRIu64 " steps)",
                 s->deck->name, s->steps, s->deck->steps);
    else
        snprintf(title, sizeof title, "%s", s->deck->name);
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
    /* a box of one cell, or cold particles at rest, have no field */
    const struct htmt__plot first = {.title = title,
                                     .y_label = "field energy",
                                     .log_y = s->record[strongest(s->record, s->steps)].field > 0,
                                     .height = HEIGHT_FIELD,
                                     .curves = field,
                                     .count = sheet->noise     ? 3
                                              : *sheet->theory ? 2
                                                               : 1,
                                     .below = &middle};
    return htmt__plot_write(path, &first, fault);
}

int htmt__pic_plot_energies(const char *path, const struct htmt__pic_series *series,
                            struct htmt_fault *fault)
{
    const struct htmt__pic_record *r = series->record;
    double *at = calloc(series->steps, CURVES * sizeof *at);
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot %s", path);
    struct sheet sheet = {.series = series};
    for (uint64_t i = 0; i < CURVES; i++)
        sheet.curve[i] = at + i * series->steps;
    double first = r[0].field + r[0].kinetic;
    for (uint64_t n = 0; n < series->steps; n++) {
        double total = r[n].field + r[n].kinetic;
        sheet.curve[T][n] = (double)n * series->deck->dt;
        sheet.curve[FIELD][n] = r[n].field;
        sheet.curve[KINETIC][n] = r[n].kinetic;
        sheet.curve[TOTAL][n] = total;
        sheet.curve[CHANGE][n] = first > 0 ? total / first - 1 : 0;
    }
    fill_theory(&sheet);
    int rc = draw(path, &sheet, fault);
    free(at);
    return rc;
}
