/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels of all loops on a block (--order blocks).
 */
#include "apps/stencil/program_parts.h"

#define MARGIN HTMT__STENCIL_MARGIN
#define CELL   HTMT__STENCIL_CELL
#define STAGES HTMT__STENCIL_STAGES

unsigned htmt__stencil_block_regions(const struct htmt__stencil_program *p,
                                     const struct htmt__stencil_order *o, uint32_t slice,
                                     struct htmt_region *r)
{
    const struct htmt__stencil_plan *plan = &p->plan;
    const uint32_t *blocks = plan->blocks;
    const uint64_t b = plan->b, n = b + 2 * MARGIN;
    const int64_t first[3] = {(int64_t)(o->index % blocks[0] * b),
                              (int64_t)(o->index / blocks[0] % blocks[1] * b),
                              (int64_t)(o->index / blocks[0] / blocks[1] * b)};
    const int64_t with[3] = {first[0] - MARGIN, first[1] - MARGIN, first[2] - MARGIN};
    r[0] = (struct htmt_region){
        .from = htmt_at(p->field[o->stage], slice, htmt__stencil_cell_at(plan, with) * CELL),
        .bytes = n * n * n * CELL,
        .from_pieces = htmt__stencil_box(plan, (uint64_t[]){n, n, n}, CELL),
        .read_only = true};
    r[1] = (struct htmt_region){.to = htmt_at(p->field[(o->stage + 1) % STAGES], slice,
                                              htmt__stencil_cell_at(plan, first) * CELL),
                                .bytes = b * b * b * CELL,
                                .to_pieces = htmt__stencil_box(plan, (uint64_t[]){b, b, b}, CELL)};
    if (o->stage) {
        r[1].from = htmt_at(p->field[0], slice, htmt__stencil_cell_at(plan, first) * CELL);
        r[1].from_pieces = r[1].to_pieces;
    }
    r[2] = htmt__stencil_speed(o, slice);
    return 3;
}

/* The scratch takes its words of CRAM. What only a parcel needs while it executes lies on the host
 * where the kernel's thread had the last one, which is in its cache: slices take turns on it. */
void htmt__stencil_block_kernel(struct htmt_kernel *k)
{
    const struct htmt__stencil_order *o = htmt_kernel_args(k);
    const struct htmt__stencil_program *p = o->p;
    htmt_constants(k, p, sizeof *p);
    const double *u = htmt_bytes(k, 0);
    const size_t b = p->plan.b, n = b + 2 * MARGIN;
    double *most = htmt_bytes(k, 2);
    double *scratch = HTMT__STENCIL_SCRATCH(k, htmt__stencil_words_of_scratch(b));
    if (!scratch)
        return;
    if (o->stage == 0 && o->index < HTMT__STENCIL_WINDOW)
        *most = 0;
    htmt__stencil_stage((int)b, &p->plan.gas, o->stage, p->plan.dt, u, htmt_bytes(k, 1), scratch,
                        most);
    if (htmt__stencil_sums_up(o))
        htmt__stencil_sums(b, u + HTMT__STENCIL_FIELDS * MARGIN * ((n + 1) * n + 1), n, n * n,
                           ((struct htmt__stencil_found *)htmt_kernel_result(k))->sums);
    HTMT__STENCIL_SCRATCH_FREE(scratch);
}
