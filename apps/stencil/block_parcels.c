/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels of all loops on a block (--order blocks): where they read and write, and what they
 * compute.
 */
#include "apps/stencil/program_parts.h"

#include <stdlib.h>

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

/* ---- what they compute ---------------------------------------------------------------------- */

void htmt__stencil_sums(size_t b, const double *u, size_t row, size_t plane,
                        double sums[HTMT__STENCIL_SUMS])
{
    for (size_t k = 0; k < b; k++)
        for (size_t j = 0; j < b; j++)
            for (size_t i = 0; i < b; i++) {
                const double *at = u + HTMT__STENCIL_FIELDS * (k * plane + j * row + i);
                for (unsigned f = 0; f < HTMT__STENCIL_FIELDS; f++)
                    sums[f] += at[f];
                sums[5] += (at[1] * at[1] + at[2] * at[2] + at[3] * at[3]) / (2 * at[0]);
            }
}

void htmt__stencil_end_stage(const struct htmt__stencil_plan *p, unsigned stage, const double *u,
                             const double *d, const double *f, double *next)
{
    static const double old_part[STAGES] = {0, 3. / 4, 1. / 3}, part[STAGES] = {1, 1. / 4, 2. / 3};
    htmt__stencil_update((int)p->b, old_part[stage], part[stage], p->dt, u, d, f, next);
}

/* q, three gradients, d. When the energy is done nobody reads gradients any more, and f lies in
 * their place. In stage 1 the largest speed goes on in *most. */
static void compute(const struct htmt__stencil_plan *p, unsigned stage, const double *u,
                    double *next, double *q, double *most)
{
    const struct htmt__stencil_gas *g = &p->gas;
    const int b = (int)p->b;
    const size_t n = p->b + 2 * MARGIN, of_gradient = 3 * p->b * n * n;
    const double h_inv = 1 / g->h;
    double *gx = q + HTMT__STENCIL_STATES * n * n * n, *gy = gx + of_gradient,
           *gz = gy + of_gradient, *d = gz + of_gradient, *f = gx;
    htmt__stencil_primitive(b, g->gamma, g->cv, u, q);
    if (stage == 0)
        *most = htmt__stencil_courant(b, g->gamma, g->h, q, *most);
    htmt__stencil_no_density(b, d);
    htmt__stencil_gradient_x(b, h_inv, q, gx);
    htmt__stencil_gradient_y(b, h_inv, q, gy);
    htmt__stencil_gradient_z(b, h_inv, q, gz);
    htmt__stencil_momentum_x(b, h_inv, g->eta, q, gy, gz, d);
    htmt__stencil_momentum_y(b, h_inv, g->eta, q, gx, gz, d);
    htmt__stencil_momentum_z(b, h_inv, g->eta, q, gx, gy, d);
    htmt__stencil_energy(b, h_inv, g->eta, g->lambda, q, gx, gy, gz, d);
    htmt__stencil_flux_x(b, h_inv, u, q, f);
    htmt__stencil_flux_y(b, h_inv, u, q, f);
    htmt__stencil_flux_z(b, h_inv, u, q, f);
    htmt__stencil_end_stage(p, stage, u, d, f, next);
}

/* The scratch takes its words of CRAM. What only a parcel needs while it executes lies on the host
 * where the kernel's thread had the last one, which is in its cache: slices take turns on it. */
void htmt__stencil_block_kernel(struct htmt_kernel *k)
{
    const struct htmt__stencil_order *o = htmt_kernel_args(k);
    const struct htmt__stencil_program *p = o->p;
    const double *u = htmt_bytes(k, 0);
    const size_t b = p->plan.b, n = b + 2 * MARGIN;
    double *most = htmt_bytes(k, 2), *scratch;
    htmt_constants(k, p, sizeof *p);
    scratch = malloc(htmt__stencil_words_of_scratch(b) * HTMT_WORD);
    if (!scratch) {
        htmt_kernel_fail(k, HTMT_ENOMEM, "no host memory for the arrays of a block");
        return;
    }
    if (o->stage == 0 && o->index < HTMT__STENCIL_WINDOW)
        *most = 0;
    compute(&p->plan, o->stage, u, htmt_bytes(k, 1), scratch, most);
    if (htmt__stencil_sums_up(o))
        htmt__stencil_sums(b, u + HTMT__STENCIL_FIELDS * MARGIN * ((n + 1) * n + 1), n, n * n,
                           ((struct htmt__stencil_found *)htmt_kernel_result(k))->sums);
    free(scratch);
}
