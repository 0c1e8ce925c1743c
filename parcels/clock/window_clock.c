/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock that goes from window to window, in which partitions are played one by one or side by
 * side.
 *
 * The idea. What a slice sends at time t causes nothing in another slice before t + lookahead
 * (window.c). So in a window that begins with the next event of all and is no wider than the
 * lookahead, no partition can hear of what another one does in that window. Each may be played to
 * the window's end by itself, on any thread. What it has for others it puts down in outboxes, and
 * they take it in before they play the next window.
 *
 *     next event of all        T            T + width
 *     partition 0              |--x--x-------|          x: events
 *     partition 1              |-x----x--x---|
 *     sent in the window       . . . . . . . . |-----   due here at the earliest
 *
 * Why the result is that of one clock. (1) Each slice meets the same events: none arrives in a
 * window that is being played. (2) It meets them in the same order: events have times and keys
 * (entity.h), and keys do not depend on when an event was scheduled or by whom. (3) An event
 * touches one slice only, an arrival that of its target. (4) All else that is told is a sum, a
 * least or a greatest value (partition.c; the history is a sum, too: runtime/sim/history.h), or is
 * kept with the turn of its event and sorted: observers (event_observers.c), failures (below).
 *
 * Failures. Several partitions may fail in one window. A partition stops where it fails, and notes
 * the instant and the turn of its failure. The others play to the end of the window or to a failure
 * of their own. Then the least (time, turn) of all is the one that one clock would have met first,
 * because before it nothing differs. The host's wish to end comes with no turn: it counts as behind
 * all turns that were played.
 *
 * What it costs. A round of the threads per window (runtime/host/team.c), and a look at each
 * partition. So windows should have many events. Whether a window is shared by threads is decided
 * by what was measured (sharing.c); a thread that is done takes another one's partitions, of which
 * there are two a thread.
 *
 * By hand: lookahead 400; partition 0 has events at 1,000 and 1,350, partition 1 at 1,200. Window
 * [1,000, 1,400). The event of 1,000 sends to partition 1: it is due at 1,400 or later, say 1,420.
 * Partition 0 plays 1,000 and 1,350, partition 1 plays 1,200; in which order does not matter. The
 * next event of all is the one that was sent (p->sent): the next window is [1,420, 1,820).
 */
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/play.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/message/capture.h"
#include "parcels/message/cell_clock.h"
#include "parcels/walk/context.h"
#include "runtime/host/monotonic.h"
#include "runtime/host/team.h"

#include <stdlib.h>

/* ---- begin ----------------------------------------------------------------------------------- */

/* Roots go, in the order in which they were made, each to its slice's partition. Those that another
 * process plays end here. */
static void begin(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    for (uint32_t i = w->first; i < w->end; i++)
        atomic_store(&w->partition[i].e->state, HTMT__RUNNING);
    for (struct htmt__entity *p = e->ready.head, *next; p; p = next) {
        struct htmt_emulator *copy = w->partition[w->partition_of[p->slice]].e;
        struct htmt_type *t = p->type;
        next = p->queue;
        if (!copy) {
            if (e->data)
                htmt__data_discard(e->data, p->closure);
            p->closure = NULL; /* a message of another process may be placed here */
            htmt__body_free(e, t, p->body);
            p->body = NULL;
            htmt__entity_free(e, p, (enum htmt__kind)p->kind);
            continue;
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
    e->ready = (struct htmt__list){0};
    if (htmt__explained(e))
        e->explain->begin(e);
}

/* ---- taking in ------------------------------------------------------------------------------- */

/* What one other partition put down during the last window; it does not play that window any more.
 * The leg of a message is charged here from now on. An event at HTMT_TIME_MAX is none: the
 * message's packets come. */
static void take_box(struct htmt_emulator *e, struct htmt__outbox *o)
{
    for (uint32_t i = 0; i < o->events; i++) {
        struct htmt__head h = o->event[i];
        struct htmt__leg *g = h.p->kind == HTMT__MESSAGE ? &h.p->message->leg : NULL;
        if (g && g->network != HTMT__NO_NETWORK) {
            g->stats = htmt__message_stats_here(e, g->network, g->from, g->to,
                                                htmt__message_group_of(h.p->message));
            if (!g->stats)
                break;
        }
        if (h.at < HTMT_TIME_MAX && htmt__schedule_here(e, h.p, h.at))
            break;
    }
    for (uint32_t i = 0; i < o->packets; i++)
        if (htmt__packet_queue_push(&e->packets->queue, &o->packet[i].event, o->packet[i].network))
            htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    for (uint32_t i = 0; i < o->tells; i++)
        htmt__cell_clock_hear(e, &o->tell[i]);
    o->events = o->packets = o->tells = 0;
    for (struct htmt__entity *p = o->over, *next; p; p = next) {
        next = p->queue;
        if (e->guard)
            htmt__guard_enter(e->guard, p->slice);
        htmt__message_over(e, p);
    }
    o->over = NULL;
}

/* From those who have set their bits. Errors (latched): HTMT_ENOMEM. */
static void take_in(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    const unsigned last = ~w->round & 1;
    _Atomic uint64_t *mail = e->partition->mail[last];
    for (uint32_t word = 0; mail && word < (w->partitions + 63) / 64; word++) {
        uint64_t bits = atomic_load(&mail[word]);
        if (bits)
            atomic_store(&mail[word], 0);
        for (; bits; bits &= bits - 1) {
            uint32_t from = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct htmt__outbox *o =
                htmt__outbox_for(&w->partition[from].outbox[last], e->partition->number);
            if (o)
                take_box(e, o);
        }
    }
}

/* ---- one partition --------------------------------------------------------------------------- */

static struct htmt__failure of_kernel(const struct htmt__turn *turn)
{
    return (struct htmt__failure){turn->at, (htmt_uwide)turn->phase << 64 | turn->key};
}

/* A kernel fails when its turn comes, though it may have run before. Slices that are played one by
 * one note their failures themselves (htmt__alone_run). What the host's wish to end has left: the
 * next turn, or, one by one, all of the present slice. */
static void note_ends(struct htmt_emulator *e, const struct htmt__windows *w,
                      struct htmt__partition *p)
{
    struct htmt__turn turn;
    if (e->fault.code && !e->alone)
        e->failure = e->data && htmt__diagnostics_first(e->diagnostics, &turn)
                         ? of_kernel(&turn)
                         : (struct htmt__failure){e->now, htmt__order(e)};
    p->next = htmt__turn_next(e);
    p->rest = (struct htmt__failure){HTMT_TIME_MAX, 0};
    if (!atomic_load(&w->stop) || e->fault.code)
        return;
    bool by_slice = e->options.symmetry == HTMT_INDEPENDENT;
    p->rest = e->alone ? (struct htmt__failure){0, by_slice ? e->present : 0}
                       : (struct htmt__failure){p->next, 0};
}

/* Its slices in this window, on any thread. */
static void play(struct htmt__windows *w, struct htmt__partition *p)
{
    struct htmt_emulator *e = p->e;
    const struct htmt__caller outside = htmt__caller;
    struct htmt__callback_scope_before before = htmt__callback_scope_begin(e, htmt__control_scope);
    htmt__caller = (struct htmt__caller){.control = HTMT__NO_CONTROL, .fault = &e->fault};
    e->clock = pthread_self();
    p->sent = HTMT_TIME_MAX;
    take_in(e);
    if (htmt__explained(e))
        e->explain->past(e);
    if (e->alone) {
        struct htmt__list *roots = htmt__roots_sort(e);
        e->ready = (struct htmt__list){0};
        if (roots)
            htmt__alone_run(e, p->slice, p->slices, roots);
        free(roots);
        if (!e->fault.code)
            htmt__partition_rest(e);
    } else if (e->ready.head || w->quiet || htmt__turn_next(e) <= w->last) {
        if (e->ready.head)
            htmt__roots_run(e);
        if (w->quiet)
            htmt__quiet_round(e, w->from, w->quiet);
        p->events += htmt__play(e, w->last);
        htmt__turn_over(e);
        htmt__captures_send(e);
    }
    note_ends(e, w, p);
    htmt__caller = outside;
    htmt__callback_scope_end(before);
}

/* ---- one window ------------------------------------------------------------------------------ */

/* If the host wishes to end, the rest are skipped: nothing of them has been played in this window.
 */
static void play_piece(void *whose, uint32_t piece, bool helping)
{
    struct htmt__windows *w = ((struct htmt_emulator *)whose)->windows;
    struct htmt__partition *p = &w->partition[w->first + piece];
    bool by_slice = p->e->options.symmetry == HTMT_INDEPENDENT;
    p->helped = helping;
    p->events = 0;
    if (atomic_load(&w->stop))
        p->rest = (struct htmt__failure){w->from, by_slice ? p->slice[0] : 0};
    else
        play(w, p);
}

static void look(void *whose)
{
    htmt__look_around(whose);
}

/* Threads that may play, if there are several: those that were asked for, where there are
 * processors for them. */
static void make_team(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    const bool must = e->options.clock == HTMT_CLOCK_SHARED;
    const unsigned processors = w->threads > 1 ? htmt__team_processors() : 1;
    const uint32_t players = must || w->threads < processors ? w->threads : processors;
    const struct htmt__team_options o = {.threads = players - 1,
                                         .processors = processors,
                                         .pieces = w->end - w->first,
                                         .work = play_piece,
                                         .look = look,
                                         .whose = e,
                                         .diagnose = e->options.diagnose,
                                         .watchdog = e->watchdog};
    if (players <= 1)
        return;
    int rc = htmt__team_create(&w->team, &o);
    if (!rc && must)
        rc = htmt__team_start(w->team);
    if (rc)
        htmt__fail(e, rc, "the clock gets no %u threads", w->threads);
    w->sharing.always = must || e->alone || e->data;
}

/* By the team; what it did is told. */
static void play_with_team(struct htmt_emulator *e, uint64_t load)
{
    struct htmt__windows *w = e->windows;
    const struct htmt__playing way = htmt__sharing_way(&w->sharing, load);
    struct htmt__team_round round = {.invite = way.shared, .late = way.late};
    struct htmt__window_played played = {.events = 0};
    played.on = htmt__team_round(w->team, &round, way.measured);
    played.now = way.measured ? htmt__monotonic_ns() : 0;
    played.passed = round.passed;
    played.awaited = round.awaited;
    played.joined = round.invite;
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__partition *p = &w->partition[i];
        played.events += p->events;
        played.own += p->helped ? 0 : p->events;
    }
    w->shared += round.invite;
    w->awaited += round.awaited;
    htmt__sharing_heard(&w->sharing, load, way, &played);
}

/* Returns how many events the window had, some of which were told before (play.c). */
static uint64_t play_partitions(struct htmt_emulator *e, uint64_t load)
{
    struct htmt__windows *w = e->windows;
    const uint64_t before = atomic_load(&w->events);
    uint64_t events = 0;
    if (w->team)
        play_with_team(e, load);
    for (uint32_t i = w->first; i < w->end; i++) {
        if (!w->team)
            play_piece(e, i - w->first, false);
        events += w->partition[i].events;
    }
    atomic_store(&w->events, before + events);
    return events;
}

/* ---- from window to window ------------------------------------------------------------------- */

/* All turns of that instant. */
static struct htmt__failure behind(htmt_time at)
{
    struct htmt__failure last = {at, 0};
    last.order = ~last.order;
    return last;
}

/* Of the failures of all partitions the first one is the whole's. The host's wish to end does not
 * hide a failure that nothing left can come before; a window of which somebody hears is played to
 * its end. Other failures of the whole come before all. */
static void find_failure(struct htmt_emulator *e, htmt_time latest)
{
    const struct htmt__windows *w = e->windows;
    const struct htmt_emulator *failed = NULL;
    struct htmt__failure rest = {HTMT_TIME_MAX, 0};
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__partition *p = &w->partition[i];
        if (p->e->fault.code && (!failed || htmt__fails_before(p->e->failure, failed->failure)))
            failed = p->e;
        if (htmt__fails_before(p->rest, rest))
            rest = p->rest;
    }
    if (e->fault.code == HTMT_ECANCELLED)
        e->failure = htmt__watched(e) ? behind(latest) : rest;
    else if (e->fault.code)
        e->failure = (struct htmt__failure){e->now, 0};
    if (failed && (!e->fault.code || htmt__fails_before(failed->failure, e->failure))) {
        e->fault = failed->fault;
        e->failure = failed->failure;
    }
}

/* This process's word becomes that of all. */
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
        all->came |= r->word[i].came;
    }
    if (r->fault.code) {
        e->fault = r->fault;
        e->failure = r->failure;
    }
}

/* No event is left: a round of htmt_quiet() is due, the first one, or since something came of the
 * last one. */
static bool begins_quiet(const struct htmt_emulator *e, const struct htmt__rank_word *all)
{
    return e->quiet && (!e->quiet_rounds || all->came);
}

/* The window is over. The next one begins with the next event of all, be it pending or sent. false:
 * there is none, or a slice has failed. */
static bool next_window(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    struct htmt__rank_word all = {.next = HTMT_TIME_MAX};
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__partition *p = &w->partition[i];
        all.next = p->next < all.next ? p->next : all.next;
        all.next = p->sent < all.next ? p->sent : all.next;
        all.now = p->e->now > all.now ? p->e->now : all.now;
        all.came |= p->e->came;
    }
    find_failure(e, all.now);
    const bool failed = all.failed = e->fault.code != 0;
    if (e->options.observe)
        htmt__observed_tell(e);
    if (htmt__watched(e) && htmt__explained(e))
        e->explain->window(e);
    if (e->fault.code && !failed) /* telling has failed */
        e->failure = behind(all.now);
    if (w->rank)
        hear_ranks(e, &all);
    w->latest = all.now;
    if (e->fault.code || (all.next == HTMT_TIME_MAX && !begins_quiet(e, &all)))
        return false;
    w->quiet = all.next == HTMT_TIME_MAX ? ++e->quiet_rounds : 0;
    w->from = e->now = w->quiet ? all.now : all.next;
    w->last = w->from < HTMT_TIME_MAX - w->width ? w->from + w->width - 1 : HTMT_TIME_MAX - 1;
    return true;
}

/* From one look at the host's wishes to the next, in short windows: events, or windows, of which
 * other ranks may have all events. */
#define LOOK_EVENTS  65536u
#define LOOK_WINDOWS 1024u

/* Events that are kept for the time of a window: who is watched has windows that are not too wide
 * for the host's memory. */
#define KEPT_FEW  16384u
#define KEPT_MANY 262144u

static void play_windows(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    uint64_t load = 0, events = 0, looked = 0;
    w->last = w->width - 1;
    do {
        w->played++;
        w->round++;
        const uint64_t more = play_partitions(e, load);
        load = (7 * load + more + 7) / 8;
        if (htmt__watched(e) && more > KEPT_MANY && w->width > 1)
            w->width /= 2;
        else if (htmt__watched(e) && more < KEPT_FEW && w->width < e->lookahead)
            w->width = w->width < e->lookahead / 2 ? 2 * w->width : e->lookahead;
        events += more;
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
        if (w->partition[i].e) /* else the run was refused before it began */
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

/* First all take in what the last window has left. */
static void finish(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    bool in_time = e->options.symmetry != HTMT_INDEPENDENT && e->fault.code != HTMT_ECANCELLED;
    w->round++;
    for (uint32_t i = w->first; i < w->end; i++)
        take_in(w->partition[i].e);
    if (e->guard)
        htmt__guard_open(e->guard);
    for (uint32_t i = w->first; i < w->end; i++)
        htmt__partition_merge(e, &w->partition[i]);
    e->now = e->fault.code && in_time ? e->failure.at : w->latest;
    for (uint32_t i = w->first; i < w->end; i++) {
        struct htmt_emulator *copy = w->partition[i].e;
        if (!htmt__explained(copy))
            continue;
        copy->now = e->now;
        copy->explain->close(copy);
        copy->explain->merge(e, copy);
    }
}

void htmt__window_clock(struct htmt_emulator *e)
{
    if (e->fault.code || (e->windows->rank && htmt__rank_compare(e)))
        return;
    begin(e);
    if (!e->fault.code)
        make_team(e);
    if (!e->fault.code)
        play_windows(e);
    htmt__team_destroy(&e->windows->team);
    finish(e);
}
