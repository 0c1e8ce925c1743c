/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folded, one slice of a plasma gives what all of them give, over whole steps; and slices that are
 * not alike are not folded.
 */
#include "tests/parcels/accounts.h"
#include "tests/pic/parcel_runner.h"

struct plasma {
    const char *machine, *set, *deck;
    uint32_t n[3], slices, edge;
    uint64_t steps;
};

struct play {
    struct htmt_machine *loaded, machine;
    struct htmt__pic_program *program;
    struct htmt_emulator *e;
};

static struct htmt__pic_deck deck_of(const struct plasma *c)
{
    struct htmt__pic_deck deck;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__pic_deck_read(c->deck, &deck, &f), 0, "%s", f.text);
    memcpy(deck.n, c->n, sizeof deck.n);
    deck.steps = c->steps;
    return deck;
}

static struct htmt__pic_plan plan_of(const struct htmt_machine *m, const struct plasma *c)
{
    struct htmt__pic_deck deck = deck_of(c);
    struct htmt__pic_problem problem = problem_of(&deck);
    struct htmt__pic_plan plan;
    struct htmt_fault f = {0};
    problem.edge = c->edge;
    cr_assert_eq(htmt__pic_plan(m, &problem, &plan, &f), 0, "%s", f.text);
    return plan;
}

static void play(const struct plasma *c, enum htmt_symmetry symmetry, struct play *p)
{
    struct htmt__pic_deck deck = deck_of(c);
    struct htmt_fault f = {0};
    cr_assert_eq(htmt_machine_load(c->machine, &c->set, c->set != NULL, &p->loaded, &f), 0, "%s",
                 f.text);
    p->machine = *p->loaded;
    p->machine.slices = c->slices;
    struct htmt_options o = {.machine = &p->machine, .mode = HTMT_MODEL, .symmetry = symmetry};
    struct htmt__pic_plan plan = plan_of(&p->machine, c);
    cr_assert_eq(htmt__pic_plan_alike(&plan, &f), 0, "%s", f.text);
    cr_assert_eq(htmt_emulator_create(&p->e, &o, NULL), 0);
    cr_assert_eq(htmt__pic_program_create(p->e, &plan, &deck, NULL, &p->program, &f), 0, "%s",
                 f.text);
    cr_assert_eq(htmt_emulator_run(p->e), 0, "%s", htmt_emulator_fault(p->e)->text);
}

static void end(struct play *p)
{
    htmt_emulator_destroy(&p->e);
    htmt__pic_program_destroy(&p->program);
    htmt_machine_destroy(&p->loaded);
}

static void same_folded(const struct plasma *c)
{
    struct play all, one;
    play(c, HTMT_NO_SYMMETRY, &all);
    play(c, HTMT_FOLDED, &one);
    cr_expect_eq(htmt_predicted(all.e), htmt_predicted(one.e), "%s on %u slices of %s", c->deck,
                 c->slices, c->machine);
    same_accounts(all.e, one.e);
    cr_assert_eq(htmt_event_count(all.e), c->slices * htmt_event_count(one.e));
    end(&all);
    end(&one);
}

/* Pencils of one slice, of two in a row, square and oblong grids. */
Test(pic_fold, one_slice_stands_for_all_to_the_femtosecond)
{
    static const struct plasma cases[] = {
        {"htmt-oct98", NULL, "thermal", {30, 16, 16}, 1, 0, 3},
        {"htmt-oct98", NULL, "thermal", {30, 16, 16}, 2, 0, 3},
        {"htmt-oct98", NULL, "thermal", {30, 16, 16}, 4, 0, 3},
        {"htmt-oct98", NULL, "two-stream", {30, 16, 16}, 8, 0, 3},
        {"htmt-oct98", NULL, "two-stream", {30, 32, 32}, 16, 5, 3},
        {"htmt-oct98", NULL, "two-stream", {30, 32, 32}, 32, 3, 2},
        {"htmt-oct98", NULL, "thermal", {30, 32, 32}, 64, 3, 2},
        {"htmt-2007", NULL, "two-stream", {30, 16, 32}, 16, 4, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_folded(&cases[i]);
}

/* Where much happens at the same femtosecond: without latencies, with several channels, with few
 * processors and little room. */
Test(pic_fold, so_it_does_where_many_things_happen_at_once)
{
    static const struct plasma cases[] = {
        {"hereld-tables", NULL, "two-stream", {30, 16, 16}, 4, 4, 2},
        {"hereld-tables", NULL, "thermal", {30, 32, 32}, 64, 4, 2},
        {"hereld-tables", NULL, "two-stream", {30, 32, 32}, 64, 4, 2},
        {"htmt-oct98", "networks.vortex.ports.dram.out=4", "two-stream", {30, 32, 32}, 16, 4, 2},
        {"htmt-oct98", "networks.vortex.ports.dram.in=3", "two-stream", {30, 32, 32}, 64, 4, 2},
        {"htmt-oct98", "layers.dram.processor.count=2", "two-stream", {30, 32, 32}, 16, 4, 2},
        {"htmt-oct98", "layers.sram.memory.capacity=300 kword", "thermal", {30, 16, 16}, 16, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_folded(&cases[i]);
}

Test(pic_fold, slices_that_are_not_alike_are_refused)
{
    static const struct plasma cases[] = {
        {"htmt-oct98", NULL, "thermal", {30, 12, 12}, 6, 0, 1},  /* no power of two */
        {"htmt-oct98", NULL, "thermal", {32, 16, 16}, 4, 0, 1},  /* 17 modes of x in two */
        {"htmt-oct98", NULL, "thermal", {30, 18, 16}, 16, 0, 1}, /* y */
        {"htmt-oct98", NULL, "thermal", {30, 16, 18}, 16, 0, 1}, /* z */
        {"htmt-oct98", NULL, "thermal", {30, 18, 16}, 8, 0, 1},  /* y in two, its modes in four */
    };
    struct htmt_machine *loaded = NULL, machine;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt_machine_load("htmt-oct98", NULL, 0, &loaded, &f), 0, "%s", f.text);
    machine = *loaded;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine.slices = cases[i].slices;
        struct htmt__pic_plan plan = plan_of(&machine, &cases[i]);
        f = (struct htmt_fault){0};
        cr_assert_eq(htmt__pic_plan_alike(&plan, &f), HTMT_EUSAGE, "case %zu", i);
    }
    cr_assert_str_eq(
        f.text, "--fold: found 2 x 4 pencils for 30 x 18 x 16 cells with 16 modes of x; "
                "expected slices alike: as many as a power of two, modes of x and cells along "
                "y in multiples of 2, cells along y and z in multiples of 4, as with --slices 4");
    htmt_machine_destroy(&loaded);
}
