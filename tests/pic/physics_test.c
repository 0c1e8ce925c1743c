/* SPDX-License-Identifier: BSD-3-Clause
 * Class: fast.
 *
 * Plasmas against theory: what a program gives must be what physics says. Every claim is made of
 * the serial reference and of the parcel program alike.
 *
 * Expected values come from formulas and from roots of dispersion relations found elsewhere; sizes
 * are those of the shipped decks, smaller where a claim does not need them. HTMT_LONG runs the
 * whole sizes, and Landau damping as parcels.
 */
#include "apps/pic/io/theory.h"
#include "apps/pic/reference.h"
#include "tests/pic/parcel_runner.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct program {
    const char *name;
    int (*run)(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
               struct htmt__pic_record *record, struct htmt_fault *fault);
};

struct plasma {
    struct htmt__pic_deck deck;
    struct htmt__pic_particles particles;
    struct htmt__pic_record *record;
};

static int serial(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                  struct htmt__pic_record *record, struct htmt_fault *fault)
{
    return htmt__pic_reference(deck, p, record, NULL, NULL, fault);
}

/* On four slices, on one where a box is too flat to be divided. */
static int parcels(const struct htmt__pic_deck *deck, struct htmt__pic_particles *p,
                   struct htmt__pic_record *record, struct htmt_fault *fault)
{
    struct parcel_run set = {.machine = "htmt-oct98", .threads = 2};
    set.slices = deck->n[1] % 2 || deck->n[2] % 2 ? 1 : 4;
    return run_parcels(&set, deck, p, record, NULL, NULL, fault);
}

static const struct program programs[] = {{"serial", serial}, {"parcels", parcels}};

/* Then only what may race runs, and nothing that wants many particles. */
static bool sanitized(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return true;
#else
    return false;
#endif
}

/* The first program that a claim is made of; all from there on. */
static const struct program *first(void)
{
    return &programs[sanitized() ? 1 : 0];
}

static const struct program *const end = programs + sizeof programs / sizeof *programs;

static struct plasma named(const char *name)
{
    struct plasma p = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_deck_read(name, &p.deck, &fault), 0, "%s", fault.text);
    return p;
}

static void run(struct plasma *p, const struct program *with)
{
    struct htmt_fault fault = {0};
    p->record = calloc(p->deck.steps, sizeof *p->record);
    cr_assert(p->record);
    cr_assert_eq(htmt__pic_start(&p->deck, 1, &p->particles, &fault), 0, "%s", fault.text);
    cr_assert_eq(with->run(&p->deck, &p->particles, p->record, &fault), 0, "%s: %s", with->name,
                 fault.text);
}

static void done(struct plasma *p)
{
    htmt__pic_particles_destroy(&p->particles);
    free(p->record);
}

static bool whole_size(void)
{
    return getenv("HTMT_LONG") != NULL;
}

/* ---- what is read off a run ----------------------------------------------------------------- */

/* The wave at a step: displaced by a sine, it keeps that phase. */
static double wave(const struct plasma *p, uint64_t n)
{
    return p->record[n].wave[1];
}

/* When the wave passes zero for the count'th time, by a line between two steps. */
static double crossing(const struct plasma *p, unsigned count)
{
    for (uint64_t n = 1; n < p->deck.steps; n++) {
        double before = wave(p, n - 1), after = wave(p, n);
        if ((before > 0) == (after > 0) || --count)
            continue;
        return p->deck.dt * ((double)n - after / (after - before));
    }
    cr_assert_fail("the wave does not pass zero so often");
    return 0;
}

/* From one crossing to another lie half periods. */
static double frequency(const struct plasma *p, unsigned first, unsigned last)
{
    return M_PI * (last - first) / (crossing(p, last) - crossing(p, first));
}

/* Slope of the logarithm of the count'th to the last'th extreme of the wave: least squares through
 * the tops of parabolas. */
static double damping(const struct plasma *p, unsigned first, unsigned last)
{
    double n = 0, t = 0, tt = 0, y = 0, ty = 0;
    unsigned count = 0;
    for (uint64_t i = 1; i + 1 < p->deck.steps && count < last; i++) {
        double a = fabs(wave(p, i - 1)), b = fabs(wave(p, i)), c = fabs(wave(p, i + 1));
        if (b < a || b < c || ++count < first)
            continue;
        double shift = (a - c) / (a - 2 * b + c) / 2;
        double time = p->deck.dt * ((double)i + shift);
        double top = log(b - (a - c) * shift / 4);
        n += 1, t += time, tt += time * time, y += top, ty += time * top;
    }
    cr_assert_eq(count, last, "only %u extremes", count);
    return (n * ty - t * y) / (n * tt - t * t);
}

/* Slope of the logarithm of the wave between two times, by least squares. */
static double growth(const struct plasma *p, double from, double to)
{
    double n = 0, t = 0, tt = 0, y = 0, ty = 0;
    for (uint64_t i = 0; i < p->deck.steps; i++) {
        double time = (double)i * p->deck.dt, value = log(fabs(wave(p, i)));
        if (time < from || time > to)
            continue;
        n += 1, t += time, tt += time * time, y += value, ty += time * value;
    }
    return (n * ty - t * y) / (n * tt - t * t);
}

static double strongest(const struct plasma *p, uint64_t from, uint64_t to)
{
    double most = 0;
    for (uint64_t n = from; n < to; n++)
        most = fmax(most, hypot(p->record[n].wave[0], p->record[n].wave[1]));
    return most;
}

/* Between the least and the largest total energy, relative to the largest. */
static double swing(const struct plasma *p)
{
    double least = INFINITY, most = 0;
    for (uint64_t n = 0; n < p->deck.steps; n++) {
        double total = p->record[n].field + p->record[n].kinetic;
        least = fmin(least, total);
        most = fmax(most, total);
    }
    return (most - least) / most;
}

static double cells(const struct plasma *p)
{
    return (double)p->deck.n[0] * p->deck.n[1] * p->deck.n[2];
}

/* ---- claims --------------------------------------------------------------------------------- */

/* S^2 of mode 1 of 32, and leapfrog: (2/dt) asin(S dt/2). */
Test(physics, langmuir_oscillation_has_the_frequency_of_theory)
{
    for (const struct program *with = first(); with < end; with++) {
        struct plasma p = named("langmuir");
        double k = 2 * M_PI / 32, shape = pow(sin(k / 2) / (k / 2), 3);
        double expected = 2 / p.deck.dt * asin(shape * p.deck.dt / 2);
        run(&p, with);
        cr_expect_float_eq(expected, 0.995602, 1e-6);
        cr_expect_float_eq(frequency(&p, 1, 12) / expected, 1, 1e-3, "%s: omega %.6f", with->name,
                           frequency(&p, 1, 12));
        cr_expect_lt(swing(&p), 5 * 2.1e-3, "%s: energy swings by %g", with->name, swing(&p));
        done(&p);
    }
}

/* Nothing tells y or z from x. */
Test(physics, all_axes_are_equal)
{
    for (const struct program *with = first(); with < end; with++) {
        for (int axis = 1; axis < 3; axis++) {
            struct plasma p = named("langmuir");
            p.deck.n[0] = 4;
            p.deck.n[axis] = 32;
            p.deck.mode[0] = 0;
            p.deck.mode[axis] = 1;
            p.deck.steps = 150;
            run(&p, with);
            cr_expect_float_eq(frequency(&p, 1, 4) / 0.995602, 1, 1e-3);
            done(&p);
        }
    }
}

/* The shipped beams, in the suite an eighth of their particles. */
static struct plasma beams(void)
{
    struct plasma p = named("two-stream");
    for (int s = 0; s < 2 && !whole_size(); s++)
        p.deck.species[s].per_cell[0] = 4;
    return p;
}

/* gamma^2 = (sqrt(8 a + s) sqrt(s) - (2 a + s)) / 2 with a = (k v)^2 and s = S^2. */
Test(physics, two_streams_grow_as_fast_as_theory_says)
{
    for (const struct program *with = first(); with < end; with++) {
        struct plasma p = beams();
        run(&p, with);
        double gamma = growth(&p, 15, 24);
        cr_expect_float_eq(gamma / 0.35184, 1, 0.01, "%s: gamma %.5f", with->name, gamma);
        cr_expect_lt(swing(&p), 5 * 1.5e-3, "%s: energy swings by %g", with->name, swing(&p));
        done(&p);
    }
}

Test(physics, fast_streams_are_stable)
{
    for (const struct program *with = sanitized() ? end : first(); with < end; with++) {
        for (double kv = 1; kv < (whole_size() ? 1.3 : 1.1); kv += 0.2) {
            struct plasma p = beams();
            double speed = kv * 32 / (2 * M_PI);
            p.deck.steps = 500;
            p.deck.species[0].drift[0] = speed;
            p.deck.species[1].drift[0] = -speed;
            run(&p, with);
            double early = strongest(&p, 0, 250), late = strongest(&p, 250, 500);
            cr_expect_lt(late, 1.1 * early, "%s: k v = %g: from %g to %g", with->name, kv, early,
                         late);
            done(&p);
        }
    }
}

static void check_landau(const struct program *with)
{
    struct plasma p = named("landau");
    p.deck.species[0].per_cell[0] = whole_size() ? 16 : 4;
    p.deck.steps = 180;
    run(&p, with);
    double omega = frequency(&p, 2, 7), gamma = damping(&p, 2, 7);
    cr_expect_float_eq(omega / 1.415662, 1, 0.005, "%s: omega %.5f", with->name, omega);
    cr_expect_float_eq(gamma / -0.153359, 1, 0.03, "%s: gamma %.5f", with->name, gamma);
    done(&p);
}

/* k lambda_D = 0.4 */
Test(physics, landau_damping_of_a_longer_wave)
{
    for (const struct program *with = whole_size() ? first() : end; with < end; with++) {
        struct plasma p = named("landau");
        p.deck.species[0].thermal[0] *= 0.8;
        p.deck.steps = 220;
        run(&p, with);
        double omega = frequency(&p, 2, 7), gamma = damping(&p, 2, 7);
        cr_expect_float_eq(omega / 1.285057, 1, 0.005, "%s: omega %.5f", with->name, omega);
        cr_expect_float_eq(gamma / -0.066128, 1, 0.04, "%s: gamma %.5f", with->name, gamma);
        done(&p);
    }
}

/* Field energy in units of the temperature, from step 100 on. */
Test(physics, thermal_noise_has_the_energy_of_theory)
{
    for (const struct program *with = sanitized() ? end : first(); with < end; with++) {
        struct plasma p = named("thermal");
        double field = 0, kinetic = 0;
        p.deck.steps = whole_size() ? 400 : 220;
        run(&p, with);
        for (uint64_t n = 100; n < p.deck.steps; n++) {
            field += p.record[n].field;
            kinetic += p.record[n].kinetic;
        }
        double temperature = kinetic * 2 / 3 / (27 * cells(&p));
        cr_expect_float_eq(field / temperature / 89.48, 1, 0.03, "%s: W = %.2f T", with->name,
                           field / temperature);
        cr_expect_lt(swing(&p), 5 * 2.3e-5, "%s: energy swings by %g", with->name, swing(&p));
        done(&p);
    }
}

/* The field energy of long waves follows the start for ever; of a lattice it is less than at
 * equilibrium, of particles at random more. 0.19 < k lambda_D: measured from t = 10 on, in units of
 * the temperature. */
static void check_relaxing(const struct program *with)
{
    for (int random = 0; random < 2; random++) {
        struct plasma p = named("thermal");
        double field = 0, theory = 0, energy[200];
        p.deck.n[0] = p.deck.n[1] = 32;
        p.deck.steps = 200;
        for (int axis = 0; axis < 3; axis++)
            p.deck.species[0].per_cell[axis] = 2;
        p.deck.species[0].start = random ? HTMT__PIC_RANDOM : HTMT__PIC_LATTICE;
        run(&p, with);
        htmt__pic_thermal_relaxation(&p.deck, p.deck.steps, energy);
        for (uint64_t n = 100; n < p.deck.steps; n++) {
            field += p.record[n].field / htmt__pic_deck_temperature(&p.deck);
            theory += energy[n];
        }
        cr_expect_float_eq(field / theory, 1, 0.05, "%s: W = %.2f T, theory %.2f T", with->name,
                           field / 100, theory / 100);
        done(&p);
    }
}

/* Nothing enters or leaves, and what acts on one particle acts back on the others. */
Test(physics, charge_particles_and_momentum_are_kept)
{
    for (const struct program *with = first(); with < end; with++) {
        static const char *const names[] = {"langmuir", "two-stream", "thermal"};
        for (int i = 0; i < 3; i++) {
            struct plasma p = i == 1 ? beams() : named(names[i]);
            p.deck.steps = i == 2 ? 20 : 150;
            run(&p, with);
            const struct htmt__pic_record *r = p.record;
            double moves = sqrt(2 * r[0].kinetic * cells(&p)) + 1e-2 * cells(&p);
            for (uint64_t n = 0; n < p.deck.steps; n++) {
                cr_assert_lt(fabs(r[n].charge), 1e-11 * cells(&p), "%s: %s step %zu", with->name,
                             names[i], n);
                cr_assert_eq(r[n].particles, (double)htmt__pic_deck_particles(&p.deck));
                for (int axis = 0; axis < 3; axis++)
                    cr_assert_lt(fabs(r[n].momentum[axis] - r[0].momentum[axis]), 1e-12 * moves,
                                 "%s: %s step %zu axis %d", with->name, names[i], n, axis);
            }
            done(&p);
        }
    }
}

/* A box of odd edges, another of one cell across: no edge is special. */
Test(physics, boxes_may_be_odd_or_flat)
{
    for (const struct program *with = first(); with < end; with++) {
        static const uint32_t boxes[2][3] = {{27, 5, 3}, {32, 1, 1}};
        for (int i = 0; i < 2; i++) {
            struct plasma p = named("langmuir");
            double k = 2 * M_PI / boxes[i][0], shape = pow(sin(k / 2) / (k / 2), 3);
            for (int axis = 0; axis < 3; axis++)
                p.deck.n[axis] = boxes[i][axis];
            p.deck.steps = 150;
            run(&p, with);
            cr_expect_float_eq(frequency(&p, 1, 4) / shape, 1, 1e-3);
            done(&p);
        }
    }
}

Test(physics, landau_damping_has_frequency_and_rate_of_theory)
{
    if (whole_size())
        check_landau(&programs[1]);
    if (!sanitized())
        check_landau(&programs[0]);
}

Test(physics, thermal_noise_follows_its_start_in_long_waves)
{
    if (whole_size())
        check_relaxing(&programs[1]);
    else if (!sanitized())
        check_relaxing(&programs[0]);
}
