/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock: events one after another, each to its end, with all that becomes ready by it.
 */
#include "layers/model.h"
#include "parcels/timing/control.h"
#include "parcels/timing/ending.h"
#include "parcels/timing/event.h"
#include "parcels/timing/guard.h"
#include "parcels/timing/message.h"
#include "parcels/timing/permit.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/turn.h"
#include "parcels/timing/window_clock.h"
#include "runtime/host/crash.h"
#include "runtime/host/watchdog.h"

#include <stdlib.h>

#define LINE 64u /* bytes of a cache line */

/* ---- the loop -------------------------------------------------------------------------------- */

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
static void fetch_steps(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    uint32_t slice = p->slice;
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

static void fetch_resources(const struct htmt_emulator *e, size_t after)
{
    uint64_t key;
    if (htmt__pending_ahead(&e->pending, after, &key))
        fetch_steps(e, htmt__entity_at(e, key));
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

/* The calendar has the next event. */
static struct htmt__entity *next_later(struct htmt_emulator *e)
{
    struct htmt__event event = {0, 0};
    htmt__pending_pop(&e->pending, &event);
    e->now = event.time;
    e->turn = event.key;
    if (e->pending.count >= FETCHING && !e->guard)
        fetch_ahead(e);
    htmt__turn_place(e, event.key);
    return htmt__entity_at(e, event.key);
}

#define LONG_LINE 4097u /* events: what they touch is more than a cache holds */

/* Those behind the head of a long line come from memory, the nearer ones' resources, too. */
static void fetch_line(const struct htmt_emulator *e, const struct htmt__delay *line)
{
    const char *far = (const char *)htmt__delay_at(line, FAR_AHEAD)->p;
    const struct htmt__entity *near = htmt__delay_at(line, NEXT)->p;
    __builtin_prefetch(far, 1);
    __builtin_prefetch(far + LINE, 1);
    fetch_steps(e, near);
}

static struct htmt__entity *next_in_line(struct htmt_emulator *e)
{
    struct htmt__lane *l = e->lane;
    e->now = l->front[0].at;
    struct htmt__entity *p = htmt__lane_pop(l);
    const struct htmt__delay *line = &l->line[p->line];
    if (line->count >= LONG_LINE)
        fetch_line(e, line);
    e->turn = p->key;
    return p;
}

static bool has_event(const struct htmt_emulator *e)
{
    return e->pending.count || (e->lane && e->lane->count);
}

static void run_clock(struct htmt_emulator *e)
{
    uint32_t turns = htmt__look_interval(e), left = turns;
    if (htmt__explained(e))
        e->explain->begin(e);
    htmt__roots_run(e);
    while (!e->fault.code) {
        if (e->kernel_count && htmt__event_next(e) > e->now) {
            htmt__turn_kernels(e);
            continue;
        }
        if (!has_event(e))
            break;
        bool in_line = e->lane && e->lane->count && !htmt__event_unordered(e);
        struct htmt__entity *p = in_line ? next_in_line(e) : next_later(e);
        if (__builtin_expect(p->leaving, 0) && htmt__message_leaves(e, p)) {
            p->leaving = false;
            htmt__message_capture(e, p->message);
            continue;
        }
        htmt__turn_event(e, p);
        if (--left == 0) {
            htmt__look_around(e);
            left = turns;
        }
    }
    htmt__turn_over(e);
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
    struct htmt__list *roots = htmt__roots_sort(e);
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
    if (e->windows)
        htmt__window_clock(e);
    else if (e->options.symmetry == HTMT_INDEPENDENT)
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
    if (!e->fault.code)
        htmt__windows_create(e);
    if (!e->fault.code && !e->windows && !e->guard && !e->recorder)
        htmt__lane_create(e);
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
