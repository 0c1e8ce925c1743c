/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/diagnostics.h"

#include "apps/pic/io/theory.h"

#include <math.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void tell_wave(const struct htmt__pic_series *series, struct htmt_task *task)
{
    double complex wave = htmt__pic_wave(series->deck);
    struct htmt__pic_wave_fit fit;
    if (wave == 0)
        return;
    htmt_task_found(task, "theory_omega", creal(wave), "omega_p");
    htmt_task_found(task, "theory_gamma", cimag(wave), "omega_p");
    if (!htmt__pic_deck_perturbed(series->deck) || !htmt__pic_fit_wave(series, cimag(wave), &fit))
        return;
    htmt_task_found(task, "fit_omega", fit.omega, "omega_p");
    htmt_task_found(task, "fit_gamma", fit.gamma, "omega_p");
    htmt_task_found(task, "fit_from", fit.from, "1/omega_p");
    htmt_task_found(task, "fit_to", fit.to, "1/omega_p");
    htmt_task_note_at(
        task, 2,
        "wave: omega %.4f, gamma %.4f omega_p from t = %.4g to %.4g; theory: omega %.4f, gamma "
        "%.4f omega_p",
        fit.omega, fit.gamma, fit.from, fit.to, creal(wave), cimag(wave));
}

void htmt__pic_diagnostics(const struct htmt__pic_series *series, struct htmt_task *task)
{
    const struct htmt__pic_deck *deck = series->deck;
    const struct htmt__pic_record *r = series->record, *last = &r[series->steps - 1];
    double least = INFINITY, most = 0, momentum = 0, charge = 0; /* least, most: total energy */
    for (uint64_t n = 0; n < series->steps; n++) {
        double total = r[n].field + r[n].kinetic;
        least = fmin(least, total);
        most = fmax(most, total);
        charge = fmax(charge, fabs(r[n].charge));
        for (int axis = 0; axis < 3; axis++)
            momentum = fmax(momentum, fabs(r[n].momentum[axis] - r[0].momentum[axis]));
    }
    htmt_task_found(task, "steps", (double)series->steps, "1");
    htmt_task_found(task, "field_energy", last->field, "1");
    htmt_task_found(task, "kinetic_energy", last->kinetic, "1");
    htmt_task_found(task, "energy_swing", share(most - least, most), "1");
    htmt_task_found(task, "momentum_drift",
                    share(momentum, sqrt(2 * htmt__pic_deck_mass(deck) * most)), "1");
    htmt_task_found(task, "charge_worst", charge / (double)htmt__pic_deck_cells(deck), "1");
    tell_wave(series, task);
}
