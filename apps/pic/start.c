/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Initial conditions. A particle is a function of its number, the deck and the seed alone.
 */
#include "apps/pic/io/deck.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------------------- */

/* The radical inverse of `number`: its digits in that base, mirrored at the point. The values are
 * evenly spread over (0, 1) for number = 1, 2, 3 ... */
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

/* SplitMix64's output function (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* In (0, 1): `which` of the six numbers of a particle. */
static double random_share(uint64_t seed, uint64_t species, uint64_t number, uint64_t which)
{
    uint64_t bits = mix(mix(mix(mix(seed) ^ species) ^ number) ^ which);
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* ---- starts --------------------------------------------------------------------------------- */

/* Numbers in (0, 1), one for each axis: the position along that axis of the box, or the place in
 * the distribution of that velocity. */
struct shares {
    double of[3];
};

/* The first three of a particle are its position's, the others its velocity's. */
static struct shares dice(uint64_t seed, uint32_t species, uint64_t number, uint64_t first)
{
    struct shares share;
    for (uint64_t axis = 0; axis < 3; axis++)
        share.of[axis] = random_share(seed, species, number, first + axis);
    return share;
}

static struct shares lattice(const struct htmt__pic_deck *deck, uint32_t species, uint64_t number)
{
    const struct htmt__pic_species *s = &deck->species[species];
    struct shares share;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t side = (uint64_t)deck->n[axis] * s->per_cell[axis];
        share.of[axis] = ((double)(number % side) + 0.5) / (double)side;
        number /= side;
    }
    return share;
}

static struct shares quiet_place(uint64_t number, uint64_t count)
{
    uint64_t i = number + 1;
    return (struct shares){
        {((double)number + 0.5) / (double)count, radical_inverse(i, 3), radical_inverse(i, 5)}};
}

static struct shares quiet_velocity(uint64_t number)
{
    uint64_t i = number + 1;
    return (struct shares){{radical_inverse(i, 2), radical_inverse(i, 7), radical_inverse(i, 11)}};
}

static double velocity(const struct htmt__pic_species *s, int axis, double share)
{
    double thermal = s->thermal[axis] > 0 ? s->thermal[axis] * inverse_normal(share) : 0;
    return s->drift[axis] + thermal;
}

/* Back into [0, n): a displacement is shorter than the box. */
static double wrap(double x, double n)
{
    x -= n * floor(x / n);
    return x < n ? x : 0;
}

/* A particle of a species. */
struct birth {
    const struct htmt__pic_deck *deck;
    uint64_t seed;
    uint32_t species;
    uint64_t number, count;
};

static struct shares spread(const struct birth *b)
{
    switch (b->deck->species[b->species].start) {
    case HTMT__PIC_LATTICE:
        return lattice(b->deck, b->species, b->number);
    case HTMT__PIC_QUIET:
        return quiet_place(b->number, b->count);
    default:
        return dice(b->seed, b->species, b->number, 0);
    }
}

static struct htmt__pic_particle place(const struct birth *b)
{
    const struct htmt__pic_deck *deck = b->deck;
    const struct shares share = spread(b);
    double at[3], k[3], phase = 0, square = 0;
    htmt__pic_deck_wave_vector(deck, k);
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = share.of[axis] * deck->n[axis];
        phase += k[axis] * at[axis];
        square += k[axis] * k[axis];
    }
    double shift = square > 0 ? deck->species[b->species].amplitude / square * sin(phase) : 0;
    for (int axis = 0; axis < 3; axis++)
        at[axis] = wrap(at[axis] + shift * k[axis], deck->n[axis]);
    return (struct htmt__pic_particle){.x = at[0], .y = at[1], .z = at[2]};
}

/* Of a lattice as of a random start. */
static void set_off(const struct birth *b, struct htmt__pic_particle *q)
{
    const struct htmt__pic_species *s = &b->deck->species[b->species];
    const struct shares share = s->start == HTMT__PIC_QUIET
                                    ? quiet_velocity(b->number)
                                    : dice(b->seed, b->species, b->number, 3);
    q->vx = velocity(s, 0, share.of[0]);
    q->vy = velocity(s, 1, share.of[1]);
    q->vz = velocity(s, 2, share.of[2]);
}

/* ---- all particles -------------------------------------------------------------------------- */

/* Room for `count` particles in all; those that are there stay. */
static int crowd_room(struct htmt__pic_crowd *c, uint64_t count, struct htmt_fault *fault)
{
    char left[HTMT_MEMORY_TEXT];
    double needed = (double)count * sizeof *c->at;
    uint64_t bytes;
    if (!htmt_memory_holds(needed, left) || count > UINT32_MAX ||
        __builtin_mul_overflow(count, sizeof *c->at, &bytes))
        return htmt_fault_set(fault, HTMT_EHOSTFIT,
                              "%" PRIu64 " particles take %.2f GiB, %s; "
                              "`htmt model` needs no data",
                              count, needed / 0x1p30, left);
    struct htmt__pic_particle *more = realloc(c->at, bytes + !bytes);
    if (!more)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for %" PRIu64 " particles",
                              count);
    c->at = more;
    return 0;
}

/* Which particles are wanted; keep NULL: all. */
struct choice {
    htmt__pic_keep_fn *keep;
    const void *user;
};

static int crowd_start(const struct htmt__pic_deck *deck, uint32_t species, uint64_t seed,
                       const struct choice *choice, struct htmt__pic_crowd *c,
                       struct htmt_fault *fault)
{
    const struct htmt__pic_species *s = &deck->species[species];
    const uint64_t count = htmt__pic_deck_count(deck, species);
    double share = htmt__pic_deck_share(deck, species);
    uint64_t room = choice->keep ? 0 : count;
    *c = (struct htmt__pic_crowd){.charge = share * s->charge, .mass = share * s->mass};
    int rc = crowd_room(c, room, fault);
    for (uint64_t i = 0; i < count && !rc; i++) {
        const struct birth birth = {deck, seed, species, i, count};
        struct htmt__pic_particle q = place(&birth);
        if (choice->keep && !choice->keep(choice->user, &q))
            continue;
        if (c->count == room)
            rc = crowd_room(c, room += room / 2 + 1024, fault);
        set_off(&birth, &q);
        if (!rc)
            c->at[c->count++] = q;
    }
    return rc;
}

static int start(const struct htmt__pic_deck *deck, uint64_t seed, const struct choice *choice,
                 struct htmt__pic_particles *out, struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {.species = deck->species_count};
    int rc = 0;
    for (uint32_t s = 0; s < p.species && !rc; s++)
        rc = crowd_start(deck, s, seed, choice, &p.crowd[s], fault);
    if (rc)
        htmt__pic_particles_destroy(&p);
    else
        *out = p;
    return rc;
}

int htmt__pic_start(const struct htmt__pic_deck *deck, uint64_t seed,
                    struct htmt__pic_particles *out, struct htmt_fault *fault)
{
    return start(deck, seed, &(struct choice){0}, out, fault);
}

int htmt__pic_start_kept(const struct htmt__pic_deck *deck, uint64_t seed, htmt__pic_keep_fn *keep,
                         const void *user, struct htmt__pic_particles *out,
                         struct htmt_fault *fault)
{
    return start(deck, seed, &(struct choice){keep, user}, out, fault);
}

int htmt__pic_particles_copy(const struct htmt__pic_particles *from, struct htmt__pic_particles *to,
                             struct htmt_fault *fault)
{
    struct htmt__pic_particles p = {.species = from->species};
    int rc = 0;
    for (uint32_t s = 0; s < p.species && !rc; s++) {
        p.crowd[s] = from->crowd[s];
        p.crowd[s].at = NULL;
        rc = crowd_room(&p.crowd[s], p.crowd[s].count, fault);
        if (!rc)
            memcpy(p.crowd[s].at, from->crowd[s].at, p.crowd[s].count * sizeof *p.crowd[s].at);
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
        free(p->crowd[s].at);
    *p = (struct htmt__pic_particles){0};
}
