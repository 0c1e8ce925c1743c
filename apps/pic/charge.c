/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From particles to rho: deposit, sum, and the guard points of the slices around.
 *
 * A deposit parcel brings the positions of one bundle to the SPELL, and returns a tile: the charge
 * on the points of the bundle's block and on one guard point at each side. Several bundles have the
 * same points, and so do neighbouring blocks. DPIM parcels therefore sum the tiles, plane by plane,
 * in the order of the bundles' numbers, so that rounding does not depend on who ends first.
 *
 * A slice's rho is rho[z][y][x], with its own cells at y, z >= 1 and one guard row and plane at
 * each side. A slice owns all of x, so tiles wrap around along x. After the sum the guard rows hold
 * charge that belongs to the slices around: they are sent there and added to the border rows.
 */
#include "apps/pic/coordinator.h"

#include <string.h>

/* ---- deposit -------------------------------------------------------------------------------- */

/* Only positions go up. The host's kernel reads them in place. */
static bool make_deposit(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                         uint64_t index)
{
    const struct htmt__pic_bundle *b = &s->bundle[index];
    uint32_t slice = s->slice, middle = p->plan.middle, inner = p->plan.inner;
    s->tiles = (index ? s->tiles : 0) + (b->count != 0);
    if (!b->count)
        return false;
    const uint64_t points = htmt__pic_points(s->block[b->block].n);
    struct htmt__pic_work work = {
        .p = p, .index = b->block, .count = b->count, .species = b->species};
    uint64_t tile = htmt__pic_tile_words(&p->plan, 1) * HTMT_WORD;
    struct htmt_region r[2] = {
        {.from =
             htmt_at(p->particles, slice, index * p->plan.room * sizeof(struct htmt__pic_particle)),
         .bytes = b->count * sizeof(struct htmt__pic_particle),
         .read_only = true},
        {.to = htmt_at(p->charge_tile, slice, index * tile),
         .bytes = points * HTMT_WORD,
         .filled = true}};
    r[0].in_words[middle] = r[0].in_words[inner] = HTMT__PIC_POSITION_WORDS * b->count;
    r[1].in_words[inner] = r[1].out_words[inner] = r[1].out_words[middle] = points;
    htmt__pic_assemble(c, s, HTMT__PIC_DEPOSIT_PARCEL, &work, r, 2);
    return true;
}

static void deposit_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    htmt__pic_constants(k, w->p);
    const struct htmt__pic_box *box = htmt__pic_block(w->p, htmt_kernel_slice(k), w->index);
    double *tile = htmt_bytes(k, 1);
    memset(tile, 0, htmt_size(k, 1));
    htmt__pic_deposit(htmt_bytes(k, 0), w->count, box, w->p->charge[w->species], tile);
}

static void deposit_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = htmt__pic_deposit_ops(((const struct htmt__pic_work *)args)->count);
}

/* ---- sum ------------------------------------------------------------------------------------ */

static uint64_t count_planes(const htmt__pic *p, const struct htmt__pic_site *s)
{
    (void)p;
    return s->box.n[2] + 2;
}

static bool make_sum(struct htmt_context *c, const htmt__pic *p, struct htmt__pic_site *s,
                     uint64_t index)
{
    struct htmt__pic_work work = {
        .p = p, .index = index, .count = s->tiles, .bundles = htmt__pic_bundle_count(p, s)};
    htmt__pic_assemble(c, s, HTMT__PIC_SUM_PARCEL, &work, NULL, 0);
    return true;
}

static void sum_control(struct htmt_context *c)
{
    const struct htmt__pic_work *w = htmt_args(c);
    const struct htmt__pic_box *box = &htmt__pic_site(c, w->p)->box;
    uint64_t bytes = (uint64_t)box->n[0] * (box->n[1] + 2) * HTMT_WORD;
    htmt__pic_use_all(c, w->p->table, HTMT_READ);
    htmt__pic_use_all(c, w->p->charge_tile, HTMT_READ);
    htmt_use(c, htmt_at(w->p->rho, htmt_slice(c), w->index * bytes), bytes, HTMT_WRITE);
}

/* Add the plane of a tile that lies in this plane of rho; x wraps around. */
static void add_tile(double *plane, const double *tile, const struct htmt__pic_box *box,
                     const struct htmt__pic_box *slice, uint32_t z)
{
    const uint32_t nx = slice->n[0], below = box->lo[2] - slice->lo[2];
    const uint32_t row = box->n[0] + 2, rows = box->n[1] + 2;
    if (z < below || z > below + box->n[2] + 1)
        return;
    const double *from = tile + (uint64_t)(z - below) * row * rows;
    double *to = plane + (uint64_t)(box->lo[1] - slice->lo[1]) * nx;
    for (uint32_t y = 0; y < rows; y++, to += nx, from += row) {
        uint32_t at = (box->lo[0] + nx - 1) % nx;
        for (uint32_t x = 0; x < row; x++) {
            to[at] += from[x];
            at = at + 1 < nx ? at + 1 : 0;
        }
    }
}

/* A plane of rho is the sum of its part of all tiles, in the order of the bundles, so that it does
 * not depend on the order in which they were made. Own rows begin with the background's charge; the
 * guard rows around them, which belong to neighbours, with none. */
static void sum_kernel(struct htmt_kernel *k)
{
    const struct htmt__pic_work *w = htmt_kernel_args(k);
    htmt__pic_constants(k, w->p);
    const struct htmt__pic_plan *plan = &w->p->plan;
    const struct htmt__pic_box *slice = &w->p->site[htmt_kernel_slice(k)].box;
    const struct htmt__pic_bundle *bundle = htmt_used(k, 0);
    const double *tile = htmt_used(k, 1);
    double *plane = htmt_used(k, 2);
    const uint64_t nx = slice->n[0], own = nx * slice->n[1];
    const bool guard = w->index == 0 || w->index > slice->n[2];
    memset(plane, 0, (own + 2 * nx) * sizeof *plane);
    for (uint64_t i = 0; i < own && !guard; i++)
        plane[nx + i] = w->p->background;
    for (uint64_t i = 0; i < w->bundles; i++) {
        const struct htmt__pic_bundle *b = &bundle[htmt__pic_entry(plan, i)];
        if (!b->count)
            continue;
        const struct htmt__pic_box *box = htmt__pic_block(w->p, htmt_kernel_slice(k), b->block);
        add_tile(plane, tile + i * htmt__pic_tile_words(plan, 1), box, slice, (uint32_t)w->index);
    }
}

/* A plane of all tiles, on average: a block and its guard points for each bundle. */
static void sum_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_work *w = args;
    const struct htmt__pic_plan *plan = &w->p->plan;
    uint64_t points = w->count * htmt__pic_points(plan->block);
    (void)user;
    *ops = htmt__pic_add_ops(points / (plan->largest[2] + 2));
}

/* ---- guard points --------------------------------------------------------------------------- */

/* Directions are numbered 3 (dz + 1) + dy + 1, from 0 to 8. Number 4 is none. */
#define DIRECTIONS 9
#define HERE       4

/* Rows along an axis with n own rows: all of those for direction 0, otherwise the row `low` for
 * direction -1 or `high` for 1. */
struct rows {
    uint32_t first, count;
};

static struct rows rows_at(uint32_t n, int direction, uint32_t low, uint32_t high)
{
    if (!direction)
        return (struct rows){1, n};
    return (struct rows){direction < 0 ? low : high, 1};
}

/* Bytes of the buffer for the rows from one direction. */
static uint64_t guard_room(const struct htmt__pic_plan *p)
{
    uint32_t most = p->largest[1] > p->largest[2] ? p->largest[1] : p->largest[2];
    return (uint64_t)most * p->largest[0] * HTMT_WORD;
}

/* Send guard rows to the neighbour on their side. */
static const struct htmt__pic_phase *after_sum(struct htmt_context *c, const htmt__pic *p)
{
    const uint32_t slice = htmt_slice(c);
    const struct htmt__pic_box *box = &p->site[slice].box;
    const uint64_t row = (uint64_t)box->n[0] * HTMT_WORD, plane = row * (box->n[1] + 2);
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        int dy = (int)(d % 3) - 1, dz = (int)(d / 3) - 1;
        struct rows y = rows_at(box->n[1], dy, 0, box->n[1] + 1);
        struct rows z = rows_at(box->n[2], dz, 0, box->n[2] + 1);
        uint32_t to = htmt__pic_beside(p, slice, dy, dz);
        if (d != HERE)
            htmt_put(c, &(struct htmt_put){
                            .dst = htmt_at(p->guard, to, d * guard_room(&p->plan)),
                            .src = htmt_at(p->rho, slice, z.first * plane + y.first * row),
                            .src_pieces = {.bytes = y.count * row,
                                           .count = z.count,
                                           .stride = (int64_t)plane},
                            .bytes = (uint64_t)y.count * z.count * row,
                            .on_arrived = htmt__pic_coordinator(p, to, HTMT__PIC_FOLD)});
    }
    htmt_signal(c, htmt_slot(c, HTMT__PIC_FOLD));
    return NULL;
}

void htmt__pic_use_own(struct htmt_context *c, const htmt__pic *p)
{
    const struct htmt__pic_box *box = &p->site[htmt_slice(c)].box;
    const uint64_t row = (uint64_t)box->n[0] * HTMT_WORD, plane = row * (box->n[1] + 2);
    const struct htmt_pieces own = {
        .bytes = row * box->n[1], .count = box->n[2], .stride = (int64_t)plane};
    htmt_use_pieces(c, htmt_at(p->rho, htmt_slice(c), plane + row), own.bytes * own.count, own,
                    HTMT_UPDATE);
}

/* Add the rows that came from the neighbour opposite to each direction: its upper guard row is the
 * first row here, its lower guard row the last. rho begins at the first row of the slice's own. */
void htmt__pic_fold_kernel(struct htmt_kernel *k)
{
    const htmt__pic *p = ((const struct htmt__pic_args *)htmt_kernel_args(k))->p;
    htmt__pic_constants(k, p);
    const struct htmt__pic_box *box = &p->site[htmt_kernel_slice(k)].box;
    const char *room = htmt_used(k, 0);
    double *rho = htmt_used(k, 1);
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        const double *guard = (const double *)(const void *)(room + d * guard_room(&p->plan));
        const struct rows y = rows_at(box->n[1], (int)(d % 3) - 1, box->n[1], 1);
        const struct rows z = rows_at(box->n[2], (int)(d / 3) - 1, box->n[2], 1);
        const uint64_t nx = box->n[0], row = y.count * nx;
        for (uint32_t i = 0; d != HERE && i < z.count; i++) {
            double *to = rho + ((uint64_t)(z.first - 1 + i) * (box->n[1] + 2) + y.first - 1) * nx;
            for (uint64_t x = 0; x < row; x++)
                to[x] += guard[i * row + x];
        }
    }
}

void htmt__pic_fold_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct htmt__pic_plan *p = &((const struct htmt__pic_args *)args)->p->plan;
    (void)user;
    *ops = htmt__pic_add_ops((uint64_t)p->largest[0] * 2 * (p->largest[1] + p->largest[2] + 2));
}

/* ---- phases --------------------------------------------------------------------------------- */

static const struct htmt__pic_phase sum_phase = {
    .count = count_planes, .make = make_sum, .sequel = after_sum};
const struct htmt__pic_phase htmt__pic_deposit_phase = {
    .count = htmt__pic_bundle_count, .make = make_deposit, .next = &sum_phase};

int htmt__pic_charge_types(htmt__pic *p)
{
    struct htmt_type_desc deposit = {.name = "Deposit",
                                     .execute = {.kernel = deposit_kernel, .cost = deposit_cost},
                                     .sends = HTMT_SENDS_NOWHERE};
    struct htmt_type_desc sum = {
        .name = "Sum",
        .execute = {.kernel = sum_kernel, .cost = sum_cost, .control = sum_control},
        .sends = HTMT_SENDS_NOWHERE};
    int rc = htmt__pic_type(p, HTMT__PIC_DEPOSIT_PARCEL, true, deposit);
    return rc ? rc : htmt__pic_type(p, HTMT__PIC_SUM_PARCEL, false, sum);
}
