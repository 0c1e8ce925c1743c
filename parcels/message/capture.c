/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Captures: the bytes of messages to other partitions.
 *
 * Planned ones stand in a heap by (time, key). Each takes its turn among the events of this
 * partition (play.c), since kernels and deliveries before it may still change the bytes. Those that
 * are made wait for the end of the window, when they go where their messages are.
 */
#include "parcels/message/capture.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/rank.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

static struct htmt__capture *none(struct htmt_emulator *e)
{
    htmt__fail(e, HTMT_ENOMEM, "no host memory for what a message leaves behind");
    return NULL;
}

struct htmt__capture *htmt__capture_create(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__message *m = p->message;
    struct htmt__capture *c = e->captures.spare;
    if (c)
        e->captures.spare = c->next;
    else if (!(c = htmt__record_alloc(sizeof *c)))
        return none(e);
    *c = (struct htmt__capture){.key = p->key,
                                .slice = p->slice,
                                .index = p->index,
                                .target = m->leg.target,
                                .layer = m->leg.from,
                                .put = m->put};
    return c;
}

/* ---- those that are planned ------------------------------------------------------------------ */

static bool before(const struct htmt__capture *a, const struct htmt__capture *b)
{
    return a->at != b->at ? a->at < b->at : a->key < b->key;
}

void htmt__capture_plan(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    struct htmt__captures *s = &e->captures;
    bool fits =
        htmt__array_fits(&s->due, &s->room, (size_t)s->count + 1, sizeof(struct htmt__capture *));
    struct htmt__capture *c = fits ? htmt__capture_create(e, p) : none(e);
    if (!c)
        return;
    c->at = at;
    uint32_t i = s->count++;
    for (; i && before(c, s->due[(i - 1) / 2]); i = (i - 1) / 2)
        s->due[i] = s->due[(i - 1) / 2];
    s->due[i] = c;
}

bool htmt__capture_before(const struct htmt_emulator *e, htmt_time at, uint64_t key)
{
    const struct htmt__capture *c = e->captures.due[0];
    return c->at < at || (c->at == at && c->key < key);
}

void htmt__capture_turn(struct htmt_emulator *e)
{
    struct htmt__captures *s = &e->captures;
    struct htmt__capture *c = s->due[0], *last = s->due[--s->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < s->count; i = child) {
        child += child + 1 < s->count && before(s->due[child + 1], s->due[child]);
        if (!before(s->due[child], last))
            break;
        s->due[i] = s->due[child];
    }
    s->due[i] = last;
    e->now = c->at;
    e->turn = c->key;
    htmt__capture_make(e, c);
}

/* ---- those that are made --------------------------------------------------------------------- */

void htmt__capture_make(struct htmt_emulator *e, struct htmt__capture *c)
{
    c->held = htmt__data_capture_away(e->data, &c->put, c->layer);
    c->next = e->captures.made;
    e->captures.made = c;
}

void htmt__capture_free(struct htmt_emulator *e, struct htmt__capture *c)
{
    if (c->held)
        htmt__data_drop(e->data, c->held);
    c->held = NULL;
    c->next = e->captures.spare;
    e->captures.spare = c;
}

/* The message has not arrived yet: no window is wider than the latency. In this process it gets its
 * bytes; to another one they follow it. A message as packets goes there with its first packet, and
 * its bytes wait for that. */
void htmt__captures_send(struct htmt_emulator *e)
{
    struct htmt__capture *next, *c = e->captures.made;
    e->captures.made = NULL;
    for (; c; c = next) {
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(c->slice, c->index));
        const bool here = htmt__rank_plays(e, c->target);
        next = c->next;
        if (!c->held) {
            htmt__capture_free(e, c);
            continue;
        }
        if (!here && e->has_fabric && p->state != HTMT__AWAY && p->message &&
            e->net[p->message->leg.network].fabric) {
            c->next = e->captures.made;
            e->captures.made = c;
            continue;
        }
        htmt__data_settle(e->data, c->held);
        if (here) {
            p->message->held = c->held;
            c->held = NULL;
        }
        if (here || htmt__outbox_bytes(e, c))
            htmt__capture_free(e, c);
    }
}

static void free_list(struct htmt_emulator *e, struct htmt__capture *c)
{
    for (struct htmt__capture *next; c; c = next) {
        next = c->next;
        if (c->held)
            htmt__data_drop(e->data, c->held);
        free(c);
    }
}

void htmt__captures_fini(struct htmt_emulator *e)
{
    while (e->captures.count)
        free(e->captures.due[--e->captures.count]);
    free_list(e, e->captures.made);
    free_list(e, e->captures.spare);
    free(e->captures.due);
}
