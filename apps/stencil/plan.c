/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan.
 *
 * Slices. A slice has a tile of whole blocks, and all tiles are equal. Of the grids that do that
 * the one is taken whose tiles have the least surface, since the words of margins go with it. By
 * hand: 64^3 cells in blocks of 8 are 8^3 blocks; of 8 slices 2 x 2 x 2 have tiles of 32^3, with a
 * surface of 6 * 32^2 = 6144 cells, and 8 x 1 x 1 have 8 x 64 x 64, with 10,240.
 *
 * The time step. The derivative D1 has the imaginary symbols i k' with h |k'| at most 1.7306, D2
 * the real ones down to -6.5016 / h^2. A wave along all three axes has the sum of all three. A
 * Runge-Kutta method of order 3 is stable on the imaginary axis up to sqrt 3, on the real axis down
 * to -2.51. So a step has two limits, one of what moves, one of what spreads:
 *
 *     dt 3 * 1.7306 (c + |u|) / h <= sqrt 3       dt 3 * 6.5016 nu / h^2 <= 2.51
 *
 * with nu the larger of 10/9 eta / rho (4/3 along and 1 across, twice, where D1 is nothing) and
 * lambda / (rho c_v).
 */
#include "apps/stencil/accesses.h"

#include "apps/lib/chain.h"
#include "layers/file/costs.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <math.h>

#define CELLS_MOST (1u << 20) /* along an axis */
#define BLOCK_MOST 1024
#define SAFETY     0.5 /* of the default time step */

const struct htmt_app_option htmt__stencil_options[] = {
    {"cells", "NX,NY,NZ", "64,64,64", "cells of the box"},
    {"block", "B", "8", "edge of a block in cells"},
    {"case", "NAME", "shear",
     "what the run begins with: shear, a wave that decays; vortex, that a flow carries; or "
     "manufactured, smooth waves of all fields"},
    {"order", "KIND", "blocks",
     "blocks: a parcel runs all loops on a block; loops: one of them, and what is between them "
     "lies "
     "in DRAM"},
    {"steps", "N", "1", "time steps"},
    {"dt", "T", NULL, "time step; default: half the limit of the fields at the beginning"},
    {"gamma", "X", "1.4", "ratio of specific heats"},
    {"heat", "X", "2.5", "specific heat at constant volume"},
    {"viscosity", "X", NULL, "default: 0.001, of the vortex 0"},
    {"conductivity", "X", NULL, "of heat; default: 0.001, of the vortex 0"},
    {"out", "FILE", NULL, "write the fields of the end to this file, .npy: z, y, x, five numbers"},
    {"plot", "FILE", NULL, "plot energies over time, .svg, .png or .pdf"},
    {"plot-slice", "FILE", NULL, "write a picture of the speed in the middle plane of z, .png"},
    {"check", "KIND", "full", "full: compare every cell with a serial program; or none"},
    {NULL, NULL, NULL, NULL}};

/* ---- costs ---------------------------------------------------------------------------------- */

const char *const htmt__stencil_loop_words[HTMT__STENCIL_LOOPS] = {
    "primitive",  "courant",    "no-density", "gradient-x", "gradient-y",
    "gradient-z", "momentum-x", "momentum-y", "momentum-z", "energy",
    "flux-x",     "flux-y",     "flux-z",     "update"};

/* Additions, products, quotients and roots, each one: what loops.h says of each. */
static const uint32_t own_flop[HTMT__STENCIL_LOOPS] = {
    4 + 10 + 2, 3 + 1 + 4 + 1, 0,       21 + 15, 21 + 15, 21 + 15, 42 + 34,
    42 + 34,    42 + 34,       43 + 36, 51 + 65, 56 + 65, 56 + 65, 15 + 15};

#define OF_LOOP(name)                                                                              \
    {"htmt--stencil-" name ".flop", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},                     \
        {"htmt--stencil-" name ".iop", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},                  \
        {"htmt--stencil-" name ".load", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},                 \
        {"htmt--stencil-" name ".store", HTMT_UNIT_SHARE, .least = 0, .most = 1e6},                \
        {"htmt--stencil-" name ".cells", HTMT_UNIT_COUNT, .least = 0, .most = 1e15},               \
    {                                                                                              \
        "htmt--stencil-" name ".moved", HTMT_UNIT_SIZE, .least = 0, .most = 1e15                   \
    }

static const struct htmt_schema_row keys[] = {
    OF_LOOP("primitive"),  OF_LOOP("courant"),    OF_LOOP("no-density"), OF_LOOP("gradient-x"),
    OF_LOOP("gradient-y"), OF_LOOP("gradient-z"), OF_LOOP("momentum-x"), OF_LOOP("momentum-y"),
    OF_LOOP("momentum-z"), OF_LOOP("energy"),     OF_LOOP("flux-x"),     OF_LOOP("flux-y"),
    OF_LOOP("flux-z"),     OF_LOOP("update"),     {.key = NULL}};

/* Without a cost file the loops' own. */
static int read_costs(const struct htmt_request *r, struct htmt__stencil_plan *p,
                      struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    for (unsigned i = 0; i < HTMT__STENCIL_LOOPS; i++)
        p->flop[i] = (struct htmt_ratio){own_flop[i], 1};
    if (!htmt_request_costs(r))
        return 0;
    int rc = htmt_costs_load(htmt_request_costs(r), "stencil", keys, set, count, &c, fault);
    for (unsigned i = 0; !rc && i < HTMT__STENCIL_LOOPS; i++) {
        char key[64];
        snprintf(key, sizeof key, "htmt--stencil-%s.flop", htmt__stencil_loop_words[i]);
        p->flop[i] = htmt_costs_ratio(c, key);
    }
    htmt_costs_destroy(&c);
    return rc;
}

uint64_t htmt__stencil_loop_cells(enum htmt__stencil_loop loop, uint64_t b)
{
    const uint64_t n = b + 2 * HTMT__STENCIL_MARGIN;
    return loop == HTMT__STENCIL_PRIMITIVE                                        ? n * n * n
           : loop >= HTMT__STENCIL_GRADIENT_X && loop <= HTMT__STENCIL_GRADIENT_Z ? b * n * n
                                                                                  : b * b * b;
}

/* Of order loops, a parcel keeps b^3 cells, in margins, too. */
struct htmt_ops htmt__stencil_loop_ops(const struct htmt__stencil_plan *p,
                                       enum htmt__stencil_loop loop)
{
    const struct htmt_ratio f = p->flop[loop];
    const htmt_wide all = (htmt_wide)f.num * p->b * p->b * p->b;
    return (struct htmt_ops){.n = {[HTMT_FLOP] = (uint64_t)((all + f.den - 1) / f.den)}};
}

struct htmt_ops htmt__stencil_ops(const struct htmt__stencil_plan *p, unsigned stage)
{
    struct htmt_ops ops = {0};
    for (unsigned i = 0; i < HTMT__STENCIL_LOOPS; i++) {
        const struct htmt_ratio f = p->flop[i];
        const htmt_wide all = (htmt_wide)f.num * (htmt_wide)htmt__stencil_loop_cells(i, p->b);
        if (i != HTMT__STENCIL_COURANT || stage == 0)
            ops.n[HTMT_FLOP] += (uint64_t)((all + f.den - 1) / f.den);
    }
    return ops;
}

/* ---- the box -------------------------------------------------------------------------------- */

static int read_box(const struct htmt_request *r, struct htmt__stencil_plan *p,
                    struct htmt_fault *fault)
{
    double cells[3] = {0};
    int rc = htmt_request_reals(r, "cells", 3, cells, fault);
    rc = rc ? rc : htmt_request_whole32(r, "block", 1, BLOCK_MOST, &p->b, fault);
    for (unsigned a = 0; !rc && a < 3; a++) {
        if (cells[a] < 1 || cells[a] > CELLS_MOST || cells[a] != floor(cells[a]))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--cells: found %s, expected three whole numbers from 1 to %u",
                                  htmt_request_value(r, "cells"), CELLS_MOST);
        p->cells[a] = (uint32_t)cells[a];
        if (p->cells[a] % p->b)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--cells: found %s, expected multiples of the block's edge, %u",
                                  htmt_request_value(r, "cells"), p->b);
        if (p->cells[a] < HTMT__STENCIL_MARGIN)
            return htmt_fault_set(
                fault, HTMT_ERANGE,
                "--cells: found %u along an axis, expected at least the margin of %d cells",
                p->cells[a], HTMT__STENCIL_MARGIN);
    }
    if (!rc && p->which == HTMT__STENCIL_VORTEX && p->cells[1] < p->cells[0])
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--cells: found %s, expected as many along y as along x, or more: a "
                              "lower box cuts the vortex",
                              htmt_request_value(r, "cells"));
    return rc;
}

/* Among equal tiles of whole blocks, at least as wide as a margin: those of exactly `slices`
 * slices with the least surface; or of at most so many, as many as there can be. 0: there are none.
 */
static uint32_t choose_grid(const struct htmt__stencil_plan *p, uint32_t slices, bool exactly,
                            uint32_t grid[3])
{
    const uint32_t b = p->b;
    uint32_t best = 0;
    uint64_t least = UINT64_MAX, z = 0;
    for (uint64_t x = 1; x <= slices && x <= p->cells[0] / b; x++)
        for (uint64_t y = 1; p->cells[0] / b % x == 0 && x * y <= slices && y <= p->cells[1] / b;
             y++) {
            if (p->cells[1] / b % y)
                continue;
            z = slices / (x * y);
            z = z < p->cells[2] / b ? z : p->cells[2] / b;
            while (p->cells[2] / b % z)
                z--;
            const uint64_t n[3] = {p->cells[0] / x, p->cells[1] / y, p->cells[2] / z};
            const uint64_t surface = n[0] * n[1] + n[1] * n[2] + n[0] * n[2], all = x * y * z;
            if (n[0] < HTMT__STENCIL_MARGIN || n[1] < HTMT__STENCIL_MARGIN ||
                n[2] < HTMT__STENCIL_MARGIN || (exactly && all != slices) || all < best ||
                (all == best && surface >= least))
                continue;
            best = (uint32_t)all;
            least = surface;
            grid[0] = (uint32_t)x;
            grid[1] = (uint32_t)y;
            grid[2] = (uint32_t)z;
        }
    return best;
}

uint32_t htmt__stencil_slices(const struct htmt_request *r)
{
    const uint32_t all = htmt_request_machine(r)->slices;
    struct htmt__stencil_plan p = {.b = 0};
    uint32_t grid[3];
    if (read_box(r, &p, NULL))
        return all;
    const uint32_t most = choose_grid(&p, all, false, grid);
    return most ? most : all;
}

const int htmt__stencil_ways[HTMT__STENCIL_NEIGHBOURS][3] = {
    {-1, 0, 0},  {1, 0, 0},  {0, -1, 0},  {0, 1, 0},  {0, 0, -1},  {0, 0, 1},
    {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},  {1, 1, 0},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1},  {1, 0, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1},  {0, 1, 1}};

static unsigned longest(const uint64_t extent[3])
{
    const unsigned a = extent[1] > extent[0];
    return extent[2] > extent[a] ? 2 : a;
}

uint64_t htmt__stencil_margin(const struct htmt__stencil_plan *p, unsigned way, uint32_t part,
                              uint64_t first[3], uint64_t extent[3])
{
    const uint64_t parts = p->copies[way];
    for (unsigned a = 0; a < 3; a++) {
        first[a] = 0;
        extent[a] = htmt__stencil_ways[way][a] ? HTMT__STENCIL_MARGIN : p->tile[a];
    }
    if (parts > 1) {
        const unsigned a = longest(extent);
        const uint64_t all = extent[a];
        first[a] = part * all / parts;
        extent[a] = (part + 1) * all / parts - first[a];
    }
    return extent[0] * extent[1] * extent[2];
}

uint32_t htmt__stencil_arrivals(const struct htmt__stencil_plan *p)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++)
        all += p->copies[i] ? p->copies[i] : 1;
    return all;
}

/* A part for each DPIM, by the size of the margins; at least one each, at most its length. */
static void share_copies(const struct htmt_machine *m, struct htmt__stencil_plan *p)
{
    const uint32_t servers = htmt_machine_servers(m, p->dram);
    uint64_t first[3], extent[3], mine[HTMT__STENCIL_NEIGHBOURS], all = 0, own = 0;
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++) {
        uint32_t neighbour = 0;
        htmt_grid_neighbour(&p->grid, 0, htmt__stencil_ways[i], &neighbour);
        p->copies[i] = 0;
        mine[i] = neighbour ? 0 : htmt__stencil_margin(p, i, 0, first, extent);
        all += mine[i];
        own += mine[i] > 0;
    }
    for (unsigned i = 0; i < HTMT__STENCIL_NEIGHBOURS; i++) {
        const htmt_wide more =
            servers > own && mine[i] ? (htmt_wide)mine[i] * (servers - own) / all : 0;
        htmt__stencil_margin(p, i, 0, first, extent);
        const uint64_t most = extent[longest(extent)];
        if (mine[i])
            p->copies[i] = (uint32_t)(more < (htmt_wide)most ? 1 + more : (htmt_wide)most);
    }
}

static int divide(struct htmt_task *task, struct htmt__stencil_plan *p)
{
    const uint32_t slices = htmt_task_machine(task)->slices;
    p->grid = (struct htmt_grid){.wrap = {true, true, true}};
    if (!choose_grid(p, slices, true, p->grid.extent)) {
        uint32_t grid[3];
        const uint32_t most = choose_grid(p, slices, false, grid);
        if (most)
            return htmt_task_refuse(
                task, HTMT_EUSAGE,
                "--slices: found %u, expected as many as divide %u x %u x %u blocks of %u^3 cells "
                "into equal boxes at least %d cells wide, as %u do: a margin reaches into one "
                "neighbour only",
                slices, p->cells[0] / p->b, p->cells[1] / p->b, p->cells[2] / p->b, p->b,
                HTMT__STENCIL_MARGIN, most);
        return htmt_task_refuse(task, HTMT_ERANGE,
                                "--block: found %u, expected tiles at least as wide as a margin, "
                                "%d cells",
                                p->b, HTMT__STENCIL_MARGIN);
    }
    p->block_count = 1;
    for (unsigned a = 0; a < 3; a++) {
        p->tile[a] = p->cells[a] / p->grid.extent[a];
        p->blocks[a] = p->tile[a] / p->b;
        if ((uint64_t)p->block_count * p->blocks[a] > UINT32_MAX)
            return htmt_task_refuse(task, HTMT_ERANGE,
                                    "--cells: found more than 2^32 - 1 blocks "
                                    "of a slice, expected more slices");
        p->block_count *= p->blocks[a];
    }
    share_copies(htmt_task_machine(task), p);
    return 0;
}

/* ---- memories ------------------------------------------------------------------------------- */

uint64_t htmt__stencil_words_in_cram(uint64_t b, uint64_t parcels)
{
    return htmt__stencil_words_of_scratch(b) +
           parcels * (htmt__stencil_words_with_margin(b) + htmt__stencil_words_of_block(b));
}

uint64_t htmt__stencil_words_of_tile(const struct htmt__stencil_plan *p)
{
    uint64_t words = HTMT__STENCIL_FIELDS;
    for (unsigned a = 0; a < 3; a++)
        words *= p->tile[a] + 2 * HTMT__STENCIL_MARGIN;
    return words;
}

uint64_t htmt__stencil_words_of_loop(uint64_t b)
{
    uint64_t most = 0;
    for (unsigned loop = 0; loop < HTMT__STENCIL_LOOPS; loop++) {
        uint64_t words = 0;
        for (const struct htmt__stencil_access *a = htmt__stencil_accesses[loop]; a->use; a++) {
            const uint64_t in = htmt__stencil_words_read(a, b, 1);
            words += in ? in : htmt__stencil_words_written(a, b);
        }
        most = words > most ? words : most;
    }
    return most;
}

uint32_t htmt__stencil_parcels(const struct htmt__stencil_plan *p, enum htmt__stencil_loop loop)
{
    const unsigned margins = htmt__stencil_loop_margins(loop);
    uint32_t all = 1;
    if (!p->loops)
        return p->block_count;
    for (unsigned a = 0; a < 3; a++)
        all *= (p->tile[a] + (margins >> a & 1 ? 2 * HTMT__STENCIL_MARGIN : 0)) / p->b;
    return all;
}

/* One parcel has all its words in SRAM. */
static int fit_sram(struct htmt_task *task, const struct htmt__stencil_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t room = htmt_machine_room(m, p->sram),
                   words = p->loops ? htmt__stencil_words_of_loop(p->b)
                                    : htmt__stencil_words_with_margin(p->b) +
                                          htmt__stencil_words_of_block(p->b);
    if (words <= room)
        return 0;
    return htmt_task_refuse(task, HTMT_ECAPACITY,
                            "--block: found %u, whose parcels take %" PRIu64
                            " words, expected at most the %" PRIu64 " of %s",
                            p->b, words, room, m->layer[p->sram].memory.name);
}

static int fit_cram(struct htmt_task *task, const struct htmt__stencil_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const uint64_t need = htmt__stencil_words_in_cram(p->b, HTMT__STENCIL_IN_CRAM),
                   each = htmt__stencil_words_of_loop(p->b), room = htmt_machine_room(m, p->cram),
                   n = p->b + 2 * (uint64_t)HTMT__STENCIL_MARGIN;
    const char *const name = m->layer[p->cram].memory.name;
    if (p->loops && HTMT__STENCIL_WINDOW + HTMT__STENCIL_IN_CRAM * each > room)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "--block: found %u, which takes 3 + 2 * %" PRIu64 " = %" PRIu64
                                " words, expected at most the %" PRIu64 " of %s",
                                p->b, each, HTMT__STENCIL_WINDOW + HTMT__STENCIL_IN_CRAM * each,
                                room, name);
    if (!p->loops && need > room)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "--block: found %u, which takes 6 * %" PRIu64 "^3 + 9 * %u * "
                                "%" PRIu64 "^2 + 5 * %u^3 + 2 * 5 * (%" PRIu64 "^3 + %u^3) = "
                                "%" PRIu64 " words, expected at most the %" PRIu64 " of %s",
                                p->b, n, p->b, n, p->b, n, p->b, need, room, name);
    return 0;
}

/* Fields of a slice, and of order loops what lies between loops: words of a cell. */
static int fit(struct htmt_task *task, const struct htmt__stencil_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    uint64_t cell = HTMT__STENCIL_STAGES * HTMT__STENCIL_FIELDS;
    for (unsigned i = HTMT__STENCIL_Q; p->loops && i < HTMT__STENCIL_ARRAYS; i++)
        cell += htmt__stencil_cell_words(i);
    const uint64_t need = htmt__stencil_words_of_tile(p) / HTMT__STENCIL_FIELDS * cell,
                   room = htmt_machine_room(m, p->dram);
    if (need > room)
        return htmt_task_refuse(task, HTMT_ECAPACITY,
                                "--cells: found tiles of %u x %u x %u cells, which take %" PRIu64
                                " * %u * %u * %u = %" PRIu64
                                " words with their margins, expected at most the %" PRIu64 " of %s",
                                p->tile[0], p->tile[1], p->tile[2], cell, p->tile[0] + 8,
                                p->tile[1] + 8, p->tile[2] + 8, need, room,
                                m->layer[p->dram].memory.name);
    const int rc = fit_cram(task, p);
    return rc ? rc : fit_sram(task, p);
}

/* ---- the gas and its time step -------------------------------------------------------------- */

double htmt__stencil_advection_limit(void)
{
    return sqrt(3) / (3 * 1.7306);
}

double htmt__stencil_viscosity_limit(void)
{
    return 2.51 / (3 * 6.5016);
}

static int read_gas(const struct htmt_request *r, struct htmt__stencil_plan *p,
                    struct htmt_fault *fault)
{
    const bool sticks = p->which != HTMT__STENCIL_VORTEX;
    struct htmt__stencil_gas *g = &p->gas;
    g->eta = g->lambda = sticks ? 1e-3 : 0;
    g->h = htmt__stencil_case_edge(p->which) / p->cells[0];
    int rc = htmt_request_real(r, "gamma", 1.001, 10, &g->gamma, fault);
    rc = rc ? rc : htmt_request_real(r, "heat", 1e-6, 1e6, &g->cv, fault);
    rc = rc ? rc : htmt_request_real(r, "viscosity", 0, 1e6, &g->eta, fault);
    return rc ? rc : htmt_request_real(r, "conductivity", 0, 1e6, &g->lambda, fault);
}

static int read_step(struct htmt_task *task, struct htmt__stencil_plan *p)
{
    const struct htmt__stencil_gas *g = &p->gas;
    double speed, density;
    htmt__stencil_case_bounds(p->which, g, &speed, &density);
    const double nu = fmax(10.0 / 9 * g->eta, g->lambda / g->cv) / density;
    const double moves = htmt__stencil_advection_limit() * g->h / speed,
                 spreads = nu > 0 ? htmt__stencil_viscosity_limit() * g->h * g->h / nu : INFINITY;
    p->dt = SAFETY * fmin(moves, spreads);
    int rc = htmt_task_real(task, "dt", 1e-300, 1e300, &p->dt);
    if (!rc && p->dt > moves && moves <= spreads)
        rc =
            htmt_task_refuse(task, HTMT_ERANGE,
                             "--dt: found %g, expected at most %g: advection, 3 * 1.7306 (c + |u|) "
                             "dt / h <= sqrt 3 with h = %g, c + |u| = %g",
                             p->dt, moves, g->h, speed);
    if (!rc && p->dt > spreads && spreads < moves)
        rc = htmt_task_refuse(task, HTMT_ERANGE,
                              "--dt: found %g, expected at most %g: viscosity, 3 * 6.5016 nu dt / "
                              "h^2 <= 2.51 with h = %g, nu = %g",
                              p->dt, spreads, g->h, nu);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int read_layers(struct htmt_task *task, struct htmt__stencil_plan *p)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt_chain_layers(m, "a stencil", &p->dram, &p->sram, &p->cram, fault);
    rc = rc ? rc : htmt_chain_network(m, "a stencil", p->dram, p->sram, false, &p->down, fault);
    rc = rc ? rc : htmt_chain_network(m, "a stencil", p->sram, p->cram, false, &p->up, fault);
    if (rc || m->slices == 1)
        return rc;
    return htmt_chain_network(m, "a stencil", p->dram, p->dram, true, &p->across, fault);
}

static int read_order(const struct htmt_request *r, struct htmt__stencil_plan *p,
                      struct htmt_fault *fault)
{
    static const char *const orders[] = {"blocks", "loops", NULL};
    unsigned order = 0;
    int rc = htmt_request_choice(r, "order", orders, &order, fault);
    p->loops = order == 1;
    if (rc || !p->loops)
        return rc;
    if (2 * HTMT__STENCIL_MARGIN % p->b)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--block: found %u with --order loops, whose blocks also tile the "
                              "margins, 8 cells more along an axis; expected 1, 2, 4 or 8",
                              p->b);
    return 0;
}

int htmt__stencil_plan(struct htmt_task *task, struct htmt__stencil_plan *p)
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    unsigned which = 0;
    int rc = htmt_request_choice(r, "case", htmt__stencil_case_words, &which, fault);
    p->which = (enum htmt__stencil_case)which;
    rc = rc ? rc : read_box(r, p, fault);
    rc = rc ? rc : read_order(r, p, fault);
    rc = rc ? rc : htmt_request_whole32(r, "steps", 1, 1u << 30, &p->steps, fault);
    rc = rc ? rc : read_gas(r, p, fault);
    rc = rc ? rc : read_costs(r, p, fault);
    rc = rc ? rc : read_step(task, p);
    rc = rc ? rc : read_layers(task, p);
    rc = rc ? rc : divide(task, p);
    return rc ? rc : fit(task, p);
}
