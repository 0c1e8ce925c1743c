/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mailboxes: records in the order of virtual arrival, in a bounded store of their own.
 *
 * A send is one message that goes three times over the network, and changes its kind:
 *
 * - CREDIT: one word, to the mailbox. It asks for room for its records, and waits there, first come
 * first served, until the store has it.
 *
 * - GRANT: one word, back to the sender. There is room, which is its own from now on.
 *
 * - RECORDS: the records, to the mailbox. They lie behind those that are there.
 *
 * So a mailbox never overflows, no record waits inside the network, and back-pressure between
 * slices takes the latency of the network that joins them. A kernel that takes gets all records as
 * they lie; their room is given back when the line of its log has its turn, and who waits gets it.
 */
#include "parcels/message/mailbox.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/what_if.h"

#include <stdlib.h>

struct htmt_mailbox {
    struct htmt_mailbox *next;
    struct htmt_emulator *emulator;
    struct htmt_mailbox *twin;  /* whose records these are: its own, or when folded slice 0's */
    struct htmt_mailbox *later; /* made after it; when folded, of slice 0 */
    uint32_t slice;
    uint32_t number;           /* mailboxes made before it */
    struct htmt_object *space; /* its words of the memory, and in a run the arrived records */
    uint64_t record_bytes;
    struct htmt__store_class records; /* its capacity does not change; the rest are sums */
    struct htmt__storage *taken;      /* handed to the last kernel that took */
    struct box {                      /* what changes: its slice's own */
        uint64_t arrived;
        struct htmt__store room; /* in records */
    } * box;
};

/* When folded: the mailboxes of a slice are those of slice 0, in the order in which they were made.
 */
static int find_twin(struct htmt_mailbox *m, uint32_t layer, uint64_t record_bytes,
                     uint64_t records, const char *name)
{
    struct htmt_emulator *e = m->emulator;
    struct htmt_mailbox *twin = *e->next_box[m->slice];
    if (!twin)
        return htmt__fail(e, HTMT_ESYMMETRY, "mailbox %s of slice %u is none that slice 0 has",
                          name, m->slice);
    if (twin->space->layer != layer || twin->record_bytes != record_bytes ||
        twin->records.capacity != records)
        return htmt__fail(
            e, HTMT_ESYMMETRY,
            "mailbox %s of slice %u holds %llu records of %llu bytes in %s, its twin "
            "of slice 0 %llu of %llu in %s",
            name, m->slice, (unsigned long long)records, (unsigned long long)record_bytes,
            e->machine->layer[layer].name, (unsigned long long)twin->records.capacity,
            (unsigned long long)twin->record_bytes, e->machine->layer[twin->space->layer].name);
    m->twin = twin;
    e->next_box[m->slice] = &twin->later;
    return 0;
}

int htmt_mailbox_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        uint64_t record_bytes, uint64_t records, const char *name,
                        struct htmt_mailbox **mailbox)
{
    static const char call[] = "htmt_mailbox_create()";
    uint64_t bytes;
    int rc = htmt__permit_setup(e, call);
    rc = rc ? rc : htmt__given(e, name, call, "name");
    rc = rc ? rc : htmt__given(e, mailbox, call, "place for the mailbox");
    if (rc)
        return rc;
    if (!record_bytes || !records || __builtin_mul_overflow(record_bytes, records, &bytes))
        return htmt__fail(e, HTMT_EINVAL, "mailbox %s: no records, or too many", name);
    if (slice >= e->slices || layer >= e->layers)
        return htmt__no_place(e, "mailbox", name, slice, layer);
    struct htmt_mailbox *m = calloc(1, sizeof *m);
    if (!m)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for mailbox %s", name);
    m->emulator = e;
    m->slice = slice;
    m->number = e->mailboxes ? e->mailboxes->number + 1 : 0;
    m->twin = m;
    m->next = e->mailboxes;
    e->mailboxes = m;
    if (slice >= e->played) {
        rc = find_twin(m, layer, record_bytes, records, name);
        if (!rc)
            *mailbox = m;
        return rc;
    }
    m->record_bytes = record_bytes;
    m->records.capacity = records;
    m->box = htmt__slice_memory(e, slice, sizeof *m->box);
    if (!m->box)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for mailbox %s", name);
    rc = htmt__object_create(e, slice, layer, bytes, name, &m->space);
    if (rc)
        return rc;
    if (e->next_box) {
        *e->next_box[0] = m;
        e->next_box[0] = &m->later;
    }
    *mailbox = m;
    return 0;
}

void htmt__mailboxes_destroy(struct htmt_emulator *e)
{
    while (e->mailboxes) {
        struct htmt_mailbox *next = e->mailboxes->next;
        if (e->mailboxes->taken)
            htmt__data_untake(htmt__data_of(e, e->mailboxes->slice), e->mailboxes->taken);
        free(e->mailboxes);
        e->mailboxes = next;
    }
}

const char *htmt__mailbox_name(const struct htmt_mailbox *m)
{
    return m->twin->space->name;
}

uint32_t htmt__mailbox_slice(const struct htmt_mailbox *m)
{
    return m->slice;
}

uint64_t htmt__mailbox_records(const struct htmt_mailbox *m)
{
    return m->box ? m->box->arrived : 0;
}

void htmt__mailbox_records_set(struct htmt_mailbox *m, uint64_t records)
{
    m->box->arrived = records;
}

uint32_t htmt__mailbox_number(const struct htmt_mailbox *m)
{
    return m->number;
}

const struct htmt_mailbox *htmt__mailbox_next(const struct htmt_mailbox *m)
{
    return m->next;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* From the sender to the mailbox. */
static void set_way(struct htmt__entity *p, uint64_t words)
{
    struct htmt__message *c = p->message;
    htmt__leg_set(&c->leg, c->layer, c->mailbox->twin->space->layer, p->slice, c->mailbox->slice,
                  words);
}

static void start_leg(struct htmt_emulator *e, struct htmt__entity *p, enum htmt__message_kind kind)
{
    p->message->kind = (uint8_t)kind;
    if (!htmt__message_route(e, p->message, kind == HTMT__MESSAGE_GRANT, 1, 1))
        htmt__message_start(e, p);
}

static void grant(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg *g = &p->message->leg;
    set_way(p, 1);
    htmt__leg_set(g, g->to, g->from, g->target, g->source, 1);
    start_leg(e, p, HTMT__MESSAGE_GRANT);
}

void htmt__mailbox_asked(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt_mailbox *m = p->message->mailbox->twin;
    p->waiter.amount = p->message->records;
    if (!htmt__store_take(&m->box->room, &m->records, &p->waiter, e->now)) {
        p->state = HTMT__FOR_ROOM;
        return;
    }
    if (htmt__explained(e))
        e->explain->took(e, &m->box->room, p->message->records);
    grant(e, p);
}

void htmt__mailbox_granted(struct htmt_emulator *e, struct htmt__entity *p)
{
    set_way(p, htmt__put_words(&p->message->put));
    start_leg(e, p, HTMT__MESSAGE_RECORDS);
}

void htmt__mailbox_arrive(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *c = p->message;
    struct htmt_mailbox *m = c->mailbox->twin;
    c->put.dst.offset = m->box->arrived * m->record_bytes;
    m->box->arrived += c->records;
    htmt__put_arrives(e, p);
}

/* A mailbox that may be named here. */
static int check_box(struct htmt_context *c, const struct htmt_mailbox *m, const char *call)
{
    int rc = htmt__permit(c, call) ? 0 : HTMT_EINVAL;
    if (!rc)
        rc = htmt__given(c->e, m, call, "mailbox");
    if (!rc && m->emulator != c->e->whole)
        rc = htmt__refuse(c->e, HTMT_EINVAL, "%s: mailbox %s belongs to another emulator", call,
                          htmt__mailbox_name(m));
    return rc;
}

int htmt_send(struct htmt_context *c, struct htmt_mailbox *m, struct htmt_addr src,
              uint64_t records, struct htmt_slot on_sent, struct htmt_slot on_arrived)
{
    static const char call[] = "htmt_send()";
    int rc = check_box(c, m, call);
    rc = rc ? rc : htmt__may_send(c, m->slice, call);
    rc = rc ? rc : htmt__may_signal(c, on_sent, call);
    rc = rc ? rc : htmt__may_signal(c, on_arrived, call);
    if (rc)
        return rc;
    if (!records) {
        htmt_signal(c, on_sent);
        htmt_signal(c, on_arrived);
        return 0;
    }
    struct htmt_emulator *e = c->e;
    const struct htmt_mailbox *box = m->twin;
    if (records > box->records.capacity)
        return htmt__fail(e, HTMT_ECAPACITY, "%llu records for mailbox %s, which holds %llu",
                          (unsigned long long)records, box->space->name,
                          (unsigned long long)box->records.capacity);
    const uint64_t bytes = records * box->record_bytes;
    rc = htmt__bounds_run(e, src, bytes, "records come from");
    if (!rc && src.object->slice != c->p->slice)
        rc = htmt__fail(e, HTMT_EROUTE, "htmt_send() of %s, which lies in another slice",
                        src.object->name);
    if (rc)
        return rc;
    struct htmt__entity *p = htmt__message_entity(e, c->p->slice, HTMT__MESSAGE_CREDIT);
    if (!p)
        return HTMT_ENOMEM;
    p->message->put = (struct htmt_put){.src = src,
                                        .dst = {m->twin->space, 0},
                                        .bytes = bytes,
                                        .on_sent = on_sent,
                                        .on_arrived = on_arrived};
    p->message->mailbox = m;
    p->message->records = records;
    p->message->layer = src.object->layer;
    set_way(p, htmt__put_words(&p->message->put));
    if (htmt__linted(e))
        e->lint->message(e, c->self->type, &p->message->leg);
    p->message->leg.words = 1;
    rc = htmt__message_route(e, p->message, true, 1, 1);
    if (!rc)
        htmt__log_start(c, p);
    return rc;
}

/* ---- taking ---------------------------------------------------------------------------------- */

void htmt__mailbox_taken(struct htmt_emulator *e, struct htmt_mailbox *m, uint64_t records)
{
    struct htmt__waiter *w;
    htmt__store_give(&m->box->room, &m->records, records);
    if (htmt__explained(e))
        e->explain->gave(e, &m->box->room, m->records.capacity, records);
    while ((w = htmt__store_next(&m->box->room, &m->records, e->now))) {
        if (htmt__explained(e))
            e->explain->room(e, (struct htmt__entity *)w, m->space->layer);
        grant(e, (struct htmt__entity *)w);
    }
    if (htmt__explained(e))
        e->explain->why(e, HTMT__CAME, UINT32_MAX);
}

/* What has arrived goes to the kernel as it lies; the next records come into fresh pages. */
uint64_t htmt_take(struct htmt_context *c, struct htmt_mailbox *m)
{
    if (check_box(c, m, "htmt_take()") || htmt__may_reach(c, "htmt_take()"))
        return 0;
    if (m->slice != c->p->slice || m->space->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "htmt_take() of mailbox %s, which lies elsewhere",
                   htmt__mailbox_name(m));
        return 0;
    }
    uint64_t records = m->box->arrived;
    if (htmt__explained(c->e))
        c->e->explain->finds(c->e, m->space);
    if (!c->e->data || !records)
        htmt__use_storage(c, m->space->storage, 0);
    else if (!htmt__data_take(c->e->data, m->space, &m->taken))
        htmt__use_storage(c, m->taken, records * m->record_bytes);
    if (!records)
        return 0;
    m->box->arrived = 0;
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__TAKEN);
    if (!entry)
        return 0;
    entry->mailbox = m;
    entry->amount = records;
    htmt__log_write(c, entry);
    return records;
}
