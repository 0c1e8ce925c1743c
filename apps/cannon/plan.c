/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Block sizes from capacities, by the rule in plan.h.
 *
 * An example: n = 1000 on a grid of s = 2, with room in CRAM for b_c = 124 and in SRAM for
 * t b_c = 300. A SPELL has e = 500 rows, which take g = ceil(500 / 124) = 5 subblocks a side; SRAM
 * holds floor(300 / 124) = 2 of them, so q = ceil(5 / 2) = 3 products a side of t = ceil(5 / 3) = 2
 * subblocks. These 6 need only b_c = ceil(500 / 6) = 84, and the padded size is 3 2 2 84 = 1008.
 */
#include "apps/cannon/plan.h"

#include "apps/lib/chain.h"
#include "runtime/base/wide.h"

#include <inttypes.h>

#define WHO   "Cannon's multiply"
#define N_MAX (UINT64_C(1) << 31)

/* floor(sqrt(x)), bit by bit: the same on every host. */
static uint64_t root(uint64_t x)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= x)
            r |= bit;
    return r;
}

uint64_t htmt__cannon_longest(const struct htmt__cannon_problem *p)
{
    uint64_t n = p->rows > p->inner ? p->rows : p->inner;
    return n > p->cols ? n : p->cols;
}

uint64_t htmt__cannon_length(const struct htmt__cannon_problem *p, enum htmt__cannon_dimension d)
{
    return d == HTMT__CANNON_M ? p->rows : d == HTMT__CANNON_K ? p->inner : p->cols;
}

/* Largest t b_c. */
static uint64_t sram_side(const struct htmt_machine *m, const struct htmt__cannon_plan *p)
{
    return root(htmt_machine_room(m, p->middle) / HTMT__CANNON_BUNDLES);
}

/* The line ends in what the memory has, so that the arithmetic can be followed. */
static int too_small(const struct htmt_machine *m, uint32_t layer, uint64_t parts, const char *what,
                     uint64_t side, struct htmt_fault *fault)
{
    const struct htmt_memory *memory = &m->layer[layer].memory;
    htmt_uwide words = (htmt_uwide)side * side * parts;
    uint64_t shown = words > UINT64_MAX ? UINT64_MAX : (uint64_t)words;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%" PRIu64 " %s of %" PRIu64 " x %" PRIu64 " words = %" PRIu64
                          " words, %s has %" PRIu64 " - %" PRIu64 " reserve = %" PRIu64,
                          parts, what, side, side, shown, memory->name, memory->capacity,
                          memory->reserve, htmt_machine_room(m, layer));
}

/* The three layers, the networks between them, and the grid, of g_m rows; 0: square. */
static int find_place(const struct htmt_machine *m, struct htmt__cannon_plan *p, uint64_t g_m,
                      struct htmt_fault *fault)
{
    int rc = htmt_chain_layers(m, WHO, &p->outer, &p->middle, &p->inner, fault);
    if (!rc)
        rc = htmt_chain_network(m, WHO, p->middle, p->inner, false, &p->up, fault);
    if (!rc)
        rc = htmt_chain_network(m, WHO, p->outer, p->middle, false, &p->down, fault);
    p->exchange = p->up; /* which nobody asks where one slice has no others */
    if (!rc && m->slices > 1)
        rc = htmt_chain_network(m, WHO, p->inner, p->inner, true, &p->exchange, fault);
    const uint64_t side = root(m->slices), rows = g_m ? g_m : side,
                   cols = g_m ? htmt_most(m->slices / rows, 1) : rows;
    uint64_t common = rows;
    while (common % cols)
        common += rows;
    p->of[HTMT__CANNON_M].s = rows;
    p->of[HTMT__CANNON_N].s = cols;
    p->of[HTMT__CANNON_K].s = p->s = common;
    if (rc || rows * cols == m->slices)
        return rc;
    if (g_m)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%" PRIu32 " slices make no grid of %" PRIu64 " rows", m->slices,
                              g_m);
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "%" PRIu32 " slices make no square grid; expected %" PRIu64 " or %" PRIu64
                          ", for instance",
                          m->slices, side * side, (side + 1) * (side + 1));
}

/* Largest subblock that both memories hold, with t of them a side in SRAM when t is given. */
static int bound_subblock(const struct htmt_machine *m, struct htmt__cannon_plan *p, uint64_t side,
                          struct htmt_fault *fault)
{
    uint64_t t = p->problem.t ? p->problem.t : 1;
    uint64_t fits = root(htmt_machine_room(m, p->inner) / HTMT__CANNON_SUBBLOCKS);
    if (fits == 0)
        return too_small(m, p->inner, HTMT__CANNON_SUBBLOCKS, "subblocks", 1, fault);
    if (side / t == 0)
        return too_small(m, p->middle, HTMT__CANNON_BUNDLES, "bundles", t, fault);
    p->b_c_most = htmt_least(fits, side / t);
    uint64_t given = p->problem.b_c;
    if (given > fits)
        return too_small(m, p->inner, HTMT__CANNON_SUBBLOCKS, "subblocks", given, fault);
    if (given > side / t)
        return too_small(m, p->middle, HTMT__CANNON_BUNDLES, "bundles", t * given, fault);
    return 0;
}

uint64_t htmt__cannon_fed(const struct htmt_machine *m, const struct htmt__cannon_problem *problem)
{
    struct htmt__cannon_plan p = {.problem = *problem};
    uint64_t most = root(m->slices), t = problem->t ? problem->t : 1;
    if (htmt_chain_layers(m, WHO, &p.outer, &p.middle, &p.inner, NULL) ||
        bound_subblock(m, &p, sram_side(m, &p), NULL))
        return most;
    htmt_uwide block = (htmt_uwide)t * (problem->b_c ? problem->b_c : p.b_c_most);
    htmt_uwide side = htmt__cannon_longest(problem) / block;
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++) {
        uint64_t length = htmt__cannon_length(problem, (enum htmt__cannon_dimension)d);
        side = side < length ? side : length;
    }
    return side < 1 ? 1 : side < most ? (uint64_t)side : most;
}

/* Of so many lines of `length` pieces, into how many parts each is to be cut, so that the longest
 * of `servers` has the fewest pieces: 10 lines of 67 on 128 take 12 parts, of at most 6. */
static uint64_t even_parts(uint64_t lines, uint64_t length, uint64_t servers)
{
    uint64_t parts = 1, least = UINT64_MAX;
    for (uint64_t n = 1; n <= length && n <= htmt_ceil_div(4 * servers, lines); n++) {
        uint64_t pieces = htmt_ceil_div(lines * n, servers) * htmt_ceil_div(length, n);
        parts = pieces < least ? n : parts;
        least = htmt_least(least, pieces);
    }
    return parts;
}

uint64_t htmt__cannon_deal(const struct htmt__cannon_plan *p, unsigned which, uint64_t dpims,
                           uint64_t *parts, uint64_t *groups)
{
    const uint64_t rows = htmt__cannon_rows(p, which), cols = htmt__cannon_cols(p, which),
                   lines = which == 1 ? cols : rows, along = which == 1 ? rows : cols,
                   b = htmt__cannon_down(p, which)->b;
    *parts = htmt_least(htmt_ceil_div(dpims, lines), b);
    *groups =
        htmt__cannon_is_square(p) ? 1 : htmt_least(htmt_ceil_div(dpims, lines * *parts), along);
    if (!htmt__cannon_grid_is_square(p)) {
        *parts = even_parts(lines, b, dpims);
        *groups = even_parts(lines * *parts, along, dpims);
    }
    return htmt_ceil_div(lines * *parts * *groups, dpims) * htmt_ceil_div(b, *parts) *
           htmt_ceil_div(along, *groups);
}

/* As too_small() of squares, for matrices of three sizes. */
static int no_room(const struct htmt_machine *m, const struct htmt__cannon_plan *p, uint32_t layer,
                   uint64_t times, const char *what, uint64_t side, htmt_uwide words,
                   struct htmt_fault *fault)
{
    const struct htmt_memory *memory = &m->layer[layer].memory;
    if (htmt__cannon_is_square(p))
        return too_small(m, layer, times * HTMT__CANNON_BUNDLES, what, side, fault);
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%s take %" PRIu64 " words, %s has %" PRIu64 " - %" PRIu64
                          " reserve = %" PRIu64,
                          what, words > UINT64_MAX ? UINT64_MAX : (uint64_t)words, memory->name,
                          memory->capacity, memory->reserve, htmt_machine_room(m, layer));
}

/* DRAM holds a slice's share of A, B and C of one product and their images for SRAM. All q x q
 * blocks of each lie there too when they fit; otherwise in the outermost layer. */
static int place(const struct htmt_machine *m, struct htmt__cannon_plan *p,
                 struct htmt_fault *fault)
{
    htmt_uwide images = 0, matrices = 0;
    uint64_t outer = htmt_machine_room(m, p->outer), home = htmt_machine_room(m, 0);
    p->inner_words = 0;
    for (unsigned i = 0; i < HTMT__CANNON_BUNDLES; i++) {
        images += htmt__cannon_bundle(p, i);
        matrices += (htmt_uwide)htmt__cannon_share_rows(p, i) * htmt__cannon_share_cols(p, i);
        p->inner_words += (i < 2 ? HTMT__CANNON_SUBBLOCKS / 2 : 1) * htmt__cannon_subblock(p, i);
    }
    bool here = matrices + images <= outer;
    p->home = here ? p->outer : 0;
    if (!here && (p->outer == 0 || matrices > home))
        return no_room(m, p, p->home, 1, "matrices' shares", p->q * p->t * p->b_c, matrices, fault);
    if (!here && 2 * images > outer)
        return no_room(m, p, p->outer, 2, "bundles", p->t * p->b_c, 2 * images, fault);
    p->middle_words = (uint64_t)images;
    p->outer_words = (uint64_t)(here ? matrices + images : 2 * images);
    p->home_words = (uint64_t)matrices;
    return 0;
}

/* How a dimension is divided by the rule over s SPELLs; `side`: largest t b_c. */
static struct htmt__cannon_extent divide(const struct htmt__cannon_plan *p, uint64_t length,
                                         uint64_t s, uint64_t side)
{
    const struct htmt__cannon_problem *o = &p->problem;
    const bool longest = length == htmt__cannon_longest(o);
    const uint64_t e = htmt_ceil_div(length, s);
    uint64_t b = htmt_least(o->b_c ? o->b_c : p->b_c_most, side);
    uint64_t t = htmt_least(o->t, side / b);
    b = longest || b < e ? b : e;
    const uint64_t g = htmt_ceil_div(e, b);
    t = longest || t < g ? t : g;
    struct htmt__cannon_extent x = {.s = s, .q = htmt_ceil_div(g, t ? t : side / b)};
    x.t = t ? t : htmt_ceil_div(g, x.q);
    x.b = o->b_c ? b : htmt_ceil_div(e, x.q * x.t);
    return x;
}

int htmt__cannon_plan(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                      struct htmt__cannon_plan *plan, struct htmt_fault *fault)
{
    return htmt__cannon_plan_on(m, problem, 0, plan, fault);
}

int htmt__cannon_plan_on(const struct htmt_machine *m, const struct htmt__cannon_problem *problem,
                         uint64_t g_m, struct htmt__cannon_plan *plan, struct htmt_fault *fault)
{
    struct htmt__cannon_plan p = {.problem = *problem, .charges = HTMT__CANNON_OWN_CHARGES};
    uint64_t n = htmt__cannon_longest(problem);
    if (!problem->rows || !problem->inner || !problem->cols || n > N_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "found a product of %" PRIu64 " x %" PRIu64 " x %" PRIu64
                              ", expected sizes from 1 to %" PRIu64,
                              problem->rows, problem->inner, problem->cols, N_MAX);
    if (problem->b_c > N_MAX || problem->t > N_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "found b_c = %" PRIu64 ", t = %" PRIu64 ", expected at most %" PRIu64,
                              problem->b_c, problem->t, N_MAX);
    int rc = find_place(m, &p, g_m, fault);
    if (rc)
        return rc;
    uint64_t side = sram_side(m, &p);
    if ((rc = bound_subblock(m, &p, side, fault)))
        return rc;
    const uint64_t owned = htmt_most(htmt__cannon_owned(&p, 0), htmt__cannon_owned(&p, 1));
    if (owned > side)
        return too_small(m, p.middle, HTMT__CANNON_BUNDLES, "bundles", owned, fault);
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++)
        p.of[d] = divide(&p, htmt__cannon_length(problem, (enum htmt__cannon_dimension)d),
                         p.of[d].s, d == HTMT__CANNON_K ? side / owned : side);
    const struct htmt__cannon_extent *x = p.of;
    while (htmt__cannon_length(problem, (enum htmt__cannon_dimension)(x - p.of)) != n)
        x++;
    p.q = x->q;
    p.t = x->t;
    p.b_c = x->b;
    p.t_most = (x == &p.of[HTMT__CANNON_K] ? side / owned : side) / p.b_c;
    p.dimension = htmt__cannon_padded(x);
    if ((rc = place(m, &p, fault)))
        return rc;
    *plan = p;
    return 0;
}
