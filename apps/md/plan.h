/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a run: the box and its cells, slices and blocks, the room of a cell, and what a
 * parcel holds and costs.
 */
#ifndef HTMT_APPS_MD_PLAN_H
#define HTMT_APPS_MD_PLAN_H

#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/md/input.h"

#include <math.h>

#define HTMT__MD_EDGE_MOST (1u << 16) /* cubes of a lattice, cells of a box along an axis */
#define HTMT__MD_WAYS      26         /* to slices that share a face, an edge or a corner */
#define HTMT__MD_WINDOW    32         /* most blocks of a slice that are packed or compute */

/* Operations of an atom, a candidate, a pair within the cut; a cost file may say others. */
enum htmt__md_cost {
    HTMT__MD_CANDIDATE_FLOP, /* its distance */
    HTMT__MD_IMAGE_FLOP,     /* the nearest image of a candidate, where there are no cells */
    HTMT__MD_PAIR_FLOP,      /* force, energy, virial */
    HTMT__MD_ATOM_FLOP,      /* sums of an atom */
    HTMT__MD_PACK_FLOP,      /* the image of a packed atom */
    HTMT__MD_MOVE_FLOP,      /* kicks, drift, diagnostics */
    HTMT__MD_COSTS
};

struct htmt__md_plan {
    uint64_t atoms;
    double box[3], density;
    double cut, skin, dt;
    double temperature; /* of the beginning */
    double
        thermal; /* model: of later; half the motion of a lattice's atoms goes into their places */
    bool shift, tail;
    uint32_t steps, scale_steps; /* of them with scaled velocities */
    double scale_to;
    bool whole;        /* fewer than three cells along an edge: one block, nearest images */
    uint32_t cells[3]; /* of the box */
    double edge[3];    /* of a cell */
    struct htmt_grid grid;
    uint32_t tile[3]; /* cells of a slice */
    uint32_t blocks[3], block_count;
    uint32_t strips[2]; /* of a block, along y and z, each of which a DPIM moves */
    uint32_t window; /* blocks of a slice that are packed or compute, each with a buffer in SRAM */
    uint32_t halo;   /* cells: 1; whole: 0 */
    uint32_t room;   /* atoms of a cell */
    uint32_t moves;  /* atoms that leave the cells of a block at once */
    uint32_t every;  /* model: steps from one rebuild to the next */
    uint32_t outer, middle, inner, down, up, across;
    uint64_t cost[HTMT__MD_COSTS];
};

extern const struct htmt_app_option htmt__md_options[];
extern const struct htmt_app_size htmt__md_sizes[];

/* All but blocks. *atoms: what `--in` names, without one nothing. Errors: those of
 * options, cost files and htmt__md_read(); HTMT_EUSAGE, HTMT_ERANGE, HTMT_ECAPACITY; the line is
 * the task's. */
int htmt__md_plan(struct htmt_task *task, struct htmt__md_plan *p, struct htmt__md_atoms *atoms);
uint32_t htmt__md_slices(const struct htmt_request *r);

/* Atoms of a cell, on average. */
static inline double htmt__md_mean(const struct htmt__md_plan *p)
{
    return (double)p->atoms / ((double)p->cells[0] * p->cells[1] * p->cells[2]);
}

/* ---- room.c: atoms for which a cell has room; of a lattice of cubes[] cubes of edge `a`, or of
 * `atoms`. Errors: HTMT_ERANGE, HTMT_ENOMEM, those of options; the line is the task's. ---- */
int htmt__md_choose_room(struct htmt_task *task, struct htmt__md_plan *p, double a,
                         const uint32_t cubes[3], const struct htmt__md_atoms *atoms);

/* ---- blocks.c: the rest of the plan, that is blocks, strips, buffers, movers. Errors:
 * HTMT_ECAPACITY (what does not fit), HTMT_ERANGE, those of options; the line is the task's. ----
 */
int htmt__md_choose_blocks(struct htmt_task *task, struct htmt__md_plan *p);

/* ---- closed_form.c: the time without simulation, with a uniform density and trains of blocks ----
 */

struct htmt__md_prediction {
    htmt_wide total, work, fill, drain; /* fs; the last three in all steps */
    double flop;                        /* of the force kernels of all slices and steps */
};

/* Into `out` the lines of `predict`, NULL: nowhere. Errors: HTMT_EOVERFLOW (a time passes 64-bit
 * femtoseconds), HTMT_ENOMEM. */
int htmt__md_predict(const struct htmt_machine *m, const struct htmt__md_plan *p,
                     struct htmt__md_prediction *prediction, struct htmt_prediction *out,
                     struct htmt_fault *fault);

/* ---- blocks, strips, cells ------------------------------------------------------------------ */

/* A block of cells of a slice: the first one, and along each edge. */
struct htmt__md_block {
    uint32_t first[3], n[3];
};
struct htmt__md_block htmt__md_block(const struct htmt__md_plan *p, uint32_t index);

static inline uint64_t htmt__md_cells(const uint32_t n[3])
{
    return (uint64_t)n[0] * n[1] * n[2];
}
static inline uint64_t htmt__md_cells_around(const struct htmt__md_plan *p, const uint32_t n[3])
{
    const uint64_t h = 2 * p->halo;
    return (n[0] + h) * (n[1] + h) * (n[2] + h);
}
/* Cells of a slice in blocks before this one. */
uint64_t htmt__md_cells_before(const struct htmt__md_plan *p, const struct htmt__md_block *b);

/* A strip of a block: some rows of some of its planes. */
struct htmt__md_block htmt__md_strip(const struct htmt__md_plan *p, const struct htmt__md_block *b,
                                     uint32_t index);
static inline uint32_t htmt__md_strips(const struct htmt__md_plan *p)
{
    return p->strips[0] * p->strips[1];
}

/* The cell of the box that a coordinate lies in, which is brought into the box first. HTMT__MD_NO:
 * it is no number. */
#define HTMT__MD_NO UINT32_MAX
static inline uint32_t htmt__md_cell_along(const struct htmt__md_plan *p, unsigned axis, double *x)
{
    const double length = p->box[axis];
    if (!(*x >= 0 && *x < length))
        *x -= length * floor(*x / length);
    if (*x == length)
        *x = 0;
    if (!(*x >= 0 && *x < length))
        return HTMT__MD_NO;
    const uint32_t cell = (uint32_t)(*x / p->edge[axis]);
    return cell < p->cells[axis] ? cell : p->cells[axis] - 1;
}

/* Where a cell of the box lies: slice, block, and its number in the block. */
struct htmt__md_home {
    uint32_t slice, block, cell;
};
struct htmt__md_home htmt__md_home(const struct htmt__md_plan *p, const uint32_t cell[3]);

/* Blocks of a slice that have the same cells along z are a layer, which has a mailbox. */
static inline uint32_t htmt__md_layer_blocks(const struct htmt__md_plan *p)
{
    return p->blocks[0] * p->blocks[1];
}

/* ---- what a model run and the closed form take for granted: a uniform density ---------------- */

struct htmt__md_lists {
    uint64_t own, all, candidates, within; /* of a block; all: with its halo */
};
struct htmt__md_lists htmt__md_expected(const struct htmt__md_plan *p, const uint32_t n[3]);
/* Atoms of so many cells that enter each of the six faces between two rebuilds. */
uint64_t htmt__md_expected_through(const struct htmt__md_plan *p, const uint32_t n[3],
                                   unsigned axis);

/* ---- words and operations ------------------------------------------------------------------- */

/* Of a cell with its count; of an atom's velocity, displacement and number; of one that moves. */
static inline uint64_t htmt__md_cell_words(const struct htmt__md_plan *p)
{
    return 1 + 3 * (uint64_t)p->room;
}
#define HTMT__MD_STATE_WORDS 7
#define HTMT__MD_MOVE_WORDS  7
#define HTMT__MD_SUM_WORDS   4 /* of a block: energy, virial, candidates, pairs within the cut */
/* Words of a packed block: where its cells begin, then x, y, z. */
static inline uint64_t htmt__md_first_words(uint64_t cells)
{
    return (cells + 2) / 2;
}
static inline uint64_t htmt__md_packed_words(uint64_t cells, uint64_t atoms)
{
    return htmt__md_first_words(cells) + 3 * atoms;
}
/* Of a buffer, which holds any block of so many cells; of that of the largest block. */
uint64_t htmt__md_packed_most(const struct htmt__md_plan *p, const uint32_t n[3]);
uint64_t htmt__md_buffer_words(const struct htmt__md_plan *p);
/* Of the candidates of a cell: distance, and where the atom lies. */
uint64_t htmt__md_scratch_words(const struct htmt__md_plan *p);
/* All that a force parcel holds in CRAM. */
uint64_t htmt__md_force_words(const struct htmt__md_plan *p, uint64_t cells_around, uint64_t all,
                              uint64_t own);

/* ---- costs.c ---- */

/* Errors: those of htmt_costs_load(). */
int htmt__md_read_costs(const struct htmt_request *r, struct htmt__md_plan *p,
                        struct htmt_fault *fault);
struct htmt_ops htmt__md_pack_ops(const struct htmt__md_plan *p, uint64_t cells, uint64_t all);
struct htmt_ops htmt__md_force_ops(const struct htmt__md_plan *p, const struct htmt__md_lists *l);
struct htmt_ops htmt__md_move_ops(const struct htmt__md_plan *p, uint64_t cells, uint64_t own);
struct htmt_ops htmt__md_leave_ops(uint64_t own, uint64_t leaving);
struct htmt_ops htmt__md_settle_ops(uint64_t cells, uint64_t arriving, uint64_t shifted);

#endif
