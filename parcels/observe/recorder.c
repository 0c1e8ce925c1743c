/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recording of a run.
 *
 * An interval is written when its end is known, so each slice's intervals are in the order of their
 * ends, and the writer needs no memory of the run: a block at a time. What an interval must know of
 * the past is its cause, the interval that brought its entity here, and its line, the interval that
 * ended its wait. Both are references, slice and number, given out in the order of writing. So
 * every entity has an origin, with the reference of its last interval, and every channel the
 * reference of its last user; nothing else is remembered. The clock tells, through a probe,
 * whenever one of them moves on:
 *
 * - turn: p's service has ended. Its interval is written; p stands at it from now on, and what
 * happens within this turn comes from it (r->now).
 *
 * - called: another entity set p off. p stands at r->now.
 *
 * - served: p had waited in a line until r->now. The wait becomes part of its next service.
 *
 * - woken: p had waited for words. That is an interval of its own.
 *
 * - out, in: a message occupies a channel. That is an interval on it, after the channel's last
 * user.
 *
 * Why it is right: whatever begins at an instant is begun by what ends at it, and the clock plays
 * ends as events; so r->now is always the interval whose end is being played, and it has a number
 * before anything that it causes.
 *
 * Example. Parcel 7 executes on a bank 0 to 10 while 8 waits; 8 executes 10 to 20 and calls 9. At
 * 10 7's turn writes interval 0 (served, 0 to 10), now = 0; 8 is served: line = 0, wait = 10. At 20
 * 8's turn writes interval 1 (served, 10 to 20, wait 10, line 0), now = 1; 9 is called and stands
 * at 1, so the cause of its first interval is 1.
 *
 * Memories are sampled when an instant is over, at most once: what a parcel takes and gives back in
 * one instant is no change. In a run with threads each partition has a recorder of its own, which
 * notes intervals and writes them later: record_part.c.
 *
 * Cost: some 30 instructions an interval beside its bytes; add_fast() is in line for that.
 */
#include "parcels/observe/recorder.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_footer.h"
#include "parcels/observe/record_part.h"
#include "parcels/observe/record_ports.h"
#include "parcels/observe/record_writer.h"
#include "parcels/observe/section.h"
#include "parcels/walk/context.h"
#include "runtime/base/array.h"

#include <stdlib.h>

#define COLD __attribute__((cold, noinline))

/* ---- intervals ------------------------------------------------------------------------------- */

/* 0: it is left out. */
static inline __attribute__((always_inline)) htmt__record_ref
add_fast(struct htmt_emulator *e, struct htmt__record_interval i)
{
    const struct htmt__recorder *r = e->recorder;
    if (__builtin_expect(i.step == UINT32_MAX, 0) ||
        (__builtin_expect(r->windowed, 0) &&
         htmt__record_outside(&r->options, i.end - i.service - i.wait, i.end)))
        return 0;
    return __builtin_expect(r->part, 0) ? htmt__record_note(e, &i) : htmt__record_write(e, &i);
}

static htmt__record_ref add(struct htmt_emulator *e, struct htmt__record_interval i)
{
    return add_fast(e, i);
}

static COLD void sample(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words)
{
    struct htmt__record_slice *s = &e->recorder->slice[slice];
    s->level[layer] = words;
    if (e->recorder->part)
        htmt__record_note_sample(e, slice, s->touched, layer, words);
    else
        htmt__record_write_sample(e, slice, s->touched, layer, words);
}

/* What a parcel took and gave back at that instant. */
static inline void sample_all(struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__record_slice *s = &e->recorder->slice[slice];
    for (uint32_t l = 0; l < e->layers; l++)
        if (s->store[l].used != s->level[l])
            sample(e, slice, l, s->store[l].used);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Twice its index; UINT32_MAX: left out. */
static inline uint32_t step_at(struct htmt_emulator *e, uint32_t *number,
                               const struct htmt__stage_stats *stats, enum htmt__record_place place)
{
    if (__builtin_expect(!*number, 0))
        *number = htmt__record_step_new(e, stats, place);
    return __builtin_expect(*number == 1, 0) ? UINT32_MAX : *number - 2;
}

static inline uint32_t step_of(struct htmt_emulator *e, struct htmt__stage_stats *stats,
                               enum htmt__record_place place)
{
    return step_at(e, &stats->recorded[place], stats, place);
}

static uint32_t step_without_stage(struct htmt_emulator *e, enum htmt__record_place place)
{
    return step_at(e, &e->recorder->number[place], NULL, place);
}

/* ---- origins --------------------------------------------------------------------------------- */

static COLD struct htmt__record_origin *
new_part(struct htmt_emulator *e, struct htmt__record_origins *o, unsigned part, uint32_t at)
{
    size_t count = (size_t)HTMT__RECORD_ORIGINS_FIRST << part;
    o->part[part] = calloc(count, sizeof **o->part);
    if (o->part[part])
        return &o->part[part][at];
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    return &e->recorder->nobody;
}

/* With 16 origins in the first part, part n begins at 16 * (2^n - 1). */
static inline struct htmt__record_origin *origin(struct htmt_emulator *e,
                                                 const struct htmt__entity *p)
{
    struct htmt__record_origins *o = &e->recorder->origins[p->slice];
    uint32_t index = p->index;
    if (__builtin_expect(e->guard != NULL, 0) && (index & HTMT__BETWEEN)) {
        o += e->played;
        index -= HTMT__BETWEEN;
    }
    unsigned part = 31u - (unsigned)__builtin_clz(index / HTMT__RECORD_ORIGINS_FIRST + 1);
    uint32_t at = index - HTMT__RECORD_ORIGINS_FIRST * ((1u << part) - 1);
    if (__builtin_expect(!o->part[part], 0))
        return new_part(e, o, part, at);
    return &o->part[part][at];
}

static void free_origins(struct htmt__record_origins *o)
{
    for (unsigned i = 0; i < HTMT__RECORD_ORIGINS; i++)
        free(o->part[i]);
}

/* Where ports are inside, the last word leaves while the message is the target's already, which may
 * play at the same time: so it is left in the origin, in fields that nobody needs on the way, and
 * taken from there in the message's next turn. That is a wire later, in another window. */
#define SENT_OFF (-1)

static inline void take_sent(struct htmt__record_origin *o)
{
    if (__builtin_expect(o->wait != SENT_OFF, 1))
        return;
    if (o->stands == o->before) /* else a channel at the target brought it */
        o->stands = o->line;
    o->wait = 0;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool is_served(const struct htmt__entity *p)
{
    return p->kind <= HTMT__FIBER && p->state == HTMT__PENDING && p->step->op == HTMT__SERVE;
}

/* A pause that followed the service p. */
static COLD void end_pause(struct htmt_emulator *e, const struct htmt__entity *p,
                           struct htmt__record_origin *o, htmt_time paused)
{
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_of(e, p->step->stats, HTMT__RECORD_PAUSED),
                                      .end = e->now,
                                      .service = paused,
                                      .serial = p->serial,
                                      .cause = o->stands};
    e->recorder->turn = e->recorder->now = o->stands = add(e, i);
}

/* Its service ends. */
static __attribute__((noinline)) void
end_service(struct htmt_emulator *e, const struct htmt__entity *p, struct htmt__record_origin *o)
{
    struct htmt__recorder *r = e->recorder;
    const htmt_time paused = htmt__paused(p);
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_of(e, p->step->stats, HTMT__RECORD_SERVED),
                                      .end = e->now - paused,
                                      .service = p->service - paused,
                                      .wait = o->wait,
                                      .serial = p->serial,
                                      .cause = o->stands,
                                      .line = o->line};
    o->wait = 0;
    r->turn = r->now = o->stands = add_fast(e, i);
    if (__builtin_expect(paused > 0, 0))
        end_pause(e, p, o, paused);
}

/* Memories change in turns of parcels only, and not where they pass another slice. */
static inline void touch(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__record_slice *s = &e->recorder->slice[slice];
    if (s->touched == e->now)
        return;
    sample_all(e, slice);
    s->touched = e->now;
}

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_origin *o = origin(e, p);
    if (p->kind == HTMT__PARCEL && !(p->head && p->inside))
        touch(e, p->slice);
    if (__builtin_expect(r->part, 0)) {
        r->playing = htmt__outbox_slice(p);
        r->turned = (struct htmt__failure){e->now, htmt__order(e)};
    }
    take_sent(o);
    if (is_served(p))
        end_service(e, p, o);
    else
        r->turn = r->now = p->state == HTMT__FOR_KERNEL && o->wait ? o->line : o->stands;
}

static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__record_origin *o = origin(e, p);
    o->before = o->stands;
    o->stands = e->recorder->now;
}

static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    (void)resource;
    struct htmt__record_origin *o = origin(e, p);
    o->wait = e->now - p->waiter.since;
    o->line = e->recorder->now;
}

/* ---- memories and mailboxes ------------------------------------------------------------------ */

/* Of the next step that has a stage, which is what p waits before; none is behind the last gate. */
static uint32_t step_ahead(struct htmt_emulator *e, const struct htmt__entity *p,
                           enum htmt__record_place place)
{
    const struct htmt__step *step = p->step;
    while (!step->stats && step->op < HTMT__END)
        step++;
    while (!step->stats)
        step--;
    return step_of(e, step->stats, place);
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    struct htmt__record_origin *o = origin(e, p);
    htmt_time wait = e->now - p->waiter.since;
    if (why != HTMT__SPACE || !wait)
        return;
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_ahead(e, p, HTMT__RECORD_STALLED + of),
                                      .end = e->now,
                                      .wait = wait,
                                      .serial = p->serial,
                                      .cause = o->before,
                                      .line = e->recorder->now};
    o->stands = add_fast(e, i);
}

static void room(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer)
{
    struct htmt__recorder *r = e->recorder;
    htmt_time wait = e->now - p->waiter.since;
    struct htmt__record_interval i = {.slice = htmt__played(e, p->message->leg.target),
                                      .end = e->now,
                                      .wait = wait,
                                      .serial = p->serial,
                                      .cause = origin(e, p)->stands,
                                      .line = r->turn};
    i.step = step_without_stage(e, HTMT__RECORD_ROOM + layer);
    r->now = origin(e, p)->stands = wait ? add(e, i) : r->turn;
}

/* What goes on now did not wait for room. */
static void why_now(struct htmt_emulator *e, enum htmt__why why, uint32_t of)
{
    (void)why, (void)of;
    e->recorder->now = e->recorder->turn;
}

/* ---- channels -------------------------------------------------------------------------------- */

static void channel(struct htmt_emulator *e, struct htmt__link *l, uint32_t number)
{
    struct htmt__recorder *r = e->recorder;
    r->used = l->channels == 1 ? NULL : &r->channel[htmt__channel_of(e, l, number)];
}

static inline htmt__record_ref *last_of(struct htmt_emulator *e, uint32_t slice, bool in,
                                        uint32_t network, uint32_t layer)
{
    const struct htmt__recorder *r = e->recorder;
    const struct htmt__link *link = htmt__port_at(e, slice, in, network, layer);
    size_t number = (size_t)(link - htmt__link_at(e, slice, 0));
    return r->used ? r->used : &r->channel[slice * r->channels + number];
}

/* Parts of a command of a bank machine's controller follow one another, and wait for nobody else.
 */
static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    (void)head;
    struct htmt__recorder *r = e->recorder;
    uint32_t slice = htmt__played(e, g->source);
    htmt__record_ref *last = last_of(e, slice, false, g->network, g->from);
    bool follows = start > e->now && e->net[g->network].bus;
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, g->stats, HTMT__RECORD_SENT),
                                      .end = start + g->out_time,
                                      .service = g->out_time,
                                      .wait = follows ? 0 : start - e->now,
                                      .serial = p->serial,
                                      .cause = follows ? *last : r->now,
                                      .line = *last};
    r->sent = *last = origin(e, p)->stands = add_fast(e, i);
}

/* What caused it is found when the channel is free again. */
static void asked(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__record_origin *o = origin(e, p);
    o->before = o->stands = e->recorder->now;
}

static void held(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                 htmt_time since, htmt_time start)
{
    struct htmt__recorder *r = e->recorder;
    uint32_t slice = htmt__played(e, g->source);
    htmt__record_ref *last = last_of(e, slice, false, g->network, g->from);
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, g->stats, HTMT__RECORD_SENT),
                                      .end = e->now,
                                      .service = e->now - start,
                                      .wait = start - since,
                                      .serial = p->serial,
                                      .cause = origin(e, p)->before,
                                      .line = *last};
    r->sent = *last = add_fast(e, i);
    struct htmt__record_origin *o = origin(e, p);
    o->line = r->sent;
    o->wait = SENT_OFF;
}

/* What its last word is late for comes from where it was sent. */
static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    struct htmt__record_origin *o = origin(e, p);
    uint32_t slice = htmt__played(e, g->target);
    htmt__record_ref *last = last_of(e, slice, true, g->network, g->to);
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, g->stats, HTMT__RECORD_RECEIVED),
                                      .end = start + g->in_time,
                                      .service = g->in_time,
                                      .wait = start - head,
                                      .serial = p->serial,
                                      .cause = o->stands,
                                      .line = *last};
    *last = add_fast(e, i);
    if (end == i.end)
        o->stands = *last;
}

/* A moment comes from what began its service, or from the message that it tells of. */
static void within(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats)
{
    (void)stats;
    origin(e, moment)->stands = e->recorder->now;
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p,
                     const struct htmt__entity *moment)
{
    (void)p;
    origin(e, moment)->stands = e->recorder->sent;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Changes that lie ahead may come in any order. */
static void section(struct htmt_emulator *e, uint32_t slice, uint32_t number, htmt_time at)
{
    struct htmt__record_slice *s = &e->recorder->slice[slice];
    bool is_on = number == s->section && at >= s->since;
    if (at < 0 || (is_on && at <= e->now))
        return;
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_without_stage(e, HTMT__RECORD_AT_SECTION),
                                      .end = at,
                                      .serial = number};
    add(e, i);
    if (at < s->since)
        return;
    s->section = number;
    s->since = at;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* What brought the post is not recorded. */
static void cell_served(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                        uint64_t serial, htmt_time began, htmt_time length)
{
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, stats, HTMT__RECORD_SERVED),
                                      .end = began + length,
                                      .service = length,
                                      .serial = serial};
    e->recorder->turn = e->recorder->now = add(e, i);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Objects took their words, and sections began, before time began. */
static void begin(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    r->turn = r->now = 0;
    if (r->begun)
        return;
    r->begun = true;
    if (htmt__record_filter_types(e, &r->options))
        htmt__record_give_up(e);
    for (uint32_t i = 0; i < e->played; i++) {
        struct htmt__record_slice *s = &r->slice[i];
        for (uint32_t l = 0; l < e->layers; l++)
            s->level[l] = s->block.words[l] = s->store[l].used;
        section(e, i, htmt__section_of(e, i), 0);
    }
}

/* Of slices that were played one after another: the last to end, of equal ones the first. */
static void end(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (e->now <= r->latest)
        return;
    r->latest = e->now;
    r->last = r->turn;
}

static void rest(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    if (e->fault.code)
        return;
    sample_all(e, slice);
    htmt__record_write_block(e, slice);
    htmt__record_block_fini(&r->slice[slice].block);
    free_origins(&r->origins[slice]);
    r->origins[slice] = (struct htmt__record_origins){0};
}

/* ---- partitions ------------------------------------------------------------------------------ */

static const struct htmt__explain_probe probe;

/* It hears of its own slices; the sections of these add a probe of their own. */
static void part(struct htmt_emulator *whole, struct htmt_emulator *copy)
{
    copy->recorder = htmt__record_part_create(whole->recorder, htmt__resource_count(whole));
    if (!copy->recorder || htmt__probes_add(copy, &probe))
        htmt__fail(copy, HTMT_ENOMEM, "no host memory for a recording");
}

static bool has_parts(const struct htmt_emulator *e)
{
    return e->windows && e->windows->played;
}

/* The emulator whose recorder hears of the slice. */
static struct htmt_emulator *recorded_by(struct htmt_emulator *e, uint32_t slice)
{
    return has_parts(e) ? e->windows->partition[e->windows->partition_of[slice]].e : e;
}

/* The end of all that was played. */
static void end_parts(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    const struct htmt__windows *w = e->windows;
    struct htmt__failure latest = {-1, 0};
    for (uint32_t i = w->first; i < w->end; i++) {
        const struct htmt__recorder *part = w->partition[i].e->recorder;
        bool behind = r->cut && htmt__fails_before(e->failure, part->turned);
        if (!behind && htmt__fails_before(latest, part->turned)) {
            latest = part->turned;
            r->last = part->turn;
        }
    }
    htmt__record_rest(e);
}

/* ---- what is open at the end ----------------------------------------------------------------- */

/* Where a slice has failed within a window, others have gone on. */
static bool has_stopped(const struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__recorder *whole = e->recorder->whole;
    return !whole->cut || slice == whole->failed;
}

/* An interval that the end of the run cuts off. Its step is that of intervals that are over; open
 * ones have the next number. */
static void add_open(struct htmt_emulator *e, struct htmt__record_interval i)
{
    if (!has_stopped(e, i.slice))
        return;
    i.step += i.step != UINT32_MAX;
    i.end = i.end ? i.end : e->whole->now;
    add(e, i);
    if (e->partition)
        htmt__record_rest(e->whole);
}

/* A service that has begun, and may be in its pause. */
static void add_begun(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time start)
{
    const struct htmt__record_origin *o = origin(e, p);
    const htmt_time now = e->whole->now, pause = htmt__paused(p),
                    from = pause ? start + p->service - pause : now, end = from < now ? from : now;
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_of(e, p->step->stats, HTMT__RECORD_SERVED),
                                      .end = end,
                                      .service = end - start,
                                      .wait = o->wait,
                                      .serial = p->serial,
                                      .cause = o->stands,
                                      .line = o->line};
    add_open(e, i);
    if (end == now)
        return;
    i.step = step_of(e, p->step->stats, HTMT__RECORD_PAUSED);
    i.end = now;
    i.service = now - end;
    i.wait = 0;
    i.line = 0;
    add_open(e, i);
}

/* An entity that waits, and for what. */
static void add_waiting(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__record_interval i = {.slice = p->slice, .serial = p->serial};
    htmt_time since = p->waiter.since;
    if (p->state == HTMT__FOR_KERNEL) {
        add_begun(e, p, e->whole->now);
        return;
    }
    if (p->state == HTMT__IN_LINE) {
        i.step = step_of(e, p->step->stats, HTMT__RECORD_SERVED);
    } else if (p->state == HTMT__FOR_SPACE) {
        i.step = step_ahead(e, p, HTMT__RECORD_STALLED + p->step->layer);
    } else if (p->state == HTMT__FOR_CALL) {
        i.step = step_ahead(e, p, HTMT__RECORD_GATE);
    } else if (p->state == HTMT__FOR_ROOM) {
        const struct htmt__leg *g = &p->message->leg;
        i.slice = htmt__played(e, g->target);
        i.step = step_without_stage(e, HTMT__RECORD_ROOM + g->to);
        since = htmt__message_mailbox(p->message) ? since : e->whole->now;
    } else {
        return;
    }
    i.wait = e->whole->now - since;
    i.cause = origin(e, p)->stands;
    add_open(e, i);
}

/* Over a network with ports inside: it holds a channel. The run accounts the wait for one when it
 * ends, so who still waits is left out. */
static void add_sending(struct htmt_emulator *e, const struct htmt__sending *s)
{
    if (s->start < 0)
        return;
    const struct htmt__entity *p = htmt__entity_at(e, s->key);
    add_open(e, (struct htmt__record_interval){.slice = htmt__played(e, s->leg.source),
                                               .step = step_of(e, s->leg.stats, HTMT__RECORD_SENT),
                                               .service = e->whole->now - s->start,
                                               .wait = s->start - s->asked,
                                               .serial = p->serial,
                                               .cause = origin(e, p)->before});
}

/* Entities with a pending event, or any that wait. */
struct found_list {
    struct htmt_emulator *e;
    struct found {
        htmt_time at;
        const struct htmt__entity *p;
    } * at;
    size_t count, room;
};

static void find(struct found_list *l, htmt_time at, const struct htmt__entity *p)
{
    if (htmt__array_fits(&l->at, &l->room, l->count + 1, sizeof *l->at))
        l->at[l->count++] = (struct found){at, p};
    else
        htmt__fail(l->e->whole, HTMT_ENOMEM, "no host memory to record the run");
}

static void find_served(void *list, struct htmt__head event)
{
    struct found_list *l = list;
    if (is_served(event.p) && has_stopped(l->e, event.p->slice))
        find(l, event.at, event.p);
}

static int by_turn(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->p->key > y->p->key) - (x->p->key < y->p->key);
}

static int by_birth(const void *a, const void *b)
{
    const uint64_t x = ((const struct found *)a)->p->serial;
    const uint64_t y = ((const struct found *)b)->p->serial;
    return (x > y) - (x < y);
}

/* Services under way. Nothing will happen any more, so the pending events may go. */
static void add_pending(struct htmt_emulator *e)
{
    const uint32_t partitions = has_parts(e) ? e->windows->partitions : 0;
    struct found_list l = {0};
    for (uint32_t i = 0; i <= partitions; i++) {
        struct htmt__event event;
        l.e = i ? e->windows->partition[i - 1].e : e;
        if (l.e->lane)
            htmt__lane_each(l.e->lane, find_served, &l);
        while (htmt__pending_pop(&l.e->pending, &event))
            find_served(
                &l, (struct htmt__head){.at = event.time, .p = htmt__entity_at(l.e, event.key)});
    }
    if (l.count)
        qsort(l.at, l.count, sizeof *l.at, by_turn);
    for (size_t i = 0; i < l.count; i++) {
        const struct htmt__entity *p = l.at[i].p;
        add_begun(recorded_by(e, p->slice), p, l.at[i].at - p->service);
    }
    free(l.at);
}

/* In the order of their births: which places they have depends on when others gave them back. */
static void add_waiting_of(struct htmt_emulator *e, uint32_t slice)
{
    const uint32_t fresh = htmt__slice_at(e, slice)->fresh;
    const uint32_t posted = e->post ? e->post[slice].fresh : 0;
    struct found_list l = {.e = e};
    for (uint32_t i = 0; i < fresh + posted; i++) {
        const uint32_t index = i < fresh ? i : HTMT__BETWEEN + (i - fresh);
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, index));
        if (p->serial)
            find(&l, 0, p);
    }
    if (l.count)
        qsort(l.at, l.count, sizeof *l.at, by_birth);
    for (size_t i = 0; i < l.count; i++)
        add_waiting(e, l.at[i].p);
    free(l.at);
}

/* ---- the end of the file --------------------------------------------------------------------- */

static void finish(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (has_parts(e))
        end_parts(e);
    if (e->fault.code)
        add_pending(e);
    for (uint32_t i = 0; i < e->played && e->fault.code; i++) {
        add_waiting_of(recorded_by(e, i), i);
        for (uint32_t n = 0; n < e->networks; n++)
            htmt__outlet_each(recorded_by(e, i), n, i, add_sending);
    }
    /* Of a slice that has gone on behind a failure: what changed before it. */
    for (uint32_t i = 0; i < e->played; i++) {
        if (has_stopped(e, i) || r->slice[i].touched < e->now)
            sample_all(e, i);
        htmt__record_write_block(e, i);
    }
    struct htmt_fault fault = {0};
    int rc = htmt__record_ports_finish(e, &fault);
    if (!r->file)
        return;
    char *footer = rc ? NULL : htmt__record_footer(e);
    if (!rc)
        rc = footer ? htmt__record_file_commit(&r->file, footer, &fault) : HTMT_ENOMEM;
    if (!footer)
        htmt__record_give_up(e);
    free(footer);
    if (rc && !e->fault.code)
        htmt_fault_set(&e->fault, rc, "%s",
                       fault.code ? fault.text : "no host memory for the end of the trace");
}

static const struct htmt__explain_probe probe = {
    .begin = begin,
    .end = end,
    .finish = finish,
    .part = part,
    .past = htmt__record_part_write,
    .window = htmt__record_window,
    .section = section,
    .rest = rest,
    .turn = turn,
    .called = called,
    .woken = woken,
    .room = room,
    .served = served,
    .why = why_now,
    .within = within,
    .channel = channel,
    .out = out,
    .in = in,
    .asked = asked,
    .held = held,
    .port = htmt__record_port,
    .sent = sent_off,
    .cell_served = cell_served,
};

int htmt__recorder_create(struct htmt_emulator *e, const struct htmt_recording *recording)
{
    struct htmt__recorder *r = e->recorder = calloc(1, sizeof *r);
    if (!r)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    r->whole = r;
    int rc = htmt__record_filter_copy(e, recording, &r->options);
    if (!rc && (rc = htmt__record_footer_about(r->options.about)))
        htmt__fail(e, rc,
                   rc == HTMT_ENOMEM ? "no host memory for a recording about '%.200s'"
                                     : "a recording about '%.200s', expected a JSON object",
                   r->options.about);
    if (rc)
        return rc;
    r->slice = calloc(e->played, sizeof *r->slice);
    r->origins = calloc(2 * (size_t)e->played, sizeof *r->origins);
    r->channels = htmt__channel_count(e) / e->played;
    r->channel = calloc(e->played * r->channels + 1, sizeof *r->channel);
    if (!r->slice || !r->origins || !r->channel)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t i = 0; i < e->played; i++) {
        r->slice[i].store = htmt__store_at(e, i, 0);
        r->slice[i].left_out = !htmt__record_filter_slice(&r->options, i);
        r->slice[i].block.last = r->slice[i].given = (uint64_t)i << HTMT__RECORD_NUMBER_BITS;
    }
    rc = htmt__record_ports_create(e, &r->ports);
    if (rc)
        return rc;
    e->options.recording = &r->options;
    r->layers = r->options.layers ? r->options.layers : UINT32_MAX;
    r->windowed = r->options.from || r->options.to;
    r->room = htmt__record_block_room(e->played);
    r->latest = -1;
    rc = htmt__record_file_open(&r->file, r->options.path, r->ports ? 2 : 1,
                                htmt__record_block_most(r->room), &e->fault);
    return rc ? rc : htmt__probes_add(e, &probe);
}

void htmt__recorder_destroy(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    e->recorder = NULL;
    if (!r)
        return;
    if (r->part) {
        htmt__record_part_free(r);
        return;
    }
    htmt__record_file_abandon(&r->file);
    htmt__record_ports_destroy(&r->ports);
    for (uint32_t i = 0; r->slice && i < e->played; i++)
        htmt__record_block_fini(&r->slice[i].block);
    for (uint32_t i = 0; r->origins && i < 2 * e->played; i++)
        free_origins(&r->origins[i]);
    free(r->slice);
    free(r->origins);
    free(r->channel);
    free(r->step);
    htmt__record_filter_free(&r->options);
    free(r);
}
