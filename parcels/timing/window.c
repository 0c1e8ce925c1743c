/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/window.h"
#include "parcels/timing/booking.h"
#include "runtime/base/pages.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- lookahead ------------------------------------------------------------------------------- */

/* From the moment at which something leaves a layer for another slice to its first event there. */
static htmt_time ahead_of(const struct htmt_emulator *e, uint32_t network, uint32_t from,
                          uint32_t to)
{
    const struct htmt_network *n = &e->machine->network[network];
    if (n->port[to].in)
        return n->startup + n->latency;
    htmt_time word = htmt_machine_out_time(e->machine, network, from, to, 1, 1, 1);
    htmt_time arrives = word < 0 ? HTMT_TIME_MAX : word;
    return arrives < HTMT_TIME_MAX - n->latency ? arrives + n->latency : HTMT_TIME_MAX;
}

static void shorten(struct htmt_emulator *e, htmt_time *least, uint32_t network, htmt_time ahead)
{
    if (ahead <= 0)
        snprintf(e->in_order, sizeof e->in_order, "network %s joins slices without a latency",
                 e->machine->network[network].name);
    *least = ahead < *least ? ahead : *least;
}

/* From place to place. What moves within a slice passes places of others: not where slices play one
 * after another, nor where another slice's parcel may not be touched (guard.h). */
static void shorten_inside(struct htmt_emulator *e, htmt_time *least, uint32_t network)
{
    bool alone = e->options.symmetry == HTMT_INDEPENDENT, moves = false;
    for (uint32_t from = 0; from < e->layers; from++)
        for (uint32_t to = 0; to < e->layers; to++)
            moves |= htmt_machine_route(e->machine, from, to, false) == (int)network;
    if (moves && (alone || e->options.checked)) {
        snprintf(e->in_order, sizeof e->in_order,
                 "what moves within a slice goes by others inside network %s",
                 e->machine->network[network].name);
        *least = 0;
    } else if (!alone) {
        shorten(e, least, network, e->machine->network[network].latency);
    }
}

static htmt_time lookahead_of(struct htmt_emulator *e)
{
    htmt_time least = HTMT_TIME_MAX;
    bool alone = e->options.symmetry == HTMT_INDEPENDENT;
    for (uint32_t n = 0; n < e->networks && e->played > 1; n++)
        if (e->machine->network[n].model)
            shorten_inside(e, &least, n);
    for (uint32_t from = 0; from < e->layers && e->played > 1 && !alone; from++)
        for (uint32_t to = 0; to < e->layers; to++) {
            int n = htmt_machine_route(e->machine, from, to, true);
            if (n >= 0 && !e->machine->network[n].model)
                shorten(e, &least, (uint32_t)n, ahead_of(e, (uint32_t)n, from, to));
        }
    return least;
}

/* What needs the events of all slices in order. */
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
    if (!why)
        e->lookahead = lookahead_of(e);
    if (!why && e->lookahead < HTMT_TIME_MAX && e->options.clock == HTMT_CLOCK_AUTO) {
        why = "on one thread it is faster";
        e->lookahead = 0;
    }
    if (why && !e->in_order[0])
        snprintf(e->in_order, sizeof e->in_order, "%s", why);
    if (most && most < e->lookahead && e->options.symmetry != HTMT_INDEPENDENT)
        e->lookahead = most;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool make_arrays(struct htmt__windows *w)
{
    w->line = htmt__table_alloc(w->lanes * w->lines, sizeof *w->line);
    w->lane = htmt__table_alloc(w->lanes, sizeof *w->lane);
    w->due = calloc(w->slices, sizeof *w->due);
    w->slice = calloc(w->slices, sizeof *w->slice);
    return w->line && w->lane && w->due && w->slice;
}

static void free_all(struct htmt__windows *w)
{
    htmt__table_free(w->line, w->lanes * w->lines, sizeof *w->line);
    htmt__table_free(w->lane, w->lanes, sizeof *w->lane);
    free(w->due);
    free(w->slice);
    free(w);
}

static void begin(struct htmt__windows *w, htmt_time width)
{
    w->width = width;
    w->current = HTMT__WINDOWS - 1; /* window 0 begins with the first event */
    w->per_fs = UINT64_MAX / (uint64_t)width;
    for (uint32_t i = 0; i <= HTMT__WINDOWS; i++)
        w->list[i] = HTMT__NOBODY;
    for (uint32_t i = 0; i < w->slices; i++)
        w->due[i].window = HTMT__PLAYING;
    for (uint32_t i = 0; i < w->lanes; i++)
        htmt__lane_init(&w->lane[i], w->line + i * w->lines, w->lines);
}

int htmt__windows_create(struct htmt_emulator *e)
{
    const size_t lines = htmt__line_count(e);
    if (lines > HTMT__LINES_MAX) {
        e->lookahead = 0;
        snprintf(e->in_order, sizeof e->in_order, "types have more than %u steps", HTMT__LINES_MAX);
    }
    if (!e->lookahead)
        return 0;
    struct htmt__windows *w = calloc(1, sizeof *w);
    if (w) {
        w->slices = e->played;
        w->lanes = e->options.symmetry == HTMT_INDEPENDENT ? 1 : e->played;
        w->lines = lines;
    }
    if (!w || !make_arrays(w)) {
        if (w)
            free_all(w);
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lanes of %u slices", e->played);
    }
    begin(w, e->lookahead);
    e->windows = w;
    return 0;
}

void htmt__windows_destroy(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    if (!w)
        return;
    for (uint32_t i = 0; i < w->lanes; i++) {
        htmt__lane_fini(&w->lane[i], w->lines);
        htmt__bookings_fini(&w->lane[i]);
    }
    free_all(w);
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

static void link_in(struct htmt__windows *w, uint32_t slice, uint32_t window)
{
    uint32_t first = w->list[window];
    w->due[slice] = (struct htmt__due){window, first, HTMT__NOBODY};
    w->list[window] = slice;
    if (first != HTMT__NOBODY)
        w->due[first].prev = slice;
    else if (window < HTMT__WINDOWS)
        w->busy[window / 64] |= UINT64_C(1) << window % 64;
}

static void unlink_from(struct htmt__windows *w, uint32_t slice)
{
    const struct htmt__due *s = &w->due[slice];
    if (s->next != HTMT__NOBODY)
        w->due[s->next].prev = s->prev;
    if (s->prev != HTMT__NOBODY) {
        w->due[s->prev].next = s->next;
        return;
    }
    w->list[s->window] = s->next;
    if (s->next == HTMT__NOBODY && s->window < HTMT__WINDOWS)
        w->busy[s->window / 64] &= ~(UINT64_C(1) << s->window % 64);
}

void htmt__windows_put(struct htmt__windows *w, uint32_t slice)
{
    htmt_time next = htmt__lane_next(&w->lane[slice]);
    if (next == HTMT_TIME_MAX)
        w->due[slice].window = HTMT__IDLE;
    else
        link_in(w, slice, window_of(w, next));
}

void htmt__windows_earlier(struct htmt__windows *w, uint32_t slice)
{
    uint32_t present = w->due[slice].window;
    if (present == HTMT__PLAYING)
        return;
    uint32_t window = window_of(w, htmt__lane_next(&w->lane[slice]));
    if (window >= present && present != HTMT__IDLE)
        return;
    if (present != HTMT__IDLE)
        unlink_from(w, slice);
    link_in(w, slice, window);
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
    uint32_t later = w->list[HTMT__LATER], next;
    htmt_time first = HTMT_TIME_MAX;
    for (uint32_t i = later; i != HTMT__NOBODY; i = w->due[i].next) {
        htmt_time at = htmt__lane_next(&w->lane[i]);
        first = at < first ? at : first;
    }
    w->list[HTMT__LATER] = HTMT__NOBODY;
    w->base = first;
    w->current = 0;
    for (uint32_t i = later; i != HTMT__NOBODY; i = next) {
        htmt_time at = htmt__lane_next(&w->lane[i]);
        next = w->due[i].next;
        link_in(w, i, at - first < w->width ? 0 : window_of(w, at));
    }
    return later != HTMT__NOBODY;
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

/* They leave the list: nobody joins it any more. */
static void take_slices(struct htmt__windows *w, uint32_t window)
{
    w->count = 0;
    for (uint32_t i = w->list[window]; i != HTMT__NOBODY; i = w->due[i].next) {
        w->slice[w->count++] = i;
        w->due[i].window = HTMT__PLAYING;
    }
    w->list[window] = HTMT__NOBODY;
    w->busy[window / 64] &= ~(UINT64_C(1) << window % 64);
}

bool htmt__windows_next(struct htmt__windows *w)
{
    uint32_t window = find_busy(w, w->current + 1);
    if (window == HTMT__WINDOWS) {
        if (!turn_over(w))
            return false;
        window = 0;
    }
    begin_window(w, window);
    take_slices(w, window);
    return true;
}
