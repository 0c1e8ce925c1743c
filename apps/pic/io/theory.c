/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waves. A small wave exp(i (k x - omega t)) of a uniform plasma lives if 1 = S^2 sum of the
 * responses of the species (theory.h). For one cold species at rest and a short time step that is
 * omega^2 = omega_p^2 S^2. Otherwise the roots are complex and many, and a warm plasma has
 * infinitely many damped ones. So Newton's method starts from a grid of 13 x 13 points about the
 * plasma frequency, and of all roots that it finds the fastest growing, or least damped, is the
 * wave that a run shows. At most some 30,000 evaluations of the dispersion function take
 * milliseconds.
 *
 * Noise. A thermal plasma of finite number has 1/2 m v_th^2 in each mode, which field and motion
 * share: the field has 1 / (1 + x) of it, x = k^2 lambda_D^2 / S^2, so long waves are mostly field.
 * A random start has too much in the field, a lattice too little. Each mode approaches the
 * equilibrium at its Landau damping. A box may have millions of modes, so those of nearly equal k
 * lambda_D are put together, and 256 roots are found for all.
 *
 * Fits. What a run has of its wave is a complex number for each step. A growing wave is a line in
 * its logarithm; a standing wave changes its sign, so its half waves are taken one by one, and
 * lines through the times and the logarithms of their tops give frequency and damping.
 */
#include "apps/pic/io/theory.h"

#include "apps/fft/complex.h"

#include <cerf.h>
#include <math.h>
#include <stdbool.h>

double complex htmt__pic_plasma_z(double complex zeta)
{
    return I * sqrt(M_PI) * w_of_z(zeta);
}

double htmt__pic_shape(const double k[3])
{
    double s = 1;
    for (int axis = 0; axis < 3; axis++)
        if (k[axis] != 0)
            s *= sin(k[axis] / 2) / (k[axis] / 2);
    return s * s * s * s * s * s;
}

/* ---- waves ---------------------------------------------------------------------------------- */

struct wave {
    const struct htmt__pic_deck *deck;
    double k[3], square, shape; /* |k|^2 and S^2 */
};

static double plasma_square(const struct htmt__pic_deck_species *s)
{
    return s->density * s->charge * s->charge / s->mass;
}

/* The term of a species in 1 = ... */
static double complex response(const struct wave *w, const struct htmt__pic_deck_species *s,
                               double complex omega)
{
    double spread = 0, dt = w->deck->dt; /* spread: (k u)^2 */
    for (int axis = 0; axis < 3; axis++) {
        omega -= w->k[axis] * s->drift[axis];
        spread += w->k[axis] * w->k[axis] * s->thermal[axis] * s->thermal[axis];
    }
    if (spread > 0) {
        double complex zeta = omega / sqrt(2 * spread);
        return -plasma_square(s) / spread * (1 + zeta * htmt__pic_plasma_z(zeta));
    }
    double complex difference = 2 / dt * csin(omega * dt / 2);
    return plasma_square(s) / (difference * difference);
}

static double complex dispersion(const struct wave *w, double complex omega)
{
    double complex sum = 0;
    for (uint32_t s = 0; s < w->deck->species_count; s++)
        sum += response(w, &w->deck->species[s], omega);
    return 1 - w->shape * sum;
}

/* Newton's method; the function is analytic, so one difference quotient is its derivative. */
static bool find_root(const struct wave *w, double complex *omega)
{
    const double h = 1e-6;
    for (int i = 0; i < 60; i++) {
        double complex slope = (dispersion(w, *omega + h) - dispersion(w, *omega - h)) / (2 * h);
        double complex move = dispersion(w, *omega) / slope;
        *omega -= move;
        if (!isfinite(creal(*omega)) || !isfinite(cimag(*omega)))
            return false;
        if (cabs(move) < 1e-12 * (1 + cabs(*omega)))
            return true;
    }
    return false;
}

/* Rounding errors about zero become zero. */
static double clean(double x)
{
    return fabs(x) < 1e-9 ? 0 : x;
}

double complex htmt__pic_wave(const struct htmt__pic_deck *deck)
{
    struct wave w = {.deck = deck};
    double complex best = 0;
    bool found = false;
    double plasma = htmt__pic_deck_frequency(deck);
    htmt__pic_deck_wave_vector(deck, w.k);
    w.square = w.k[0] * w.k[0] + w.k[1] * w.k[1] + w.k[2] * w.k[2];
    w.shape = htmt__pic_shape(w.k);
    for (int re = 0; re <= 12 && w.square > 0; re++)
        for (int im = -8; im <= 4; im++) {
            double complex omega = plasma * (0.25 * re + 0.01 + I * 0.25 * (im + 0.1));
            if (!find_root(&w, &omega) || creal(omega) < -1e-9 * plasma)
                continue;
            /* faster growth; of equals, to rounding, the lower frequency */
            double growth = cimag(omega) - cimag(best);
            if (!found || (fabs(growth) > 1e-9 ? growth > 0 : creal(omega) < creal(best)))
                best = omega;
            found = true;
        }
    return clean(creal(best)) + I * clean(cimag(best));
}

/* ---- noise ---------------------------------------------------------------------------------- */

/* k lambda_D of a mode, and (k lambda_D)^2 / S^2; 0 for k = 0. */
struct screening {
    double length, x;
};

static struct screening screening(const double k[3], double debye_square)
{
    double square = (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * debye_square;
    return (struct screening){sqrt(square), square / htmt__pic_shape(k)};
}

static double wave_number(uint32_t mode, uint32_t n)
{
    return 2 * M_PI / n * (2 * (uint64_t)mode > n ? (double)mode - n : (double)mode);
}

/* Call `each` for all modes but k = 0. */
static void visit_modes(const struct htmt__pic_deck *deck,
                        void (*each)(struct screening mode, void *user), void *user)
{
    const struct htmt__pic_deck_species *s = &deck->species[0];
    double debye_square = s->thermal[0] * s->thermal[0] / plasma_square(s);
    for (uint32_t z = 0; z < deck->n[2]; z++)
        for (uint32_t y = 0; y < deck->n[1]; y++)
            for (uint32_t x = 0; x < deck->n[0]; x++)
                if (x || y || z)
                    each(
                        screening((double[]){wave_number(x, deck->n[0]), wave_number(y, deck->n[1]),
                                             wave_number(z, deck->n[2])},
                                  debye_square),
                        user);
}

static void add_equilibrium(struct screening mode, void *user)
{
    *(double *)user += 0.5 / (1 + mode.x);
}

double htmt__pic_thermal_energy(const struct htmt__pic_deck *deck)
{
    double sum = 0;
    visit_modes(deck, add_equilibrium, &sum);
    return sum;
}

/* ---- the start relaxes ---------------------------------------------------------------------- */

/* Modes are put together by k lambda_D. Shorter waves than these relax within a plasma period. */
#define LENGTHS     256
#define LENGTH_MOST 1.28

struct relaxation {
    double equilibrium, at_start; /* at_start: 1 for particles at random, 0 for a lattice */
    double excess[LENGTHS];
};

static void add_relaxing(struct screening mode, void *user)
{
    struct relaxation *r = user;
    double rest = 0.5 / (1 + mode.x);
    r->equilibrium += rest;
    if (mode.length < LENGTH_MOST)
        r->excess[(int)(mode.length * (LENGTHS / LENGTH_MOST))] +=
            (0.5 * r->at_start / mode.x + 0.5) / 2 - rest;
}

/* exp(2 gamma dt) of the lengths' middles; the root of a length is near that of the one before. */
static void find_decays(const struct htmt__pic_deck *deck, double decay[LENGTHS])
{
    struct htmt__pic_deck one = {.dt = deck->dt, .species_count = 1};
    struct wave w = {.deck = &one, .shape = 1};
    one.species[0] = deck->species[0];
    double plasma = sqrt(plasma_square(&one.species[0])), speed = one.species[0].thermal[0];
    double complex omega = plasma;
    one.species[0].drift[0] = one.species[0].drift[1] = one.species[0].drift[2] = 0;
    for (int i = 0; i < LENGTHS; i++) {
        double length = (i + 0.5) * LENGTH_MOST / LENGTHS;
        w.k[0] = length * plasma / speed;
        if (length < 0.1) /* gamma is below 1e-19 */
            omega = plasma * sqrt(1 + 3 * length * length);
        else
            find_root(&w, &omega);
        decay[i] = exp(2 * fmin(cimag(omega), 0) * deck->dt);
    }
}

void htmt__pic_thermal_relaxation(const struct htmt__pic_deck *deck, uint64_t steps, double *energy)
{
    struct relaxation r = {.at_start = deck->species[0].start == HTMT__PIC_RANDOM};
    double decay[LENGTHS];
    visit_modes(deck, add_relaxing, &r);
    find_decays(deck, decay);
    for (uint64_t n = 0; n < steps; n++) {
        energy[n] = r.equilibrium;
        for (int i = 0; i < LENGTHS; i++) {
            energy[n] += r.excess[i];
            r.excess[i] *= decay[i];
        }
    }
}

/* ---- fits ----------------------------------------------------------------------------------- */

/* Fewest values of a fit, and the least rise of a growing wave, in e-foldings. */
#define GROWING_LEAST  8
#define EXTREMES_LEAST 3
#define RISE_LEAST     2
/* A damped wave is noise below this share of its first value. */
#define FLOOR 0.1
/* Largest residuals of a single wave: of a logarithm, of a time in half periods. */
#define OFF_MOST 0.2

/* A line by least squares. */
struct line {
    double n, x, xx, y, xy, yy;
};

static void add(struct line *l, double x, double y)
{
    l->n += 1, l->x += x, l->xx += x * x, l->y += y, l->xy += x * y, l->yy += y * y;
}

static double slope_of(const struct line *l)
{
    return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
}

/* Root of the mean square of what the line leaves. */
static double residual(const struct line *l)
{
    double x = l->x / l->n, y = l->y / l->n, b = slope_of(l);
    return sqrt(fmax(l->yy / l->n - y * y - b * b * (l->xx / l->n - x * x), 0));
}

static double complex wave_at(const struct htmt__pic_series *s, uint64_t n)
{
    return CMPLX(s->record[n].wave[0], s->record[n].wave[1]);
}

/* The rise from the lowest step before the highest one: the middle of it, where neither noise nor
 * saturation bends the line. The phase turns by less than half a turn a step. */
static bool fit_growing(const struct htmt__pic_series *s, struct htmt__pic_wave_fit *fit)
{
    uint64_t top = 0, from, to;
    for (uint64_t n = 1; n < s->steps; n++)
        if (cabs(wave_at(s, n)) > cabs(wave_at(s, top)))
            top = n;
    from = to = top;
    for (uint64_t n = top; n-- > 0;)
        if (cabs(wave_at(s, n)) < cabs(wave_at(s, from)))
            from = n;
    double low = log(cabs(wave_at(s, from))), rise = log(cabs(wave_at(s, top))) - low;
    if (!(rise >= RISE_LEAST) || !isfinite(rise))
        return false;
    while (log(cabs(wave_at(s, from))) < low + 0.5 * rise)
        from++;
    while (to > from && log(cabs(wave_at(s, to))) > low + 0.85 * rise)
        to--;
    if (to < from + GROWING_LEAST)
        return false;
    struct line growth = {0}, turn = {0};
    double phase = 0;
    for (uint64_t n = from; n <= to; n++) {
        double t = (double)n * s->deck->dt;
        if (n > from)
            phase += carg(wave_at(s, n) / wave_at(s, n - 1));
        add(&growth, t, log(cabs(wave_at(s, n))));
        add(&turn, t, phase);
    }
    *fit = (struct htmt__pic_wave_fit){fabs(slope_of(&turn)), slope_of(&growth),
                                       (double)from * s->deck->dt, (double)to * s->deck->dt};
    return true;
}

struct extreme {
    double t, height;
};

/* The extremes of half waves, one by one. */
struct reading {
    const struct htmt__pic_series *s;
    double complex turn;
    uint64_t n; /* where the next half wave begins */
};

static double value(const struct reading *r, uint64_t n)
{
    return creal(wave_at(r->s, n) * r->turn);
}

/* The top of the parabola through the highest step of the next half wave and its neighbours. False:
 * the series ends within the half wave, or begins with its top. */
static bool read_half_wave(struct reading *r, struct extreme *x)
{
    uint64_t top = r->n, n = r->n;
    for (; n < r->s->steps && value(r, n) * value(r, r->n) > 0; n++)
        if (fabs(value(r, n)) > fabs(value(r, top)))
            top = n;
    if (n == r->n || n == r->s->steps || !top)
        return false;
    r->n = n;
    double a = fabs(value(r, top - 1)), b = fabs(value(r, top)), c = fabs(value(r, top + 1));
    double bend = a - 2 * b + c, shift = bend < 0 ? (a - c) / bend / 2 : 0;
    *x = (struct extreme){r->s->deck->dt * ((double)top + shift), b - (a - c) * shift / 4};
    return true;
}

static bool fit_oscillating(const struct htmt__pic_series *s, bool damped,
                            struct htmt__pic_wave_fit *fit)
{
    struct reading r = {.s = s};
    struct line times = {0}, logs = {0};
    struct extreme x, first = {0}, last = {0};
    /* a standing wave has one phase: the direction of the sum of squares, twice */
    double complex sum = 0;
    for (uint64_t n = 0; n < s->steps; n++)
        sum += wave_at(s, n) * wave_at(s, n);
    r.turn = cexp(-I * carg(sum) / 2);
    /* the first half wave may begin anywhere, and the second is not yet the wave alone */
    while (r.n + 1 < s->steps && value(&r, r.n) * value(&r, r.n + 1) > 0)
        r.n++;
    if (++r.n >= s->steps || !read_half_wave(&r, &x))
        return false;
    for (; read_half_wave(&r, &x); last = x) {
        first = times.n > 0 ? first : x;
        if (damped && times.n > 0 && (x.height > last.height || x.height < FLOOR * first.height))
            break;
        add(&times, times.n, x.t);
        add(&logs, x.t, log(x.height));
    }
    if (times.n < EXTREMES_LEAST || residual(&logs) > OFF_MOST ||
        residual(&times) > OFF_MOST * slope_of(&times))
        return false;
    *fit = (struct htmt__pic_wave_fit){M_PI / slope_of(&times), slope_of(&logs), first.t, last.t};
    return true;
}

bool htmt__pic_fit_wave(const struct htmt__pic_series *s, double gamma,
                        struct htmt__pic_wave_fit *fit)
{
    if (!s->steps)
        return false;
    return gamma > 0 ? fit_growing(s, fit) : fit_oscillating(s, gamma < 0, fit);
}
