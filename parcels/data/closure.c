/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of a parcel's closure: made and freed. Fresh regions lie one after another in one
 * storage of the parcel, each at a cache line, in a checked run with fences around it. Regions into
 * resident objects are never held by the parcel: they are copied in one when they arrive or depart.
 *
 * The record of a closure has its regions, what a kernel sees if that is run without a job, and the
 * arguments as they were when the closure was complete, one behind another in one piece of the
 * slab.
 *
 * Before it is made an outline decides which of three kinds it is. Small: its bytes lie in the
 * record itself, or, where workers run jobs, it is fused but never begins before its turn. Fused:
 * gather, kernel and scatter will be one job (fused.c). Ordinary: each is a job of its own.
 */
#include "parcels/data/kernel.h"
#include "parcels/data/reader.h"
#include "parcels/data/small_closures.h"

/* The same bytes in fewer pieces: planes behind each other are rows of one plane, rows behind each
 * other are one piece. */
static struct htmt_pieces joined(struct htmt_pieces p)
{
    if (p.planes > 1 && (p.count == 1 || p.stride == (int64_t)p.bytes)) {
        p = (struct htmt_pieces){
            .bytes = p.bytes * p.count, .count = p.planes, .stride = p.plane_stride};
    } else if (p.planes > 1 && p.plane_stride == (int64_t)p.count * p.stride) {
        p = (struct htmt_pieces){.bytes = p.bytes, .count = p.count * p.planes, .stride = p.stride};
    }
    return p.planes <= 1 && p.stride == (int64_t)p.bytes ? (struct htmt_pieces){0} : p;
}

/* What is to be known of a closure before it is made. */
struct outline {
    uint64_t bytes; /* of its fresh regions */
    uint16_t comes, goes;
    bool fused, pieced, lands;
};

_Static_assert(HTMT_LAYERS_MAX <= 16, "a bit for each layer");

static struct outline outline_of(const struct htmt__data *d, const struct htmt__code *code,
                                 const struct htmt_parcel_desc *desc)
{
    struct outline o = {.fused = code->fusible && !d->checked};
    uint64_t fences = 2 * htmt__fence_bytes(d);
    for (uint32_t i = 0; i < desc->region_count; i++) {
        const struct htmt_region *r = &desc->regions[i];
        o.pieced |= r->from_pieces.count || r->to_pieces.count;
        if (r->into.object) { /* fused if it stays as it is */
            o.lands = true;
            o.fused &= r->read_only && !r->from.object && !r->to.object;
            continue;
        }
        uint64_t room = htmt__room_in(r, code->exec);
        o.bytes += room ? htmt__aligned(room) + fences : 0;
        if (r->from.object)
            o.comes = (uint16_t)(o.comes | 1u << r->from.object->layer);
        if (r->to.object)
            o.goes = (uint16_t)(o.goes | 1u << r->to.object->layer);
    }
    return o;
}

/* Behind the regions lie what the kernel sees and the arguments. */
static struct htmt__closure *create(struct htmt__data *d, const struct outline *o,
                                    const struct htmt__code *code,
                                    const struct htmt_parcel_desc *desc)
{
    const uint32_t regions = desc->region_count;
    const size_t views = o->fused && d->direct ? regions * sizeof(struct htmt__view) : 0;
    const uint64_t fence = htmt__fence_bytes(d);
    struct htmt__closure *c = htmt__closure_create(d, regions, views + code->args_bytes);
    if (!c)
        return NULL;
    c->code = code;
    c->bytes = o->bytes;
    c->fused = o->fused;
    c->pieced = o->pieced;
    c->lands = o->lands;
    c->view = (struct htmt__view *)&c->region[regions];
    c->kept = (char *)c->view + views;
    uint64_t end = 0;
    for (uint32_t i = 0; i < regions; i++) {
        const struct htmt_region *from = &desc->regions[i];
        struct htmt__region *r = &c->region[i];
        r->at = (struct htmt__ends){.from = from->from,
                                    .to = from->to,
                                    .into = from->into,
                                    .bytes = from->bytes,
                                    .from_pieces = joined(from->from_pieces),
                                    .to_pieces = joined(from->to_pieces),
                                    .read_only = from->read_only,
                                    .filled = from->filled,
                                    .handover = from->handover};
        r->room = htmt__room_in(from, code->exec);
        r->offset = end;
        r->source = NULL;
        r->reader.at = NULL;
        r->reader.closure = c;
        if (r->at.into.object || !r->room)
            continue;
        r->offset += fence;
        end = r->offset + htmt__aligned(r->room) + fence;
    }
    if (code->result_bytes)
        c->result = htmt__storage_create(d->host, code->result_bytes + fence, true, false);
    if (code->result_bytes && !c->result) {
        htmt__slab_give(&d->slab, c, c->size);
        return NULL;
    }
    return c;
}

struct htmt__closure *htmt__data_closure(struct htmt__data *d, const struct htmt__code *code,
                                         uint32_t slice, uint64_t serial, const void *args,
                                         const struct htmt_parcel_desc *desc)
{
    struct outline o = outline_of(d, code, desc);
    bool small = o.fused && !o.pieced && !o.lands && o.bytes <= HTMT__SMALL_BYTES &&
                 desc->region_count <= HTMT__SMALL_REGIONS;
    struct htmt__closure *c =
        small && d->direct ? htmt__small_create(d, code, o.bytes, desc) : create(d, &o, code, desc);
    if (!c)
        return NULL;
    c->args = args;
    c->serial = serial;
    c->slice = slice;
    c->small = small;
    c->comes = o.comes;
    c->goes = o.goes;
    return c;
}

void htmt__data_discard(struct htmt__data *d, struct htmt__closure *c)
{
    if (!c)
        return;
    if (!c->own) {
        htmt__reader_forget(c);
        if (c->job)
            htmt__job_release(d->host, c->job);
        if (c->storage)
            htmt__storage_drop(d->host, c->storage);
        if (c->result)
            htmt__storage_drop(d->host, c->result);
    }
    htmt__slab_give(&d->slab, c, c->size);
}

struct htmt__ways htmt__data_ways(const struct htmt__closure *c)
{
    unsigned here = c->lands ? 1u << c->code->exec : 0;
    return (struct htmt__ways){(uint8_t)(c->comes | here), (uint8_t)(c->goes | here)};
}
