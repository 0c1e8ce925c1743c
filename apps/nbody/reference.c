/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/nbody/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void htmt__nbody_reference_pull_one(const struct htmt__nbody_body *body, uint64_t n, uint64_t i,
                                    double eps, double pull[HTMT__NBODY_PULL_WORDS])
{
    double a[3] = {0}, phi = 0;
    for (uint64_t j = 0; j < n; j++) {
        double d[3], r2 = eps * eps;
        if (j == i)
            continue;
        for (unsigned c = 0; c < 3; c++) {
            d[c] = body[j].x[c] - body[i].x[c];
            r2 += d[c] * d[c];
        }
        const double inverse = 1 / sqrt(r2);
        phi -= body[j].m * inverse;
        for (unsigned c = 0; c < 3; c++)
            a[c] += body[j].m * d[c] * inverse * inverse * inverse;
    }
    memcpy(pull, a, sizeof a);
    pull[3] = phi;
}

static void pull_all(const struct htmt__nbody_plan *p, const struct htmt__nbody_body *body,
                     double *pull)
{
    for (uint64_t i = 0; i < p->bodies; i++)
        htmt__nbody_reference_pull_one(body, p->bodies, i, p->eps,
                                       pull + HTMT__NBODY_PULL_WORDS * i);
}

void htmt__nbody_reference_run(const struct htmt__nbody_plan *p, struct htmt__nbody_body *body,
                               double *pull)
{
    const uint64_t n = p->bodies;
    pull_all(p, body, pull);
    for (uint32_t step = 0; step < p->steps; step++) {
        for (uint64_t i = 0; i < n; i++)
            for (unsigned c = 0; c < 3; c++) {
                body[i].v[c] += pull[HTMT__NBODY_PULL_WORDS * i + c] * p->dt / 2;
                body[i].x[c] += body[i].v[c] * p->dt;
            }
        pull_all(p, body, pull);
        for (uint64_t i = 0; i < n; i++)
            for (unsigned c = 0; c < 3; c++)
                body[i].v[c] += pull[HTMT__NBODY_PULL_WORDS * i + c] * p->dt / 2;
    }
}
