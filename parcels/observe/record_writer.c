/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_writer.h"
#include "parcels/clock/partition.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define COLD __attribute__((cold, noinline))

/* The file of a partition's recorder is the whole's, which looks for this. */
COLD void htmt__record_give_up(struct htmt_emulator *e)
{
    e->recorder->broken = true;
    if (!e->recorder->part)
        htmt__record_file_abandon(&e->recorder->file);
}

static COLD void fail(struct htmt_emulator *e)
{
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    htmt__record_give_up(e);
}

/* ---- full blocks ----------------------------------------------------------------------------- */

struct htmt__record_packer *htmt__record_packer_of(struct htmt__recorder *r)
{
    if (!r->part)
        return htmt__record_file_packer(r->file);
    if (!r->packer)
        htmt__record_packer_create(&r->packer, htmt__record_block_most(r->room));
    return r->packer;
}

static bool room_for_closed(struct htmt__recorder *r)
{
    if (r->closed_count < r->closed_room)
        return true;
    size_t room = r->closed_room ? 2 * r->closed_room : 16;
    struct htmt__record_closed *more = realloc(r->closed, room * sizeof *more);
    if (!more)
        return false;
    r->closed = more;
    r->closed_room = room;
    return true;
}

static void keep_closed(struct htmt_emulator *e, struct htmt__record_entry entry,
                        struct htmt__record_packed packed)
{
    struct htmt__recorder *r = e->recorder;
    uint8_t *copy = htmt__fault_injected() ? NULL : malloc(packed.bytes + 1);
    if (!copy || !room_for_closed(r)) {
        free(copy);
        fail(e);
        return;
    }
    memcpy(copy, packed.at, packed.bytes);
    packed.at = copy;
    r->closed[r->closed_count++] = (struct htmt__record_closed){r->writing, entry, packed};
}

static void put(struct htmt_emulator *e, struct htmt__record_entry entry,
                const struct htmt__record_packed *packed)
{
    if (htmt__record_file_add(e->recorder->file, entry, packed, &e->fault))
        htmt__record_give_up(e);
}

static struct htmt__record_entry entry_of(const struct htmt__record_block *b, uint32_t slice)
{
    const uint64_t number = (UINT64_C(1) << HTMT__RECORD_NUMBER_BITS) - 1;
    return (struct htmt__record_entry){.slice = slice,
                                       .intervals = b->count,
                                       .samples = b->samples,
                                       .first = (b->last & number) - b->count,
                                       .from = b->count ? b->from : 0,
                                       .to = b->to};
}

COLD void htmt__record_write_block(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[slice].block;
    if ((!b->count && !b->samples) || !r->whole->file)
        return;
    struct htmt__record_packer *packer = htmt__record_packer_of(r);
    if (!packer) {
        fail(e);
        return;
    }
    struct htmt__record_entry entry = entry_of(b, slice);
    size_t bytes = htmt__record_block_close(b, r->room, htmt__record_packer_buffer(packer));
    struct htmt__record_packed packed = htmt__record_pack(packer, bytes);
    if (r->part)
        keep_closed(e, entry, packed);
    else
        put(e, entry, &packed);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

COLD void htmt__record_look(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    if (!htmt__record_block_look(&r->slice[slice].block, r->room))
        htmt__record_write_block(e, slice);
}

COLD bool htmt__record_open(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_slice *s = &r->slice[slice];
    if (s->left_out || !r->whole->file)
        return false;
    if (!htmt__record_block_steps(&s->block, r->whole->steps_room) &&
        !htmt__record_block_open(&s->block, r->room, e->layers))
        return true;
    fail(e);
    return false;
}

COLD void htmt__record_write_sample(struct htmt_emulator *e, uint32_t slice, htmt_time at,
                                    uint32_t layer, uint64_t words)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[slice].block;
    bool left_out =
        !(r->layers >> layer & 1) || (r->windowed && htmt__record_outside(&r->options, at, at));
    bool written = !left_out && (b->left || htmt__record_open(e, slice));
    if (written)
        htmt__record_block_sample(b, at, layer, words);
    b->words[layer] = words;
    if (written && --b->samples_left == 0)
        htmt__record_look(e, slice);
}

/* ---- of all partitions ----------------------------------------------------------------------- */

static struct htmt__record_closed *first_of(const struct htmt__recorder *part)
{
    return &part->closed[part->closed_taken];
}

/* NULL: there is none. */
static struct htmt__recorder *next_part(const struct htmt__windows *w)
{
    struct htmt__recorder *first = NULL;
    for (uint32_t i = w->first; i < w->end; i++) {
        struct htmt__recorder *r = w->partition[i].e->recorder;
        if (r->closed_taken < r->closed_count &&
            (!first || htmt__fails_before(first_of(r)->turn, first_of(first)->turn)))
            first = r;
    }
    return first;
}

void htmt__record_write_closed(struct htmt_emulator *whole)
{
    struct htmt__recorder *part;
    while (whole->recorder->file && (part = next_part(whole->windows))) {
        struct htmt__record_closed *c = first_of(part);
        put(whole, c->entry, &c->packed);
        free(c->packed.at);
        if (++part->closed_taken == part->closed_count)
            part->closed_taken = part->closed_count = 0;
    }
}

void htmt__record_closed_free(struct htmt__recorder *part)
{
    for (size_t i = part->closed_taken; i < part->closed_count; i++)
        free(part->closed[i].packed.at);
    free(part->closed);
    htmt__record_packer_destroy(&part->packer);
}
