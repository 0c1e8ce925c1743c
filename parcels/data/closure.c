/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of a parcel's closure: made and freed. Fresh regions lie one after another in one
 * storage of the parcel. Regions into resident objects are never held by the parcel: they are
 * copied in one when they arrive or depart.
 */
#include "parcels/data/kernel.h"
#include "parcels/data/reader.h"
#include "parcels/data/small_closures.h"

static struct htmt_pieces joined(struct htmt_pieces p)
{
    return p.stride == (int64_t)p.bytes ? (struct htmt_pieces){0} : p;
}

static struct htmt__ends ends_of(const struct htmt_region *r)
{
    return (struct htmt__ends){.from = r->from,
                               .to = r->to,
                               .into = r->into,
                               .bytes = r->bytes,
                               .from_pieces = joined(r->from_pieces),
                               .to_pieces = joined(r->to_pieces),
                               .read_only = r->read_only,
                               .filled = r->filled,
                               .handover = r->handover};
}

/* A resident object that stays as it is. */
static bool only_looked_at(const struct htmt_region *r)
{
    return r->read_only && !r->from.object && !r->to.object;
}

/* What is to be known of a closure before it is made. */
struct outline {
    uint64_t bytes; /* of its fresh regions */
    uint16_t comes, goes;
    bool fused, pieced, lands;
};

_Static_assert(HTMT_LAYERS_MAX <= 16, "a bit for each layer");

static void add_layer(uint16_t *layers, const struct htmt_object *o)
{
    if (o)
        *layers = (uint16_t)(*layers | 1u << o->layer);
}

static struct outline outline_of(const struct htmt__data *d, const struct htmt__code *code,
                                 const struct htmt_parcel_desc *desc)
{
    struct outline o = {.fused = code->fusible && !d->checked};
    uint64_t fences = 2 * htmt__fence_bytes(d);
    for (uint32_t i = 0; i < desc->region_count; i++) {
        const struct htmt_region *r = &desc->regions[i];
        o.pieced |= r->from_pieces.count || r->to_pieces.count;
        if (r->into.object) {
            o.lands = true;
            o.fused &= only_looked_at(r);
            continue;
        }
        uint64_t room = htmt__room_in(r, code->exec);
        o.bytes += room ? htmt__aligned(room) + fences : 0;
        add_layer(&o.comes, r->from.object);
        add_layer(&o.goes, r->to.object);
    }
    return o;
}

static void fill_regions(struct htmt__closure *c, const struct htmt_parcel_desc *desc,
                         uint64_t fence)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        r->at = ends_of(&desc->regions[i]);
        r->room = htmt__room_in(&desc->regions[i], c->code->exec);
        r->offset = end;
        r->source = NULL;
        r->reader.at = NULL;
        r->reader.closure = c;
        if (r->at.into.object || !r->room)
            continue;
        r->offset += fence;
        end = r->offset + htmt__aligned(r->room) + fence;
    }
}

static bool is_brief(const struct outline *o, uint32_t regions)
{
    return o->fused && !o->pieced && !o->lands && o->bytes <= HTMT__BRIEF &&
           regions <= HTMT__BRIEF_REGIONS;
}

static struct htmt__storage *result_of(struct htmt__data *d, const struct htmt__code *code)
{
    return htmt__storage_create(d->host, code->result_bytes + htmt__fence_bytes(d), true, false);
}

/* Behind the regions lie what the kernel sees and the arguments. */
static struct htmt__closure *create(struct htmt__data *d, const struct outline *o,
                                    const struct htmt__code *code,
                                    const struct htmt_parcel_desc *desc)
{
    uint32_t regions = desc->region_count;
    size_t views = o->fused && d->direct ? regions * sizeof(struct htmt__view) : 0;
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
    fill_regions(c, desc, htmt__fence_bytes(d));
    if (code->result_bytes && !(c->result = result_of(d, code))) {
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
    bool brief = is_brief(&o, desc->region_count);
    struct htmt__closure *c =
        brief && d->direct ? htmt__brief_create(d, code, o.bytes, desc) : create(d, &o, code, desc);
    if (!c)
        return NULL;
    c->args = args;
    c->serial = serial;
    c->slice = slice;
    c->brief = brief;
    c->comes = o.comes;
    c->goes = o.goes;
    return c;
}

static void let_go(struct htmt__data *d, struct htmt__closure *c)
{
    htmt__reader_forget(c);
    if (c->job)
        htmt__job_release(d->host, c->job);
    if (c->storage)
        htmt__storage_drop(d->host, c->storage);
    if (c->result)
        htmt__storage_drop(d->host, c->result);
}

void htmt__data_discard(struct htmt__data *d, struct htmt__closure *c)
{
    if (!c)
        return;
    if (!c->own)
        let_go(d, c);
    htmt__slab_give(&d->slab, c, c->size);
}

struct htmt__ways htmt__data_ways(const struct htmt__closure *c)
{
    unsigned here = c->lands ? 1u << c->code->exec : 0;
    return (struct htmt__ways){(uint8_t)(c->comes | here), (uint8_t)(c->goes | here)};
}
