/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/recorder.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_footer.h"
#include "parcels/observe/section.h"
#include "parcels/timing/entity.h"
#include "parcels/timing/message.h"
#include "parcels/timing/statistics.h"

#include <stdlib.h>

#define COLD __attribute__((cold, noinline))

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The file goes. */
static COLD void give_up(struct htmt_emulator *e)
{
    htmt__record_file_abandon(&e->recorder->file);
}

/* Writes what the block of the slice holds. */
static COLD void write_block(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[slice].block;
    if ((!b->count && !b->samples) || !r->file)
        return;
    const uint64_t number = (UINT64_C(1) << HTMT__RECORD_NUMBER_BITS) - 1;
    struct htmt__record_entry entry = {.slice = slice,
                                       .intervals = b->count,
                                       .samples = b->samples,
                                       .first = (b->last & number) - b->count,
                                       .from = b->count ? b->from : 0,
                                       .to = b->to};
    size_t bytes = htmt__record_block_close(b, r->room, htmt__record_file_buffer(r->file));
    if (htmt__record_file_add(r->file, entry, bytes, &e->fault))
        give_up(e);
}

static COLD void look(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    if (!htmt__record_block_look(&r->slice[slice].block, r->room))
        write_block(e, slice);
}

/* false: the slice is left out, or there is no file any more. */
static COLD bool open_block(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_slice *s = &r->slice[slice];
    if (s->left_out || !r->file)
        return false;
    if (!htmt__record_block_steps(&s->block, r->steps_room) &&
        !htmt__record_block_open(&s->block, r->room, e->layers))
        return true;
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    give_up(e);
    return false;
}

static bool outside(const struct htmt_recording *o, htmt_time from, htmt_time to)
{
    return to < o->from || (o->to && from > o->to);
}

/* 0: it is left out. */
static inline __attribute__((always_inline)) htmt__record_ref
add_fast(struct htmt_emulator *e, struct htmt__record_interval i)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[i.slice].block;
    if (__builtin_expect(i.step == UINT32_MAX, 0) ||
        (__builtin_expect(r->windowed, 0) &&
         outside(&r->options, i.end - i.service - i.wait, i.end)) ||
        (__builtin_expect(!b->left, 0) && !open_block(e, i.slice)))
        return 0;
    htmt__record_ref self = htmt__record_block_add(b, &i);
    if (__builtin_expect(--b->left == 0, 0))
        look(e, i.slice);
    return self;
}

static htmt__record_ref add(struct htmt_emulator *e, struct htmt__record_interval i)
{
    return add_fast(e, i);
}

static COLD void sample(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_slice *s = &r->slice[slice];
    struct htmt__record_block *b = &s->block;
    if (!(r->layers >> layer & 1) ||
        (r->windowed && outside(&r->options, s->touched, s->touched)) ||
        (!b->left && !open_block(e, slice))) {
        b->level[layer] = words;
        return;
    }
    htmt__record_block_sample(b, s->touched, layer, words);
    if (--b->samples_left == 0)
        look(e, slice);
}

/* What a parcel took and gave back at that instant. */
static inline void sample_all(struct htmt_emulator *e, uint32_t slice)
{
    const struct htmt__record_slice *s = &e->recorder->slice[slice];
    for (uint32_t l = 0; l < e->layers; l++)
        if (s->store[l].used != s->block.level[l])
            sample(e, slice, l, s->store[l].used);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Blocks that are open get room for it, too. */
static COLD int room_for_step(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (r->steps < r->steps_room)
        return 0;
    uint32_t room = r->steps_room ? 2 * r->steps_room : 32;
    struct htmt__record_step *more = realloc(r->step, room * sizeof *more);
    int rc = more ? 0 : HTMT_ENOMEM;
    r->step = more ? more : r->step;
    for (uint32_t i = 0; i < e->played && !rc; i++)
        if (r->slice[i].block.left)
            rc = htmt__record_block_steps(&r->slice[i].block, room);
    r->steps_room = rc ? r->steps_room : room;
    return rc;
}

/* It is met for the first time. */
static COLD uint32_t new_step(struct htmt_emulator *e, struct htmt__record_step step)
{
    struct htmt__recorder *r = e->recorder;
    if (!htmt__record_filter_step(e, &r->options, &step))
        return 1;
    if (room_for_step(e)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
        return 1;
    }
    r->step[r->steps++] = step;
    return 2 * r->steps;
}

/* Twice its index; UINT32_MAX: left out. */
static inline uint32_t step_at(struct htmt_emulator *e, uint32_t *number,
                               const struct htmt__stage_stats *stats, enum htmt__record_place place)
{
    if (__builtin_expect(!*number, 0))
        *number = new_step(e, (struct htmt__record_step){stats, place});
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

/* ---- seats ----------------------------------------------------------------------------------- */

static COLD struct htmt__record_seat *new_seat(struct htmt_emulator *e,
                                               struct htmt__record_row *row, uint32_t index)
{
    uint32_t seats = index + index / 2 + 16;
    struct htmt__record_seat *more = realloc(row->seat, seats * sizeof *more);
    if (!more) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
        return &e->recorder->nobody;
    }
    memset(more + row->seats, 0, (seats - row->seats) * sizeof *more);
    row->seat = more;
    row->seats = seats;
    return &more[index];
}

static inline struct htmt__record_seat *seat(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__record_row *row = &e->recorder->row[p->slice];
    uint32_t index = p->index;
    if (__builtin_expect(e->guard != NULL, 0) && (index & HTMT__BETWEEN)) {
        row += e->played;
        index -= HTMT__BETWEEN;
    }
    if (__builtin_expect(index >= row->seats, 0))
        return new_seat(e, row, index);
    return &row->seat[index];
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool is_served(const struct htmt__entity *p)
{
    return p->kind <= HTMT__FIBER && p->state == HTMT__PENDING && p->step->op == HTMT__SERVE;
}

/* Its service ends. */
static __attribute__((noinline)) void
end_service(struct htmt_emulator *e, const struct htmt__entity *p, struct htmt__record_seat *s)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_of(e, p->step->stats, HTMT__RECORD_SERVED),
                                      .end = e->now,
                                      .service = p->service,
                                      .wait = s->wait,
                                      .serial = p->serial,
                                      .cause = s->stands,
                                      .line = s->line};
    s->wait = 0;
    r->turn = r->now = s->stands = add_fast(e, i);
}

/* Memories change in turns of parcels only. */
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
    struct htmt__record_seat *s = seat(e, p);
    if (p->kind == HTMT__PARCEL)
        touch(e, p->slice);
    if (is_served(p))
        end_service(e, p, s);
    else
        r->turn = r->now = p->state == HTMT__FOR_KERNEL && s->wait ? s->line : s->stands;
}

static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__record_seat *s = seat(e, p);
    s->before = s->stands;
    s->stands = e->recorder->now;
}

static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    (void)resource;
    struct htmt__record_seat *s = seat(e, p);
    s->wait = e->now - p->waiter.since;
    s->line = e->recorder->now;
}

/* ---- memories and mailboxes ------------------------------------------------------------------ */

/* Of the next step that has a stage, which is what p waits before; none is behind the last gate. */
static uint32_t step_ahead(struct htmt_emulator *e, const struct htmt__entity *p,
                           enum htmt__record_place place)
{
    const struct htmt__step *step = p->step;
    while (!step->stats && step->op != HTMT__END)
        step++;
    while (!step->stats)
        step--;
    return step_of(e, step->stats, place);
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    struct htmt__record_seat *s = seat(e, p);
    htmt_time wait = e->now - p->waiter.since;
    if (why != HTMT__SPACE || !wait)
        return;
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_ahead(e, p, HTMT__RECORD_STALLED + of),
                                      .end = e->now,
                                      .wait = wait,
                                      .serial = p->serial,
                                      .cause = s->before,
                                      .line = e->recorder->now};
    s->stands = add_fast(e, i);
}

static void room(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer)
{
    struct htmt__recorder *r = e->recorder;
    htmt_time wait = e->now - p->waiter.since;
    struct htmt__record_interval i = {.slice = htmt__played(e, p->message->leg.target),
                                      .end = e->now,
                                      .wait = wait,
                                      .serial = p->serial,
                                      .cause = seat(e, p)->stands,
                                      .line = r->turn};
    i.step = step_without_stage(e, HTMT__RECORD_ROOM + layer);
    r->now = seat(e, p)->stands = wait ? add(e, i) : r->turn;
}

/* What goes on now did not wait for room. */
static void why_now(struct htmt_emulator *e, enum htmt__why why, uint32_t of)
{
    (void)why, (void)of;
    e->recorder->now = e->recorder->turn;
}

/* ---- channels -------------------------------------------------------------------------------- */

static void channel(struct htmt_emulator *e, struct htmt__link *l)
{
    struct htmt__recorder *r = e->recorder;
    r->used = l->channels == 1 ? NULL : &r->channel[htmt__channel_of(e, l)];
}

static inline htmt__record_ref *last_of(struct htmt_emulator *e, uint32_t slice, bool in,
                                        uint32_t network, uint32_t layer)
{
    const struct htmt__recorder *r = e->recorder;
    return r->used ? r->used
                   : &r->channel[slice * r->channels +
                                 e->link_at[in][network * HTMT_LAYERS_MAX + layer]];
}

static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    (void)head;
    struct htmt__recorder *r = e->recorder;
    uint32_t slice = htmt__played(e, g->source);
    htmt__record_ref *last = last_of(e, slice, false, g->network, g->from);
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, g->stats, HTMT__RECORD_SENT),
                                      .end = start + g->out_time,
                                      .service = g->out_time,
                                      .wait = start - e->now,
                                      .serial = p->serial,
                                      .cause = r->now,
                                      .line = *last};
    r->sent = *last = seat(e, p)->stands = add_fast(e, i);
}

/* What its last word is late for comes from where it was sent. */
static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    struct htmt__record_seat *s = seat(e, p);
    uint32_t slice = htmt__played(e, g->target);
    htmt__record_ref *last = last_of(e, slice, true, g->network, g->to);
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, g->stats, HTMT__RECORD_RECEIVED),
                                      .end = start + g->in_time,
                                      .service = g->in_time,
                                      .wait = start - head,
                                      .serial = p->serial,
                                      .cause = s->stands,
                                      .line = *last};
    *last = add_fast(e, i);
    if (end == i.end)
        s->stands = *last;
}

/* A moment comes from what began its service, or from the message that it tells of. */
static void within(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats)
{
    (void)stats;
    seat(e, moment)->stands = e->recorder->now;
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p,
                     const struct htmt__entity *moment)
{
    (void)p;
    seat(e, moment)->stands = e->recorder->sent;
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

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Objects took their words, and sections began, before time began. */
static void begin_slice(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__record_slice *s = &e->recorder->slice[slice];
    for (uint32_t l = 0; l < e->layers; l++)
        s->block.level[l] = s->store[l].used;
    section(e, slice, htmt__section_of(e, slice), 0);
}

static void begin_first(struct htmt_emulator *e)
{
    e->recorder->begun = true;
    if (htmt__record_filter_types(e, &e->recorder->options))
        give_up(e);
    for (uint32_t i = 0; i < e->played; i++)
        begin_slice(e, i);
}

static void begin(struct htmt_emulator *e)
{
    e->recorder->turn = e->recorder->now = 0;
    if (!e->recorder->begun)
        begin_first(e);
}

/* Of slices that were played one after another: the last to end, of equals the first. */
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
    write_block(e, slice);
    htmt__record_block_fini(&r->slice[slice].block);
    free(r->row[slice].seat);
    r->row[slice] = (struct htmt__record_row){0};
}

/* ---- what is open at the end ----------------------------------------------------------------- */

static void add_open(struct htmt_emulator *e, uint32_t slice, const struct htmt__entity *p,
                     uint32_t step, htmt_time since)
{
    const struct htmt__record_seat *s = seat(e, p);
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step == UINT32_MAX ? step : step + 1,
                                      .end = e->now,
                                      .wait = e->now - since,
                                      .serial = p->serial,
                                      .cause = s->stands};
    add(e, i);
}

/* A service that has begun. */
static void add_begun(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time start)
{
    const struct htmt__record_seat *s = seat(e, p);
    uint32_t step = step_of(e, p->step->stats, HTMT__RECORD_SERVED);
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step == UINT32_MAX ? step : step + 1,
                                      .end = e->now,
                                      .service = e->now - start,
                                      .wait = s->wait,
                                      .serial = p->serial,
                                      .cause = s->stands,
                                      .line = s->line};
    add(e, i);
}

static void add_room(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__leg *g = &p->message->leg;
    htmt_time since = htmt__message_mailbox(p->message) ? p->waiter.since : e->now;
    add_open(e, htmt__played(e, g->target), p, step_without_stage(e, HTMT__RECORD_ROOM + g->to),
             since);
}

static void add_waiting(struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (p->state == HTMT__IN_LINE)
        add_open(e, p->slice, p, step_of(e, p->step->stats, HTMT__RECORD_SERVED), p->waiter.since);
    else if (p->state == HTMT__FOR_SPACE)
        add_open(e, p->slice, p, step_ahead(e, p, HTMT__RECORD_STALLED + p->step->layer),
                 p->waiter.since);
    else if (p->state == HTMT__FOR_CALL)
        add_open(e, p->slice, p, step_ahead(e, p, HTMT__RECORD_GATE), p->waiter.since);
    else if (p->state == HTMT__FOR_ROOM)
        add_room(e, p);
    else if (p->state == HTMT__FOR_KERNEL)
        add_begun(e, p, e->now);
}

static void add_waiting_of(struct htmt_emulator *e, uint32_t slice, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
        if (p->serial)
            add_waiting(e, p);
    }
}

/* Nothing will happen any more: who has an event is found among the pending ones. */
static void add_all_open(struct htmt_emulator *e)
{
    struct htmt__event event;
    while (htmt__pending_pop(&e->pending, &event)) {
        const struct htmt__entity *p = htmt__entity_at(e, event.key);
        if (is_served(p))
            add_begun(e, p, event.time - p->service);
    }
    for (uint32_t i = 0; i < e->played; i++) {
        add_waiting_of(e, i, 0, htmt__slice_at(e, i)->fresh);
        add_waiting_of(e, i, HTMT__BETWEEN, e->post ? e->post[i].fresh : 0);
    }
}

static void finish(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (e->fault.code)
        add_all_open(e);
    for (uint32_t i = 0; i < e->played; i++) {
        sample_all(e, i);
        write_block(e, i);
    }
    if (!r->file)
        return;
    char *footer = htmt__record_footer(e);
    struct htmt_fault fault = {0};
    int rc = footer ? htmt__record_file_commit(&r->file, footer, &fault) : HTMT_ENOMEM;
    if (!footer)
        give_up(e);
    free(footer);
    if (rc && !e->fault.code)
        htmt_fault_set(&e->fault, rc, "%s",
                       fault.code ? fault.text : "no host memory for the end of the trace");
}

static const struct htmt__explain_probe probe = {
    .begin = begin,
    .end = end,
    .finish = finish,
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
    .sent = sent_off,
};

static int allocate(struct htmt_emulator *e, struct htmt__recorder *r)
{
    r->slice = calloc(e->played, sizeof *r->slice);
    r->row = calloc(2 * (size_t)e->played, sizeof *r->row);
    r->channels = htmt__channel_count(e) / e->played;
    r->channel = calloc(e->played * r->channels + 1, sizeof *r->channel);
    if (!r->slice || !r->row || !r->channel)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t i = 0; i < e->played; i++) {
        r->slice[i].store = htmt__store_at(e, i, 0);
        r->slice[i].left_out = !htmt__record_filter_slice(&r->options, i);
        r->slice[i].block.last = (uint64_t)i << HTMT__RECORD_NUMBER_BITS;
    }
    return 0;
}

int htmt__recorder_create(struct htmt_emulator *e, const struct htmt_recording *recording)
{
    struct htmt__recorder *r = e->recorder = calloc(1, sizeof *r);
    if (!r)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    int rc = htmt__record_filter_copy(e, recording, &r->options);
    if (!rc && (rc = htmt__record_footer_about(r->options.about)))
        htmt__fail(e, rc,
                   rc == HTMT_ENOMEM ? "no host memory for a recording about '%.200s'"
                                     : "a recording about '%.200s', expected a JSON object",
                   r->options.about);
    rc = rc ? rc : allocate(e, r);
    if (rc)
        return rc;
    e->options.recording = &r->options;
    r->layers = r->options.layers ? r->options.layers : UINT32_MAX;
    r->windowed = r->options.from || r->options.to;
    r->room = htmt__record_block_room(e->played);
    r->latest = -1;
    rc = htmt__record_file_open(&r->file, r->options.path, htmt__record_block_most(r->room),
                                &e->fault);
    return rc ? rc : htmt__probes_add(e, &probe);
}

void htmt__recorder_destroy(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    if (!r)
        return;
    htmt__record_file_abandon(&r->file);
    for (uint32_t i = 0; r->slice && i < e->played; i++)
        htmt__record_block_fini(&r->slice[i].block);
    for (uint32_t i = 0; r->row && i < 2 * e->played; i++)
        free(r->row[i].seat);
    free(r->slice);
    free(r->row);
    free(r->channel);
    free(r->step);
    htmt__record_filter_free(&r->options);
    free(r);
    e->recorder = NULL;
}
