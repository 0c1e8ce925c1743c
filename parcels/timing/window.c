/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/window.h"
#include "parcels/timing/booking.h"
#include "runtime/base/pages.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- lookahead ------------------------------------------------------------------------------- */

/* From the moment at which a control sends something from layer to layer of another slice to its
 * first event there. */
static htmt_time ahead_of(const struct htmt_emulator *e, uint32_t network, uint32_t from,
                          uint32_t to)
{
    const struct htmt_network *n = &e->machine->network[network];
    if (n->model)
        return n->latency; /* from place to place */
    if (n->port[to].in)
        return n->startup + n->latency;
    htmt_time word = htmt_machine_out_time(e->machine, network, from, to, 1, 1, 1);
    htmt_time arrives = word < 0 ? HTMT_TIME_MAX : word;
    return arrives < HTMT_TIME_MAX - n->latency ? arrives + n->latency : HTMT_TIME_MAX;
}

static htmt_time ahead_to_others(struct htmt_emulator *e, uint32_t from, uint32_t to)
{
    int n = htmt_machine_route(e->machine, from, to, true);
    htmt_time ahead = n < 0 ? HTMT_TIME_MAX : ahead_of(e, (uint32_t)n, from, to);
    if (ahead <= 0)
        snprintf(e->in_order, sizeof e->in_order, "network %s joins slices without a latency",
                 e->machine->network[n].name);
    return ahead;
}

/* What moves within a slice has its events there, but those inside a network. */
static htmt_time ahead_within(struct htmt_emulator *e, uint32_t from, uint32_t to)
{
    int n = htmt_machine_route(e->machine, from, to, false);
    if (n < 0 || !e->machine->network[n].model)
        return HTMT_TIME_MAX;
    snprintf(e->in_order, sizeof e->in_order,
             "what moves within a slice goes by others inside network %s",
             e->machine->network[n].name);
    return 0;
}

static htmt_time lookahead_of(struct htmt_emulator *e)
{
    htmt_time least = HTMT_TIME_MAX;
    bool alone = e->options.symmetry == HTMT_INDEPENDENT;
    for (uint32_t from = 0; from < e->layers && e->played > 1; from++)
        for (uint32_t to = 0; to < e->layers; to++) {
            htmt_time others = alone ? HTMT_TIME_MAX : ahead_to_others(e, from, to);
            htmt_time within = ahead_within(e, from, to);
            least = others < least ? others : least;
            least = within < least ? within : least;
        }
    return least;
}

static const char *observed(const struct htmt_options *o)
{
    return o->clock == HTMT_CLOCK_SEQUENTIAL ? "it was asked for"
           : o->explain                      ? "the critical path is followed"
           : o->lint                         ? "departures are counted"
           : o->what_if                      ? "what-if moves"
           : o->recording                    ? "a trace is recorded"
           : o->observe                      ? "an observer hears every event"
           : o->mode == HTMT_RUN             ? "kernels run"
                                             : NULL;
}

void htmt__windows_choose(struct htmt_emulator *e)
{
    const char *why = observed(&e->options);
    htmt_time most = e->options.window_most;
    if (why)
        snprintf(e->in_order, sizeof e->in_order, "%s", why);
    else
        e->lookahead = lookahead_of(e);
    if (most && most < e->lookahead)
        e->lookahead = most;
}

/* ---- memory ---------------------------------------------------------------------------------- */

int htmt__windows_create(struct htmt_emulator *e)
{
    const size_t lines = htmt__line_count(e);
    struct htmt__windows *w;
    if (lines > HTMT__LINES_MAX) {
        e->lookahead = 0;
        snprintf(e->in_order, sizeof e->in_order, "types have more than %u steps", HTMT__LINES_MAX);
    }
    if (!e->lookahead)
        return 0;
    w = htmt__record_alloc(sizeof *w + e->played * sizeof w->lane[0]);
    if (w)
        w->lines = calloc(e->played * lines, sizeof(struct htmt__entity *));
    if (!w || !w->lines) {
        free(w);
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lanes of %u slices", e->played);
    }
    w->width = e->lookahead;
    w->current = HTMT__WINDOWS - 1; /* window 0 begins with the first event */
    w->per_fs = UINT64_MAX / (uint64_t)w->width;
    for (uint32_t i = 0; i < e->played; i++) {
        w->lane[i].last = w->lines + i * lines;
        w->lane[i].window = HTMT__PLAYING; /* until it has been put */
        htmt__lane_init(&w->lane[i]);
    }
    e->windows = w;
    return 0;
}

void htmt__windows_destroy(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    if (!w)
        return;
    for (uint32_t i = 0; i < e->played; i++) {
        htmt__lane_fini(&w->lane[i]);
        htmt__bookings_fini(&w->lane[i]);
    }
    free(w->lines);
    free(w);
    e->windows = NULL;
}

/* ---- the calendar ---------------------------------------------------------------------------- */

/* The window of an instant after the present one. */
static uint32_t window_of(const struct htmt__windows *w, htmt_time at)
{
    uint64_t ahead = (uint64_t)at - (uint64_t)w->base;
    uint64_t window = (uint64_t)((htmt_uwide)ahead * w->per_fs >> 64);
    window += (htmt_uwide)(window + 1) * (uint64_t)w->width <= ahead; /* rounded down twice */
    if (window <= w->current)
        window = w->current + 1u;
    return window < HTMT__WINDOWS ? (uint32_t)window : HTMT__LATER;
}

static void link_in(struct htmt__windows *w, struct htmt__lane *l, uint32_t window)
{
    struct htmt__lane *first = w->list[window];
    l->window = window;
    l->prev = NULL;
    l->next = first;
    if (first)
        first->prev = l;
    else if (window < HTMT__WINDOWS)
        w->busy[window / 64] |= UINT64_C(1) << window % 64;
    w->list[window] = l;
}

static void unlink_from(struct htmt__windows *w, struct htmt__lane *l)
{
    if (l->next)
        l->next->prev = l->prev;
    if (l->prev) {
        l->prev->next = l->next;
        return;
    }
    w->list[l->window] = l->next;
    if (!l->next && l->window < HTMT__WINDOWS)
        w->busy[l->window / 64] &= ~(UINT64_C(1) << l->window % 64);
}

void htmt__windows_put(struct htmt__windows *w, struct htmt__lane *l)
{
    htmt_time next = htmt__lane_next(l);
    if (next == HTMT_TIME_MAX)
        l->window = HTMT__IDLE;
    else
        link_in(w, l, window_of(w, next));
}

void htmt__windows_earlier(struct htmt__windows *w, struct htmt__lane *l)
{
    if (l->window == HTMT__PLAYING || l->window == w->current)
        return;
    uint32_t window = window_of(w, htmt__lane_next(l));
    if (window >= l->window && l->window != HTMT__IDLE)
        return;
    if (l->window != HTMT__IDLE)
        unlink_from(w, l);
    link_in(w, l, window);
}

/* HTMT__WINDOWS: none from there on. */
static uint32_t find_busy(const struct htmt__windows *w, uint32_t window)
{
    if (window >= HTMT__WINDOWS)
        return HTMT__WINDOWS;
    uint32_t word = window / 64;
    uint64_t bits = w->busy[word] >> window % 64 << window % 64;
    while (!bits && ++word < HTMT__WINDOWS / 64)
        bits = w->busy[word];
    return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : HTMT__WINDOWS;
}

/* Window 0 begins with the first event of those that were later. */
static bool turn_over(struct htmt__windows *w)
{
    struct htmt__lane *later = w->list[HTMT__LATER], *next;
    htmt_time first = HTMT_TIME_MAX;
    for (const struct htmt__lane *l = later; l; l = l->next)
        first = htmt__lane_next(l) < first ? htmt__lane_next(l) : first;
    w->list[HTMT__LATER] = NULL;
    w->base = first;
    w->current = 0;
    for (struct htmt__lane *l = later; l; l = next) {
        next = l->next;
        uint64_t ahead = (uint64_t)htmt__lane_next(l) - (uint64_t)first;
        bool at_once = ahead < (uint64_t)w->width;
        link_in(w, l, at_once ? 0 : window_of(w, htmt__lane_next(l)));
    }
    return later != NULL;
}

static void begin_window(struct htmt__windows *w, uint32_t window)
{
    htmt_uwide from = (htmt_uwide)window * (uint64_t)w->width + (uint64_t)w->base;
    htmt_uwide end = from + (uint64_t)w->width;
    w->current = window;
    w->from = (htmt_time)from;
    w->last = (htmt_time)(end < HTMT_TIME_MAX ? end : HTMT_TIME_MAX) - 1;
    w->played++;
}

struct htmt__lane *htmt__windows_next(struct htmt__windows *w)
{
    uint32_t window = find_busy(w, w->current + 1);
    if (window == HTMT__WINDOWS) {
        if (!turn_over(w))
            return NULL;
        window = 0;
    }
    begin_window(w, window);
    return htmt__windows_slice(w);
}
