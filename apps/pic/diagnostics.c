/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/diagnostics.h"

#include "apps/pic/io/theory.h"

#include <math.h>

struct straying {
    double least, most; /* total energy */
    double momentum, charge;
};

static struct straying stray(const struct htmt__pic_deck *deck, const struct htmt__pic_record *r)
{
    struct straying s = {.least = INFINITY};
    for (uint64_t n = 0; n < deck->steps; n++) {
        double total = r[n].field + r[n].kinetic;
        s.least = fmin(s.least, total);
        s.most = fmax(s.most, total);
        s.charge = fmax(s.charge, fabs(r[n].charge));
        for (int axis = 0; axis < 3; axis++)
            s.momentum = fmax(s.momentum, fabs(r[n].momentum[axis] - r[0].momentum[axis]));
    }
    return s;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void htmt__pic_diagnostics(const struct htmt__pic_deck *deck, const struct htmt__pic_record *record,
                           struct htmt_outcome *out)
{
    const struct htmt__pic_record *last = &record[deck->steps - 1];
    struct straying s = stray(deck, record);
    double complex wave = htmt__pic_wave(deck);
    htmt_outcome_found(out, "field_energy", last->field, "1");
    htmt_outcome_found(out, "kinetic_energy", last->kinetic, "1");
    htmt_outcome_found(out, "energy_swing", share(s.most - s.least, s.most), "1");
    htmt_outcome_found(out, "momentum_drift",
                       share(s.momentum, sqrt(2 * htmt__pic_deck_mass(deck) * s.most)), "1");
    htmt_outcome_found(out, "charge_worst", s.charge / (double)htmt__pic_deck_cells(deck), "1");
    if (wave == 0)
        return;
    htmt_outcome_found(out, "theory_omega", creal(wave), "omega_p");
    htmt_outcome_found(out, "theory_gamma", cimag(wave), "omega_p");
}
