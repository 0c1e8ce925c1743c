/* SPDX-License-Identifier: BSD-3-Clause
 *
 * TrackEvents as Perfetto's protos/perfetto/trace define them; tests/trace/perfetto.proto has those
 * that are used. Slices of one track nest: each lane of a row is a track of its own.
 *
 * Perfetto draws what overlaps on one track as nested, which would make a parcel look like a part
 * of another one. So intervals that overlap are on lanes (emul/lib/trace/lanes.h), services apart
 * from waits, and on a track nothing begins before what was there has ended.
 *
 * A track is declared when it is first used. What a parcel did is one flow, by its serial. What
 * another parcel set off is a flow of two ends, the first an instant on the hand-off track of the
 * cause's row: the lane that the cause had is not remembered.
 */
#include "emul/lib/trace/export/frame.h"
#include "runtime/base/leb128.h"

#include <string.h>

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

/* ---- messages: fields as (number, type) and a value -------------------------------------------
 */

enum { VARINT, FIXED64, BYTES };

/* No message of ours is longer: the longest text in one is a label. */
struct message {
    size_t length;
    uint8_t bytes[2048];
};

static void put_raw(struct message *m, uint64_t value)
{
    m->length = (size_t)(htmt__leb128_put(m->bytes + m->length, value) - m->bytes);
}

static void put_varint(struct message *m, uint32_t field, uint64_t value)
{
    put_raw(m, field << 3 | VARINT);
    put_raw(m, value);
}

static void put_fixed64(struct message *m, uint32_t field, uint64_t value)
{
    put_raw(m, field << 3 | FIXED64);
    for (unsigned i = 0; i < 8; i++)
        m->bytes[m->length++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct message *m, uint32_t field, const void *bytes, size_t length)
{
    put_raw(m, field << 3 | BYTES);
    put_raw(m, length);
    memcpy(m->bytes + m->length, bytes, length);
    m->length += length;
}

static void put_text(struct message *m, uint32_t field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_message(struct message *m, uint32_t field, const struct message *inner)
{
    put_bytes(m, field, inner->bytes, inner->length);
}

/* ---- packets --------------------------------------------------------------------------------- */

static void write_packet(const struct htmt__export *x, const struct message *packet)
{
    struct message head = {.length = 0};
    put_raw(&head, TRACE_PACKET << 3 | BYTES);
    put_raw(&head, packet->length);
    fwrite_unlocked(head.bytes, 1, head.length, x->out);
    fwrite_unlocked(packet->bytes, 1, packet->length, x->out);
}

static void write_event(const struct htmt__export *x, htmt_time at, const struct message *event)
{
    struct message packet;
    packet.length = 0;
    put_varint(&packet, PACKET_TIMESTAMP, (uint64_t)htmt__export_time(x->unit, at));
    put_varint(&packet, PACKET_SEQUENCE, 1);
    put_varint(&packet, PACKET_FLAGS, FLAG_NEEDS_NAMES);
    put_message(&packet, PACKET_TRACK_EVENT, event);
    write_packet(x, &packet);
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

static void write_name(const struct htmt__export *x, uint32_t kind, uint64_t iid, const char *text)
{
    struct message name = {.length = 0}, interned = {.length = 0}, packet = {.length = 0};
    bool first = kind == INTERNED_EVENT_NAME && iid == 1;
    put_varint(&name, NAME_IID, iid);
    put_text(&name, NAME_TEXT, text);
    put_message(&interned, kind, &name);
    put_varint(&packet, PACKET_SEQUENCE, 1);
    put_varint(&packet, PACKET_FLAGS, first ? FLAG_CLEARED : FLAG_NEEDS_NAMES);
    put_message(&packet, PACKET_INTERNED, &interned);
    write_packet(x, &packet);
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

static void write_track(const struct htmt__export *x, uint64_t uuid, uint64_t parent,
                        const char *name, uint64_t rank, const char *unit)
{
    struct message track = {.length = 0}, counter = {.length = 0}, packet = {.length = 0};
    put_varint(&track, TRACK_UUID, uuid);
    put_text(&track, TRACK_NAME, name);
    if (parent)
        put_varint(&track, TRACK_PARENT, parent);
    put_varint(&track, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
    put_varint(&track, TRACK_RANK, rank);
    if (unit) {
        put_text(&counter, COUNTER_UNIT_NAME, unit);
        put_message(&track, TRACK_COUNTER, &counter);
    }
    put_varint(&packet, PACKET_SEQUENCE, 1);
    put_message(&packet, PACKET_TRACK, &track);
    write_packet(x, &packet);
}

static void write_head(struct htmt__export *x)
{
    const struct htmt_trace_info *info = x->info;
    char text[1000];
    write_name(x, INTERNED_EVENT_NAME, 1, "hand-off");
    for (unsigned i = 0; i < sizeof annotations / sizeof *annotations; i++)
        write_name(x, INTERNED_ANNOTATION_NAME, i + 1, annotations[i]);
    for (uint32_t i = 0; i < info->steps; i++)
        for (unsigned wait = 0; wait < 2; wait++)
            write_name(x, INTERNED_EVENT_NAME, step_name(i, wait),
                       htmt__label_step(info, i, wait).s);
    for (uint32_t i = 0; i < info->sections; i++)
        write_name(x, INTERNED_EVENT_NAME, section_name(info, i, 0),
                   htmt__label_of(info->section[i]).s);
    snprintf(text, sizeof text, "%s on %s: 1 ns here is 1 %s of virtual time%s%s%s", info->app,
             info->machine, x->unit == HTMT__EXPORT_FS ? "fs" : "ps",
             x->unit == HTMT__EXPORT_FS ? "" : ", rounded", info->fault ? "; INCOMPLETE: " : "",
             info->fault ? info->fault : "");
    write_track(x, ROOT, 0, htmt__label_of(text).s, 0, NULL);
}

static struct htmt__declared *declare_row(struct htmt__export *x, uint32_t slice, uint32_t row)
{
    struct htmt__declared *d = htmt__export_row(x, slice, row);
    if (!x->slice[slice])
        write_track(x, slice_track(slice), ROOT, htmt__label_slice(x->info, slice).s, slice, NULL);
    x->slice[slice] = true;
    if (!d->row)
        write_track(x, row_track(slice, row), slice_track(slice),
                    htmt__label_of(x->rows->row[row].name).s, row, NULL);
    d->row = true;
    return d;
}

static uint64_t declare_lane(struct htmt__export *x, uint32_t slice, uint32_t row, bool wait,
                             uint32_t lane)
{
    struct htmt__declared *d = declare_row(x, slice, row);
    for (; d->lanes[wait] <= lane; d->lanes[wait]++) {
        char name[40];
        snprintf(name, sizeof name, "%s %u", wait ? "waits" : "lane", d->lanes[wait]);
        write_track(x, lane_track(slice, row, wait, d->lanes[wait]), row_track(slice, row), name,
                    (wait ? UINT64_C(1) << 26 : 2) + d->lanes[wait], NULL);
    }
    return lane_track(slice, row, wait, lane);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A value of the row's counter. */
static void count(struct htmt__export *x, const struct htmt__order_event *e, uint64_t value)
{
    struct htmt__declared *d = declare_row(x, e->slice, e->row);
    const struct htmt__trace_row *row = &x->rows->row[e->row];
    const bool memory = row->kind == HTMT__ROW_MEMORY;
    const uint64_t uuid = lane_track(e->slice, e->row, COUNTER, 0);
    struct message event;
    char name[200];
    snprintf(name, sizeof name, "%s: %s", row->name, memory ? "words used" : "channels in use");
    if (!d->counter)
        write_track(x, uuid, row_track(e->slice, e->row), htmt__label_of(name).s, 0,
                    memory ? "words" : "channels");
    d->counter = true;
    event.length = 0;
    put_varint(&event, EVENT_TYPE, TYPE_COUNTER);
    put_varint(&event, EVENT_TRACK, uuid);
    put_varint(&event, EVENT_COUNTER, value);
    write_event(x, e->at < 0 ? 0 : e->at, &event);
}

/* The end of the cause's service, on a track of its own: where the flow begins. */
static void write_hand_off(struct htmt__export *x, const struct htmt__order_event *e,
                           const struct htmt_trace_interval *cause, uint64_t flow)
{
    uint32_t slice = htmt_trace_ref_slice(e->span.cause), row = x->rows->of_step[cause->step];
    struct htmt__declared *d = declare_row(x, slice, row);
    uint64_t uuid = lane_track(slice, row, HAND_OFFS, 0);
    struct message event;
    if (!d->hand_offs)
        write_track(x, uuid, row_track(slice, row), "hand-offs", 1, NULL);
    d->hand_offs = true;
    event.length = 0;
    put_varint(&event, EVENT_TYPE, TYPE_INSTANT);
    put_varint(&event, EVENT_NAME, 1);
    put_varint(&event, EVENT_TRACK, uuid);
    put_fixed64(&event, EVENT_FLOW, flow);
    write_event(x, cause->end < e->at ? cause->end : e->at, &event);
}

static void annotate(struct message *event, uint64_t name, uint64_t value)
{
    struct message a;
    a.length = 0;
    put_varint(&a, ANNOTATION_NAME, name);
    put_varint(&a, ANNOTATION_UINT, value);
    put_message(event, EVENT_ANNOTATION, &a);
}

static int begin(struct htmt__export *x, const struct htmt__order_event *e,
                 struct htmt_fault *fault)
{
    const struct htmt__order_span *s = &e->span;
    bool wait = e->kind == HTMT__SPAN_WAIT, section = e->kind == HTMT__SPAN_SECTION;
    struct htmt_trace_interval cause;
    struct message event;
    bool handed = false;
    const uint64_t flow = s->ref | UINT64_C(1) << 63; /* of the hand-off: a number of its own */
    int rc = htmt__export_hand_off(x, e, &cause, &handed, fault);
    if (rc)
        return rc;
    if (handed)
        write_hand_off(x, e, &cause, flow);
    event.length = 0;
    put_varint(&event, EVENT_TYPE, section || s->end > s->begin ? TYPE_BEGIN : TYPE_INSTANT);
    put_varint(&event, EVENT_NAME,
               section ? section_name(x->info, s->serial, s->step) : step_name(s->step, wait));
    put_varint(&event, EVENT_TRACK, declare_lane(x, e->slice, e->row, wait, e->lane));
    if (!section) {
        annotate(&event, PARCEL_SLICE, htmt_trace_ref_slice(s->serial));
        annotate(&event, PARCEL, htmt_trace_ref_number(s->serial));
        annotate(&event, INTERVAL, htmt_trace_ref_number(s->ref));
        put_fixed64(&event, EVENT_FLOW, s->serial);
    }
    if (handed)
        put_fixed64(&event, EVENT_FLOW_END, flow);
    write_event(x, e->at, &event);
    if (s->end > s->begin && htmt__export_counts(x, e))
        count(x, e, e->busy);
    return 0;
}

static void end(struct htmt__export *x, const struct htmt__order_event *e)
{
    struct message event;
    event.length = 0;
    put_varint(&event, EVENT_TYPE, TYPE_END);
    put_varint(&event, EVENT_TRACK,
               lane_track(e->slice, e->row, e->kind == HTMT__SPAN_WAIT, e->lane));
    write_event(x, e->at, &event);
    if (htmt__export_counts(x, e))
        count(x, e, e->busy);
}

static void fill(struct htmt__export *x, const struct htmt__order_event *e)
{
    count(x, e, e->span.serial);
}

int htmt__export_perfetto(struct htmt_trace *t, const char *path, enum htmt__export_unit unit,
                          struct htmt_fault *fault)
{
    static const struct htmt__export_format perfetto = {.head = write_head,
                                                        .begin = begin,
                                                        .end = end,
                                                        .fill = fill,
                                                        .no_memory =
                                                            "no host memory for the tracks"};
    return htmt__export_timeline(t, path, unit, &perfetto, fault);
}
