/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a plasma: particle for particle, field for field and record for record what
 * the serial program says, on any grid of slices; nobody is lost; one answer whatever the host
 * does.
 */
#include "apps/pic/check.h"
#include "apps/pic/reference.h"
#include "tests/pic/parcel_runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plasma {
    struct htmt__pic_deck deck;
    struct htmt__pic_particles particles;
    struct htmt__pic_record *record;
    struct htmt__pic_fields fields;
};

/* Electrons and heavier ions at random on a grid whose sides share no factor. */
static struct htmt__pic_deck warm(uint32_t nx, uint32_t ny, uint32_t nz, uint64_t steps)
{
    struct htmt__pic_deck d = {
        .name = "warm", .n = {nx, ny, nz}, .dt = 0.1, .steps = steps, .mode = {1, 1, 0}};
    d.species_count = 2;
    d.species[0] = (struct htmt__pic_species){.name = "electrons",
                                              .charge = -1,
                                              .mass = 1,
                                              .density = 1,
                                              .per_cell = {2, 2, 1},
                                              .start = HTMT__PIC_RANDOM,
                                              .thermal = {2, 1, 3}};
    d.species[1] = (struct htmt__pic_species){.name = "ions",
                                              .charge = 1,
                                              .mass = 20,
                                              .density = 0.5,
                                              .per_cell = {1, 1, 2},
                                              .start = HTMT__PIC_RANDOM,
                                              .thermal = {0.5, 0.5, 0.5}};
    return d;
}

static struct plasma prepare(const struct htmt__pic_deck *deck)
{
    struct plasma p = {.deck = *deck};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_start(deck, 7, &p.particles, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_fields_create(&p.fields, deck->n, &fault), 0);
    p.record = calloc(deck->steps, sizeof *p.record);
    cr_assert(p.record);
    return p;
}

static void release(struct plasma *p)
{
    htmt__pic_particles_destroy(&p->particles);
    htmt__pic_fields_destroy(&p->fields);
    free(p->record);
}

static struct plasma serial(const struct htmt__pic_deck *deck)
{
    struct plasma p = prepare(deck);
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_reference(deck, &p.particles, p.record, &p.fields, NULL, &fault), 0,
                 "%s", fault.text);
    return p;
}

static struct plasma parcels(const struct htmt__pic_deck *deck, const struct parcel_run *set,
                             struct parcel_outcome *out)
{
    struct plasma p = prepare(deck);
    struct htmt_fault fault = {0};
    cr_assert_eq(run_parcels(set, deck, &p.particles, p.record, &p.fields, out, &fault), 0, "%s",
                 fault.text);
    return p;
}

static void expect_same(const struct plasma *a, const struct plasma *b, const char *what)
{
    struct htmt__pic_result one = {&a->particles, a->record, &a->fields};
    struct htmt__pic_result other = {&b->particles, b->record, &b->fields};
    struct htmt__pic_check check = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_check(&a->deck, &one, &other, &check, &fault), 0, "%s", fault.text);
    cr_expect(check.pass, "%s: %s differ by %g, tolerance %g", what, check.name, check.value,
              check.tolerance);
}

static void compare(const struct htmt__pic_deck *deck, const struct parcel_run *set)
{
    char what[200];
    struct parcel_outcome out = {0};
    struct plasma one = serial(deck), other = parcels(deck, set, &out);
    snprintf(what, sizeof what, "%u slices, edge %u, %u x %u x %u", set->slices, out.plan.edge,
             deck->n[0], deck->n[1], deck->n[2]);
    expect_same(&one, &other, what);
    release(&one);
    release(&other);
}

Test(program, is_the_serial_program_on_one_slice)
{
    struct htmt__pic_deck deck = warm(12, 10, 9, 5);
    compare(&deck, &(struct parcel_run){.machine = "htmt-oct98", .slices = 1, .threads = 2});
}

Test(program, is_the_serial_program_on_any_grid_of_slices_and_any_blocks)
{
    static const struct {
        uint32_t n[3], slices, edge;
    } cases[] = {{{12, 10, 9}, 2, 0}, {{12, 10, 9}, 4, 4},  {{13, 7, 5}, 3, 3},
                 {{16, 8, 8}, 16, 2}, {{9, 11, 6}, 6, 1},   {{8, 1, 1}, 1, 3},
                 {{32, 4, 4}, 4, 10}, {{7, 5, 5}, 9, 4},    {{4, 12, 12}, 12, 5},
                 {{6, 2, 3}, 2, 2},   {{16, 16, 16}, 64, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct htmt__pic_deck deck = warm(cases[i].n[0], cases[i].n[1], cases[i].n[2], 4);
        compare(&deck, &(struct parcel_run){.machine = "htmt-oct98",
                                            .slices = cases[i].slices,
                                            .edge = cases[i].edge,
                                            .threads = 2});
    }
}
