/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma by messages: what the serial program says, on any grid of nodes; every word of a
 * transpose arrives once; six neighbours; the closed form is the clock's time.
 */
#include "apps/pic/mpp.h"

#include "apps/pic/check.h"
#include "apps/pic/reference.h"
#include "tests/apps/nodes.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct nodes free_of_charge = {.startup = "0 s",
                                            .latency = "0 s",
                                            .rate = "1 Gword/s"},
                          dear = {.startup = "7 us", .latency = "3 us", .rate = "1 Gword/s"};

/* Electrons and heavier ions at random. */
static struct htmt__pic_deck warm(uint32_t nx, uint32_t ny, uint32_t nz, uint64_t steps)
{
    struct htmt__pic_deck d = {.name = "warm",
                               .n = {nx, ny, nz},
                               .dt = 0.1,
                               .steps = steps,
                               .mode = {1, 1, 0},
                               .species_count = 2};
    d.species[0] = (struct htmt__pic_deck_species){.name = "electrons",
                                                   .charge = -1,
                                                   .mass = 1,
                                                   .density = 1,
                                                   .per_cell = {2, 2, 1},
                                                   .start = HTMT__PIC_RANDOM,
                                                   .thermal = {2, 1, 3}};
    d.species[1] = (struct htmt__pic_deck_species){.name = "ions",
                                                   .charge = 1,
                                                   .mass = 20,
                                                   .density = 0.5,
                                                   .per_cell = {1, 1, 2},
                                                   .start = HTMT__PIC_RANDOM,
                                                   .thermal = {0.5, 0.5, 0.5}};
    return d;
}

static struct htmt__pic_problem problem_of(const struct htmt__pic_deck *deck, uint64_t mail)
{
    struct htmt__pic_problem o = {.n = {deck->n[0], deck->n[1], deck->n[2]},
                                  .species = deck->species_count,
                                  .mail = mail,
                                  .charges = htmt__pic_own_charges};
    for (uint32_t s = 0; s < o.species; s++) {
        const uint32_t *n = deck->species[s].per_cell;
        o.per_cell[s] = (uint64_t)n[0] * n[1] * n[2];
    }
    return o;
}

struct trial {
    struct htmt_machine *machine;
    struct htmt__pic_mpp_prediction closed;
    struct htmt_emulator *e;
    struct htmt__pic_mpp *program;
};

static struct trial plan_of(const struct nodes *machine, const struct htmt__pic_deck *deck,
                            uint32_t nodes, uint64_t mail)
{
    struct trial t = {.e = NULL};
    struct htmt__pic_mpp_plan plan;
    struct htmt_fault f = {0};
    const struct htmt__pic_problem problem = problem_of(deck, mail);
    t.machine = nodes_load(machine, nodes);
    cr_assert_eq(htmt__pic_mpp_plan(t.machine, &problem, deck, &plan, &f), 0, "%s", f.text);
    cr_assert_eq(htmt__pic_mpp_predict(t.machine, &plan, &t.closed, &f), 0, "%s", f.text);
    return t;
}

/* particles NULL: a model run. Returns what the emulator said. */
static int play(struct trial *t, const struct htmt__pic_deck *deck,
                const struct htmt__pic_particles *particles, uint32_t threads, bool checked)
{
    struct htmt_fault f = {0};
    const struct htmt_options o = {.machine = t->machine,
                                   .slices = t->machine->slices,
                                   .mode = particles ? HTMT_RUN : HTMT_MODEL,
                                   .threads = threads,
                                   .clock_threads = checked ? 1 : threads,
                                   .checked = checked};
    cr_assert_eq(htmt_emulator_create(&t->e, &o, NULL), 0);
    cr_assert_eq(
        htmt__pic_mpp_create(t->e, &t->closed.plan, deck, particles, false, &t->program, &f), 0,
        "%s", f.text);
    return htmt_emulator_run(t->e);
}

static void finish(struct trial *t)
{
    htmt_emulator_destroy(&t->e);
    htmt__pic_mpp_destroy(&t->program);
    htmt_machine_destroy(&t->machine);
}

/* ---- results -------------------------------------------------------------------------------- */

static struct htmt__pic_particles start_of(const struct htmt__pic_deck *deck)
{
    struct htmt__pic_particles p;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__pic_start(deck, 7, &p, &f), 0, "%s", f.text);
    return p;
}

static void expect_serial(const struct htmt__pic_deck *deck, struct trial *t)
{
    struct htmt__pic_particles mine = start_of(deck), theirs = start_of(deck);
    struct htmt__pic_fields fields[2];
    struct htmt__pic_record *record = calloc(2 * deck->steps, sizeof *record);
    struct htmt__pic_check check;
    struct htmt_fault f = {0};
    uint64_t steps;
    cr_assert(record);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(htmt__pic_fields_create(&fields[i], deck->n, &f), 0);
    cr_assert_eq(htmt__pic_mpp_particles(t->program, &mine, &f), 0, "%s", f.text);
    htmt__pic_mpp_records(t->program, record, &steps);
    htmt__pic_mpp_fields(t->program, &fields[0]);
    cr_expect_eq(steps, deck->steps);
    cr_assert_eq(htmt__pic_reference(deck, &theirs, record + deck->steps, &fields[1], NULL, &f), 0);
    const struct htmt__pic_result a = {&mine, record, &fields[0]},
                                  b = {&theirs, record + deck->steps, &fields[1]};
    cr_assert_eq(htmt__pic_check(deck, &a, &b, &check, &f), 0, "%s", f.text);
    cr_expect(check.pass, "%u nodes: %s differ by %g of the bound", t->machine->slices, check.name,
              check.value);
    free(record);
    for (int i = 0; i < 2; i++)
        htmt__pic_fields_destroy(&fields[i]);
    htmt__pic_particles_destroy(&mine);
    htmt__pic_particles_destroy(&theirs);
}

Test(mpp, particles_fields_and_records_are_those_of_the_serial_program_on_any_grid_of_nodes)
{
    static const struct {
        uint32_t nodes, n[3];
    } cases[] = {
        {1, {6, 5, 4}}, {2, {8, 6, 4}}, {6, {7, 9, 10}}, {8, {8, 8, 8}}, {27, {9, 11, 10}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases - only_memory(); i++) {
        const struct htmt__pic_deck deck = warm(cases[i].n[0], cases[i].n[1], cases[i].n[2], 6);
        struct htmt__pic_particles start = start_of(&deck);
        uint64_t hash = 0;
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            struct trial t = plan_of(&dear, &deck, cases[i].nodes, 0);
            cr_assert_eq(play(&t, &deck, &start, threads, threads == 1), 0, "%s",
                         htmt_emulator_fault(t.e)->text);
            cr_expect_eq(htmt_audit(t.e, NULL), 0);
            cr_expect(threads == 1 || htmt_history_hash(t.e) == hash);
            cr_expect(cases[i].nodes == 1 || htmt__pic_mpp_migrated(t.program) > 0);
            hash = htmt_history_hash(t.e);
            expect_serial(&deck, &t);
            finish(&t);
        }
        htmt__pic_particles_destroy(&start);
    }
}

/* ---- messages ------------------------------------------------------------------------------- */

/* 27 nodes: guard points and particles go to six others, and each of them hears of six. */
Test(mpp, guard_points_and_particles_go_to_the_six_neighbours_and_no_other)
{
    const struct htmt__pic_deck deck = warm(9, 9, 9, 1);
    struct trial t = plan_of(&free_of_charge, &deck, 27, 0);
    const struct htmt__pic_mpp_plan *p = &t.closed.plan;
    cr_assert(p->p[0] == 3 && p->p[1] == 3 && p->p[2] == 3);
    static const int groups[][3] = {
        {HTMT__PIC_MPP_DEPOSIT, HTMT__PIC_MPP_FOLD_X, HTMT__PIC_MPP_FOLD_Y},
        {HTMT__PIC_MPP_GUARD_X, HTMT__PIC_MPP_GUARD_Y, HTMT__PIC_MPP_GUARD_Z},
        {HTMT__PIC_MPP_LEAVE_X, HTMT__PIC_MPP_LEAVE_Y, HTMT__PIC_MPP_LEAVE_Z}};
    for (int g = 0; g < 3; g++)
        for (uint32_t node = 0; node < 27; node++) {
            bool hears[27] = {false};
            uint32_t others = 0;
            for (int a = 0; a < 3; a++) {
                struct htmt__pic_mpp_message s;
                for (uint32_t i = 0;
                     htmt__pic_mpp_message(p, (enum htmt__pic_mpp_phase)groups[g][a], node, i, &s);
                     i++) {
                    const struct htmt__pic_mpp_node x = htmt__pic_mpp_node(p, node),
                                                    y = htmt__pic_mpp_node(p, s.to);
                    others += !hears[s.to] && s.to != node;
                    hears[s.to] = true;
                    for (int b = 0; b < 3; b++)
                        cr_expect(b == a || x.at[b] == y.at[b]);
                }
            }
            cr_expect_eq(others, 6);
        }
    finish(&t);
}

/* Mark the words where a message ends. */
static void mark(unsigned char *seen, const struct htmt__pic_mpp_message *s)
{
    const struct htmt_pieces *in = &s->into_pieces;
    const uint64_t each = in->count ? in->bytes / HTMT_WORD : s->words;
    for (uint64_t i = 0; i < s->words; i++)
        seen[s->into_word + i / each * (uint64_t)in->stride / HTMT_WORD + i % each]++;
}

/* As many words as the node has there of that: rows, columns and boxes of 7 x 9 x 10 cells, whose
 * sides no number of nodes divides. */
static uint64_t wanted(const struct htmt__pic_mpp_plan *p, const struct htmt__pic_mpp_node *d,
                       enum htmt__pic_mpp_phase phase)
{
    const uint32_t *n = p->problem.n;
    switch (phase) {
    case HTMT__PIC_MPP_FOLD_Z:
        return (uint64_t)d->row_planes * d->box.n[1] * n[0];
    case HTMT__PIC_MPP_ROWS:
        return 2ul * d->row_planes * n[1] * d->modes_x;
    case HTMT__PIC_MPP_COLUMNS:
        return 2ul * n[2] * d->modes_y * d->modes_x;
    case HTMT__PIC_MPP_SOLVE:
        return 3 * 2ul * d->row_planes * n[1] * d->modes_x;
    case HTMT__PIC_MPP_COLUMNS_BACK:
        return 3 * 2ul * d->row_planes * d->box.n[1] * p->modes;
    default:
        return 3 * htmt__pic_cells(&d->box);
    }
}

Test(mpp, of_each_transpose_every_word_arrives_once_and_no_other_does)
{
    const struct htmt__pic_deck deck = warm(7, 9, 10, 1);
    for (uint32_t nodes = 1; nodes <= 18; nodes++) {
        if (htmt__pic_mpp_nodes(deck.n, nodes) != nodes)
            continue;
        struct trial t = plan_of(&free_of_charge, &deck, nodes, 0);
        const struct htmt__pic_mpp_plan *p = &t.closed.plan;
        for (int phase = HTMT__PIC_MPP_FOLD_Z; phase <= HTMT__PIC_MPP_ROWS_BACK; phase++) {
            unsigned char *seen[18];
            uint64_t room = 0;
            struct htmt__pic_mpp_message s;
            for (uint32_t i = 0;
                 htmt__pic_mpp_message(p, (enum htmt__pic_mpp_phase)phase, 0, i, &s); i++)
                room = p->area[s.into];
            for (uint32_t node = 0; node < nodes; node++)
                cr_assert(seen[node] = calloc(room, 1));
            for (uint32_t node = 0; node < nodes; node++)
                for (uint32_t i = 0;
                     htmt__pic_mpp_message(p, (enum htmt__pic_mpp_phase)phase, node, i, &s); i++)
                    mark(seen[s.to], &s);
            for (uint32_t node = 0; node < nodes; node++) {
                const struct htmt__pic_mpp_node d = htmt__pic_mpp_node(p, node);
                uint64_t once = 0, more = 0;
                for (uint64_t i = 0; i < room; i++) {
                    once += seen[node][i] == 1;
                    more += seen[node][i] > 1;
                }
                cr_expect(!more && once == wanted(p, &d, (enum htmt__pic_mpp_phase)phase),
                          "%u nodes, phase %d, node %u: %llu words, %llu twice", nodes, phase, node,
                          (unsigned long long)once, (unsigned long long)more);
                free(seen[node]);
            }
        }
        finish(&t);
    }
}

/* ---- times ---------------------------------------------------------------------------------- */

/* 6 cells along x have 4 modes and 14 have 8, so these nodes have equal parts of all. */
Test(mpp, where_parts_are_equal_a_model_run_takes_the_time_of_the_closed_form_to_the_fs)
{
    static const struct {
        uint32_t nodes, n[3];
    } cases[] = {{1, {5, 7, 3}}, {2, {6, 8, 8}}, {4, {6, 8, 8}}, {8, {6, 8, 8}}, {8, {14, 8, 8}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int costs = 0; costs < 2; costs++) {
            const struct htmt__pic_deck deck = warm(cases[i].n[0], cases[i].n[1], cases[i].n[2], 3);
            struct trial t = plan_of(costs ? &dear : &free_of_charge, &deck, cases[i].nodes, 0);
            cr_assert_eq(play(&t, &deck, NULL, 1, false), 0, "%s", htmt_emulator_fault(t.e)->text);
            cr_expect_eq(htmt_predicted(t.e), (htmt_time)t.closed.total,
                         "case %zu, %u x %u x %u nodes: %lld, %lld", i, t.closed.plan.p[0],
                         t.closed.plan.p[1], t.closed.plan.p[2], (long long)htmt_predicted(t.e),
                         (long long)t.closed.total);
            finish(&t);
        }
}

/* A push has 276 flop, 90 loads and 6 stores a particle, a deposit 108, 33 and 27, of 1 ns each,
 * and a step pushes each particle once: 540 ns for each of 6 particles in 14 x 8 x 8 cells. */
Test(mpp, pushes_and_deposits_take_their_operations_and_two_nodes_half_of_them)
{
    const struct htmt__pic_deck deck = warm(14, 8, 8, 1);
    const htmt_time all = 6 * 14 * 8 * 8 * (htmt_time)540 * 1000000;
    for (uint32_t nodes = 1; nodes <= 2; nodes++) {
        struct trial t = plan_of(&free_of_charge, &deck, nodes, 0);
        cr_expect_eq(t.closed.work[HTMT__PIC_MPP_DEPOSIT] + t.closed.work[HTMT__PIC_MPP_PUSH],
                     all / nodes);
        finish(&t);
    }
}

/* ---- bad input ------------------------------------------------------------------------------ */

Test(mpp, nodes_without_cells_memory_that_is_full_and_messages_that_are_are_refused_in_a_line)
{
    const struct htmt__pic_deck deck = warm(8, 8, 8, 4), large = warm(64, 32, 32, 1);
    struct trial t = plan_of(&free_of_charge, &deck, 4, 0);
    struct htmt__pic_mpp_plan plan;
    struct htmt__pic_problem problem = problem_of(&deck, 0);
    struct htmt_fault f = {0};
    t.machine->slices = 13;
    cr_expect_eq(htmt__pic_mpp_plan(t.machine, &problem, &deck, &plan, &f), HTMT_EINVAL);
    cr_expect(strstr(f.text, "found 13 nodes for 8 x 8 x 8 cells") &&
                  strstr(f.text, "for instance 12"),
              "%s", f.text);
    t.machine->slices = 1;
    f = (struct htmt_fault){0};
    problem = problem_of(&large, 0);
    cr_assert_eq(htmt__pic_mpp_plan(t.machine, &problem, &large, &plan, &f), 0);
    cr_expect_eq(htmt__pic_mpp_fits(t.machine, &plan, &f), HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "expected at most the 524288 of a node's memory"), "%s", f.text);
    finish(&t);
    struct htmt__pic_particles start = start_of(&deck);
    t = plan_of(&free_of_charge, &deck, 4, 3);
    cr_expect_eq(play(&t, &deck, &start, 1, false), HTMT_ECAPACITY);
    cr_expect(strstr(htmt_emulator_fault(t.e)->text, "--mail has room for more"), "%s",
              htmt_emulator_fault(t.e)->text);
    finish(&t);
    struct htmt__pic_deck fast = deck;
    fast.species[0].drift[0] = 90; /* 9 cells a step */
    fast.n[0] = 32;
    htmt__pic_particles_destroy(&start);
    start = start_of(&fast);
    t = plan_of(&free_of_charge, &fast, 8, 0);
    cr_expect_eq(play(&t, &fast, &start, 1, false), HTMT_ERANGE);
    cr_expect(strstr(htmt_emulator_fault(t.e)->text, "move by more than the box of node"), "%s",
              htmt_emulator_fault(t.e)->text);
    htmt__pic_particles_destroy(&start);
    finish(&t);
}
