/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The push: the field of each block with its guard points, then bundles with it up to the SPELL.
 *
 * A push parcel carries the particles of one bundle and the field of their block. It returns the
 * particles, those that stayed in the block first, and a short report. This is the parcel of Table
 * 6 of Hereld et al. The field is cut into tiles before, by DPIMs, so that the field of a block is
 * one piece of DRAM.
 */
#include "apps/pic/coordinator.h"
#include "apps/pic/snapshots.h"

#include <string.h>

/* ---- cut ------------------------------------------------------------------------------------ */

static uint64_t count_blocks(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)p;
    return s->blocks;
}

static bool make_cut(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                     uint64_t index)
{
    struct htmt__pic_work work = {.p = p, .index = index, .from = s->step};
    htmt__pic_assemble(c, s, HTMT__PIC_CUT_PARCEL, &work, NULL, 0);
    return true;
}

static uint64_t tile_bytes(const htmt__pic *p)
{
    return htmt__pic_tile_words(&p->plan, HTMT__PIC_FIELD_WORDS) * HTMT_WORD;
}

static void cut_control(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    const uint64_t tile = tile_bytes(w->p), record = sizeof(struct htmt__pic_record);
    uint32_t slice = htmt_slice(c);
    htmt__pic_use_all(c, w->p->field, HTMT_READ);
    htmt__pic_use_all(c, w->p->rho, HTMT_READ);
    htmt_use(c, htmt_at(w->p->field_tile, slice, w->index * tile), tile, HTMT_WRITE);
    htmt_use(c, htmt_at(w->p->block_record, slice, w->index * record), record, HTMT_WRITE);
}

/* Number of the first point of a row of rho in a slice; y and z count guard rows. */
static uint64_t row_at(const struct htmt__pic_box *slice, uint32_t y, uint32_t z)
{
    return ((uint64_t)z * (slice->n[1] + 2) + y) * slice->n[0];
}

/* The field is field[z][y][component][x], a tile is tile[z][y][x][component]; x wraps around. */
static void cut_tile(double *tile, const double *field, const struct htmt__pic_box *box,
                     const struct htmt__pic_box *slice)
{
    const uint32_t nx = slice->n[0];
    uint32_t below_y = box->lo[1] - slice->lo[1], below_z = box->lo[2] - slice->lo[2];
    for (uint32_t z = 0; z < box->n[2] + 2; z++)
        for (uint32_t y = 0; y < box->n[1] + 2; y++) {
            const double *e =
                field + HTMT__PIC_FIELD_WORDS * row_at(slice, below_y + y, below_z + z);
            uint32_t at = (box->lo[0] + nx - 1) % nx;
            for (uint32_t x = 0; x < box->n[0] + 2; x++) {
                for (uint32_t i = 0; i < HTMT__PIC_FIELD_WORDS; i++)
                    *tile++ = e[i * nx + at];
                at = at + 1 < nx ? at + 1 : 0;
            }
        }
}

/* The block's part of the record: sums over its own points. */
static void measure(struct htmt__pic_record *r, const double *field, const double *rho,
                    const struct htmt__pic_box *box, const struct htmt__pic_box *slice,
                    const htmt__pic *p)
{
    const uint32_t *n = p->plan.problem.n, nx = n[0];
    *r = (struct htmt__pic_record){0};
    for (uint32_t z = box->lo[2]; z < box->lo[2] + box->n[2]; z++)
        for (uint32_t y = box->lo[1]; y < box->lo[1] + box->n[1]; y++) {
            const uint64_t row = row_at(slice, y - slice->lo[1] + 1, z - slice->lo[2] + 1);
            const double *at = field + HTMT__PIC_FIELD_WORDS * row + box->lo[0];
            const double *const e[3] = {at, at + nx, at + 2 * nx};
            htmt__pic_measure_row(r, e, rho + row + box->lo[0], box->n[0],
                                  (uint32_t[]){box->lo[0], y, z}, &p->mode);
        }
    for (int i = 0; i < 2; i++)
        r->wave[i] *= 2 / ((double)n[0] * n[1] * n[2]);
}

static void cut_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    htmt__pic_constants(k, w->p);
    const struct htmt__pic_box *slice = &w->p->site[htmt_kernel_slice(k)].box;
    const struct htmt__pic_box *box = htmt__pic_block(w->p, htmt_kernel_slice(k), w->index);
    cut_tile(htmt_used(k, 2), htmt_used(k, 0), box, slice);
    measure(htmt_used(k, 3), htmt_used(k, 0), htmt_used(k, 1), box, slice, w->p);
    if (w->p->snapshots)
        w->p->snapshot->block(w->p->snapshots, w->from, htmt_used(k, 0), htmt_used(k, 1), box,
                              slice);
}

static void cut_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const uint32_t *b = ((const struct htmt__pic_work *)args)->p->plan.block;
    (void)user;
    *ops = htmt__pic_cut_ops(htmt__pic_points(b), (uint64_t)b[0] * b[1] * b[2]);
}

/* ---- push ----------------------------------------------------------------------------------- */

/* Regions: particles, there and back; the field; the report; a bit for each particle, set where it
 * leaves. */
static bool make_push(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                      uint64_t index)
{
    const struct htmt__pic_bundle *b = &s->bundle[index];
    const uint32_t slice = s->slice, middle = p->plan.middle, inner = p->plan.inner;
    if (!b->count)
        return false;
    const struct htmt__pic_box *box = &s->block[b->block];
    struct htmt__pic_work work = {.p = p,
                                  .index = b->block,
                                  .count = b->count,
                                  .species = b->species,
                                  .first_step = s->step == 0};
    struct htmt_region r[4] = {
        {.from =
             htmt_at(p->particles, slice, index * p->plan.room * sizeof(struct htmt__pic_particle)),
         .bytes = b->count * sizeof(struct htmt__pic_particle)},
        {.from = htmt_at(p->field_tile, slice, b->block * tile_bytes(p)),
         .bytes = HTMT__PIC_FIELD_WORDS * htmt__pic_points(box->n) * HTMT_WORD,
         .read_only = true},
        {.to = htmt_at(p->pushed, slice,
                       htmt__pic_entry(&p->plan, index) * sizeof(struct htmt__pic_pushed)),
         .bytes = sizeof(struct htmt__pic_pushed),
         .filled = true},
        {.bytes = (b->count + 63) / 64 * HTMT_WORD, .filled = true}};
    r[0].to = r[0].from;
    r[1].in_words[middle] = r[1].in_words[inner] =
        htmt__pic_field_words(&p->plan.problem.charges, box->n[0], box->n[1], box->n[2]);
    htmt__pic_assemble(c, s, HTMT__PIC_PUSH_PARCEL, &work, r, 4);
    return true;
}

/* Leapfrog: between steps velocities are half a step ahead of positions. A push kicks each particle
 * by half a step up to the time of its position, where it is measured, by another half beyond, and
 * then moves it. The deck gives both for the same time, so the first step has no kick before. */
static void push_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    const htmt__pic *p = w->p;
    htmt__pic_constants(k, p);
    const struct htmt__pic_box *box = htmt__pic_block(p, htmt_kernel_slice(k), w->index);
    const double dt = p->deck.dt, per_mass = p->charge[w->species] / p->mass[w->species];
    struct htmt__pic_motion m = {
        .before = w->first_step ? 0 : per_mass * dt / 2, .after = per_mass * dt / 2, .dt = dt};
    for (int a = 0; a < 3; a++) {
        m.n[a] = p->plan.problem.n[a];
        m.lo[a] = box->lo[a];
        m.hi[a] = box->lo[a] + box->n[a];
    }
    htmt__pic_push(htmt_bytes(k, 0), w->count, htmt_bytes(k, 1), box, &m, htmt_bytes(k, 3),
                   htmt_bytes(k, 2));
}

static const struct htmt__pic_charges *charges(const void *args)
{
    return &((const struct htmt__pic_work *)args)->p->plan.problem.charges;
}

static void push_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_push_ops(charges(args), ((const struct htmt__pic_work *)args)->count);
}

static void assembly_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_assembly_ops(charges(args));
}

static void dispatch_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_dispatch_ops(charges(args));
}

/* ---- push alone ----------------------------------------------------------------------------- */

/* A problem without cells: equal parcels, as in Table 6 of the paper. */
static uint64_t count_alone(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)s;
    return p->plan.parcels;
}

static bool make_alone(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                       uint64_t index)
{
    const struct htmt__pic_problem *o = &p->plan.problem;
    const uint64_t edge = p->plan.edge, count = o->per_cell[0] * edge * edge * edge;
    const uint64_t bytes = (p->plan.parcel_words - o->charges.code) * HTMT_WORD;
    struct htmt__pic_work work = {.p = p, .index = index, .count = count};
    struct htmt_region r = {.from = htmt_at(p->particles, s->slice, index * bytes), .bytes = bytes};
    if (o->eject) { /* the same number of words returns */
        r.to = r.from;
        r.out_words[p->plan.inner] = r.out_words[p->plan.middle] = p->plan.parcel_words;
    }
    htmt__pic_assemble(c, s, HTMT__PIC_PUSH_PARCEL, &work, &r, 1);
    return true;
}

static const struct htmt__pic_phase *end_alone(struct htmt_context *c, const htmt__pic *p)
{
    (void)p;
    htmt_retire(c, htmt_self(c));
    return NULL;
}

/* ---- phases --------------------------------------------------------------------------------- */

const struct htmt__pic_phase htmt__pic_cut_phase = {
    .count = count_blocks, .make = make_cut, .next = &htmt__pic_push_phase};
const struct htmt__pic_phase htmt__pic_push_phase = {
    .count = htmt__pic_bundle_count, .make = make_push, .next = &htmt__pic_sort_phase};
const struct htmt__pic_phase htmt__pic_alone_phase = {
    .count = count_alone, .make = make_alone, .sequel = end_alone};

int htmt__pic_push_types(htmt__pic *p)
{
    const struct htmt__pic_charges *charge = &p->plan.problem.charges;
    struct htmt_type_desc cut = {
        .name = "Cut",
        .execute = {.kernel = cut_kernel, .cost = cut_cost, .control = cut_control},
        .sends = HTMT_SENDS_NOWHERE};
    struct htmt_type_desc push = {.name = "Push",
                                  .execute = {.kernel = push_kernel, .cost = push_cost},
                                  .code_words = charge->code,
                                  .sends = HTMT_SENDS_NOWHERE};
    if (charge->assembly)
        push.assemble.cost = assembly_cost;
    if (charge->dispatch)
        push.dispatch.cost = dispatch_cost;
    int rc = p->plan.problem.n[0] ? htmt__pic_type(p, HTMT__PIC_CUT_PARCEL, false, cut) : 0;
    return rc ? rc : htmt__pic_type(p, HTMT__PIC_PUSH_PARCEL, true, push);
}
