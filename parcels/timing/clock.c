/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock: events one after another, each to its end, with all that becomes ready by it.
 */
#include "layers/model.h"
#include "parcels/timing/collective.h"
#include "parcels/timing/control.h"
#include "parcels/timing/ending.h"
#include "parcels/timing/event.h"
#include "parcels/timing/fiber.h"
#include "parcels/timing/guard.h"
#include "parcels/timing/mailbox.h"
#include "parcels/timing/moment.h"
#include "parcels/timing/permit.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/put.h"
#include "parcels/timing/service.h"
#include "parcels/timing/signal.h"
#include "parcels/timing/walk.h"
#include "parcels/timing/what_if.h"
#include "runtime/host/crash.h"
#include "runtime/host/watchdog.h"

#include <stdlib.h>

/* Events between two looks at the host's wishes: a run may have a long kernel behind each. */
#define LOOK_IN_RUN   256u
#define LOOK_IN_MODEL 65536u
#define LINE          64u /* bytes of a cache line */

/* ---- by kind --------------------------------------------------------------------------------- */

/* p was made, called or enabled, and goes on at this instant. */
static void go_on(struct htmt_emulator *e, struct htmt__entity *p)
{
    switch ((enum htmt__kind)p->kind) {
    case HTMT__PARCEL:
        htmt__walk(e, p);
        break;
    case HTMT__FIBER:
        htmt__request(e, p);
        break;
    case HTMT__MESSAGE:
        htmt__message_start(e, p);
        break;
    case HTMT__MOMENT:
        break;
    }
}

static void collective_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    (void)e;
    p->message->collective->ways->arrive(p->message->collective, p);
}

static void state_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__entity *served = htmt__what_if_arrives(e, p);
    if (served)
        htmt__request(e, served);
}

/* What a message does where it arrives. */
static void (*const arrives[HTMT__MESSAGE_KINDS])(struct htmt_emulator *, struct htmt__entity *) = {
    [HTMT__MESSAGE_BYTES] = htmt__put_arrives,       [HTMT__MESSAGE_SIGNAL] = htmt__signal_arrives,
    [HTMT__MESSAGE_REQUEST] = htmt__request_arrives, [HTMT__MESSAGE_CREDIT] = htmt__mailbox_asked,
    [HTMT__MESSAGE_GRANT] = htmt__mailbox_granted,   [HTMT__MESSAGE_RECORDS] = htmt__mailbox_arrive,
    [HTMT__MESSAGE_COLLECTIVE] = collective_arrives, [HTMT__MESSAGE_STATE] = state_arrives,
};

/* ---- whose turn it is ------------------------------------------------------------------------ */

static void play(struct htmt_emulator *e, uint32_t slice)
{
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, htmt__played(e, slice));
}

/* An entity of a slice, or a message that its slice is about to start. */
static void play_entity(struct htmt_emulator *e, const struct htmt__entity *p)
{
    uint32_t slice;
    if (__builtin_expect(e->guard == NULL, 1))
        return;
    play(e, htmt__guard_slice(e->guard, p, &slice) ? slice : p->message->leg.source);
}

static void play_event(struct htmt_emulator *e, uint64_t key)
{
    if (__builtin_expect(e->guard == NULL, 1))
        return;
    bool between = key & HTMT__BETWEEN;
    play(e, between ? htmt__message_slice(e, htmt__entity_at(e, key)) : htmt__key_slice(key));
}

/* Messages that are over go back to the slices that made them. */
static void book_over(struct htmt_emulator *e)
{
    while (e->over) {
        struct htmt__entity *p = e->over;
        e->over = p->queue;
        play(e, p->slice);
        htmt__entity_free(e, p);
    }
}

static void message_event(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__booking booking = htmt__message_booking(p);
    if (p->head) {
        htmt__channel_in(e, p, &p->message->leg);
        return;
    }
    if (htmt__what_if_arrived(e, p))
        arrives[p->message->kind](e, p);
    if (booking.due) {
        play(e, booking.slice);
        htmt__message_book(e, &booking);
    }
}

/* p's event has come. */
static void handle(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (p->kind == HTMT__MESSAGE)
        message_event(e, p);
    else if (p->kind == HTMT__MOMENT)
        htmt__moment(e, p);
    else if (p->step->op == HTMT__SERVE)
        htmt__walk_served(e, p);
    else
        htmt__walk_moved(e, p);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void run_ready(struct htmt_emulator *e)
{
    while (e->ready.head) {
        struct htmt__entity *p = e->ready.head;
        play_entity(e, p);
        e->ready.head = p->queue;
        if (!e->ready.head)
            e->ready.tail = NULL;
        if (htmt__explained(e))
            e->explain->turn(e, p);
        go_on(e, p);
    }
}

static int look_around(struct htmt_emulator *e)
{
    if (e->options.progress)
        e->options.progress(e->options.user, e->now, htmt_event_count(e));
    if (e->options.cancelled && e->options.cancelled(e->options.user))
        return htmt__fail(e, HTMT_ECANCELLED, "interrupted by the user");
    return htmt__diagnostics_look(e->diagnostics, &e->fault) ? e->fault.code : 0;
}

#define FAR_AHEAD 12 /* events: an entity comes from memory meanwhile */
#define NEXT      4  /* it is there: the resources of its slice can be fetched */

static void fetch_entity(const struct htmt_emulator *e, uint64_t key)
{
    const char *p = (const char *)htmt__entity_at(e, key);
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + LINE, 1);
}

static void fetch_tomorrow(const struct htmt_emulator *e)
{
    const struct htmt__event *event;
    size_t count = htmt__pending_tomorrow(&e->pending, &event);
    for (size_t i = 0; i < count; i++)
        fetch_entity(e, event[i].key);
}

/* What the event's step and those up to the next that takes time will touch. */
static void fetch_resources(const struct htmt_emulator *e, size_t after)
{
    uint64_t key;
    if (!htmt__pending_ahead(&e->pending, after, &key))
        return;
    const struct htmt__entity *p = htmt__entity_at(e, key);
    const struct htmt__step *step = p->step;
    uint32_t slice = htmt__key_slice(key);
    bool alone = step && step->stage == HTMT_FIBER; /* nothing is behind a fiber's step */
    for (unsigned timed = 0; step && timed < (alone ? 1 : 2) && step->op != HTMT__END; step++) {
        timed += step->op == HTMT__SERVE || step->op == HTMT__MOVE;
        if (step->op == HTMT__SERVE)
            __builtin_prefetch(htmt__bank_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__TAKE || step->op == HTMT__GIVE)
            __builtin_prefetch(htmt__store_at(e, slice, step->layer), 1);
        else if (step->op == HTMT__MOVE && timed == 2)
            __builtin_prefetch(htmt__port_at(e, slice, false, (uint32_t)step->network, step->layer),
                               1);
    }
    if (step && !alone && step->op == HTMT__END)
        __builtin_prefetch(p->body, 1);
}

#define FETCHING 8192 /* pending events from which on a cache does not hold what they touch */

/* On a large machine nearly all that an event touches is out of the cache. Events become known a
 * day at a time (runtime/sim/pending.h): some of the next day's are fetched when a day begins, and
 * on a long day those some events further. */
static void fetch_ahead(struct htmt_emulator *e)
{
    uint64_t key;
    bool new_day = e->pending.run < e->fetched; /* it moves up within a day */
    e->fetched = e->pending.run;
    if (new_day)
        fetch_tomorrow(e);
    if (htmt__pending_ahead(&e->pending, FAR_AHEAD, &key))
        fetch_entity(e, key);
    for (size_t i = new_day ? 0 : NEXT; i <= NEXT; i++)
        fetch_resources(e, i);
}

static void resolve_kernels(struct htmt_emulator *e)
{
    uint32_t count = e->kernel_count;
    e->kernel_count = 0;
    for (uint32_t i = 0; i < count && !e->fault.code; i++) {
        struct htmt__entity *p = e->kernels[i];
        play_entity(e, p);
        if (htmt__explained(e))
            e->explain->turn(e, p);
        htmt__kernel_resolve(e, p);
    }
}

/* The roots of each slice, in order, out of the one list of all. */
static struct htmt__list *sort_roots(struct htmt_emulator *e)
{
    struct htmt__list *of = calloc(e->played, sizeof *of);
    if (!of) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the lists of %u slices", e->played);
        return NULL;
    }
    for (struct htmt__entity *p = e->ready.head, *next; p; p = next) {
        next = p->queue;
        p->queue = NULL;
        if (of[p->slice].tail)
            of[p->slice].tail->queue = p;
        else
            of[p->slice].head = p;
        of[p->slice].tail = p;
    }
    return of;
}

/* Guarded: nothing may link one slice's roots to another's while it plays. Each slice meets its own
 * in the same order. */
static void run_roots(struct htmt_emulator *e)
{
    struct htmt__list *roots = e->guard ? sort_roots(e) : NULL;
    for (uint32_t i = 0; roots && i < e->played && !e->fault.code; i++) {
        e->ready = roots[i];
        run_ready(e);
    }
    free(roots);
    run_ready(e);
}

static void run_clock(struct htmt_emulator *e)
{
    struct htmt__event event;
    uint32_t turns = e->data ? LOOK_IN_RUN : LOOK_IN_MODEL, left = turns;
    if (htmt__explained(e))
        e->explain->begin(e);
    run_roots(e);
    while (!e->fault.code) {
        if (e->kernel_count && htmt__pending_next(&e->pending) > e->now) {
            resolve_kernels(e);
            run_ready(e);
            continue;
        }
        if (!htmt__pending_pop(&e->pending, &event))
            break;
        e->now = event.time;
        if (e->pending.count >= FETCHING && !e->guard)
            fetch_ahead(e);
        play_event(e, event.key);
        struct htmt__entity *p = htmt__entity_at(e, event.key);
        if (__builtin_expect(p->leaving, 0) && htmt__message_leaves(e, p)) {
            p->leaving = false;
            htmt__message_capture(e, p->message);
            continue;
        }
        if (htmt__explained(e))
            e->explain->turn(e, p);
        handle(e, p);
        if (e->ready.head)
            run_ready(e);
        if (e->over)
            book_over(e);
        if (--left == 0) {
            look_around(e);
            left = turns;
        }
    }
    book_over(e);
    if (e->guard)
        htmt__guard_open(e->guard);
    if (htmt__explained(e))
        e->explain->end(e);
}

static void settle_ports(struct htmt_emulator *e, uint32_t slice, uint32_t network, uint32_t layer)
{
    const struct htmt_port *port = &e->machine->network[network].port[layer];
    if (port->out)
        htmt__link_settle(htmt__port_at(e, slice, false, network, layer),
                          &e->tally[htmt__out_resource(e, network, layer)], e->now);
    if (port->in)
        htmt__link_settle(htmt__port_at(e, slice, true, network, layer),
                          &e->tally[htmt__in_resource(e, network, layer)], e->now);
}

static void settle_inside(struct htmt_emulator *e, uint32_t network)
{
    const struct htmt__network_model *model = e->machine->network[network].model;
    for (uint32_t i = 0; model && model->settle && i < e->played; i++)
        model->settle(e->inside[network] + i * model->state_bytes, e->now);
}

static void settle_links(struct htmt_emulator *e)
{
    for (uint32_t n = 0; n < e->networks; n++)
        settle_inside(e, n);
    for (uint32_t i = 0; i < e->played; i++)
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++)
                settle_ports(e, i, n, l);
}

/* ---- slices one after another --------------------------------------------------------------- */

/* Each slice begins at time 0 with nothing pending; the run ends when the last one does. */
static void run_slices(struct htmt_emulator *e)
{
    struct htmt__list *roots = sort_roots(e);
    htmt_time last = 0;
    for (uint32_t i = 0; roots && i < e->played && !e->fault.code; i++) {
        e->now = 0;
        e->ready = roots[i];
        run_clock(e);
        if (!e->data && !e->guard)
            htmt__slice_rest(htmt__slice_at(e, i));
        if (htmt__explained(e))
            e->explain->rest(e, i);
        if (e->now > last)
            last = e->now;
    }
    e->now = last;
    free(roots);
}

/* When folded: every slice has the roots and the mailboxes of slice 0. */
static void check_twins(struct htmt_emulator *e)
{
    for (uint32_t i = 1; e->roots && i < e->slices && !e->fault.code; i++)
        if (e->roots[i] != e->roots[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has %u root parcels, slice 0 has %u", i,
                       e->roots[i], e->roots[0]);
        else if (e->next_box[i] != e->next_box[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has fewer mailboxes than slice 0", i);
}

static void run_all(void *argument)
{
    struct htmt_emulator *e = argument;
    struct htmt__deed_before before = htmt__deed_begin(e, htmt__control_deed);
    if (e->options.symmetry == HTMT_INDEPENDENT)
        run_slices(e);
    else
        run_clock(e);
    if (e->data) {
        htmt__ending_kernels(e);
        htmt__data_drain(e->data);
    }
    htmt__deed_end(before);
}

/* From here on the emulator belongs to this thread: the root is closed. Once. */
static int begin(struct htmt_emulator *e)
{
    int setup = HTMT__SETUP;
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "htmt_emulator_run() without an emulator (NULL)");
    if (!atomic_compare_exchange_strong(&e->state, &setup, HTMT__STARTING))
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_emulator_run() again: an emulator runs once, make another");
    check_twins(e);
    e->clock = pthread_self();
    atomic_store(&e->state, HTMT__RUNNING);
    return 0;
}

static void play_all(struct htmt_emulator *e)
{
    struct htmt__watched watched;
    htmt__watchdog_enter(e->watchdog, &watched);
    htmt__crash_guard(run_all, e, e->options.diagnose);
    htmt__watchdog_leave(e->watchdog, &watched);
    settle_links(e);
    if (htmt__explained(e))
        e->explain->close(e);
    if (e->data)
        htmt__data_check(e->data);
    htmt__diagnostics_check(e->diagnostics, &e->fault);
    if (!e->fault.code)
        htmt__ending_check(e);
    if (htmt__explained(e))
        e->explain->finish(e);
}

int htmt_emulator_run(struct htmt_emulator *e)
{
    int rc = begin(e);
    if (rc)
        return rc;
    const struct htmt__caller outside = htmt__caller;
    htmt__caller = (struct htmt__caller){.control = HTMT__NO_CONTROL, .fault = &e->fault};
    play_all(e);
    htmt__caller = outside;
    atomic_store(&e->state, HTMT__ENDED);
    return e->fault.code;
}
