/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up of Cannon's parcel program: objects, types, first parcels; and the rows of C after a run.
 *
 * Each slice has, by layer:
 *
 *     home (DRAM or behind it)   its shares of A, B and C, rows of (q t b) elements
 *     DRAM                       an image of a bundle of each, t x t subblocks one after another
 *     SRAM                       the bundles
 *     CRAM                       three subblocks of A, three of B, one of C
 *
 * Image and bundle of an operand have the same size, and a move that hands its bytes over exchanges
 * their host memory instead of copying it, so pages are written before the run for one of the two
 * only.
 */
#include "apps/cannon/program.h"

#include "apps/cannon/grid.h"
#include "apps/peers/peers.h"
#include "runtime/base/wide.h"

#include <stdlib.h>
#include <string.h>

struct htmt__cannon_spread htmt__cannon_program_spread(const struct htmt__cannon_plan *plan,
                                                       enum htmt__cannon_operand which)
{
    const struct htmt__cannon_problem *o = &plan->problem;
    return (struct htmt__cannon_spread){.which = which,
                                        .rows = which == HTMT__B ? o->inner : o->rows,
                                        .cols = which == HTMT__A ? o->inner : o->cols,
                                        .s = plan->of[HTMT__CANNON_M].s,
                                        .across = plan->of[HTMT__CANNON_N].s,
                                        .b = htmt__cannon_down(plan, which)->b,
                                        .width = htmt__cannon_across(plan, which)->b,
                                        .side = htmt__cannon_share_rows(plan, which),
                                        .pitch = htmt__cannon_share_cols(plan, which)};
}

/* ---- objects -------------------------------------------------------------------------------- */

/* The host hands out pages when they are first written: now, not while the emulation is timed. */
static void touch(const struct htmt_frame *frame, uint32_t slices)
{
    for (uint32_t i = 0; i < slices; i++) {
        struct htmt_object *o = htmt_at(frame, i, 0).object;
        void *bytes = htmt_object_bytes(o);
        if (bytes)
            memset(bytes, 0, htmt_object_size(o));
    }
}

static int create_objects(htmt__cannon *p, const struct htmt__cannon_data *data)
{
    static const char *const matrices[] = {"matrix A", "matrix B", "matrix C"};
    static const char *const images[] = {"image A", "image B", "image C"};
    static const char *const bundles[] = {"bundle A", "bundle B", "bundle C"};
    static const char *const subblocks[] = {"subblock A", "subblock B"};
    int rc = 0;
    for (uint32_t n = 0; n < HTMT__MATRICES * p->slices && !rc; n++) {
        uint32_t i = n / p->slices, slice = n % p->slices;
        double *at = data->matrix ? data->matrix[i].share[slice] : NULL;
        uint64_t words =
            htmt__cannon_share_rows(&p->plan, i) * htmt__cannon_share_cols(&p->plan, i);
        rc = htmt_object_wrap(p->e, slice, p->plan.home, at, words * HTMT_WORD, words, matrices[i],
                              &p->share[i][slice]);
    }
    for (uint32_t i = 0; i < HTMT__MATRICES && !rc; i++) {
        uint64_t bytes = htmt__cannon_bundle(&p->plan, i) * HTMT_WORD;
        rc = htmt_frame_create(p->e, p->plan.outer, bytes, images[i], &p->image[i]);
        if (!rc)
            rc = htmt_frame_create(p->e, p->plan.middle, bytes, bundles[i], &p->bundle[i]);
    }
    if (!rc)
        rc = htmt_frame_create(p->e, p->plan.inner, p->bytes[HTMT__C], "subblock C", &p->sum);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t x = 0; x < HTMT__CANNON_BUFFERS && !rc; x++)
            rc =
                htmt_frame_create(p->e, p->plan.inner, p->bytes[i], subblocks[i], &p->buffer[i][x]);
    if (rc)
        return rc;
    touch(p->sum, p->slices);
    for (uint32_t i = 0; i < HTMT__MATRICES; i++) /* the other of the two is given these pages */
        touch(i == HTMT__C ? p->bundle[i] : p->image[i], p->slices);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t x = 0; x < HTMT__CANNON_BUFFERS; x++)
            touch(p->buffer[i][x], p->slices);
    return 0;
}

/* ---- life ----------------------------------------------------------------------------------- */

static int allocate(htmt__cannon *p)
{
    p->spell = calloc(p->slices, sizeof *p->spell);
    p->dram = calloc(p->slices, sizeof *p->dram);
    p->site = htmt_per_slice_create(p->slices, sizeof *p->site);
    for (uint32_t i = 0; i < HTMT__MATRICES; i++)
        if (!(p->share[i] = calloc(p->slices, sizeof(struct htmt_object *))))
            return HTMT_ENOMEM;
    return p->spell && p->dram && p->site ? 0 : HTMT_ENOMEM;
}

/* All SPELLs start first: their slots are set before anything can be on its way to them. */
static int fill(htmt__cannon *p, const struct htmt__cannon_data *data)
{
    int rc = create_objects(p, data);
    if (!rc)
        rc = htmt__cannon_multiply_types(p);
    if (!rc)
        rc = htmt__cannon_percolate_types(p);
    for (uint32_t i = 0; i < p->slices && !rc; i++)
        rc = htmt__cannon_multiply_start(p, i);
    for (uint32_t i = 0; i < p->slices && !rc; i++) {
        htmt__cannon_multiply_join(p, i);
        rc = htmt__cannon_percolate_start(p, i);
    }
    return rc;
}

int htmt__cannon_program_create(struct htmt_emulator *e, const struct htmt__cannon_plan *plan,
                                enum htmt__cannon_schedule schedule,
                                const struct htmt__cannon_data *data,
                                struct htmt__cannon_program **program, struct htmt_fault *fault)
{
    const struct htmt__cannon_extent *of = plan->of;
    if (htmt__cannon_spells(plan) != htmt_emulator_slices(e))
        return htmt_fault_set(fault, HTMT_EINVAL, "found %u slices, expected a grid of %llu x %llu",
                              htmt_emulator_slices(e), (unsigned long long)of[HTMT__CANNON_M].s,
                              (unsigned long long)of[HTMT__CANNON_N].s);
    htmt__cannon *p = calloc(1, sizeof *p);
    if (!p)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the program");
    p->e = e;
    p->plan = *plan;
    p->slices = htmt__cannon_spells(plan);
    p->panels = !htmt__cannon_grid_is_square(plan);
    p->sum_steps = of[HTMT__CANNON_K].t * plan->s;
    p->sending = p->panels ? 0 : plan->s - 1;
    p->left = p->panels ? 1 : plan->s;
    for (unsigned i = 0; i < 2; i++)
        p->owned[i] = htmt__cannon_owned(plan, i);
    p->steps = of[HTMT__CANNON_M].t * of[HTMT__CANNON_N].t * p->sum_steps;
    p->products = of[HTMT__CANNON_M].q * of[HTMT__CANNON_K].q * of[HTMT__CANNON_N].q;
    uint64_t dpims = htmt_machine_servers(htmt_emulator_machine(e), plan->outer);
    for (unsigned i = 0; i < HTMT__MATRICES; i++) {
        p->bytes[i] = htmt__cannon_subblock(plan, i) * HTMT_WORD;
        p->lines[i] = of[i == HTMT__B ? HTMT__CANNON_N : HTMT__CANNON_M].t;
        htmt__cannon_deal(plan, i, dpims, &p->parts[i], &p->groups[i]);
    }
    p->paper = schedule == HTMT__CANNON_PAPER;
    p->named = data->named;
    p->c = data->matrix ? &data->matrix[HTMT__C] : NULL;
    int rc = allocate(p);
    if (rc)
        htmt_fault_set(fault, rc, "no host memory for the program");
    else if ((rc = fill(p, data)))
        htmt_fault_set(fault, rc, "%s", htmt_emulator_fault(e)->text);
    if (rc)
        htmt__cannon_program_destroy(&p);
    else
        *program = p;
    return rc;
}

void htmt__cannon_program_destroy(struct htmt__cannon_program **program)
{
    htmt__cannon *p = *program;
    if (!p)
        return;
    for (uint32_t i = 0; i < HTMT__MATRICES; i++)
        free(p->share[i]);
    free(p->spell);
    free(p->dram);
    free(p->site);
    htmt__peers_destroy(&p->nodes);
    free(p);
    *program = NULL;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Some rows of a slice's share, from its row k on, as far as C reaches. */
struct part {
    uint32_t slice;
    uint64_t k, count;
};

/* Rows of a share go from the process that has it to rank 0, and to their places there. */
static int bring_rows(const struct htmt__cannon_program *p, const struct part *part, double *rows)
{
    const struct htmt__cannon_spread *c = p->c;
    const double *share = c->share[part->slice];
    size_t size = share ? part->count * c->pitch * sizeof *share : 0;
    void *at = share ? malloc(size) : NULL;
    if (share && !at)
        return HTMT_ENOMEM;
    if (share)
        memcpy(at, share + part->k * c->pitch, size);
    int rc = htmt_per_slice_fetch(p->e, part->slice, &at, &size);
    const double *from = at;
    uint64_t column = htmt__cannon_spread_col(c, part->slice);
    for (uint64_t block = 0; block < c->pitch && !rc && rows; block += c->width) {
        uint64_t j = htmt__cannon_spread_line_across(c, column, block),
                 left = j < c->cols ? c->cols - j : 0;
        uint64_t bytes = htmt_least(c->width, left) * sizeof *rows;
        for (uint64_t i = 0; bytes && i < part->count; i++)
            memcpy(rows + i * c->cols + j, from + i * c->pitch + block, bytes);
    }
    free(at);
    return rc;
}

int htmt__cannon_program_rows(const struct htmt__cannon_program *p, uint64_t row, double *rows)
{
    const struct htmt__cannon_spread *c = p->c;
    uint64_t block = row / c->b;
    struct part part = {.k = block / c->s * c->b, .count = htmt_least(c->b, c->rows - row)};
    int rc = 0;
    for (uint32_t j = 0; j < c->across && !rc; j++) {
        part.slice = (uint32_t)(block % c->s * c->across + j);
        rc = bring_rows(p, &part, rows);
    }
    return rc;
}
