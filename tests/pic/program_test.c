/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parcel program of a plasma: particle for particle, field for field and record for record what
 * the serial program says, on any grid of slices; nobody is lost; one answer whatever the host
 * does.
 */
#include "apps/pic/check.h"
#include "apps/pic/closed_form.h"
#include "apps/pic/reference.h"
#include "tests/layers/machines.h"
#include "tests/pic/parcel_runner.h"
#include "tests/ranks/threads.h"
#include "tests/runtime/share.h"

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

/* A steep wave, in whose crests blocks begin with more particles than their bundle holds: which
 * particle lies where, all later sums and the history are the same. */
Test(program, begins_as_with_the_array_of_all_particles_on_any_number_of_threads)
{
    struct htmt__pic_deck deck = warm(12, 10, 9, 2);
    struct parcel_run set = {
        .machine = "htmt-oct98", .slices = 4, .edge = 4, .threads = 2, .seed = 7};
    deck.mode[0] = 1;
    deck.species[0].amplitude = 0.9;
    struct parcel_outcome out = {0};
    struct plasma array = parcels(&deck, &set, &out);
    for (set.begin_threads = 1; set.begin_threads <= 3; set.begin_threads++) {
        struct parcel_outcome begun = {0};
        struct plasma own = parcels(&deck, &set, &begun);
        cr_expect_eq(begun.predicted, out.predicted);
        cr_expect_eq(begun.hash, out.hash);
        cr_expect_eq(begun.traffic.spilled, out.traffic.spilled);
        cr_expect_gt(out.traffic.spilled, 0u);
        cr_expect_eq(memcmp(own.record, array.record, deck.steps * sizeof *own.record), 0);
        for (uint32_t s = 0; s < deck.species_count; s++)
            cr_expect_eq(memcmp(own.particles.of[s].at, array.particles.of[s].at,
                                own.particles.of[s].count * sizeof *own.particles.of[s].at),
                         0);
        release(&own);
    }
    release(&array);
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
    } cases[] = {
        {{12, 10, 9}, 2, 0},  {{12, 10, 9}, 4, 4}, {{13, 7, 5}, 3, 3},    {{16, 8, 8}, 16, 2},
        {{9, 11, 6}, 6, 1},   {{8, 1, 1}, 1, 3},   {{32, 4, 4}, 4, 10},   {{7, 5, 5}, 9, 4},
        {{4, 12, 12}, 12, 5}, {{6, 2, 3}, 2, 2},   {{16, 16, 16}, 64, 0}, {{1, 1, 1}, 1, 0},
        {{2, 1, 1}, 1, 0},    {{1, 2, 1}, 1, 0},   {{1, 1, 3}, 1, 0},     {{1, 6, 1}, 1, 1},
        {{1, 5, 7}, 2, 0},    {{2, 2, 2}, 4, 0},   {{31, 1, 1}, 1, 2},    {{13, 11, 17}, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += only_memory() ? 2 : 1) {
        struct htmt__pic_deck deck = warm(cases[i].n[0], cases[i].n[1], cases[i].n[2], 4);
        compare(&deck, &(struct parcel_run){.machine = "htmt-oct98",
                                            .slices = cases[i].slices,
                                            .edge = cases[i].edge,
                                            .threads = 2});
    }
}

/* ---- nobody is lost -------------------------------------------------------------------------- */

/* Particles that feel and make no field, with velocities of their own. */
static struct plasma free_flight(const struct htmt__pic_deck *deck,
                                 void (*launch)(struct htmt__pic_particle *, uint64_t number))
{
    struct plasma p = prepare(deck);
    for (uint32_t s = 0; s < p.particles.species; s++) {
        p.particles.of[s].charge = 0;
        for (uint64_t i = 0; i < p.particles.of[s].count; i++)
            launch(&p.particles.of[s].at[i], i);
    }
    return p;
}

static int by_velocity(const void *a, const void *b)
{
    const struct htmt__pic_particle *p = a, *q = b;
    return p->vx < q->vx ? -1 : p->vx > q->vx;
}

static double ring(double x, double n)
{
    x -= n * floor(x / n);
    return fmin(x, n - x);
}

/* The velocity names a particle: each is there once, with all six words, where it flies to. */
static void expect_flight(const struct plasma *before, const struct plasma *after)
{
    const struct htmt__pic_deck *d = &before->deck;
    for (uint32_t s = 0; s < before->particles.species; s++) {
        const struct htmt__pic_species *a = &before->particles.of[s];
        const struct htmt__pic_species *b = &after->particles.of[s];
        double t = d->dt * (double)d->steps;
        cr_assert_eq(a->count, b->count);
        qsort(a->at, a->count, sizeof *a->at, by_velocity);
        qsort(b->at, b->count, sizeof *b->at, by_velocity);
        for (uint64_t i = 0; i < a->count; i++) {
            const struct htmt__pic_particle *p = &a->at[i], *q = &b->at[i];
            cr_assert_eq(memcmp(&p->vx, &q->vx, 3 * sizeof p->vx), 0, "%u: %u", s, (unsigned)i);
            cr_assert_lt(ring(p->x + t * p->vx - q->x, d->n[0]), 1e-10);
            cr_assert_lt(ring(p->y + t * p->vy - q->y, d->n[1]), 1e-10);
            cr_assert_lt(ring(p->z + t * p->vz - q->z, d->n[2]), 1e-10);
        }
    }
    for (uint64_t n = 0; n < d->steps; n++)
        cr_assert_eq(after->record[n].particles,
                     (double)(before->particles.of[0].count + before->particles.of[1].count));
}

static double share(uint64_t number, double base)
{
    return fmod((double)number * base, 1);
}

/* Up to thirty cells a step, in all directions. */
static void far(struct htmt__pic_particle *q, uint64_t i)
{
    q->vx = 600 * (share(i, 0.6180339887498949) - 0.5);
    q->vy = 500 * (share(i, 0.7548776662466927) - 0.5);
    q->vz = 300 * (share(i, 0.5698402909980532) - 0.5);
}

/* Fly by parcels; everybody arrives. */
static struct parcel_outcome fly(const struct htmt__pic_deck *deck, const struct parcel_run *set,
                                 void (*launch)(struct htmt__pic_particle *, uint64_t number))
{
    struct plasma before = free_flight(deck, launch), after = free_flight(deck, launch);
    struct parcel_outcome out = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(run_parcels(set, deck, &after.particles, after.record, NULL, &out, &fault), 0,
                 "%s", fault.text);
    expect_flight(&before, &after);
    release(&before);
    release(&after);
    return out;
}

Test(program, no_particle_is_lost_or_doubled_however_far_it_flies)
{
    struct htmt__pic_deck deck = warm(16, 8, 8, 3);
    for (uint32_t slices = 1; slices <= 16; slices *= 4) {
        struct parcel_run set = {
            .machine = "htmt-oct98", .slices = slices, .edge = 2, .threads = 2};
        cr_expect_gt(fly(&deck, &set, far).traffic.migrated, 6000);
    }
}

/* Towards a place on x, nearer by a factor in the time of the test. */
static double nearer, place;

static void gather_up(struct htmt__pic_particle *q, uint64_t i)
{
    q->vx = (place - q->x) * (1 - nearer) / 0.3 + 1e-9 * (double)i;
    q->vy = q->vz = 0;
}

Test(program, a_block_with_too_many_particles_spills_into_further_parcels)
{
    struct htmt__pic_deck deck = warm(16, 4, 4, 3);
    struct parcel_run set = {.machine = "htmt-oct98", .slices = 2, .edge = 4, .threads = 2};
    nearer = 0.45, place = 8;
    struct parcel_outcome out = fly(&deck, &set, gather_up);
    cr_expect_gt(out.traffic.spilled, 0);
    /* one flop for each of the 6 x 4 x 6 points of each bundle's tile */
    cr_expect_eq((uint64_t)out.sum.ops[HTMT_FLOP], 144 * out.deposit.count);
}

/* Where all particles gather, a team takes bundles as long as DRAM has room. */
Test(program, a_team_holds_all_particles_of_the_box_while_dram_has_room)
{
    struct htmt__pic_deck deck = warm(16, 4, 4, 3);
    nearer = 0.15, place = 6;
    for (uint32_t slices = 1; slices <= 4; slices *= 2) {
        struct parcel_run set = {.machine = "htmt-oct98",
                                 .slices = slices,
                                 .edge = 4,
                                 .threads = 2,
                                 .mail = 2000,
                                 .checked = slices == 4};
        cr_expect_gt(fly(&deck, &set, gather_up).traffic.spilled, 0);
    }
}

static int run_gathered(const struct htmt__pic_deck *deck, const struct parcel_run *set,
                        struct htmt_fault *fault)
{
    struct plasma p = free_flight(deck, gather_up);
    int rc = run_parcels(set, deck, &p.particles, p.record, NULL, NULL, fault);
    release(&p);
    return rc;
}

/* All of a species land in the middle: the first team of slice 1, or of slice 0. */
Test(program, more_particles_than_a_mailbox_holds_are_refused_by_name)
{
    struct htmt__pic_deck deck = warm(16, 4, 4, 1);
    struct htmt_fault fault = {0};
    struct parcel_run set = {
        .machine = "htmt-oct98", .slices = 2, .edge = 4, .threads = 2, .mail = 100};
    nearer = 0.001, place = 10;
    cr_expect_eq(run_gathered(&deck, &set, &fault), HTMT_ECAPACITY);
    cr_expect(strstr(fault.text, "step 0: found ") && strstr(fault.text, " of slice ") &&
                  strstr(fault.text, ", expected at most 100, which its mailbox holds; --mail"),
              "%s", fault.text);
}

/* The line names the words that are missing, and with them the run goes on. */
Test(program, where_dram_has_no_room_for_a_bundle_the_line_says_how_much_it_takes)
{
    struct htmt__pic_deck deck = warm(16, 4, 4, 3);
    struct htmt_fault fault = {0};
    struct parcel_run set = {.machine = "htmt-oct98",
                             .set = "layers.dram.memory.capacity=90000words",
                             .slices = 1,
                             .edge = 4,
                             .threads = 2};
    nearer = 0.15, place = 6;
    cr_expect_eq(run_gathered(&deck, &set, &fault), HTMT_ECAPACITY);
    cr_expect(strstr(fault.text,
                     "particles find no room in the 4 bundles of 384 of a team in slice "
                     "0: DRAM leaves room for no more; expected 20224 more words"),
              "%s", fault.text);
    set.set = "layers.dram.memory.capacity=110224words";
    cr_expect_eq(run_gathered(&deck, &set, &fault), 0, "%s", fault.text);
}

/* 60 bundles are too few: larger ones hold the same particles. */
Test(program, the_advice_to_take_larger_bundles_is_true)
{
    struct htmt__pic_deck deck = warm(128, 1, 1, 3);
    struct htmt_fault fault = {0};
    struct parcel_run set = {
        .machine = "htmt-oct98", .slices = 1, .edge = 1, .threads = 2, .mail = 40000};
    deck.species[0].per_cell[0] = 128;
    nearer = 0.0001, place = 6.5;
    cr_expect_eq(run_gathered(&deck, &set, &fault), HTMT_ECAPACITY);
    const char *advice = strstr(fault.text, "expected larger bundles: --ng ");
    cr_assert(advice && strstr(fault.text, " the 60 bundles of 384 "), "%s", fault.text);
    set.edge = (uint32_t)strtoul(strrchr(advice, ' '), NULL, 10);
    fault = (struct htmt_fault){0};
    cr_expect_eq(run_gathered(&deck, &set, &fault), 0, "%s", fault.text);
}

static void nowhere(struct htmt__pic_particle *q, uint64_t i)
{
    q->vx = i == 5 ? NAN : 0;
}

Test(program, a_position_that_is_no_number_ends_the_run_with_a_line)
{
    struct htmt__pic_deck deck = warm(8, 4, 4, 2);
    struct htmt_fault fault = {0};
    struct plasma p = free_flight(&deck, nowhere);
    struct parcel_run set = {.machine = "htmt-oct98", .slices = 1, .threads = 2};
    cr_expect_eq(run_parcels(&set, &deck, &p.particles, p.record, NULL, NULL, &fault), HTMT_ERANGE);
    cr_expect(strstr(fault.text, "step 0: 1 particles have positions that are no numbers"), "%s",
              fault.text);
    release(&p);
}

/* ---- one answer ------------------------------------------------------------------------------ */

Test(program, same_bits_and_history_whatever_the_host_threads_and_delays)
{
    struct htmt__pic_deck deck = warm(12, 8, 8, 4);
    const struct parcel_run one = {.machine = "htmt-oct98", .slices = 4, .edge = 4, .threads = 1};
    struct parcel_outcome a = {0}, b = {0};
    struct plasma first = parcels(&deck, &one, &a);
    for (uint32_t threads = 2; threads <= 4; threads++) {
        struct parcel_run many = one;
        many.threads = threads;
        many.delay_seed = 3 * threads;
        struct plasma other = parcels(&deck, &many, &b);
        cr_expect_eq(a.hash, b.hash);
        cr_expect_eq(a.predicted, b.predicted);
        for (uint32_t s = 0; s < 2; s++)
            cr_expect_eq(memcmp(first.particles.of[s].at, other.particles.of[s].at,
                                first.particles.of[s].count * sizeof *other.particles.of->at),
                         0);
        cr_expect_eq(memcmp(first.record, other.record, deck.steps * sizeof *first.record), 0);
        release(&other);
    }
    release(&first);
}

Test(program, kernels_touch_only_what_was_declared)
{
    struct htmt__pic_deck deck = warm(8, 6, 6, 2);
    struct parcel_outcome out = {0};
    struct plasma p =
        parcels(&deck,
                &(struct parcel_run){
                    .machine = "htmt-oct98", .slices = 4, .edge = 3, .threads = 2, .checked = true},
                &out);
    struct plasma s = serial(&deck);
    expect_same(&s, &p, "checked");
    release(&p);
    release(&s);
}

/* ---- time ------------------------------------------------------------------------------------ */

static htmt_time model_of(const struct htmt__pic_deck *deck, uint32_t slices, bool double_buffer,
                          htmt_time *closed, struct htmt__pic_plan *plan)
{
    struct htmt_emulator *e = NULL;
    struct htmt__pic_program *program = NULL;
    struct htmt__pic_problem problem = problem_of(deck);
    struct htmt__pic_prediction p;
    struct htmt_fault fault = {0};
    problem.double_buffer = double_buffer;
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    m->slices = slices;
    cr_assert_eq(htmt__pic_plan(m, &problem, plan, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__pic_predict(m, plan, deck->steps, &p, &fault), 0, "%s", fault.text);
    *closed = (htmt_time)p.total;
    cr_assert_eq(
        htmt_emulator_create(&e, &(struct htmt_options){.machine = m, .mode = HTMT_MODEL}, NULL),
        0);
    cr_assert_eq(htmt__pic_program_create(e, plan, deck, NULL, &program, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    htmt_time predicted = htmt_predicted(e);
    htmt_emulator_destroy(&e);
    htmt__pic_program_destroy(&program);
    htmt_machine_destroy(&m);
    return predicted;
}

/* Cold electrons that rest: nobody leaves a block, as a model run has it. */
Test(program, a_model_of_a_plasma_at_rest_is_its_run_to_the_femtosecond)
{
    struct htmt__pic_deck deck = warm(12, 8, 8, 3);
    struct htmt__pic_plan plan;
    struct parcel_outcome out = {0};
    htmt_time closed;
    deck.species_count = 1;
    deck.species[0].start = HTMT__PIC_LATTICE;
    memset(deck.species[0].thermal, 0, sizeof deck.species[0].thermal);
    struct plasma p = parcels(
        &deck, &(struct parcel_run){.machine = "htmt-oct98", .slices = 4, .threads = 2}, &out);
    cr_expect_eq(out.traffic.migrated, 0);
    cr_expect_eq(out.predicted, model_of(&deck, 4, false, &closed, &plan));
    release(&p);
}

/* Blocks that random numbers fill a little more or less, particles that fly by their thermal
 * velocity: what the model takes for both is near. */
Test(program, a_model_of_a_warm_plasma_comes_near_its_run)
{
    struct htmt__pic_deck deck = warm(16, 16, 16, 4);
    static const uint32_t slices[] = {1, 4, 16};
    for (size_t i = 0; i < 3; i++) {
        struct htmt__pic_plan plan;
        struct parcel_outcome out = {0};
        htmt_time closed, model = model_of(&deck, slices[i], false, &closed, &plan);
        struct parcel_run set = {.machine = "htmt-oct98", .slices = slices[i], .threads = 2};
        struct plasma p = parcels(&deck, &set, &out);
        double ratio = (double)model / (double)out.predicted;
        cr_expect(ratio > 0.85 && ratio < 1.05, "%u slices: %g", slices[i], ratio);
        release(&p);
    }
}

Test(program, the_sum_of_phases_comes_near_the_emulation)
{
    static const struct {
        uint32_t n[3], slices;
    } cases[] = {{{16, 16, 16}, 1},  {{40, 40, 40}, 1},    {{32, 4, 4}, 4},
                 {{64, 64, 64}, 16}, {{64, 128, 128}, 64}, {{128, 64, 64}, 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct htmt__pic_deck deck = warm(cases[i].n[0], cases[i].n[1], cases[i].n[2], 2);
        struct htmt__pic_plan plan;
        htmt_time closed, emulated = model_of(&deck, cases[i].slices, false, &closed, &plan);
        double ratio = (double)closed / (double)emulated;
        cr_expect(ratio > 0.85 && ratio < 1.2, "%u slices, %u^3: %g", cases[i].slices,
                  cases[i].n[0], ratio);
    }
}

Test(program, with_double_buffers_two_parcels_fit_and_the_spell_waits_less)
{
    struct htmt__pic_deck deck = warm(39, 39, 39, 1);
    struct htmt__pic_plan one, two;
    htmt_time closed;
    deck.species[0].per_cell[0] = 4;
    htmt_time single = model_of(&deck, 1, false, &closed, &one);
    htmt_time both = model_of(&deck, 1, true, &closed, &two);
    cr_expect_eq(one.buffers, 1);
    cr_expect_geq(two.buffers, 2);
    cr_expect_lt(two.edge, one.edge);
    cr_expect_lt(both, single);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

#define RANKS_MOST 4u

struct party {
    const struct htmt__pic_deck *deck;
    uint32_t clock_threads;
    struct plasma of[RANKS_MOST];
    struct parcel_outcome out[RANKS_MOST];
};

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    struct party *p = user;
    struct plasma *own = &p->of[rank->rank];
    struct htmt_fault fault = {0};
    struct parcel_run set = {.machine = "small-htmt",
                             .slices = 6,
                             .threads = 2,
                             .clock_threads = p->clock_threads,
                             .ranks = rank};
    *own = prepare(p->deck);
    return run_parcels(&set, p->deck, &own->particles, own->record, &own->fields,
                       &p->out[rank->rank], &fault);
}

static void expect_equal(const struct htmt__pic_deck *d, const struct plasma *a,
                         const struct plasma *b)
{
    size_t fields = HTMT__PIC_FIELDS * htmt__pic_deck_cells(d);
    cr_expect_arr_eq(a->record, b->record, d->steps * sizeof *a->record);
    cr_expect_arr_eq(a->fields.at, b->fields.at, fields * sizeof *a->fields.at);
    for (uint32_t s = 0; s < d->species_count; s++) {
        const struct htmt__pic_species *c = &a->particles.of[s];
        cr_assert_eq(c->count, b->particles.of[s].count);
        cr_expect_arr_eq(c->at, b->particles.of[s].at, c->count * sizeof *c->at);
    }
}

/* Rank 0 gathers, bit for bit; every rank knows what all have counted. */
Test(program, ranks_end_with_the_plasma_of_one_process)
{
    struct htmt__pic_deck deck = warm(7, 9, 8, 3);
    struct parcel_outcome one_out;
    struct plasma one =
        parcels(&deck, &(struct parcel_run){.machine = "small-htmt", .slices = 6}, &one_out);
    for (uint32_t count = 2; count <= RANKS_MOST; count++) {
        struct party p = {.deck = &deck, .clock_threads = 1 + count % 2};
        int rc[RANKS_MOST];
        cr_assert_eq(ranks_threads_play(count, play_rank, &p, rc), 0);
        expect_equal(&deck, &one, &p.of[0]);
        for (uint32_t i = 0; i < count; i++) {
            cr_expect_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_strerror(rc[i]));
            cr_expect_eq(p.out[i].hash, one_out.hash);
            cr_expect_eq(p.out[i].predicted, one_out.predicted);
            cr_expect_eq(p.out[i].traffic.migrated, one_out.traffic.migrated);
            release(&p.of[i]);
        }
    }
    release(&one);
}
