/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The controller of a machine of banks: a queue of commands.
 *
 * A control at the controller's place gives commands: push bytes to slices, pull bytes from them,
 * launch the programs of slices. They are queued, and one is under way at a time; only a launch
 * that nobody waits for goes on while the next command begins. Nothing but messages passes between
 * the controller and the slices, so slices may be played in other partitions.
 *
 * A command in time. The machine's figures give the time T of a transfer with all its slices, or of
 * one slice after another (HTMT_SERIAL). Beginning at t:
 *
 * - push: each slice gets a message whose bytes leave now and arrive at t + T; serially, slice i
 * gets its own after those before it.
 *
 * - pull: a word goes to each slice, which arrives half way, at t + T / 2. There the bytes are
 * taken and go back, to arrive at t + T.
 *
 * - launch: a message goes to each slice and signals its program at t + T / 2; the end of a program
 * is heard T / 2 after it. So a program of the length L is over at t + T + L.
 *
 * The end of the command itself is a moment of the controller (htmt__controller_over()). An
 * example: a push of 10 us, a launch of 4 us that waits, and a pull of 6 us are given at 0. The
 * push ends at 10 us. Programs begin at 12 us; one of 50 us ends at 62 us, and the controller hears
 * of that at 64 us. Then the pull begins: the slice's bytes leave it at 67 us and are there at 70
 * us.
 *
 * The statistics count the bus once for each command: the first message has its time (`service`),
 * the others have none.
 */
#include "parcels/walk/controller.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/host.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

enum what { PUSH, PULL, LAUNCH };

static const char *const call_of[] = {"htmt_push()", "htmt_pull()", "htmt_launch()"};

struct htmt__bus_command {
    struct htmt__bus_command *next; /* of the queue; of launches that are not over */
    enum what what;
    uint32_t number; /* from 1 */
    struct htmt_transfer transfer;
    struct htmt_launch launch;
    uint64_t *each; /* bytes of each slice; NULL: they are equal */
    uint32_t left;  /* slices whose programs have not ended */
    bool made;      /* the launch: programs begin */
    htmt_time back; /* how long the controller takes to hear of an end */
};

/* Touched at the controller's place alone. */
struct htmt__command_queue {
    struct htmt__bus_command *first, *last; /* first: under way */
    struct htmt__bus_command *launched;     /* whose programs run */
    const struct htmt__entity *booked;      /* message of the one under way that the bus carried
                                               last; NULL: none yet, or nobody watches */
    uint32_t commands;
    uint64_t *running; /* a bit for each slice whose program runs */
    struct htmt_host_commands sums;
};

static uint32_t count_of(const struct htmt__bus_command *c)
{
    return c->what == LAUNCH ? c->launch.count : c->transfer.count;
}

static uint64_t bytes_of(const struct htmt__bus_command *c, uint32_t i)
{
    return c->each ? c->each[i] : c->transfer.bytes;
}

/* Slices to which messages go: folded, slice 0 for all. */
static uint32_t played_of(const struct htmt_emulator *e, const struct htmt__bus_command *c)
{
    return e->options.symmetry == HTMT_FOLDED ? 1 : count_of(c);
}

static void set_running(struct htmt__command_queue *q, uint32_t slice, bool on)
{
    uint64_t bit = UINT64_C(1) << slice % 64;
    q->running[slice / 64] = on ? q->running[slice / 64] | bit : q->running[slice / 64] & ~bit;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The part of a command that goes to, or comes from, one slice. */
struct part {
    uint32_t slice;
    htmt_time start, service, end; /* service: of the bus */
    uint32_t stands_for;
};

static struct htmt__stage_stats *stats_of(struct htmt_emulator *e, const struct htmt__leg *g,
                                          enum htmt__message_group group)
{
    struct htmt__stage_stats *s =
        htmt__message_stats(e, e->banked->machine->bus, g->from, g->to, group);
    if (s && e->apart && e->now <= s->use.at)
        htmt__message_stats_use(e, s);
    return s;
}

/* Who watches hears of the bus once a command: what else it carries at that time comes by it. */
static void explain(struct htmt_emulator *e, struct htmt__entity *p, const struct part *part)
{
    const struct htmt__leg *g = &p->message->leg;
    struct htmt__command_queue *q = g->source == e->controller ? e->banked->queue : NULL;
    if (part->service) {
        e->explain->channel(e, htmt__port_at(e, e->controller, false, g->network, g->from),
                            HTMT__FIRST_FREE);
        e->explain->out(e, p, g, part->start, -1);
        q->booked = p;
    } else if (q && q->booked) {
        e->explain->sent(e, q->booked, p);
    } else {
        e->explain->called(e, p);
        e->explain->flying(e, g);
    }
}

/* The message, whose leg's ends and words are set, occupies the bus and arrives at part->end. */
static void send(struct htmt_emulator *e, struct htmt__entity *p, const struct part *part)
{
    struct htmt__leg *g = &p->message->leg;
    g->network = e->banked->machine->bus;
    g->stats = stats_of(e, g, htmt__message_group_of(p->message));
    struct htmt__stage_stats *s = g->stats;
    if (!s)
        return;
    const uint64_t words = g->words * part->stands_for;
    g->line = htmt__message_line(e, g->network, false);
    g->out_time = part->service;
    g->in_time = 0;
    p->service = part->service;
    p->tail = part->end;
    s->count += part->stands_for;
    s->words += words;
    s->busy += part->service;
    s->tally->served += part->stands_for;
    s->tally->words += words;
    s->tally->busy += part->service;
    if (part->service > s->longest)
        s->longest = part->service;
    if (htmt__explained(e))
        explain(e, p, part);
    htmt__channel_end(e, p, g, part->end);
}

static struct htmt__entity *message(struct htmt_emulator *e, uint32_t slice,
                                    enum htmt__message_kind kind)
{
    struct htmt__entity *p = htmt__message_entity(e, slice, kind);
    if (p)
        p->message->put = (struct htmt_put){0};
    return p;
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* A pull's word comes half way, and takes the bytes along. */
static void send_part(struct htmt_emulator *e, const struct htmt__bus_command *c, uint32_t i,
                      const struct part *whole)
{
    const struct htmt_transfer *t = &c->transfer;
    const uint32_t layer = t->frame->object[0]->layer;
    const bool push = c->what == PUSH;
    const uint64_t at = t->mode == HTMT_BROADCAST ? 0 : i * t->stride;
    struct part part = *whole;
    struct htmt__entity *p =
        message(e, e->controller, push ? HTMT__MESSAGE_BYTES : HTMT__MESSAGE_REQUEST);
    if (!p)
        return;
    struct htmt__message *m = p->message;
    const struct htmt_addr outer = {t->host.object, t->host.offset + at},
                           inner = htmt_at(t->frame, t->first + i, t->offset);
    m->put = (struct htmt_put){.size = sizeof(struct htmt_put),
                               .dst = push ? inner : outer,
                               .src = push ? outer : inner,
                               .bytes = bytes_of(c, i)};
    htmt__leg_set(&m->leg, e->banked->machine->controller, layer, e->controller, part.slice,
                  push ? htmt__put_words(&m->put) : 1);
    if (push && e->data)
        htmt__message_capture(e, p);
    if (!push) {
        m->sent_at = part.end;
        part.end = part.start + (part.end - part.start) / 2;
    }
    send(e, p, &part);
}

static htmt_time time_of(struct htmt_emulator *e, const struct htmt__bus_command *c,
                         uint32_t slices, uint64_t bytes)
{
    const struct htmt__bank_machine *b = e->banked->machine;
    const struct htmt_transfer *t = &c->transfer;
    bool scratch = t->frame->object[0]->layer == b->scratch;
    htmt_time time = htmt__bus_time(&b->figures, scratch ? HTMT__TO_SCRATCH : HTMT__TO_BANK,
                                    (enum htmt__bus_mode)t->mode,
                                    c->what == PUSH ? HTMT__TO_SLICES : HTMT__FROM_SLICES, slices,
                                    bytes, &e->banked->queue->sums.held);
    if (time == -1 || htmt__too_long(time))
        htmt__fail(e,
                   time == -2   ? HTMT_EROUTE
                   : time == -3 ? HTMT_ERANGE
                                : HTMT_EOVERFLOW,
                   time == -2   ? "%s: the machine's bus has no such transfer"
                   : time == -3 ? "%s: the figures of the machine's bus do not cover it"
                                : "%s: its time overflows",
                   call_of[c->what]);
    return time;
}

/* Returns its time. */
static htmt_time send_at_once(struct htmt_emulator *e, const struct htmt__bus_command *c)
{
    htmt_time time = time_of(e, c, c->transfer.count, bytes_of(c, 0));
    struct part part = {.start = e->now,
                        .service = time,
                        .end = htmt__later(e->now, time),
                        .stands_for = count_of(c) / played_of(e, c)};
    for (uint32_t i = 0; i < played_of(e, c) && !e->fault.code; i++) {
        part.slice = c->transfer.first + i;
        send_part(e, c, i, &part);
        part.service = 0;
    }
    return time;
}

/* Folded: the last one's end is that of all. */
static htmt_time send_one_by_one(struct htmt_emulator *e, const struct htmt__bus_command *c)
{
    const uint32_t each = count_of(c) / played_of(e, c);
    htmt_time sum = 0;
    for (uint32_t i = 0; i < played_of(e, c) && !e->fault.code; i++) {
        htmt_time one = bytes_of(c, i) ? time_of(e, c, count_of(c), bytes_of(c, i)) : 0, time;
        if (!one)
            continue;
        if (__builtin_mul_overflow(one, (htmt_time)each, &time) || htmt__too_long(sum + time)) {
            htmt__fail(e, HTMT_EOVERFLOW, "%s: its time overflows", call_of[c->what]);
            break;
        }
        const struct part part = {c->transfer.first + i, e->now + sum, time, e->now + sum + time,
                                  each};
        send_part(e, c, i, &part);
        sum += time;
    }
    return sum;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Returns the time until the programs begin. */
static htmt_time send_launches(struct htmt_emulator *e, struct htmt__bus_command *c)
{
    struct htmt__command_queue *q = e->banked->queue;
    const struct htmt__bank_machine *b = e->banked->machine;
    const htmt_time time =
        htmt__bus_launch(&b->figures, c->launch.count, q->sums.launches == 0, &q->sums.held);
    if (time < 0 || htmt__too_long(time))
        htmt__fail(e, time == -3 ? HTMT_ERANGE : HTMT_EOVERFLOW,
                   time == -3 ? "htmt_launch() of %u slices, which the machine's bus does not cover"
                              : "htmt_launch() of %u slices: its time overflows",
                   c->launch.count);
    c->back = time / 2;
    c->left = played_of(e, c);
    struct part part = {.start = e->now,
                        .service = time - c->back,
                        .end = htmt__later(e->now, time - c->back),
                        .stands_for = count_of(c) / played_of(e, c)};
    q->sums.launches++;
    q->sums.launch += time;
    for (uint32_t i = 0; i < played_of(e, c) && !e->fault.code; i++) {
        part.slice = c->launch.first + i;
        set_running(q, part.slice, true);
        struct htmt__entity *p = message(e, e->controller, HTMT__MESSAGE_LAUNCH);
        if (!p)
            break;
        struct htmt__message *m = p->message;
        m->put.on_arrived = htmt_slot_in(c->launch.slot, part.slice);
        m->put.bytes = c->number;
        m->put.words = (uint64_t)c->back;
        htmt__leg_set(&m->leg, b->controller, c->launch.slot.owner.layer, e->controller, part.slice,
                      1);
        send(e, p, &part);
        part.service = 0;
    }
    return time - c->back;
}

void htmt__launch_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_put *put = &p->message->put;
    struct htmt__issuing *s = htmt__issuing_at(e, htmt__played(e, p->message->leg.target));
    s->launch = (uint32_t)put->bytes;
    s->back = (htmt_time)put->words;
    htmt__threads_launched(s, e->now);
    htmt__count_down(e, &put->on_arrived);
    htmt__message_end(e, p);
}

void htmt__controller_ended(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__issuing *s = htmt__issuing_at(e, slice);
    const struct htmt__bank_machine *b = e->banked->machine;
    const struct part part = {slice, e->now, 0, htmt__later(e->now, s->back), htmt__stands_for(e)};
    if (!s->launch) {
        htmt__fail(e, HTMT_EINVAL, "htmt_ended() in slice %u, which the host has not launched",
                   slice);
        return;
    }
    struct htmt__entity *p = message(e, slice, HTMT__MESSAGE_ENDED);
    if (!p)
        return;
    p->message->put.bytes = s->launch;
    htmt__threads_ended(s, e->now);
    htmt__leg_set(&p->message->leg, b->scratch, b->controller, slice, e->controller, 1);
    send(e, p, &part);
}

/* ---- the queue -------------------------------------------------------------------------------
 *
 * `first` is the command under way, and those behind it wait for its end. A transfer is over at one
 * known instant. A launch has two ends: that of the command, when programs have been started, and
 * those of the programs. So it goes one of three ways:
 *
 *     wait, programs run                stays first; the last end makes the next command begin
 *     no wait, programs run             moves to `launched` at its own end; the next one begins
 *     all programs over already         done at its own end
 *
 * The third is possible where a launch costs nothing, as on a machine without figures for it: then
 * short programs end at the instant at which they begin, in the order of keys. So whichever comes
 * last, the end of the command (`made`) or that of the last program (`left` is 0), tells who waits.
 *
 * By hand: launch A of slices 0 and 1 does not wait, B of slices 2 and 3 does, then a push C. A is
 * first until its programs have begun, then stands in `launched` with 2 left. B is first until both
 * of its programs have ended, whatever A's do; only then C begins. The end of a program carries the
 * number of its launch, so it is found among those in `launched`, or is B.
 *
 * A slice whose program runs belongs to it: a command for that slice is refused (`running`), since
 * on the machine its memory is not the controller's meanwhile.
 *
 * Cost: two events for each slice of a launch and of a pull, one for each of a push. */

static void free_command(struct htmt__bus_command *c)
{
    free(c->each);
    free(c);
}

/* The command is over at `at`: a moment of the controller. */
static void plan_end(struct htmt_emulator *e, struct htmt__bus_command *c, htmt_time at)
{
    struct htmt__entity *moment = htmt__entity_create(e, e->controller, HTMT__MOMENT);
    struct htmt__entry *entry = moment ? htmt__entry_create(e, HTMT__COMMAND_OVER) : NULL;
    if (!entry)
        return;
    entry->command = c;
    moment->log = &entry->line; /* which frees it from now on */
    struct htmt__leg leg = {.network = e->banked->machine->bus,
                            .from = e->banked->machine->controller,
                            .to = c->what == LAUNCH ? c->launch.slot.owner.layer
                                                    : c->transfer.frame->object[0]->layer,
                            .source = e->controller,
                            .target = e->controller};
    leg.stats = stats_of(e, &leg, c->what != PUSH);
    if (!leg.stats)
        return;
    if (htmt__explained(e) && e->banked->queue->booked)
        e->explain->sent(e, e->banked->queue->booked, moment);
    else if (htmt__explained(e))
        e->explain->within(e, moment, leg.stats);
    htmt__schedule_line(e, moment, htmt__moment_line(e), at);
}

/* A program that runs owns the memories of its slice. */
static void begin(struct htmt_emulator *e, struct htmt__bus_command *c)
{
    struct htmt__command_queue *q = e->banked->queue;
    const bool push = c->what == PUSH;
    const uint32_t first = c->what == LAUNCH ? c->launch.first : c->transfer.first;
    htmt_time time;
    q->booked = NULL;
    for (uint32_t i = 0; i < played_of(e, c); i++) {
        const uint32_t slice = first + i;
        if (q->running[slice / 64] >> slice % 64 & 1) {
            htmt__fail(e, HTMT_EINVAL,
                       "%s of slice %u, whose program runs: wait for its launch to be done",
                       call_of[c->what], slice);
            return;
        }
    }
    if (c->what == LAUNCH)
        time = send_launches(e, c);
    else if (c->transfer.mode == HTMT_SERIAL)
        time = send_one_by_one(e, c);
    else
        time = send_at_once(e, c);
    if (e->fault.code)
        return;
    if (c->what != LAUNCH) {
        htmt_uwide bytes = c->each ? 0 : (htmt_uwide)c->transfer.bytes * c->transfer.count;
        for (uint32_t i = 0; c->each && i < c->transfer.count; i++)
            bytes += c->each[i];
        *(push ? &q->sums.pushes : &q->sums.pulls) += 1;
        *(push ? &q->sums.pushed : &q->sums.pulled) += bytes;
        *(push ? &q->sums.push : &q->sums.pull) += time;
    }
    plan_end(e, c, htmt__later(e->now, time));
}

void htmt__controller_command(struct htmt_emulator *e, struct htmt__bus_command *c)
{
    struct htmt__command_queue *q = e->banked->queue;
    c->number = ++q->commands;
    if (q->first)
        q->last->next = c;
    else
        q->first = c;
    q->last = c;
    if (q->first == c)
        begin(e, c);
}

static void begin_next(struct htmt_emulator *e)
{
    struct htmt__command_queue *q = e->banked->queue;
    if (q->first)
        begin(e, q->first);
}

static void tell_done(struct htmt_emulator *e, struct htmt__bus_command *c)
{
    struct htmt_slot done = c->what == LAUNCH ? c->launch.on_done : c->transfer.on_done;
    free_command(c);
    htmt__signal_from(e, e->controller, e->banked->machine->controller, &done);
}

/* A launch was made: its programs may still run. One that is waited for stays the first. */
void htmt__controller_over(struct htmt_emulator *e, struct htmt__bus_command *c)
{
    struct htmt__command_queue *q = e->banked->queue;
    c->made = true;
    if (c->left && c->launch.wait)
        return;
    q->first = c->next;
    if (c->left) {
        c->next = q->launched;
        q->launched = c;
    } else {
        tell_done(e, c);
    }
    begin_next(e);
}

/* The launch is one of those that were made, or the first one of the queue. */
void htmt__ended_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__command_queue *q = e->banked->queue;
    const uint64_t number = p->message->put.bytes;
    struct htmt__bus_command **at = &q->launched;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    const bool first = !*at;
    if (first)
        at = &q->first;
    struct htmt__bus_command *c = *at;
    set_running(q, p->message->leg.source, false);
    htmt__message_end(e, p);
    if (--c->left || !c->made)
        return;
    *at = c->next;
    tell_done(e, c);
    if (first)
        begin_next(e);
}

void htmt__pull_arrives(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *m = p->message;
    struct htmt__leg *g = &m->leg;
    const uint32_t slice = g->target;
    struct part part = {slice, e->now, 0, m->sent_at, htmt__stands_for(e)};
    m->kind = HTMT__MESSAGE_BYTES;
    htmt__leg_set(g, g->to, g->from, slice, g->source, htmt__put_words(&m->put));
    if (e->data)
        htmt__message_capture(e, p);
    send(e, p, &part);
}

/* ---- calls ----------------------------------------------------------------------------------- */

uint32_t htmt_host(const struct htmt_emulator *e)
{
    return e ? e->whole->controller : HTMT__NO_CONTROLLER;
}

static int check_place(struct htmt_context *c, const char *call)
{
    struct htmt_emulator *e = c->e;
    if (!e->banked)
        return htmt__refuse(e, HTMT_EINVAL, "%s: machine %s has no host", call, e->machine->name);
    if (c->p->slice != e->controller)
        return htmt__refuse(e, HTMT_EINVAL, "%s of a control in slice %u, expected one of the host",
                            call, c->p->slice);
    return 0;
}

static int check_slices(struct htmt_emulator *e, uint32_t first, uint32_t count, const char *call)
{
    if (!count || first >= e->slices || count > e->slices - first)
        return htmt__refuse(e, HTMT_EINVAL, "%s of %u slices from slice %u on, expected some of %u",
                            call, count, first, e->slices);
    if (e->options.symmetry == HTMT_FOLDED && count != e->slices)
        return htmt__refuse(e, HTMT_ESYMMETRY,
                            "%s of %u slices, expected all %u: slice 0 stands for them", call,
                            count, e->slices);
    return 0;
}

/* Sizes that differ are for serial transfers of slices that do not fold, and all bytes lie within
 * objects. */
static int check_transfer(struct htmt_emulator *e, const struct htmt_transfer *t, const char *call)
{
    const bool serial = t->mode == HTMT_SERIAL, all = t->mode == HTMT_BROADCAST;
    uint64_t at, end;
    for (uint32_t i = 1; t->each && i < t->count; i++)
        if (t->each[i] != t->each[0] && (!serial || e->options.symmetry == HTMT_FOLDED))
            return htmt__refuse(e, serial ? HTMT_ESYMMETRY : HTMT_EINVAL,
                                "%s: found %llu bytes for slice %u and %llu for slice %u, expected "
                                "equal sizes %s",
                                call, (unsigned long long)t->each[0], t->first,
                                (unsigned long long)t->each[i], t->first + i,
                                serial ? "of slices that fold" : "in parallel");
    if (!t->frame || t->frame->outside.emulator != e->whole ||
        t->frame->object[0]->layer == e->banked->machine->controller)
        return htmt__refuse(e, HTMT_EINVAL, "%s: expected a frame of the slices", call);
    for (uint32_t i = 0; i < t->count; i++) {
        const uint64_t bytes = t->each ? t->each[i] : t->bytes;
        if (!all && (__builtin_mul_overflow(t->stride, (uint64_t)i, &at) ||
                     __builtin_add_overflow(at, t->host.offset, &end)))
            return htmt__refuse(e, HTMT_EBOUNDS, "%s: a stride beyond any object", call);
        if (!bytes)
            continue;
        end = t->host.offset + (all ? 0 : i * t->stride);
        int rc = htmt__bounds_run(e, htmt_at(t->frame, t->first + i, t->offset), bytes, call);
        rc = rc ? rc : htmt__bounds_run(e, (struct htmt_addr){t->host.object, end}, bytes, call);
        if (rc)
            return rc;
    }
    return 0;
}

static struct htmt__bus_command *make(struct htmt_context *c, enum what what)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__COMMAND);
    if (!entry)
        return NULL;
    entry->command = calloc(1, sizeof *entry->command);
    if (!entry->command) {
        htmt__entry_free(c->e, entry);
        htmt__fail(c->e, HTMT_ENOMEM, "no host memory for a command of the host");
        return NULL;
    }
    entry->command->what = what;
    htmt__log_write(c, entry);
    return entry->command;
}

static int transfer(struct htmt_context *c, const struct htmt_transfer *given, enum what what)
{
    static const struct htmt__sized sized = {.name = "htmt_transfer",
                                             .known = sizeof(struct htmt_transfer),
                                             .first = sizeof(struct htmt_transfer),
                                             .least = sizeof(struct htmt_transfer)};
    struct htmt_transfer t;
    const char *call = call_of[what];
    if (!htmt__permit(c, call))
        return HTMT_EINVAL;
    struct htmt_emulator *e = c->e;
    int rc = check_place(c, call);
    rc = rc ? rc : htmt__may_reach(c, call);
    rc = rc ? rc : htmt__given(e, given, call, "description");
    rc = rc ? rc : htmt__sized_take(e, &sized, given, &t, call);
    rc = rc ? rc : check_slices(e, t.first, t.count, call);
    rc = rc ? rc : check_transfer(e, &t, call);
    if (!rc && what == PULL && t.mode == HTMT_BROADCAST)
        rc = htmt__refuse(e, HTMT_EINVAL, "htmt_pull() as a broadcast, which only a push can be");
    struct htmt__bus_command *command = rc ? NULL : make(c, what);
    if (!command)
        return rc ? rc : HTMT_ENOMEM;
    command->transfer = t;
    if (!t.each)
        return 0;
    command->each = malloc(t.count * sizeof *command->each);
    if (!command->each)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the sizes of a transfer");
    memcpy(command->each, t.each, t.count * sizeof *command->each);
    return 0;
}

int htmt_push(struct htmt_context *c, const struct htmt_transfer *t)
{
    return transfer(c, t, PUSH);
}

int htmt_pull(struct htmt_context *c, const struct htmt_transfer *t)
{
    return transfer(c, t, PULL);
}

int htmt_launch(struct htmt_context *c, const struct htmt_launch *given)
{
    static const struct htmt__sized sized = {.name = "htmt_launch",
                                             .known = sizeof(struct htmt_launch),
                                             .first = sizeof(struct htmt_launch),
                                             .least = sizeof(struct htmt_launch)};
    struct htmt_launch launch;
    if (!htmt__permit(c, "htmt_launch()"))
        return HTMT_EINVAL;
    struct htmt_emulator *e = c->e;
    int rc = check_place(c, "htmt_launch()");
    rc = rc ? rc : htmt__may_reach(c, "htmt_launch()");
    rc = rc ? rc : htmt__given(e, given, "htmt_launch()", "description");
    rc = rc ? rc : htmt__sized_take(e, &sized, given, &launch, "htmt_launch()");
    rc = rc ? rc : check_slices(e, launch.first, launch.count, "htmt_launch()");
    if (!rc && launch.slot.owner.layer != e->banked->machine->scratch)
        rc = htmt__refuse(e, HTMT_EINVAL, "htmt_launch() of a slot of layer %u, expected one of %s",
                          launch.slot.owner.layer,
                          e->machine->layer[e->banked->machine->scratch].name);
    struct htmt__bus_command *command = rc ? NULL : make(c, LAUNCH);
    if (!command)
        return rc ? rc : HTMT_ENOMEM;
    command->launch = launch;
    return 0;
}

int htmt_ended(struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_ended()"))
        return HTMT_EINVAL;
    struct htmt_emulator *e = c->e;
    if (!e->banked || c->p->slice == e->controller)
        return htmt__refuse(e, HTMT_EINVAL, "htmt_ended() where no host launches");
    int rc = htmt__may_reach(c, "htmt_ended()");
    struct htmt__entry *entry = rc ? NULL : htmt__entry_create(e, HTMT__PROGRAM_ENDED);
    if (!entry)
        return rc ? rc : HTMT_ENOMEM;
    htmt__log_write(c, entry);
    return 0;
}

struct htmt_host_commands *htmt__controller_sums(const struct htmt_emulator *e)
{
    return &e->banked->queue->sums;
}

int htmt_host_commands(const struct htmt_emulator *e, struct htmt_host_commands *commands)
{
    if (!e || !e->banked || !commands || atomic_load(&e->state) != HTMT__ENDED)
        return HTMT_EINVAL;
    *commands = e->banked->queue->sums;
    return 0;
}

int htmt_issue_at(const struct htmt_emulator *e, uint32_t slice, struct htmt_issue_report *report)
{
    if (!e || !e->banked || !report || slice >= e->slices || atomic_load(&e->state) != HTMT__ENDED)
        return HTMT_EINVAL;
    slice = e->options.symmetry == HTMT_FOLDED ? 0 : slice;
    if (!htmt__rank_plays(e, slice))
        return HTMT_EINVAL;
    const struct htmt__issuing *s = htmt__issuing_at(e, slice);
    *report = (struct htmt_issue_report){
        s->issued, htmt_charge_time(e->banked->machine->issue.cycle, s->issued)};
    return 0;
}

int htmt_threads_at(const struct htmt_emulator *e, uint32_t slice,
                    struct htmt_threads_report *report)
{
    struct htmt_issue_report issue;
    int rc = report ? htmt_issue_at(e, slice, &issue) : HTMT_EINVAL;
    if (rc)
        return rc;
    slice = e->options.symmetry == HTMT_FOLDED ? 0 : slice;
    const struct htmt__issuing *s = htmt__issuing_at(e, slice);
    *report = (struct htmt_threads_report){s->inside,
                                           s->copying,
                                           s->waiting,
                                           s->ran,
                                           e->banked->code_words * HTMT_WORD,
                                           e->banked->machine->issue.code};
    return 0;
}

/* ---- lookahead ------------------------------------------------------------------------------- */

/* The least value of a curve of times; HTMT_TIME_MAX: it has none. */
static htmt_time least_of(const struct htmt_curve *curve)
{
    htmt_time least = HTMT_TIME_MAX;
    for (uint32_t i = 0; i < curve->count; i++) {
        htmt_time time = htmt_charge_time(curve->point[i].value, 1);
        least = time < least ? time : least;
    }
    return least;
}

/* Of a transfer that the figures cover: that of a byte, at least. */
static htmt_time least_transfer(const struct htmt__bus_transfer *t)
{
    htmt_time least = least_of(&t->time), start = t->start.count ? least_of(&t->start) : 0;
    for (uint32_t i = 0; i < t->rate.count; i++) {
        struct htmt_ratio byte;
        htmt_time time = 0;
        if (!htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, t->rate.point[i].value, &byte))
            time = htmt_charge_time(byte, 1);
        least = start + time < least ? start + time : least;
    }
    return least;
}

htmt_time htmt__controller_ahead(const struct htmt_emulator *e)
{
    const struct htmt__bus *bus = &e->banked->machine->figures;
    htmt_time least = least_of(&bus->launch);
    for (int end = 0; end < HTMT__BUS_ENDS; end++)
        for (int mode = 0; mode < HTMT__BUS_MODES; mode++)
            for (int way = 0; way < HTMT__BUS_WAYS; way++) {
                htmt_time time = least_transfer(&bus->transfer[end][mode][way]);
                least = time < least ? time : least;
            }
    return bus->launch.count ? least / 2 : 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__banked_create(struct htmt_emulator *e)
{
    const struct htmt__bank_machine *b = htmt__bank_machine_of(e->machine);
    if (!b)
        return 0;
    e->banked = calloc(1, sizeof *e->banked);
    if (!e->banked)
        return HTMT_ENOMEM;
    e->banked->machine = b;
    e->banked->issuing = calloc(e->played, sizeof(struct htmt__issuing *));
    struct htmt__command_queue *q = e->banked->queue = calloc(1, sizeof *q);
    if (q)
        q->running = calloc(e->slices / 64 + 1, sizeof *q->running);
    return e->banked->issuing && q && q->running ? 0 : HTMT_ENOMEM;
}

int htmt__banked_slices(struct htmt_emulator *e)
{
    const struct htmt__bank_machine *b = e->banked->machine;
    for (uint32_t i = 0; i < e->controller; i++) {
        e->banked->issuing[i] = htmt__slice_memory(e, i, sizeof(struct htmt__issuing));
        if (!e->banked->issuing[i])
            return HTMT_ENOMEM;
        htmt__bank_at(e, i, b->scratch)->servers = b->issue.threads;
    }
    e->net[b->dma].engine = true;
    e->net[b->dma].plain = false;
    e->net[b->bus].bus = true;
    return 0;
}

static void free_commands(struct htmt__bus_command *c)
{
    for (struct htmt__bus_command *next; c; c = next) {
        next = c->next;
        free_command(c);
    }
}

void htmt__banked_destroy(struct htmt_emulator *e)
{
    if (!e->banked)
        return;
    for (uint32_t i = 0; e->banked->issuing && i < e->played; i++)
        if (e->banked->issuing[i])
            free(e->banked->issuing[i]->claims);
    struct htmt__command_queue *q = e->banked->queue;
    if (q) {
        free_commands(q->first);
        free_commands(q->launched);
        free(q->running);
        free(q);
    }
    free(e->banked->issuing);
    free(e->banked);
}
