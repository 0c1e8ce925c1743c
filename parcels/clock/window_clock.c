/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/window_clock.h"
#include "parcels/clock/event.h"
#include "parcels/clock/event_observers.h"
#include "parcels/clock/inbox.h"
#include "parcels/clock/independent_slices.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/play.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/turn.h"
#include "parcels/message/capture.h"
#include "parcels/walk/context.h"
#include "runtime/host/team.h"

#include <stdlib.h>

/* ---- roots ----------------------------------------------------------------------------------- */

/* In the order in which they were made, each to its slice's partition. */
static void deal_root(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__windows *w = e->windows;
    struct htmt_emulator *copy = w->partition[w->partition_of[p->slice]].e;
    struct htmt_type *t = p->type;
    if (!copy) { /* another process plays it */
        if (e->data)
            htmt__data_discard(e->data, p->closure);
        htmt__body_free(e, t, p->body);
        p->body = NULL;
        htmt__entity_free(e, p, (enum htmt__kind)p->kind);
        return;
    }
    if (e->data)
        htmt__data_closure_move(e->data, copy->data, p->closure);
    p->type = htmt__type_here(copy, t);
    p->step = p->type->step + (p->step - t->step);
    p->queue = NULL;
    if (copy->ready.tail)
        copy->ready.tail->queue = p;
    else
        copy->ready.head = p;
    copy->ready.tail = p;
}

static void deal_roots(struct htmt_emulator *e)
{
    struct htmt__entity *next;
    for (struct htmt__entity *p = e->ready.head; p; p = next) {
        next = p->queue;
        deal_root(e, p);
    }
    e->ready = (struct htmt__list){0};
}

static void begin(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    for (uint32_t i = w->first; i < w->end; i++)
        atomic_store(&w->partition[i].e->state, HTMT__RUNNING);
    deal_roots(e);
    if (htmt__explained(e))
        e->explain->begin(e);
}

/* ---- one partition --------------------------------------------------------------------------- */

static uint64_t play_window(struct htmt_emulator *e, const struct htmt__windows *w)
{
    if (e->ready.head)
        htmt__roots_run(e);
    uint64_t events = htmt__play(e, w->last);
    htmt__turn_over(e);
    htmt__captures_send(e);
    return events;
}

static void play_alone(struct htmt_emulator *e, const struct htmt__partition *p)
{
    struct htmt__list *roots = htmt__roots_sort(e);
    e->ready = (struct htmt__list){0};
    if (roots)
        htmt__alone_run(e, p->slice, p->slices, roots);
    free(roots);
    if (!e->fault.code)
        htmt__partition_rest(e);
}

static struct htmt__failure of_kernel(const struct htmt__turn *turn)
{
    return (struct htmt__failure){turn->at, (htmt_uwide)turn->phase << 64 | turn->key};
}

/* Of a kernel: when its turn came. */
static struct htmt__failure failure_of(const struct htmt_emulator *e)
{
    struct htmt__turn turn;
    if (e->data && htmt__diagnostics_first(e->diagnostics, &turn))
        return of_kernel(&turn);
    return (struct htmt__failure){e->now, htmt__order(e)};
}

/* Of slices that are played one by one: all of the present one. */
static struct htmt__failure rest_of(const struct htmt_emulator *e, const struct htmt__windows *w,
                                    htmt_time next)
{
    bool by_slice = e->options.symmetry == HTMT_INDEPENDENT;
    if (!atomic_load(&w->stop) || e->fault.code)
        return (struct htmt__failure){HTMT_TIME_MAX, 0};
    return e->alone ? (struct htmt__failure){0, by_slice ? e->present : 0}
                    : (struct htmt__failure){next, 0};
}

static void play_slices(struct htmt__windows *w, struct htmt__partition *p)
{
    struct htmt_emulator *e = p->e;
    uint64_t events = 0;
    htmt__inbox_take(e);
    if (htmt__explained(e))
        e->explain->past(e);
    if (e->alone) {
        play_alone(e, p);
    } else if (e->ready.head || htmt__turn_next(e) <= w->last) {
        htmt__booking_settle(e, w->from);
        events = play_window(e, w);
    }
    if (e->fault.code && !e->alone)
        e->failure = failure_of(e);
    p->next = htmt__turn_next(e);
    p->rest = rest_of(e, w, p->next);
    atomic_fetch_add(&w->events, events);
}

/* On any thread. */
static void play(struct htmt__windows *w, struct htmt__partition *p)
{
    const struct htmt__caller outside = htmt__caller;
    struct htmt__callback_scope_before before =
        htmt__callback_scope_begin(p->e, htmt__control_scope);
    htmt__caller = (struct htmt__caller){.control = HTMT__NO_CONTROL, .fault = &p->e->fault};
    p->e->clock = pthread_self();
    p->sent = HTMT_TIME_MAX;
    play_slices(w, p);
    htmt__caller = outside;
    htmt__callback_scope_end(before);
}

/* ---- one window ------------------------------------------------------------------------------ */

static void skip(const struct htmt__windows *w, struct htmt__partition *p)
{
    bool by_slice = p->e->options.symmetry == HTMT_INDEPENDENT;
    p->rest = (struct htmt__failure){w->from, by_slice ? p->slice[0] : 0};
}

/* A thread that has played a partition takes another one. */
static void play_claimed(void *whose)
{
    struct htmt__windows *w = ((struct htmt_emulator *)whose)->windows;
    for (uint32_t i; (i = atomic_fetch_add(&w->claimed, 1)) < w->end;)
        if (atomic_load(&w->stop))
            skip(w, &w->partition[i]);
        else
            play(w, &w->partition[i]);
}

static void look(void *whose)
{
    htmt__look_around(whose);
}

/* A window of so many events, on the average of the last ones, is worth several threads; or of
 * kernels. */
#define WORTH 64u

static bool is_worth(const struct htmt_emulator *e, uint64_t load)
{
    return e->windows->threads > 1 && (e->alone || e->data || load >= WORTH);
}

static bool make_team(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    const struct htmt__team_options o = {.threads = w->threads - 1,
                                         .work = play_claimed,
                                         .whose = e,
                                         .diagnose = e->options.diagnose,
                                         .watchdog = e->watchdog};
    int rc = w->team ? 0 : htmt__team_create(&w->team, &o);
    if (rc)
        htmt__fail(e, rc, "the clock gets no %u threads", w->threads);
    return !rc;
}

static void play_partitions(struct htmt_emulator *e, uint64_t load)
{
    struct htmt__windows *w = e->windows;
    atomic_store(&w->claimed, w->first);
    if (!is_worth(e, load)) {
        play_claimed(e);
    } else if (make_team(e)) {
        w->shared++;
        htmt__team_begin(w->team);
        play_claimed(e);
        w->awaited += htmt__team_await(w->team, look);
    }
}

/* ---- all windows ----------------------------------------------------------------------------- */

/* Of those that failed the first one; NULL: none has. */
static const struct htmt_emulator *failed_first(const struct htmt__windows *w)
{
    const struct htmt_emulator *first = NULL;
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt_emulator *copy = w->partition[i].e;
        bool before = !first || htmt__fails_before(copy->failure, first->failure);
        if (copy->fault.code && before)
            first = copy;
    }
    return first;
}

/* The first turn of all that the host's wish to end has left. */
static struct htmt__failure first_rest(const struct htmt__windows *w)
{
    struct htmt__failure first = {HTMT_TIME_MAX, 0};
    for (uint32_t i = w->first; i < w->end; i++)
        if (htmt__fails_before(w->partition[i].rest, first))
            first = w->partition[i].rest;
    return first;
}

/* All turns of that instant. */
static struct htmt__failure behind(htmt_time at)
{
    struct htmt__failure last = {at, 0};
    last.order = ~last.order;
    return last;
}

/* A window of which somebody hears is played to its end. */
static struct htmt__failure cancelled(const struct htmt_emulator *e, htmt_time latest)
{
    return htmt__watched(e) ? behind(latest) : first_rest(e->windows);
}

/* The host's wish to end does not hide a failure that nothing left can come before. Other failures
 * of the whole come before all. */
static void hear_failure(struct htmt_emulator *e, htmt_time latest)
{
    const struct htmt_emulator *failed = failed_first(e->windows);
    if (e->fault.code)
        e->failure = e->fault.code == HTMT_ECANCELLED ? cancelled(e, latest)
                                                      : (struct htmt__failure){e->now, 0};
    if (failed && (!e->fault.code || htmt__fails_before(failed->failure, e->failure))) {
        e->fault = failed->fault;
        e->failure = failed->failure;
    }
}

/* Of the partitions of this process. */
static struct htmt__rank_word sum_up(const struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    struct htmt__rank_word own = {.next = HTMT_TIME_MAX, .failed = e->fault.code != 0};
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__partition *p = &w->partition[i];
        own.next = p->next < own.next ? p->next : own.next;
        own.next = p->sent < own.next ? p->sent : own.next;
        own.now = p->e->now > own.now ? p->e->now : own.now;
    }
    return own;
}

/* Of those of all. */
static void hear_ranks(struct htmt_emulator *e, struct htmt__rank_word *all)
{
    struct htmt__rank *r = e->windows->rank;
    r->lost = htmt__rank_exchange(e, all, &e->fault, e->failure) != 0;
    if (r->lost) { /* the others do not hear of it: this process ends, and they with it */
        e->failure = (struct htmt__failure){e->now, 0};
        return;
    }
    for (uint32_t i = 0; i < r->ranks->count; i++) {
        all->next = r->word[i].next < all->next ? r->word[i].next : all->next;
        all->now = r->word[i].now > all->now ? r->word[i].now : all->now;
    }
    if (r->fault.code) {
        e->fault = r->fault;
        e->failure = r->failure;
    }
}

/* What was kept of the window, which ends at `latest`. */
static void tell_watchers(struct htmt_emulator *e, htmt_time latest)
{
    bool failed = e->fault.code != 0;
    if (e->options.observe)
        htmt__observed_tell(e);
    if (htmt__explained(e))
        e->explain->window(e);
    if (e->fault.code && !failed)
        e->failure = behind(latest);
}

/* The next one begins with the next event. false: there is none, or a slice has failed. */
static bool next_window(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    struct htmt__rank_word all = sum_up(e);
    hear_failure(e, all.now);
    all.failed = e->fault.code != 0;
    if (htmt__watched(e))
        tell_watchers(e, all.now);
    if (w->rank)
        hear_ranks(e, &all);
    w->latest = all.now;
    if (e->fault.code || all.next == HTMT_TIME_MAX)
        return false;
    w->from = e->now = all.next;
    w->last = w->from < HTMT_TIME_MAX - w->width ? w->from + w->width - 1 : HTMT_TIME_MAX - 1;
    return true;
}

/* From one look at the host's wishes to the next, in short windows: events, or windows, of which
 * other ranks may have all events. */
#define LOOK_EVENTS  65536u
#define LOOK_WINDOWS 1024u

/* Events that are kept for the time of a window. */
#define KEPT_FEW  16384u
#define KEPT_MANY 262144u

/* Who is watched has windows that are not too wide for the host's memory. */
static void fit_width(const struct htmt_emulator *e, uint64_t events)
{
    struct htmt__windows *w = e->windows;
    if (events > KEPT_MANY && w->width > 1)
        w->width /= 2;
    else if (events < KEPT_FEW && w->width < e->lookahead)
        w->width = w->width < e->lookahead / 2 ? 2 * w->width : e->lookahead;
}

static void play_windows(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    uint64_t load = 0, events = 0, looked = 0;
    w->last = w->width - 1;
    do {
        w->played++;
        w->round++;
        play_partitions(e, load);
        uint64_t all = atomic_load(&w->events);
        load = (7 * load + (all - events) + 7) / 8;
        if (htmt__watched(e))
            fit_width(e, all - events);
        events = all;
        if (events - looked >= LOOK_EVENTS || w->played % LOOK_WINDOWS == 0) {
            looked = events;
            htmt__look_around(e);
        }
    } while (next_window(e));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A kernel is told with others of its instant by its turn; one that is wrong and whose turn does
 * not come, behind all. */
void htmt__window_kernels(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    struct htmt__turn turn;
    for (uint32_t i = w->first; i < w->end; i++)
        htmt__diagnostics_gather(e->diagnostics, w->partition[i].e->diagnostics);
    if (!htmt__diagnostics_first(e->diagnostics, &turn))
        return;
    const struct htmt__failure failure = of_kernel(&turn);
    if (!e->fault.code || !htmt__fails_before(e->failure, failure)) {
        e->fault.code = 0;
        e->failure = failure;
        htmt__diagnostics_check(e->diagnostics, &e->fault);
    }
    htmt__diagnostics_forget(e->diagnostics);
}

/* All histories are complete. */
static void settle(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    w->round++;
    for (uint32_t i = w->first; i < w->end; i++)
        htmt__inbox_take(w->partition[i].e);
    for (uint32_t i = w->first; i < w->end; i++)
        htmt__booking_settle(w->partition[i].e, HTMT_TIME_MAX);
    if (e->guard)
        htmt__guard_open(e->guard);
    for (uint32_t i = w->first; i < w->end; i++)
        htmt__partition_merge(e, &w->partition[i]);
}

static void tell_merged(struct htmt_emulator *e, struct htmt_emulator *copy)
{
    if (!htmt__explained(copy))
        return;
    copy->now = e->now;
    copy->explain->close(copy);
    copy->explain->merge(e, copy);
}

static void finish(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    bool in_time = e->options.symmetry != HTMT_INDEPENDENT && e->fault.code != HTMT_ECANCELLED;
    settle(e);
    e->now = e->fault.code && in_time ? e->failure.at : w->latest;
    for (uint32_t i = w->first; i < w->end; i++)
        tell_merged(e, w->partition[i].e);
}

void htmt__window_clock(struct htmt_emulator *e)
{
    if (e->fault.code || (e->windows->rank && htmt__rank_compare(e)))
        return;
    begin(e);
    if (!e->fault.code)
        play_windows(e);
    htmt__team_destroy(&e->windows->team);
    finish(e);
}
