/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process tells of its slices is a row of items, each with its kind and size before it. What
 * several tell is one row after another.
 */
#include "parcels/observe/stuck.h"
#include "parcels/clock/partition.h"
#include "parcels/message/collective.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"
#include "parcels/walk/memory.h"

#include <stdlib.h>
#include <string.h>

/* Sizes are multiples of 8, so that items may be read where they lie. */
struct item {
    uint32_t awaited, size;
};

/* ---- told ------------------------------------------------------------------------------------ */

static uint64_t holds(const struct htmt__entity *p, uint32_t layer)
{
    return p->kind == HTMT__PARCEL ? htmt__memory_held(p, layer) : 0;
}

static struct htmt__stuck facts_of(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__stuck s = {.serial = p->serial,
                            .slice = p->slice,
                            .type = p->type ? p->type->number : HTMT__STUCK_NONE,
                            .mailbox = HTMT__STUCK_NONE,
                            .kind = p->kind,
                            .state = p->state};
    if (p->state == HTMT__FOR_SPACE || p->state == HTMT__FOR_CALL) {
        s.stage = p->step->stage;
        s.layer = p->step->layer;
    }
    if (p->state == HTMT__FOR_SPACE) {
        const struct htmt__store *store = htmt__store_at(e, p->slice, p->step->layer);
        s.amount = p->waiter.amount;
        s.since = p->waiter.since;
        s.used = store->used;
        s.resident = store->resident;
    }
    if (p->kind == HTMT__MESSAGE) {
        const struct htmt_mailbox *m = htmt__message_mailbox(p->message);
        s.type = HTMT__STUCK_NONE;
        s.mailbox = m ? htmt__mailbox_number(m) : HTMT__STUCK_NONE;
        if (p->state == HTMT__FOR_ROOM)
            s.amount = m ? p->message->records : 0;
    } else if (p->kind == HTMT__PARCEL) {
        s.done = p->posted ? (struct htmt_slot){0} : p->body->on_done;
        s.fibers = p->type->fiber_count;
    }
    s.size = (uint32_t)(sizeof s + (e->layers + s.fibers) * sizeof *s.holds);
    return s;
}

uint64_t htmt__stuck_lacks(const struct htmt_emulator *e, const struct htmt__stuck *s, uint32_t i)
{
    return i < s->fibers ? s->holds[e->layers + i] : 0;
}

static void tell_entities(const struct htmt_emulator *e, uint32_t slice, uint32_t first,
                          uint32_t count, struct htmt__buffer *b)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, first + k));
        if (!p->serial || p->state == HTMT__AWAY)
            continue;
        struct htmt__stuck s = facts_of(e, p);
        htmt__buffer_add(b, &(struct item){0, s.size}, sizeof(struct item));
        htmt__buffer_add(b, &s, sizeof s);
        for (uint32_t l = 0; l < e->layers; l++) {
            uint64_t words = holds(p, l);
            htmt__buffer_add(b, &words, sizeof words);
        }
        for (uint32_t i = 0; i < s.fibers; i++) {
            uint64_t lacks = p->body->slot[i].count;
            htmt__buffer_add(b, &lacks, sizeof lacks);
        }
    }
}

/* Messages of other processes' slices that are here, too, wherever they are kept; then the slots
 * that rounds of collectives will signal. */
static void tell(const struct htmt_emulator *e, struct htmt__buffer *b)
{
    for (uint32_t i = 0; i < e->played; i++) {
        tell_entities(e, i, 0, htmt__slice_at(e, i)->fresh, b);
        tell_entities(e, i, HTMT__BETWEEN, e->post ? e->post[i].fresh : 0, b);
        for (const struct htmt__collective *t = htmt_slice_here(e, i) ? e->collectives : NULL; t;
             t = t->next) {
            struct htmt__awaited a = {t->operations->part(t, i).arrived, t->number};
            if (htmt_ref_none(a.slot.owner))
                continue;
            htmt__buffer_add(b, &(struct item){1, sizeof a}, sizeof(struct item));
            htmt__buffer_add(b, &a, sizeof a);
        }
    }
}

const struct htmt__stuck_operations htmt__stuck_operations = {tell};

/* ---- collected ------------------------------------------------------------------------------- */

static int by_birth(const void *a, const void *b)
{
    uint64_t x = (*(const struct htmt__stuck *const *)a)->serial;
    uint64_t y = (*(const struct htmt__stuck *const *)b)->serial;
    return (x > y) - (x < y);
}

int htmt__awaited_by_slot(const void *a, const void *b)
{
    const struct htmt_slot *x = &(*(const struct htmt__awaited *const *)a)->slot;
    const struct htmt_slot *y = &(*(const struct htmt__awaited *const *)b)->slot;
    if (x->owner.serial != y->owner.serial)
        return x->owner.serial > y->owner.serial ? 1 : -1;
    return (x->fiber > y->fiber) - (x->fiber < y->fiber);
}

/* Pass 0 counts, pass 1 points to them. */
static void list(struct htmt__stuck_list *l, const struct htmt__buffer *told, int pass)
{
    struct item item;
    l->count = l->awaited_count = 0;
    for (size_t at = 0; at < told->size; at += sizeof item + item.size) {
        const void *what = told->at + at + sizeof item;
        memcpy(&item, told->at + at, sizeof item);
        if (pass && item.awaited)
            l->awaited[l->awaited_count] = what;
        else if (pass)
            l->all[l->count] = what;
        l->awaited_count += item.awaited;
        l->count += !item.awaited;
    }
}

int htmt__stuck_collect(const struct htmt_emulator *e, struct htmt__stuck_list *l)
{
    bool ranks = e->windows && e->windows->rank;
    if (!ranks)
        tell(e, &l->own);
    const struct htmt__buffer *told = ranks ? &e->windows->rank->stuck : &l->own;
    if (told->lacking)
        return HTMT_ENOMEM;
    list(l, told, 0);
    l->all = calloc(l->count + 1, sizeof(struct htmt__stuck *));
    l->awaited = calloc(l->awaited_count + 1, sizeof(struct htmt__awaited *));
    if (!l->all || !l->awaited)
        return HTMT_ENOMEM;
    list(l, told, 1);
    qsort(l->all, l->count, sizeof(struct htmt__stuck *), by_birth);
    qsort(l->awaited, l->awaited_count, sizeof(struct htmt__awaited *), htmt__awaited_by_slot);
    return 0;
}

void htmt__stuck_fini(struct htmt__stuck_list *l)
{
    free(l->all);
    free(l->awaited);
    htmt__buffer_fini(&l->own);
}
