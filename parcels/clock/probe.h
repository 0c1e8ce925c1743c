/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what the timing plane tells those who watch it (parcels/observe/). The
 * emulator has no probe unless somebody asked for one; a place that calls a probe tests one pointer
 * first. A probe changes nothing that is timed.
 */
#ifndef HTMT_PARCELS_CLOCK_PROBE_H
#define HTMT_PARCELS_CLOCK_PROBE_H

#include "parcels/clock/engine.h"

struct htmt__leg;
struct htmt__message;
struct htmt__packet;
struct htmt__port_change;
struct htmt__stage_stats;

/* Why an interval of virtual time began when it did. */
enum htmt__why {
    HTMT__CAME,    /* its parcel came */
    HTMT__CALLED,  /* another one called, assembled or signalled it */
    HTMT__LINE,    /* a server or channel of resource `of` became free */
    HTMT__SPACE,   /* words of layer `of` became free */
    HTMT__BLOCKED, /* a port inside a network became free: network * 2^28 + channel */
};

#define HTMT__BLOCKED_NETWORK 28
#define HTMT__FIRST_FREE      UINT32_MAX

/* The instants at which intervals begin and end: for htmt_options.explain, for sections, for
 * htmt_options.recording. A probe leaves out what it does not want to hear; in e->explain every
 * function is there (parcels/observe/probes.c). */
struct htmt__explain_probe {
    /* Time begins for the slices whose turn it is; it ends. */
    void (*begin)(struct htmt_emulator *e);
    void (*end)(struct htmt_emulator *e);
    /* The run is over for all slices; then: it is known whether it failed. */
    void (*close)(struct htmt_emulator *e);
    void (*finish)(struct htmt_emulator *e);
    /* A copy is made for a partition, which nobody hears yet. Errors are latched in the copy. */
    void (*part)(struct htmt_emulator *whole, struct htmt_emulator *copy);
    /* All partitions have been played to the begin of the window that the copy's is about to play.
     * On any thread. */
    void (*past)(struct htmt_emulator *copy);
    /* All partitions have been played to the end of a window: on the thread of the run. Nothing
     * counts behind whole->failure, if there is a fault. */
    void (*window)(struct htmt_emulator *whole);
    /* What the copy for a partition has heard, which is closed: before the whole is. */
    void (*merge)(struct htmt_emulator *whole, const struct htmt_emulator *part);
    /* The slice's time belongs to that section from `at` on, which may be later. at < 0: later than
     * there is time. */
    void (*section)(struct htmt_emulator *e, uint32_t slice, uint32_t section, htmt_time at);
    /* A slice will not be played any more. */
    void (*rest)(struct htmt_emulator *e, uint32_t slice);
    /* What happens from now on happens because p's event, or turn, has come. */
    void (*turn)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* p goes on later at this very instant, for the present reason... */
    void (*keep)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...because another one called it... */
    void (*called)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...or because it has waited. */
    void (*woken)(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of);
    /* The message p has waited for room of a mailbox in that layer, since p->waiter.since. */
    void (*room)(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer);
    /* p has waited in the line of the resource, since p->waiter.since, and begins now. */
    void (*served)(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource);
    /* What begins from now on within this event had waited. */
    void (*why)(struct htmt_emulator *e, enum htmt__why why, uint32_t of);
    /* The next event scheduled is that moment, within a service of that stage. */
    void (*within)(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats);
    /* The interval of p, of a service of that stage that began at `start`, was to end now, and goes
     * on: the next event scheduled ends it. */
    void (*put_off)(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time start,
                    const struct htmt__stage_stats *stats);
    /* p has an event at `at`; p is over. */
    void (*event)(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at);
    void (*over)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* A message is about to occupy a channel of that link, or has done so: the one of that number,
     * or HTMT__FIRST_FREE. */
    void (*channel)(struct htmt_emulator *e, struct htmt__link *l, uint32_t number);
    /* It does, from `start` on; the head is at the other end at `head`, or head < 0. */
    void (*out)(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *leg,
                htmt_time start, htmt_time head);
    /* At the other end it occupies a channel from `start` on; the whole of it is there at `end`, or
     * end < 0: nobody knows yet. */
    void (*in)(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *leg,
               htmt_time head, htmt_time start, htmt_time end);
    /* ...and it stood in line for it from `since` on until now, where full queues hold channels. */
    void (*stood)(struct htmt_emulator *e, const struct htmt__entity *p,
                  const struct htmt__leg *leg, htmt_time since);
    /* Where ports are inside: p wants a channel of that link, which is held until its last word has
     * left... */
    void (*asked)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...it has it from now on, and wanted it at `asked`... */
    void (*begun)(struct htmt_emulator *e, const struct htmt__entity *p,
                  const struct htmt__leg *leg, htmt_time asked);
    /* ...it had it from `start` until now... */
    void (*held)(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *leg,
                 htmt_time asked, htmt_time start);
    /* ...what begins from now on within this event had waited until it was free... */
    void (*freed)(struct htmt_emulator *e, const struct htmt__leg *leg);
    /* ...its head queues for the port of that channel, which `holder` has... */
    void (*queued)(struct htmt_emulator *e, const struct htmt__entity *p,
                   const struct htmt__packet *holder, uint32_t channel);
    /* ...it has a port, and may have queued for this one or a later one... */
    void (*granted)(struct htmt_emulator *e, const struct htmt__entity *p,
                    const struct htmt__leg *leg);
    /* ...(a port of that network changes its state, or a packet of the message p queues there)...
     */
    void (*port)(struct htmt_emulator *e, uint32_t network, const struct htmt__entity *p,
                 const struct htmt__port_change *change);
    /* ...and is at its target. */
    void (*landed)(struct htmt_emulator *e, const struct htmt__entity *p,
                   const struct htmt__leg *leg);
    /* The next event scheduled ends a part of the message's way inside its network. */
    void (*flying)(struct htmt_emulator *e, const struct htmt__leg *leg);
    /* The next event scheduled is that moment, when p's message, the last that was sent, has left.
     */
    void (*sent)(struct htmt_emulator *e, const struct htmt__entity *p,
                 const struct htmt__entity *moment);
    /* On cells (cell_clock.c), where posts have no entities. A post is served from now on: its core
     * is busy for a cycle, and then until `all` has passed. It came from *origin; what comes of it
     * goes on at the end, which *origin is from now on... */
    void (*cell)(struct htmt_emulator *e, uint32_t *origin, const struct htmt__stage_stats *stats,
                 htmt_time cycle, htmt_time all);
    /* ...*origin is what *of is, or NULL: what happens now... */
    void (*follows)(struct htmt_emulator *e, uint32_t *origin, const uint32_t *of);
    /* ...and that service is over, which began then. */
    void (*cell_served)(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                        uint64_t serial, htmt_time begin, htmt_time length);
    /* For htmt_options.slopes alone (parcels/observe/live_slope.c). The control of p charges so
     * many operations of a class, or HTMT_OP_CLASSES: a time that no figure changes... */
    void (*charged)(struct htmt_emulator *e, const struct htmt__entity *p, unsigned op, uint64_t n,
                    htmt_time time);
    /* ...messages like this one take the times of its leg: from and to so many pieces... */
    void (*timed)(struct htmt_emulator *e, const struct htmt__leg *leg, uint64_t from_pieces,
                  uint64_t to_pieces);
    /* ...p's service has its length, and moments within it follow... */
    void (*unrolls)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...the last signal for a fiber of the activation is there: f may be ready... */
    void (*enabled)(struct htmt_emulator *e, const struct htmt__entity *f,
                    const struct htmt__entity *owner, uint32_t fiber);
    /* ...words have come back to a store where others wait for them... */
    void (*wakes)(struct htmt_emulator *e);
    /* ...room of a mailbox was given back, of so many records; a message has room there at once...
     */
    void (*gave)(struct htmt_emulator *e, const struct htmt__store *store, uint64_t capacity,
                 uint64_t records);
    void (*took)(struct htmt_emulator *e, const struct htmt__store *store, uint64_t records);
    /* ...one of those whom `key` waits for has come; what happens from now on comes behind all of
     * them; that is over (key: NULL). */
    void (*waits)(struct htmt_emulator *e, const void *key);
    void (*meets)(struct htmt_emulator *e, const void *key);
    /* In a checked run only (parcels/observe/races.c), what orders accesses: p was made... */
    void (*made)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...a signal is at a slot of the activation `owner`, whose fiber begins with the last one...
     */
    void (*signalled)(struct htmt_emulator *e, const struct htmt__entity *owner, uint32_t fiber);
    /* ...a control of the parcel begins, which has its arguments to itself, or is over... */
    void (*controls)(struct htmt_emulator *e, const struct htmt__entity *self, bool is_over);
    /* ...a gate of p was opened... */
    void (*opened)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* ...what happens now comes before whatever finds `key` later, or behind whatever left it. */
    void (*leaves)(struct htmt_emulator *e, const void *key);
    void (*finds)(struct htmt_emulator *e, const void *key);
    /* And the accesses. A service of p with a kernel begins; its control says what the kernel uses,
     * and that it runs here; it does. */
    void (*serves)(struct htmt_emulator *e, const struct htmt__entity *p);
    void (*uses)(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                 struct htmt_pieces pieces, enum htmt_use how);
    void (*worked)(struct htmt_emulator *e);
    void (*computes)(struct htmt_emulator *e, const struct htmt__entity *p);
    /* Bytes of p's closure move on at its step; the message p takes its bytes; they arrive. */
    void (*moves)(struct htmt_emulator *e, const struct htmt__entity *p);
    void (*captured)(struct htmt_emulator *e, const struct htmt__entity *p);
    void (*delivered)(struct htmt_emulator *e, const struct htmt__message *m);
};

/* htmt_options.lint: departures from percolation, when they happen. */
struct htmt__lint_probe {
    /* The type used `bytes` of state in the innermost memory, which percolation would bring in,
     * and out. */
    void (*region)(struct htmt_emulator *e, struct htmt_type *type, uint64_t bytes, bool in,
                   bool out);
    /* A later fiber was enabled. */
    void (*fiber)(struct htmt_emulator *e, const struct htmt__entity *fiber);
    /* A service of the type sends a message of its own. */
    void (*message)(struct htmt_emulator *e, struct htmt_type *type, const struct htmt__leg *way);
};

static inline bool htmt__explained(const struct htmt_emulator *e)
{
    return __builtin_expect(htmt__goes_aside(e, HTMT__BY_PROBE), 0);
}
/* Somebody hears of each event. */
static inline bool htmt__watched(const struct htmt_emulator *e)
{
    return e->options.observe || e->options.recording;
}
static inline bool htmt__linted(const struct htmt_emulator *e)
{
    return __builtin_expect(e->lint != NULL, 0);
}

#endif
