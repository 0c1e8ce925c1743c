/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of a run. Records and particles are tables with a row for each step or particle; fields are
 * four cubes, one behind another. A file that is written in pieces appears when it is finished,
 * under its name, or not at all.
 */
#include "apps/pic/io/output.h"

#include "apps/formats/npy.h"
#include "apps/formats/plot.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
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
    return htmt_whole_file_check(path, fault);
}

int htmt__pic_npy_check(const char *path, struct htmt_fault *fault)
{
    if (!ends_in(path, ".npy"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .npy", path);
    return htmt_whole_file_check(path, fault);
}

int htmt__pic_snapshot_path(const char *path, const struct htmt__pic_deck *deck, uint64_t steps,
                            char out[static HTMT__PIC_PATH_MAX])
{
    const char *ending = strrchr(path, '.');
    int stem = (int)(ending ? (size_t)(ending - path) : strlen(path));
    int digits = snprintf(NULL, 0, "%" PRIu64, deck->steps);
    int length = steps ? snprintf(out, HTMT__PIC_PATH_MAX, "%.*s-%0*" PRIu64 "%s", stem, path,
                                  digits, steps, ending ? ending : "")
                       : snprintf(out, HTMT__PIC_PATH_MAX, "%s", path);
    return length < HTMT__PIC_PATH_MAX ? 0 : HTMT_ERANGE;
}

/* ---- records -------------------------------------------------------------------------------- */

enum { TIME, FIELD, KINETIC, TOTAL, PX, PY, PZ, CHARGE, WAVE_COS, WAVE_SIN, PARTICLES, COLUMNS };

static const char heading[] = "t,field,kinetic,total,px,py,pz,charge,wave_cos,wave_sin,particles\n";

static void row_of(const struct htmt__pic_series *s, uint64_t n, double row[COLUMNS])
{
    const struct htmt__pic_record *r = s->record;
    row[TIME] = (double)n * s->deck->dt;
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

static int write_csv(const char *path, const struct htmt__pic_series *s, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fputs(heading, out);
    for (uint64_t n = 0; n < s->steps; n++) {
        double row[COLUMNS];
        row_of(s, n, row);
        for (int i = 0; i < COLUMNS; i++)
            fprintf(out, "%.17g%c", row[i], i + 1 < COLUMNS ? ',' : '\n');
    }
    if (htmt__pic_incomplete(s))
        fprintf(out, "# incomplete: %" PRIu64 " of %" PRIu64 " steps\n", s->steps, s->deck->steps);
    return htmt_whole_file_commit(&file, fault);
}

/* End a file that was written with or without success. */
static int finish(struct htmt__npy **npy, int rc, struct htmt_fault *fault)
{
    if (!rc)
        return htmt__npy_finish(npy, fault);
    htmt__npy_abandon(npy);
    return rc;
}

static int write_npy(const char *path, const struct htmt__pic_series *s, struct htmt_fault *fault)
{
    struct htmt__npy *npy = NULL;
    int rc = htmt__npy_create(
        path,
        &(struct htmt__npy_shape){.type = HTMT__NPY_F8, .rank = 2, .size = {s->steps, COLUMNS}},
        &npy, fault);
    for (uint64_t n = 0; n < s->steps && !rc; n++) {
        double row[COLUMNS];
        row_of(s, n, row);
        rc = htmt__npy_append(npy, row, COLUMNS, fault);
    }
    return finish(&npy, rc, fault);
}

int htmt__pic_write_records(const char *path, const struct htmt__pic_series *s,
                            struct htmt_fault *fault)
{
    return ends_in(path, ".npy") ? write_npy(path, s, fault) : write_csv(path, s, fault);
}

/* ---- fields and particles ------------------------------------------------------------------- */

int htmt__pic_fields_open(const char *path, const uint32_t n[3], struct htmt__npy **npy,
                          struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {
        .type = HTMT__NPY_F8, .rank = 4, .size = {HTMT__PIC_FIELDS, n[2], n[1], n[0]}};
    return htmt__npy_create(path, &shape, npy, fault);
}

int htmt__pic_write_fields(const char *path, const struct htmt__pic_fields *f,
                           struct htmt_fault *fault)
{
    const uint64_t cells = (uint64_t)f->n[0] * f->n[1] * f->n[2];
    struct htmt__npy *npy = NULL;
    int rc = htmt__pic_fields_open(path, f->n, &npy, fault);
    if (!rc)
        rc = htmt__npy_append(npy, f->at, HTMT__PIC_FIELDS * cells, fault);
    return finish(&npy, rc, fault);
}

int htmt__pic_particles_open(const char *path, uint64_t count, struct htmt__npy **npy,
                             struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {.type = HTMT__NPY_F8, .rank = 2, .size = {count, 7}};
    return htmt__npy_create(path, &shape, npy, fault);
}

int htmt__pic_particles_append(struct htmt__npy *npy, uint32_t species,
                               const struct htmt__pic_species *s, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint64_t i = 0; i < s->count && !rc; i++) {
        const struct htmt__pic_particle *q = &s->at[i];
        const double row[] = {species, q->x, q->y, q->z, q->vx, q->vy, q->vz};
        rc = htmt__npy_append(npy, row, 7, fault);
    }
    return rc;
}

int htmt__pic_write_particles(const char *path, const struct htmt__pic_particles *p,
                              struct htmt_fault *fault)
{
    struct htmt__npy *npy = NULL;
    uint64_t count = 0;
    for (uint32_t s = 0; s < p->species; s++)
        count += p->of[s].count;
    int rc = htmt__pic_particles_open(path, count, &npy, fault);
    for (uint32_t s = 0; s < p->species && !rc; s++)
        rc = htmt__pic_particles_append(npy, s, &p->of[s], fault);
    return finish(&npy, rc, fault);
}

/* ---- phase space ---------------------------------------------------------------------------- */

/* From this number on, points are darker where they are denser. */
#define MANY 100000

int htmt__pic_plot_phase_space(const char *path, const struct htmt__pic_deck *deck, uint64_t steps,
                               const struct htmt__pic_particles *p, struct htmt_fault *fault)
{
    char title[100];
    struct htmt__plot_curve curves[HTMT__PIC_SPECIES_MAX];
    double *room[HTMT__PIC_SPECIES_MAX] = {0};
    int rc = 0;
    snprintf(title, sizeof title, "%s, t = %g", deck->name, (double)steps * deck->dt);
    for (uint32_t s = 0; s < p->species && !rc; s++) {
        const struct htmt__pic_species *of = &p->of[s];
        double *x = room[s] = calloc(of->count + 1, 2 * sizeof *x);
        if (!x)
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot the phase space");
        for (uint64_t i = 0; x && i < of->count; i++) {
            x[i] = of->at[i].x;
            x[of->count + i] = of->at[i].vx;
        }
        enum htmt__plot_style style = of->count < MANY ? HTMT__PLOT_POINTS : HTMT__PLOT_DENSITY;
        curves[s] = (struct htmt__plot_curve){deck->species[s].name, style, of->count, x,
                                              x ? x + of->count : NULL};
    }
    if (!rc)
        rc = htmt__plot_write(path,
                              &(struct htmt__plot){.title = title,
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
