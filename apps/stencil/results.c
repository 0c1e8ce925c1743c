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
    uint8_t *at = samples;
    for (uint32_t x = 0; x < n[0] * s->scale; x++) {
        const double v = speed(s->plane + FIELDS * ((size_t)row * n[0] + x / s->scale)),
                     range = s->most - s->least,
                     part = range > 0 ? 2 * (v - s->least) / range - 1 : 0;
        *at++ = (uint8_t)lround(part < 0 ? 255 + part * 196 : 255 - part * 75);
        *at++ = (uint8_t)lround(part < 0 ? 255 + part * 179 : 255 - part * 251);
        *at++ = (uint8_t)lround(part < 0 ? 255 + part * 63 : 255 - part * 217);
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

/* By what share kinetic energy and all energy have changed, at the beginning of each step and at
 * the end. */
static int plot(const char *path, const struct htmt__stencil_plan *p, const double *fields,
                const double *sums, struct htmt_fault *fault)
{
    const size_t count = (size_t)p->steps + 1,
                 cells = (size_t)p->cells[0] * p->cells[1] * p->cells[2];
    double *at = malloc(3 * count * sizeof *at), *kinetic = at + count, *drift = kinetic + count;
    long double last[2] = {0}; /* one sum, not one of each slice */
    if (!at)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        const double *u = fields + FIELDS * i, v = speed(u);
        last[0] += u[0] * v * v / 2;
        last[1] += u[4];
    }
    for (size_t n = 0; n < count; n++) {
        const double *s = sums + SUMS * n;
        at[n] = p->dt * (double)n;
        kinetic[n] = (n < p->steps ? s[5] : (double)last[0]) / sums[5] - 1;
        drift[n] = (n < p->steps ? s[4] : (double)last[1]) / sums[4] - 1;
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
