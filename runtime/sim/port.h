/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A transmit port: it serves one request at a time, first come first served; of one instant the
 * smaller (key, number) first. Nobody overtakes: a request that has no room holds up those behind
 * it.
 *
 * The end of a service is known when it begins, and may be put off or brought forward, so a port
 * that nobody waits for needs no event. It is free, sends, is blocked (held, but idle), or waits
 * for who was called.
 */
#ifndef HTMT_RUNTIME_SIM_PORT_H
#define HTMT_RUNTIME_SIM_PORT_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt__request {
    struct htmt__request *next;
    htmt_time since;
    uint64_t key;
    uint32_t number;
};

struct htmt__requests {
    struct htmt__request *first, *last;
};

enum htmt__port_hold { HTMT__PORT_RUNS, HTMT__PORT_HELD, HTMT__PORT_CALLS };

/* Touched by each service; what those did that waited stands apart. */
struct htmt__transmit_port {
    htmt_time end; /* of the last service; HTMT_TIME_MAX: not known */
    struct htmt__requests queue;
    uint64_t served, units;
    htmt_time busy; /* up to `end` */
    uint64_t taken; /* units of the room behind it, modulo 2^64 */
    enum htmt__port_hold hold;
    uint32_t returned; /* services of those that came again */
};

struct htmt__port_queue {
    uint32_t length, longest;
    uint64_t contentions; /* requests that found the port taken */
    htmt_uwide queued;    /* integral of the length */
    htmt_time changed;    /* when the length last changed */
    htmt_time held[3];    /* by enum htmt__port_hold */
    htmt_time since;      /* of the port's hold */
    uint64_t waiting;     /* units of those in the queue, where somebody asks for them */
};

/* Behind those that came earlier. */
static inline void htmt__requests_append(struct htmt__requests *q, struct htmt__request *r)
{
    r->next = NULL;
    if (q->first)
        q->last->next = r;
    else
        q->first = r;
    q->last = r;
}

static inline struct htmt__request *htmt__requests_pop(struct htmt__requests *q)
{
    struct htmt__request *r = q->first;
    q->first = r->next;
    return r;
}

/* Whether a request of now may be served at once, if there is room. */
static inline bool htmt__port_free(const struct htmt__transmit_port *p, htmt_time now)
{
    return p->end <= now && !p->queue.first;
}

void htmt__port_set(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                    enum htmt__port_hold hold, htmt_time now);

/* A service of now; it ends at `end`; HTMT_TIME_MAX: not known. */
static inline void htmt__port_take(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                                   htmt_time now, htmt_time end, uint64_t units)
{
    const enum htmt__port_hold hold = end == HTMT_TIME_MAX ? HTMT__PORT_HELD : HTMT__PORT_RUNS;
    if (p->hold != hold)
        htmt__port_set(p, q, hold, now);
    p->end = end;
    p->served++;
    p->units += units;
    if (hold == HTMT__PORT_RUNS)
        p->busy += end - now;
}

/* The service ends at another time; HTMT_TIME_MAX: it is blocked until the next call. */
void htmt__port_retime(struct htmt__transmit_port *p, struct htmt__port_queue *q, htmt_time now,
                       htmt_time end);

/* What it has sent of it does not count: it will be sent again. */
static inline void htmt__port_give_back(struct htmt__transmit_port *p, uint64_t units)
{
    p->served--;
    p->returned++;
    p->units -= units;
}

/* The request joins the queue, in its place. */
void htmt__port_join(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                     struct htmt__request *r, htmt_time now);
/* The first leaves it. The queue must not be empty. */
struct htmt__request *htmt__port_leave(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                                       htmt_time now);

/* Up to now. */
htmt_time htmt__port_busy(const struct htmt__transmit_port *p, htmt_time now);
htmt_time htmt__port_held(const struct htmt__transmit_port *p, const struct htmt__port_queue *q,
                          enum htmt__port_hold hold, htmt_time now);
htmt_uwide htmt__port_queued(const struct htmt__port_queue *q, htmt_time now);

#endif
