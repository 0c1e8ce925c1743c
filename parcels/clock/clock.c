/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run, from its begin to what is settled at its end. A run is played by one of two clocks, which
 * give the same times, histories and failures: one clock that goes from event to event over all
 * slices (play.c), or the clock by windows (window_clock.c). htmt__windows_create() has chosen when
 * the emulator was made.
 */
#include "layers/model.h"
#include "parcels/clock/ending.h"
#include "parcels/clock/event.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/play.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/clock/window.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/gather.h"
#include "parcels/message/inlet.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"
#include "parcels/message/post.h"
#include "parcels/walk/context.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/replies.h"
#include "parcels/walk/service.h"
#include "runtime/host/crash.h"
#include "runtime/host/watchdog.h"

#include <stdlib.h>

/* Links count up to the end of the run; so do models, ports and routers inside networks. */
static void settle_links(struct htmt_emulator *e)
{
    for (uint32_t n = 0; n < e->networks; n++) {
        const struct htmt__network_model *model = e->machine->network[n].model;
        for (uint32_t i = 0; !e->net[n].fabric && model && model->settle && i < e->played; i++)
            model->settle(e->inside[n] + i * model->state_bytes, e->now);
    }
    htmt__fabrics_settle(e);
    htmt__inlets_settle(e);
    htmt__cell_clock_settle(e, e);
    htmt__routers_settle(e);
    for (uint32_t i = 0; i < e->played; i++)
        for (uint32_t n = 0; n < e->networks; n++)
            for (uint32_t l = 0; l < e->layers; l++) {
                const struct htmt_port *port = &e->machine->network[n].port[l];
                if (port->out)
                    htmt__link_settle(htmt__port_at(e, i, false, n, l),
                                      &e->tally[htmt__out_resource(e, n, l)], e->now);
                if (port->in)
                    htmt__link_settle(htmt__port_at(e, i, true, n, l),
                                      &e->tally[htmt__in_resource(e, n, l)], e->now);
            }
}

/* Queues, services and channels wake each other: those below hear of those above them here. */
static void begin_posts(struct htmt_emulator *e)
{
    static const struct htmt__post_calls calls = {.serve_next = htmt__serve_next,
                                                  .follow = htmt__post_follow,
                                                  .may = htmt__post_port_free,
                                                  .gather = htmt__gather_join};
    e->posts->calls = &calls;
    htmt__posts_begin(e);
    htmt__inlets_begin(e, htmt__channel_begin, htmt__packets_begin);
}

/* From here on the emulator belongs to this thread: the root is closed. Once. When folded, every
 * slice must have the roots and the mailboxes of slice 0. */
static int begin(struct htmt_emulator *e)
{
    int setup = HTMT__SETUP;
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "htmt_emulator_run() without an emulator (NULL)");
    if (!atomic_compare_exchange_strong(&e->state, &setup, HTMT__STARTING))
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_emulator_run() again: an emulator runs once, make another");
    if (e->refused.code)
        e->fault = e->refused;
    for (uint32_t i = 1; e->roots && i < e->slices && !e->fault.code; i++)
        if (e->roots[i] != e->roots[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has %u root parcels, slice 0 has %u", i,
                       e->roots[i], e->roots[0]);
        else if (e->next_box[i] != e->next_box[0])
            htmt__fail(e, HTMT_ESYMMETRY, "slice %u has fewer mailboxes than slice 0", i);
    htmt__profiled_check(e);
    if (e->posts && !e->fault.code)
        begin_posts(e);
    htmt__roots_number(e);
    e->clock = pthread_self();
    if (!e->fault.code)
        htmt__windows_begin(e);
    e->apart |= e->guard != NULL;
    if (!e->fault.code && !e->windows && !e->guard && !e->recorder)
        htmt__lane_create(e);
    if (!e->fault.code && !e->windows)
        htmt__cell_clock_create(e);
    htmt__packet_watch(e);
    htmt__aside_find(e);
    if (e->replies)
        htmt__replies_begin(e);
    atomic_store(&e->state, HTMT__RUNNING);
    return 0;
}

static void run_all(void *argument)
{
    struct htmt_emulator *e = argument;
    struct htmt__callback_scope_before before = htmt__callback_scope_begin(e, htmt__control_scope);
    struct htmt__list *roots = !e->windows && e->alone ? htmt__roots_sort(e) : NULL;
    if (e->windows)
        htmt__window_clock(e);
    else if (roots)
        htmt__alone_run(e, NULL, e->played, roots);
    else if (!e->fault.code)
        htmt__alone_once(e, e->ready, HTMT_TIME_MAX - 1);
    free(roots);
    if (e->data) {
        htmt__ending_kernels(e);
        htmt__planes_drain(e);
    }
    if (e->data && e->windows)
        htmt__window_kernels(e);
    htmt__callback_scope_end(before);
}

int htmt_emulator_run(struct htmt_emulator *e)
{
    int rc = begin(e);
    if (rc)
        return rc;
    const struct htmt__caller outside = htmt__caller;
    struct htmt__watched watched;
    htmt__caller = (struct htmt__caller){.control = HTMT__NO_CONTROL, .fault = &e->fault};
    htmt__watchdog_enter(e->watchdog, &watched);
    htmt__crash_guard(run_all, e, e->options.diagnose);
    htmt__watchdog_leave(e->watchdog, &watched);
    settle_links(e);
    const struct htmt__windows *w = e->windows;
    if (w && w->rank && w->played && !w->rank->lost)
        htmt__rank_gather(e);
    if (e->apart)
        htmt__message_stats_sort(e);
    if (htmt__explained(e))
        e->explain->close(e);
    if (e->data)
        htmt__planes_check(e);
    htmt__diagnostics_check(e->diagnostics, &e->fault);
    if (!e->fault.code)
        htmt__ending_check(e);
    if (e->replies)
        htmt__replies_end(e);
    if (e->fault.code == HTMT_EDEADLOCK && w && w->rank)
        htmt__rank_gather_stuck(e);
    if (htmt__explained(e))
        e->explain->finish(e);
    htmt__profiled_note(e);
    htmt__caller = outside;
    atomic_store(&e->state, HTMT__ENDED);
    return e->fault.code;
}
