/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mailboxes: records in the order of virtual arrival, in a bounded store of their own.
 *
 * A sender in another slice asks for room by one word and gets it granted by one word, so back-
 * pressure between slices takes the latency of their network; then the records move.
 */
#include "parcels/timing/mailbox.h"
#include "parcels/data/object.h"
#include "parcels/observe/departure.h"
#include "parcels/observe/trace.h"
#include "parcels/timing/context.h"
#include "parcels/timing/entity.h"
#include "parcels/timing/log.h"
#include "parcels/timing/message.h"
#include "runtime/host/host.h"

#include <stdio.h>
#include <stdlib.h>

struct htmt_mailbox {
    struct htmt_mailbox *next;
    struct htmt_emulator *emulator;
    struct htmt_mailbox *twin;  /* whose records these are: its own, or when folded slice 0's */
    struct htmt_mailbox *later; /* made after it; when folded, of slice 0 */
    uint32_t slice;
    struct htmt_object *space; /* its words of the memory, and in a run the arrived records */
    uint64_t record_bytes, arrived;
    struct htmt__store room; /* in records */
    struct htmt__stock records;
    struct htmt__storage *taken; /* handed to the last kernel that took */
};

static struct htmt_mailbox *make(struct htmt_emulator *e, uint32_t slice, const char *name)
{
    struct htmt_mailbox *m = calloc(1, sizeof *m);
    if (!m) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for mailbox %s", name);
        return NULL;
    }
    m->emulator = e;
    m->slice = slice;
    m->twin = m;
    m->next = e->mailboxes;
    e->mailboxes = m;
    return m;
}

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

static int take_space(struct htmt_mailbox *m, uint32_t layer, uint64_t record_bytes,
                      uint64_t records, const char *name)
{
    struct htmt_emulator *e = m->emulator;
    m->record_bytes = record_bytes;
    m->records.capacity = records;
    int rc = htmt_object_create(e, m->slice, layer, record_bytes * records, name, &m->space);
    if (!rc && e->next_box) {
        *e->next_box[0] = m;
        e->next_box[0] = &m->later;
    }
    return rc;
}

int htmt_mailbox_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        uint64_t record_bytes, uint64_t records, const char *name,
                        struct htmt_mailbox **mailbox)
{
    uint64_t bytes;
    if (!record_bytes || !records || __builtin_mul_overflow(record_bytes, records, &bytes))
        return htmt__fail(e, HTMT_EINVAL, "mailbox %s: no records, or too many", name);
    if (slice >= e->slices || layer >= e->layers)
        return htmt__fail(e, HTMT_EINVAL, "mailbox %s: no slice %u or layer %u", name, slice,
                          layer);
    struct htmt_mailbox *m = make(e, slice, name);
    if (!m)
        return HTMT_ENOMEM;
    int rc = slice < e->played ? take_space(m, layer, record_bytes, records, name)
                               : find_twin(m, layer, record_bytes, records, name);
    if (!rc)
        *mailbox = m;
    return rc;
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
    return m->twin->space->name;
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct htmt__leg way_to(const struct htmt__carry *c, uint64_t words)
{
    const struct htmt_object *src = c->put.src.object;
    return (struct htmt__leg){.from = src->layer,
                              .to = c->mailbox->twin->space->layer,
                              .source = src->slice,
                              .target = c->mailbox->slice,
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
    struct htmt_mailbox *m = p->carry->mailbox->twin;
    p->waiter.amount = p->carry->records;
    if (htmt__store_take(&m->room, &m->records, &p->waiter, e->now))
        grant(e, p);
    else
        p->state = HTMT__FOR_ROOM;
}

static void records_arrive(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt_mailbox *m = c->mailbox->twin;
    struct htmt__leg leg = c->leg;
    struct htmt_slot sent = c->put.on_sent, arrived = c->put.on_arrived;
    c->put.dst.offset = m->arrived * m->record_bytes;
    m->arrived += c->records;
    htmt__carry_put_down(e, c);
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
    const struct htmt_mailbox *box = m->twin;
    if (!c->p || !src.object || src.object->slice != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE, "htmt_send() of what lies in another slice");
    if (records > box->records.capacity)
        return htmt__fail(c->e, HTMT_ECAPACITY, "%llu records for mailbox %s, which holds %llu",
                          (unsigned long long)records, box->space->name,
                          (unsigned long long)box->records.capacity);
    *bytes = records * box->record_bytes;
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
                                      .dst = {m->twin->space, 0},
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
    if (!c->p || m->slice != c->p->slice || m->space->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "htmt_take() of mailbox %s, which lies elsewhere",
                   htmt__mailbox_name(m));
        return 0;
    }
    uint64_t records = m->arrived;
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
