/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks and steps of a recording.
 *
 * Steps have numbers in the order in which they are met first. Partitions meet them side by side.
 * So each has a table of its own. When a window is over, the new ones of all partitions are met
 * again in the order of turns, and get numbers of the whole. Full blocks of partitions, too, go to
 * the file in the order of the turns that filled them. So the file does not depend on the threads.
 */
#include "parcels/observe/record_writer.h"
#include "parcels/clock/partition.h"
#include "parcels/observe/record_filter.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define COLD          __attribute__((cold, noinline))
#define NO_STAGE      UINT32_MAX
#define FIRST_MESSAGE (UINT32_MAX / 2) /* behind the stages of all types */

/* The file of a partition's recorder is the whole's, which looks for this. */
COLD void htmt__record_give_up(struct htmt_emulator *e)
{
    e->recorder->broken = true;
    if (!e->recorder->part)
        htmt__record_file_abandon(&e->recorder->file);
}

COLD void htmt__record_out_of_memory(struct htmt_emulator *e)
{
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    htmt__record_give_up(e);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Blocks that are open get room for one more, too. */
static int room_for_step(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    size_t had = r->steps_room, room = had;
    int rc =
        htmt__array_fits(&r->step, &room, (size_t)r->steps + 1, sizeof *r->step) ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < e->played && !rc && !r->part && room > had; i++)
        if (r->slice[i].block.left)
            rc = htmt__record_block_steps(&r->slice[i].block, (uint32_t)room);
    if (!rc)
        r->steps_room = room;
    return rc ? htmt__fail(e, rc, "no host memory to record the run") : 0;
}

uint32_t htmt__record_step_new(struct htmt_emulator *e, const struct htmt__stage_stats *stats,
                               enum htmt__record_place place)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_step step = {.stats = stats, .place = place, .stage = NO_STAGE};
    if (!htmt__record_filter_step(e, &r->options, &step) || room_for_step(e))
        return 1;
    /* Types have the same stages in all partitions; messages have theirs when they are used first.
     */
    if (stats && !stats->use.number) {
        step.stage = stats->number;
    } else if (stats) {
        step.stage = FIRST_MESSAGE;
        while (e->message_stats[step.stage - FIRST_MESSAGE] != stats)
            step.stage++;
    }
    step.first = (struct htmt__failure){e->now, htmt__order(e)};
    r->step[r->steps++] = step;
    return 2 * r->steps;
}

/* Of the steps without a number the one that was met first, before a failure; NULL: there is none.
 */
static struct htmt__recorder *next_step(const struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    struct htmt__recorder *found = NULL;
    struct htmt__failure first = {0};
    for (uint32_t i = w->first; i < w->end; i++) {
        struct htmt__recorder *r = w->partition[i].e->recorder;
        if (r->numbered == r->steps)
            continue;
        struct htmt__failure met = r->step[r->numbered].first;
        if ((whole->recorder->cut && htmt__fails_before(whole->failure, met)) ||
            (found && !htmt__fails_before(met, first)))
            continue;
        found = r;
        first = met;
    }
    return found;
}

void htmt__record_steps_number(struct htmt_emulator *whole)
{
    struct htmt__recorder *r = whole->recorder, *part;
    while ((part = next_step(whole))) {
        struct htmt__record_step *step = &part->step[part->numbered++];
        uint32_t i = 0;
        while (i < r->steps && (r->step[i].stage != step->stage || r->step[i].place != step->place))
            i++;
        if (i == r->steps && room_for_step(whole)) {
            htmt__record_give_up(whole);
            part->numbered--;
            return;
        }
        if (i == r->steps)
            r->step[r->steps++] = *step;
        step->number = i;
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct htmt__record_packer *htmt__record_packer_of(struct htmt__recorder *r)
{
    if (!r->part)
        return htmt__record_file_packer(r->file);
    if (!r->packer)
        htmt__record_packer_create(&r->packer, htmt__record_block_most(r->room));
    return r->packer;
}

static void put(struct htmt_emulator *e, struct htmt__record_entry entry,
                const struct htmt__record_packed *packed)
{
    if (htmt__record_file_add(e->recorder->file, entry, packed, &e->fault))
        htmt__record_give_up(e);
}

COLD void htmt__record_write_block(struct htmt_emulator *e, uint32_t slice)
{
    const uint64_t number = (UINT64_C(1) << HTMT__RECORD_NUMBER_BITS) - 1;
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[slice].block;
    if ((!b->count && !b->samples) || !r->whole->file)
        return;
    struct htmt__record_packer *packer = htmt__record_packer_of(r);
    if (!packer) {
        htmt__record_out_of_memory(e);
        return;
    }
    const struct htmt__record_entry entry = {.slice = slice,
                                             .intervals = b->count,
                                             .samples = b->samples,
                                             .first = (b->last & number) - b->count,
                                             .from = b->count ? b->from : 0,
                                             .to = b->to};
    size_t bytes = htmt__record_block_close(b, r->room, htmt__record_packer_buffer(packer));
    struct htmt__record_packed packed = htmt__record_pack(packer, bytes);
    if (!r->part) {
        put(e, entry, &packed);
        return;
    }
    uint8_t *copy = htmt__fault_injected() ? NULL : malloc(packed.bytes + 1);
    if (!copy ||
        !htmt__array_fits(&r->closed, &r->closed_room, r->closed_count + 1, sizeof *r->closed)) {
        free(copy);
        htmt__record_out_of_memory(e);
        return;
    }
    packed.at = memcpy(copy, packed.at, packed.bytes);
    r->closed[r->closed_count++] = (struct htmt__record_closed){r->writing, entry, packed};
}

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
    if (!htmt__record_block_steps(&s->block, (uint32_t)r->whole->steps_room) &&
        !htmt__record_block_open(&s->block, r->room, e->layers))
        return true;
    htmt__record_out_of_memory(e);
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

void htmt__record_write_closed(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    while (whole->recorder->file) {
        struct htmt__recorder *part = NULL; /* that of the first turn */
        struct htmt__record_closed *c = NULL;
        for (uint32_t i = w->first; i < w->end; i++) {
            struct htmt__recorder *r = w->partition[i].e->recorder;
            if (r->closed_taken < r->closed_count &&
                (!c || htmt__fails_before(r->closed[r->closed_taken].turn, c->turn))) {
                part = r;
                c = &r->closed[r->closed_taken];
            }
        }
        if (!c)
            return;
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
