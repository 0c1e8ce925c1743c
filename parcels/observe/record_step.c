/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_step.h"
#include "parcels/clock/partition.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_writer.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define NO_STAGE      UINT32_MAX
#define FIRST_MESSAGE (UINT32_MAX / 2) /* behind the stages of all types */

/* ---- one table ------------------------------------------------------------------------------- */

/* Blocks that are open get room for it, too. */
static int room_in_blocks(struct htmt_emulator *e, uint32_t room)
{
    struct htmt__recorder *r = e->recorder;
    int rc = 0;
    for (uint32_t i = 0; i < e->played && !rc && !r->part; i++)
        if (r->slice[i].block.left)
            rc = htmt__record_block_steps(&r->slice[i].block, room);
    return rc;
}

static int room_for_step(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (r->steps < r->steps_room)
        return 0;
    uint32_t room = r->steps_room ? 2 * r->steps_room : 32;
    struct htmt__record_step *more =
        htmt__fault_injected() ? NULL : realloc(r->step, room * sizeof *more);
    int rc = more ? 0 : HTMT_ENOMEM;
    r->step = more ? more : r->step;
    rc = rc ? rc : room_in_blocks(e, room);
    r->steps_room = rc ? r->steps_room : room;
    return rc ? htmt__fail(e, rc, "no host memory to record the run") : 0;
}

/* Types have the same stages in all partitions; messages have theirs when they are used first. */
static uint32_t stage_of(const struct htmt_emulator *e, const struct htmt__stage_stats *stats)
{
    if (!stats || !stats->use.number)
        return stats ? stats->number : NO_STAGE;
    uint32_t place = 0;
    while (e->message_stats[place] != stats)
        place++;
    return FIRST_MESSAGE + place;
}

uint32_t htmt__record_step_new(struct htmt_emulator *e, const struct htmt__stage_stats *stats,
                               enum htmt__record_place place)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_step step = {.stats = stats, .place = place};
    if (!htmt__record_filter_step(e, &r->options, &step))
        return 1;
    if (room_for_step(e))
        return 1;
    step.stage = stage_of(e, step.stats);
    step.first = (struct htmt__failure){e->now, htmt__order(e)};
    r->step[r->steps++] = step;
    return 2 * r->steps;
}

/* ---- of all partitions ----------------------------------------------------------------------- */

static const struct htmt__record_step *next_of(const struct htmt__recorder *part)
{
    return &part->step[part->numbered];
}

/* Not behind a failure. */
static bool has_next(const struct htmt_emulator *whole, const struct htmt__recorder *part)
{
    return part->numbered < part->steps &&
           !(whole->recorder->cut && htmt__fails_before(whole->failure, next_of(part)->first));
}

/* Of those without a number the one that was met first; NULL: there is none. */
static struct htmt__recorder *next_part(const struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    struct htmt__recorder *first = NULL;
    for (uint32_t i = w->first; i < w->end; i++) {
        struct htmt__recorder *r = w->partition[i].e->recorder;
        if (has_next(whole, r) &&
            (!first || htmt__fails_before(next_of(r)->first, next_of(first)->first)))
            first = r;
    }
    return first;
}

/* UINT32_MAX: out of memory. */
static uint32_t number_of(struct htmt_emulator *whole, const struct htmt__record_step *step)
{
    struct htmt__recorder *r = whole->recorder;
    for (uint32_t i = 0; i < r->steps; i++)
        if (r->step[i].stage == step->stage && r->step[i].place == step->place)
            return i;
    if (room_for_step(whole))
        return UINT32_MAX;
    r->step[r->steps] = *step;
    return r->steps++;
}

void htmt__record_steps_number(struct htmt_emulator *whole)
{
    struct htmt__recorder *part;
    while ((part = next_part(whole))) {
        struct htmt__record_step *step = &part->step[part->numbered];
        step->number = number_of(whole, step);
        if (step->number == UINT32_MAX) {
            htmt__record_give_up(whole);
            return;
        }
        part->numbered++;
    }
}
