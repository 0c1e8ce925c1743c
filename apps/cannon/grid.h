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
    HTMT__SPELL_FIBERS = HTMT__NEXT_PRODUCT,
    HTMT__PANEL, /* of a grid that is not square: of A for each buffer, of B for each */
    HTMT__PANEL_FIBERS = HTMT__PANEL + 2 * HTMT__CANNON_BUFFERS - 1
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
    bool panels;                         /* are broadcast, since the grid is not square */
    const struct htmt__cannon_spread *c; /* NULL in a model run */
    uint32_t slices;
    uint64_t bytes[HTMT__MATRICES]; /* of a subblock */
    uint64_t sum_steps;             /* of a subblock of C: t_k s */
    uint64_t sending;               /* rounds of a block product that send to neighbours */
    uint64_t left;            /* last steps of a product: at the first, their data are in CRAM */
    uint64_t owned[2];        /* of s subblocks of k */
    uint64_t steps, products; /* of a product; in all */
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
    struct htmt__peers *nodes; /* mpp.c: of nodes that pass messages, else NULL */
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

/* The subblocks of A and B of a step among those of the bundles. */
static inline void htmt__cannon_in_bundle(const htmt__cannon *p, uint64_t step, uint64_t at[2])
{
    const uint64_t t = p->plan.of[HTMT__CANNON_K].t, across = p->plan.of[HTMT__CANNON_N].t;
    const uint64_t block = step % p->steps / p->plan.s, k = block % t;
    at[HTMT__A] = (block / t / across * t + k) * p->owned[HTMT__A];
    at[HTMT__B] = k * p->owned[HTMT__B] * across + block / t % across;
    if (p->panels) {
        const uint64_t round = step % p->plan.s;
        at[HTMT__A] += round / p->plan.of[HTMT__CANNON_N].s;
        at[HTMT__B] += round / p->plan.of[HTMT__CANNON_M].s * across;
    }
}

/* panels.c, on a grid that is not square. How many signals a step waits for; the first counts of
 * all slots of steps and of PANEL; at the start of a step: the own subblocks of a later one out of
 * the bundles, and credits for it to the owners of the others; what PANEL does. */
uint32_t htmt__cannon_panel_expected(const htmt__cannon *p, uint32_t slice, uint64_t step);
void htmt__cannon_panel_start(struct htmt_context *c, const htmt__cannon *p, uint32_t slice);
void htmt__cannon_panel_ask(struct htmt_context *c, const htmt__cannon *p,
                            const struct htmt__cannon_site *here, uint64_t step);
void htmt__cannon_panel_credit(struct htmt_context *c, const htmt__cannon *p,
                               const struct htmt__cannon_site *here, uint64_t step);
void htmt__cannon_panel_send(struct htmt_context *c, const htmt__cannon *p,
                             const struct htmt__cannon_site *here);

/* multiply.c: add the product of the kernel's first two areas to its third; fresh: write it there.
 */
void htmt__cannon_block_product(struct htmt_kernel *k, const struct htmt__cannon_plan *plan,
                                bool fresh);

/* multiply.c, percolate.c: create the types; the first parcel of a slice. */
int htmt__cannon_multiply_types(htmt__cannon *p);
int htmt__cannon_multiply_start(htmt__cannon *p, uint32_t slice);
/* Whose neighbours have started. */
void htmt__cannon_multiply_join(htmt__cannon *p, uint32_t slice);
int htmt__cannon_percolate_types(htmt__cannon *p);
int htmt__cannon_percolate_start(htmt__cannon *p, uint32_t slice);

#endif
