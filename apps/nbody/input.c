/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bodies of the beginning.
 *
 * A Plummer sphere in the units of Hénon: G = M = 1, E = -1/4, so its scale is a = 3 pi / 16. Its
 * mass within r is M(r) = r^3 / (r^2 + a^2)^1.5, so r = a / sqrt(X^(-2/3) - 1) has a uniform X
 * (Aarseth, Hénon and Wielen, A&A 37, 1974). X stays below 0.999: few bodies far away would make
 * the tree's root large. The speed is q sqrt 2 (r^2 + a^2)^(-1/4), with q of the density
 * q^2 (1 - q^2)^3.5, whose maximum is 0.0921: a pair (q, y) is thrown until it lies below. At the
 * end the centre of mass goes to the origin and is at rest.
 *
 * By hand: X = 1/8 gives X^(-2/3) = 4, r = a / sqrt 3 = 0.340.
 */
#include "apps/formats/npy.h"
#include "apps/lib/random.h"
#include "apps/nbody/plan.h"
#include "runtime/base/wide.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS    7
#define INSIDE     0.999 /* mass fractions below it */
#define DENSE_MOST 0.0922

int htmt__nbody_input_count(const char *path, uint64_t *count, struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    bool fortran = false;
    FILE *in = fopen(path, "rb");
    if (!in)
        return htmt_fault_set(fault, HTMT_ENOENT, "%s: %s", path, strerror(errno));
    int rc = htmt__npy_read_header(path, in, 1u << HTMT__NPY_F8, 2, &shape, &fortran, fault);
    fclose(in);
    if (rc)
        return rc;
    if (shape.size[1] != COLUMNS || !shape.size[0])
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found %" PRIu64 " rows of %" PRIu64
                              " columns, expected rows of %d: mass, position, velocity",
                              path, shape.size[0], shape.size[1], COLUMNS);
    *count = shape.size[0];
    return 0;
}

/* ---- a file --------------------------------------------------------------------------------- */

static int refuse_row(const char *path, const double *row, uint64_t i, struct htmt_fault *fault)
{
    for (unsigned c = 0; c < COLUMNS; c++)
        if (!isfinite(row[c]))
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: row %" PRIu64 ", column %u: found %g, expected a number",
                                  path, i, c, row[c]);
    if (row[0] < 0)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: row %" PRIu64
                              ", column 0: found a mass of %g, expected 0 or more",
                              path, i, row[0]);
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct htmt__nbody_body *const *p = a, *const *q = b;
    for (unsigned c = 0; c < 3; c++)
        if ((*p)->x[c] != (*q)->x[c])
            return (*p)->x[c] < (*q)->x[c] ? -1 : 1;
    return (*p)->id < (*q)->id ? -1 : 1;
}

/* The cube of their distance, which pulls are divided by, is 0. */
static bool are_one(const double *a, const double *b)
{
    double d2 = 0;
    for (unsigned c = 0; c < 3; c++)
        d2 += (a[c] - b[c]) * (a[c] - b[c]);
    return d2 * sqrt(d2) == 0;
}

static int refuse_pairs(const char *path, const struct htmt__nbody_body *body, uint64_t n,
                        struct htmt_fault *fault)
{
    const struct htmt__nbody_body **at = malloc(n * sizeof *at);
    int rc = at ? 0 : HTMT_ENOMEM;
    for (uint64_t i = 0; at && i < n; i++)
        at[i] = &body[i];
    if (at)
        qsort(at, n, sizeof *at, by_place);
    for (uint64_t i = 1; !rc && i < n; i++)
        if (are_one(at[i - 1]->x, at[i]->x))
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: rows %" PRIu64 " and %" PRIu64
                                ": found two bodies in one place, expected --eps above 0",
                                path, at[i - 1]->id, at[i]->id);
    free(at);
    return rc;
}

static int read_file(const struct htmt__nbody_plan *p, struct htmt__nbody_body *body,
                     struct htmt_fault *fault)
{
    struct htmt__npy_shape shape;
    void *elements = NULL;
    int rc = htmt__npy_read(p->in, 1u << HTMT__NPY_F8, 2, &shape, &elements, fault);
    if (!rc && (shape.size[0] != p->bodies || shape.size[1] != COLUMNS))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: the file has changed", p->in);
    for (uint64_t i = 0; !rc && i < p->bodies; i++) {
        const double *row = (const double *)elements + COLUMNS * i;
        rc = refuse_row(p->in, row, i, fault);
        body[i].m = row[0];
        for (unsigned c = 0; c < 3; c++) {
            body[i].x[c] = row[1 + c];
            body[i].v[c] = row[4 + c];
        }
        body[i].id = i;
    }
    free(elements);
    return rc || p->eps > 0 ? rc : refuse_pairs(p->in, body, p->bodies, fault);
}

/* ---- a sphere ------------------------------------------------------------------------------- */

/* A vector of that length in a random direction. */
static void turn(uint64_t *state, double length, double v[3])
{
    const double c = 2 * htmt__random_share(htmt__random_next(state)) - 1,
                 angle = 2 * M_PI * htmt__random_share(htmt__random_next(state)),
                 s = sqrt(1 - c * c);
    v[0] = length * s * cos(angle);
    v[1] = length * s * sin(angle);
    v[2] = length * c;
}

static void throw_body(uint64_t *state, struct htmt__nbody_body *body)
{
    const double a = 3 * M_PI / 16, X = INSIDE * htmt__random_share(htmt__random_next(state)),
                 r = a / sqrt(pow(X, -2. / 3) - 1);
    double q, y;
    turn(state, r, body->x);
    do {
        q = htmt__random_share(htmt__random_next(state));
        y = DENSE_MOST * htmt__random_share(htmt__random_next(state));
    } while (y > q * q * pow(1 - q * q, 3.5));
    turn(state, q * M_SQRT2 * pow(r * r + a * a, -0.25), body->v);
}

/* Each body has numbers of its own: the first ones of a larger sphere are those of a smaller. */
static void make_sphere(uint64_t seed, uint64_t n, struct htmt__nbody_body *body)
{
    double mean[6] = {0};
    for (uint64_t i = 0; i < n; i++) {
        uint64_t state = htmt__random_of(htmt__random_of(seed) ^ i);
        body[i].m = 1 / (double)n;
        body[i].id = i;
        throw_body(&state, &body[i]);
        for (unsigned c = 0; c < 3; c++) {
            mean[c] += body[i].x[c];
            mean[3 + c] += body[i].v[c];
        }
    }
    for (uint64_t i = 0; i < n; i++)
        for (unsigned c = 0; c < 3; c++) {
            body[i].x[c] -= mean[c] / (double)n;
            body[i].v[c] -= mean[3 + c] / (double)n;
        }
}

int htmt__nbody_input(const struct htmt__nbody_plan *p, uint64_t seed,
                      struct htmt__nbody_body *body, struct htmt_fault *fault)
{
    if (p->in)
        return read_file(p, body, fault);
    make_sphere(seed, p->bodies, body);
    return 0;
}
