/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A port tells its changes: it sends a packet until some instant, it is blocked, it waits for one
 * that may start again, it is free; a packet joins its queue or leaves it. A state lasts until the
 * next change, so an interval is written when the state is closed, with the packet that had the
 * port. One that sends needs no change to end: it is over at `until`, if that is earlier. A packet
 * that joins twice, since it is told of again, is in the queue once.
 *
 * Example. At 0 packet 1 sends until 10. At 4 packet 2 queues. At 10 packet 1's tail has left, and
 * at 12 packet 2 gets the port: its interval in the queue is 4 to 12, that of the port sending
 * packet 1 is 0 to 10, and from 10 to 12 the port was free.
 *
 * Ports change in the turns of any slice, so a partition notes changes with their turns, and
 * applies them when the window is over, as record_part.c does with intervals. Bytes are kept by the
 * slice that owns the port, in runs that are deflated when they are full; all go to the file behind
 * the last block.
 */
#include "parcels/observe/record_ports.h"
#include "parcels/observe/record_writer.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define ALL_BYTES ((size_t)32 << 20) /* of the runs that are written */
#define RUN_MOST  ((size_t)32 << 10)
#define RUN_LEAST ((size_t)1 << 10)
#define ROW_MOST  80u /* bytes */

enum { WAITS_IN_LINE = 3, STILL_OPEN = 4 }; /* in the file: beside those of close() */

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__record_ports_create(struct htmt_emulator *e, struct htmt__record_ports **ports)
{
    *ports = NULL;
    if (!e->has_fabric)
        return 0;
    struct htmt__record_ports *r = *ports = calloc(1, sizeof *r);
    if (!r)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t n = 0; n < e->networks; n++) {
        r->first[n] = r->ports;
        r->ports += e->net[n].fabric ? htmt__recorded_ports(e->net[n].fabric) : 0;
    }
    r->room = ALL_BYTES / e->played;
    r->room = r->room > RUN_MOST ? RUN_MOST : r->room < RUN_LEAST ? RUN_LEAST : r->room;
    r->port = calloc((size_t)r->ports + 1, sizeof *r->port);
    r->slice = calloc((size_t)r->ports + 1, sizeof *r->slice);
    r->writer = calloc(e->played, sizeof *r->writer);
    r->writers = e->played;
    if (!r->port || !r->slice || !r->writer)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t n = 0; n < e->networks; n++) {
        if (!e->net[n].fabric)
            continue;
        const struct htmt__topology *t = e->net[n].fabric->topology;
        const uint32_t all = htmt__recorded_ports(e->net[n].fabric);
        const uint32_t lanes = all / htmt__fabric_ports(e->net[n].fabric);
        for (uint32_t i = 0; i < all; i++)
            r->slice[r->first[n] + i] =
                htmt__fabric_slice(e, t->owner[htmt__wire(t, i / lanes % t->channels)->from]);
    }
    return 0;
}

void htmt__record_ports_destroy(struct htmt__record_ports **ports)
{
    struct htmt__record_ports *r = *ports;
    *ports = NULL;
    if (!r)
        return;
    for (uint32_t i = 0; r->writer && i < r->writers; i++) {
        struct htmt__port_writer *w = &r->writer[i];
        for (uint32_t k = 0; k < w->runs; k++)
            free(w->run[k].at);
        free(w->run);
        free(w->bytes);
    }
    for (uint32_t i = 0; r->port && i < r->ports; i++)
        free(r->port[i].queue);
    free(r->writer);
    free(r->slice);
    free(r->port);
    free(r);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What was written so far becomes a run, as short as it can be. */
static bool pack(struct htmt__record_packer *packer, struct htmt__port_writer *w, uint32_t slice)
{
    bool fits =
        packer && htmt__array_fits(&w->run, &w->run_room, (size_t)w->runs + 1, sizeof *w->run);
    uint8_t *into =
        fits && !htmt__fault_injected() ? malloc(htmt__record_packed_most(w->used)) : NULL;
    if (!into)
        return false;
    const size_t bytes = htmt__record_pack_bytes(packer, w->bytes, w->used, into);
    uint8_t *less = realloc(into, bytes);
    struct htmt__port_run *run = &w->run[w->runs++];
    *run = (struct htmt__port_run){.slice = slice,
                                   .bytes = (uint32_t)bytes,
                                   .raw_bytes = (uint32_t)w->used,
                                   .count = w->count,
                                   .at = less ? less : into};
    run->crc = htmt__record_crc(run->at, bytes);
    w->used = w->count = 0;
    w->begin = 0;
    w->serial = 0;
    return true;
}

static bool has_room(struct htmt_emulator *e, struct htmt__port_writer *w, uint32_t slice)
{
    const size_t room = e->recorder->ports->room;
    if (!w->bytes)
        w->bytes = htmt__fault_injected() ? NULL : malloc(room);
    if (w->bytes && w->used + ROW_MOST <= room)
        return true;
    if (w->bytes && pack(htmt__record_packer_of(e->recorder), w, slice))
        return true;
    htmt__record_out_of_memory(e);
    return false;
}

static void put(struct htmt__port_writer *w, uint64_t value)
{
    w->used = (size_t)(htmt__leb128_put(w->bytes + w->used, value) - w->bytes);
}

/* ---- intervals ------------------------------------------------------------------------------- */

struct interval {
    const struct htmt__port_packet *packet;
    htmt_time begin, end;
    uint32_t port, state;
};

static void write(struct htmt_emulator *e, const struct interval *i)
{
    const struct htmt__recorder *r = e->recorder;
    const uint32_t slice = r->ports->slice[i->port];
    struct htmt__port_writer *w = &r->ports->writer[slice];
    if (i->end <= i->begin || r->slice[slice].left_out || !r->whole->file ||
        (r->windowed && htmt__record_outside(&r->options, i->begin, i->end)) ||
        !has_room(e, w, slice))
        return;
    put(w, (uint64_t)i->port << 3 | i->state);
    put(w, htmt__zigzag(i->begin - w->begin));
    put(w, (uint64_t)(i->end - i->begin));
    put(w, htmt__zigzag((int64_t)(i->packet->serial - w->serial)));
    put(w, i->packet->number);
    put(w, i->packet->source);
    put(w, i->packet->target);
    w->begin = i->begin;
    w->serial = i->packet->serial;
    w->count++;
}

/* What the port did until then. */
static void close(struct htmt_emulator *e, uint32_t port, htmt_time at, uint32_t open)
{
    const struct htmt__recorded_port *p = &e->recorder->ports->port[port];
    const bool over = p->state == HTMT__PORT_SENDS && p->until <= at;
    const uint32_t state = p->state == HTMT__PORT_SENDS     ? 0
                           : p->state == HTMT__PORT_BLOCKED ? 1
                                                            : 2; /* as the file has it */
    if (p->state == HTMT__PORT_FREE)
        return;
    write(e, &(struct interval){.packet = &p->packet,
                                .begin = p->since,
                                .end = over ? p->until : at,
                                .port = port,
                                .state = state | (over ? 0 : open)});
}

static void close_wait(struct htmt_emulator *e, uint32_t port, const struct htmt__port_waits *w,
                       htmt_time at, uint32_t open)
{
    write(e, &(struct interval){.packet = &w->packet,
                                .begin = w->since,
                                .end = at,
                                .port = port,
                                .state = WAITS_IN_LINE | open});
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool same(const struct htmt__port_packet *a, const struct htmt__port_packet *b)
{
    return a->serial == b->serial && a->number == b->number;
}

/* The packet joins the queue, if it is not there, or leaves it, if it waited; then the port may
 * have another state. */
static void change(struct htmt_emulator *e, const struct htmt__port_note *n)
{
    struct htmt__recorded_port *p = &e->recorder->ports->port[n->port];
    uint32_t place = 0;
    while (place < p->queued && !same(&p->queue[place].packet, &n->packet))
        place++;
    if (n->queues && place == p->queued) {
        if (htmt__array_fits(&p->queue, &p->room, (size_t)p->queued + 1, sizeof *p->queue))
            p->queue[p->queued++] = (struct htmt__port_waits){n->packet, n->at};
        else
            htmt__record_out_of_memory(e);
    } else if (!n->queues && place < p->queued) {
        close_wait(e, n->port, &p->queue[place], n->at, 0);
        p->queued--;
        memmove(&p->queue[place], &p->queue[place + 1], (p->queued - place) * sizeof *p->queue);
    }
    if (n->queues && (n->state != HTMT__PORT_BLOCKED || p->state == HTMT__PORT_BLOCKED))
        return;
    /* Or the same packet goes on until another time. */
    if (p->state != n->state || !same(&p->packet, &n->packet) ||
        (p->state == HTMT__PORT_SENDS && p->until <= n->at)) {
        close(e, n->port, n->at, 0);
        p->packet = n->packet;
        p->since = n->at;
        p->state = n->state;
    }
    p->until = n->until;
}

/* ---- notes of a partition -------------------------------------------------------------------- */

void htmt__record_ports_note_write(struct htmt_emulator *part)
{
    struct htmt__recorder *r = part->recorder;
    for (size_t i = 0; i < r->port_notes && r->whole->file; i++)
        change(part, &r->port_note[i]);
    r->port_notes = 0;
}

void htmt__record_ports_note_cut(struct htmt__recorder *part, struct htmt__failure failure)
{
    size_t left = 0;
    for (size_t i = 0; i < part->port_notes; i++)
        if (!htmt__fails_before(failure, part->port_note[i].turn))
            part->port_note[left++] = part->port_note[i];
    part->port_notes = left;
}

void htmt__record_port(struct htmt_emulator *e, uint32_t network, const struct htmt__entity *p,
                       const struct htmt__port_change *c)
{
    const struct htmt__fabric_net *net = e->net[network].fabric;
    const uint32_t lanes = htmt__recorded_ports(net) / htmt__fabric_ports(net);
    const struct htmt__port_note n = {
        .turn = {e->now, htmt__order(e)},
        .packet = {p->serial, c->packet->number, c->packet->source, c->packet->target},
        .at = e->now,
        .until = c->until,
        .port = e->recorder->ports->first[network] +
                (c->plane * net->topology->channels + c->channel) * lanes + c->packet->lane,
        .state = c->state,
        .queues = c->queues};
    struct htmt__recorder *r = e->recorder;
    if (!r->part)
        change(e, &n);
    else if (htmt__array_fits(&r->port_note, &r->port_note_room, r->port_notes + 1,
                              sizeof *r->port_note))
        r->port_note[r->port_notes++] = n;
    else
        htmt__record_out_of_memory(e);
}

/* ---- the end --------------------------------------------------------------------------------- */

int htmt__record_ports_finish(struct htmt_emulator *e, struct htmt_fault *fault)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_ports *p = r->ports;
    int rc = 0;
    if (!p)
        return 0;
    for (uint32_t i = 0; i < p->ports; i++) {
        close(e, i, e->now, STILL_OPEN);
        for (uint32_t k = 0; k < p->port[i].queued; k++)
            close_wait(e, i, &p->port[i].queue[k], e->now, STILL_OPEN);
    }
    p->at = r->file ? htmt__record_file_size(r->file) : 0;
    for (uint32_t s = 0; s < p->writers && r->file && !rc; s++) {
        struct htmt__port_writer *w = &p->writer[s];
        rc = w->count && !pack(htmt__record_packer_of(r), w, s) ? HTMT_ENOMEM : 0;
        for (uint32_t i = 0; i < w->runs && !rc; i++)
            rc = htmt__record_file_append(r->file, w->run[i].at, w->run[i].bytes, fault);
    }
    return rc;
}
