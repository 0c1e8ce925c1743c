/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers for programs whose slices stand in a grid: places and neighbours, puts to the neighbour
 * as every slice makes them for itself, and arrays of the host that are cut into the slices' parts
 * of a frame. Places are numbered row by row: slice = (z * extent[1] + y) * extent[0] + x.
 */
#include "parcels/clock/rank.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"

#include <string.h>

/* ---- places ---------------------------------------------------------------------------------- */

/* At least 1. */
static uint32_t extent_of(const struct htmt_grid *grid, int axis)
{
    return grid->extent[axis] ? grid->extent[axis] : 1;
}

uint32_t htmt_grid_slices(const struct htmt_grid *grid)
{
    uint64_t slices = grid ? 1 : 0;
    for (int i = 0; grid && i < 3 && slices <= UINT32_MAX; i++)
        slices *= extent_of(grid, i);
    return slices <= UINT32_MAX ? (uint32_t)slices : 0;
}

bool htmt_grid_place(const struct htmt_grid *grid, uint32_t slice, uint32_t place[3])
{
    if (slice >= htmt_grid_slices(grid) || !place)
        return false;
    for (int i = 0; i < 3; i++) {
        place[i] = slice % extent_of(grid, i);
        slice /= extent_of(grid, i);
    }
    return true;
}

/* htmt_grid_neighbour(); `sign` -1: the opposite way. */
static bool towards(const struct htmt_grid *grid, uint32_t slice, const int step[3], int sign,
                    uint32_t *neighbour)
{
    uint32_t place[3], to = 0;
    if (!htmt_grid_place(grid, slice, place) || !step)
        return false;
    for (int i = 2; i >= 0; i--) {
        int64_t extent = extent_of(grid, i), at = place[i] + (int64_t)sign * step[i];
        if ((at < 0 || at >= extent) && !grid->wrap[i])
            return false; /* beyond the edge */
        to = to * (uint32_t)extent + (uint32_t)(((at % extent) + extent) % extent);
    }
    if (neighbour)
        *neighbour = to;
    return true;
}

bool htmt_grid_neighbour(const struct htmt_grid *grid, uint32_t slice, const int step[3],
                         uint32_t *neighbour)
{
    return towards(grid, slice, step, 1, neighbour);
}

uint32_t htmt_grid_neighbours(const struct htmt_grid *grid, uint32_t slice)
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        const int step[3] = {i == 0, i == 1, i == 2};
        count += towards(grid, slice, step, 1, NULL);
        count += towards(grid, slice, step, -1, NULL);
    }
    return count;
}

/* 0, or HTMT_EINVAL (latched): the grid has a place for each slice. */
static int check_grid(struct htmt_emulator *e, const struct htmt_grid *grid, const char *call)
{
    int rc = htmt__given(e, grid, call, "grid");
    if (rc || htmt_grid_slices(grid) == e->slices)
        return rc;
    return htmt__refuse(e, HTMT_EINVAL,
                        "%s: found a grid of %u x %u x %u places, expected one for each of %u "
                        "slices",
                        call, extent_of(grid, 0), extent_of(grid, 1), extent_of(grid, 2),
                        e->slices);
}

/* ---- puts to the neighbour ------------------------------------------------------------------- */

static const char put_call[] = "htmt_put_neighbour()";

/* When folded, slices at an edge would do something else than slice 0. */
static int check_way(struct htmt_context *c, const struct htmt_grid *grid, const int step[3])
{
    int rc = htmt__permit(c, put_call) ? 0 : HTMT_EINVAL;
    rc = rc ? rc : check_grid(c->e, grid, put_call);
    rc = rc ? rc : htmt__given(c->e, step, put_call, "step");
    for (int i = 0; i < 3 && !rc && c->e->options.symmetry == HTMT_FOLDED; i++)
        if (step[i] && !grid->wrap[i] && extent_of(grid, i) > 1)
            rc = htmt__refuse(c->e, HTMT_ESYMMETRY,
                              "%s along an axis that does not wrap: slices at its edges do "
                              "something else than slice 0, which stands for all",
                              put_call);
    return rc;
}

static int check_put(struct htmt_context *c, const struct htmt_put *put)
{
    const struct htmt_object *dst = put->dst.object;
    if (dst && dst->emulator && dst->emulator != c->e->whole)
        return htmt__refuse(c->e, HTMT_EINVAL, "%s to %s, which belongs to another emulator",
                            put_call, dst->name);
    if (!dst || !dst->frame || dst->slice != c->p->slice)
        return htmt__refuse(c->e, HTMT_EINVAL,
                            "%s to %s, expected an address in the part of a frame that lies in "
                            "slice %u: the neighbour's part is found from it",
                            put_call, dst ? dst->name : "nowhere", c->p->slice);
    if (!htmt_ref_none(put->on_arrived.owner) &&
        htmt_ref_slice(put->on_arrived.owner) != c->p->slice)
        return htmt__refuse(c->e, HTMT_EINVAL,
                            "%s with a slot of another slice, expected one of slice %u: the "
                            "neighbour's twin is found from it",
                            put_call, c->p->slice);
    return 0;
}

/* At an edge nothing is sent, or nothing comes: then the slots are signalled here, as if something
 * had left or arrived, so that a slice waits for the same number of signals wherever it stands. */
int htmt_put_neighbour(struct htmt_context *c, const struct htmt_grid *grid, const int step[3],
                       const struct htmt_put *put)
{
    struct htmt_put whole;
    uint32_t to;
    int rc = check_way(c, grid, step);
    rc = rc ? rc : htmt__given(c->e, put, put_call, "description");
    rc = rc ? rc : htmt__put_whole(c->e, put, &whole, put_call);
    rc = rc ? rc : check_put(c, &whole);
    if (rc)
        return rc;
    if (towards(grid, c->p->slice, step, 1, &to)) {
        struct htmt_put there = whole;
        there.dst = htmt_at(whole.dst.object->frame, to, whole.dst.offset);
        there.on_arrived = htmt_slot_in(whole.on_arrived, to);
        rc = htmt_put(c, &there);
    } else {
        htmt_signal(c, whole.on_sent);
    }
    if (!towards(grid, c->p->slice, step, -1, NULL)) {
        struct htmt_slot too = whole.on_arrived;
        too.fiber = whole.on_arrived_too;
        htmt_signal(c, whole.on_arrived);
        if (too.fiber)
            htmt_signal(c, too);
    }
    return rc ? rc : c->e->fault.code;
}

/* ---- arrays of the host ---------------------------------------------------------------------- */

/* What is copied between an array and a frame. */
struct parts {
    const struct htmt_frame *frame;
    const struct htmt_grid *grid;
    struct htmt_tile tile; /* extents of at least 1 */
    char *array;
    bool gathers;
};

/* Row by row of the slice's tile, which has margins in the frame's part and none in the array. Of a
 * slice of another rank there is nothing to load. */
static void copy_part(const struct parts *p, uint32_t slice, char *part)
{
    const struct htmt_tile *t = &p->tile;
    const uint64_t wide = t->extent[0] + 2 * t->margin[0], high = t->extent[1] + 2 * t->margin[1];
    const uint64_t row = extent_of(p->grid, 0) * t->extent[0];
    const uint64_t rows = extent_of(p->grid, 1) * t->extent[1];
    uint32_t place[3] = {0, 0, 0};
    if (!part)
        return;
    htmt_grid_place(p->grid, slice, place);
    for (uint64_t i = 0; i < t->extent[1] * t->extent[2]; i++) {
        uint64_t y = i % t->extent[1], z = i / t->extent[1];
        uint64_t in_part = ((z + t->margin[2]) * high + y + t->margin[1]) * wide + t->margin[0];
        uint64_t in_array =
            ((place[2] * t->extent[2] + z) * rows + place[1] * t->extent[1] + y) * row +
            place[0] * t->extent[0];
        char *here = part + in_part * t->bytes, *there = p->array + in_array * t->bytes;
        memcpy(p->gathers ? there : here, p->gathers ? here : there, t->extent[0] * t->bytes);
    }
}

/* A tile and its margins lie in the frame's part. */
static bool fits(const struct htmt_frame *f, const struct htmt_tile *t)
{
    htmt_uwide bytes = t->bytes;
    for (int i = 0; i < 3 && bytes <= f->object[0]->bytes; i++) {
        htmt_uwide extent = t->extent[i] + 2 * (htmt_uwide)t->margin[i];
        bytes = extent > f->object[0]->bytes ? extent : bytes * extent;
    }
    return bytes <= f->object[0]->bytes;
}

static int check_frame(const struct htmt_frame *f, const void *array, const char *call)
{
    struct htmt_emulator *e = f ? f->outside.emulator : NULL;
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s: found no frame (NULL)", call);
    int rc = htmt__permit_host(e, call);
    if (!rc && e->data)
        rc = htmt__given(e, array, call, "array");
    return rc;
}

/* After the run a slice's part may be in another process. */
static int copy(struct parts p, const char *call)
{
    struct htmt_emulator *e = p.frame->outside.emulator;
    int rc = 0;
    for (int i = 0; i < 3; i++)
        p.tile.extent[i] += !p.tile.extent[i];
    if (!fits(p.frame, &p.tile))
        return htmt__refuse(e, HTMT_EBOUNDS,
                            "%s: a tile of %llu x %llu x %llu elements of %llu bytes, with "
                            "margins, does not fit in %s, which has %llu bytes in each slice",
                            call, (unsigned long long)p.tile.extent[0],
                            (unsigned long long)p.tile.extent[1],
                            (unsigned long long)p.tile.extent[2], (unsigned long long)p.tile.bytes,
                            p.frame->outside.name, (unsigned long long)p.frame->object[0]->bytes);
    for (uint32_t i = 0; e->data && i < p.frame->slices && !rc; i++) {
        struct htmt_object *o = p.frame->object[i];
        const void *part = NULL;
        if (p.gathers && atomic_load(&e->state) == HTMT__ENDED)
            rc = htmt__rank_fetch(e, o, true, &part);
        else
            part = htmt_object_bytes(o);
        copy_part(&p, i, (char *)part);
    }
    return rc;
}

/* A line of slices, whose parts follow each other. */
static int copy_line(struct parts p, uint64_t bytes, const char *call)
{
    int rc = check_frame(p.frame, p.array, call);
    if (rc || !bytes)
        return rc;
    const struct htmt_grid line = {{p.frame->slices, 1, 1}, {false, false, false}};
    p.grid = &line;
    p.tile = (struct htmt_tile){.bytes = 1, .extent = {bytes, 1, 1}};
    return copy(p, call);
}

int htmt_frame_load(struct htmt_frame *frame, const void *array, uint64_t bytes)
{
    struct parts p = {.frame = frame, .array = (char *)array};
    return copy_line(p, bytes, "htmt_frame_load()");
}

int htmt_frame_gather(const struct htmt_frame *frame, void *array, uint64_t bytes)
{
    struct parts p = {.frame = frame, .array = array, .gathers = true};
    return copy_line(p, bytes, "htmt_frame_gather()");
}

static int copy_tiles(struct parts p, const struct htmt_tile *tile, const char *call)
{
    int rc = check_frame(p.frame, p.array, call);
    struct htmt_emulator *e = rc ? NULL : p.frame->outside.emulator;
    rc = rc ? rc : check_grid(e, p.grid, call);
    rc = rc ? rc : htmt__given(e, tile, call, "tile");
    if (!rc && !tile->bytes)
        rc = htmt__refuse(e, HTMT_EINVAL, "%s: found a tile of elements of 0 bytes", call);
    if (rc)
        return rc;
    p.tile = *tile;
    return copy(p, call);
}

int htmt_frame_load_tiles(struct htmt_frame *frame, const struct htmt_grid *grid,
                          const struct htmt_tile *tile, const void *array)
{
    struct parts p = {.frame = frame, .grid = grid, .array = (char *)array};
    return copy_tiles(p, tile, "htmt_frame_load_tiles()");
}

int htmt_frame_gather_tiles(const struct htmt_frame *frame, const struct htmt_grid *grid,
                            const struct htmt_tile *tile, void *array)
{
    struct parts p = {.frame = frame, .grid = grid, .array = array, .gathers = true};
    return copy_tiles(p, tile, "htmt_frame_gather_tiles()");
}
