/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ports inside networks did, in traces that have it: docs/trace-format.md, "Ports".
 */
#ifndef HTMT_EMUL_LIB_TRACE_PORTS_H
#define HTMT_EMUL_LIB_TRACE_PORTS_H

#include "emul/trace/htmt_trace.h"

/* States of a port; or a packet is in its queue. */
enum htmt__trace_port_state {
    HTMT__TRACE_PORT_SENDS,
    HTMT__TRACE_PORT_BLOCKED, /* held, but idle */
    HTMT__TRACE_PORT_WAITS,   /* for a packet that may start again */
    HTMT__TRACE_PORT_QUEUED,
    HTMT__TRACE_PORT_STATES
};

/* Texts belong to the trace. */
struct htmt__trace_element {
    const char *name;
    uint32_t slice; /* UINT32_MAX: a switch, or an end without one */
};

struct htmt__trace_channel {
    const char *name; /* of its port: "1.e" */
    uint32_t from, to;
    htmt_time wire;
};

struct htmt__trace_port_sums {
    htmt_wide busy, blocked, waiting, queued;
};

struct htmt__trace_inside {
    uint32_t network, first, planes, lanes, elements, channels; /* first: number of a port */
    struct htmt__trace_element *element;
    struct htmt__trace_channel *channel;
    struct htmt__trace_port_sums *sums; /* by plane and channel: the run's */
};

struct htmt__trace_port_run {
    uint32_t slice, bytes, raw, crc, count;
    uint64_t offset;
};

struct htmt__trace_ports {
    uint32_t insides, runs, ports;
    uint64_t at, bytes, intervals; /* in the file */
    struct htmt__trace_inside *inside;
    struct htmt__trace_port_run *run;
};

/* Ports have numbers: the network's first + (plane * channels + channel) * lanes + lane. */
struct htmt__trace_port_interval {
    htmt_time begin, end;
    uint64_t serial; /* of its message */
    uint32_t port;
    uint32_t number; /* of the packet in its message, from 0 */
    uint32_t source, target;
    enum htmt__trace_port_state state;
    bool open; /* still so at the end of the run */
};

/* Of a trace without an inside: none; NULL never. */
const struct htmt__trace_ports *htmt__trace_ports(const struct htmt_trace *t);
/* Where the port belongs to. */
const struct htmt__trace_inside *htmt__trace_inside_of(const struct htmt_trace *t, uint32_t port);
static inline uint32_t htmt__trace_port_channel(const struct htmt__trace_inside *i, uint32_t port)
{
    return (port - i->first) / i->lanes % i->channels;
}
static inline uint32_t htmt__trace_port_plane(const struct htmt__trace_inside *i, uint32_t port)
{
    return (port - i->first) / i->lanes / i->channels;
}

/* All intervals, by slice, in the order of their ends. The caller frees *all. Errors: those of
 * htmt_trace_block_read(). */
int htmt__trace_ports_read(struct htmt_trace *t, struct htmt__trace_port_interval **all,
                           struct htmt_fault *fault);

/* For the reader of the whole: from the footer; false sums or names are refused. */
int htmt__trace_ports_open(struct htmt_trace *t, struct htmt_fault *fault);
void htmt__trace_ports_close(struct htmt_trace *t);

#endif
