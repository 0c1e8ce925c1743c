/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/diagnostics.h"

#include "apps/pic/io/theory.h"
#include "apps/pic/io/wave_fit.h"

#include <math.h>
#include <stdio.h>

struct straying {
    double least, most; /* total energy */
    double momentum, charge;
};

static struct straying stray(const struct htmt__pic_series *series)
{
    const struct htmt__pic_record *r = series->record;
    struct straying s = {.least = INFINITY};
    for (uint64_t n = 0; n < series->steps; n++) {
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

static void tell_fit(const struct htmt__pic_wave_fit *fit, double complex theory,
                     struct htmt_task *task)
{
    htmt_task_found(task, "fit_omega", fit->omega, "omega_p");
    htmt_task_found(task, "fit_gamma", fit->gamma, "omega_p");
    htmt_task_found(task, "fit_from", fit->from, "1/omega_p");
    htmt_task_found(task, "fit_to", fit->to, "1/omega_p");
    htmt_task_note_at(
        task, 2,
        "wave: omega %.4f, gamma %.4f omega_p from t = %.4g to %.4g; theory: omega %.4f, gamma "
        "%.4f omega_p",
        fit->omega, fit->gamma, fit->from, fit->to, creal(theory), cimag(theory));
}

static void tell_wave(const struct htmt__pic_series *series, struct htmt_task *task)
{
    double complex wave = htmt__pic_wave(series->deck);
    struct htmt__pic_wave_fit fit;
    if (wave == 0)
        return;
    htmt_task_found(task, "theory_omega", creal(wave), "omega_p");
    htmt_task_found(task, "theory_gamma", cimag(wave), "omega_p");
    if (htmt__pic_deck_perturbed(series->deck) && htmt__pic_fit_wave(series, cimag(wave), &fit))
        tell_fit(&fit, wave, task);
}

void htmt__pic_diagnostics(const struct htmt__pic_series *series, struct htmt_task *task)
{
    const struct htmt__pic_deck *deck = series->deck;
    const struct htmt__pic_record *last = &series->record[series->steps - 1];
    struct straying s = stray(series);
    htmt_task_found(task, "steps", (double)series->steps, "1");
    htmt_task_found(task, "field_energy", last->field, "1");
    htmt_task_found(task, "kinetic_energy", last->kinetic, "1");
    htmt_task_found(task, "energy_swing", share(s.most - s.least, s.most), "1");
    htmt_task_found(task, "momentum_drift",
                    share(s.momentum, sqrt(2 * htmt__pic_deck_mass(deck) * s.most)), "1");
    htmt_task_found(task, "charge_worst", s.charge / (double)htmt__pic_deck_cells(deck), "1");
    tell_wave(series, task);
}
