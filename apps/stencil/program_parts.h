/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program share.
 */
#ifndef HTMT_APPS_STENCIL_PROGRAM_PARTS_H
#define HTMT_APPS_STENCIL_PROGRAM_PARTS_H

#include "apps/stencil/accesses.h"
#include "apps/stencil/program.h"

#include <inttypes.h>
#include <stdlib.h>

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

/* Words of a kernel's own; NULL: there are none, and the kernel has failed. A recorded kernel has
 * them on its stack, whose addresses a tape knows. */
#ifdef HTMT_RECORDED
#define HTMT__STENCIL_STACK (UINT64_C(6) << 20) /* of the 8 MiB of a host thread */
#define HTMT__STENCIL_SCRATCH(k, words)                                                            \
    (htmt__stencil_scratch_fits(k, words) ? __builtin_alloca((words)*HTMT_WORD) : NULL)
#define HTMT__STENCIL_SCRATCH_FREE(at) ((void)(at))
static inline bool htmt__stencil_scratch_fits(struct htmt_kernel *k, uint64_t words)
{
    const bool fits = words * HTMT_WORD <= HTMT__STENCIL_STACK;
    if (!fits)
        htmt_kernel_fail(k, HTMT_EUSAGE,
                         "--block: the arrays of a block take %" PRIu64 " KiB, expected at most "
                         "%" PRIu64 " KiB, which a recorded kernel has on its stack",
                         words * HTMT_WORD >> 10, HTMT__STENCIL_STACK >> 10);
    return fits;
}
#else
#define HTMT__STENCIL_SCRATCH(k, words) htmt__stencil_scratch_of(k, words)
#define HTMT__STENCIL_SCRATCH_FREE(at)  free(at)
static inline double *htmt__stencil_scratch_of(struct htmt_kernel *k, uint64_t words)
{
    double *at = malloc(words * HTMT_WORD);
    if (!at)
        htmt_kernel_fail(k, HTMT_ENOMEM, "no host memory for the arrays of a block");
    return at;
}
#endif

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
