/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/io/output.h"

#include "apps/formats/npy.h"
#include "apps/formats/plot.h"
#include "apps/pic/io/theory.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcmp(path + length - tail, ending);
}

int htmt__pic_records_check(const char *path, struct htmt_fault *fault)
{
    if (!ends_in(path, ".csv") && !ends_in(path, ".npy"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .csv or .npy",
                              path);
    return htmt__whole_file_check(path, fault);
}

int htmt__pic_npy_check(const char *path, struct htmt_fault *fault)
{
    if (!ends_in(path, ".npy"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .npy", path);
    return htmt__whole_file_check(path, fault);
}

/* ---- records -------------------------------------------------------------------------------- */

enum { TIME, FIELD, KINETIC, TOTAL, PX, PY, PZ, CHARGE, WAVE_COS, WAVE_SIN, PARTICLES, COLUMNS };

static const char heading[] = "t,field,kinetic,total,px,py,pz,charge,wave_cos,wave_sin,particles\n";

static void row_of(const struct htmt__pic_deck *deck, const struct htmt__pic_record *r, uint64_t n,
                   double row[COLUMNS])
{
    row[TIME] = (double)n * deck->dt;
    row[FIELD] = r[n].field;
    row[KINETIC] = r[n].kinetic;
    row[TOTAL] = r[n].field + r[n].kinetic;
    for (int axis = 0; axis < 3; axis++)
        row[PX + axis] = r[n].momentum[axis];
    row[CHARGE] = r[n].charge;
    row[WAVE_COS] = r[n].wave[0];
    row[WAVE_SIN] = r[n].wave[1];
    row[PARTICLES] = r[n].particles;
}

static int write_csv(const char *path, const struct htmt__pic_deck *deck,
                     const struct htmt__pic_record *record, struct htmt_fault *fault)
{
    struct htmt__whole_file *file = NULL;
    int rc = htmt__whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt__whole_file_stream(file);
    fputs(heading, out);
    for (uint64_t n = 0; n < deck->steps; n++) {
        double row[COLUMNS];
        row_of(deck, record, n, row);
        for (int i = 0; i < COLUMNS; i++)
            fprintf(out, "%.17g%c", row[i], i + 1 < COLUMNS ? ',' : '\n');
    }
    return htmt__whole_file_commit(&file, fault);
}

static int append_records(struct htmt__npy *npy, const struct htmt__pic_deck *deck,
                          const struct htmt__pic_record *record, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t n = 0; n < deck->steps && !rc; n++) {
        double row[COLUMNS];
        row_of(deck, record, n, row);
        rc = htmt__npy_append(npy, row, COLUMNS, fault);
    }
    return rc;
}

static int write_npy(const char *path, const struct htmt__pic_deck *deck,
                     const struct htmt__pic_record *record, struct htmt_fault *fault)
{
    struct htmt__npy *npy = NULL;
    int rc = htmt__npy_create(
        path,
        &(struct htmt__npy_shape){.type = HTMT__NPY_F8, .rank = 2, .size = {deck->steps, COLUMNS}},
        &npy, fault);
    if (!rc)
        rc = append_records(npy, deck, record, fault);
    if (!rc)
        return htmt__npy_finish(&npy, fault);
    htmt__npy_abandon(&npy);
    return rc;
}

int htmt__pic_write_records(const char *path, const struct htmt__pic_deck *deck,
                            const struct htmt__pic_record *record, struct htmt_fault *fault)
{
    return ends_in(path, ".npy") ? write_npy(path, deck, record, fault)
                                 : write_csv(path, deck, record, fault);
}

/* ---- fields and particles ------------------------------------------------------------------- */

int htmt__pic_write_fields(const char *path, const struct htmt__pic_fields *f,
                           struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {
        .type = HTMT__NPY_F8, .rank = 4, .size = {HTMT__PIC_FIELDS, f->n[2], f->n[1], f->n[0]}};
    return htmt__npy_write(path, &shape, f->at, fault);
}

static int append_crowd(struct htmt__npy *npy, uint32_t species, const struct htmt__pic_crowd *c,
                        struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t i = 0; i < c->count && !rc; i++) {
        const struct htmt__pic_particle *q = &c->at[i];
        const double row[] = {species, q->x, q->y, q->z, q->vx, q->vy, q->vz};
        rc = htmt__npy_append(npy, row, 7, fault);
    }
    return rc;
}

int htmt__pic_write_particles(const char *path, const struct htmt__pic_particles *p,
                              struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {.type = HTMT__NPY_F8, .rank = 2, .size = {0, 7}};
    struct htmt__npy *npy = NULL;
    for (uint32_t s = 0; s < p->species; s++)
        shape.size[0] += p->crowd[s].count;
    int rc = htmt__npy_create(path, &shape, &npy, fault);
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = append_crowd(npy, s, &p->crowd[s], fault);
    if (!rc)
        return htmt__npy_finish(&npy, fault);
    htmt__npy_abandon(&npy);
    return rc;
}

/* ---- energies against time ------------------------------------------------------------------ */

/* The curve of theory beside the field's energy: level exp(rate (t - from)). */
struct expectation {
    char name[64];
    double level, rate, from, to;
};

static bool perturbed(const struct htmt__pic_deck *deck)
{
    bool any = false;
    for (uint32_t s = 0; s < deck->species_count; s++)
        any = any || deck->species[s].amplitude != 0;
    return any;
}

static double kinetic_temperature(const struct htmt__pic_deck *deck)
{
    const struct htmt__pic_species *s = &deck->species[0];
    return htmt__pic_deck_share(deck, 0) * s->mass * s->thermal[0] * s->thermal[0];
}

static void expect_noise(const struct htmt__pic_deck *deck, struct expectation *e)
{
    e->level = kinetic_temperature(deck) * htmt__pic_thermal_energy(deck);
    snprintf(e->name, sizeof e->name, "theory: thermal noise");
}

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
static void expect_wave(const struct htmt__pic_deck *deck, const struct htmt__pic_record *r,
                        struct expectation *e)
{
    double complex wave = htmt__pic_wave(deck);
    e->rate = 2 * cimag(wave);
    uint64_t meet = meeting(r, deck->steps, e->rate);
    if (e->rate > 0)
        e->to = (double)strongest(r, deck->steps) * deck->dt;
    e->level = r[meet].field * exp(-e->rate * (double)meet * deck->dt);
    snprintf(e->name, sizeof e->name, "theory: \u03c9 = %.4f, \u03b3 = %.4f", creal(wave),
             cimag(wave));
}

static void expect(const struct htmt__pic_deck *deck, const struct htmt__pic_record *r,
                   struct expectation *e)
{
    *e = (struct expectation){.to = (double)(deck->steps - 1) * deck->dt};
    if (perturbed(deck))
        expect_wave(deck, r, e);
    else if (deck->species[0].thermal[0] > 0)
        expect_noise(deck, e);
}

enum { ENERGY_FIELD, ENERGY_KINETIC, ENERGY_TOTAL, ENERGY_THEORY, ENERGIES };

/* t and then the curves, each with a value for each step. */
static void fill_energies(const struct htmt__pic_deck *deck, const struct htmt__pic_record *r,
                          const struct expectation *e, double *t)
{
    uint64_t steps = deck->steps;
    double *curve[ENERGIES];
    for (int i = 0; i < ENERGIES; i++)
        curve[i] = t + (uint64_t)(i + 1) * steps;
    for (uint64_t n = 0; n < steps; n++) {
        t[n] = (double)n * deck->dt;
        curve[ENERGY_FIELD][n] = r[n].field;
        curve[ENERGY_KINETIC][n] = r[n].kinetic;
        curve[ENERGY_TOTAL][n] = r[n].field + r[n].kinetic;
        curve[ENERGY_THEORY][n] = t[n] <= e->to ? e->level * exp(e->rate * t[n]) : 0;
    }
}

int htmt__pic_plot_energies(const char *path, const struct htmt__pic_deck *deck,
                            const struct htmt__pic_record *record, struct htmt_fault *fault)
{
    struct expectation theory;
    uint64_t steps = deck->steps;
    double *t = calloc(steps, (ENERGIES + 1) * sizeof *t);
    if (!t)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot %s", path);
    expect(deck, record, &theory);
    fill_energies(deck, record, &theory, t);
    const struct htmt__plot_curve curves[ENERGIES] = {
        {"field", HTMT__PLOT_LINE, steps, t, t + steps},
        {"kinetic", HTMT__PLOT_LINE, steps, t, t + 2 * steps},
        {"total", HTMT__PLOT_LINE, steps, t, t + 3 * steps},
        {theory.name, HTMT__PLOT_DASHED, theory.level > 0 ? steps : 0, t, t + 4 * steps}};
    const struct htmt__plot plot = {.title = deck->name,
                                    .x_label = "t (1/\u03c9p)",
                                    .y_label = "energy",
                                    .log_y = true,
                                    .curves = curves,
                                    .count = ENERGIES};
    int rc = htmt__plot_write(path, &plot, fault);
    free(t);
    return rc;
}

/* ---- phase space ---------------------------------------------------------------------------- */

/* From this number on, points are darker where they are denser. */
#define MANY 100000

/* x and vx of one species. The caller frees *room. */
static int phase_curve(const struct htmt__pic_crowd *c, const char *name, double **room,
                       struct htmt__plot_curve *curve, struct htmt_fault *fault)
{
    double *x = calloc(c->count + 1, 2 * sizeof *x);
    *room = x;
    if (!x)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot the phase space");
    for (uint64_t i = 0; i < c->count; i++) {
        x[i] = c->at[i].x;
        x[c->count + i] = c->at[i].vx;
    }
    enum htmt__plot_style style = c->count < MANY ? HTMT__PLOT_POINTS : HTMT__PLOT_DENSITY;
    *curve = (struct htmt__plot_curve){name, style, c->count, x, x + c->count};
    return 0;
}

int htmt__pic_plot_phase_space(const char *path, const struct htmt__pic_deck *deck,
                               const struct htmt__pic_particles *p, struct htmt_fault *fault)
{
    struct htmt__plot_curve curves[HTMT__PIC_SPECIES_MAX];
    double *room[HTMT__PIC_SPECIES_MAX] = {0};
    int rc = 0;
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = phase_curve(&p->crowd[s], deck->species[s].name, &room[s], &curves[s], fault);
    if (!rc)
        rc = htmt__plot_write(path,
                              &(struct htmt__plot){.title = deck->name,
                                                   .x_label = "x (cells)",
                                                   .y_label = "vx (cells \u03c9p)",
                                                   .x_most = deck->n[0],
                                                   .curves = curves,
                                                   .count = p->species},
                              fault);
    for (uint32_t s = 0; s < p->species; s++)
        free(room[s]);
    return rc;
}
