/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of Cannon's parcel program share: the grid, the objects, the order of the work.
 *
 * Steps are counted through the whole run. A product has t_m t_n t_k s of them: for each of the t_m
 * x t_n subblocks of C that a SPELL makes, t_k block products of s steps.
 */
#ifndef HTMT_APPS_CANNON_GRID_H
#define HTMT_APPS_CANNON_GRID_H

#include "apps/cannon/program.h"
#include "apps/lib/per_slice.h"

/* Subblocks of A, and of B, in CRAM. */
#define HTMT__CANNON_BUFFERS 3

/* Fibers of the activation in CRAM: a step for each buffer, and between blocks of C and products.
 */
enum {
    HTMT__STEP = 1,
    HTMT__NEXT_BLOCK = HTMT__STEP + HTMT__CANNON_BUFFERS,
    HTMT__NEXT_PRODUCT,
    HTMT__SPELL_FIBERS = HTMT__NEXT_PRODUCT
};

/* Fibers of the activation in DRAM. */
enum {
    HTMT__BUNDLE_UP = 1, /* transforms of A and B done, SRAM free */
    HTMT__TRANSFORM,     /* bundles have left DRAM */
    HTMT__BUNDLE_DOWN,   /* C complete in SRAM, its place in DRAM free */
    HTMT__KEEPER_FIBERS = HTMT__BUNDLE_DOWN
};

/* A step, and its number among those that follow each other. */
struct htmt__cannon_place {
    uint64_t step;   /* of the run */
    uint64_t round;  /* of its block product, of s */
    uint64_t in_sum; /* of its subblock of C, of t_k s */
    uint64_t in_product;
    uint32_t buffer; /* of its data */
};

/* A slice's part of the program: what its steps ask for again and again, and how far they are. */
struct htmt__cannon_site {
    HTMT_PER_SLICE struct htmt__cannon_place next; /* step to begin; its controls move it on */
    uint32_t slice;
    uint32_t right, down;                                  /* neighbours, around the edges */
    struct htmt_addr buffer[2][HTMT__CANNON_BUFFERS], sum; /* A, B; C */
    struct htmt_put send[2][HTMT__CANNON_BUFFERS];         /* out of these: A to the left, B up */
};

/* Written before the run only, except sites. */
struct htmt__cannon_program {
    struct htmt_emulator *e;
    struct htmt__cannon_plan plan;
    bool paper, named;                   /* named: block products are sections */
    const struct htmt__cannon_spread *c; /* NULL in a model run */
    uint32_t slices;
    uint64_t bytes[HTMT__MATRICES];  /* of a subblock */
    uint64_t sum_steps;              /* of a subblock of C: t_k s */
    uint64_t steps, products;        /* of a product; in all */
    uint64_t lines[HTMT__MATRICES];  /* of blocks in a bundle: rows (A, C) or columns (B) */
    uint64_t parts[HTMT__MATRICES];  /* strips into which a line is split for the DPIMs */
    uint64_t groups[HTMT__MATRICES]; /* of subblocks, into which a strip is split for them */
    struct htmt_frame *buffer[2][HTMT__CANNON_BUFFERS], *sum; /* CRAM: A, B; C */
    struct htmt_frame *bundle[HTMT__MATRICES];                /* SRAM */
    struct htmt_frame *image[HTMT__MATRICES];                 /* DRAM */
    struct htmt_object **share[HTMT__MATRICES];               /* of each slice, in the home layer */
    struct htmt_type *transform[HTMT__MATRICES], *up, *down, *pair, *multiply, *keeper;
    struct htmt_ref *spell, *dram; /* the activations of each slice */
    struct htmt__cannon_site *site;
};

typedef struct htmt__cannon_program htmt__cannon;

/* Which block of the large C, and which of the q_k products that it sums up. */
struct htmt__cannon_product {
    uint64_t row, col, inner;
};

static inline struct htmt__cannon_product htmt__cannon_product(const htmt__cannon *p,
                                                               uint64_t number)
{
    const uint64_t k = p->plan.of[HTMT__CANNON_K].q, n = p->plan.of[HTMT__CANNON_N].q;
    return (struct htmt__cannon_product){number / k / n, number / k % n, number % k};
}

static inline struct htmt_slot htmt__cannon_spell(const htmt__cannon *p, uint32_t slice,
                                                  uint32_t fiber)
{
    return (struct htmt_slot){p->spell[slice], fiber};
}

static inline struct htmt_slot htmt__cannon_dram(const htmt__cannon *p, uint32_t slice,
                                                 uint32_t fiber)
{
    return (struct htmt_slot){p->dram[slice], fiber};
}

/* multiply.c, percolate.c: create the types; the first parcel of a slice. */
int htmt__cannon_multiply_types(htmt__cannon *p);
int htmt__cannon_multiply_start(htmt__cannon *p, uint32_t slice);
/* Whose neighbours have started. */
void htmt__cannon_multiply_join(htmt__cannon *p, uint32_t slice);
int htmt__cannon_percolate_types(htmt__cannon *p);
int htmt__cannon_percolate_start(htmt__cannon *p, uint32_t slice);

#endif
