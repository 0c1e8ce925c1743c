/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a plasma lies on a machine: sizes against the papers' arithmetic, ownership against counting,
 * refusals with their arithmetic.
 */
#include "apps/lib/task_parts.h"
#include "apps/pic/plan.h"
#include "apps/pic/settings.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct htmt_machine *load(const char *set, uint32_t slices)
{
    struct htmt_machine *m = machine_load("htmt-oct98", set);
    m->slices = slices;
    return m;
}

static struct htmt__pic_problem box(uint32_t nx, uint32_t ny, uint32_t nz, uint64_t per_cell)
{
    return (struct htmt__pic_problem){
        .n = {nx, ny, nz}, .species = 1, .per_cell = {per_cell}, .charges = htmt__pic_own_charges};
}

static struct htmt__pic_plan plan(const struct htmt_machine *m,
                                  const struct htmt__pic_problem *problem)
{
    struct htmt__pic_plan p;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_plan(m, problem, &p, &fault), 0, "%s", fault.text);
    return p;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* (N_G + 2)^3 points of three words, 6 N_P N_G^3 words of particles, a bit of each, 8 words. */
static uint64_t words(uint64_t edge, uint64_t per_cell)
{
    uint64_t cells = edge * edge * edge, guarded = (edge + 2) * (edge + 2) * (edge + 2);
    return 3 * guarded + 6 * per_cell * cells + (per_cell * cells + 63) / 64 + 8;
}

Test(plan, the_edge_is_the_largest_whose_parcel_fits_cram_and_with_double_buffers_twice)
{
    struct htmt_machine *m = load(NULL, 1);
    for (uint64_t per_cell = 1; per_cell <= 1024; per_cell *= 2)
        for (int twice = 0; twice < 2; twice++) {
            struct htmt__pic_problem problem = box(24, 24, 24, per_cell);
            problem.double_buffer = twice != 0;
            struct htmt__pic_plan p = plan(m, &problem);
            uint64_t room = UINT64_C(131072) / (twice ? 2u : 1u);
            cr_expect_leq(words(p.edge, per_cell), room);
            cr_expect_gt(words(p.edge + 1u, per_cell), room);
            cr_expect_eq(p.parcel_words, words(p.edge, per_cell));
            cr_expect_geq(p.buffers, twice ? 2 : 1);
        }
    htmt_machine_destroy(&m);
}

Test(plan, sixteen_particles_a_cell_make_ten_cells_an_edge)
{
    struct htmt_machine *m = load(NULL, 1);
    struct htmt__pic_problem problem = box(40, 40, 40, 16);
    cr_expect_eq(plan(m, &problem).edge, 10);
    htmt_machine_destroy(&m);
}

/* ---- ownership ------------------------------------------------------------------------------ */

/* Every cell lies in exactly one block of one slice, where the owner finds it. */
static void expect_partition(const struct htmt__pic_plan *p)
{
    const uint32_t *n = p->problem.n;
    struct htmt_fault fault = {0};
    struct htmt__pic_block_owner owner;
    uint32_t *owners = calloc((size_t)n[0] * n[1] * n[2], sizeof *owners);
    cr_assert(owners);
    cr_assert_eq(htmt__pic_block_owner_create(p, &owner, &fault), 0);
    for (uint32_t s = 0; s < p->slices; s++)
        for (uint32_t b = 0; b < htmt__pic_block_count(p, s); b++) {
            struct htmt__pic_box x = htmt__pic_block_box(p, s, b);
            cr_assert(htmt__pic_cells(&x) > 0);
            for (int a = 0; a < 3; a++)
                cr_assert_leq(x.n[a], p->block[a]);
            for (uint64_t i = 0; i < htmt__pic_cells(&x); i++) {
                const uint32_t c[3] = {(uint32_t)(x.lo[0] + i % x.n[0]),
                                       (uint32_t)(x.lo[1] + i / x.n[0] % x.n[1]),
                                       (uint32_t)(x.lo[2] + i / x.n[0] / x.n[1])};
                struct htmt__pic_particle q = {.x = c[0] + 0.5, .y = c[1], .z = c[2] + 0.999};
                struct htmt__pic_home home = htmt__pic_home_of(&owner, &q);
                owners[((size_t)c[2] * n[1] + c[1]) * n[0] + c[0]]++;
                cr_assert(home.slice == s && home.block == b);
                cr_assert_leq(htmt__pic_team_first(p, htmt__pic_block_count(p, s), home.team), b);
                cr_assert_gt(htmt__pic_team_first(p, htmt__pic_block_count(p, s), home.team + 1),
                             b);
            }
        }
    for (size_t i = 0; i < (size_t)n[0] * n[1] * n[2]; i++)
        cr_assert_eq(owners[i], 1);
    htmt__pic_block_owner_destroy(&owner);
    free(owners);
}

Test(plan, every_cell_belongs_to_one_block_of_one_slice)
{
    static const uint32_t cases[][5] = {{12, 10, 9, 4, 4}, {13, 7, 5, 3, 3},    {32, 4, 4, 4, 10},
                                        {1, 1, 1, 1, 1},   {16, 16, 16, 64, 2}, {40, 11, 7, 6, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *k = cases[i];
        struct htmt_machine *m = load(NULL, k[3]);
        struct htmt__pic_problem problem = box(k[0], k[1], k[2], 16);
        problem.edge = k[4];
        struct htmt__pic_plan p = plan(m, &problem);
        expect_partition(&p);
        htmt_machine_destroy(&m);
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(const struct htmt_machine *m, const struct htmt__pic_problem *problem, int code,
                   const char *text)
{
    struct htmt__pic_plan p;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__pic_plan(m, problem, &p, &fault), code, "%s", fault.text);
    cr_expect(strstr(fault.text, text), "found: %s\nexpected: %s", fault.text, text);
}

Test(plan, what_does_not_fit_is_refused_with_the_arithmetic)
{
    struct htmt_machine *m = load(NULL, 4), *tiny = load("layers.cram.memory.capacity=1 KiB", 4);
    struct htmt_machine *flat = load("layers.dram.memory.capacity=1 MiB", 4);
    struct htmt_machine *many = load(NULL, 64);
    struct htmt__pic_problem problem = box(40, 40, 40, 16);
    refuse(tiny, &problem, HTMT_ECAPACITY,
           "a push parcel of 1^3 cells with 16 particles each takes 186 words (code 0, field 81), "
           "CRAM has 128");
    refuse(flat, &problem, HTMT_ECAPACITY, "DRAM has 131072; expected fewer particles");
    problem.edge = 11;
    refuse(m, &problem, HTMT_ECAPACITY, "a push parcel of 11^3 cells");
    refuse(m, &problem, HTMT_ECAPACITY, "; expected --ng 10 or less");
    problem = box(32, 4, 4, 16);
    refuse(many, &problem, HTMT_EINVAL, "64 slices are 8 x 8 pencils, too many for 32 x 4 x 4");
    refuse(many, &problem, HTMT_EINVAL, "; expected fewer: --slices 16");
    problem = box(32, 4, 4, 0);
    refuse(m, &problem, HTMT_ERANGE, "found 0 particles a cell");
    htmt_machine_destroy(&m);
    htmt_machine_destroy(&tiny);
    htmt_machine_destroy(&flat);
    htmt_machine_destroy(&many);
}

/* The number behind the text. */
static uint32_t advised(const struct htmt_machine *m, const struct htmt__pic_problem *problem,
                        bool alike, const char *text)
{
    struct htmt__pic_plan p;
    struct htmt_fault fault = {0};
    int rc = htmt__pic_plan(m, problem, &p, &fault);
    if (!rc && alike)
        rc = htmt__pic_plan_alike(&p, &fault);
    const char *at = strstr(fault.text, text);
    cr_assert(rc && at, "%s", fault.text);
    return (uint32_t)strtoul(at + strlen(text), NULL, 10);
}

Test(plan, a_refusal_names_a_number_of_slices_that_works)
{
    struct htmt_machine *m = load("layers.dram.memory.capacity=8 MiB", 4);
    struct htmt__pic_problem dense = box(40, 40, 40, 16), thin = box(31, 6, 9, 2), prime = thin;
    m->slices = advised(m, &dense, false, "or more slices: --slices ");
    cr_expect_gt(m->slices, 4);
    plan(m, &dense);
    m->slices = 97;
    m->slices = advised(m, &thin, false, "expected fewer: --slices ");
    cr_expect_eq(m->slices, 36);
    plan(m, &thin);
    prime.n[1] = 7;
    for (m->slices = 4; m->slices <= 16; m->slices *= 2) {
        uint32_t many = m->slices;
        m->slices = advised(m, &prime, true, ", as with --slices ");
        struct htmt__pic_plan p = plan(m, &prime);
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt__pic_plan_alike(&p, &fault), 0, "%s", fault.text);
        m->slices = many;
    }
    htmt_machine_destroy(&m);
}

/* ---- cost file ------------------------------------------------------------------------------ */

Test(costs, the_file_has_the_constants_of_the_paper)
{
    struct htmt__pic_costs c;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_costs_read(&(struct htmt_request){.costs = "pic-hereld"}, &c, &fault), 0,
                 "%s", fault.text);
    cr_expect_eq(c.per_cell, 16);
    cr_expect_eq(c.edge, 10);
    cr_expect_eq(c.steps, 10000);
    cr_expect_eq(c.charges.flop, 200);
    cr_expect_eq(c.charges.useful.num * 100, c.charges.useful.den * 88);
    cr_expect_eq(c.charges.assembly, 140500);
    cr_expect_eq(c.charges.dispatch, 37900);
    cr_expect_eq(c.charges.code + 3 * 11 * 11 * 11 + 6 * 16 * 1000, 101000);
}
