/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
 */
#ifndef HTMT_APPS_STENCIL_PROGRAM_PARTS_H
#define HTMT_APPS_STENCIL_PROGRAM_PARTS_H

#include "apps/stencil/accesses.h"
#include "apps/stencil/program.h"

/* Bytes of a cell of a field. */
#define HTMT__STENCIL_CELL (HTMT__STENCIL_FIELDS * sizeof(double))

/* Of a slice. */
struct htmt__stencil_mine {
    HTMT_PER_SLICE double *sums; /* of each step; NULL: not asked for, or another rank's */
    struct htmt_ref parcel[HTMT__STENCIL_WINDOW]; /* of number i: [i % window] */
    struct htmt_object *scratch;                  /* of the SPELL; its bytes are */
    double most[HTMT__STENCIL_WINDOW];            /* the words that stay in it */
};

struct htmt__stencil_program {
    struct htmt_emulator *e;
    struct htmt__stencil_plan plan;
    bool with_sums, named;
    struct htmt_frame *field[HTMT__STENCIL_STAGES], *speed;
    struct htmt_frame *temporary[HTMT__STENCIL_ARRAYS]; /* of order loops, from q on */
    struct htmt_allreduce *largest;
    struct htmt_type *first_block, *block, *leave, *copy, *lead;
    struct htmt_type *loop[HTMT__STENCIL_LOOPS]; /* of order loops */
    struct htmt__stencil_mine *mine;
};

/* Of a parcel. */
struct htmt__stencil_order {
    const struct htmt__stencil_program *p;
    struct htmt_ref lead;
    uint32_t index, stage, step;
    enum htmt__stencil_loop loop; /* of order loops */
};

/* What a parcel leaves for its control where sums are asked for. */
struct htmt__stencil_found {
    double sums[HTMT__STENCIL_SUMS];
};

/* Whether it sums up U^n of its block. */
static inline bool htmt__stencil_sums_up(const struct htmt__stencil_order *o)
{
    return o->p->with_sums && o->stage == 0 &&
           (!o->p->plan.loops || o->loop == HTMT__STENCIL_UPDATE);
}

/* Where a parcel has the largest speed of itself and those that had this word before. Kernels of
 * stage 1 write it; those of other stages do not wait for each other on the host. */
static inline struct htmt_region htmt__stencil_speed(const struct htmt__stencil_order *o,
                                                     uint32_t slice)
{
    return (struct htmt_region){
        .into = htmt_in(o->p->mine[slice].scratch, o->index % HTMT__STENCIL_WINDOW * HTMT_WORD),
        .bytes = HTMT_WORD,
        .read_only = o->stage > 0};
}

/* ---- block_parcels.c ---- */

/* Three. */
unsigned htmt__stencil_block_regions(const struct htmt__stencil_program *p,
                                     const struct htmt__stencil_order *o, uint32_t slice,
                                     struct htmt_region *r);
void htmt__stencil_block_kernel(struct htmt_kernel *k);

/* ---- loop_parcels.c ---- */

/* At most HTMT__STENCIL_ACCESSES. */
unsigned htmt__stencil_loop_regions(const struct htmt__stencil_program *p,
                                    const struct htmt__stencil_order *o, uint32_t slice,
                                    struct htmt_region *r);
void htmt__stencil_loop_kernel(struct htmt_kernel *k);

#endif
