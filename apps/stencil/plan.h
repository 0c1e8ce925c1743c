/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a run: the box, its slices and blocks, the gas, the time step, and what a parcel
 * costs.
 */
#ifndef HTMT_APPS_STENCIL_PLAN_H
#define HTMT_APPS_STENCIL_PLAN_H

#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/stencil/cases.h"

#define HTMT__STENCIL_STAGES     3  /* of a step */
#define HTMT__STENCIL_NEIGHBOURS 18 /* with which a slice shares a face or an edge */
/* Parcels of a slice under way, of them in CRAM. */
#define HTMT__STENCIL_WINDOW  3
#define HTMT__STENCIL_IN_CRAM 2

/* In the order of the program. */
enum htmt__stencil_loop {
    HTMT__STENCIL_PRIMITIVE,
    HTMT__STENCIL_COURANT, /* in stage 1 alone */
    HTMT__STENCIL_NO_DENSITY,
    HTMT__STENCIL_GRADIENT_X,
    HTMT__STENCIL_GRADIENT_Y,
    HTMT__STENCIL_GRADIENT_Z,
    HTMT__STENCIL_MOMENTUM_X,
    HTMT__STENCIL_MOMENTUM_Y,
    HTMT__STENCIL_MOMENTUM_Z,
    HTMT__STENCIL_ENERGY,
    HTMT__STENCIL_FLUX_X,
    HTMT__STENCIL_FLUX_Y,
    HTMT__STENCIL_FLUX_Z,
    HTMT__STENCIL_UPDATE,
    HTMT__STENCIL_LOOPS
};

struct htmt__stencil_plan {
    uint32_t cells[3], b; /* of the box; of a block, along an edge */
    enum htmt__stencil_case which;
    struct htmt__stencil_gas gas;
    double dt;
    uint32_t steps;
    bool loops;                  /* a parcel for each loop of a block, not for all of them */
    struct htmt_grid grid;       /* of slices; it wraps */
    uint32_t tile[3], blocks[3]; /* of a slice: cells, blocks */
    uint32_t block_count;        /* of a slice */
    /* Parts of a margin that the slice's own DPIMs copy, since it is its own neighbour that way; 0:
     * it goes to another slice. */
    uint32_t copies[HTMT__STENCIL_NEIGHBOURS];
    uint32_t dram, sram, cram; /* layers */
    uint32_t down, up;         /* networks: DRAM to SRAM and back; SRAM to CRAM and back */
    uint32_t across;           /* from DRAM to that of another slice */
    struct htmt_ratio flop[HTMT__STENCIL_LOOPS]; /* of a cell of each loop */
};

extern const struct htmt_app_option htmt__stencil_options[]; /* ends with a NULL name */

/* Errors: those of options and cost files; HTMT_EUSAGE (a box or slices that do not divide),
 * HTMT_ECAPACITY (a block or tiles that do not fit), HTMT_ERANGE (a margin wider than a tile, a
 * step beyond a limit); the line is the task's. */
int htmt__stencil_plan(struct htmt_task *task, struct htmt__stencil_plan *p);
/* Member `slices` of the application: the most slices that get equal boxes of whole blocks. */
uint32_t htmt__stencil_slices(const struct htmt_request *r);

/* Cells of a loop of a block. */
uint64_t htmt__stencil_loop_cells(enum htmt__stencil_loop loop, uint64_t b);
/* Of the parcels of a slice in a stage, or, of order loops, in a loop. */
uint32_t htmt__stencil_parcels(const struct htmt__stencil_plan *p, enum htmt__stencil_loop loop);
extern const char *const htmt__stencil_loop_words[HTMT__STENCIL_LOOPS];
/* Operations of a parcel of one loop; of all loops, in stage 0, 1, 2. */
struct htmt_ops htmt__stencil_loop_ops(const struct htmt__stencil_plan *p,
                                       enum htmt__stencil_loop loop);
struct htmt_ops htmt__stencil_ops(const struct htmt__stencil_plan *p, unsigned stage);

/* Words: of what comes with a margin, of what goes; of the scratch of a SPELL; of all in CRAM; of a
 * field of a slice, with margins. */
static inline uint64_t htmt__stencil_words_with_margin(uint64_t b)
{
    const uint64_t n = b + 2 * HTMT__STENCIL_MARGIN;
    return HTMT__STENCIL_FIELDS * n * n * n;
}
static inline uint64_t htmt__stencil_words_of_block(uint64_t b)
{
    return HTMT__STENCIL_FIELDS * b * b * b;
}
static inline uint64_t htmt__stencil_words_of_scratch(uint64_t b)
{
    const uint64_t n = b + 2 * HTMT__STENCIL_MARGIN;
    return HTMT__STENCIL_STATES * n * n * n + 9 * b * n * n + HTMT__STENCIL_FIELDS * b * b * b;
}
uint64_t htmt__stencil_words_in_cram(uint64_t b, uint64_t parcels);
uint64_t htmt__stencil_words_of_loop(uint64_t b); /* of the largest parcel of one loop */
uint64_t htmt__stencil_words_of_tile(const struct htmt__stencil_plan *p);

/* Steps to the neighbours, faces first. */
extern const int htmt__stencil_ways[HTMT__STENCIL_NEIGHBOURS][3];
/* Cells that go to a neighbour: four deep along the axes of the step, as long as the tile along the
 * others; or one of the parts in which they are copied, cut along the longest axis. `first`: its
 * first one, from that of the margin. */
uint64_t htmt__stencil_margin(const struct htmt__stencil_plan *p, unsigned way, uint32_t part,
                              uint64_t first[3], uint64_t extent[3]);
/* How many come to a slice before a stage. */
uint32_t htmt__stencil_arrivals(const struct htmt__stencil_plan *p);

/* The limits of a time step, per unit of the rates: dt most (c + |u_a|) / h of any axis is at most
 * the first one, dt nu / h^2 at most the second. */
double htmt__stencil_advection_limit(void);
double htmt__stencil_viscosity_limit(void);

#endif
