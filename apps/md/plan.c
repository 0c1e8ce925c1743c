/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan.
 *
 * Cells. An atom has its neighbours within r_c, and until cells are built anew two atoms come
 * nearer by at most the skin. So with cells at least r_c + skin wide all neighbours of an atom lie
 * in its own cell and in the 26 around it. The box has as many cells along an axis as fit; slices
 * divide them evenly, so that all have the same number. Where the skin leaves no room for three
 * cells along an edge, it is cut to what fits. If r_c alone leaves none, but the box is as wide as
 * 2 r_c, there is one block without cells: each atom meets the nearest image of each other one.
 *
 * By hand: a box of 33.6, r_c 2.5, skin 0.3. 12 cells would be 2.80 wide, and need 33.6 / 12 = 2.8:
 * just not. 11 cells are 3.05 wide. Two slices along the axis need an even number: 10 cells, 3.36
 * wide, and the candidates of an atom grow with the third power, by a third.
 */
#include "apps/md/plan.h"

#include "apps/lib/chain.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 10000000
#define TILE_LEAST 3 /* cells along an edge of a slice that htmt__md_slices() gives */

const struct htmt_app_option htmt__md_options[] = {
    {"lattice", "KIND", "fcc", "the atoms of the beginning: fcc, a face-centred cubic lattice"},
    {"edge", "N[,N,N]", "10",
     "cubes of the lattice along an edge, or along x, y, z; four atoms each"},
    {"density", "RHO", "0.8442", "atoms of the lattice in a unit of volume"},
    {"temperature", "T", NULL,
     "of the velocities of the beginning; default: 1.44, of a file that of its velocities, else 0"},
    {"in", "FILE", NULL, "atoms out of this file, XYZ, with --box"},
    {"box", "LX,LY,LZ", NULL, "edges of the periodic box of --in"},
    {"cut", "R", "2.5", "atoms further apart have no force on each other"},
    {"skin", "S", "0.3", "cells are built anew when atoms may have come nearer by so much"},
    {"tail", NULL, NULL, "add what a uniform density beyond the cut gives to energy and pressure"},
    {"shift", NULL, NULL, "shift the energy of a pair, so that it is zero at the cut"},
    {"steps", "N", "10", "time steps"},
    {"dt", "T", "0.005", "time step"},
    {"scale-steps", "N", "0", "in the first N steps velocities are scaled to a temperature"},
    {"scale-to", "T", NULL, "that temperature; default: --temperature"},
    {"average", "N", NULL, "average over the last N steps; default: those that are not scaled"},
    {"block", "B", NULL,
     "most cells along an edge of a block; default: for the least predicted time"},
    {"room", "N", NULL, "atoms for which a cell has room; default: for what may come"},
    {"moving", "PART", "0.25", "part of a block's atoms that may change their cell at once"},
    {"out", "FILE", NULL, "write x, y, z, vx, vy, vz of all atoms at the end to this file, .npy"},
    {"plot-gr", "FILE", NULL, "plot the pair correlation g(r) of the end, .svg, .png or .pdf"},
    {"plot-energies", "FILE", NULL, "plot energies over time, .svg, .png or .pdf"},
    {"check", "KIND", "full", "full: compare with a serial program; or none"},
    {NULL, NULL, NULL, NULL}};

const struct htmt_app_size htmt__md_sizes[] = {
    {"edge", "%", "cubes along an edge of the lattice", 16, HTMT__MD_EDGE_MOST, 16},
    {NULL, NULL, NULL, 0, 0, 0},
};

/* ---- cells, slices, blocks ------------------------------------------------------------------- */

/* Cells along an axis, with a multiple of `slices` of them; 0: fewer than three. */
static uint32_t cells_along(const struct htmt__md_plan *p, unsigned axis, uint32_t slices)
{
    const double fit = floor(p->box[axis] / (p->cut + p->skin) * (1 + 1e-12));
    const uint32_t cells = fit < HTMT__MD_EDGE_MOST ? (uint32_t)fit : HTMT__MD_EDGE_MOST;
    return cells < 3 ? 0 : cells / slices * slices < 3 ? 0 : cells / slices * slices;
}

/* What speaks for a grid: many cells, which are small and have few candidates, and tiles that have
 * little around them. By hand, 56 cells along each edge in 4 x 4 x 4 tiles of 14^3: 175,616 / (1 +
 * 3 / 14 / 2) = 158,600; in 1 x 8 x 8 tiles of 57 x 7 x 7, 178,752 / (1 + (1/57 + 2/7) / 2) =
 * 155,200. */
static double worth(const struct htmt__md_plan *p, const uint32_t grid[3])
{
    double cells = 1, around = 0;
    for (unsigned a = 0; a < 3; a++) {
        const uint32_t n = cells_along(p, a, grid[a]);
        cells *= n;
        around += n ? (double)grid[a] / n : 0;
    }
    return cells / (1 + around / 2);
}

/* The best grid of exactly `slices` slices; or of at most so many, as many as there can be with
 * tiles of `least` cells along an edge. 0: there are none. */
static uint32_t choose_grid(const struct htmt__md_plan *p, uint32_t slices, bool exactly,
                            uint32_t least, uint32_t grid[3])
{
    uint32_t best = 0;
    double most = 0;
    const uint32_t fit[3] = {cells_along(p, 0, 1), cells_along(p, 1, 1), cells_along(p, 2, 1)};
    for (uint32_t x = 1; x <= fit[0] / least && x <= slices; x++)
        for (uint32_t y = 1; y <= fit[1] / least && (uint64_t)x * y <= slices; y++) {
            if (exactly && slices % (x * y))
                continue;
            const uint32_t rest = slices / (x * y);
            uint32_t z = rest < fit[2] / least ? rest : fit[2] / least;
            while (z > 1 && !exactly && !cells_along(p, 2, z))
                z--;
            const uint32_t of[3] = {x, y, z};
            if (z == 0 || (exactly && z != rest) || x * y * z < best)
                continue;
            const double is = worth(p, of);
            if (is > 0 && (x * y * z > best || is > most)) {
                best = x * y * z;
                most = is;
                memcpy(grid, of, sizeof of);
            }
        }
    return best;
}

static int divide(struct htmt_task *task, struct htmt__md_plan *p)
{
    const uint32_t slices = htmt_task_machine(task)->slices;
    uint32_t grid[3] = {1, 1, 1};
    p->grid = (struct htmt_grid){.wrap = {true, true, true}, .extent = {1, 1, 1}};
    if (p->whole && slices > 1)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--slices: found %u, expected 1: the box has no three cells of "
                                "%g along each edge, and is one block",
                                slices, p->cut);
    if (!p->whole && !choose_grid(p, slices, true, 1, p->grid.extent))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--slices: found %u, expected as many as divide %u x %u x %u cells "
                                "of %g into equal boxes, as %u do",
                                slices, cells_along(p, 0, 1), cells_along(p, 1, 1),
                                cells_along(p, 2, 1), p->cut + p->skin,
                                choose_grid(p, slices, false, 1, grid));
    p->halo = p->whole ? 0 : 1;
    for (unsigned a = 0; a < 3; a++) {
        p->cells[a] = p->whole ? 1 : cells_along(p, a, p->grid.extent[a]);
        p->edge[a] = p->box[a] / p->cells[a];
        p->tile[a] = p->cells[a] / p->grid.extent[a];
    }
    return 0;
}

struct htmt__md_block htmt__md_block(const struct htmt__md_plan *p, uint32_t index)
{
    const uint32_t at[3] = {index % p->blocks[0], index / p->blocks[0] % p->blocks[1],
                            index / p->blocks[0] / p->blocks[1]};
    struct htmt__md_block b;
    for (unsigned a = 0; a < 3; a++) {
        const uint64_t n = p->tile[a];
        b.first[a] = (uint32_t)(at[a] * n / p->blocks[a]);
        b.n[a] = (uint32_t)((at[a] + 1) * n / p->blocks[a]) - b.first[a];
    }
    return b;
}

struct htmt__md_block htmt__md_strip(const struct htmt__md_plan *p, const struct htmt__md_block *b,
                                     uint32_t index)
{
    struct htmt__md_block s = *b;
    const uint32_t at[2] = {index % p->strips[0], index / p->strips[0]};
    for (unsigned a = 0; a < 2; a++) {
        const uint64_t n = b->n[a + 1], from = at[a] * n / p->strips[a],
                       to = (at[a] + 1) * n / p->strips[a];
        s.first[a + 1] += (uint32_t)from;
        s.n[a + 1] = (uint32_t)(to - from);
    }
    return s;
}

/* Blocks lie one behind the other, x fastest: the planes of blocks below, the rows in front, the
 * blocks at the left. */
uint64_t htmt__md_cells_before(const struct htmt__md_plan *p, const struct htmt__md_block *b)
{
    return (uint64_t)b->first[2] * p->tile[0] * p->tile[1] +
           (uint64_t)b->n[2] * b->first[1] * p->tile[0] + (uint64_t)b->n[2] * b->n[1] * b->first[0];
}

/* The block along an axis that a cell of the tile lies in. */
static uint32_t block_along(const struct htmt__md_plan *p, unsigned axis, uint32_t cell)
{
    const uint64_t n = p->tile[axis], blocks = p->blocks[axis];
    uint32_t b = (uint32_t)(cell * blocks / n);
    while (b + 1 < blocks && (b + 1) * n / blocks <= cell)
        b++;
    return b;
}

struct htmt__md_home htmt__md_home(const struct htmt__md_plan *p, const uint32_t cell[3])
{
    uint32_t place[3], in[3], at[3];
    for (unsigned a = 0; a < 3; a++) {
        place[a] = cell[a] / p->tile[a];
        in[a] = cell[a] % p->tile[a];
        at[a] = block_along(p, a, in[a]);
    }
    struct htmt__md_home home;
    home.slice = place[0] + p->grid.extent[0] * (place[1] + p->grid.extent[1] * place[2]);
    home.block = at[0] + p->blocks[0] * (at[1] + p->blocks[1] * at[2]);
    const struct htmt__md_block b = htmt__md_block(p, home.block);
    home.cell = in[0] - b.first[0] + b.n[0] * (in[1] - b.first[1] + b.n[1] * (in[2] - b.first[2]));
    return home;
}

/* ---- what to expect -------------------------------------------------------------------------- */

struct htmt__md_lists htmt__md_expected(const struct htmt__md_plan *p, const uint32_t n[3])
{
    const double mean = htmt__md_mean(p), around = (double)htmt__md_cells_around(p, n),
                 own = mean * (double)htmt__md_cells(n);
    const double within = 4. / 3 * M_PI * p->density * p->cut * p->cut * p->cut;
    return (struct htmt__md_lists){.own = (uint64_t)(own + 0.5),
                                   .all = (uint64_t)(mean * around + 0.5),
                                   .candidates = (uint64_t)(own * mean * (p->whole ? 1 : 27) + 0.5),
                                   .within = (uint64_t)(own * within + 0.5)};
}

uint64_t htmt__md_expected_through(const struct htmt__md_plan *p, const uint32_t n[3],
                                   unsigned axis)
{
    const double area = (double)htmt__md_cells(n) / n[axis] / p->edge[axis] *
                        (p->edge[0] * p->edge[1] * p->edge[2]),
                 speed = sqrt(p->thermal / (2 * M_PI)), time = p->every * p->dt,
                 all = p->density * area * speed * time,
                 most = htmt__md_mean(p) * (double)htmt__md_cells(n) / 6;
    return (uint64_t)((all < most ? all : most) + 0.5);
}

/* Of N atoms with normally distributed velocities the fastest has about sqrt(2 T ln N). Cells are
 * built anew after the first step in which it has gone more than half the skin. */
static uint32_t expected_every(const struct htmt__md_plan *p)
{
    const double fastest = sqrt(2 * p->thermal * log((double)p->atoms + 1)),
                 steps = fastest > 0 ? floor(p->skin / 2 / (fastest * p->dt)) + 1 : STEPS_MOST;
    return steps < STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
}

/* ---- memories -------------------------------------------------------------------------------- */

uint64_t htmt__md_scratch_words(const struct htmt__md_plan *p)
{
    return 5 * ((p->whole ? 1 : 27) * (uint64_t)p->room + 8);
}

uint64_t htmt__md_force_words(const struct htmt__md_plan *p, uint64_t cells_around, uint64_t all,
                              uint64_t own)
{
    return htmt__md_packed_words(cells_around, all) + 3 * own + HTMT__MD_SUM_WORDS +
           htmt__md_scratch_words(p);
}

uint64_t htmt__md_packed_most(const struct htmt__md_plan *p, const uint32_t n[3])
{
    const uint64_t cells = htmt__md_cells_around(p, n);
    return htmt__md_packed_words(cells, cells * p->room);
}

uint64_t htmt__md_buffer_words(const struct htmt__md_plan *p)
{
    const struct htmt__md_block b = htmt__md_block(p, p->block_count - 1);
    return htmt__md_packed_most(p, b.n);
}

/* ---- the box --------------------------------------------------------------------------------- */

static int read_edges(const struct htmt_request *r, uint32_t cubes[3], struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, "edge");
    double n[3] = {0};
    int rc = htmt_request_reals(r, "edge", strchr(text, ',') ? 3 : 1, n, fault);
    for (unsigned a = 0; a < 3 && !rc; a++) {
        const double of = strchr(text, ',') ? n[a] : n[0];
        if (!(of >= 1 && of <= HTMT__MD_EDGE_MOST && of == floor(of)))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--edge: found %s, expected one or three whole numbers from 1 to "
                                  "%u",
                                  text, HTMT__MD_EDGE_MOST);
        cubes[a] = (uint32_t)of;
    }
    return rc;
}

/* A lattice: the edge *a of its cubes, and the box. */
static int read_lattice(const struct htmt_request *r, struct htmt__md_plan *p, double *a,
                        uint32_t cubes[3], struct htmt_fault *fault)
{
    static const char *const kinds[] = {"fcc", NULL};
    unsigned kind = 0;
    if (htmt_request_value(r, "box"))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--box: found %s without --in, expected --edge and --density of a "
                              "lattice",
                              htmt_request_value(r, "box"));
    int rc = htmt_request_choice(r, "lattice", kinds, &kind, fault);
    rc = rc ? rc : read_edges(r, cubes, fault);
    rc = rc ? rc : htmt_request_real(r, "density", 1e-6, 10, &p->density, fault);
    if (rc)
        return rc;
    *a = cbrt(4 / p->density);
    p->atoms = (uint64_t)4 * cubes[0] * cubes[1] * cubes[2];
    for (unsigned axis = 0; axis < 3; axis++)
        p->box[axis] = *a * cubes[axis];
    return 0;
}

static int read_box(const struct htmt_request *r, struct htmt__md_plan *p, struct htmt_fault *fault)
{
    if (!htmt_request_value(r, "box"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--in: found no --box, expected its edges");
    int rc = htmt_request_reals(r, "box", 3, p->box, fault);
    for (unsigned a = 0; a < 3 && !rc; a++)
        if (!(p->box[a] > 0))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--box: found %s, expected three numbers above 0",
                                  htmt_request_value(r, "box"));
    return rc;
}

/* The skin leaves room for three cells along each edge, or is cut to what does; or there are no
 * cells. */
static int choose_cells(const struct htmt_request *r, struct htmt__md_plan *p,
                        struct htmt_fault *fault)
{
    double least = INFINITY;
    int rc = htmt_request_real(r, "cut", 0.1, 1e3, &p->cut, fault);
    rc = rc ? rc : htmt_request_real(r, "skin", 0, 1e3, &p->skin, fault);
    for (unsigned a = 0; a < 3; a++)
        least = p->box[a] < least ? p->box[a] : least;
    if (!rc && least < 2 * p->cut)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--cut: found %g, expected at most %g, half the shortest edge of the "
                              "box",
                              p->cut, least / 2);
    p->whole = least < 3 * p->cut;
    if (!p->whole && p->skin > least / 3 - p->cut)
        p->skin = least / 3 - p->cut;
    return rc;
}

static int read_motion(const struct htmt_request *r, struct htmt__md_plan *p, double fallback,
                       struct htmt_fault *fault)
{
    p->temperature = fallback;
    p->shift = htmt_request_value(r, "shift") != NULL;
    p->tail = htmt_request_value(r, "tail") != NULL;
    int rc = htmt_request_real(r, "temperature", 0, 1e6, &p->temperature, fault);
    p->scale_to = p->temperature;
    rc = rc ? rc : htmt_request_real(r, "dt", 1e-9, 1, &p->dt, fault);
    rc = rc ? rc : htmt_request_real(r, "scale-to", 0, 1e6, &p->scale_to, fault);
    rc = rc ? rc : htmt_request_whole32(r, "steps", 0, STEPS_MOST, &p->steps, fault);
    rc = rc ? rc : htmt_request_whole32(r, "scale-steps", 0, p->steps, &p->scale_steps, fault);
    if (!rc && fallback > 0 && p->temperature == 0 && p->scale_to > 0 && p->scale_steps)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--scale-steps: found a lattice at rest, expected a --temperature "
                              "above 0");
    return rc;
}

uint32_t htmt__md_slices(const struct htmt_request *r)
{
    const uint32_t all = htmt_request_machine(r)->slices;
    struct htmt__md_plan p = {.atoms = 0};
    uint32_t grid[3], cubes[3];
    double a;
    int rc =
        htmt_request_value(r, "in") ? read_box(r, &p, NULL) : read_lattice(r, &p, &a, cubes, NULL);
    if (rc || choose_cells(r, &p, NULL))
        return all;
    if (p.whole)
        return 1;
    const uint32_t most = choose_grid(&p, all, false, TILE_LEAST, grid);
    return most ? most : all;
}

static int read_atoms(struct htmt_task *task, struct htmt__md_plan *p, struct htmt__md_atoms *atoms,
                      double *a, uint32_t cubes[3])
{
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *path = htmt_request_value(r, "in");
    if (!path)
        return read_lattice(r, p, a, cubes, fault);
    int rc = read_box(r, p, fault);
    rc = rc ? rc : htmt__md_read(path, p->box, atoms, fault);
    p->atoms = atoms->count;
    p->density = (double)p->atoms / (p->box[0] * p->box[1] * p->box[2]);
    if (!rc && htmt_request_symmetry(r) == HTMT_FOLDED)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold: found atoms of %s, expected a lattice: slices are not "
                                "alike",
                                path);
    return rc;
}

int htmt__md_plan(struct htmt_task *task, struct htmt__md_plan *p, struct htmt__md_atoms *atoms)
{
    const struct htmt_request *r = htmt_task_request(task);
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    uint32_t cubes[3] = {0};
    double a = 0;
    int rc = htmt_chain_layers(m, "molecular dynamics", &p->outer, &p->middle, &p->inner, fault);
    if (!rc)
        rc = htmt_chain_network(m, "molecular dynamics", p->outer, p->middle, false, &p->down,
                                fault);
    if (!rc)
        rc = htmt_chain_network(m, "molecular dynamics", p->middle, p->inner, false, &p->up, fault);
    if (!rc && m->slices > 1)
        rc = htmt_chain_network(m, "molecular dynamics", p->outer, p->outer, true, &p->across,
                                fault);
    rc = rc ? rc : htmt__md_read_costs(r, p, fault);
    rc = rc ? rc : read_atoms(task, p, atoms, &a, cubes);
    rc = rc ? rc : choose_cells(r, p, fault);
    rc = rc ? rc : read_motion(r, p, !atoms->count ? 1.44 : 0, fault);
    rc = rc ? rc : divide(task, p);
    rc = rc ? rc : htmt__md_choose_room(task, p, a, cubes, atoms);
    if (rc)
        return rc;
    p->thermal = atoms->count ? p->temperature : p->temperature / 2;
    p->every = expected_every(p);
    return 0;
}
