/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison of two plasma programs: what it lets pass, and what it catches.
 */
#include "apps/pic/check.h"
#include "apps/pic/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 20

struct run {
    struct htmt__pic_deck deck;
    struct htmt__pic_particles particles;
    struct htmt__pic_record record[STEPS];
    struct htmt__pic_fields fields;
};

static struct run a, b;

static void reverse(struct htmt__pic_species *c)
{
    for (uint64_t i = 0; i < c->count / 2; i++) {
        struct htmt__pic_particle q = c->at[i];
        c->at[i] = c->at[c->count - 1 - i];
        c->at[c->count - 1 - i] = q;
    }
}

/* The plasma of deck `thermal` in a small box; its particles may be given in another order. */
static void run(struct run *r, bool reversed)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_deck_read("thermal", &r->deck, &fault), 0, "%s", fault.text);
    r->deck.n[0] = r->deck.n[1] = 4;
    r->deck.n[2] = 5;
    r->deck.steps = STEPS;
    cr_assert_eq(htmt__pic_fields_create(&r->fields, r->deck.n, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_start(&r->deck, 3, &r->particles, &fault), 0, "%s", fault.text);
    if (reversed)
        reverse(&r->particles.of[0]);
    cr_assert_eq(htmt__pic_reference(&r->deck, &r->particles, r->record, &r->fields, NULL, &fault),
                 0);
}

static void set_up(void)
{
    run(&a, false);
    run(&b, false);
}

static void done(struct run *r)
{
    htmt__pic_particles_destroy(&r->particles);
    htmt__pic_fields_destroy(&r->fields);
}

static void clear(void)
{
    done(&a);
    done(&b);
}

TestSuite(check, .init = set_up, .fini = clear);

static struct htmt__pic_check compared(void)
{
    struct htmt__pic_check check;
    struct htmt_fault fault = {0};
    struct htmt__pic_result of_a = {&a.particles, a.record, &a.fields};
    struct htmt__pic_result of_b = {&b.particles, b.record, &b.fields};
    cr_assert_eq(htmt__pic_check(&a.deck, &of_a, &of_b, &check, &fault), 0, "%s", fault.text);
    return check;
}

Test(check, does_not_care_for_the_order_of_particles)
{
    reverse(&b.particles.of[0]);
    struct htmt__pic_check check = compared();
    cr_expect(check.pass && check.value == 0, "%s %g", check.name, check.value);
}

/* Rounding sums in another order is what the tolerance is for. */
Test(check, lets_another_order_of_sums_pass)
{
    done(&b);
    run(&b, true);
    struct htmt__pic_check check = compared();
    cr_expect(check.pass && check.value > 0, "%s %g", check.name, check.value);
}

Test(check, catches_a_particle_that_is_doubled_lost_or_moved_and_wrong_fields_and_sums)
{
    struct htmt__pic_species *c = &b.particles.of[0];
    struct htmt__pic_particle *q = &c->at[7], q_was = *q;
    for (int spoilt = 0; spoilt < 7; spoilt++) {
        double field = b.fields.at[100];
        struct htmt__pic_record record = b.record[5];
        uint64_t count = c->count;
        switch (spoilt) {
        case 0:
            *q = c->at[8];
            break;
        case 1:
            q->vz += 1e-9;
            break;
        case 2:
            c->count--;
            break;
        case 3:
            q->x = NAN;
            break;
        case 4:
            b.fields.at[100] += 1e-9;
            break;
        case 5:
            b.record[5].kinetic *= 1 + 1e-8;
            break;
        default:
            b.record[5].particles -= 1;
        }
        struct htmt__pic_check check = compared();
        cr_expect(!check.pass, "case %d was not noticed", spoilt);
        cr_expect_str_eq(check.name, spoilt < 4 ? "particles" : spoilt < 5 ? "fields" : "records");
        *q = q_was;
        c->count = count;
        b.fields.at[100] = field;
        b.record[5] = record;
    }
}

/* A particle on the edge of a cell, and of the box, may be rounded to either side. */
Test(check, finds_partners_across_edges)
{
    a.particles.of[0].at[0].x = 0;
    a.particles.of[0].at[0].y = 2;
    b.particles.of[0].at[0] = a.particles.of[0].at[0];
    b.particles.of[0].at[0].x = nextafter(4, 0);
    b.particles.of[0].at[0].y = nextafter(2, 0);
    struct htmt__pic_check check = compared();
    cr_expect(check.pass, "%s %g", check.name, check.value);
}

/* Of velocities and of what they move in a step as many digits are lost as they have in front. */
Test(check, allows_fast_drifts_their_rounding)
{
    struct htmt__pic_deck deck = {.n = {10, 4, 4}, .species_count = 1, .species = {{.mass = 1}}};
    double at_rest = htmt__pic_rounding(&deck, 0);
    deck.species[0].drift[1] = -1000;
    cr_expect_float_eq(htmt__pic_rounding(&deck, 0), 100 * at_rest, 1e-12 * at_rest);
}

Test(check, gives_up_trajectories_when_rounding_has_grown)
{
    struct htmt__pic_deck deck;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_deck_read("two-stream", &deck, &fault), 0, "%s", fault.text);
    cr_expect_lt(htmt__pic_rounding(&deck, 50), HTMT__PIC_LOST);
    cr_expect_gt(htmt__pic_rounding(&deck, 100), HTMT__PIC_LOST);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* A box of so many particles that threads are used, over some steps after which all are brought
 * into order. */
static void run_on(unsigned threads, struct run *r)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_deck_read("thermal", &r->deck, &fault), 0, "%s", fault.text);
    r->deck.n[2] = 19;
    r->deck.steps = 6;
    cr_assert_eq(htmt__pic_fields_create(&r->fields, r->deck.n, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_start(&r->deck, 3, &r->particles, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_reference_on(threads, &r->deck, &r->particles, r->record, &r->fields,
                                        NULL, &fault),
                 0);
}

Test(threads, make_no_difference_to_the_serial_program)
{
    static struct run one, other;
    run_on(1, &one);
    for (unsigned threads = 2; threads <= 3; threads++) {
        run_on(threads, &other);
        cr_expect_eq(memcmp(one.record, other.record, sizeof one.record), 0);
        cr_expect_eq(memcmp(one.particles.of[0].at, other.particles.of[0].at,
                            one.particles.of[0].count * sizeof *one.particles.of[0].at),
                     0);
        cr_expect_eq(
            memcmp(one.fields.at, other.fields.at,
                   HTMT__PIC_FIELDS * htmt__pic_deck_cells(&one.deck) * sizeof *one.fields.at),
            0);
        done(&other);
    }
    done(&one);
}

/* The particles of b in two runs, the last of them first. */
static double value_on(unsigned threads, const struct run *one, const struct run *other)
{
    const struct htmt__pic_species *of = &other->particles.of[0];
    const uint64_t half = of->count / 3;
    struct htmt__pic_run run[] = {{0, of->count - half, of->at + half}, {0, half, of->at}};
    const struct htmt__pic_runs runs = {run, 2};
    const struct htmt__pic_result a1 = {&one->particles, one->record, &one->fields};
    const struct htmt__pic_result b1 = {NULL, other->record, &other->fields};
    struct htmt__pic_check check = {0};
    cr_assert_eq(htmt__pic_check_on(threads, &one->deck, &a1, &b1, &runs, &check, NULL), 0);
    cr_expect_str_eq(check.name, "particles");
    return check.value;
}

/* Moved by a third of what is allowed, across edges of cells too; then one is there twice. */
Test(threads, make_no_difference_to_the_check)
{
    static struct run one, other;
    run_on(1, &one);
    run_on(1, &other);
    const double bound = htmt__pic_rounding(&one.deck, 6 * one.deck.dt);
    struct htmt__pic_species *of = &other.particles.of[0];
    for (uint64_t i = 0; i < of->count; i++) {
        const double x = of->at[i].x + (i % 2 ? bound : -bound) / 3;
        of->at[i].x = x < 0 ? x + 16 : x >= 16 ? x - 16 : x;
    }
    one.particles.of[0].at[7].x = other.particles.of[0].at[7].x = 3;
    other.particles.of[0].at[7].x -= bound / 2;
    const double value = value_on(1, &one, &other);
    cr_expect_float_eq(value, 0.5, 0.01);
    cr_expect_eq(value_on(2, &one, &other), value);
    cr_expect_eq(value_on(3, &one, &other), value);
    of->at[9] = of->at[8];
    for (unsigned threads = 1; threads <= 3; threads++)
        cr_expect(isinf(value_on(threads, &one, &other)), "%u threads", threads);
    done(&one);
    done(&other);
}
