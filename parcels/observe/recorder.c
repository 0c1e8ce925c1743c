/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/recorder.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_footer.h"
#include "parcels/timing/entity.h"
#include "parcels/timing/message.h"
#include "parcels/timing/statistics.h"

#include <stdlib.h>

#define COLD __attribute__((cold, noinline))

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The file goes, and the run ends. */
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
    if (!htmt__record_block_open(&s->block, r->room, e->layers))
        return true;
    htmt__fail(e, HTMT_ENOMEM, "no host memory to record the run");
    give_up(e);
    return false;
}

static COLD bool room_for_step(struct htmt_emulator *e, struct htmt__record_block *b, uint32_t step)
{
    if (!htmt__record_block_step(b, step))
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
static htmt__record_ref add(struct htmt_emulator *e, const struct htmt__record_interval *i)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[i->slice].block;
    if (__builtin_expect(i->step == UINT32_MAX, 0) ||
        (r->windowed && outside(&r->options, i->end - i->service - i->wait, i->end)) ||
        (__builtin_expect(!b->left, 0) && !open_block(e, i->slice)) ||
        (__builtin_expect(i->step / 2 >= b->steps, 0) && !room_for_step(e, b, i->step / 2)))
        return 0;
    htmt__record_ref self = htmt__record_block_add(b, i);
    if (__builtin_expect(--b->left == 0, 0))
        look(e, i->slice);
    return self;
}

static void filled(struct htmt_emulator *e, uint32_t slice, uint32_t layer)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_block *b = &r->slice[slice].block;
    uint64_t words = htmt__store_at(e, slice, layer)->used;
    if (!r->begun || !(r->layers >> layer & 1) ||
        (r->windowed && outside(&r->options, e->now, e->now)) ||
        (__builtin_expect(!b->left, 0) && !open_block(e, slice))) {
        b->level[layer] = words;
        return;
    }
    htmt__record_block_sample(b, e->now, layer, words);
    if (__builtin_expect(--b->samples_left == 0, 0))
        look(e, slice);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static COLD int room_for_numbers(struct htmt__recorder *r, uint32_t at)
{
    uint32_t numbers = at + at / 2 + 4 * HTMT__RECORD_PLACES;
    uint32_t *more = realloc(r->number, numbers * sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    memset(more + r->numbers, 0, (numbers - r->numbers) * sizeof *more);
    r->number = more;
    r->numbers = numbers;
    return 0;
}

static COLD int append_step(struct htmt__recorder *r, struct htmt__record_step step)
{
    if (r->steps == r->steps_room) {
        uint32_t room = r->steps_room ? 2 * r->steps_room : 32;
        struct htmt__record_step *more = realloc(r->step, room * sizeof *more);
        if (!more)
            return HTMT_ENOMEM;
        r->step = more;
        r->steps_room = room;
    }
    r->step[r->steps++] = step;
    return 0;
}

/* The step at `at` is met for the first time. */
static COLD uint32_t new_step(struct htmt_emulator *e, uint32_t at, struct htmt__record_step step)
{
    struct htmt__recorder *r = e->recorder;
    int rc = at < r->numbers ? 0 : room_for_numbers(r, at);
    bool counts = htmt__record_filter_step(e, &r->options, &step);
    if (!rc && counts)
        rc = append_step(r, step);
    if (rc) {
        htmt__fail(e, rc, "no host memory to record the run");
        return UINT32_MAX;
    }
    r->number[at] = counts ? 2 * r->steps : 1;
    return counts ? 2 * r->steps - 2 : UINT32_MAX;
}

/* Twice its index; UINT32_MAX: left out. Those without stages come first. */
static uint32_t step_of(struct htmt_emulator *e, const struct htmt__stage_stats *stats,
                        uint32_t place)
{
    const struct htmt__recorder *r = e->recorder;
    uint32_t at = (stats ? stats->number + 1 : 0) * HTMT__RECORD_PLACES + place;
    if (__builtin_expect(at >= r->numbers || !r->number[at], 0))
        return new_step(e, at, (struct htmt__record_step){stats, place});
    return r->number[at] == 1 ? UINT32_MAX : r->number[at] - 2;
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
static htmt__record_ref end_service(struct htmt_emulator *e, const struct htmt__entity *p,
                                    struct htmt__record_seat *s)
{
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = step_of(e, p->step->stats, HTMT__RECORD_SERVED),
                                      .end = e->now,
                                      .service = p->service,
                                      .wait = s->wait,
                                      .serial = p->serial,
                                      .cause = s->stands,
                                      .line = s->line};
    s->wait = 0;
    return s->stands = add(e, &i);
}

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_seat *s = seat(e, p);
    bool waited = p->state == HTMT__FOR_KERNEL && s->wait;
    r->turn = r->now = is_served(p) ? end_service(e, p, s) : waited ? s->line : s->stands;
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

/* The step that needs the words: the next one that has a stage. */
static uint32_t stall_of(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer)
{
    const struct htmt__step *step = p->step;
    while (!step->stats && step->op != HTMT__END)
        step++;
    return step_of(e, step->stats, HTMT__RECORD_STALLED + layer);
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    struct htmt__record_seat *s = seat(e, p);
    htmt_time wait = e->now - p->waiter.since;
    if (why != HTMT__SPACE || !wait)
        return;
    struct htmt__record_interval i = {.slice = p->slice,
                                      .step = stall_of(e, p, of),
                                      .end = e->now,
                                      .wait = wait,
                                      .serial = p->serial,
                                      .cause = s->before,
                                      .line = e->recorder->now};
    s->stands = add(e, &i);
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
    i.step = step_of(e, NULL, HTMT__RECORD_ROOM + layer);
    r->now = wait ? add(e, &i) : r->turn;
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
    e->recorder->used = &e->recorder->channel[htmt__channel_of(e, l)];
}

static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    (void)head;
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_interval i = {.slice = htmt__played(e, g->source),
                                      .step = step_of(e, g->stats, HTMT__RECORD_SENT),
                                      .end = start + g->out_time,
                                      .service = g->out_time,
                                      .wait = start - e->now,
                                      .serial = p->serial,
                                      .cause = r->now,
                                      .line = *r->used};
    r->sent = *r->used = seat(e, p)->stands = add(e, &i);
}

/* What its last word is late for comes from where it was sent. */
static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    struct htmt__recorder *r = e->recorder;
    struct htmt__record_seat *s = seat(e, p);
    struct htmt__record_interval i = {.slice = htmt__played(e, g->target),
                                      .step = step_of(e, g->stats, HTMT__RECORD_RECEIVED),
                                      .end = start + g->in_time,
                                      .service = g->in_time,
                                      .wait = start - head,
                                      .serial = p->serial,
                                      .cause = s->stands,
                                      .line = *r->used};
    *r->used = add(e, &i);
    if (end == i.end)
        s->stands = *r->used;
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p)
{
    (void)p;
    e->recorder->via_sent = true;
}

/* A moment comes from what began its service, or from the message that it tells of. */
static void event(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    struct htmt__recorder *r = e->recorder;
    (void)at;
    if (p->kind == HTMT__MOMENT)
        seat(e, p)->stands = r->via_sent ? r->sent : r->now;
    else if (p->kind == HTMT__MESSAGE && p->message->leg.network == HTMT__NO_NETWORK)
        seat(e, p)->stands = r->now;
    r->via_sent = false;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void section(struct htmt_emulator *e, uint32_t slice, uint32_t number, htmt_time at)
{
    struct htmt__record_slice *s = &e->recorder->slice[slice];
    if (at < 0 || (number == s->section && at >= s->since))
        return;
    struct htmt__record_interval i = {.slice = slice,
                                      .step = step_of(e, NULL, HTMT__RECORD_AT_SECTION),
                                      .end = at,
                                      .serial = number};
    add(e, &i);
    s->section = number;
    s->since = at;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void begin(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    r->turn = r->now = 0;
    if (!r->begun)
        htmt__record_filter_types(e, &r->options);
    r->begun = true;
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
    write_block(e, slice);
    htmt__record_block_fini(&r->slice[slice].block);
    free(r->row[slice].seat);
    r->row[slice] = (struct htmt__record_row){0};
}

static void finish(struct htmt_emulator *e)
{
    struct htmt__recorder *r = e->recorder;
    for (uint32_t i = 0; i < e->played; i++)
        write_block(e, i);
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
    .event = event,
    .filled = filled,
    .channel = channel,
    .out = out,
    .in = in,
    .sent = sent_off,
};

static int allocate(struct htmt_emulator *e, struct htmt__recorder *r)
{
    r->slice = calloc(e->played, sizeof *r->slice);
    r->row = calloc(2 * (size_t)e->played, sizeof *r->row);
    r->channel = calloc(htmt__channel_count(e) + 1, sizeof *r->channel);
    if (!r->slice || !r->row || !r->channel)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for a recording");
    for (uint32_t i = 0; i < e->played; i++) {
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
    if (!rc && !htmt__record_footer_about(r->options.about))
        rc = htmt__fail(e, HTMT_EINVAL, "a recording about '%.200s', expected a JSON object",
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
    free(r->number);
    free(r->step);
    htmt__record_filter_free(&r->options);
    free(r);
    e->recorder = NULL;
}
