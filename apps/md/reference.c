/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program. Atoms lie in a list of each cell, chained by their numbers. A cell meets
 * itself and 13 of its neighbours, so each pair is met once, and Newton's third law gives the force
 * on the other atom. Cells are built in every step, and are as wide as the cut: no skin is needed.
 * With fewer than three cells along an edge each atom meets all with larger numbers.
 *
 * Lists are sorted: atoms are copied in the order of cells, and a pair runs over arrays of x, y and
 * z that lie side by side. By hand, 32,000 atoms of a liquid: 13.5 cells of 13 atoms are 180
 * candidates of an atom, and 27 pairs.
 */
#include "apps/md/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct htmt__md_reference {
    const struct htmt__md_plan *p;
    double *x, *v, *f;              /* three numbers an atom */
    double *sorted, *force;         /* x of all, y, z, in the order of cells */
    uint32_t *first, *order, *cell; /* first: of a cell in `order` */
    uint32_t n[3];                  /* cells; 0: none */
    double energy, virial;
    uint64_t candidates, within;
};

/* ---- cells ----------------------------------------------------------------------------------- */

static double wrapped(double x, double box)
{
    x -= box * floor(x / box);
    return x < box ? x : 0;
}

static uint32_t cell_of(const struct htmt__md_reference *r, const double *x)
{
    uint32_t at[3];
    for (unsigned a = 0; a < 3; a++) {
        at[a] = (uint32_t)(wrapped(x[a], r->p->box[a]) / r->p->box[a] * r->n[a]);
        at[a] = at[a] < r->n[a] ? at[a] : r->n[a] - 1;
    }
    return at[0] + r->n[0] * (at[1] + r->n[1] * at[2]);
}

static void sort(struct htmt__md_reference *r)
{
    const size_t all = r->p->atoms, cells = (size_t)r->n[0] * r->n[1] * r->n[2];
    memset(r->first, 0, (cells + 1) * sizeof *r->first);
    for (size_t i = 0; i < all; i++)
        r->first[(r->cell[i] = cell_of(r, r->x + 3 * i)) + 1]++;
    for (size_t c = 0; c < cells; c++)
        r->first[c + 1] += r->first[c];
    for (size_t i = all; i-- > 0;) /* from the last one, whose place is the last one of its cell */
        r->order[--r->first[r->cell[i] + 1]] = (uint32_t)i;
    memmove(r->first, r->first + 1, cells * sizeof *r->first);
    r->first[cells] = (uint32_t)all;
    for (size_t k = 0; k < all; k++)
        for (unsigned a = 0; a < 3; a++)
            r->sorted[a * all + k] = wrapped(r->x[3 * r->order[k] + a], r->p->box[a]);
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* Atom i with atoms from..end, whose places are `by` further. */
static void meet(struct htmt__md_reference *r, size_t i, size_t from, size_t end,
                 const double by[3])
{
    const size_t all = r->p->atoms;
    const double cut2 = r->p->cut * r->p->cut, *x = r->sorted, *y = x + all, *z = y + all;
    const double at[3] = {x[i] - by[0], y[i] - by[1], z[i] - by[2]};
    double *fx = r->force, *fy = fx + all, *fz = fy + all, f[3] = {0}, e = 0, w = 0;
    r->candidates += end - from;
    for (size_t j = from; j < end; j++) {
        const double dx = at[0] - x[j], dy = at[1] - y[j], dz = at[2] - z[j],
                     r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= cut2)
            continue;
        const double i2 = 1 / r2, i6 = i2 * i2 * i2, push = 24 * i6 * (2 * i6 - 1) * i2;
        r->within++;
        e += 4 * i6 * (i6 - 1);
        w += push * r2;
        f[0] += push * dx;
        f[1] += push * dy;
        f[2] += push * dz;
        fx[j] -= push * dx;
        fy[j] -= push * dy;
        fz[j] -= push * dz;
    }
    r->energy += e;
    r->virial += w;
    fx[i] += f[0];
    fy[i] += f[1];
    fz[i] += f[2];
}

/* Itself and the 13 neighbours that come behind it. */
static void meet_cells(struct htmt__md_reference *r, const uint32_t at[3])
{
    const uint32_t *n = r->n, cell = at[0] + n[0] * (at[1] + n[1] * at[2]);
    for (size_t i = r->first[cell]; i < r->first[cell + 1]; i++)
        meet(r, i, i + 1, r->first[cell + 1], (double[3]){0});
    for (int k = 14; k < 27; k++) {
        const int way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        uint32_t to[3];
        double by[3];
        for (unsigned a = 0; a < 3; a++) {
            const int64_t beside = (int64_t)at[a] + way[a];
            by[a] = beside < 0 ? -r->p->box[a] : beside >= n[a] ? r->p->box[a] : 0;
            to[a] = (uint32_t)((beside + n[a]) % n[a]);
        }
        const uint32_t other = to[0] + n[0] * (to[1] + n[1] * to[2]);
        for (size_t i = r->first[cell]; i < r->first[cell + 1]; i++)
            meet(r, i, r->first[other], r->first[other + 1], by);
    }
}

/* Without cells an atom meets each other one by its nearest image. */
static void meet_all(struct htmt__md_reference *r)
{
    const size_t all = r->p->atoms;
    for (size_t i = 0; i < all; i++)
        for (size_t j = i + 1; j < all; j++) {
            double by[3];
            for (unsigned a = 0; a < 3; a++) {
                const double d = r->sorted[a * all + i] - r->sorted[a * all + j];
                by[a] = r->p->box[a] * rint(d / r->p->box[a]);
            }
            meet(r, i, j, j + 1, by);
        }
}

static void compute(struct htmt__md_reference *r)
{
    const size_t all = r->p->atoms;
    sort(r);
    memset(r->force, 0, 3 * all * sizeof *r->force);
    r->energy = r->virial = 0;
    r->candidates = r->within = 0;
    if (r->p->whole)
        meet_all(r);
    for (uint32_t c = 0; c < r->n[0] * r->n[1] * r->n[2] && !r->p->whole; c++)
        meet_cells(r, (uint32_t[]){c % r->n[0], c / r->n[0] % r->n[1], c / r->n[0] / r->n[1]});
    for (size_t k = 0; k < all; k++)
        for (unsigned a = 0; a < 3; a++)
            r->f[3 * r->order[k] + a] = r->force[a * all + k];
    if (r->p->shift) {
        const double c = pow(r->p->cut, -6);
        r->energy -= 4 * c * (c - 1) * (double)r->within;
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void measure(const struct htmt__md_reference *r, struct htmt__md_record *out)
{
    *out = (struct htmt__md_record){.potential = r->energy,
                                    .virial = r->virial,
                                    .candidates = (double)r->candidates,
                                    .within = 2 * (double)r->within};
    for (size_t i = 0; i < 3 * r->p->atoms; i++) {
        out->kinetic += r->v[i] * r->v[i] / 2;
        out->momentum[i % 3] += r->v[i];
    }
}

void htmt__md_reference_run(struct htmt__md_reference *r, uint32_t steps,
                            struct htmt__md_record *series)
{
    const size_t all = 3 * r->p->atoms;
    const double half = r->p->dt / 2, freedoms = (double)all - 3;
    for (uint32_t n = 0; n <= steps; n++) {
        double scale = 1;
        if (n > 0 && n <= r->p->scale_steps && series[n - 1].kinetic > 0)
            scale = sqrt(r->p->scale_to * freedoms / (2 * series[n - 1].kinetic));
        compute(r);
        for (size_t i = 0; i < all && n; i++)
            r->v[i] = r->v[i] * scale + half * r->f[i];
        measure(r, &series[n]);
        for (size_t i = 0; i < all && n < steps; i++) {
            r->v[i] += half * r->f[i];
            r->x[i] += r->p->dt * r->v[i];
        }
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__md_reference_create(const struct htmt__md_plan *plan, const struct htmt__md_atoms *atoms,
                              struct htmt__md_reference **out, struct htmt_fault *fault)
{
    struct htmt__md_reference *r = calloc(1, sizeof *r);
    const size_t all = 3 * plan->atoms * sizeof(double);
    size_t cells = 1;
    *out = r;
    if (!r)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program");
    r->p = plan;
    for (unsigned a = 0; a < 3; a++) {
        const double most = fmin(fmax(1, floor(plan->box[a] / plan->cut)), 1000);
        r->n[a] = plan->whole ? 1 : (uint32_t)most;
        cells *= r->n[a];
    }
    r->x = malloc(5 * all);
    r->order = malloc(2 * plan->atoms * sizeof *r->order);
    r->first = malloc((cells + 2) * sizeof *r->first);
    if (!r->x || !r->order || !r->first)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the serial program");
    r->v = r->x + 3 * plan->atoms;
    r->f = r->v + 3 * plan->atoms;
    r->sorted = r->f + 3 * plan->atoms;
    r->force = r->sorted + 3 * plan->atoms;
    r->cell = r->order + plan->atoms;
    memcpy(r->x, atoms->x, all);
    memcpy(r->v, atoms->v, all);
    return 0;
}

void htmt__md_reference_destroy(struct htmt__md_reference **reference)
{
    struct htmt__md_reference *r = *reference;
    if (!r)
        return;
    free(r->x);
    free(r->order);
    free(r->first);
    free(r);
    *reference = NULL;
}

const double *htmt__md_reference_places(struct htmt__md_reference *r)
{
    for (size_t i = 0; i < 3 * r->p->atoms; i++)
        r->x[i] = wrapped(r->x[i], r->p->box[i % 3]);
    return r->x;
}

const double *htmt__md_reference_velocities(const struct htmt__md_reference *r)
{
    return r->v;
}

/* ---- pairs by distance ----------------------------------------------------------------------- */

void htmt__md_count_pairs(const struct htmt__md_plan *plan, const double *x, double most,
                          unsigned bins, uint64_t *pairs)
{
    memset(pairs, 0, bins * sizeof *pairs);
    for (size_t i = 0; i < plan->atoms; i++)
        for (size_t j = i + 1; j < plan->atoms; j++) {
            double r2 = 0;
            for (unsigned a = 0; a < 3; a++) {
                double d = x[3 * i + a] - x[3 * j + a];
                d -= d > plan->box[a] / 2    ? plan->box[a]
                     : d < -plan->box[a] / 2 ? -plan->box[a]
                                             : 0;
                r2 += d * d;
            }
            if (r2 >= most * most)
                continue;
            const size_t bin = (size_t)(sqrt(r2) / most * bins); /* may round up to `bins` */
            pairs[bin < bins ? bin : bins - 1]++;
        }
}
