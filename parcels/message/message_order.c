/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/message_order.h"
#include "parcels/message/packet_network.h"

#include <stdlib.h>

#define ROOM_LEAST 4u

/* What came from one slice; where one stands for all, to that slice. */
struct sender {
    uint64_t pair;              /* source << 32 | target */
    uint32_t next;              /* next: the number that is awaited; 0: free */
    htmt_time end;              /* when the last one that was in order is there */
    struct htmt__entity *early; /* those behind it, by `queue`, in no order */
};

struct htmt__order_book {
    struct sender *sender; /* by pair, modulo the room, or behind */
    uint32_t senders, room;
};

static struct sender *sender_at(const struct htmt__order_book *b, uint64_t pair)
{
    for (uint64_t i = (pair >> 32) + pair;; i++) {
        struct sender *s = &b->sender[i & (b->room - 1)];
        if (!s->next || s->pair == pair)
            return s;
    }
}

static bool make_senders(struct htmt__order_book *b)
{
    struct htmt__order_book more = {.room = b->room ? 2 * b->room : ROOM_LEAST};
    if (2 * (b->senders + 1) <= b->room)
        return true;
    more.sender = calloc(more.room, sizeof *more.sender);
    if (!more.sender)
        return false;
    for (uint32_t i = 0; i < b->room; i++)
        if (b->sender[i].next)
            *sender_at(&more, b->sender[i].pair) = b->sender[i];
    free(b->sender);
    b->sender = more.sender;
    b->room = more.room;
    return true;
}

static struct sender *sender_of(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct htmt__order_book **book = &e->net[g->network].fabric->book[htmt__played(e, g->target)];
    if (!*book)
        *book = calloc(1, sizeof **book);
    if (!*book || !make_senders(*book)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the order of messages");
        return NULL;
    }
    const uint64_t pair = (uint64_t)g->source << 32 | g->target;
    struct sender *s = sender_at(*book, pair);
    if (!s->next) {
        (*book)->senders++;
        *s = (struct sender){.pair = pair, .next = 1};
    }
    return s;
}

/* The one whose turn it is; NULL: it has not come. */
static struct htmt__entity *take_early(struct sender *s)
{
    struct htmt__entity **at = &s->early, *p;
    while ((p = *at) && p->flight.order != s->next)
        at = &p->flight.early;
    if (p)
        *at = p->flight.early;
    return p;
}

void htmt__order_take(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                      htmt_time end,
                      void (*whole)(struct htmt_emulator *e, struct htmt__entity *p, htmt_time end))
{
    struct sender *s = sender_of(e, g);
    if (!s)
        return;
    p->tail = end;
    p->flight.early = s->early;
    s->early = p;
    while ((p = take_early(s)) != NULL) {
        s->next++;
        s->end = p->tail < 0 || p->tail > s->end ? p->tail : s->end;
        whole(e, p, s->end);
    }
}

void htmt__order_book_destroy(struct htmt__order_book *b)
{
    if (b)
        free(b->sender);
    free(b);
}
