/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps over rows of a stencil: an activation in each slice, made of public calls alone.
 *
 * Each slice has a part of the rows, with `halo` rows of its neighbours at both sides, in two
 * frames: sweep n reads frame n % 2 and writes the other one. A sweep is a chain of fibers.
 * EXCHANGE sends the slice's outer rows to both neighbours. When the rows of both have come, EVEN
 * or ODD sweeps: it assembles a parcel of the caller's type for each band of rows. When all of them
 * have ended, BACK goes on to the next sweep.
 *
 * Why two fibers for rows that have come: a quick neighbour may send its rows of sweep n + 1 before
 * the slower one has sent those of sweep n. Counted by one slot, both would start sweep n with a
 * row missing. Even and odd sweeps have a slot each, and a neighbour cannot be two sweeps ahead.
 */
#include "parcels/sweeps.h"

#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"

static const char call[] = "htmt_sweeps_create()";

enum { EXCHANGE, BACK, EVEN, ODD, FIBERS };

struct state {
    struct htmt_sweeps s;
    uint64_t sweep;
};

/* ---- controls -------------------------------------------------------------------------------- */

static struct htmt_addr row_at(struct htmt_context *c, const struct state *t, uint64_t sweep,
                               uint64_t row)
{
    return htmt_at(t->s.frame[sweep % 2], htmt_slice(c), row * t->s.row);
}

static void name_band(void *args, uint32_t block, const void *user)
{
    ((struct htmt_sweeps_args *)args)->row += block * ((const struct htmt_sweeps *)user)->band;
}

static void sweep(struct htmt_context *c)
{
    const struct state *t = htmt_args(c);
    const struct htmt_sweeps *s = &t->s;
    uint64_t rows = s->tile.extent[1];
    const struct htmt_sweeps_args args = {t->sweep, htmt_slice(c) * rows};
    const struct htmt_blocked b[] = {{row_at(c, t, t->sweep, 0), rows * s->row, s->band * s->row,
                                      2 * s->halo * s->row, HTMT_READ, false},
                                     {row_at(c, t, t->sweep + 1, s->halo), rows * s->row,
                                      s->band * s->row, 0, HTMT_WRITE, true}};
    struct htmt_blocks_desc d = htmt_blocks_desc_init();
    d.type = s->type;
    d.blocked = b;
    d.blocked_count = 2;
    if (s->type->code.args_bytes) {
        d.args = &args;
        d.each = name_band;
        d.user = s;
    }
    d.on_done = htmt_slot(c, BACK);
    htmt_blocks(c, &d, NULL);
}

static void send(struct htmt_context *c, const struct state *t, int to, uint64_t from,
                 uint64_t into)
{
    struct htmt_put p = htmt_put_init();
    p.src = row_at(c, t, t->sweep, from);
    p.dst = row_at(c, t, t->sweep, into);
    p.bytes = t->s.halo * t->s.row;
    p.on_arrived = htmt_slot(c, EVEN + t->sweep % 2);
    htmt_put_neighbour(c, &t->s.grid, (int[3]){0, to, 0}, &p);
}

static void exchange(struct htmt_context *c)
{
    const struct state *t = htmt_args(c);
    uint64_t halo = t->s.halo, rows = t->s.tile.extent[1];
    send(c, t, -1, halo, halo + rows);
    send(c, t, 1, rows, 0);
}

static void next(struct htmt_context *c)
{
    struct state *t = htmt_args(c);
    if (++t->sweep < t->s.sweeps)
        exchange(c);
    else
        htmt_retire(c, htmt_self(c));
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int check(struct htmt_emulator *e, const struct htmt_sweeps *s)
{
    int rc = htmt__permit_setup(e, call);
    rc = rc ? rc : htmt__given(e, s, call, "description");
    if (!rc && s->size && s->size != sizeof *s)
        rc = htmt__refuse(e, HTMT_EINVAL, "%s: of another version: found %zu bytes, expected %zu",
                          call, s->size, sizeof *s);
    rc = rc ? rc : htmt__given(e, s->type, call, "type");
    if (rc)
        return rc;
    const struct htmt_type *t = s->type;
    if (t->emulator != e)
        return htmt__refuse(e, HTMT_EINVAL, "%s of type %s, which belongs to another emulator",
                            call, t->code.name);
    if (t->code.args_bytes && t->code.args_bytes != sizeof(struct htmt_sweeps_args))
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s of type %s with %zu bytes of arguments, expected none or struct "
                            "htmt_sweeps_args",
                            call, t->code.name, t->code.args_bytes);
    const uint64_t slices = htmt_emulator_slices(e), part = s->rows / slices;
    if (!s->row || !s->sweeps || !s->band || !part || s->rows % slices || part % s->band)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s: %llu sweeps of %llu rows of %llu bytes in bands of %llu, expected "
                            "a multiple of the %llu slices times the band",
                            call, (unsigned long long)s->sweeps, (unsigned long long)s->rows,
                            (unsigned long long)s->row, (unsigned long long)s->band,
                            (unsigned long long)slices);
    if (!s->halo || s->halo > part)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s: a halo of %llu rows, expected 1 to %llu, those of a slice", call,
                            (unsigned long long)s->halo, (unsigned long long)part);
    return 0;
}

static int create_type(struct htmt_emulator *e, const struct htmt_sweeps *s,
                       struct htmt_type **type)
{
    uint32_t bands = (uint32_t)(s->tile.extent[1] / s->band);
    const struct htmt_stage back = {.control = next, .count = bands, .reset = bands};
    const struct htmt_stage arrived = {.control = sweep, .count = 2, .reset = 2};
    const struct htmt_stage fibers[] = {back, arrived, arrived};
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "sweeps";
    d.home = d.exec = htmt_emulator_machine(e)->layer[s->type->home].name;
    d.execute.control = exchange;
    d.fibers = fibers;
    d.fiber_count = FIBERS - 1;
    d.args_bytes = sizeof(struct state);
    return htmt__type_create_own(e, &d, type);
}

int htmt_sweeps_create(struct htmt_emulator *e, struct htmt_sweeps *s)
{
    struct htmt_type *type = NULL;
    uint64_t bytes;
    int rc = check(e, s);
    if (rc)
        return rc;
    uint32_t slices = htmt_emulator_slices(e);
    s->grid = (struct htmt_grid){.extent = {1, slices, 1}, .wrap = {false, s->wrap, false}};
    s->tile = (struct htmt_tile){s->row, {1, s->rows / slices, 1}, {0, s->halo, 0}};
    if (__builtin_mul_overflow(s->tile.extent[1] + 2 * s->halo, s->row, &bytes))
        return htmt__refuse(e, HTMT_EINVAL, "%s: more bytes than there are numbers", call);
    rc = htmt_frame_create(e, s->type->home, bytes, "even sweeps", &s->frame[0]);
    rc = rc ? rc : htmt_frame_create(e, s->type->home, bytes, "odd sweeps", &s->frame[1]);
    rc = rc ? rc : create_type(e, s, &type);
    const struct state state = {.s = *s};
    for (uint32_t i = 0; i < slices && !rc; i++)
        rc = htmt_assemble(htmt_root(e),
                           &(struct htmt_parcel_desc){.type = type, .slice = i, .args = &state},
                           NULL);
    return rc;
}

int htmt_sweeps_load(const struct htmt_sweeps *s, const void *array)
{
    return s ? htmt_frame_load_tiles(s->frame[0], &s->grid, &s->tile, array) : HTMT_EINVAL;
}

int htmt_sweeps_gather(const struct htmt_sweeps *s, void *array)
{
    return s ? htmt_frame_gather_tiles(s->frame[s->sweeps % 2], &s->grid, &s->tile, array)
             : HTMT_EINVAL;
}
