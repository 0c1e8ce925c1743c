/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/stencil/reference.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS HTMT__STENCIL_FIELDS

/* Whole fields of one number a cell. */
enum {
    STATE_U,
    STATE_V,
    STATE_W,
    STATE_P,
    STATE_T,
    SCRATCH,
    PRODUCT,
    SHEARS,
    FIELD_COUNT = SHEARS + 9
};

struct htmt__stencil_reference {
    size_t cells;
    uint32_t n[3];
    struct htmt__stencil_gas gas;
    double *memory;
    double *u[FIELDS], *old[FIELDS], *rate[FIELDS], *field[FIELD_COUNT];
};

int htmt__stencil_reference_create(const uint32_t cells[3], const struct htmt__stencil_gas *gas,
                                   struct htmt__stencil_reference **reference,
                                   struct htmt_fault *fault)
{
    const size_t each = (size_t)cells[0] * cells[1] * cells[2];
    struct htmt__stencil_reference *r = calloc(1, sizeof *r);
    double *memory = calloc(each, (3 * FIELDS + FIELD_COUNT) * sizeof *memory);
    *reference = NULL;
    if (!r || !memory) {
        free(r);
        free(memory);
        return htmt_fault_set(fault, HTMT_ENOMEM,
                              "no host memory for a serial program of %zu cells", each);
    }
    r->cells = each;
    memcpy(r->n, cells, sizeof r->n);
    r->gas = *gas;
    r->memory = memory;
    for (unsigned c = 0; c < FIELDS; c++, memory += 3 * each) {
        r->u[c] = memory;
        r->old[c] = memory + each;
        r->rate[c] = memory + 2 * each;
    }
    for (unsigned i = 0; i < FIELD_COUNT; i++, memory += each)
        r->field[i] = memory;
    *reference = r;
    return 0;
}

void htmt__stencil_reference_destroy(struct htmt__stencil_reference **reference)
{
    if (!*reference)
        return;
    free((*reference)->memory);
    free(*reference);
    *reference = NULL;
}

double *htmt__stencil_reference_field(struct htmt__stencil_reference *r, unsigned c)
{
    return r->u[c];
}

/* to += scale times the derivative of f along an axis, of order 8: the first one, or the second. Of
 * one cell along the axis both are nothing. */
static void derive(const struct htmt__stencil_reference *r, const double *f, unsigned axis,
                   unsigned times, double scale, double *to)
{
    static const double first[] = {0, 4. / 5, -1. / 5, 4. / 105, -1. / 280},
                        second[] = {-205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560};
    const size_t step = axis == 0 ? 1 : axis == 1 ? r->n[0] : (size_t)r->n[0] * r->n[1];
    const size_t length = r->n[axis];
    const double unit = scale / (times == 1 ? r->gas.h : r->gas.h * r->gas.h);
    for (size_t line = 0; length > 1 && line < r->cells; line += length * step)
        for (size_t at = 0; at < length; at++)
            for (size_t i = line; i < line + step; i++) {
                double sum = times == 1 ? 0 : second[0] * f[i + at * step];
                for (size_t l = 1; l <= 4; l++) {
                    const size_t above = at + l < length ? at + l : (at + l) % length,
                                 below = at >= l ? at - l : (at + 4 * length - l) % length;
                    const double up = f[i + above * step], down = f[i + below * step];
                    sum += times == 1 ? first[l] * (up - down) : second[l] * (up + down);
                }
                to[i + at * step] += unit * sum;
            }
}

static void states(struct htmt__stencil_reference *r)
{
    for (size_t i = 0; i < r->cells; i++) {
        const double rho = r->u[0][i];
        double e = r->u[4][i] / rho;
        for (unsigned a = 0; a < 3; a++) {
            r->field[STATE_U + a][i] = r->u[1 + a][i] / rho;
            e -= r->field[STATE_U + a][i] * r->field[STATE_U + a][i] / 2;
        }
        r->field[STATE_P][i] = (r->gas.gamma - 1) * rho * e;
        r->field[STATE_T][i] = e / r->gas.cv;
    }
}

/* rate -= D1 along the axis of the flux of each field. */
static void carry(struct htmt__stencil_reference *r, unsigned axis)
{
    double *product = r->field[PRODUCT];
    const double *v = r->field[STATE_U + axis], *p = r->field[STATE_P];
    for (unsigned c = 0; c < FIELDS; c++) {
        for (size_t i = 0; i < r->cells; i++)
            product[i] = (r->u[c][i] + (c == 4 ? p[i] : 0)) * v[i] + (c == 1 + axis ? p[i] : 0);
        derive(r, product, axis, 1, -1, r->rate[c]);
    }
}

/* Momentum: eta (sum_b D2_b u_a + 1/3 D2_a u_a + 1/3 sum_{b != a} D1_a D1_b u_b), for a moment the
 * rate of the velocity's field alone; then energy: u . that + tau : D1 u + lambda sum D2 T. */
static void stick(struct htmt__stencil_reference *r)
{
    double *force = r->field[SCRATCH];
    const double eta = r->gas.eta;
    double *shear[3][3]; /* D1 along a of velocity c */
    for (unsigned a = 0; a < 3; a++)
        for (unsigned c = 0; c < 3; c++) {
            shear[a][c] = r->field[SHEARS + 3 * a + c];
            memset(shear[a][c], 0, r->cells * sizeof(double));
            derive(r, r->field[STATE_U + c], a, 1, 1, shear[a][c]);
        }
    for (unsigned a = 0; a < 3; a++) {
        memset(force, 0, r->cells * sizeof *force);
        for (unsigned b = 0; b < 3; b++) {
            derive(r, r->field[STATE_U + a], b, 2, b == a ? eta * 4 / 3 : eta, force);
            if (b != a)
                derive(r, shear[b][b], a, 1, eta / 3, force);
        }
        for (size_t i = 0; i < r->cells; i++) {
            r->rate[1 + a][i] += force[i];
            r->rate[4][i] += force[i] * r->field[STATE_U + a][i];
        }
        derive(r, r->field[STATE_T], a, 2, r->gas.lambda, r->rate[4]);
    }
    for (size_t i = 0; i < r->cells; i++) {
        const double all = shear[0][0][i] + shear[1][1][i] + shear[2][2][i];
        double work = 0;
        for (unsigned a = 0; a < 3; a++)
            for (unsigned b = 0; b < 3; b++)
                work += (shear[a][b][i] + shear[b][a][i] - (a == b ? 2. / 3 * all : 0)) *
                        shear[a][b][i];
        r->rate[4][i] += eta * work;
    }
}

static void rates(struct htmt__stencil_reference *r)
{
    for (unsigned c = 0; c < FIELDS; c++)
        memset(r->rate[c], 0, r->cells * sizeof(double));
    states(r);
    for (unsigned a = 0; a < 3; a++)
        carry(r, a);
    if (r->gas.eta > 0 || r->gas.lambda > 0)
        stick(r);
}

const double *htmt__stencil_reference_rate(struct htmt__stencil_reference *r, unsigned c)
{
    rates(r);
    return r->rate[c];
}

void htmt__stencil_reference_step(struct htmt__stencil_reference *r, double dt)
{
    static const double old_part[] = {0, 3. / 4, 1. / 3}, part[] = {1, 1. / 4, 2. / 3};
    for (unsigned c = 0; c < FIELDS; c++)
        memcpy(r->old[c], r->u[c], r->cells * sizeof(double));
    for (unsigned stage = 0; stage < 3; stage++) {
        rates(r);
        for (unsigned c = 0; c < FIELDS; c++)
            for (size_t i = 0; i < r->cells; i++)
                r->u[c][i] = old_part[stage] * r->old[c][i] +
                             part[stage] * (r->u[c][i] + dt * r->rate[c][i]);
    }
}
