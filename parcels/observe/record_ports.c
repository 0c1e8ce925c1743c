/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_ports_parts.h"
#include "parcels/observe/record_writer.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define ALL_BYTES   ((size_t)32 << 20) /* of the runs that are written */
#define RUN_MOST    ((size_t)32 << 10)
#define RUN_LEAST   ((size_t)1 << 10)
#define ROW_MOST    80u /* bytes */
#define QUEUE_LEAST 4u

enum { WAITS_IN_LINE = 3, STILL_OPEN = 4 }; /* in the file: beside those of state_number() */

static void fail(struct htmt_emulator *e)
{
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    htmt__record_give_up(e);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void number_ports(struct htmt_emulator *e, struct htmt__record_ports *r)
{
    for (uint32_t n = 0; n < e->networks; n++) {
        r->first[n] = r->ports;
        r->ports += e->net[n].fabric ? htmt__recorded_ports(e->net[n].fabric) : 0;
    }
}

static void find_slices(const struct htmt_emulator *e, struct htmt__record_ports *r, uint32_t n)
{
    const struct htmt__topology *t = e->net[n].fabric->topology;
    const uint32_t all = htmt__recorded_ports(e->net[n].fabric);
    const uint32_t lanes = all / htmt__fabric_ports(e->net[n].fabric);
    for (uint32_t i = 0; i < all; i++)
        r->slice[r->first[n] + i] =
            htmt__fabric_slice(e, t->owner[t->wire[i / lanes % t->channels].from]);
}

static size_t run_room(uint32_t slices)
{
    const size_t room = ALL_BYTES / slices;
    return room > RUN_MOST ? RUN_MOST : room < RUN_LEAST ? RUN_LEAST : room;
}

int htmt__record_ports_create(struct htmt_emulator *e, struct htmt__record_ports **ports)
{
    *ports = NULL;
    if (!e->has_fabric)
        return 0;
    struct htmt__record_ports *r = *ports = calloc(1, sizeof *r);
    if (!r)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    number_ports(e, r);
    r->room = run_room(e->played);
    r->port = calloc((size_t)r->ports + 1, sizeof *r->port);
    r->slice = calloc((size_t)r->ports + 1, sizeof *r->slice);
    r->writer = calloc(e->played, sizeof *r->writer);
    r->writers = e->played;
    if (!r->port || !r->slice || !r->writer)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t n = 0; n < e->networks; n++)
        if (e->net[n].fabric)
            find_slices(e, r, n);
    return 0;
}

static void writer_fini(struct htmt__port_writer *w)
{
    for (uint32_t i = 0; i < w->runs; i++)
        free(w->run[i].at);
    free(w->run);
    free(w->bytes);
}

void htmt__record_ports_destroy(struct htmt__record_ports **ports)
{
    struct htmt__record_ports *r = *ports;
    *ports = NULL;
    if (!r)
        return;
    for (uint32_t i = 0; r->writer && i < r->writers; i++)
        writer_fini(&r->writer[i]);
    for (uint32_t i = 0; r->port && i < r->ports; i++)
        free(r->port[i].queue);
    free(r->writer);
    free(r->slice);
    free(r->port);
    free(r);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct htmt__port_run *new_run(struct htmt__port_writer *w)
{
    if (w->runs == w->run_room) {
        uint32_t room = w->run_room ? 2 * w->run_room : 2;
        struct htmt__port_run *more = realloc(w->run, room * sizeof *more);
        if (!more)
            return NULL;
        w->run = more;
        w->run_room = room;
    }
    return &w->run[w->runs];
}

/* What was written so far becomes a run, as short as it can be. */
static bool pack(struct htmt__record_packer *packer, struct htmt__port_writer *w, uint32_t slice)
{
    struct htmt__port_run *run = packer ? new_run(w) : NULL;
    uint8_t *into =
        run && !htmt__fault_injected() ? malloc(htmt__record_packed_most(w->used)) : NULL;
    if (!into)
        return false;
    const size_t bytes = htmt__record_pack_bytes(packer, w->bytes, w->used, into);
    uint8_t *less = realloc(into, bytes);
    *run = (struct htmt__port_run){.slice = slice,
                                   .bytes = (uint32_t)bytes,
                                   .raw_bytes = (uint32_t)w->used,
                                   .count = w->count,
                                   .at = less ? less : into};
    run->crc = htmt__record_crc(run->at, bytes);
    w->runs++;
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
    fail(e);
    return false;
}

static void put(struct htmt__port_writer *w, uint64_t value)
{
    w->used = (size_t)(htmt__record_number(w->bytes + w->used, value) - w->bytes);
}

/* ---- intervals ------------------------------------------------------------------------------- */

struct interval {
    const struct htmt__port_packet *packet;
    htmt_time begin, end;
    uint32_t port, state;
};

/* As the file has it. */
static uint32_t state_number(enum htmt__port_state state)
{
    return state == HTMT__PORT_SENDS ? 0 : state == HTMT__PORT_BLOCKED ? 1 : 2;
}

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
    put(w, htmt__record_zigzag(i->begin - w->begin));
    put(w, (uint64_t)(i->end - i->begin));
    put(w, htmt__record_zigzag((int64_t)(i->packet->serial - w->serial)));
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
    if (p->state == HTMT__PORT_FREE)
        return;
    write(e, &(struct interval){.packet = &p->packet,
                                .begin = p->since,
                                .end = over ? p->until : at,
                                .port = port,
                                .state = state_number(p->state) | (over ? 0 : open)});
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

/* Its place in the queue; p->queued: it is not there. */
static uint32_t place_of(const struct htmt__recorded_port *p, const struct htmt__port_packet *of)
{
    uint32_t i = 0;
    while (i < p->queued && !same(&p->queue[i].packet, of))
        i++;
    return i;
}

static void join(struct htmt_emulator *e, struct htmt__recorded_port *p,
                 const struct htmt__port_note *n)
{
    if (place_of(p, &n->packet) < p->queued)
        return;
    if (p->queued == p->room) {
        uint32_t room = p->room ? 2 * p->room : QUEUE_LEAST;
        struct htmt__port_waits *more =
            htmt__fault_injected() ? NULL : realloc(p->queue, room * sizeof *more);
        if (!more) {
            fail(e);
            return;
        }
        p->queue = more;
        p->room = room;
    }
    p->queue[p->queued++] = (struct htmt__port_waits){n->packet, n->at};
}

/* If it waited. */
static void leave(struct htmt_emulator *e, const struct htmt__port_note *n)
{
    struct htmt__recorded_port *p = &e->recorder->ports->port[n->port];
    const uint32_t i = place_of(p, &n->packet);
    if (i == p->queued)
        return;
    close_wait(e, n->port, &p->queue[i], n->at, 0);
    memmove(&p->queue[i], &p->queue[i + 1], (--p->queued - i) * sizeof *p->queue);
}

/* The same one goes on until another time. */
static bool goes_on(const struct htmt__recorded_port *p, const struct htmt__port_note *n)
{
    return p->state == n->state && same(&p->packet, &n->packet) &&
           (p->state != HTMT__PORT_SENDS || p->until > n->at);
}

static void enter(struct htmt_emulator *e, const struct htmt__port_note *n)
{
    struct htmt__recorded_port *p = &e->recorder->ports->port[n->port];
    if (!goes_on(p, n)) {
        close(e, n->port, n->at, 0);
        p->packet = n->packet;
        p->since = n->at;
        p->state = n->state;
    }
    p->until = n->until;
}

static void change(struct htmt_emulator *e, const struct htmt__port_note *n)
{
    struct htmt__recorded_port *p = &e->recorder->ports->port[n->port];
    if (n->queues)
        join(e, p, n);
    else
        leave(e, n);
    if (!n->queues || (n->state == HTMT__PORT_BLOCKED && p->state != HTMT__PORT_BLOCKED))
        enter(e, n);
}

/* ---- notes of a partition -------------------------------------------------------------------- */

static void note(struct htmt_emulator *e, const struct htmt__port_note *n)
{
    struct htmt__recorder *r = e->recorder;
    if (r->port_notes == r->port_note_room) {
        size_t room = r->port_note_room ? 2 * r->port_note_room : 256;
        struct htmt__port_note *more =
            htmt__fault_injected() ? NULL : realloc(r->port_note, room * sizeof *more);
        if (!more) {
            fail(e);
            return;
        }
        r->port_note = more;
        r->port_note_room = room;
    }
    r->port_note[r->port_notes++] = *n;
}

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
    if (e->recorder->part)
        note(e, &n);
    else
        change(e, &n);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void close_all(struct htmt_emulator *e)
{
    const struct htmt__record_ports *r = e->recorder->ports;
    for (uint32_t i = 0; i < r->ports; i++) {
        close(e, i, e->now, STILL_OPEN);
        for (uint32_t k = 0; k < r->port[i].queued; k++)
            close_wait(e, i, &r->port[i].queue[k], e->now, STILL_OPEN);
    }
}

static int put_runs(struct htmt_emulator *e, uint32_t slice, struct htmt_fault *fault)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__port_writer *w = &r->ports->writer[slice];
    int rc = w->count && !pack(htmt__record_packer_of(r), w, slice) ? HTMT_ENOMEM : 0;
    for (uint32_t i = 0; i < w->runs && !rc; i++)
        rc = htmt__record_file_append(r->file, w->run[i].at, w->run[i].bytes, fault);
    return rc;
}

int htmt__record_ports_finish(struct htmt_emulator *e, struct htmt_fault *fault)
{
    struct htmt__recorder *r = e->recorder;
    int rc = 0;
    if (!r->ports)
        return 0;
    close_all(e);
    r->ports->at = r->file ? htmt__record_file_size(r->file) : 0;
    for (uint32_t i = 0; i < r->ports->writers && r->file && !rc; i++)
        rc = put_runs(e, i, fault);
    return rc;
}
