/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a plasma lies on a machine: which slice owns which cells, how a slice divides its cells into
 * blocks, how many particles a parcel carries.
 *
 * Slices form a grid of py x pz pencils. Slice k py + j owns all of x, the j-th part of y and the
 * k-th part of z. Part i of n things in m parts is [n i / m, n (i + 1) / m). A slice divides its
 * cells into blocks of at most edge (N_G) cells a side. The particles of one species in one block
 * lie in a bundle: an array of particles that one push parcel carries up. A block with more
 * particles than a bundle holds spills into further bundles.
 *
 * The blocks of a slice are divided among teams. A team is the work of one DPIM. It has the bundles
 * of its blocks, a few free bundles, spare bundles as DRAM allows, and a mailbox for each species.
 *
 * The algorithm uses the three innermost layers: "inner" (CRAM, SPELL), "middle" (SRAM, SPIM) and
 * "outer" (DRAM, DPIM).
 */
#ifndef HTMT_APPS_PIC_PLAN_H
#define HTMT_APPS_PIC_PLAN_H

#include "apps/pic/io/particles.h"
#include "layers/machine/machine.h"

#include <stdbool.h>

/* Words of a particle and of a point of the field. */
#define HTMT__PIC_PARTICLE_WORDS 6
#define HTMT__PIC_FIELD_WORDS    3
/* Words of a particle that a deposit needs. */
#define HTMT__PIC_POSITION_WORDS 3
/* Words that a push parcel returns beside its particles: the number that stay, and sums over
 * them. */
#define HTMT__PIC_REPORT_WORDS 8
/* Most bundles of a team: their counts must fit the message from a kernel to its control. */
#define HTMT__PIC_TEAM_BUNDLES 60
/* Most particles of a bundle: the count must fit that message, too. */
#define HTMT__PIC_BUNDLE_MOST 0xffffff

/* Charges of a push parcel. */
struct htmt__pic_charges {
    uint64_t flop;               /* a particle */
    struct htmt_ratio useful;    /* share of the SPELL's cycles that are flops */
    uint64_t guard;              /* points of the field along an edge beyond the cells */
    uint64_t code;               /* words of code and header */
    uint64_t assembly, dispatch; /* cycles of a DPIM, of a SPIM */
    bool from_file;              /* from a cost file, not the program's own counts */
};

struct htmt__pic_problem {
    uint32_t n[3]; /* cells; all 0: blocks of edge^3, `parcels` of them or all that DRAM holds */
    uint32_t species;
    uint64_t per_cell[HTMT__PIC_SPECIES_MAX]; /* particles of a species, on average */
    double flux[HTMT__PIC_SPECIES_MAX][3];    /* cells a step, both ways along an axis
                                                 (htmt__pic_flux()); 0: no particle migrates */
    uint32_t edge;                            /* 0: the largest that fits */
    uint64_t parcels;                         /* a slice; 0: the number that DRAM holds */
    uint64_t mail; /* particles of a species that a team's mailbox holds; 0: half its bundles' */
    bool double_buffer; /* choose the largest edge for which two parcels fit */
    bool eject;         /* for a problem without cells: pushed particles return */
    struct htmt__pic_charges charges;
};

struct htmt__pic_plan {
    struct htmt__pic_problem problem;
    uint32_t slices, py, pz;
    uint32_t outer, middle, inner; /* layers */
    uint32_t edge, edge_most;
    uint64_t parcel_words;     /* of a push parcel with the mean number of particles: code, field,
                                  particles */
    uint64_t buffers;          /* number of such parcels that CRAM holds */
    uint64_t parcels;          /* of a slice; with cells: of the fullest slice */
    uint64_t room;             /* particles of a bundle */
    uint32_t largest[3];       /* cells of the largest slice */
    uint32_t block[3];         /* cells of the largest block */
    uint32_t blocks;           /* of the slice with most */
    uint32_t teams;            /* of a slice */
    uint32_t bundles;          /* of a team: those of its blocks and a few free ones */
    uint32_t spares;           /* further bundles of a team, as DRAM allows */
    uint32_t modes;            /* of x: n / 2 + 1 */
    uint32_t modes_x, modes_y; /* of the slice with most of them */
    uint64_t mail;             /* particles that a mailbox holds */
    uint32_t rows_x, columns_y, columns_z; /* that one parcel transforms */
    uint64_t outer_words;                  /* words of DRAM that a slice takes */
};

/* The counted operations of the program's own kernel, and its moves. */
extern const struct htmt__pic_charges htmt__pic_own_charges;

/* Errors: HTMT_EINVAL (the machine lacks a layer, a network, or has too many slices for the cells),
 * HTMT_ERANGE, HTMT_ECAPACITY with the arithmetic (a parcel does not fit CRAM, the particles do not
 * fit DRAM). *plan is untouched on failure. */
int htmt__pic_plan(const struct htmt_machine *m, const struct htmt__pic_problem *problem,
                   struct htmt__pic_plan *plan, struct htmt_fault *fault);

/* Words that must be left in DRAM so that each team of a slice gets that number of spares. */
uint64_t htmt__pic_words_for_spares(const struct htmt__pic_plan *p, uint64_t spares);

/* Check that all slices have the same number of cells, modes and partners, and so do the same.
 * Errors: HTMT_EUSAGE. */
int htmt__pic_plan_alike(const struct htmt__pic_plan *p, struct htmt_fault *fault);

/* ---- geometry ------------------------------------------------------------------------------- */

/* The first thing of part i, for n things in m parts; and the part that has thing c. */
static inline uint32_t htmt__pic_first(uint32_t n, uint32_t m, uint32_t i)
{
    return (uint32_t)((uint64_t)n * i / m);
}

static inline uint32_t htmt__pic_part(uint32_t n, uint32_t m, uint32_t c)
{
    return (uint32_t)((((uint64_t)c + 1) * m - 1) / n);
}

struct htmt__pic_box {
    uint32_t lo[3], n[3];
};

static inline uint64_t htmt__pic_cells(const struct htmt__pic_box *b)
{
    return (uint64_t)b->n[0] * b->n[1] * b->n[2];
}

/* Points of a box with one guard point at each side. */
static inline uint64_t htmt__pic_points(const uint32_t n[3])
{
    return ((uint64_t)n[0] + 2) * (n[1] + 2) * (n[2] + 2);
}

struct htmt__pic_box htmt__pic_slice_box(const struct htmt__pic_plan *p, uint32_t slice);

uint32_t htmt__pic_block_count(const struct htmt__pic_plan *p, uint32_t slice);
struct htmt__pic_box htmt__pic_block_box(const struct htmt__pic_plan *p, uint32_t slice,
                                         uint32_t block);

/* ---- teams ---------------------------------------------------------------------------------- */

/* The first block of a team, and the team of a block. */
static inline uint32_t htmt__pic_team_first(const struct htmt__pic_plan *p, uint32_t blocks,
                                            uint32_t team)
{
    return htmt__pic_first(blocks, p->teams, team);
}

static inline uint32_t htmt__pic_team_of(const struct htmt__pic_plan *p, uint32_t blocks,
                                         uint32_t block)
{
    return htmt__pic_part(blocks, p->teams, block);
}

/* Bundles of a slice are numbered team by team, and after them the spare bundles team by team: the
 * host gives no pages to spares that were never used. */
static inline uint64_t htmt__pic_usual_bundles(const struct htmt__pic_plan *p)
{
    return (uint64_t)p->teams * p->bundles;
}

static inline uint64_t htmt__pic_all_bundles(const struct htmt__pic_plan *p)
{
    return (uint64_t)p->teams * (p->bundles + p->spares);
}

/* The number in the slice of a team's i-th bundle. */
static inline uint64_t htmt__pic_bundle_of(const struct htmt__pic_plan *p, uint64_t team,
                                           uint64_t i)
{
    return i < p->bundles ? team * p->bundles + i
                          : htmt__pic_usual_bundles(p) + team * p->spares + i - p->bundles;
}

/* The place of a bundle in tables that have all bundles of a team side by side. */
static inline uint64_t htmt__pic_entry(const struct htmt__pic_plan *p, uint64_t bundle)
{
    uint64_t usual = htmt__pic_usual_bundles(p), each = (uint64_t)p->bundles + p->spares;
    return bundle < usual
               ? bundle / p->bundles * each + bundle % p->bundles
               : (bundle - usual) / p->spares * each + p->bundles + (bundle - usual) % p->spares;
}

/* ---- owners --------------------------------------------------------------------------------- */

/* The home of a particle, from tables along the axes. The tables pay because every particle that
 * leaves its block needs its home. */
struct htmt__pic_cell {   /* along one axis */
    uint32_t part, block; /* of the slices; of the blocks in that part */
};

struct htmt__pic_block_owner {
    uint32_t py, teams;
    struct htmt__pic_cell *cell[3]; /* of each cell along the axis */
    uint32_t *blocks[3];            /* of each part: along the axis */
};

/* On success the caller destroys *owner. Errors: HTMT_ENOMEM. */
int htmt__pic_block_owner_create(const struct htmt__pic_plan *plan,
                                 struct htmt__pic_block_owner *owner, struct htmt_fault *fault);
void htmt__pic_block_owner_destroy(struct htmt__pic_block_owner *owner); /* leaves none */

struct htmt__pic_home {
    uint32_t slice, team, block;
};

static inline struct htmt__pic_home htmt__pic_home_of(const struct htmt__pic_block_owner *a,
                                                      const struct htmt__pic_particle *q)
{
    struct htmt__pic_cell x = a->cell[0][(uint32_t)q->x], y = a->cell[1][(uint32_t)q->y];
    struct htmt__pic_cell z = a->cell[2][(uint32_t)q->z];
    uint32_t nx = a->blocks[0][0], ny = a->blocks[1][y.part], nz = a->blocks[2][z.part];
    uint32_t block = (z.block * ny + y.block) * nx + x.block;
    return (struct htmt__pic_home){z.part * a->py + y.part,
                                   htmt__pic_part(nx * ny * nz, a->teams, block), block};
}

#endif
