/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels of one loop each (--order loops). q, the gradients, d and f lie in DRAM, in tiles with
 * margins; a parcel brings what its loop reads of a block and takes what it writes.
 *
 * A region is the whole box that a star of cells lies in, with all components; the words that the
 * loop uses are charged. The loops want arrays as a block of all loops has them, so a kernel lays
 * its regions into such arrays, whose other cells are zero. Of the gradients' n x n x b cells it
 * keeps b^3, the block's.
 */
#include "apps/stencil/program_parts.h"

#include <string.h>

#define M HTMT__STENCIL_MARGIN

/* ---- regions -------------------------------------------------------------------------------- */

static struct htmt_addr place_of(const struct htmt__stencil_program *p,
                                 const struct htmt__stencil_order *o, uint32_t slice,
                                 unsigned array, const int64_t cell[3], bool read)
{
    const unsigned field = array == HTMT__STENCIL_U ? o->stage
                           : read                   ? 0 /* what NEXT is made of */
                                                    : (o->stage + 1) % HTMT__STENCIL_STAGES;
    const uint64_t at =
        htmt__stencil_cell_at(&p->plan, cell) * htmt__stencil_cell_words(array) * HTMT_WORD;
    if (array <= HTMT__STENCIL_NEXT)
        return htmt_at(p->field[field], slice, at);
    return htmt_at(p->temporary[array], slice, at);
}

static struct htmt_region region(const struct htmt__stencil_program *p,
                                 const struct htmt__stencil_order *o, uint32_t slice,
                                 const struct htmt__stencil_access *a, const int64_t first[3])
{
    const uint64_t b = p->plan.b, words = htmt__stencil_words_read(a, b, o->stage);
    const unsigned cell = htmt__stencil_cell_words(a->array);
    int64_t from[3];
    uint64_t extent[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        const bool more = a->ghosts >> axis & 1;
        from[axis] = first[axis] - (more ? M : 0);
        extent[axis] = b + (more ? 2 * M : 0);
    }
    const struct htmt_pieces pieces = htmt__stencil_box(&p->plan, extent, cell * HTMT_WORD);
    struct htmt_region r = {.bytes = extent[0] * extent[1] * extent[2] * cell * HTMT_WORD,
                            .read_only = !(a->use & HTMT__STENCIL_WRITE)};
    if (words) {
        r.from = place_of(p, o, slice, a->array, from, true);
        r.from_pieces = pieces;
        r.in_words[p->plan.sram] = r.in_words[p->plan.cram] = words;
    }
    if (a->use & HTMT__STENCIL_WRITE) {
        r.to = place_of(p, o, slice, a->array, from, false);
        r.to_pieces = pieces;
    }
    return r;
}

unsigned htmt__stencil_loop_regions(const struct htmt__stencil_program *p,
                                    const struct htmt__stencil_order *o, uint32_t slice,
                                    struct htmt_region *r)
{
    const unsigned margins = htmt__stencil_loop_margins(o->loop);
    const struct htmt__stencil_access *a = htmt__stencil_accesses[o->loop];
    int64_t first[3];
    uint32_t index = o->index;
    unsigned count = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const uint32_t more = margins >> axis & 1 ? 2 * M : 0,
                       blocks = (p->plan.tile[axis] + more) / p->plan.b;
        first[axis] = (int64_t)(index % blocks * p->plan.b) - more / 2;
        index /= blocks;
    }
    for (; a->use; a++)
        r[count++] = region(p, o, slice, a, first);
    if (o->loop == HTMT__STENCIL_COURANT)
        r[count++] = htmt__stencil_speed(o, slice);
    return count;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* An array as the loops have it: its cells along x, y, z, the first one behind the margins, and the
 * words of a cell. */
struct local {
    double *at;
    size_t n[3], origin[3], words;
};

static size_t cells_of(const struct local *l)
{
    return l->n[0] * l->n[1] * l->n[2];
}

static const struct local *local_of(const struct htmt__stencil_access *a, const struct local *of)
{
    return &of[a->array > HTMT__STENCIL_D ? HTMT__STENCIL_D : a->array];
}

/* The arrays of a block, which lie behind each other; their words. */
static size_t shape_locals(size_t b, struct local of[HTMT__STENCIL_D + 1])
{
    size_t all = 0;
    for (unsigned i = 0; i <= HTMT__STENCIL_D; i++) {
        struct local *l = &of[i];
        l->words = i == HTMT__STENCIL_D ? HTMT__STENCIL_FIELDS : htmt__stencil_cell_words(i);
        for (unsigned axis = 0; axis < 3; axis++) {
            const bool narrow =
                i == HTMT__STENCIL_NEXT || i >= HTMT__STENCIL_F || i == HTMT__STENCIL_GX + axis;
            l->n[axis] = narrow ? b : b + 2 * M;
            l->origin[axis] = narrow ? 0 : M;
        }
        all += cells_of(l) * l->words;
    }
    return all;
}

/* From `at` on; zeros in those that the loop has accesses of. */
static void place_locals(struct local of[HTMT__STENCIL_D + 1], const struct htmt__stencil_access *a,
                         double *at)
{
    for (unsigned i = 0; i <= HTMT__STENCIL_D; i++) {
        of[i].at = at;
        at += cells_of(&of[i]) * of[i].words;
    }
    for (; a->use; a++) {
        const struct local *l = local_of(a, of);
        memset(l->at, 0, cells_of(l) * l->words * sizeof *at);
    }
}

/* The box of an access into its array, or back. */
static void lay(const struct htmt__stencil_access *a, const struct local *of, size_t b, double *box,
                bool back)
{
    const unsigned component = a->array > HTMT__STENCIL_D ? a->array - HTMT__STENCIL_D : 0;
    const struct local *l = local_of(a, of);
    const size_t words = htmt__stencil_cell_words(a->array);
    size_t extent[3], first[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        const bool more = a->ghosts >> axis & 1;
        extent[axis] = b + (more ? 2 * M : 0);
        first[axis] = l->origin[axis] - (more ? M : 0);
    }
    for (size_t z = 0; z < extent[2]; z++)
        for (size_t y = 0; y < extent[1]; y++)
            for (size_t x = 0; x < extent[0]; x++, box += words) {
                double *cell =
                    l->at + component +
                    l->words * (((z + first[2]) * l->n[1] + y + first[1]) * l->n[0] + x + first[0]);
                memcpy(back ? box : cell, back ? cell : box, words * sizeof *box);
            }
}

static void compute(const struct htmt__stencil_plan *p, const struct htmt__stencil_order *o,
                    const struct local *of, double *most)
{
    const struct htmt__stencil_gas *g = &p->gas;
    const int b = (int)p->b;
    const double h = 1 / g->h;
    double *u = of[HTMT__STENCIL_U].at, *q = of[HTMT__STENCIL_Q].at, *gx = of[HTMT__STENCIL_GX].at,
           *gy = of[HTMT__STENCIL_GY].at, *gz = of[HTMT__STENCIL_GZ].at,
           *f = of[HTMT__STENCIL_F].at, *d = of[HTMT__STENCIL_D].at;
    switch (o->loop) {
    case HTMT__STENCIL_COURANT:
        *most = htmt__stencil_courant(b, g->gamma, g->h, q,
                                      o->index < HTMT__STENCIL_WINDOW ? 0 : *most);
        break;
    case HTMT__STENCIL_NO_DENSITY:
        htmt__stencil_no_density(b, d);
        break;
    case HTMT__STENCIL_GRADIENT_X:
        htmt__stencil_gradient_x(b, h, q, gx);
        break;
    case HTMT__STENCIL_GRADIENT_Y:
        htmt__stencil_gradient_y(b, h, q, gy);
        break;
    case HTMT__STENCIL_GRADIENT_Z:
        htmt__stencil_gradient_z(b, h, q, gz);
        break;
    case HTMT__STENCIL_MOMENTUM_X:
        htmt__stencil_momentum_x(b, h, g->eta, q, gy, gz, d);
        break;
    case HTMT__STENCIL_MOMENTUM_Y:
        htmt__stencil_momentum_y(b, h, g->eta, q, gx, gz, d);
        break;
    case HTMT__STENCIL_MOMENTUM_Z:
        htmt__stencil_momentum_z(b, h, g->eta, q, gx, gy, d);
        break;
    case HTMT__STENCIL_ENERGY:
        htmt__stencil_energy(b, h, g->eta, g->lambda, q, gx, gy, gz, d);
        break;
    case HTMT__STENCIL_FLUX_X:
        htmt__stencil_flux_x(b, h, u, q, f);
        break;
    case HTMT__STENCIL_FLUX_Y:
        htmt__stencil_flux_y(b, h, u, q, f);
        break;
    case HTMT__STENCIL_FLUX_Z:
        htmt__stencil_flux_z(b, h, u, q, f);
        break;
    default:
        htmt__stencil_end_stage(b, o->stage, p->dt, u, d, f, of[HTMT__STENCIL_NEXT].at);
    }
}

void htmt__stencil_loop_kernel(struct htmt_kernel *k)
{
    const struct htmt__stencil_order *o = htmt_kernel_args(k);
    const struct htmt__stencil_program *p = o->p;
    const struct htmt__stencil_access *a = htmt__stencil_accesses[o->loop];
    struct local of[HTMT__STENCIL_D + 1];
    htmt_constants(k, p, sizeof *p);
    if (o->loop == HTMT__STENCIL_PRIMITIVE) { /* cell by cell, in an array without more */
        htmt__stencil_primitive((int)p->plan.b - 2 * M, p->plan.gas.gamma, p->plan.gas.cv,
                                htmt_bytes(k, 0), htmt_bytes(k, 1));
        return;
    }
    const uint64_t words = shape_locals(p->plan.b, of);
    double *scratch = HTMT__STENCIL_SCRATCH(k, words);
    if (!scratch)
        return;
    place_locals(of, a, scratch);
    for (unsigned i = 0; a[i].use; i++)
        if (htmt__stencil_words_read(&a[i], p->plan.b, o->stage))
            lay(&a[i], of, p->plan.b, htmt_bytes(k, i), false);
    compute(&p->plan, o, of, o->loop == HTMT__STENCIL_COURANT ? htmt_bytes(k, 1) : NULL);
    for (unsigned i = 0; a[i].use; i++)
        if (a[i].use & HTMT__STENCIL_WRITE)
            lay(&a[i], of, p->plan.b, htmt_bytes(k, i), true);
    if (o->loop == HTMT__STENCIL_UPDATE && htmt__stencil_sums_up(o)) /* its first region is U */
        htmt__stencil_sums(p->plan.b, htmt_bytes(k, 0), p->plan.b, (size_t)p->plan.b * p->plan.b,
                           ((struct htmt__stencil_found *)htmt_kernel_result(k))->sums);
    HTMT__STENCIL_SCRATCH_FREE(scratch);
}
