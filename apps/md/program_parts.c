/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the parcel program use alike: where cells lie, what kernels use, how a type of
 * parcels is created and a parcel assembled.
 */
#include "apps/md/program_parts.h"

uint64_t htmt__md_cell_offset(const struct htmt__md_plan *p, const int64_t cell[3])
{
    const uint64_t h = p->halo, row = p->tile[0] + 2 * h, plane = row * (p->tile[1] + 2 * h);
    return ((uint64_t)(cell[0] + (int64_t)h) + row * (uint64_t)(cell[1] + (int64_t)h) +
            plane * (uint64_t)(cell[2] + (int64_t)h)) *
           htmt__md_cell_bytes(p);
}

struct htmt_pieces htmt__md_box(const struct htmt__md_plan *p, const uint64_t extent[3])
{
    const uint64_t h = 2 * p->halo, row = (p->tile[0] + h) * htmt__md_cell_bytes(p);
    return (struct htmt_pieces){.bytes = extent[0] * htmt__md_cell_bytes(p),
                                .count = extent[1],
                                .stride = (int64_t)row,
                                .planes = extent[2],
                                .plane_stride = (int64_t)(row * (p->tile[1] + h))};
}

uint64_t htmt__md_buffer_bytes(const struct htmt__md_plan *p)
{
    return htmt__md_buffer_words(p) * HTMT_WORD;
}

void htmt__md_use(struct htmt_context *c, const struct htmt_frame *frame, uint64_t each,
                  uint64_t first, uint64_t count, enum htmt_use how)
{
    htmt_use(c, htmt_at(frame, htmt_slice(c), first * each), count * each, how);
}

void htmt__md_use_cells(struct htmt_context *c, const htmt__md *p, const uint32_t first[3],
                        const uint32_t n[3], enum htmt_use how)
{
    const int64_t at[3] = {first[0], first[1], first[2]};
    htmt_use_pieces(c, htmt_at(p->cell, htmt_slice(c), htmt__md_cell_offset(&p->plan, at)),
                    htmt__md_cells(n) * htmt__md_cell_bytes(&p->plan),
                    htmt__md_box(&p->plan, (uint64_t[]){n[0], n[1], n[2]}), how);
}

void htmt__md_charge(struct htmt_context *c, struct htmt_ops ops)
{
    for (unsigned i = 0; i < HTMT_OP_CLASSES; i++)
        if (ops.n[i])
            htmt_charge(c, i, ops.n[i]);
}

void htmt__md_count(struct htmt_kernel *k, struct htmt_ops ops)
{
    for (unsigned i = 0; i < HTMT_OP_CLASSES; i++)
        if (ops.n[i])
            htmt_count(k, i, ops.n[i]);
}

int htmt__md_type(htmt__md *p, enum htmt__md_kind kind, struct htmt_type_desc d)
{
    const char *const outer = htmt_emulator_machine(p->e)->layer[p->plan.outer].name;
    d.home = outer;
    d.exec = d.exec ? d.exec : outer;
    d.args_bytes = sizeof(struct htmt__md_work);
    return htmt_type_create(p->e, &d, &p->type[kind]);
}

/* The end of a pack parcel is not that of its block. */
void htmt__md_assemble(struct htmt_context *c, enum htmt__md_kind kind,
                       const struct htmt__md_work *w, const struct htmt_region *regions,
                       uint32_t count)
{
    const struct htmt_slot done = {htmt__md_site(c, w->p)->lead, HTMT__MD_FLOW};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){
                      .type = w->p->type[kind],
                      .slice = htmt_slice(c),
                      .regions = regions,
                      .region_count = count,
                      .args = w,
                      .on_done = kind == HTMT__MD_PACK ? (struct htmt_slot){.fiber = 0} : done},
                  NULL);
}

void htmt__md_count_first(const struct htmt__md_plan *p, uint32_t block, uint32_t blocks,
                          void *cells, uint32_t *first)
{
    const uint64_t h = 2 * p->halo, row = p->tile[0] + h, plane = row * (p->tile[1] + h);
    const uint32_t below = htmt__md_block(p, block).first[2];
    for (uint32_t k = block; k < block + blocks; k++) {
        const struct htmt__md_block b = htmt__md_block(p, k);
        uint32_t front = 0;
        for (uint32_t i = 0; i < htmt__md_cells(b.n); i++) {
            *first++ = front;
            front += (uint32_t)htmt__md_cell_in(p, cells, row, plane, b.first[0] + i % b.n[0],
                                                b.first[1] + i / b.n[0] % b.n[1],
                                                b.first[2] - below + i / b.n[0] / b.n[1])
                         ->count;
        }
    }
}
