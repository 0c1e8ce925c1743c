/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes from partitions of one rank to those of another: messages with their next events,
 * messages that are over, captured bytes, events of packets, what cells tell.
 *
 * At the end of a window a rank empties the boxes that its partitions have for partitions of other
 * ranks into r->out: pack_box(). What comes is put into the boxes of the sending rank's first
 * partition here, as if that had put it down: unpack(). So the partitions take it in with the next
 * window, and see no difference between a neighbour in this process and one elsewhere.
 *
 * Whose is a message's memory? An entity belongs to the slice that made it, and each rank has a
 * place for each entity of each slice. When a message goes to another rank its record is freed
 * here, while its place stays (HTMT__AWAY), and the receiving rank makes a record at the same
 * place. When the message is over there, only the place's name comes back (RETURN).
 */
#include "parcels/clock/outbox.h"
#include "parcels/clock/rank.h"
#include "parcels/message/capture.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/collective.h"
#include "parcels/message/gather.h"
#include "parcels/message/mailbox.h"
#include "parcels/message/message.h"

#include <stdlib.h>
#include <string.h>

enum item { MESSAGE, RETURN, BYTES, PACKET, TELL };

/* What of an entity is not the same in every rank. */
struct flight {
    htmt_time at;
    uint64_t key, serial;
    uint32_t slice, index;
    htmt_time service, tail, after;
    struct htmt__flight parts;
    bool head, inside;
    uint8_t kind; /* enum htmt__message_kind */
    uint32_t slots;
    uint32_t src, dst; /* in a run: objects, by number; 0: none */
};

/* The place of an entity: where a message that is over has come from, or whose bytes follow. */
struct home {
    uint32_t slice, index;
};

struct load {
    struct home of;
    uint64_t size;
};

static bool holds_mail(const struct htmt__message *m)
{
    return m->kind >= HTMT__MESSAGE_CREDIT && m->kind <= HTMT__MESSAGE_RECORDS;
}

static bool has_put(const struct htmt__message *m)
{
    return htmt__message_has_put((enum htmt__message_kind)m->kind);
}

static size_t message_size(uint8_t kind)
{
    return kind == HTMT__MESSAGE_SIGNAL
               ? offsetof(struct htmt__message, slot) + sizeof(struct htmt_slot)
           : kind == HTMT__MESSAGE_HOLD || kind == HTMT__MESSAGE_ACK || kind == HTMT__MESSAGE_POSTS
               ? offsetof(struct htmt__message, post)
           : kind == HTMT__MESSAGE_POST
               ? offsetof(struct htmt__message, post) + sizeof(struct htmt__post)
               : sizeof(struct htmt__message);
}

/* Whose records the messages of the slice have: the copy that plays it, or for all other ranks the
 * whole. */
static struct htmt_emulator *owner_of(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt_emulator *copy = e->windows->partition[e->windows->partition_of[slice]].e;
    return copy ? copy : e;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void add_item(struct htmt__buffer *b, enum item item, const void *bytes, size_t size)
{
    htmt__buffer_add(b, &item, sizeof item);
    htmt__buffer_add(b, bytes, size);
}

/* Pointers become numbers. The bytes follow by themselves. */
static void add_message(struct htmt__buffer *b, const struct htmt__message *m)
{
    struct htmt__message sent;
    memcpy(&sent, m, message_size(m->kind));
    sent.leg.stats = NULL;
    if (has_put(m)) {
        sent.put.src.object = sent.put.dst.object = NULL;
        sent.put.name = NULL;
        sent.held = NULL;
        sent.records = holds_mail(m) ? m->records : 0;
        sent.slots = m->kind == HTMT__MESSAGE_COLLECTIVE ? NULL : sent.slots;
    }
    uint32_t number = holds_mail(m)                         ? htmt__mailbox_number(m->mailbox)
                      : m->kind == HTMT__MESSAGE_COLLECTIVE ? m->collective->number
                                                            : 0;
    htmt__buffer_add(b, &sent, message_size(m->kind));
    htmt__buffer_add(b, &number, sizeof number);
}

/* In a model run a message does not know its objects. The slots of a broadcast are those of the
 * receiver and of who is below it in the tree. From here on it is elsewhere. */
static void send_message(struct htmt_emulator *e, struct htmt__buffer *b, struct htmt__head h)
{
    struct htmt__entity *p = h.p;
    struct htmt__message *m = p->message;
    struct htmt_emulator *owner = owner_of(e, p->slice);
    struct flight f = {.at = h.at,
                       .key = p->key,
                       .serial = p->serial,
                       .slice = p->slice,
                       .index = p->index,
                       .service = p->service,
                       .tail = p->tail,
                       .after = p->after,
                       .parts = p->flight,
                       .head = p->head,
                       .inside = p->inside,
                       .kind = m->kind};
    if (m->kind == HTMT__MESSAGE_COLLECTIVE && m->slots) {
        uint32_t child = m->leg.target, below = child & -child, rest = e->slices - child;
        f.slots = below < rest ? below : rest;
    }
    if (e->data && has_put(m)) {
        f.src = m->put.src.object ? m->put.src.object->number : 0;
        f.dst = m->put.dst.object ? m->put.dst.object->number : 0;
    }
    add_item(b, MESSAGE, &f, sizeof f);
    add_message(b, m);
    if (f.slots)
        htmt__buffer_add(b, m->slots, f.slots * sizeof *m->slots);
    if (m->kind == HTMT__MESSAGE_COLLECTIVE)
        free(m->slots);
    if (m->kind == HTMT__MESSAGE_POSTS) {
        htmt__bundle_pack(b, m->bundle);
        free(m->bundle);
    }
    htmt__message_free(owner, m);
    p->message = NULL;
    p->state = HTMT__AWAY;
    if (owner == e)
        p->serial = 0; /* its place here is free */
}

/* Bytes come behind their messages. */
static void pack_box(struct htmt_emulator *e, struct htmt_emulator *copy, struct htmt__buffer *b,
                     struct htmt__outbox *o)
{
    for (uint32_t i = 0; i < o->events; i++)
        send_message(e, b, o->event[i]);
    for (uint32_t i = 0; i < o->packets; i++)
        add_item(b, PACKET, &o->packet[i], sizeof o->packet[i]);
    for (uint32_t i = 0; i < o->tells; i++)
        add_item(b, TELL, &o->tell[i], sizeof o->tell[i]);
    o->events = o->packets = o->tells = 0;
    for (struct htmt__entity *p = o->over, *next; p; p = next) {
        struct home home = {p->slice, p->index};
        next = p->queue;
        add_item(b, RETURN, &home, sizeof home);
        htmt__message_free(e, p->message);
        p->message = NULL;
        p->serial = 0;
    }
    o->over = NULL;
    for (struct htmt__capture *c = o->bytes, *next; c; c = next) {
        struct load load = {{c->slice, c->index}, c->put.bytes};
        next = c->next;
        add_item(b, BYTES, &load, sizeof load);
        htmt__buffer_add(b, htmt__data_held_bytes(c->held), load.size);
        htmt__capture_free(copy, c);
    }
    o->bytes = NULL;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* What comes is checked before it is used: a wrong number, or bytes that end too soon, is
 * HTMT_ESYSTEM, not a crash. */

/* Of posts, answers to them, and news of those that hold channels. */
static bool is_known(const struct htmt_emulator *e, const struct htmt__message *m)
{
    const struct htmt__posts *all = e->posts;
    if (m->kind == HTMT__MESSAGE_POST)
        return htmt__post_known(e, &m->post);
    if (m->kind == HTMT__MESSAGE_POSTS)
        return all && m->leg.target < e->played;
    if (m->kind == HTMT__MESSAGE_ACK)
        return all && all->acks && m->leg.target < e->played;
    if (m->kind == HTMT__MESSAGE_HOLD)
        return all && m->leg.to < e->layers && all->layer[m->leg.to].box &&
               m->leg.target < e->played;
    return true;
}

/* Numbers become pointers. */
static int take_message(struct htmt_emulator *e, struct htmt__cursor *c, struct htmt__message *m,
                        const struct flight *f)
{
    const struct htmt__rank *r = e->windows->rank;
    uint32_t number, count = 1;
    htmt__cursor_take(c, m, message_size(f->kind));
    htmt__cursor_take(c, &number, sizeof number);
    if (c->broken || m->kind != f->kind)
        return HTMT_ESYSTEM;
    if (holds_mail(m))
        count = e->mailboxes ? htmt__mailbox_number(e->mailboxes) + 1 : 0;
    else if (m->kind == HTMT__MESSAGE_COLLECTIVE)
        count = e->collectives ? e->collectives->number + 1 : 0;
    if (number >= count || !is_known(e, m))
        return HTMT_ESYSTEM;
    if (holds_mail(m))
        m->mailbox = r->mailbox[number];
    if (e->data && has_put(m)) {
        if (f->src > e->objects_made || f->dst > e->objects_made)
            return HTMT_ESYSTEM;
        m->put.src.object = r->object[f->src];
        m->put.dst.object = r->object[f->dst];
    }
    if (m->kind == HTMT__MESSAGE_POSTS)
        return htmt__bundle_unpack(e, c, &m->bundle);
    if (m->kind != HTMT__MESSAGE_COLLECTIVE)
        return 0;
    m->collective = r->collective[number];
    m->slots = f->slots ? malloc(f->slots * sizeof *m->slots) : NULL;
    if (f->slots && !m->slots)
        return HTMT_ENOMEM;
    if (f->slots)
        htmt__cursor_take(c, m->slots, f->slots * sizeof *m->slots);
    return 0;
}

static int take_flight(struct htmt_emulator *e, struct htmt__partition *from,
                       struct htmt__cursor *c)
{
    struct flight f;
    htmt__cursor_take(c, &f, sizeof f);
    if (c->broken || f.slice >= e->played || f.kind >= HTMT__MESSAGE_KINDS)
        return HTMT_ESYSTEM;
    struct htmt__entity *p = htmt__entity_place(e, f.slice, f.index);
    if (!p)
        return HTMT_ENOMEM;
    p->key = f.key;
    p->serial = f.serial;
    p->slice = f.slice;
    p->index = f.index;
    p->service = f.service;
    p->tail = f.tail;
    p->after = f.after;
    p->head = f.head;
    p->inside = f.inside;
    p->flight = f.parts;
    p->leaving = false;
    p->kind = HTMT__MESSAGE;
    p->state = f.at < HTMT_TIME_MAX ? HTMT__PENDING : HTMT__AS_PACKETS;
    p->type = NULL;
    p->step = NULL;
    p->body = NULL;
    p->log = NULL;
    p->message = htmt__message_create(owner_of(e, f.slice), (enum htmt__message_kind)f.kind);
    if (!p->message)
        return HTMT_ENOMEM;
    int rc = take_message(e, c, p->message, &f);
    if (!rc && !htmt__rank_plays(e, htmt__outbox_slice(p)))
        rc = HTMT_ESYSTEM;
    return rc ? rc : htmt__outbox_put(from, e->windows, p, f.at);
}

/* One of this rank's, whose record did not come back. */
static int take_return(struct htmt_emulator *e, struct htmt__partition *from,
                       struct htmt__cursor *c)
{
    struct home home;
    htmt__cursor_take(c, &home, sizeof home);
    if (c->broken || !htmt__rank_plays(e, home.slice) ||
        home.index >= htmt__slice_at(e, home.slice)->fresh)
        return HTMT_ESYSTEM;
    return htmt__outbox_put_over(from, e->windows,
                                 htmt__entity_at(e, htmt__entity_key(home.slice, home.index)));
}

/* For a message that is here and has not arrived. */
static int take_bytes(struct htmt_emulator *e, struct htmt__partition *from, struct htmt__cursor *c)
{
    struct load load;
    (void)from;
    htmt__cursor_take(c, &load, sizeof load);
    if (c->broken || !e->data || load.of.slice >= e->played ||
        load.of.index >= htmt__slice_at(e, load.of.slice)->fresh ||
        load.size > (uint64_t)(c->end - c->at))
        return HTMT_ESYSTEM;
    struct htmt__message *m =
        htmt__entity_at(e, htmt__entity_key(load.of.slice, load.of.index))->message;
    if (!m || !has_put(m) || m->put.bytes != load.size)
        return HTMT_ESYSTEM;
    m->held = htmt__data_hold(htmt__data_of(e, m->leg.target), c->at, load.size);
    c->at += load.size;
    return m->held ? 0 : HTMT_ENOMEM;
}

static int take_packet(struct htmt_emulator *e, struct htmt__partition *from,
                       struct htmt__cursor *c)
{
    struct htmt__packet_event p;
    htmt__cursor_take(c, &p, sizeof p);
    const uint32_t slice = c->broken ? UINT32_MAX : htmt__fabric_slice(e, p.event.slice);
    if (c->broken || p.network >= e->networks || !e->net[p.network].fabric ||
        !htmt__rank_plays(e, slice))
        return HTMT_ESYSTEM;
    htmt__fabric_hear(e->net[p.network].fabric->fabric, &p.event);
    return htmt__outbox_put_packet(from, e->windows, slice, &p);
}

static int take_tell(struct htmt_emulator *e, struct htmt__partition *from, struct htmt__cursor *c)
{
    struct htmt__cell_tell t;
    htmt__cursor_take(c, &t, sizeof t);
    return c->broken || !htmt__cell_tell_known(e, &t) || !htmt__rank_plays(e, t.tell.cell)
               ? HTMT_ESYSTEM
               : htmt__outbox_put_tell(from, e->windows, &t);
}

static int unpack(struct htmt_emulator *e, uint32_t rank, struct htmt__cursor *c)
{
    static int (*const take[])(struct htmt_emulator *, struct htmt__partition *,
                               struct htmt__cursor *) = {[MESSAGE] = take_flight,
                                                         [RETURN] = take_return,
                                                         [BYTES] = take_bytes,
                                                         [PACKET] = take_packet,
                                                         [TELL] = take_tell};
    struct htmt__partition *from = &e->windows->partition[htmt__rank_first(e->windows, rank)];
    int rc = 0;
    while (c->at < c->end && !rc) {
        enum item item;
        htmt__cursor_take(c, &item, sizeof item);
        rc = c->broken || item > TELL ? HTMT_ESYSTEM : take[item](e, from, c);
    }
    return rc ? htmt__fail(e, rc, "what came from rank %u is not whole, or has no room", rank) : 0;
}

int htmt__rank_exchange(struct htmt_emulator *e, const struct htmt__rank_word *own,
                        const struct htmt_fault *fault, struct htmt__failure failure)
{
    struct htmt__windows *w = e->windows;
    struct htmt__rank *r = w->rank;
    struct htmt__cursor *cursor = calloc(r->ranks->count, sizeof *cursor);
    if (!cursor)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for what other ranks tell");
    htmt__rank_turn_begin(r, own, fault, failure);
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__outboxes *all = &w->partition[i].outbox[w->round & 1];
        for (uint32_t k = 0; k < all->room; k++) {
            uint32_t to = all->at[k].to - 1; /* of a free one it is none's */
            if (to < w->partitions && (to < w->first || to >= w->end))
                pack_box(e, w->partition[i].e, &r->out[htmt__rank_of(w, to)], &all->at[k]);
        }
    }
    int rc = htmt__rank_turn_end(e, cursor);
    for (uint32_t i = 0; i < r->ranks->count && !rc; i++)
        if (i != r->ranks->rank)
            rc = unpack(e, i, &cursor[i]);
    free(cursor);
    return rc;
}
