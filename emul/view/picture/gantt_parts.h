/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the Gantt chart share: packets with their numbers, and bars in rows.
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_GANTT_PARTS_H
#define HTMT_EMUL_VIEW_PICTURE_GANTT_PARTS_H

#include "emul/lib/picture/palette.h"
#include "emul/lib/trace/ports.h"
#include "emul/view/picture/gantt.h"

/* ---- packets --------------------------------------------------------------------------------- */

struct htmt__gantt_packet {
    uint64_t serial; /* of its message */
    uint32_t number, source, target;
    htmt_time sent, came;      /* first at its sender's port; at its target, or HTMT_TIME_MAX */
    uint32_t sent_as, came_as; /* the message's place among those of that end, from 0 */
    uint64_t created;          /* number in the order of creation, from 0 */
};

struct htmt__gantt_packets {
    struct htmt__gantt_packet *at; /* by serial, number, source, target */
    size_t count;
};

/* Errors: HTMT_ENOMEM. */
int htmt__gantt_packets_make(const struct htmt_trace *t,
                             const struct htmt__trace_port_interval *all,
                             struct htmt__gantt_packets *packets);
void htmt__gantt_packets_clear(struct htmt__gantt_packets *packets);
/* NULL: there is none. target: UINT32_MAX: any. */
const struct htmt__gantt_packet *htmt__gantt_packet(const struct htmt__gantt_packets *packets,
                                                    uint64_t serial, uint32_t number,
                                                    uint32_t source, uint32_t target);

/* The ends of a channel that are slices; UINT32_MAX: a switch. */
static inline uint32_t htmt__gantt_sender(const struct htmt__trace_inside *i, uint32_t channel)
{
    return i->element[i->channel[channel].from].slice;
}
static inline uint32_t htmt__gantt_receiver(const struct htmt__trace_inside *i, uint32_t channel)
{
    return i->element[i->channel[channel].to].slice;
}

#define HTMT__GANTT_LANES 8u /* of a row */

/* ---- bars ------------------------------------------------------------------------------------ */

/* Rows in their order on the sheet. */
struct htmt__gantt_place {
    uint8_t group;  /* 0: sources, 1: out, 2: ports and queues, 3: in, 4: nodes */
    uint8_t inside; /* index */
    uint16_t plane;
    uint32_t at; /* slice; of a port twice its channel, its queue is the next */
};

struct htmt__gantt_bar {
    struct htmt__gantt_place place;
    htmt_time from, to;
    enum htmt__activity state;
    const struct htmt__gantt_packet *packet; /* NULL: none */
    uint32_t lane;
};

struct htmt__gantt_bars {
    struct htmt__gantt_bar *at;
    size_t count, room;
    const struct htmt__gantt_request *request;
    const struct htmt_trace_info *info;
    struct htmt__gantt_packets packets;
};

int htmt__gantt_place_compare(const struct htmt__gantt_place *a, const struct htmt__gantt_place *b);

/* In order of place and time. Errors: HTMT_ENOMEM, HTMT_ERANGE (too many), those of reading. */
int htmt__gantt_bars_make(struct htmt_trace *t, const struct htmt__gantt_request *request,
                          struct htmt__gantt_bars *bars, struct htmt_fault *fault);
void htmt__gantt_bars_clear(struct htmt__gantt_bars *bars);

#endif
