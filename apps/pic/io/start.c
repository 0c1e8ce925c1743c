/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Initial conditions. A particle is a function of its number, the deck and the seed alone, so every
 * rank can make just the particles of its slices, and every thread some of them.
 *
 * A velocity takes a deviate of the normal distribution: the x of which a share p of all values is
 * smaller. M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
 * Applied Statistics 37 (1988) 477-484, approximates it to about 1 part in 10^16 by quotients of
 * polynomials of degree 7:
 *     |p - 1/2| <= 0.425:  x = q A(r) / B(r), with q = p - 1/2 and r = 0.425^2 - q^2;
 *     else, s the smaller of p and 1 - p, and r = sqrt(-ln s):
 *         r <= 5:  |x| = C(r - 1.6) / D(r - 1.6);    r > 5:  |x| = E(r - 5) / F(r - 5).
 * By hand: p = 0.975 has q = 0.475; s = 0.025, r = 1.9207, and x = 1.95996. 85 of 100 values take
 * the first line, which has no logarithm. So a batch goes through it as a whole, in vectors, and
 * those of the others are put together and done again.
 *
 * The file is compiled without fused multiply-adds: hosts with and without them agree.
 */
#include "apps/lib/random.h"
#include "apps/pic/io/deck.h"
#include "parcels/kernel.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EACH_WIDTH HTMT_CLONES("arch=x86-64-v4", "arch=x86-64-v3", "default")
#define INLINE     static inline __attribute__((always_inline))

/* ---- normal deviates ------------------------------------------------------------------------ */

/* c[0] + c[1] r + ... + c[7] r^7 */
INLINE double polynomial(const double c[8], double r)
{
    return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r +
           c[0];
}

INLINE double central(double q)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
}

/* The deviate of the shares of an end, smaller ones, from r = sqrt(-ln share). */
INLINE double tail(double r)
{
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    return polynomial(c, r - 1.6) / polynomial(d, r - 1.6);
}

static double far_tail(double r)
{
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    return polynomial(e, r - 5) / polynomial(f, r - 5);
}

/* The shares of both ends are put together, so that all but the logarithm goes in vectors. */
EACH_WIDTH static void tails(const double *share, double *deviate, uint32_t count)
{
    uint32_t number[HTMT__PIC_BATCH], some = 0;
    double r[HTMT__PIC_BATCH], x[HTMT__PIC_BATCH];
    for (uint32_t i = 0; i < count; i++) {
        number[some] = i;
        some += !(fabs(share[i] - 0.5) <= 0.425);
    }
    for (uint32_t n = 0; n < some; n++) {
        const double p = share[number[n]];
        r[n] = -log(p < 0.5 ? p : 1 - p);
    }
    for (uint32_t n = 0; n < some; n++) {
        r[n] = sqrt(r[n]);
        x[n] = tail(r[n]);
    }
    for (uint32_t n = 0; n < some; n++) {
        const double away = r[n] <= 5 ? x[n] : far_tail(r[n]);
        deviate[number[n]] = share[number[n]] < 0.5 ? -away : away;
    }
}

EACH_WIDTH void htmt__pic_normal(const double *share, double *deviate, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        deviate[i] = central(share[i] - 0.5);
    for (uint32_t i = 0; i < count; i += HTMT__PIC_BATCH)
        tails(share + i, deviate + i, count - i < HTMT__PIC_BATCH ? count - i : HTMT__PIC_BATCH);
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Numbers in (0, 1), one for each axis: the position along that axis of the box, or the place in
 * the distribution of that velocity. */
struct shares {
    double of[3][HTMT__PIC_BATCH];
};

/* The radical inverses of `number` + 1: the digits in that base, mirrored at the point. The values
 * are evenly spread over (0, 1) for 1, 2, 3 ... For example 6 = 110 in base 2 gives 0.011, which is
 * 3/8. */
INLINE void radical_inverses(const uint64_t *number, uint32_t count, unsigned base, double *value)
{
    double weight[64]; /* of each digit */
    weight[0] = 1.0 / base;
    for (int i = 1; i < 64; i++)
        weight[i] = weight[i - 1] / base;
    for (uint32_t i = 0; i < count; i++) {
        const double *digit = weight;
        value[i] = 0;
        for (uint64_t rest = number[i] + 1; rest; rest /= base)
            value[i] += *digit++ * (double)(rest % base);
    }
}

/* Three of the six random numbers of each particle, htmt__random_at(seed, species, number, first +
 * axis): those of its position from 0 on, of its velocity from 3. The upper 52 bits, k, become the
 * digits of 1 + k 2^-52, and the share is (k + 1/2) 2^-52. */
EACH_WIDTH static void dice(const struct htmt__pic_birth *b, const uint64_t *number, uint32_t count,
                            uint64_t first, struct shares *share)
{
    const uint64_t start = htmt__random_of(htmt__random_of(b->seed) ^ b->species);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t own = htmt__random_of(start ^ number[i]);
        for (uint64_t axis = 0; axis < 3; axis++) {
            const uint64_t digits =
                UINT64_C(0x3ff0000000000000) | htmt__random_of(own ^ (first + axis)) >> 12;
            double value;
            memcpy(&value, &digits, sizeof value);
            share->of[axis][i] = value - (1 - 0x1p-53);
        }
    }
}

/* ---- a batch of particles ------------------------------------------------------------------- */

static void lattice(const struct htmt__pic_birth *b, const uint64_t *number, uint32_t count,
                    struct shares *share)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rest = number[i];
        for (int axis = 0; axis < 3; axis++) {
            const uint64_t side =
                (uint64_t)b->deck->n[axis] * b->deck->species[b->species].per_cell[axis];
            share->of[axis][i] = ((double)(rest % side) + 0.5) / (double)side;
            rest /= side;
        }
    }
}

static void quiet(const struct htmt__pic_birth *b, const uint64_t *number, uint32_t count,
                  struct shares *share)
{
    const double all = (double)htmt__pic_deck_count(b->deck, b->species);
    for (uint32_t i = 0; i < count; i++)
        share->of[0][i] = ((double)number[i] + 0.5) / all;
    radical_inverses(number, count, 3, share->of[1]);
    radical_inverses(number, count, 5, share->of[2]);
}

/* Displace the particle by the deck's wave, and bring it back into the box: the shift is shorter
 * than that. */
static void displace(const struct htmt__pic_deck *deck, double amplitude, const double k[3],
                     double at[3])
{
    double phase = 0, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        phase += k[axis] * at[axis];
        square += k[axis] * k[axis];
    }
    const double shift = square > 0 ? amplitude / square * sin(phase) : 0;
    for (int axis = 0; axis < 3; axis++) {
        const double n = deck->n[axis];
        double x = at[axis] + shift * k[axis];
        x -= n * floor(x / n);
        at[axis] = x < n ? x : 0;
    }
}

void htmt__pic_place(const struct htmt__pic_birth *b, const uint64_t *number, uint32_t count,
                     struct htmt__pic_particle *to)
{
    const struct htmt__pic_deck *deck = b->deck;
    const struct htmt__pic_deck_species *s = &deck->species[b->species];
    struct shares share;
    double k[3];
    if (s->start == HTMT__PIC_LATTICE)
        lattice(b, number, count, &share);
    else if (s->start == HTMT__PIC_QUIET)
        quiet(b, number, count, &share);
    else
        dice(b, number, count, 0, &share);
    htmt__pic_deck_wave_vector(deck, k);
    for (uint32_t i = 0; i < count; i++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = share.of[axis][i] * deck->n[axis];
        if (s->amplitude != 0)
            displace(deck, s->amplitude, k, at);
        to[i] = (struct htmt__pic_particle){.x = at[0], .y = at[1], .z = at[2]};
    }
}

/* Of a lattice as of a random start. */
void htmt__pic_set_off(const struct htmt__pic_birth *b, const uint64_t *number, uint32_t count,
                       struct htmt__pic_particle *to)
{
    const struct htmt__pic_deck_species *s = &b->deck->species[b->species];
    const double *thermal = s->thermal, *drift = s->drift;
    struct shares share;
    double v[3][HTMT__PIC_BATCH] = {{0}};
    if (s->start != HTMT__PIC_QUIET && (thermal[0] > 0 || thermal[1] > 0 || thermal[2] > 0))
        dice(b, number, count, 3, &share);
    for (int axis = 0; axis < 3; axis++) {
        if (!(thermal[axis] > 0))
            continue;
        if (s->start == HTMT__PIC_QUIET && axis == 0)
            radical_inverses(number, count, 2, share.of[0]);
        else if (s->start == HTMT__PIC_QUIET && axis == 1)
            radical_inverses(number, count, 7, share.of[1]);
        else if (s->start == HTMT__PIC_QUIET)
            radical_inverses(number, count, 11, share.of[2]);
        htmt__pic_normal(share.of[axis], v[axis], count);
        for (uint32_t i = 0; i < count; i++)
            v[axis][i] *= thermal[axis];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i].vx = drift[0] + v[0][i];
        to[i].vy = drift[1] + v[1][i];
        to[i].vz = drift[2] + v[2][i];
    }
}

/* ---- all particles -------------------------------------------------------------------------- */

static int make_room(struct htmt__pic_species *s, uint64_t count, struct htmt_fault *fault)
{
    char left[HTMT_MEMORY_TEXT];
    double needed = (double)count * sizeof *s->at;
    uint64_t bytes;
    if (!htmt_memory_holds(needed, left) || count > UINT32_MAX ||
        __builtin_mul_overflow(count, sizeof *s->at, &bytes))
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "%" PRIu64 " particles take %.2f GiB, %s; "
                              "`htmt model` needs no data",
                              count, needed / 0x1p30, left);
    if (!(s->at = malloc(bytes + !bytes)))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " particles",
                              count);
    s->count = count;
    return 0;
}

int htmt__pic_particles_create(const struct htmt__pic_deck *deck, struct htmt__pic_particles *out,
                               struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {.species = deck->species_count};
    int rc = 0;
    for (uint32_t s = 0; s < p.species && !rc; s++) {
        const double share = htmt__pic_deck_share(deck, s);
        p.of[s].charge = share * deck->species[s].charge;
        p.of[s].mass = share * deck->species[s].mass;
        rc = make_room(&p.of[s], htmt__pic_deck_count(deck, s), fault);
    }
    if (rc)
        htmt__pic_particles_destroy(&p);
    else
        *out = p;
    return rc;
}

int htmt__pic_start(const struct htmt__pic_deck *deck, uint64_t seed,
                    struct htmt__pic_particles *out, struct htmt_fault *fault)
{
    int rc = htmt__pic_particles_create(deck, out, fault);
    for (uint32_t s = 0; s < deck->species_count && !rc; s++) {
        const struct htmt__pic_birth birth = {deck, seed, s};
        uint64_t number[HTMT__PIC_BATCH];
        for (uint64_t i = 0; i < out->of[s].count;) {
            struct htmt__pic_particle *to = out->of[s].at + i;
            uint32_t some = 0;
            for (; some < HTMT__PIC_BATCH && i < out->of[s].count; some++)
                number[some] = i++;
            htmt__pic_place(&birth, number, some, to);
            htmt__pic_set_off(&birth, number, some, to);
        }
    }
    return rc;
}

int htmt__pic_particles_copy(const struct htmt__pic_particles *from, struct htmt__pic_particles *to,
                             struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {.species = from->species};
    int rc = 0;
    for (uint32_t s = 0; s < p.species && !rc; s++) {
        p.of[s] = from->of[s];
        p.of[s].at = NULL;
        rc = make_room(&p.of[s], p.of[s].count, fault);
        if (!rc)
            memcpy(p.of[s].at, from->of[s].at, p.of[s].count * sizeof *p.of[s].at);
    }
    if (rc)
        htmt__pic_particles_destroy(&p);
    else
        *to = p;
    return rc;
}

void htmt__pic_particles_destroy(struct htmt__pic_particles *p)
{
    for (uint32_t s = 0; s < p->species; s++)
        free(p->of[s].at);
    *p = (struct htmt__pic_particles){0};
}
