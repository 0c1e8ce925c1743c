/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/stencil/results.h"

#include "apps/formats/npy.h"
#include "apps/formats/picture.h"
#include "apps/formats/plot.h"
#include "runtime/base/output.h"

#include <math.h>
#include <stdlib.h>

#define FIELDS  HTMT__STENCIL_FIELDS
#define SUMS    HTMT__STENCIL_SUMS
#define PICTURE 512 /* pixels of the longer edge, at least */

int htmt__stencil_results_check(struct htmt_task *task)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *out = htmt_request_value(r, "out"), *slice = htmt_request_value(r, "plot-slice"),
               *plot = htmt_request_value(r, "plot");
    int rc = htmt_request_suffix(r, "out", ".npy", fault);
    rc = rc ? rc : htmt_request_suffix(r, "plot-slice", ".png", fault);
    if (!rc && out)
        rc = htmt_output_claim("--out", out, fault);
    if (!rc && slice)
        rc = htmt_output_claim("--plot-slice", slice, fault);
    return rc || !plot ? rc : htmt__plot_check(plot, fault);
}

static int write_fields(const char *path, const struct htmt__stencil_plan *p, const double *fields,
                        struct htmt_fault *fault)
{
    const struct htmt__npy_shape shape = {
        .type = HTMT__NPY_F8, .rank = 4, .size = {p->cells[2], p->cells[1], p->cells[0], FIELDS}};
    return htmt__npy_write(path, &shape, fields, fault);
}

/* ---- a plane -------------------------------------------------------------------------------- */

struct slice {
    const struct htmt__stencil_plan *p;
    const double *plane; /* its cells */
    double least, most;
    uint32_t scale; /* pixels of a cell */
};

static double speed(const double *u)
{
    return sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
}

/* From blue over white to red; y grows upwards. */
static void paint_row(void *context, uint32_t y, void *samples)
{
    const struct slice *s = context;
    const uint32_t *n = s->p->cells, row = n[1] - 1 - y / s->scale;
    static const double blue[] = {59, 76, 192}, red[] = {180, 4, 38};
    uint8_t *at = samples;
    for (uint32_t x = 0; x < n[0] * s->scale; x++) {
        const double v = speed(s->plane + FIELDS * ((size_t)row * n[0] + x / s->scale)),
                     range = s->most - s->least,
                     part = range > 0 ? 2 * (v - s->least) / range - 1 : 0;
        for (unsigned c = 0; c < 3; c++)
            *at++ = (uint8_t)lround(255 - fabs(part) * (255 - (part < 0 ? blue[c] : red[c])));
    }
}

static int paint(const char *path, const struct htmt__stencil_plan *p, const double *fields,
                 struct htmt_fault *fault)
{
    const size_t cells = (size_t)p->cells[0] * p->cells[1];
    const uint32_t edge = p->cells[0] > p->cells[1] ? p->cells[0] : p->cells[1];
    struct slice s = {.p = p,
                      .plane = fields + FIELDS * cells * (p->cells[2] / 2),
                      .least = INFINITY,
                      .most = -INFINITY,
                      .scale = edge < PICTURE ? (PICTURE + edge - 1) / edge : 1};
    for (size_t i = 0; i < cells; i++) {
        const double v = speed(s.plane + FIELDS * i);
        s.least = fmin(s.least, v);
        s.most = fmax(s.most, v);
    }
    const struct htmt__picture picture = {p->cells[0] * s.scale, p->cells[1] * s.scale, 3, 8};
    return htmt__picture_write_rows(path, &picture, paint_row, &s, fault);
}

/* ---- energies ------------------------------------------------------------------------------- */

/* At the end, added as a run adds those of each step (program_sums()): blocks, then slices. */
static void sum_up(const struct htmt__stencil_plan *p, const double *fields, double sums[SUMS])
{
    const size_t b = p->b, row = p->cells[0], plane = row * p->cells[1];
    for (uint32_t slice = 0; slice < htmt_grid_slices(&p->grid); slice++) {
        double mine[SUMS] = {0};
        uint32_t place[3] = {0};
        htmt_grid_place(&p->grid, slice, place);
        for (uint32_t i = 0; i < p->block_count; i++) {
            const uint32_t *n = p->blocks, at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
            double of_block[SUMS] = {0};
            size_t first[3];
            for (unsigned a = 0; a < 3; a++)
                first[a] = (size_t)place[a] * p->tile[a] + at[a] * b;
            htmt__stencil_sums(b, fields + FIELDS * (first[2] * plane + first[1] * row + first[0]),
                               row, plane, of_block);
            for (unsigned k = 0; k < SUMS; k++)
                mine[k] += of_block[k];
        }
        for (unsigned k = 0; k < SUMS; k++)
            sums[k] += mine[k];
    }
}

/* By what share kinetic energy and all energy have changed, at the beginning of each step and at
 * the end. */
static int plot(const char *path, const struct htmt__stencil_plan *p, const double *fields,
                const double *sums, struct htmt_fault *fault)
{
    const size_t count = (size_t)p->steps + 1;
    double *at = malloc(3 * count * sizeof *at), *kinetic = at + count, *drift = kinetic + count;
    double last[SUMS] = {0};
    if (!at)
        return HTMT_ENOMEM;
    sum_up(p, fields, last);
    for (size_t n = 0; n < count; n++) {
        const double *s = n < p->steps ? sums + SUMS * n : last;
        at[n] = p->dt * (double)n;
        kinetic[n] = s[5] / sums[5] - 1;
        drift[n] = s[4] / sums[4] - 1;
    }
    const struct htmt__plot_curve of_drift = {NULL, HTMT__PLOT_LINE, count, at, drift},
                                  of_kinetic = {NULL, HTMT__PLOT_LINE, count, at, kinetic};
    const struct htmt__plot below = {.x_label = "time",
                                     .y_label = "all energy, change",
                                     .height = 300,
                                     .curves = &of_drift,
                                     .count = 1};
    const struct htmt__plot all = {.title = "changes of energy",
                                   .x_label = "time",
                                   .y_label = "kinetic energy, change",
                                   .height = 300,
                                   .curves = &of_kinetic,
                                   .count = 1,
                                   .below = &below};
    int rc = htmt__plot_write(path, &all, fault);
    free(at);
    return rc;
}

int htmt__stencil_results_write(struct htmt_task *task, const struct htmt__stencil_plan *p,
                                const double *fields, const double *sums)
{
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *out = htmt_task_value(task, "out"), *slice = htmt_task_value(task, "plot-slice"),
               *energies = htmt_task_value(task, "plot");
    int rc = out ? write_fields(out, p, fields, fault) : 0;
    if (!rc && slice)
        rc = paint(slice, p, fields, fault);
    return rc || !energies ? rc : plot(energies, p, fields, sums, fault);
}
