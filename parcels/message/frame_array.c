/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The slices' parts of an array of the host: into a frame, and back.
 */
#include "parcels/clock/rank.h"
#include "parcels/message/grid.h"
#include "parcels/walk/permit.h"

#include <string.h>

struct parts {
    const struct htmt_frame *frame;
    const struct htmt_grid *grid;
    struct htmt_tile tile; /* extents of at least 1 */
    char *array;
    bool gathers;
};

/* ---- copying --------------------------------------------------------------------------------- */

/* Elements of a row of the frame's part, and rows of a plane. */
static uint64_t wide(const struct htmt_tile *t, int axis)
{
    return t->extent[axis] + 2 * t->margin[axis];
}

/* The element of a tile's place, in its slice's part and in the array. */
static uint64_t in_part(const struct htmt_tile *t, uint64_t y, uint64_t z)
{
    return ((z + t->margin[2]) * wide(t, 1) + y + t->margin[1]) * wide(t, 0) + t->margin[0];
}

static uint64_t in_array(const struct parts *p, const uint32_t place[3], uint64_t y, uint64_t z)
{
    const struct htmt_tile *t = &p->tile;
    uint64_t row = htmt__grid_extent(p->grid, 0) * t->extent[0];
    uint64_t rows = htmt__grid_extent(p->grid, 1) * t->extent[1];
    return ((place[2] * t->extent[2] + z) * rows + place[1] * t->extent[1] + y) * row +
           place[0] * t->extent[0];
}

/* Of a slice of another rank there is nothing to load. */
static void copy_part(const struct parts *p, uint32_t slice, char *part)
{
    const struct htmt_tile *t = &p->tile;
    uint32_t place[3];
    if (!part)
        return;
    htmt_grid_place(p->grid, slice, place);
    for (uint64_t i = 0; i < t->extent[1] * t->extent[2]; i++) {
        uint64_t y = i % t->extent[1], z = i / t->extent[1];
        char *here = part + in_part(t, y, z) * t->bytes;
        char *there = p->array + in_array(p, place, y, z) * t->bytes;
        memcpy(p->gathers ? there : here, p->gathers ? here : there, t->extent[0] * t->bytes);
    }
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static int check(const struct htmt_frame *f, const void *array, const char *call)
{
    struct htmt_emulator *e = f ? f->outside.emulator : NULL;
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s: found no frame (NULL)", call);
    int rc = htmt__permit_host(e, call);
    if (!rc && e->data)
        rc = htmt__given(e, array, call, "array");
    return rc;
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

static int find_part(const struct parts *p, uint32_t slice, const void **part)
{
    struct htmt_object *o = p->frame->object[slice];
    struct htmt_emulator *e = o->emulator;
    if (p->gathers && atomic_load(&e->state) == HTMT__ENDED)
        return htmt__rank_fetch(e, o, true, part);
    *part = htmt_object_bytes(o);
    return 0;
}

static int copy_parts(const struct parts *p)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->frame->slices && !rc; i++) {
        const void *part = NULL;
        rc = find_part(p, i, &part);
        copy_part(p, i, (char *)part);
    }
    return rc;
}

static int copy(struct parts p, const char *call)
{
    for (int i = 0; i < 3; i++)
        p.tile.extent[i] += !p.tile.extent[i];
    if (!fits(p.frame, &p.tile))
        return htmt__refuse(p.frame->outside.emulator, HTMT_EBOUNDS,
                            "%s: a tile of %llu x %llu x %llu elements of %llu bytes, with "
                            "margins, does not fit in %s, which has %llu bytes in each slice",
                            call, (unsigned long long)p.tile.extent[0],
                            (unsigned long long)p.tile.extent[1],
                            (unsigned long long)p.tile.extent[2], (unsigned long long)p.tile.bytes,
                            p.frame->outside.name, (unsigned long long)p.frame->object[0]->bytes);
    return p.frame->outside.emulator->data ? copy_parts(&p) : 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int copy_line(struct parts p, uint64_t bytes, const char *call)
{
    int rc = check(p.frame, p.array, call);
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
    int rc = check(p.frame, p.array, call);
    struct htmt_emulator *e = rc ? NULL : p.frame->outside.emulator;
    rc = rc ? rc : htmt__grid_check(e, p.grid, call);
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
