/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Initial conditions. A particle is a function of its number, the deck and the seed alone, so every
 * rank can make just the particles of its slices.
 */
#include "apps/lib/random.h"
#include "apps/pic/io/deck.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------------------- */

/* The radical inverse of `number`: its digits in that base, mirrored at the point. The values are
 * evenly spread over (0, 1) for number = 1, 2, 3 ... For example 6 = 110 in base 2 gives 0.011,
 * which is 3/8. */
static double radical_inverse(uint64_t number, unsigned base)
{
    double value = 0, digit = 1;
    for (; number; number /= base) {
        digit /= base;
        value += digit * (double)(number % base);
    }
    return value;
}

/* The inverse of the normal distribution: M. Abramowitz, I. A. Stegun, Handbook of Mathematical
 * Functions, 26.2.23, made exact by two steps of Halley's method. */
static double inverse_normal(double share)
{
    double t = sqrt(-2 * log(share < 0.5 ? share : 1 - share));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    x = share < 0.5 ? -x : x;
    for (int i = 0; i < 2; i++) {
        double off = (erfc(-x * M_SQRT1_2) / 2 - share) * sqrt(2 * M_PI) * exp(x * x / 2);
        x -= off / (1 + x * off / 2);
    }
    return x;
}

/* ---- a particle ----------------------------------------------------------------------------- */

struct birth {
    const struct htmt__pic_deck *deck;
    uint64_t seed;
    uint32_t species;
    uint64_t number, count;
};

/* Numbers in (0, 1), one for each axis: the position along that axis of the box, or the place in
 * the distribution of that velocity. */
struct shares {
    double of[3];
};

/* Three of the six random numbers of a particle: of its position from 0 on, of its velocity from
 * 3. */
static struct shares dice(const struct birth *b, uint64_t first)
{
    struct shares share;
    for (uint64_t axis = 0; axis < 3; axis++) {
        uint64_t bits = htmt__random_at(b->seed, b->species, b->number, first + axis);
        share.of[axis] = ((double)(bits >> 12) + 0.5) * 0x1p-52;
    }
    return share;
}

static struct htmt__pic_particle place(const struct birth *b)
{
    const struct htmt__pic_deck *deck = b->deck;
    const struct htmt__pic_deck_species *s = &deck->species[b->species];
    struct shares share;
    uint64_t number = b->number;
    if (s->start == HTMT__PIC_LATTICE) {
        for (int axis = 0; axis < 3; axis++) {
            uint64_t side = (uint64_t)deck->n[axis] * s->per_cell[axis];
            share.of[axis] = ((double)(number % side) + 0.5) / (double)side;
            number /= side;
        }
    } else if (s->start == HTMT__PIC_QUIET) {
        share = (struct shares){{((double)number + 0.5) / (double)b->count,
                                 radical_inverse(number + 1, 3), radical_inverse(number + 1, 5)}};
    } else {
        share = dice(b, 0);
    }
    double at[3], k[3], phase = 0, square = 0;
    htmt__pic_deck_wave_vector(deck, k);
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = share.of[axis] * deck->n[axis];
        phase += k[axis] * at[axis];
        square += k[axis] * k[axis];
    }
    double shift = square > 0 ? s->amplitude / square * sin(phase) : 0;
    for (int axis = 0; axis < 3; axis++) { /* back into [0, n): the shift is shorter than the box */
        double x = at[axis] + shift * k[axis], n = deck->n[axis];
        x -= n * floor(x / n);
        at[axis] = x < n ? x : 0;
    }
    return (struct htmt__pic_particle){.x = at[0], .y = at[1], .z = at[2]};
}

/* Give it its velocity: of a lattice as of a random start. */
static void set_off(const struct birth *b, struct htmt__pic_particle *q)
{
    const struct htmt__pic_deck_species *s = &b->deck->species[b->species];
    const uint64_t i = b->number + 1;
    const struct shares share = s->start == HTMT__PIC_QUIET
                                    ? (struct shares){{radical_inverse(i, 2), radical_inverse(i, 7),
                                                       radical_inverse(i, 11)}}
                                    : dice(b, 3);
    double v[3];
    for (int axis = 0; axis < 3; axis++) {
        double thermal =
            s->thermal[axis] > 0 ? s->thermal[axis] * inverse_normal(share.of[axis]) : 0;
        v[axis] = s->drift[axis] + thermal;
    }
    q->vx = v[0];
    q->vy = v[1];
    q->vz = v[2];
}

/* ---- all particles -------------------------------------------------------------------------- */

/* Room for `count` particles in all; those that are there stay. */
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
    struct htmt__pic_particle *more = realloc(s->at, bytes + !bytes);
    if (!more)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " particles",
                              count);
    s->at = more;
    return 0;
}

/* keep NULL: all, with room for all from the beginning. */
int htmt__pic_start_kept(const struct htmt__pic_deck *deck, uint64_t seed, htmt__pic_keep_fn *keep,
                         const void *user, struct htmt__pic_particles *out,
                         struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {.species = deck->species_count};
    int rc = 0;
    for (uint32_t s = 0; s < p.species && !rc; s++) {
        struct htmt__pic_species *to = &p.of[s];
        const uint64_t count = htmt__pic_deck_count(deck, s);
        const double share = htmt__pic_deck_share(deck, s);
        uint64_t room = keep ? 0 : count;
        to->charge = share * deck->species[s].charge;
        to->mass = share * deck->species[s].mass;
        rc = make_room(to, room, fault);
        for (uint64_t i = 0; i < count && !rc; i++) {
            const struct birth birth = {deck, seed, s, i, count};
            struct htmt__pic_particle q = place(&birth);
            if (keep && !keep(user, &q))
                continue;
            if (to->count == room)
                rc = make_room(to, room += room / 2 + 1024, fault);
            set_off(&birth, &q);
            if (!rc)
                to->at[to->count++] = q;
        }
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
    return htmt__pic_start_kept(deck, seed, NULL, NULL, out, fault);
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
