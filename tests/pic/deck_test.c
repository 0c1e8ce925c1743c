/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decks: what is read, what is refused, and where particles start.
 */
#include "apps/pic/io/by_key.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char good[] = "htmt-deck: 1\n"
                           "units: cells, 1/omega_p\n"
                           "cells: [8, 4, 2]\n"
                           "dt: 0.1\n"
                           "steps: 10\n"
                           "mode: [1, 0, 0]\n"
                           "species:\n"
                           "  - name: electrons\n"
                           "    charge: -1\n"
                           "    mass: 1\n"
                           "    density: 1\n"
                           "    per-cell: [3, 2, 1]\n"
                           "    start: quiet\n"
                           "    thermal: [1, 0.5, 0]\n"
                           "    drift: [2, 0, -1]\n"
                           "    amplitude: 0.01\n"
                           "  - name: ions\n"
                           "    charge: 2\n"
                           "    mass: 1836\n"
                           "    density: 0.25\n"
                           "    per-cell: [1, 1, 1]\n"
                           "    start: random\n";

static struct htmt__pic_deck parsed(void)
{
    struct htmt__pic_deck deck;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_deck_parse("good.yaml", good, &deck, &fault), 0, "%s", fault.text);
    return deck;
}

Test(deck, holds_what_the_text_says)
{
    struct htmt__pic_deck d = parsed();
    cr_expect_str_eq(d.name, "good");
    cr_expect(d.n[0] == 8 && d.n[1] == 4 && d.n[2] == 2);
    cr_expect(d.dt == 0.1 && d.steps == 10 && d.mode[0] == 1 && d.species_count == 2);
    cr_expect_str_eq(d.species[1].name, "ions");
    cr_expect(d.species[0].per_cell[1] == 2 && d.species[0].start == HTMT__PIC_QUIET);
    cr_expect(d.species[0].thermal[1] == 0.5 && d.species[0].drift[2] == -1);
    cr_expect(d.species[1].thermal[0] == 0 && d.species[1].amplitude == 0);
    cr_expect_eq(htmt__pic_deck_particles(&d), 64 * 6 + 64);
}

/* 1 electron of charge -1 and 0.25 ions of charge 2 leave half a charge to the background. */
Test(deck, background_and_frequency_follow_from_densities)
{
    struct htmt__pic_deck d = parsed();
    cr_expect_float_eq(htmt__pic_deck_background(&d), 0.5, 1e-15);
    cr_expect_float_eq(htmt__pic_deck_frequency(&d), sqrt(1 + 0.25 * 4 / 1836), 1e-15);
    cr_expect_float_eq(htmt__pic_deck_share(&d, 0), 1 / 6., 1e-15);
}

/* Thermal velocity over the frequency of a species, of axes with several cells alone. */
Test(deck, the_shortest_debye_length_is_found)
{
    struct htmt__pic_deck d = parsed();
    uint32_t species = 9;
    int axis = 9;
    cr_expect_float_eq(htmt__pic_deck_debye(&d, &species, &axis), 0.5, 1e-15);
    cr_expect(species == 0 && axis == 1);
    d.n[1] = 1;
    cr_expect_float_eq(htmt__pic_deck_debye(&d, &species, &axis), 1, 1e-15);
    d.species[1].thermal[2] = 0.01; /* ions: frequency sqrt(0.25 4 / 1836) */
    cr_expect_float_eq(htmt__pic_deck_debye(&d, &species, &axis), 0.01 * sqrt(1836), 1e-12);
    cr_expect(species == 1 && axis == 2);
    memset(d.species[0].thermal, 0, sizeof d.species[0].thermal);
    d.species[1].thermal[2] = 0;
    cr_expect(isinf(htmt__pic_deck_debye(&d, &species, &axis)), "cold on purpose");
}

static void refuse(const char *from, const char *to, int code, const char *line)
{
    char text[2000];
    struct htmt__pic_deck deck;
    struct htmt_fault fault = {0};
    const char *at = strstr(good, from);
    cr_assert(at, "no '%s'", from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    cr_expect_eq(htmt__pic_deck_parse("bad.yaml", text, &deck, &fault), code, "%s: %s", to,
                 fault.text);
    cr_expect(strstr(fault.text, line), "'%s' is not in: %s", line, fault.text);
    cr_expect(!strchr(fault.text, '\n'), "not one line: %s", fault.text);
}

Test(deck, refuses_what_is_wrong_in_one_line)
{
    refuse("cells: [8, 4, 2]", "cells: [8, 0, 2]", HTMT_ERANGE, "bad.yaml:3: ");
    refuse("cells: [8, 4, 2]", "cells: [8, 4]", HTMT_EFORMAT, "bad.yaml:3: ");
    refuse("cells: [8, 4, 2]", "cells: [8, 4.5, 2]", HTMT_EFORMAT,
           "bad.yaml:3: cells: found 4.5, expected three whole numbers");
    refuse("dt: 0.1", "dt: 2.1", HTMT_ERANGE, "bad.yaml:4: dt: found 2.1, expected at most 1.99");
    refuse("dt: 0.1", "dt: 0", HTMT_ERANGE, "bad.yaml:4: ");
    refuse("dt: 0.1", "dt: nan", HTMT_EFORMAT, "bad.yaml:4: ");
    refuse("dt: 0.1\n", "", HTMT_EFORMAT, "dt");
    refuse("dt: 0.1", "td: 0.1", HTMT_EFORMAT, "bad.yaml:4: ");
    refuse("mode: [1, 0, 0]", "mode: [1, 3, 0]", HTMT_ERANGE,
           "bad.yaml:6: mode: found 3 on an axis");
    refuse("charge: -1", "colour: -1", HTMT_EFORMAT, "bad.yaml:9: ");
    refuse("mass: 1\n", "mass: 0\n", HTMT_ERANGE, "bad.yaml:10: ");
    refuse("start: quiet", "start: loud", HTMT_EFORMAT, "bad.yaml:13: ");
    refuse("per-cell: [3, 2, 1]", "per-cell: [65536, 65536, 65536]", HTMT_ERANGE, "particles");
    refuse("units: cells, 1/omega_p", "units: metres", HTMT_EFORMAT, "bad.yaml:2: ");
    refuse("steps: 10", "steps: 0", HTMT_ERANGE, "bad.yaml:5: ");
}

Test(deck, every_shipped_one_is_found_by_name)
{
    static const char *const names[] = {"langmuir", "two-stream", "landau", "thermal"};
    for (unsigned i = 0; i < 4; i++) {
        struct htmt__pic_deck deck;
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt__pic_deck_read(names[i], &deck, &fault), 0, "%s", fault.text);
        cr_expect_str_eq(deck.name, names[i]);
    }
}

/* ---- starts --------------------------------------------------------------------------------- */

static struct htmt__pic_particles started(const struct htmt__pic_deck *deck, uint64_t seed)
{
    struct htmt__pic_particles p = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_start(deck, seed, &p, &fault), 0, "%s", fault.text);
    return p;
}

/* The share of all values below x, from the two ends of erfc(), so that no digit is lost: 1 - share
 * where x > 0. */
static double beyond(double x)
{
    return erfc(fabs(x) * M_SQRT1_2) / 2;
}

/* AS 241 promises 1e-16 of x; log(), the polynomials and erfc() round a few times. An error of x
 * moves the share by phi(x) times that, of which the share behind x is at least phi(x) / (|x| + 1)
 * (Mills' ratio): relative errors grow by |x| (|x| + 1). */
Test(start, deviates_have_the_shares_of_the_normal_distribution)
{
    double share[HTMT__PIC_BATCH], x[HTMT__PIC_BATCH];
    for (uint32_t i = 0; i < HTMT__PIC_BATCH; i++)
        share[i] = (i + 0.5) / HTMT__PIC_BATCH;
    for (uint32_t i = 0; i < 52; i++)
        share[i] = ldexp(1, -1 - (int)i);
    share[52] = 0.075, share[53] = 0.925, share[54] = 1 - 0x1p-53, share[55] = 0x1p-1000;
    htmt__pic_normal(share, x, HTMT__PIC_BATCH);
    for (uint32_t i = 0; i < HTMT__PIC_BATCH; i++) {
        const double least = fmin(share[i], 1 - share[i]), tolerance = fabs(x[i]) + 1;
        cr_expect_leq(fabs(beyond(x[i]) / least - 1), 1e-15 * tolerance * tolerance, "%a: %a",
                      share[i], x[i]);
        cr_expect((x[i] > 0) == (share[i] > 0.5), "%a: %a", share[i], x[i]);
    }
}

/* Of the doubles nearest to these shares; roots of the distribution's series with 120 digits. */
Test(start, deviates_are_the_known_quantiles)
{
    static const double share[] = {0.5, 0.75, 0.9, 0.975, 0.995, 0x1p-53};
    static const double known[] = {0,
                                   0.67448975019608174320,
                                   1.2815515655446005935,
                                   1.9599639845400538556,
                                   2.5758293035489004539,
                                   -8.2095361516013868556};
    double x[6];
    htmt__pic_normal(share, x, 6);
    for (int i = 0; i < 6; i++)
        cr_expect_leq(fabs(x[i] - known[i]), 4e-16 * fabs(known[i]), "%a: %.17g", share[i], x[i]);
}

/* A batch goes through vectors: each value is the same in any place of any batch. */
Test(start, deviates_depend_on_their_share_alone)
{
    double share[HTMT__PIC_BATCH], x[HTMT__PIC_BATCH], alone;
    for (uint32_t i = 0; i < HTMT__PIC_BATCH; i++)
        share[i] = (i + 0.5) / HTMT__PIC_BATCH;
    htmt__pic_normal(share, x, HTMT__PIC_BATCH);
    for (uint32_t i = 0; i < HTMT__PIC_BATCH; i++) {
        htmt__pic_normal(&share[i], &alone, 1);
        cr_expect_eq(alone, x[i]);
    }
}

static struct htmt__pic_deck warm(enum htmt__pic_start start)
{
    struct htmt__pic_deck d = parsed();
    d.species_count = 1;
    d.species[0].start = start;
    d.species[0].amplitude = 0;
    d.species[0].per_cell[0] = d.species[0].per_cell[1] = d.species[0].per_cell[2] = 6;
    return d;
}

static double moment(const struct htmt__pic_species *c, int axis, int power)
{
    double sum = 0;
    for (uint64_t i = 0; i < c->count; i++) {
        const double v[3] = {c->at[i].vx, c->at[i].vy, c->at[i].vz};
        sum += pow(v[axis], power);
    }
    return sum / (double)c->count;
}

/* Mean, variance, and the fourth moment of a Gaussian, three variances squared. */
static void expect_gaussian(const struct htmt__pic_species *c, double tolerance)
{
    cr_expect_float_eq(moment(c, 0, 1), 2, tolerance);
    cr_expect_float_eq(moment(c, 0, 2), 4 + 1, 5 * tolerance);
    cr_expect_float_eq(moment(c, 0, 4), 16 + 6 * 4 + 3, 60 * tolerance);
    cr_expect_float_eq(moment(c, 1, 2), 0.25, tolerance);
    cr_expect(moment(c, 2, 1) == -1 && moment(c, 2, 2) == 1, "no spread along z");
}

Test(start, random_velocities_have_the_moments_of_a_gaussian)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_RANDOM);
    struct htmt__pic_particles p = started(&d, 7);
    expect_gaussian(&p.of[0], 0.05); /* 13,824 particles: 0.0085 is one deviation */
    htmt__pic_particles_destroy(&p);
}

Test(start, quiet_velocities_have_them_far_more_exactly)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_QUIET);
    struct htmt__pic_particles p = started(&d, 7);
    expect_gaussian(&p.of[0], 2.5e-3);
    htmt__pic_particles_destroy(&p);
}

Test(start, depends_on_the_seed_only_where_it_is_random)
{
    for (int start = HTMT__PIC_LATTICE; start <= HTMT__PIC_RANDOM; start++) {
        struct htmt__pic_deck d = warm((enum htmt__pic_start)start);
        struct htmt__pic_particles a = started(&d, 1), b = started(&d, 1), c = started(&d, 2);
        size_t bytes = a.of[0].count * sizeof *a.of[0].at;
        cr_expect_eq(memcmp(a.of[0].at, b.of[0].at, bytes), 0);
        cr_expect_eq(memcmp(a.of[0].at, c.of[0].at, bytes) != 0, start != HTMT__PIC_QUIET);
        htmt__pic_particles_destroy(&a);
        htmt__pic_particles_destroy(&b);
        htmt__pic_particles_destroy(&c);
    }
}

/* Positions as those of cold particles, velocities as those of a random start. */
Test(start, lattice_may_be_warm)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_LATTICE), cold = d, random = warm(HTMT__PIC_RANDOM);
    memset(cold.species[0].thermal, 0, sizeof cold.species[0].thermal);
    struct htmt__pic_particles p = started(&d, 7), q = started(&cold, 7), r = started(&random, 7);
    for (uint64_t i = 0; i < p.of[0].count; i++) {
        const struct htmt__pic_particle *a = &p.of[0].at[i];
        cr_assert_eq(memcmp(&a->x, &q.of[0].at[i].x, 3 * sizeof a->x), 0);
        cr_assert_eq(memcmp(&a->vx, &r.of[0].at[i].vx, 3 * sizeof a->vx), 0);
    }
    expect_gaussian(&p.of[0], 0.05);
    htmt__pic_particles_destroy(&p);
    htmt__pic_particles_destroy(&q);
    htmt__pic_particles_destroy(&r);
}

Test(start, positions_lie_in_the_box_and_fill_every_cell_alike)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_LATTICE);
    struct htmt__pic_particles p = started(&d, 1);
    unsigned in[64] = {0};
    for (uint64_t i = 0; i < p.of[0].count; i++) {
        const struct htmt__pic_particle *q = &p.of[0].at[i];
        cr_assert(q->x >= 0 && q->x < 8 && q->y >= 0 && q->y < 4 && q->z >= 0 && q->z < 2);
        in[((int)q->z * 4 + (int)q->y) * 8 + (int)q->x]++;
    }
    for (int c = 0; c < 64; c++)
        cr_expect_eq(in[c], 216);
    htmt__pic_particles_destroy(&p);
}

/* A displacement A/k sin(kx) makes the density 1 - A cos(kx) to first order. */
Test(start, displacement_makes_a_density_wave_of_the_amplitude)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_QUIET);
    d.species[0].amplitude = 1e-3;
    struct htmt__pic_particles p = started(&d, 1);
    double sum = 0, k = 2 * M_PI / 8;
    for (uint64_t i = 0; i < p.of[0].count; i++)
        sum += 2 * cos(k * p.of[0].at[i].x) / (double)p.of[0].count;
    cr_expect_float_eq(sum, -1e-3, 1e-6);
    htmt__pic_particles_destroy(&p);
}

/* The particles of the left half by their number of eighths along x, and with room for `room` of
 * each. */
struct left {
    const struct htmt__pic_deck *deck;
    uint64_t room;
    struct htmt__pic_particle *at[4];
};

static uint32_t eighth(const void *user, const struct htmt__pic_particle *q)
{
    const struct left *l = user;
    const double n = l->deck->n[0];
    return q->x < n / 2 ? (uint32_t)(q->x * 8 / n) : HTMT__PIC_NO_KEY;
}

static struct htmt__pic_particle *in_its_eighth(const void *user, uint32_t key, uint64_t place,
                                                uint64_t before)
{
    const struct left *l = user;
    (void)place;
    return before < l->room ? l->at[key] + before : NULL;
}

/* Ranks and threads make some particles each, where they begin: those of one key in the order of
 * all, and those without room apart. */
Test(start, particles_of_a_key_are_those_of_all_on_any_number_of_threads)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_RANDOM);
    const struct htmt__pic_birth birth = {&d, 7, 0};
    struct htmt__pic_particles all = started(&d, 7);
    static struct htmt__pic_particle room[4][1500];
    struct left left = {&d, 1500, {room[0], room[1], room[2], room[3]}};
    const struct htmt__pic_target to = {&left, 4, eighth, in_its_eighth};
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct htmt__pic_species late = {0};
        uint32_t first[5], n[4] = {0};
        uint64_t n_late = 0;
        memset(room, 0, sizeof room);
        cr_assert_eq(htmt__pic_start_at(&birth, threads, &to, first, &late, NULL), 0);
        for (uint64_t i = 0; i < all.of[0].count; i++) {
            const struct htmt__pic_particle *q = &all.of[0].at[i], *found = NULL;
            const uint32_t key = eighth(&left, q);
            if (key == HTMT__PIC_NO_KEY)
                continue;
            found = n[key] < left.room ? &room[key][n[key]] : &late.at[n_late];
            n_late += n[key]++ >= left.room;
            cr_assert_leq(n_late, late.count);
            cr_assert_eq(memcmp(found, q, sizeof *q), 0, "particle %lu, %u threads",
                         (unsigned long)i, threads);
        }
        cr_expect_eq(n_late, late.count);
        cr_expect_gt(n_late, 100u, "some have no room");
        for (int key = 0; key < 4; key++)
            cr_expect_eq(first[key + 1] - first[key], n[key]);
        free(late.at);
    }
    htmt__pic_particles_destroy(&all);
}

/* The order of two particles: by cell, then as they are. */
static uint32_t cell_number(const struct htmt__pic_deck *d, const struct htmt__pic_particle *q)
{
    return ((uint32_t)q->z * d->n[1] + (uint32_t)q->y) * d->n[0] + (uint32_t)q->x;
}

Test(start, by_cell_is_the_sorted_start_on_any_number_of_threads)
{
    for (int start = HTMT__PIC_LATTICE; start <= HTMT__PIC_RANDOM; start++) {
        struct htmt__pic_deck d = warm((enum htmt__pic_start)start);
        d.species[0].amplitude = 0.1;
        struct htmt__pic_particles all = started(&d, 7);
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct htmt__pic_particles p;
            cr_assert_eq(htmt__pic_start_by_cell(&d, 7, threads, &p, NULL), 0);
            cr_assert_eq(p.of[0].count, all.of[0].count);
            uint64_t place = 0;
            for (uint32_t cell = 0; cell < htmt__pic_deck_cells(&d); cell++)
                for (uint64_t i = 0; i < all.of[0].count; i++)
                    if (cell_number(&d, &all.of[0].at[i]) == cell)
                        cr_assert_eq(
                            memcmp(&p.of[0].at[place++], &all.of[0].at[i], sizeof *p.of[0].at), 0);
            cr_expect_eq(p.of[0].mass, all.of[0].mass);
            htmt__pic_particles_destroy(&p);
        }
        htmt__pic_particles_destroy(&all);
    }
}

Test(start, of_more_than_the_host_holds_is_refused)
{
    struct htmt__pic_deck d = warm(HTMT__PIC_RANDOM);
    struct htmt__pic_particles p = {0};
    struct htmt_fault fault = {0};
    d.n[0] = d.n[1] = d.n[2] = 4096;
    cr_expect_eq(htmt__pic_start(&d, 1, &p, &fault), HTMT_EHOSTFIT);
    cr_expect(strstr(fault.text, "`htmt model` needs no data"), "%s", fault.text);
}
