/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes from capacities, and the owners of cells and blocks.
 *
 * What is chosen, in this order: the edge of a block, so that a push parcel with the mean number of
 * particles fits CRAM; the pencils, as square as the number of slices allows; the blocks, as equal
 * as the edge allows; the room of a bundle, a quarter above the mean if CRAM has it; the teams, one
 * for each DPIM; the lines of a transform that a parcel takes; last the spare bundles, out of the
 * DRAM that is left.
 */
#include "apps/pic/plan.h"

#include "apps/lib/chain.h"
#include "apps/pic/counts.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WHO        "a plasma"
#define EDGE_MOST  1024u
#define CELLS_MOST (UINT32_C(1) << 20) /* along an axis */
/* Words of DRAM that must be left for each word of a spare bundle. */
#define SPARE_SHARE 2
/* Most slices that a line advises. */
#define SLICES_MOST 65536u

const struct htmt__pic_charges htmt__pic_own_charges = {
    .flop = HTMT__PIC_PUSH_FLOP, .useful = {1, 1}, .guard = 2};

/* ---- geometry ------------------------------------------------------------------------------- */

static struct htmt__pic_box part_of_box(const struct htmt__pic_box *all, const uint32_t parts[3],
                                        const uint32_t i[3])
{
    struct htmt__pic_box b;
    for (int a = 0; a < 3; a++) {
        uint32_t lo = htmt__pic_first(all->n[a], parts[a], i[a]);
        b.lo[a] = all->lo[a] + lo;
        b.n[a] = htmt__pic_first(all->n[a], parts[a], i[a] + 1) - lo;
    }
    return b;
}

struct htmt__pic_box htmt__pic_slice_box(const struct htmt__pic_plan *p, uint32_t slice)
{
    const uint32_t *n = p->problem.n;
    const struct htmt__pic_box all = {.n = {n[0], n[1], n[2]}};
    return part_of_box(&all, (uint32_t[]){1, p->py, p->pz},
                       (uint32_t[]){0, slice % p->py, slice / p->py});
}

/* The blocks of a slice along each axis. */
static void block_grid(const struct htmt__pic_plan *p, uint32_t slice, uint32_t grid[3])
{
    struct htmt__pic_box box = htmt__pic_slice_box(p, slice);
    for (int a = 0; a < 3; a++)
        grid[a] = (uint32_t)htmt_ceil_div(box.n[a], p->edge);
}

uint32_t htmt__pic_block_count(const struct htmt__pic_plan *p, uint32_t slice)
{
    uint32_t g[3];
    block_grid(p, slice, g);
    return g[0] * g[1] * g[2];
}

struct htmt__pic_box htmt__pic_block_box(const struct htmt__pic_plan *p, uint32_t slice,
                                         uint32_t block)
{
    struct htmt__pic_box box = htmt__pic_slice_box(p, slice);
    uint32_t g[3];
    block_grid(p, slice, g);
    return part_of_box(&box, g,
                       (uint32_t[]){block % g[0], block / g[0] % g[1], block / g[0] / g[1]});
}

int htmt__pic_block_owner_create(const struct htmt__pic_plan *plan,
                                 struct htmt__pic_block_owner *owner, struct htmt_fault *fault)
{
    const uint32_t parts[3] = {1, plan->py, plan->pz};
    struct htmt__pic_block_owner a = {.py = plan->py, .teams = plan->teams};
    bool whole = true;
    for (int axis = 0; axis < 3 && whole; axis++) {
        const uint32_t cells = plan->problem.n[axis];
        a.cell[axis] = calloc(cells, sizeof *a.cell[axis]);
        a.blocks[axis] = calloc(parts[axis], sizeof *a.blocks[axis]);
        whole = a.cell[axis] && a.blocks[axis];
        for (uint32_t part = 0; part < parts[axis] && whole; part++) {
            uint32_t first = htmt__pic_first(cells, parts[axis], part);
            uint32_t count = htmt__pic_first(cells, parts[axis], part + 1) - first;
            uint32_t blocks = (count + plan->edge - 1) / plan->edge;
            a.blocks[axis][part] = blocks;
            for (uint32_t i = 0; i < count; i++)
                a.cell[axis][first + i] =
                    (struct htmt__pic_cell){part, htmt__pic_part(count, blocks, i)};
        }
    }
    *owner = a;
    if (whole)
        return 0;
    htmt__pic_block_owner_destroy(owner);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the tables of blocks");
}

void htmt__pic_block_owner_destroy(struct htmt__pic_block_owner *a)
{
    for (int axis = 0; axis < 3; axis++) {
        free(a->cell[axis]);
        free(a->blocks[axis]);
    }
    *a = (struct htmt__pic_block_owner){0};
}

/* ---- the parcel ----------------------------------------------------------------------------- */

/* Of the species with most. */
static uint64_t per_cell(const struct htmt__pic_problem *o)
{
    uint64_t most_of_all = 0;
    for (uint32_t s = 0; s < o->species; s++)
        most_of_all = htmt_most(most_of_all, o->per_cell[s]);
    return most_of_all;
}

static uint64_t parcel_words(const struct htmt__pic_problem *o, uint64_t edge)
{
    uint64_t count = per_cell(o) * edge * edge * edge;
    return o->charges.code + htmt__pic_field_words(&o->charges, edge, edge, edge) +
           HTMT__PIC_PARTICLE_WORDS * count +
           (o->n[0] ? HTMT__PIC_REPORT_WORDS + (count + 63) / 64 : 0);
}

static int choose_edge(const struct htmt_machine *m, struct htmt__pic_plan *p,
                       struct htmt_fault *fault)
{
    const struct htmt__pic_problem *o = &p->problem;
    const struct htmt_memory *cram = &m->layer[p->inner].memory;
    uint64_t room = htmt_machine_room(m, p->inner) / (o->double_buffer ? 2 : 1), edge = 0;
    while (edge < EDGE_MOST && parcel_words(o, edge + 1) <= room)
        edge++;
    p->edge_most = (uint32_t)edge;
    p->edge = o->edge ? o->edge : p->edge_most;
    if (p->edge && p->edge <= p->edge_most) {
        p->parcel_words = parcel_words(o, p->edge);
        p->buffers = htmt_machine_room(m, p->inner) / p->parcel_words;
        return 0;
    }
    char advice[40] = "";
    if (o->edge && p->edge_most)
        snprintf(advice, sizeof advice, "; expected --ng %" PRIu32 " or less", p->edge_most);
    edge = p->edge ? p->edge : 1;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%sa push parcel of %" PRIu64 "^3 cells with %" PRIu64
                          " particles each takes %" PRIu64 " words (code %" PRIu64
                          ", field %" PRIu64 "), %s has %" PRIu64 " - %" PRIu64
                          " reserve = %" PRIu64 "%s",
                          o->double_buffer ? "two parcels are to fit: " : "", edge, per_cell(o),
                          parcel_words(o, edge), o->charges.code,
                          htmt__pic_field_words(&o->charges, edge, edge, edge), cram->name,
                          cram->capacity, cram->reserve, htmt_machine_room(m, p->inner), advice);
}

/* ---- a problem with cells ------------------------------------------------------------------- */

/* As square as the number of slices allows, z in the larger number of parts. False: the cells are
 * too few. */
static bool make_pencils(struct htmt__pic_plan *p, uint32_t slices)
{
    const uint32_t *n = p->problem.n;
    p->slices = slices;
    for (uint32_t d = 1; d <= slices / d; d++)
        if (slices % d == 0)
            p->py = d;
    p->pz = slices / p->py;
    p->modes = n[0] / 2 + 1;
    return p->py <= n[1] && p->pz <= n[2] && p->py <= p->modes && p->pz <= n[1];
}

static int choose_pencils(const struct htmt_machine *m, struct htmt__pic_plan *p,
                          struct htmt_fault *fault)
{
    const uint32_t *n = p->problem.n;
    if (make_pencils(p, p->slices))
        return 0;
    /* the most that the cells allow; one slice they always do */
    struct htmt__pic_plan other = *p;
    uint32_t most = (uint32_t)htmt_least(p->slices, (uint64_t)n[1] * n[2]);
    while (!make_pencils(&other, most))
        most--;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "%" PRIu32 " slices are %" PRIu32 " x %" PRIu32
                          " pencils, too many for %" PRIu32 " x %" PRIu32 " x %" PRIu32
                          " cells: y and the modes of x have at least as many "
                          "points as the first, y and z as the second; machine %s; expected fewer: "
                          "--slices %" PRIu32,
                          p->slices, p->py, p->pz, n[0], n[1], n[2], m->name, most);
}

/* Cells of the longest piece when n cells are divided into the fewest pieces of at most the edge.
 */
static uint32_t longest(uint32_t n, uint32_t edge)
{
    return n ? (uint32_t)htmt_ceil_div(n, htmt_ceil_div(n, edge)) : 0;
}

/* Blocks, bundles and teams of a slice. Slices differ by a cell along an axis, and the smaller may
 * have the longer blocks. */
static void shape(const struct htmt_machine *m, struct htmt__pic_plan *p)
{
    const struct htmt__pic_problem *o = &p->problem;
    const uint32_t *n = o->n, parts[3] = {1, p->py, p->pz}, *b = p->block;
    const uint64_t species = o->species;
    p->blocks = 1;
    for (int a = 0; a < 3; a++) {
        p->largest[a] = (uint32_t)htmt_ceil_div(n[a], parts[a]);
        p->blocks *= (uint32_t)htmt_ceil_div(p->largest[a], p->edge);
        p->block[a] =
            (uint32_t)htmt_most(longest(p->largest[a], p->edge), longest(n[a] / parts[a], p->edge));
    }
    p->parcels = (uint64_t)p->blocks * o->species;
    p->modes_x = (uint32_t)htmt_ceil_div(p->modes, p->py);
    p->modes_y = (uint32_t)htmt_ceil_div(n[1], p->pz);

    /* A bundle takes the room that CRAM leaves beside code and field, with a bit for each particle,
     * but at most a quarter more than the mean. Particles beyond that spill. */
    uint64_t cram = htmt_machine_room(m, p->inner) / (o->double_buffer ? 2 : 1);
    uint64_t other = o->charges.code + htmt__pic_field_words(&o->charges, b[0], b[1], b[2]) +
                     HTMT__PIC_REPORT_WORDS;
    uint64_t mean = per_cell(o) * b[0] * b[1] * b[2];
    uint64_t most_of_all = 64 * (cram - other) / (64 * HTMT__PIC_PARTICLE_WORDS + 1);
    p->room = htmt_least(htmt_least(most_of_all, mean + mean / 4 + 64), HTMT__PIC_BUNDLE_MOST);

    /* One team for each DPIM, or for each block if there are fewer; more teams if a team would have
     * too many bundles. */
    uint64_t own = 0;
    for (p->teams = (uint32_t)htmt_least(m->layer[p->outer].processor.count, p->blocks);;
         p->teams++) {
        own = htmt_ceil_div(p->blocks, p->teams) * species;
        p->bundles = (uint32_t)(own + own / 4 + 2);
        if (p->bundles <= HTMT__PIC_TEAM_BUNDLES)
            break;
    }
    p->mail = o->mail ? o->mail : (own / species / 2 + 2) * p->room;
}

/* Lines of a transform that one parcel takes: the number that half of CRAM holds, and at least a
 * pair of rows of x (with their spectra and a buffer for the pair), a column of y, three of z. */
static int choose_lines(const struct htmt_machine *m, struct htmt__pic_plan *p,
                        struct htmt_fault *fault)
{
    const uint32_t *n = p->problem.n;
    uint64_t half = htmt_machine_room(m, p->inner) / 2, x = n[0] + 2ul * p->modes,
             pair = 2ul * n[0];
    uint64_t rows = half > pair ? (half - pair) / x / 2 * 2 : 0;
    p->rows_x = (uint32_t)htmt_least(rows, p->largest[1]);
    p->columns_y = (uint32_t)htmt_least(half / (2ul * n[1]), p->modes_x);
    p->columns_z = (uint32_t)htmt_least(half / (6ul * n[2]), (uint64_t)p->modes_x * p->modes_y);
    if (p->rows_x && p->columns_y && p->columns_z)
        return 0;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%" PRIu32 " x %" PRIu32 " x %" PRIu32
                          " cells: a parcel of the field takes %" PRIu64 ", %" PRIu64 " or %" PRIu64
                          " words at least, half of %s has %" PRIu64 "; expected %" PRIu64,
                          n[0], n[1], n[2], pair + 2 * x, 2ul * n[1], 6ul * n[2],
                          m->layer[p->inner].memory.name, half,
                          htmt_most(pair + 2 * x, htmt_most(2ul * n[1], 6ul * n[2])));
}

/* Words of DRAM that a bundle takes: particles, their charge, the report of their push. */
static uint64_t bundle_words(const struct htmt__pic_plan *p)
{
    return HTMT__PIC_PARTICLE_WORDS * p->room + htmt__pic_points(p->block) + HTMT__PIC_REPORT_WORDS;
}

uint64_t htmt__pic_words_for_spares(const struct htmt__pic_plan *p, uint64_t spares)
{
    return SPARE_SHARE * p->teams * spares * bundle_words(p);
}

/* A slice in DRAM: bundles and their charge, tiles of the field, mailboxes, rho with guards, the
 * field with guards, three times the spectrum in each of its layouts. */
static uint64_t slice_words(const struct htmt__pic_plan *p)
{
    const uint32_t *l = p->largest;
    uint64_t points = htmt__pic_points(p->block);
    uint64_t rows = ((uint64_t)l[1] + 2) * (l[2] + 2) * l[0];
    uint64_t spectrum = (uint64_t)l[2] * l[1] * p->modes +
                        (uint64_t)l[2] * p->problem.n[1] * p->modes_x +
                        (uint64_t)p->problem.n[2] * p->modes_y * p->modes_x;
    return htmt__pic_usual_bundles(p) * bundle_words(p) +
           p->blocks * HTMT__PIC_FIELD_WORDS * points +
           HTMT__PIC_PARTICLE_WORDS * p->mail * p->teams * p->problem.species +
           (1 + HTMT__PIC_FIELD_WORDS) * rows + 6 * spectrum;
}

/* Refuse what DRAM does not hold; advise a multiple of the slices, if the cells allow one. */
static int check_outer(const struct htmt_machine *m, struct htmt__pic_plan *p,
                       struct htmt_fault *fault)
{
    const uint64_t has = htmt_machine_room(m, p->outer);
    p->outer_words = slice_words(p);
    if (p->outer_words <= has)
        return 0;
    struct htmt__pic_plan other = *p;
    char advice[48] = "";
    for (uint64_t slices = 2ul * p->slices; slices <= SLICES_MOST && !*advice; slices *= 2) {
        if (!make_pencils(&other, (uint32_t)slices))
            continue;
        shape(m, &other);
        if (slice_words(&other) <= has)
            snprintf(advice, sizeof advice, " or more slices: --slices %" PRIu64, slices);
    }
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%" PRIu32 " blocks a slice with room for %" PRIu64
                          " particles each, their mailboxes and fields take %" PRIu64
                          " words, %s has %" PRIu64 "; expected fewer particles%s",
                          p->blocks, p->room, p->outer_words, m->layer[p->outer].memory.name, has,
                          advice);
}

static int lay_out(const struct htmt_machine *m, struct htmt__pic_plan *p, struct htmt_fault *fault)
{
    int rc = choose_pencils(m, p, fault);
    if (rc)
        return rc;
    shape(m, p);
    rc = choose_lines(m, p, fault);
    if (!rc)
        rc = check_outer(m, p, fault);
    if (rc)
        return rc;
    /* With a spare bundle for each full bundle of all particles, a team holds whatever flies to it.
     * Spares take at most a share of the DRAM that is left, and a team's message counts so many. */
    const struct htmt__pic_problem *o = &p->problem;
    uint64_t particles = 0, left = htmt_machine_room(m, p->outer) - p->outer_words;
    for (uint32_t s = 0; s < o->species; s++)
        particles += o->per_cell[s] * o->n[0] * o->n[1] * o->n[2];
    uint64_t fit = left / htmt__pic_words_for_spares(p, 1);
    p->spares = (uint32_t)htmt_least(htmt_least(fit, particles / p->room),
                                     HTMT__PIC_TEAM_BUNDLES - p->bundles);
    p->outer_words += htmt__pic_words_for_spares(p, p->spares) / SPARE_SHARE;
    return 0;
}

/* ---- the plan ------------------------------------------------------------------------------- */

int htmt__pic_plan(const struct htmt_machine *m, const struct htmt__pic_problem *problem,
                   struct htmt__pic_plan *plan, struct htmt_fault *fault)
{
    struct htmt__pic_plan p = {.problem = *problem, .slices = m->slices};
    uint32_t network;
    for (uint32_t s = 0; s < problem->species; s++)
        if (!problem->per_cell[s] || problem->per_cell[s] > CELLS_MOST)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "found %" PRIu64 " particles a cell, expected 1 to %" PRIu32,
                                  problem->per_cell[s], CELLS_MOST);
    for (int a = 0; a < 3; a++)
        if (problem->n[a] > CELLS_MOST || (problem->n[0] && !problem->n[a]))
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "found %" PRIu32 " cells along an axis, expected 1 to %" PRIu32,
                                  problem->n[a], CELLS_MOST);
    int rc = htmt_chain_layers(m, WHO, &p.outer, &p.middle, &p.inner, fault);
    if (!rc)
        rc = htmt_chain_network(m, WHO, p.outer, p.middle, false, &network, fault);
    if (!rc)
        rc = htmt_chain_network(m, WHO, p.middle, p.inner, false, &network, fault);
    if (!rc && m->slices > 1 && problem->n[0])
        rc = htmt_chain_network(m, WHO, p.outer, p.outer, true, &network, fault);
    if (!rc)
        rc = choose_edge(m, &p, fault);
    if (!rc)
        rc = problem->n[0] ? lay_out(m, &p, fault) : 0;
    if (!rc && !problem->n[0]) { /* push parcels alone, as many as DRAM holds */
        const uint64_t has = htmt_machine_room(m, p.outer), fit = has / p.parcel_words;
        p.parcels = problem->parcels ? problem->parcels : fit;
        p.outer_words = p.parcels * p.parcel_words;
        if (!p.parcels || p.parcels > fit)
            rc = htmt_fault_set(fault, HTMT_ECAPACITY,
                                "%" PRIu64 " push parcels of %" PRIu64
                                " words a slice, %s has %" PRIu64 " words for %" PRIu64,
                                p.parcels, p.parcel_words, m->layer[p.outer].memory.name, has, fit);
    }
    if (!rc)
        *plan = p;
    return rc;
}

static bool are_alike(const struct htmt__pic_plan *p)
{
    const uint32_t *n = p->problem.n;
    return !(p->slices & (p->slices - 1)) && n[1] % p->py == 0 && n[1] % p->pz == 0 &&
           n[2] % p->pz == 0 && p->modes % p->py == 0;
}

int htmt__pic_plan_alike(const struct htmt__pic_plan *p, struct htmt_fault *fault)
{
    const uint32_t *n = p->problem.n, py = p->py, pz = p->pz;
    struct htmt__pic_plan other = *p;
    uint32_t fewer = p->slices;
    if (are_alike(p))
        return 0;
    while (!make_pencils(&other, fewer) || !are_alike(&other))
        fewer--;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--fold: found %" PRIu32 " x %" PRIu32 " pencils for %" PRIu32
                          " x %" PRIu32 " x %" PRIu32 " cells with %" PRIu32
                          " modes of x; expected slices alike: as many as a power of two, modes of "
                          "x and cells along y in multiples of %" PRIu32 ", cells along y and z "
                          "in multiples of %" PRIu32 ", as with --slices %" PRIu32,
                          py, pz, n[0], n[1], n[2], p->modes, py, pz, fewer);
}
