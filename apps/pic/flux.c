/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/flux.h"

#include <math.h>

/* Mean of the positive part of a normal distribution. */
static double upward(double drift, double thermal)
{
    if (thermal <= 0)
        return drift > 0 ? drift : 0;
    double z = drift / (sqrt(2) * thermal);
    return thermal / sqrt(2 * M_PI) * exp(-z * z) + drift / 2 * (1 + erf(z));
}

double htmt__pic_flux(const struct htmt__pic_deck *deck, uint32_t species, int axis, int sign)
{
    const struct htmt__pic_species *s = &deck->species[species];
    return deck->dt * upward(sign * s->drift[axis], s->thermal[axis]);
}
