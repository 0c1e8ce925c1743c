/* SPDX-License-Identifier: BSD-3-Clause
 *
 * TrackEvents as Perfetto's protos/perfetto/trace define them; tests/trace/perfetto.proto has those
 * that are used. Slices of one track nest: each lane of a row is a track of its own.
 *
 * A track is declared when it is first used. What a parcel did is one flow, by its serial. What
 * another parcel set off is a flow of two ends, the first an instant on the hand-off track of the
 * cause's row: the lane that the cause had is not remembered.
 */
#include "emul/lib/trace/cache.h"
#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/export/labels.h"
#include "emul/lib/trace/export/order.h"
#include "emul/lib/trace/export/protobuf.h"
#include "runtime/base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>

/* Field numbers. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_NAMES = 2 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDER = 11,
    TRACK_RANK = 12
};
enum { ORDER_EXPLICIT = 3, COUNTER_UNIT_NAME = 6 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_EVENT_NAME = 2, INTERNED_ANNOTATION_NAME = 3, NAME_IID = 1, NAME_TEXT = 2 };
enum { ANNOTATION_NAME = 1, ANNOTATION_UINT = 3 };

/* Names of annotations. */
enum { PARCEL_SLICE = 1, PARCEL, INTERVAL };
static const char *const annotations[] = {"parcel of slice", "parcel", "interval"};

/* Kinds of tracks of a row. */
enum { SERVICES, WAITS, HAND_OFFS, COUNTER };

struct declared {
    uint32_t lanes[2]; /* of services and waits */
    bool row, hand_offs, counter;
};

struct perfetto {
    const struct htmt_trace_info *info;
    enum htmt__export_unit unit;
    FILE *out;
    struct htmt__order *order;
    const struct htmt__rows *rows;
    struct htmt__trace_cache *cache;
    struct declared *declared; /* of each slice and row */
    bool *slice;               /* it is declared */
};

/* ---- packets --------------------------------------------------------------------------------- */

static void write_packet(const struct perfetto *p, const struct htmt__proto *packet)
{
    struct htmt__proto head = {.length = 0};
    htmt__proto_raw(&head, TRACE_PACKET << 3 | HTMT__PROTO_BYTES);
    htmt__proto_raw(&head, packet->length);
    fwrite_unlocked(head.bytes, 1, head.length, p->out);
    fwrite_unlocked(packet->bytes, 1, packet->length, p->out);
}

static void write_event(const struct perfetto *p, htmt_time at, const struct htmt__proto *event)
{
    struct htmt__proto packet;
    packet.length = 0;
    htmt__proto_varint(&packet, PACKET_TIMESTAMP, (uint64_t)htmt__export_time(p->unit, at));
    htmt__proto_varint(&packet, PACKET_SEQUENCE, 1);
    htmt__proto_varint(&packet, PACKET_FLAGS, FLAG_NEEDS_NAMES);
    htmt__proto_message(&packet, PACKET_TRACK_EVENT, event);
    write_packet(p, &packet);
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t step_name(uint32_t step, bool waiting)
{
    return 2 + 2 * (uint64_t)step + waiting; /* 1: hand-off */
}

/* A section that the trace does not name is called as its step is. */
static uint64_t section_name(const struct htmt_trace_info *info, uint64_t section, uint32_t step)
{
    return section < info->sections ? step_name(info->steps, false) + section
                                    : step_name(step, false);
}

static void write_name(const struct perfetto *p, uint32_t kind, uint64_t iid, const char *text)
{
    struct htmt__proto name = {.length = 0}, interned = {.length = 0}, packet = {.length = 0};
    bool first = kind == INTERNED_EVENT_NAME && iid == 1;
    htmt__proto_varint(&name, NAME_IID, iid);
    htmt__proto_text(&name, NAME_TEXT, text);
    htmt__proto_message(&interned, kind, &name);
    htmt__proto_varint(&packet, PACKET_SEQUENCE, 1);
    htmt__proto_varint(&packet, PACKET_FLAGS, first ? FLAG_CLEARED : FLAG_NEEDS_NAMES);
    htmt__proto_message(&packet, PACKET_INTERNED, &interned);
    write_packet(p, &packet);
}

static void write_names(const struct perfetto *p)
{
    write_name(p, INTERNED_EVENT_NAME, 1, "hand-off");
    for (unsigned i = 0; i < sizeof annotations / sizeof *annotations; i++)
        write_name(p, INTERNED_ANNOTATION_NAME, i + 1, annotations[i]);
    for (uint32_t i = 0; i < p->info->steps; i++)
        for (unsigned wait = 0; wait < 2; wait++)
            write_name(p, INTERNED_EVENT_NAME, step_name(i, wait),
                       htmt__label_step(p->info, i, wait).s);
    for (uint32_t i = 0; i < p->info->sections; i++)
        write_name(p, INTERNED_EVENT_NAME, section_name(p->info, i, 0),
                   htmt__label_of(p->info->section[i]).s);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

#define ROOT UINT64_C(1)

static uint64_t slice_track(uint32_t slice)
{
    return ((uint64_t)slice + 1) << 40;
}

static uint64_t row_track(uint32_t slice, uint32_t row)
{
    return slice_track(slice) | ((uint64_t)row + 1) << 28;
}

static uint64_t lane_track(uint32_t slice, uint32_t row, unsigned kind, uint32_t lane)
{
    return row_track(slice, row) | (uint64_t)kind << 26 | (lane + 1);
}

static void write_track(const struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
                        uint64_t rank, const char *unit)
{
    struct htmt__proto track = {.length = 0}, counter = {.length = 0}, packet = {.length = 0};
    htmt__proto_varint(&track, TRACK_UUID, uuid);
    htmt__proto_text(&track, TRACK_NAME, name);
    if (parent)
        htmt__proto_varint(&track, TRACK_PARENT, parent);
    htmt__proto_varint(&track, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
    htmt__proto_varint(&track, TRACK_RANK, rank);
    if (unit) {
        htmt__proto_text(&counter, COUNTER_UNIT_NAME, unit);
        htmt__proto_message(&track, TRACK_COUNTER, &counter);
    }
    htmt__proto_varint(&packet, PACKET_SEQUENCE, 1);
    htmt__proto_message(&packet, PACKET_TRACK, &track);
    write_packet(p, &packet);
}

static void write_root(const struct perfetto *p)
{
    const struct htmt_trace_info *i = p->info;
    char text[1000];
    snprintf(text, sizeof text, "%s on %s: 1 ns here is 1 %s of virtual time%s%s%s", i->app,
             i->machine, p->unit == HTMT__EXPORT_FS ? "fs" : "ps",
             p->unit == HTMT__EXPORT_FS ? "" : ", rounded", i->fault ? "; INCOMPLETE: " : "",
             i->fault ? i->fault : "");
    write_track(p, ROOT, 0, htmt__label_of(text).s, 0, NULL);
}

static struct declared *declare_row(struct perfetto *p, uint32_t slice, uint32_t row)
{
    struct declared *d = &p->declared[(size_t)slice * p->rows->count + row];
    if (!p->slice[slice])
        write_track(p, slice_track(slice), ROOT, htmt__label_slice(p->info, slice).s, slice, NULL);
    p->slice[slice] = true;
    if (!d->row)
        write_track(p, row_track(slice, row), slice_track(slice),
                    htmt__label_of(p->rows->row[row].name).s, row, NULL);
    d->row = true;
    return d;
}

static uint64_t declare_lane(struct perfetto *p, uint32_t slice, uint32_t row, bool wait,
                             uint32_t lane)
{
    struct declared *d = declare_row(p, slice, row);
    for (; d->lanes[wait] <= lane; d->lanes[wait]++) {
        char name[40];
        snprintf(name, sizeof name, "%s %u", wait ? "waits" : "lane", d->lanes[wait]);
        write_track(p, lane_track(slice, row, wait, d->lanes[wait]), row_track(slice, row), name,
                    (wait ? UINT64_C(1) << 26 : 2) + d->lanes[wait], NULL);
    }
    return lane_track(slice, row, wait, lane);
}

static uint64_t declare_hand_offs(struct perfetto *p, uint32_t slice, uint32_t row)
{
    struct declared *d = declare_row(p, slice, row);
    uint64_t uuid = lane_track(slice, row, HAND_OFFS, 0);
    if (!d->hand_offs)
        write_track(p, uuid, row_track(slice, row), "hand-offs", 1, NULL);
    d->hand_offs = true;
    return uuid;
}

static uint64_t declare_counter(struct perfetto *p, uint32_t slice, uint32_t row)
{
    struct declared *d = declare_row(p, slice, row);
    bool memory = p->rows->row[row].kind == HTMT__ROW_MEMORY;
    uint64_t uuid = lane_track(slice, row, COUNTER, 0);
    char name[200];
    snprintf(name, sizeof name, "%s: %s", p->rows->row[row].name,
             memory ? "words used" : "channels in use");
    if (!d->counter)
        write_track(p, uuid, row_track(slice, row), htmt__label_of(name).s, 0,
                    memory ? "words" : "channels");
    d->counter = true;
    return uuid;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void count(struct perfetto *p, const struct htmt__order_event *e, uint64_t value)
{
    struct htmt__proto event;
    event.length = 0;
    htmt__proto_varint(&event, EVENT_TYPE, TYPE_COUNTER);
    htmt__proto_varint(&event, EVENT_TRACK, declare_counter(p, e->slice, e->row));
    htmt__proto_varint(&event, EVENT_COUNTER, value);
    write_event(p, e->at < 0 ? 0 : e->at, &event);
}

static void count_link(struct perfetto *p, const struct htmt__order_event *e)
{
    enum htmt__row_kind kind = p->rows->row[e->row].kind;
    if (e->kind == HTMT__SPAN_SERVICE && (kind == HTMT__ROW_OUT || kind == HTMT__ROW_IN))
        count(p, e, e->busy);
}

/* The end of the cause's service, on a track of its own: where the flow begins. */
static void write_hand_off(struct perfetto *p, const struct htmt__order_event *e,
                           const struct htmt_trace_interval *cause, uint64_t flow)
{
    struct htmt__proto event;
    uint32_t row = p->rows->of_step[cause->step];
    event.length = 0;
    htmt__proto_varint(&event, EVENT_TYPE, TYPE_INSTANT);
    htmt__proto_varint(&event, EVENT_NAME, 1);
    htmt__proto_varint(&event, EVENT_TRACK,
                       declare_hand_offs(p, htmt_trace_ref_slice(e->span.cause), row));
    htmt__proto_fixed64(&event, EVENT_FLOW, flow);
    write_event(p, cause->end < e->at ? cause->end : e->at, &event);
}

/* Another parcel set this off: *flow is a number of its own, else 0. */
static int find_hand_off(struct perfetto *p, const struct htmt__order_event *e, uint64_t *flow,
                         struct htmt_fault *fault)
{
    struct htmt_trace_interval cause;
    *flow = 0;
    if (!e->span.first || e->span.cause == HTMT_TRACE_NONE)
        return 0;
    int rc = htmt__trace_cache_get(p->cache, e->span.cause, &cause, fault);
    if (rc || cause.serial == e->span.serial)
        return rc;
    *flow = e->span.ref | UINT64_C(1) << 63;
    write_hand_off(p, e, &cause, *flow);
    return 0;
}

static void annotate(struct htmt__proto *event, uint64_t name, uint64_t value)
{
    struct htmt__proto a;
    a.length = 0;
    htmt__proto_varint(&a, ANNOTATION_NAME, name);
    htmt__proto_varint(&a, ANNOTATION_UINT, value);
    htmt__proto_message(event, EVENT_ANNOTATION, &a);
}

static void describe(struct htmt__proto *event, const struct htmt__order_span *s, uint64_t flow)
{
    annotate(event, PARCEL_SLICE, htmt_trace_ref_slice(s->serial));
    annotate(event, PARCEL, htmt_trace_ref_number(s->serial));
    annotate(event, INTERVAL, htmt_trace_ref_number(s->ref));
    htmt__proto_fixed64(event, EVENT_FLOW, s->serial);
    if (flow)
        htmt__proto_fixed64(event, EVENT_FLOW_END, flow);
}

static int begin(struct perfetto *p, const struct htmt__order_event *e, struct htmt_fault *fault)
{
    const struct htmt__order_span *s = &e->span;
    bool wait = e->kind == HTMT__SPAN_WAIT, section = e->kind == HTMT__SPAN_SECTION;
    struct htmt__proto event;
    uint64_t flow = 0;
    int rc = section ? 0 : find_hand_off(p, e, &flow, fault);
    if (rc)
        return rc;
    event.length = 0;
    htmt__proto_varint(&event, EVENT_TYPE,
                       section || s->end > s->begin ? TYPE_BEGIN : TYPE_INSTANT);
    htmt__proto_varint(&event, EVENT_NAME,
                       section ? section_name(p->info, s->serial, s->step)
                               : step_name(s->step, wait));
    htmt__proto_varint(&event, EVENT_TRACK, declare_lane(p, e->slice, e->row, wait, e->lane));
    if (!section)
        describe(&event, s, flow);
    write_event(p, e->at, &event);
    if (s->end > s->begin)
        count_link(p, e);
    return 0;
}

static void end(struct perfetto *p, const struct htmt__order_event *e)
{
    struct htmt__proto event;
    event.length = 0;
    htmt__proto_varint(&event, EVENT_TYPE, TYPE_END);
    htmt__proto_varint(&event, EVENT_TRACK,
                       lane_track(e->slice, e->row, e->kind == HTMT__SPAN_WAIT, e->lane));
    write_event(p, e->at, &event);
    count_link(p, e);
}

static int write_events(struct perfetto *p, struct htmt_fault *fault)
{
    struct htmt__order_event e;
    bool more = true;
    int rc = htmt__order_next(p->order, &e, &more, fault);
    while (!rc && more && !ferror(p->out)) {
        if (e.what == HTMT__ORDER_BEGIN)
            rc = begin(p, &e, fault);
        else if (e.what == HTMT__ORDER_END)
            end(p, &e);
        else
            count(p, &e, e.span.serial);
        if (!rc)
            rc = htmt__order_next(p->order, &e, &more, fault);
    }
    return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int prepare(struct perfetto *p, struct htmt_trace *t, struct htmt_fault *fault)
{
    int rc = htmt__order_create(&p->order, t, HTMT__ORDER_KEPT, fault);
    if (rc)
        return rc;
    p->rows = htmt__order_rows(p->order);
    p->declared =
        calloc((size_t)htmt__order_slices(p->order) * p->rows->count + 1, sizeof *p->declared);
    p->slice = calloc((size_t)htmt__order_slices(p->order) + 1, sizeof *p->slice);
    rc = htmt__trace_cache_create(&p->cache, t);
    return rc || !p->declared || !p->slice
               ? htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the tracks")
               : 0;
}

static int write_all(struct perfetto *p, struct htmt_trace *t, struct htmt_fault *fault)
{
    int rc = prepare(p, t, fault);
    if (!rc) {
        write_names(p);
        write_root(p);
        rc = write_events(p, fault);
    }
    htmt__trace_cache_destroy(&p->cache);
    free(p->slice);
    free(p->declared);
    htmt__order_destroy(&p->order);
    return rc;
}

int htmt__export_perfetto(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                          struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    struct perfetto p = {
        .info = htmt_trace_info(t), .unit = unit, .out = htmt_whole_file_stream(file)};
    rc = write_all(&p, t, fault);
    if (rc)
        htmt_whole_file_abandon(&file);
    return rc ? rc : htmt_whole_file_commit(&file, fault);
}
