/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt_blocks(): a loop over the blocks of objects, each block as a parcel.
 *
 * Some objects come in blocks; the first one of these says how many there are, and all others must
 * have as many. Objects without blocks go to every parcel as a whole. A block that is read may
 * reach `beyond` its end, as a stencil does: the bytes behind it belong to the next parcel as well.
 * Only what no two parcels share may be written.
 */
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"

#include <stdlib.h>
#include <string.h>

static const char call[] = "htmt_blocks()";
static const struct htmt__sized sized = {.name = "htmt_blocks_desc",
                                         .known = sizeof(struct htmt_blocks_desc),
                                         .first = sizeof(struct htmt_blocks_desc),
                                         .least = offsetof(struct htmt_blocks_desc, blocked_count) +
                                                  sizeof(size_t)};

/* ---- counting -------------------------------------------------------------------------------- */

/* Bytes in all; 0: none, or not within the object as far as that can be told here. */
static uint64_t bytes_of(const struct htmt_blocked *b)
{
    const struct htmt_object *o = b->at.object;
    uint64_t room = o && b->at.offset < o->bytes ? o->bytes - b->at.offset : 0;
    if (b->beyond >= room)
        return 0;
    return b->bytes ? b->bytes : room - b->beyond;
}

/* 0: nothing. */
static uint64_t blocks_of(const struct htmt_blocked *b)
{
    uint64_t bytes = bytes_of(b);
    return bytes ? (bytes - 1) / b->block + 1 : 0;
}

/* The first that comes in blocks; NULL: none does. */
static const struct htmt_blocked *leader(const struct htmt_blocks_desc *d)
{
    for (uint32_t i = 0; i < d->blocked_count; i++)
        if (d->blocked[i].block)
            return &d->blocked[i];
    return NULL;
}

uint32_t htmt_block_count(const struct htmt_blocks_desc *desc)
{
    struct htmt_blocks_desc d;
    if (!desc || htmt__sized_copy(&sized, desc, &d, NULL) || !d.blocked)
        return 0;
    const struct htmt_blocked *first = leader(&d);
    uint64_t blocks = first ? blocks_of(first) : 0;
    return blocks <= UINT32_MAX ? (uint32_t)blocks : 0;
}

/* ---- checking -------------------------------------------------------------------------------- */

static const char *name_of(const struct htmt_blocked *b)
{
    return b->at.object ? b->at.object->name : "nowhere";
}

static int check_blocked(struct htmt_emulator *e, const struct htmt_blocked *b, uint64_t count)
{
    if ((unsigned)b->use - HTMT_READ > HTMT_UPDATE - HTMT_READ)
        return htmt__refuse(e, HTMT_EINVAL, "%s of %s: use %u, expected one of enum htmt_use", call,
                            name_of(b), (unsigned)b->use);
    if ((!b->block || b->beyond) && b->use != HTMT_READ)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s of %s: parcels share what they write, expected HTMT_READ or blocks "
                            "with nothing beyond",
                            call, name_of(b));
    uint64_t blocks = b->block ? blocks_of(b) : count;
    if (!bytes_of(b) || blocks != count)
        return htmt__refuse(e, HTMT_EINVAL, "%s of %s: found %llu blocks, expected %llu", call,
                            name_of(b), (unsigned long long)(bytes_of(b) ? blocks : 0),
                            (unsigned long long)count);
    return 0;
}

static int check(struct htmt_context *c, const struct htmt_blocks_desc *d)
{
    struct htmt_emulator *e = c->e;
    int rc = htmt__given(e, d->type, call, "type");
    rc = rc ? rc : htmt__given(e, d->blocked, call, "objects");
    if (rc)
        return rc;
    if (d->type->emulator != e->whole)
        return htmt__refuse(e, HTMT_EINVAL, "%s of type %s, which belongs to another emulator",
                            call, d->type->code.name);
    if ((d->args || d->each) && !d->type->code.args_bytes)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s of type %s, which has no arguments: set its args_bytes", call,
                            d->type->code.name);
    const struct htmt_blocked *first = leader(d);
    uint64_t count = first ? blocks_of(first) : 0;
    if (!count)
        return htmt__refuse(e, HTMT_EINVAL, "%s: found no object that comes in blocks", call);
    if (count > UINT32_MAX)
        return htmt__refuse(e, HTMT_EOVERFLOW, "%s of %s in %llu blocks, expected at most %u", call,
                            name_of(first), (unsigned long long)count, UINT32_MAX);
    for (uint32_t i = 0; i < d->blocked_count && !rc; i++)
        rc = check_blocked(e, &d->blocked[i], count);
    return rc;
}

/* ---- parcels --------------------------------------------------------------------------------- */

static int assemble(struct htmt_context *c, const struct htmt_blocks_desc *d,
                    struct htmt_region *regions, uint32_t block)
{
    _Alignas(max_align_t) char args[HTMT__ARGS_MAX];
    size_t bytes = d->type->code.args_bytes;
    memset(args, 0, bytes);
    if (d->args)
        memcpy(args, d->args, bytes);
    if (d->each)
        d->each(args, block, d->user);
    for (uint32_t i = 0; i < d->blocked_count; i++) {
        const struct htmt_blocked *b = &d->blocked[i];
        const uint64_t begin = (uint64_t)block * b->block, rest = bytes_of(b) - begin;
        const struct htmt_addr at = htmt_in(b->at.object, b->at.offset + begin);
        regions[i] = (struct htmt_region){.from = b->use & HTMT_READ ? at : (struct htmt_addr){0},
                                          .to = b->use & HTMT_WRITE ? at : (struct htmt_addr){0},
                                          .bytes = (b->block && b->block < rest ? b->block : rest) +
                                                   b->beyond,
                                          .read_only = b->use == HTMT_READ,
                                          .filled = b->filled && b->use == HTMT_WRITE};
    }
    struct htmt_parcel_desc p = {.type = d->type,
                                 .slice = d->blocked[0].at.object->slice,
                                 .regions = regions,
                                 .region_count = d->blocked_count,
                                 .args = bytes ? args : NULL,
                                 .on_done = d->on_done};
    return htmt__assemble(c, &p, NULL);
}

int htmt_blocks(struct htmt_context *c, const struct htmt_blocks_desc *desc, uint32_t *count)
{
    struct htmt_blocks_desc d;
    int rc = htmt__permit_start(c, call) ? 0 : HTMT_EINVAL;
    rc = rc ? rc : htmt__given(c->e, desc, call, "description");
    rc = rc ? rc : htmt__sized_take(c->e, &sized, desc, &d, call);
    rc = rc ? rc : check(c, &d);
    if (rc)
        return rc;
    uint32_t blocks = htmt_block_count(&d);
    struct htmt_region *regions = malloc(d.blocked_count * sizeof *regions);
    if (!regions)
        return htmt__fail(c->e, HTMT_ENOMEM, "no host memory for the regions of a block");
    for (uint32_t i = 0; i < blocks && !rc; i++)
        rc = assemble(c, &d, regions, i);
    free(regions);
    if (!rc && count)
        *count = blocks;
    return rc;
}
