/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energies, temperature and pressure of a record. With N atoms in a volume V and three freedoms of
 * the whole gone, T = 2 K / (3 (N - 1)) and P = (2 K + W) / (3 V), W the virial. A tail adds what
 * atoms of density rho beyond the cut give where g(r) is 1:
 *
 *     U = 8/3 pi N rho (1/3 r_c^-9 - r_c^-3),   P = 16/3 pi rho^2 (2/3 r_c^-9 - r_c^-3)
 */
#include "apps/md/results.h"

#include "apps/formats/npy.h"
#include "apps/formats/plot.h"
#include "apps/md/reference.h"
#include "runtime/base/output.h"

#include <math.h>
#include <stdlib.h>

#define BINS   200
#define FAR_GR 5.0 /* distance to which g(r) is drawn, at most */

int htmt__md_results_check(struct htmt_task *task, const struct htmt__md_plan *p)
{
    static const char *const plots[] = {"plot-gr", "plot-energies"};
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *out = htmt_task_value(task, "out");
    int rc = htmt_request_suffix(htmt_task_request(task), "out", ".npy", fault);
    if (!rc && out)
        rc = htmt_output_claim("--out", out, fault);
    for (unsigned i = 0; i < 2 && !rc; i++)
        if (htmt_task_value(task, plots[i]))
            rc = htmt__plot_check(htmt_task_value(task, plots[i]), fault);
    if (!rc && htmt_task_value(task, "plot-energies") && !p->steps)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--plot-energies: found no steps, expected at least 1");
    return rc;
}

/* ---- figures --------------------------------------------------------------------------------- */

struct state {
    double potential, kinetic, temperature, pressure; /* energies: of an atom */
};

static double tail_energy(const struct htmt__md_plan *p)
{
    const double c3 = 1 / (p->cut * p->cut * p->cut);
    return p->tail ? 8. / 3 * M_PI * p->density * (c3 * c3 * c3 / 3 - c3) : 0;
}

static double tail_pressure(const struct htmt__md_plan *p)
{
    const double c3 = 1 / (p->cut * p->cut * p->cut);
    return p->tail ? 16. / 3 * M_PI * p->density * p->density * (2. / 3 * c3 * c3 * c3 - c3) : 0;
}

static struct state state_of(const struct htmt__md_plan *p, const struct htmt__md_record *r)
{
    const double n = (double)p->atoms, volume = n / p->density;
    return (struct state){.potential = r->potential / n + tail_energy(p),
                          .kinetic = r->kinetic / n,
                          .temperature = htmt__md_temperature(p, r->kinetic),
                          .pressure =
                              (2 * r->kinetic + r->virial) / (3 * volume) + tail_pressure(p)};
}

static void found_averages(struct htmt_task *task, const struct htmt__md_plan *p,
                           const struct htmt__md_record *series, uint32_t count)
{
    struct state mean = {0};
    for (uint32_t i = p->steps + 1 - count; i <= p->steps; i++) {
        const struct state s = state_of(p, &series[i]);
        mean.potential += s.potential / count;
        mean.temperature += s.temperature / count;
        mean.pressure += s.pressure / count;
    }
    htmt_task_found(task, "mean_potential", mean.potential, "1");
    htmt_task_found(task, "mean_temperature", mean.temperature, "1");
    htmt_task_found(task, "mean_pressure", mean.pressure, "1");
}

int htmt__md_results_found(struct htmt_task *task, const struct htmt__md_plan *p,
                           const struct htmt__md_record *series)
{
    const struct htmt__md_record *last = &series[p->steps];
    const struct state first = state_of(p, series), end = state_of(p, last),
                       free = state_of(p, &series[p->scale_steps]);
    const double n = (double)p->atoms, energy = free.potential + free.kinetic,
                 drift = energy != 0 ? (end.potential + end.kinetic) / energy - 1 : 0;
    double largest = 0;
    uint32_t count = p->steps > p->scale_steps ? p->steps - p->scale_steps : 1;
    int rc = htmt_request_whole32(htmt_task_request(task), "average", 1, p->steps + 1, &count,
                                  htmt_task_fault(task));
    if (rc)
        return rc;
    for (unsigned a = 0; a < 3; a++)
        largest = fmax(largest, fabs(last->momentum[a]));
    htmt_task_found(task, "atoms", n, "1");
    htmt_task_found(task, "first_potential", first.potential, "1");
    htmt_task_found(task, "first_pressure", first.pressure, "1");
    htmt_task_found(task, "first_temperature", first.temperature, "1");
    htmt_task_found(task, "first_virial", series->virial, "1");
    htmt_task_found(task, "potential", end.potential, "1");
    htmt_task_found(task, "kinetic", end.kinetic, "1");
    htmt_task_found(task, "temperature", end.temperature, "1");
    htmt_task_found(task, "pressure", end.pressure, "1");
    htmt_task_found(task, "tail_potential", tail_energy(p), "1");
    htmt_task_found(task, "energy_drift", drift, "1");
    htmt_task_found(task, "momentum", largest, "1");
    htmt_task_found(task, "candidates", last->candidates / n, "1");
    htmt_task_found(task, "neighbours", last->within / n, "1");
    found_averages(task, p, series, count);
    htmt_task_note(task,
                   "energies of an atom: potential %.7g, kinetic %.6g; temperature %.6g, "
                   "pressure %.6g; total energy changed by %.2g",
                   end.potential, end.kinetic, end.temperature, end.pressure, drift);
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_atoms(const char *path, const struct htmt__md_atoms *a, struct htmt_fault *fault)
{
    const struct htmt__npy_shape shape = {.type = HTMT__NPY_F8, .rank = 2, .size = {a->count, 6}};
    struct htmt__npy *npy = NULL;
    int rc = htmt__npy_create(path, &shape, &npy, fault);
    for (uint64_t i = 0; i < a->count && !rc; i++) {
        rc = htmt__npy_append(npy, a->x + 3 * i, 3, fault);
        rc = rc ? rc : htmt__npy_append(npy, a->v + 3 * i, 3, fault);
    }
    if (!rc)
        return htmt__npy_finish(&npy, fault);
    htmt__npy_abandon(&npy);
    return rc;
}

static int plot_energies(const char *path, const struct htmt__md_plan *p,
                         const struct htmt__md_record *series, struct htmt_fault *fault)
{
    const size_t count = (size_t)p->steps + 1;
    double *at = malloc(5 * count * sizeof *at), *potential = at + count,
           *kinetic = potential + count, *all = kinetic + count, *warm = all + count;
    if (!at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a plot");
    for (size_t i = 0; i < count; i++) {
        const struct state s = state_of(p, &series[i]);
        at[i] = p->dt * (double)i;
        potential[i] = s.potential;
        kinetic[i] = s.kinetic;
        all[i] = s.potential + s.kinetic;
        warm[i] = s.temperature;
    }
    const struct htmt__plot_curve energies[] = {
        {"potential", HTMT__PLOT_LINE, count, at, potential},
        {"kinetic", HTMT__PLOT_LINE, count, at, kinetic},
        {"total", HTMT__PLOT_DASHED, count, at, all}};
    const struct htmt__plot_curve of_warm = {NULL, HTMT__PLOT_LINE, count, at, warm};
    const struct htmt__plot below = {
        .x_label = "time", .y_label = "temperature", .height = 250, .curves = &of_warm, .count = 1};
    const struct htmt__plot plot = {.title = "energies of an atom",
                                    .x_label = "time",
                                    .y_label = "energy",
                                    .height = 400,
                                    .curves = energies,
                                    .count = 3,
                                    .below = &below};
    int rc = htmt__plot_write(path, &plot, fault);
    free(at);
    return rc;
}

/* Pairs over those of atoms that lie anywhere. */
static int plot_gr(struct htmt_task *task, const char *path, const struct htmt__md_plan *p,
                   const struct htmt__md_atoms *last)
{
    double r[BINS], g[BINS], most = FAR_GR;
    uint64_t pairs[BINS];
    unsigned peak = 0;
    for (unsigned a = 0; a < 3; a++)
        most = fmin(most, p->box[a] / 2);
    htmt__md_count_pairs(p, last->x, most, BINS, pairs);
    for (unsigned k = 0; k < BINS; k++) {
        const double from = most * k / BINS, to = most * (k + 1) / BINS,
                     shell = 4. / 3 * M_PI * (to * to * to - from * from * from);
        r[k] = (from + to) / 2;
        g[k] = (double)pairs[k] / ((double)p->atoms / 2 * p->density * shell);
        peak = g[k] > g[peak] ? k : peak;
    }
    htmt_task_found(task, "gr_peak", g[peak], "1");
    htmt_task_found(task, "gr_peak_at", r[peak], "1");
    const struct htmt__plot_curve curve = {NULL, HTMT__PLOT_LINE, BINS, r, g};
    const struct htmt__plot plot = {.title = "pairs of atoms over those of a uniform density",
                                    .x_label = "distance",
                                    .y_label = "g(r)",
                                    .curves = &curve,
                                    .count = 1};
    return htmt__plot_write(path, &plot, htmt_task_fault(task));
}

int htmt__md_results_write(struct htmt_task *task, const struct htmt__md_plan *p,
                           const struct htmt__md_atoms *last, const struct htmt__md_record *series)
{
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *out = htmt_task_value(task, "out"), *gr = htmt_task_value(task, "plot-gr"),
               *energies = htmt_task_value(task, "plot-energies");
    int rc = out ? write_atoms(out, last, fault) : 0;
    rc = rc || !gr ? rc : plot_gr(task, gr, p, last);
    return rc || !energies ? rc : plot_energies(energies, p, series, fault);
}
