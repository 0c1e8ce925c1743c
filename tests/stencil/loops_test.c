/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops against what is known of the equations: exact derivatives, conservation, waves.
 */
#include "apps/stencil/cases.h"
#include "apps/stencil/stage.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a periodic box, block by block ------------------------------------------------------------
 */

#define B      8
#define N      (B + 2 * HTMT__STENCIL_MARGIN)
#define FIELDS HTMT__STENCIL_FIELDS

struct box {
    uint32_t n[3];
    size_t cells;
    struct htmt__stencil_gas gas;
    double *u; /* [z][y][x][FIELDS] */
};

static struct box box_of(enum htmt__stencil_case which, const uint32_t n[3], double eta,
                         double lambda)
{
    struct box x = {.n = {n[0], n[1], n[2]}, .cells = (size_t)n[0] * n[1] * n[2]};
    x.gas =
        (struct htmt__stencil_gas){1.4, 2.5, eta, lambda, htmt__stencil_case_edge(which) / n[0]};
    x.u = malloc(x.cells * FIELDS * sizeof *x.u);
    cr_assert(x.u);
    for (size_t i = 0; i < x.cells; i++) {
        const uint32_t cell[3] = {(uint32_t)(i % n[0]), (uint32_t)(i / n[0] % n[1]),
                                  (uint32_t)(i / n[0] / n[1])};
        htmt__stencil_case_at(which, &x.gas, n, cell, 0, 1, x.u + FIELDS * i);
    }
    return x;
}

/* Cell (x, y, z) of a field, around the box. */
static size_t around(const struct box *x, long i, long j, long k)
{
    const long n[3] = {x->n[0], x->n[1], x->n[2]};
    return (size_t)((((k + n[2]) % n[2]) * n[1] + (j + n[1]) % n[1]) * n[0] + (i + n[0]) % n[0]);
}

/* A block with its margins, whose first own cell is `first`. */
static void load(const struct box *x, const double *from, const long first[3], double *u)
{
    for (long k = -4; k < B + 4; k++)
        for (long j = -4; j < B + 4; j++)
            for (long i = -4; i < B + 4; i++, u += FIELDS)
                memcpy(u, from + FIELDS * around(x, first[0] + i, first[1] + j, first[2] + k),
                       FIELDS * sizeof *u);
}

struct scratch {
    double u[FIELDS * N * N * N], q[6 * N * N * N], gx[3 * B * N * N], gy[3 * B * N * N],
        gz[3 * B * N * N], d[FIELDS * B * B * B], f[FIELDS * B * B * B], next[FIELDS * B * B * B];
};

/* d and f of the block in s->u. */
static void rates(const struct htmt__stencil_gas *g, struct scratch *s)
{
    const double h = 1 / g->h;
    htmt__stencil_primitive(B, g->gamma, g->cv, s->u, s->q);
    htmt__stencil_no_density(B, s->d);
    htmt__stencil_gradient_x(B, h, s->q, s->gx);
    htmt__stencil_gradient_y(B, h, s->q, s->gy);
    htmt__stencil_gradient_z(B, h, s->q, s->gz);
    htmt__stencil_momentum_x(B, h, g->eta, s->q, s->gy, s->gz, s->d);
    htmt__stencil_momentum_y(B, h, g->eta, s->q, s->gx, s->gz, s->d);
    htmt__stencil_momentum_z(B, h, g->eta, s->q, s->gx, s->gy, s->d);
    htmt__stencil_energy(B, h, g->eta, g->lambda, s->q, s->gx, s->gy, s->gz, s->d);
    htmt__stencil_flux_x(B, h, s->u, s->q, s->f);
    htmt__stencil_flux_y(B, h, s->u, s->q, s->f);
    htmt__stencil_flux_z(B, h, s->u, s->q, s->f);
}

/* For each block: its rates in *s, then `then`. */
static void each_block(const struct box *x, const double *from, struct scratch *s,
                       void (*then)(const struct box *x, struct scratch *s, const long first[3],
                                    void *with),
                       void *with)
{
    for (long k = 0; k < x->n[2]; k += B)
        for (long j = 0; j < x->n[1]; j += B)
            for (long i = 0; i < x->n[0]; i += B) {
                const long first[3] = {i, j, k};
                load(x, from, first, s->u);
                rates(&x->gas, s);
                then(x, s, first, with);
            }
}

struct stage {
    unsigned number; /* 0, 1, 2 */
    double dt, *to;
};

static void update(const struct box *x, struct scratch *s, const long first[3], void *with)
{
    const struct stage *g = with;
    for (int out = 0; out < 2; out++) {
        double *next = s->next;
        for (long k = 0; k < B; k++)
            for (long j = 0; j < B; j++)
                for (long i = 0; i < B; i++, next += FIELDS) {
                    const size_t at = FIELDS * around(x, first[0] + i, first[1] + j, first[2] + k);
                    memcpy(out ? g->to + at : next, out ? next : x->u + at, FIELDS * sizeof *next);
                }
        if (!out)
            htmt__stencil_end_stage(B, g->number, g->dt, s->u, s->d, s->f, s->next);
    }
}

static void step(struct box *x, double dt, unsigned steps)
{
    double *one = malloc(x->cells * FIELDS * sizeof *one),
           *two = malloc(x->cells * FIELDS * sizeof *two);
    struct scratch *s = malloc(sizeof *s);
    cr_assert(one && two && s);
    for (unsigned n = 0; n < steps; n++) {
        struct stage of[] = {{0, dt, one}, {1, dt, two}, {2, dt, x->u}};
        const double *from[] = {x->u, one, two};
        for (unsigned i = 0; i < 3; i++)
            each_block(x, from[i], s, update, &of[i]);
    }
    free(one);
    free(two);
    free(s);
}

/* ---- the right-hand side: numbers with their derivatives ----------------------------------------
 *
 * A number with its three first and nine second derivatives, by the rules of sums and products.
 * What it gives of the manufactured fields is exact but for rounding.
 */
struct jet {
    double v, d[3], h[3][3];
};

static struct jet of_sum(double a, struct jet x, double b, struct jet y)
{
    struct jet r = {.v = a * x.v + b * y.v};
    for (int i = 0; i < 3; i++) {
        r.d[i] = a * x.d[i] + b * y.d[i];
        for (int j = 0; j < 3; j++)
            r.h[i][j] = a * x.h[i][j] + b * y.h[i][j];
    }
    return r;
}

static struct jet of_product(struct jet x, struct jet y)
{
    struct jet r = {.v = x.v * y.v};
    for (int i = 0; i < 3; i++) {
        r.d[i] = x.d[i] * y.v + x.v * y.d[i];
        for (int j = 0; j < 3; j++)
            r.h[i][j] = x.h[i][j] * y.v + x.d[i] * y.d[j] + x.d[j] * y.d[i] + x.v * y.h[i][j];
    }
    return r;
}

/* f(x) by f, f', f''. */
static struct jet of_function(struct jet x, double f, double f1, double f2)
{
    struct jet r = {.v = f};
    for (int i = 0; i < 3; i++) {
        r.d[i] = f1 * x.d[i];
        for (int j = 0; j < 3; j++)
            r.h[i][j] = f2 * x.d[i] * x.d[j] + f1 * x.h[i][j];
    }
    return r;
}

static struct jet sine(struct jet x)
{
    return of_function(x, sin(x.v), cos(x.v), -sin(x.v));
}

static struct jet cosine(struct jet x)
{
    return of_function(x, cos(x.v), -sin(x.v), -cos(x.v));
}

static struct jet inverse(struct jet x)
{
    return of_function(x, 1 / x.v, -1 / (x.v * x.v), 2 / (x.v * x.v * x.v));
}

static struct jet constant(double v)
{
    return (struct jet){.v = v};
}

/* rho, u, v, w, p: waves so strong, 1 as in apps/stencil/cases.c. Products of strong waves are
 * short ones, whose error is of order 8 on finer grids only: of strength 1 from 16 to 32 cells it
 * falls with 7.6. */
static void manufactured(double gamma, double strength, const double at[3], struct jet s[5])
{
    const double few = 0.1 * strength, more = 0.2 * strength;
    struct jet x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = constant(at[i]);
        x[i].d[i] = 1;
    }
    const struct jet one = constant(1), sx = sine(x[0]), cx = cosine(x[0]), sy = sine(x[1]),
                     cy = cosine(x[1]), sz = sine(x[2]), cz = cosine(x[2]);
    s[0] = of_sum(1, one, few, of_product(sx, of_product(cy, cz)));
    s[1] = of_sum(more, of_product(sx, cy), few, cz);
    s[2] = of_sum(more, of_product(cx, sz), -few, sy);
    s[3] = of_sum(few, of_product(sy, cx), more, sz);
    s[4] = of_sum(1 / gamma, one, few / gamma, of_product(cx, of_product(sy, sz)));
}

/* U and its rate there. */
static void exact(const struct htmt__stencil_gas *g, double strength, const double at[3],
                  double state[FIELDS], double rate[FIELDS])
{
    struct jet s[5], energy = constant(0);
    manufactured(g->gamma, strength, at, s);
    for (int a = 1; a <= 3; a++)
        energy = of_sum(1, energy, 0.5, of_product(s[0], of_product(s[a], s[a])));
    energy = of_sum(1, energy, 1 / (g->gamma - 1), s[4]);
    const struct jet heat = of_product(s[4], inverse(s[0])); /* (gamma - 1) c_v T */
    const double k = g->lambda / ((g->gamma - 1) * g->cv);
    const double all = s[1].d[0] + s[2].d[1] + s[3].d[2];
    memset(rate, 0, FIELDS * sizeof *rate);
    state[0] = s[0].v;
    state[4] = energy.v;
    for (int a = 0; a < 3; a++) {
        const struct jet *u = &s[1 + a];
        double force = 0;
        state[1 + a] = s[0].v * u->v;
        rate[0] -= of_product(s[0], *u).d[a];
        rate[4] -= of_product(of_sum(1, energy, 1, s[4]), *u).d[a];
        rate[4] += k * heat.h[a][a];
        for (int b = 0; b < 3; b++) {
            rate[1 + b] -= of_product(s[0], of_product(s[1 + b], *u)).d[a];
            force += g->eta * (u->h[b][b] + s[1 + b].h[a][b] / 3);
            rate[4] += g->eta * (s[1 + b].d[a] + s[1 + a].d[b] - (a == b ? 2. / 3 * all : 0)) *
                       s[1 + b].d[a];
        }
        rate[1 + a] += force - s[4].d[a];
        rate[4] += force * u->v;
    }
}

static void place(const struct box *x, size_t cell, double at[3])
{
    at[0] = ((double)(cell % x->n[0]) + 0.5) * x->gas.h;
    at[1] = ((double)(cell / x->n[0] % x->n[1]) + 0.5) * x->gas.h;
    at[2] = ((double)(cell / x->n[0] / x->n[1]) + 0.5) * x->gas.h;
}

struct errors {
    double strength, worst;
};

/* The largest error of d + f; 1 where one is no number. */
static void compare_rates(const struct box *x, struct scratch *s, const long first[3], void *with)
{
    struct errors *e = with;
    for (size_t i = 0; i < (size_t)B * B * B; i++) {
        double at[3], state[FIELDS], rate[FIELDS];
        place(x,
              around(x, first[0] + (long)(i % B), first[1] + (long)(i / B % B),
                     first[2] + (long)(i / B / B)),
              at);
        exact(&x->gas, e->strength, at, state, rate);
        for (size_t c = 0; c < FIELDS; c++) {
            const double off = fabs(s->d[FIELDS * i + c] + s->f[FIELDS * i + c] - rate[c]);
            e->worst = off <= e->worst ? e->worst : isnan(off) ? 1 : off;
        }
    }
}

static double rate_error(uint32_t n, double strength)
{
    struct box x = box_of(HTMT__STENCIL_MANUFACTURED, (const uint32_t[]){n, n, n}, 0.05, 0.08);
    struct scratch *s = malloc(sizeof *s);
    struct errors e = {.strength = strength};
    cr_assert(s);
    for (size_t i = 0; i < x.cells; i++) {
        double at[3], rate[FIELDS];
        place(&x, i, at);
        exact(&x.gas, strength, at, x.u + FIELDS * i, rate);
    }
    each_block(&x, x.u, s, compare_rates, &e);
    free(s);
    free(x.u);
    return e.worst;
}

Test(stencil_loops, right_hand_side_is_of_order_8)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const double e16 = rate_error(16, 0.02), e64 = rate_error(64, 0.02),
                 order = log2(e16 / e64) / 2;
    cr_assert_float_eq(order, 8, 0.1, "%g: %g, %g", order, e16, e64);
    const double strong = log2(rate_error(32, 1) / rate_error(64, 1));
    cr_assert_float_eq(strong, 8, 0.2, "of strong waves %g", strong);
}

/* ---- corners ------------------------------------------------------------------------------------
 */

Test(stencil_loops, corners_of_margins_are_not_needed)
{
    struct box x = box_of(HTMT__STENCIL_MANUFACTURED, (const uint32_t[]){16, 16, 16}, 0.05, 0.08);
    struct scratch *s = malloc(sizeof *s), *t = malloc(sizeof *t);
    cr_assert(s && t);
    load(&x, x.u, (const long[]){0, 0, 0}, s->u);
    *t = *s;
    for (size_t i = 0; i < (size_t)N * N * N; i++) {
        const size_t at[3] = {i % N, i / N % N, i / N / N};
        bool corner = true;
        for (int a = 0; a < 3; a++)
            corner = corner && (at[a] < 4 || at[a] >= B + 4);
        for (size_t c = 0; corner && c < FIELDS; c++)
            t->u[FIELDS * i + c] = NAN;
    }
    rates(&x.gas, s);
    rates(&x.gas, t);
    cr_assert_eq(memcmp(s->d, t->d, sizeof s->d), 0);
    cr_assert_eq(memcmp(s->f, t->f, sizeof s->f), 0);
    free(s);
    free(t);
    free(x.u);
}

/* ---- time ---------------------------------------------------------------------------------------
 */

/* The manufactured fields after time 0.16 in so many steps, on 32^3. */
static struct box after(unsigned steps)
{
    struct box x = box_of(HTMT__STENCIL_MANUFACTURED, (const uint32_t[]){32, 32, 32}, 0.01, 0.01);
    step(&x, 0.16 / steps, steps);
    return x;
}

static double apart(const struct box *x, const struct box *y)
{
    double sum = 0;
    for (size_t i = 0; i < FIELDS * x->cells; i++)
        sum += (x->u[i] - y->u[i]) * (x->u[i] - y->u[i]);
    return sqrt(sum);
}

Test(stencil_loops, steps_are_of_order_3)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct box one = after(6), two = after(12), four = after(24);
    const double order = log2(apart(&one, &two) / apart(&two, &four));
    cr_assert_float_eq(order, 3, 0.05, "%g", order);
    free(one.u);
    free(two.u);
    free(four.u);
}

static void sums(const struct box *x, double sum[FIELDS], double moduli[FIELDS])
{
    for (size_t c = 0; c < FIELDS; c++) {
        long double s = 0, m = 0;
        for (size_t i = 0; i < x->cells; i++) {
            s += x->u[FIELDS * i + c];
            m += fabs(x->u[FIELDS * i + c]);
        }
        sum[c] = (double)s;
        moduli[c] = (double)m;
    }
}

/* How far the energy of n^3 cells drifts in a time, by its sum; mass and momentum do not. */
static double drift(uint32_t n, unsigned steps)
{
    struct box x = box_of(HTMT__STENCIL_MANUFACTURED, (const uint32_t[]){n, n, n}, 0.05, 0.05);
    double before[FIELDS], then[FIELDS], moduli[FIELDS];
    sums(&x, before, moduli);
    step(&x, 0.04 / steps, steps);
    sums(&x, then, moduli);
    for (int c = 0; c < 4; c++)
        cr_assert_leq(fabs(then[c] - before[c]), 1e-13 * moduli[c], "field %d: %g", c,
                      (then[c] - before[c]) / moduli[c]);
    free(x.u);
    return fabs(then[4] - before[4]) / moduli[4];
}

Test(stencil_loops, mass_and_momentum_stay_and_energy_drifts_with_order_8)
{
    const double coarse = drift(16, 4), fine = drift(32, 4);
    cr_assert_geq(log2(coarse / fine), 7.5, "%g, %g", coarse, fine);
}

/* ---- waves --------------------------------------------------------------------------------------
 */

/* By what a shear wave of n cells has decayed after `steps` of dt: the part of its sine that is
 * left. */
static double decay(uint32_t n, double eta, double dt, unsigned steps, double *exact)
{
    struct box x = box_of(HTMT__STENCIL_SHEAR, (const uint32_t[]){8, n, 8}, eta, 1e-3);
    x.gas.h = 1.0 / n; /* the wave is along y */
    double sum[2] = {0};
    for (int then = 0; then < 2; then++) {
        for (size_t j = 0; j < n; j++)
            sum[then] +=
                x.u[FIELDS * around(&x, 0, (long)j, 0) + 1] * sin(2 * M_PI * ((double)j + 0.5) / n);
        if (!then)
            step(&x, dt, steps);
    }
    *exact = htmt__stencil_shear_decay(&x.gas, n, dt * steps);
    free(x.u);
    return sum[1] / sum[0];
}

Test(stencil_loops, shear_wave_decays_by_the_symbol_of_the_second_derivative)
{
    double exact[2], off[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t n = i ? 32 : 16;
        const double eta = 1e-2, dt = 4e-4, left = decay(n, eta, dt, 50, &exact[i]);
        cr_assert_float_eq(left, exact[i], 1e-8, "%u cells: %.12g, not %.12g", n, left, exact[i]);
        off[i] = fabs(-log(exact[i]) / (eta * 50 * dt) / (4 * M_PI * M_PI) - 1);
    }
    cr_assert_float_eq(log2(off[0] / off[1]), 8, 0.1, "%g", log2(off[0] / off[1]));
}
