/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/io/wave_fit.h"

#include "apps/fft/complex.h"

#include <math.h>

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

static double slope(const struct line *l)
{
    return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
}

/* Root of the mean square of what the line leaves. */
static double residual(const struct line *l)
{
    double x = l->x / l->n, y = l->y / l->n, b = slope(l);
    return sqrt(fmax(l->yy / l->n - y * y - b * b * (l->xx / l->n - x * x), 0));
}

static double complex wave_at(const struct htmt__pic_series *s, uint64_t n)
{
    return CMPLX(s->record[n].wave[0], s->record[n].wave[1]);
}

/* ---- growing -------------------------------------------------------------------------------- */

static uint64_t highest(const struct htmt__pic_series *s)
{
    uint64_t top = 0;
    for (uint64_t n = 1; n < s->steps; n++)
        if (cabs(wave_at(s, n)) > cabs(wave_at(s, top)))
            top = n;
    return top;
}

static uint64_t lowest_before(const struct htmt__pic_series *s, uint64_t top)
{
    uint64_t low = top;
    for (uint64_t n = top; n-- > 0;)
        if (cabs(wave_at(s, n)) < cabs(wave_at(s, low)))
            low = n;
    return low;
}

/* Steps from `from` to `to`, both within: the phase turns by less than half a turn a step. */
static void fit_rise(const struct htmt__pic_series *s, uint64_t from, uint64_t to,
                     struct htmt__pic_wave_fit *fit)
{
    struct line growth = {0}, turn = {0};
    double phase = 0;
    for (uint64_t n = from; n <= to; n++) {
        double t = (double)n * s->deck->dt;
        if (n > from)
            phase += carg(wave_at(s, n) / wave_at(s, n - 1));
        add(&growth, t, log(cabs(wave_at(s, n))));
        add(&turn, t, phase);
    }
    *fit = (struct htmt__pic_wave_fit){fabs(slope(&turn)), slope(&growth),
                                       (double)from * s->deck->dt, (double)to * s->deck->dt};
}

static bool fit_growing(const struct htmt__pic_series *s, struct htmt__pic_wave_fit *fit)
{
    uint64_t top = highest(s), from = lowest_before(s, top), to = top;
    double low = log(cabs(wave_at(s, from))), rise = log(cabs(wave_at(s, top))) - low;
    if (!(rise >= RISE_LEAST) || !isfinite(rise))
        return false;
    while (log(cabs(wave_at(s, from))) < low + 0.5 * rise)
        from++;
    while (to > from && log(cabs(wave_at(s, to))) > low + 0.85 * rise)
        to--;
    if (to < from + GROWING_LEAST)
        return false;
    fit_rise(s, from, to, fit);
    return true;
}

/* ---- oscillating ---------------------------------------------------------------------------- */

/* A standing wave has one phase: the direction of the sum of squares, twice. */
static double complex direction(const struct htmt__pic_series *s)
{
    double complex sum = 0;
    for (uint64_t n = 0; n < s->steps; n++)
        sum += wave_at(s, n) * wave_at(s, n);
    return cexp(-I * carg(sum) / 2);
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

/* The top of the parabola through the highest step of a half wave and its neighbours. */
static struct extreme top_of(const struct reading *r, uint64_t n)
{
    double a = fabs(value(r, n - 1)), b = fabs(value(r, n)), c = fabs(value(r, n + 1));
    double bend = a - 2 * b + c, shift = bend < 0 ? (a - c) / bend / 2 : 0;
    return (struct extreme){r->s->deck->dt * ((double)n + shift), b - (a - c) * shift / 4};
}

/* False: the series ends within the half wave, or begins with its top. */
static bool read_half_wave(struct reading *r, struct extreme *x)
{
    uint64_t top = r->n, n = r->n;
    for (; n < r->s->steps && value(r, n) * value(r, r->n) > 0; n++)
        if (fabs(value(r, n)) > fabs(value(r, top)))
            top = n;
    if (n == r->n || n == r->s->steps || !top)
        return false;
    r->n = n;
    *x = top_of(r, top);
    return true;
}

/* The first half wave may begin anywhere, and the second is not yet the wave alone. */
static bool skip_start(struct reading *r)
{
    struct extreme x;
    while (r->n + 1 < r->s->steps && value(r, r->n) * value(r, r->n + 1) > 0)
        r->n++;
    r->n++;
    return r->n < r->s->steps && read_half_wave(r, &x);
}

static bool fit_oscillating(const struct htmt__pic_series *s, bool damped,
                            struct htmt__pic_wave_fit *fit)
{
    struct reading r = {.s = s, .turn = direction(s)};
    struct line times = {0}, logs = {0};
    struct extreme x, first = {0}, last = {0};
    if (!skip_start(&r))
        return false;
    for (; read_half_wave(&r, &x); last = x) {
        first = times.n > 0 ? first : x;
        if (damped && times.n > 0 && (x.height > last.height || x.height < FLOOR * first.height))
            break;
        add(&times, times.n, x.t);
        add(&logs, x.t, log(x.height));
    }
    if (times.n < EXTREMES_LEAST || residual(&logs) > OFF_MOST ||
        residual(&times) > OFF_MOST * slope(&times))
        return false;
    *fit = (struct htmt__pic_wave_fit){M_PI / slope(&times), slope(&logs), first.t, last.t};
    return true;
}

bool htmt__pic_fit_wave(const struct htmt__pic_series *s, double gamma,
                        struct htmt__pic_wave_fit *fit)
{
    if (!s->steps)
        return false;
    return gamma > 0 ? fit_growing(s, fit) : fit_oscillating(s, gamma < 0, fit);
}
