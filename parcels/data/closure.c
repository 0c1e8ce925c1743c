/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of a parcel's closure: made and freed. Fresh regions lie one after another in one
 * storage of the parcel. Regions into resident objects are never held by the parcel: they are
 * copied in one when they arrive or depart.
 */
#include "parcels/data/closure.h"
#include "parcels/data/reader.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN 64u

static uint64_t room_of(const struct htmt_region *r, uint32_t exec)
{
    uint64_t padded = r->in_words[exec] * HTMT_WORD;
    return padded > r->bytes ? padded : r->bytes;
}

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

static bool may_fuse(const struct htmt__data *d, const struct htmt__code *code,
                     const struct htmt_parcel_desc *desc)
{
    bool may = code->fusible && !d->checked;
    for (uint32_t i = 0; i < desc->region_count; i++)
        may &= !desc->regions[i].into.object || only_looked_at(&desc->regions[i]);
    return may;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void fill_regions(struct htmt__closure *c, const struct htmt_parcel_desc *desc,
                         uint64_t fence)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        r->at = ends_of(&desc->regions[i]);
        r->room = room_of(&desc->regions[i], c->code->exec);
        r->offset = c->bytes;
        r->source = NULL;
        r->reader = (struct htmt__reader){.closure = c};
        if (r->at.into.object || !r->room)
            continue;
        r->offset += fence;
        c->bytes = r->offset + aligned(r->room) + fence;
    }
}

struct htmt__closure *htmt__data_closure(struct htmt__data *d, const struct htmt__code *code,
                                         uint32_t slice, uint64_t serial, const void *args,
                                         const struct htmt_parcel_desc *desc)
{
    uint32_t n = desc->region_count;
    struct htmt__closure *c = malloc(sizeof *c + n * sizeof c->region[0] + code->args_bytes);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->code = code;
    c->args = args;
    c->serial = serial;
    c->slice = slice;
    c->count = n;
    fill_regions(c, desc, htmt__fence_bytes(d));
    c->fused = may_fuse(d, code, desc);
    size_t result = code->result_bytes;
    uint64_t fence = htmt__fence_bytes(d);
    if (result && !(c->result = htmt__storage_create(d->host, result + fence, true, false))) {
        free(c);
        return NULL;
    }
    return c;
}

void htmt__data_discard(struct htmt__data *d, struct htmt__closure *c)
{
    if (!c)
        return;
    htmt__reader_forget(c);
    if (c->job)
        htmt__job_release(d->host, c->job);
    if (c->storage)
        htmt__storage_drop(d->host, c->storage);
    if (c->result)
        htmt__storage_drop(d->host, c->result);
    free(c);
}

bool htmt__closure_storage(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->storage || !c->bytes)
        return true;
    c->storage = htmt__storage_create(d->host, c->bytes, false, true);
    if (!c->storage)
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a closure of %llu bytes",
                       (unsigned long long)c->bytes);
    return c->storage != NULL;
}
