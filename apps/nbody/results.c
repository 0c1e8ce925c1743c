/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/nbody/results.h"

#include "apps/formats/npy.h"
#include "apps/formats/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 7
#define SETTLED 2  /* steps until slices are cut by work that was counted in order */
#define SHELLS  24 /* of the density profile */

int htmt__nbody_results_check(struct htmt_task *task)
{
    const char *const plots[] = {"plot-energies", "plot-profile"};
    int rc = 0;
    for (unsigned i = 0; !rc && i < 2; i++) {
        const char *path = htmt_task_value(task, plots[i]);
        rc = path ? htmt__plot_check(path, htmt_task_fault(task)) : 0;
    }
    return rc;
}

static double energy(const double *sums)
{
    return sums[HTMT__NBODY_KINETIC] + sums[HTMT__NBODY_POTENTIAL];
}

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static int write_bodies(const char *path, const struct htmt__nbody_plan *p,
                        const struct htmt__nbody_body *body, struct htmt_fault *fault)
{
    const struct htmt__npy_shape shape = {HTMT__NPY_F8, 2, {p->bodies, COLUMNS}};
    struct htmt__npy *npy = NULL;
    int rc = htmt__npy_create(path, &shape, &npy, fault);
    for (uint64_t i = 0; !rc && i < p->bodies; i++) {
        double row[COLUMNS] = {body[i].m};
        memcpy(row + 1, body[i].x, sizeof body[i].x);
        memcpy(row + 4, body[i].v, sizeof body[i].v);
        rc = htmt__npy_append(npy, row, COLUMNS, fault);
    }
    if (!rc)
        return htmt__npy_finish(&npy, fault);
    htmt__npy_abandon(&npy);
    return rc;
}

/* Energies over time, and below the change of their sum. */
static int plot_energies(const char *path, const struct htmt__nbody_plan *p, const double *history,
                         struct htmt_fault *fault)
{
    const size_t count = (size_t)p->steps + 1;
    double *at = malloc(4 * count * sizeof *at), *kinetic = at + count, *potential = at + 2 * count,
           *change = at + 3 * count;
    if (!at)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const double *sums = history + HTMT__NBODY_SUMS * i;
        at[i] = p->dt * (double)i;
        kinetic[i] = sums[HTMT__NBODY_KINETIC];
        potential[i] = sums[HTMT__NBODY_POTENTIAL];
        change[i] = energy(sums) / energy(history) - 1;
    }
    const enum htmt__plot_style style = count > 1 ? HTMT__PLOT_LINE : HTMT__PLOT_POINTS;
    const struct htmt__plot_curve of[] = {{"kinetic", style, count, at, kinetic},
                                          {"potential", style, count, at, potential}},
                                  drift = {NULL, style, count, at, change};
    const struct htmt__plot below = {.x_label = "time",
                                     .y_label = "energy, change",
                                     .x_most = count > 1 ? 0 : 1,
                                     .height = 300,
                                     .curves = &drift,
                                     .count = 1};
    const struct htmt__plot all = {.title = "energies",
                                   .x_label = "time",
                                   .y_label = "energy",
                                   .x_most = count > 1 ? 0 : 1,
                                   .curves = of,
                                   .count = 2,
                                   .below = &below};
    int rc = htmt__plot_write(path, &all, fault);
    free(at);
    return rc;
}

struct at {
    double r, m;
};

static int by_radius(const void *a, const void *b)
{
    const struct at *p = a, *q = b;
    return p->r < q->r ? -1 : p->r > q->r;
}

/* The mass of Plummer's sphere within r. */
static double plummer(double r)
{
    const double a = 3 * M_PI / 16;
    return pow(r * r / (r * r + a * a), 1.5);
}

/* The density of shells that have as many bodies each, about the origin. A sphere of ours has that
 * of Plummer in the same shells beside it. */
static int plot_profile(const char *path, const struct htmt__nbody_plan *p,
                        const struct htmt__nbody_body *body, struct htmt_fault *fault)
{
    const uint64_t n = p->bodies;
    const size_t shells = n / 8 > SHELLS ? SHELLS : n / 8 + 1;
    double x[SHELLS + 1], y[SHELLS + 1], law[SHELLS + 1];
    struct at *at = malloc(n * sizeof *at);
    if (!at)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < n; i++)
        at[i] = (struct at){length(body[i].x), body[i].m};
    qsort(at, n, sizeof *at, by_radius);
    for (size_t s = 0; s < shells; s++) {
        const uint64_t first = n * s / shells, end = n * (s + 1) / shells;
        const double in = s ? at[first - 1].r : 0, out = at[end - 1].r;
        double mass = 0;
        for (uint64_t i = first; i < end; i++)
            mass += at[i].m;
        x[s] = cbrt((in * in * in + out * out * out) / 2);
        y[s] = mass * 3 / (4 * M_PI * (out * out * out - in * in * in));
        law[s] = (plummer(out) - plummer(in)) * 3 / (4 * M_PI * (out * out * out - in * in * in));
    }
    const struct htmt__plot_curve of[] = {{"bodies", HTMT__PLOT_POINTS, shells, x, y},
                                          {"Plummer", HTMT__PLOT_DASHED, shells, x, law}};
    const struct htmt__plot all = {.title = "density",
                                   .x_label = "radius",
                                   .y_label = "mass of a unit of volume",
                                   .log_x = true,
                                   .log_y = true,
                                   .curves = of,
                                   .count = p->in ? 1 : 2};
    int rc = htmt__plot_write(path, &all, fault);
    free(at);
    return rc;
}

int htmt__nbody_results_write(struct htmt_task *task, const struct htmt__nbody_plan *p,
                              const struct htmt__nbody_body *body, const double *history)
{
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *out = htmt_task_value(task, "out"),
               *energies = htmt_task_value(task, "plot-energies"),
               *profile = htmt_task_value(task, "plot-profile");
    int rc = out ? write_bodies(out, p, body, fault) : 0;
    if (!rc && energies)
        rc = plot_energies(energies, p, history, fault);
    return rc || !profile ? rc : plot_profile(profile, p, body, fault);
}

void htmt__nbody_results_find(struct htmt_task *task, const struct htmt__nbody_plan *p,
                              const double *history)
{
    const double *first = history, *last = history + (size_t)p->steps * HTMT__NBODY_SUMS;
    double spin[3], momentum[3];
    for (unsigned c = 0; c < 3; c++) {
        spin[c] = last[HTMT__NBODY_SPIN + c] - first[HTMT__NBODY_SPIN + c];
        momentum[c] = last[HTMT__NBODY_MOMENTUM + c] - first[HTMT__NBODY_MOMENTUM + c];
    }
    htmt_task_found(task, "kinetic_energy", last[HTMT__NBODY_KINETIC], "1");
    htmt_task_found(task, "potential_energy", last[HTMT__NBODY_POTENTIAL], "1");
    htmt_task_found(task, "energy_change", energy(last) / energy(first) - 1, "1");
    htmt_task_found(task, "momentum_change", length(momentum), "1");
    htmt_task_found(task, "angular_momentum_change", length(spin), "1");
    htmt_task_found(task, "interactions", last[HTMT__NBODY_ENTRIES] / (double)p->bodies, "1");
    double worst = 0; /* work of the slice that has most, over the mean */
    for (uint32_t n = p->steps < SETTLED ? p->steps : SETTLED; n <= p->steps; n++) {
        const double *sums = history + (size_t)n * HTMT__NBODY_SUMS,
                     share = sums[HTMT__NBODY_WORST] * p->slices / sums[HTMT__NBODY_WORK];
        worst = share > worst ? share : worst;
    }
    htmt_task_found(task, "balance", worst, "1");
}
