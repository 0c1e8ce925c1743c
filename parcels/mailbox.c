/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mailboxes: records in the order of virtual arrival, in a bounded store of their own.
 *
 * A sender in another slice asks for room by one word and gets it granted by one word, so back-
 * pressure between slices takes the latency of their network; then the records move.
 */
#include "parcels/trace.h"

#include <stdio.h>
#include <stdlib.h>

struct htmt_mailbox {
    struct htmt_mailbox *next;
    struct htmt_emulator *emulator;
    struct htmt_object *space; /* its words of the memory, and in a run the arrived records */
    uint64_t record_bytes, arrived;
    struct htmt__store room; /* in records */
    struct htmt__stock records;
    struct htmt__storage *taken; /* handed to the last kernel that took */
};

int htmt_mailbox_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        uint64_t record_bytes, uint64_t records, const char *name,
                        struct htmt_mailbox **mailbox)
{
    uint64_t bytes;
    if (!record_bytes || !records || __builtin_mul_overflow(record_bytes, records, &bytes))
        return htmt__fail(e, HTMT_EINVAL, "mailbox %s: no records, or too many", name);
    if (e->options.symmetry == HTMT_FOLDED)
        return htmt__fail(e, HTMT_ESYMMETRY, "mailbox %s: slice 0 cannot stand for its senders",
                          name);
    struct htmt_mailbox *m = calloc(1, sizeof *m);
    if (!m)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for mailbox %s", name);
    int rc = htmt_object_create(e, slice, layer, bytes, name, &m->space);
    if (rc) {
        free(m);
        return rc;
    }
    m->emulator = e;
    m->record_bytes = record_bytes;
    m->records.capacity = records;
    m->next = e->mailboxes;
    e->mailboxes = m;
    *mailbox = m;
    return 0;
}

void htmt__mailboxes_destroy(struct htmt_emulator *e)
{
    while (e->mailboxes) {
        struct htmt_mailbox *next = e->mailboxes->next;
        if (e->mailboxes->taken)
            htmt__storage_drop(e->host, e->mailboxes->taken);
        free(e->mailboxes);
        e->mailboxes = next;
    }
}

const char *htmt__mailbox_name(const struct htmt_mailbox *m)
{
    return m->space->name;
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct htmt__leg way_to(const struct htmt__carry *c, uint64_t words)
{
    const struct htmt_object *src = c->put.src.object, *box = c->mailbox->space;
    return (struct htmt__leg){.from = src->layer,
                              .to = box->layer,
                              .source = src->slice,
                              .target = box->slice,
                              .words = words};
}

static void start_leg(struct htmt_emulator *e, struct htmt_parcel *p, enum htmt__carry_kind kind,
                      struct htmt__leg way)
{
    p->carry->kind = kind;
    if (!htmt__carrier_route(e, p, way, 1, 1))
        htmt__carrier_start(e, p);
}

static void grant(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__leg way = way_to(p->carry, 1);
    struct htmt__leg back = {
        .from = way.to, .to = way.from, .source = way.target, .target = way.source, .words = 1};
    start_leg(e, p, HTMT__CARRY_GRANT, back);
}

static void ask(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt_mailbox *m = p->carry->mailbox;
    p->waiter.amount = p->carry->records;
    if (htmt__store_take(&m->room, &m->records, &p->waiter, e->now))
        grant(e, p);
    else
        p->state = HTMT__FOR_ROOM;
}

static void append(struct htmt_emulator *e, struct htmt_parcel *p)
{
    static const struct htmt_pieces one = {0};
    struct htmt__carry *c = p->carry;
    struct htmt_mailbox *m = c->mailbox;
    if (e->host && c->records) {
        struct htmt__end to = {m->space->storage, m->arrived * m->record_bytes, one};
        struct htmt__end from = {c->put.src.object->storage, c->put.src.offset, one};
        htmt__copy(e, c->leg.to, &to, &from, c->put.bytes);
    }
    m->arrived += c->records;
}

static void records_arrive(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__leg leg = p->carry->leg;
    struct htmt_slot sent = p->carry->put.on_sent, arrived = p->carry->put.on_arrived;
    append(e, p);
    htmt__carrier_free(e, p);
    htmt__signal_from(e, leg.source, leg.from, sent);
    htmt__signal_from(e, leg.target, leg.to, arrived);
}

void htmt__mailbox_arrive(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    if (c->kind == HTMT__CARRY_CREDIT)
        ask(e, p);
    else if (c->kind == HTMT__CARRY_GRANT)
        start_leg(e, p, HTMT__CARRY_RECORDS, way_to(c, htmt__put_words(&c->put)));
    else
        records_arrive(e, p);
}

static int check_send(struct htmt_context *c, const struct htmt_mailbox *m, struct htmt_addr src,
                      uint64_t records, uint64_t *bytes)
{
    static const struct htmt_pieces one = {0};
    if (!c->p || !src.object || src.object->slice != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE, "htmt_send() of what lies in another slice");
    if (records > m->records.capacity)
        return htmt__fail(c->e, HTMT_ECAPACITY, "%llu records for mailbox %s, which holds %llu",
                          (unsigned long long)records, m->space->name,
                          (unsigned long long)m->records.capacity);
    *bytes = records * m->record_bytes;
    return records ? htmt__bounds(c->e, src, *bytes, one, "records come from") : 0;
}

int htmt_send(struct htmt_context *c, struct htmt_mailbox *m, struct htmt_addr src,
              uint64_t records, struct htmt_slot on_sent, struct htmt_slot on_arrived)
{
    struct htmt_emulator *e = c->e;
    uint64_t bytes = 0;
    if (!records) {
        htmt_signal(c, on_sent);
        htmt_signal(c, on_arrived);
        return 0;
    }
    int rc = check_send(c, m, src, records, &bytes);
    if (rc)
        return rc;
    struct htmt_parcel *p = htmt__carrier_create(e, c->p->slice, HTMT__CARRY_CREDIT);
    if (!p)
        return HTMT_ENOMEM;
    p->carry->put = (struct htmt_put){.src = src,
                                      .dst = {m->space, 0},
                                      .bytes = bytes,
                                      .on_sent = on_sent,
                                      .on_arrived = on_arrived};
    p->carry->mailbox = m;
    p->carry->records = records;
    if (e->options.lint) {
        struct htmt__leg way = way_to(p->carry, htmt__put_words(&p->carry->put));
        htmt__departs_message(e, c->self->type, &way);
    }
    rc = htmt__carrier_route(e, p, way_to(p->carry, 1), 1, 1);
    return rc ? rc : htmt__log_start(c, p);
}

/* ---- taking ---------------------------------------------------------------------------------- */

void htmt__mailbox_taken(struct htmt_emulator *e, struct htmt_mailbox *m, uint64_t records)
{
    struct htmt__waiter *w;
    htmt__store_give(&m->room, &m->records, records);
    while ((w = htmt__store_next(&m->room, &m->records, e->now))) {
        if (htmt__traced(e))
            htmt__trace_why(e, HTMT__SPACE, m->space->layer);
        grant(e, (struct htmt_parcel *)w);
    }
    if (htmt__traced(e))
        htmt__trace_why(e, HTMT__CAME, UINT32_MAX);
}

/* What has arrived goes to the kernel as it lies; the next records come into fresh pages. */
static void hand_over(struct htmt_context *c, struct htmt_mailbox *m)
{
    struct htmt_emulator *e = c->e;
    struct htmt__storage *fresh = htmt__storage_create(e->host, m->space->bytes, false, false);
    if (!fresh) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for mailbox %s", m->space->name);
        return;
    }
    if (m->taken)
        htmt__storage_drop(e->host, m->taken);
    m->taken = m->space->storage;
    m->space->storage = fresh;
    htmt__use_storage(c, m->taken, m->arrived * m->record_bytes);
}

uint64_t htmt_take(struct htmt_context *c, struct htmt_mailbox *m)
{
    uint64_t records = m->arrived;
    if (!c->p || m->space->slice != c->p->slice || m->space->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "htmt_take() of mailbox %s, which lies elsewhere",
                   m->space->name);
        return 0;
    }
    if (c->e->host && records)
        hand_over(c, m);
    else
        htmt__use_storage(c, m->space->storage, 0);
    if (!records)
        return 0;
    m->arrived = 0;
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__TAKEN);
    if (!entry)
        return 0;
    entry->mailbox = m;
    entry->amount = records;
    htmt__log_write(c, entry);
    return records;
}
