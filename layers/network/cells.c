/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One cycle of a grid of cells.
 *
 * A cycle has four phases: each cell computes and routes, stages once more, hands operons to its
 * neighbours, and notes congestion. The first two look at the cell alone. The third one asks the
 * neighbour for room, as it is behind phase 1 of the same cycle. So the cycle is cut there:
 *
 *     play(t):  phases 3 and 4 of cycle t - 1, then 1 and 2 of cycle t
 *
 * Both ends of a channel know behind phase 2 what decides phase 3: the sender's operon and the
 * input's room. Within a partition they look at each other. At a border each end keeps a copy of
 * the other one's half, and is told when it changes; as long as a tell of cycle t is heard before
 * play(t + 1), both ends decide alike, and nothing else crosses. A tell has a whole cycle for its
 * way.
 *
 * Only one sender leads to an input, so phase 3 gives the same in any order of cells. Phases 1 and
 * 2 look at no other cell. So the order of cells matters nowhere, and neither does it which
 * partition plays which cell.
 *
 * An operon carries the output that it wants: its direction and channel, found once when it enters
 * an input or the staging register. A blocked operon then costs a test of one bit. Inputs, full
 * inputs and taken outputs of a cell are three words of bits, channel v of direction d at bit
 * d * channels + v.
 *
 * Sleep. A cell in which a cycle moves nothing meets the same in the next one: its core counts
 * down, or its operons wait for others' room. It then sleeps, at no cost. What wakes it is room at
 * an input that its output leads to, an operon that comes, or a cycle that is known beforehand: the
 * core is done, or the cell has cooled. Cycles that it slept through are made up for when it wakes:
 * the core has counted that many down, the turn of the inputs has gone on, each output has waited
 * that much longer, and while one waits the last congested cycle is the last one. A core that looks
 * through its diffuse queue and finds all still wanted has the queue as it was after a whole
 * turn of it: it sleeps, too, and makes up for the rest of the last turn. So a cell that waits for
 * ever causes no events, and if that is all that is left it is a deadlock.
 *
 * Example: a message from cell 0 to cell 1 of a row, made in cycle 0. play(0): phase 1 takes it
 * from the generator into staging, phase 2 into the output to the right. play(1): phase 3 of cycle
 * 0 moves it into the left input of cell 1, a hop; phase 1 of cycle 1 moves it from there into the
 * action queue, and its control runs at once. It was executed one cycle behind its sending.
 */
#include "layers/network/cells.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"

#include <stdlib.h>
#include <string.h>

enum direction { LEFT, UP, RIGHT, DOWN, HERE };

#define OPPOSITE(d) ((d) ^ 2u)
#define NOT_MINE    UINT32_MAX
#define INTO_ACTION 63u /* an operon's output when it has come to its cell */

struct operon {
    uint32_t message;
    uint32_t x : 12, y : 12, out : 8;
};

/* A queue of numbers that grows; room is a power of two. */
struct ring {
    uint32_t *at;
    uint32_t room, head, count;
};

struct generator {
    uint32_t number;
    uint64_t next, count;
};

struct cell {
    uint32_t occupied, full, taken; /* inputs with operons; without room; outputs with an operon */
    uint32_t near[4];               /* index of the neighbour; of a border if bit `foreign` */
    uint32_t number;                /* in the grid */
    uint16_t x, y;
    uint8_t edges;   /* directions in which a step goes round the torus */
    uint8_t foreign; /* directions in which a border lies */
    uint8_t turn;    /* the direction whose inputs come first */
    bool staged;
    bool still;    /* nothing moved in phases 1 and 2 of the cycle that was played last */
    bool asleep;   /* since the end of cycle `last`, until `wake` at most */
    uint32_t same; /* of the diffuse queue, from its end: found wanted since the last control, */
    uint64_t same_charge; /* each for that charge */
    uint32_t kept;        /* how often its core found a diffusion wanted while nothing moved, */
    int64_t kept_first;   /* since when, */
    int64_t kept_turn;    /* and in how many cycles it was through with the queue */
    int64_t last, wake;
    struct operon staging;
    uint32_t blocked[4]; /* cycles that an output waits, per direction */
    uint64_t pending;    /* cycles that the core still computes */
    int64_t congested;   /* the last cycle that was; -1: never */
    struct ring action, diffuse;
    struct generator *generator; /* a queue: from `first` on */
    size_t generator_room;
    uint32_t first, generators;
};

/* A side of a cell behind which another partition begins. Of the far cell it has the inputs that
 * are full, and the operons that wait at its outputs to this side. */
struct border {
    uint32_t cell, far; /* index here, number there */
    uint8_t direction;  /* to the far cell */
    uint8_t told_full, told_taken;
    uint8_t far_full, far_taken;
    struct operon waits[HTMT__CELLS_CHANNELS_MOST];
};

struct wake {
    int64_t at;
    uint32_t index;
};

struct htmt__cells {
    struct htmt__cells_grid grid;
    struct htmt__cells_calls calls;
    uint32_t *index; /* of each cell of the grid; NOT_MINE. NULL: the number */
    uint32_t cells, borders, channels, inputs;
    uint32_t lane_mask;     /* of one direction */
    uint32_t action_most;   /* in the queue when the own staging finds room: action + own */
    uint32_t action_rather; /* above this many actions come before a full diffuse queue */
    uint32_t diffuse_much;  /* above this many the diffuse queue is looked through */
    struct cell *cell;
    struct operon *input;  /* of each cell and input: `buffer` of them */
    uint8_t *held;         /* of each cell and input */
    struct operon *output; /* of each cell and output */
    struct border *border;
    uint64_t *live;     /* a bit for each cell: may be active, and not asleep */
    uint64_t *open;     /* of those asleep: an output has found room in this cycle */
    struct wake *wakes; /* a heap: the first cycle comes first */
    size_t wake_room, wake_count;
    int64_t now;
    uint64_t moves;  /* of operons, generators and queues */
    uint32_t played; /* cells in the last cycle */
    struct htmt__cells_account account;
    struct htmt__cells_series *series; /* NULL: nobody watches */
    struct htmt__cells_span made_up;   /* of earlier cycles, within the one that is played */
};

/* ---- queues ---------------------------------------------------------------------------------- */

static bool ring_grow(struct ring *r)
{
    uint32_t room = r->room ? 2 * r->room : 4;
    uint32_t *at = malloc(room * sizeof *at);
    for (uint32_t i = 0; at && i < r->count; i++)
        at[i] = r->at[(r->head + i) & (r->room - 1)];
    if (!at)
        return false;
    free(r->at);
    *r = (struct ring){.at = at, .room = room, .count = r->count};
    return true;
}

static inline bool ring_push(struct ring *r, uint32_t message)
{
    if (r->count == r->room && !ring_grow(r))
        return false;
    r->at[(r->head + r->count++) & (r->room - 1)] = message;
    return true;
}

static inline uint32_t ring_pop(struct ring *r)
{
    uint32_t message = r->at[r->head];
    r->head = (r->head + 1) & (r->room - 1);
    r->count--;
    return message;
}

static void fail(const struct htmt__cells *e, int code, const struct cell *c)
{
    e->calls.fail(e->calls.user, code, c->number);
}

static inline void queue_action(struct htmt__cells *e, struct cell *c, uint32_t message)
{
    if (!ring_push(&c->action, message))
        fail(e, HTMT_ENOMEM, c);
    if (c->action.count > e->account.action_peak)
        e->account.action_peak = c->action.count;
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* One dimension: from `at` to `to`; `back` is the direction of smaller coordinates. */
static inline enum direction along(const struct htmt__cells *e, uint32_t at, uint32_t to,
                                   uint32_t extent, enum direction back)
{
    const uint32_t way = to > at ? to - at : at - to;
    const bool round = e->grid.torus && way > extent - way;
    return (to > at) != round ? OPPOSITE(back) : back;
}

/* y first, then x; round a torus the shorter way, of two alike the one without the wrap. */
static inline enum direction route(const struct htmt__cells *e, const struct cell *c,
                                   const struct operon *o)
{
    return o->y != c->y   ? along(e, c->y, o->y, e->grid.height, UP)
           : o->x != c->x ? along(e, c->x, o->x, e->grid.width, LEFT)
                          : HERE;
}

/* The output that an operon wants that comes in channel v from direction d: the same channel
 * straight on, the next one at a turn and where the torus closes. */
static inline void choose(const struct htmt__cells *e, const struct cell *c, struct operon *o,
                          unsigned d, unsigned v)
{
    const unsigned way = route(e, c, o);
    if (((d ^ way) & 1) != 0 || (c->edges >> way & 1) != 0)
        v = v + 1 == e->channels ? 0 : v + 1;
    o->out = (way == HERE ? INTO_ACTION : way * e->channels + v) & 0xff;
}

static inline void mark(uint64_t *bits, uint32_t index)
{
    bits[index / 64] |= UINT64_C(1) << index % 64;
}

static inline void unmark(uint64_t *bits, uint32_t index)
{
    bits[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* ---- over time ------------------------------------------------------------------------------- */

/* A cycle's counts are what the account grew by while it was played, less what cells that woke made
 * up for, which is told of the cycles through which they slept. Each cycle has its own counts,
 * however cells sleep and are dealt to partitions; so sums over spans are the same, too, and those
 * of two partitions can be added as soon as their spans are as wide.
 *
 * Example: with room for 4 spans, cycles 0 to 3 have a span each. Cycle 4 finds no room: spans are
 * joined in pairs, {0, 1}, {2, 3}, and it falls into the third one, {4, 5}. */
static void coarsen(struct htmt__cells_series *s)
{
    const struct htmt__cells_span none = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        const struct htmt__cells_span from = s->span[i];
        struct htmt__cells_span *to = &s->span[i / 2];
        if (i % 2 == 0)
            *to = none;
        to->active += from.active;
        to->throttled += from.throttled;
        to->standing += from.standing;
    }
    for (uint32_t i = (s->count + 1) / 2; i < s->count; i++)
        s->span[i] = none;
    s->count = (s->count + 1) / 2;
    s->width *= 2;
}

/* So much in each of these cycles, of which there is at least one. */
static void note(struct htmt__cells_series *s, uint64_t from, uint64_t cycles,
                 struct htmt__cells_span each)
{
    const uint64_t end = from + cycles;
    while ((end - 1) / s->width >= HTMT__CELLS_SPANS)
        coarsen(s);
    for (uint64_t at = from, next; at < end; at = next) {
        struct htmt__cells_span *span = &s->span[at / s->width];
        next = (at / s->width + 1) * s->width;
        next = next < end ? next : end;
        span->active += (next - at) * each.active;
        span->throttled += (next - at) * each.throttled;
        span->standing += (next - at) * each.standing;
    }
    if ((end - 1) / s->width >= s->count)
        s->count = (uint32_t)((end - 1) / s->width) + 1;
}

/* A cell that slept: so many of its cycles, whose core computes, or whose generator is throttled,
 * or neither. */
static void note_slept(struct htmt__cells *e, int64_t from, uint64_t cycles, bool standing,
                       bool throttled)
{
    if (!e->series || !cycles)
        return;
    note(e->series, (uint64_t)from, cycles, (struct htmt__cells_span){1, throttled, standing});
    e->made_up.active += cycles;
    e->made_up.standing += standing ? cycles : 0;
    e->made_up.throttled += throttled ? cycles : 0;
}

bool htmt__cells_series_known(const struct htmt__cells_series *s)
{
    return s->count <= HTMT__CELLS_SPANS && s->width < UINT64_C(1) << 62 &&
           (s->width & (s->width - 1)) == 0;
}

void htmt__cells_series_add(struct htmt__cells_series *all, struct htmt__cells_series *others)
{
    if (!others->width)
        return;
    all->width = all->width ? all->width : 1;
    while (all->width < others->width)
        coarsen(all);
    while (others->width < all->width)
        coarsen(others);
    for (uint32_t i = 0; i < others->count; i++) {
        all->span[i].active += others->span[i].active;
        all->span[i].throttled += others->span[i].throttled;
        all->span[i].standing += others->span[i].standing;
    }
    all->count = others->count > all->count ? others->count : all->count;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

static bool filter(struct htmt__cells *e, struct cell *c);

/* After congestion no generator goes on for a while. */
static inline bool is_hot(const struct htmt__cells *e, const struct cell *c, int64_t cycle)
{
    return e->grid.throttle && c->congested >= 0 && cycle - c->congested <= (int64_t)e->grid.cool;
}

/* Phase 1 of so many cycles in which nothing moves. A core that turns its queue does the same as in
 * as many cycles as it was last through with it; one that is watched does it cycle by cycle. */
static void compute_still(struct htmt__cells *e, struct cell *c, uint64_t cycles)
{
    const uint64_t pending = c->pending, turn = (uint64_t)c->kept_turn;
    const bool hot = c->generators && is_hot(e, c, c->last + 1);
    uint64_t free = cycles > pending ? cycles - pending : 0;
    int64_t at = c->last + 1;
    if (c->kept) {
        uint64_t rest = e->series ? cycles : cycles % turn;
        free = (cycles - rest) / turn * c->diffuse.count;
        for (; rest; rest--) {
            const bool standing = c->pending > 0;
            note_slept(e, at++, 1, standing, hot && !standing);
            if (standing) {
                c->pending--;
            } else {
                free++;
                filter(e, c);
            }
        }
    } else {
        c->pending -= cycles - free;
        note_slept(e, at, cycles - free, true, false);
        note_slept(e, at + (int64_t)(cycles - free), free, false, hot);
    }
    c->turn = (c->turn + free) & 3;
    e->account.active += cycles;
    e->account.standing += cycles - free;
    if (hot)
        e->account.throttled += free;
}

/* Phases 3 and 4 of the cycles up to that one, in which all that is at outputs stays there. */
static void wait_still(const struct htmt__cells *e, struct cell *c, int64_t to)
{
    bool congested = false;
    for (unsigned d = 0; d < 4; d++) {
        const uint32_t taken = c->taken >> d * e->channels & e->lane_mask;
        c->blocked[d] += (uint32_t)(to - c->last) * (uint32_t)__builtin_popcount(taken);
        congested |= c->blocked[d] > 1;
    }
    if (congested && to > c->last)
        c->congested = to;
}

static bool add_wake(struct htmt__cells *e, struct wake new)
{
    size_t i = e->wake_count;
    if (!htmt__array_fits(&e->wakes, &e->wake_room, i + 1, sizeof *e->wakes))
        return false;
    for (; i && new.at < e->wakes[(i - 1) / 2].at; i = (i - 1) / 2)
        e->wakes[i] = e->wakes[(i - 1) / 2];
    e->wakes[i] = new;
    e->wake_count++;
    return true;
}

static void drop_wake(struct htmt__cells *e)
{
    const struct wake last = e->wakes[--e->wake_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < e->wake_count; i = child) {
        child += child + 1 < e->wake_count && e->wakes[child + 1].at < e->wakes[child].at;
        if (last.at <= e->wakes[child].at)
            break;
        e->wakes[i] = e->wakes[child];
    }
    e->wakes[i] = last;
}

/* Behind cycle e->now, in which nothing moved here. It wakes when the core is done, or the cell has
 * cooled; while an output waits it does not cool. */
static void sleep_on(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    const bool cools = c->generators && !c->staged && !c->taken && e->grid.throttle;
    c->asleep = true;
    c->last = e->now;
    c->wake = c->pending && !c->kept ? e->now + (int64_t)c->pending + 1
              : cools                ? c->congested + (int64_t)e->grid.cool + 1
                                     : INT64_MAX;
    unmark(e->live, index);
    if (c->wake < INT64_MAX && !add_wake(e, (struct wake){c->wake, index}))
        fail(e, HTMT_ENOMEM, c);
}

/* It met nothing new, and if its core turns its diffuse queue, it was through with it. */
static inline bool may_sleep(const struct cell *c)
{
    return c->still && (!c->kept || c->kept > c->diffuse.count);
}

static inline void wake_up(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    c->asleep = c->still = false;
    c->kept = 0;
    mark(e->live, index);
}

/* The first cycle in which somebody wakes by itself. Whoever woke before is passed over. */
static int64_t next_wake(struct htmt__cells *e)
{
    for (; e->wake_count; drop_wake(e)) {
        const struct cell *c = &e->cell[e->wakes->index];
        if (c->asleep && c->wake == e->wakes->at)
            return c->wake;
    }
    return INT64_MAX;
}

/* ---- phase 3: between cells ------------------------------------------------------------------ */

static inline void enter(struct htmt__cells *e, uint32_t index, unsigned d, unsigned v,
                         struct operon o)
{
    struct cell *c = &e->cell[index];
    const size_t in = d * e->channels + v, at = (size_t)index * e->inputs + in;
    choose(e, c, &o, d, v);
    e->input[at * e->grid.buffer + e->held[at]++] = o;
    c->occupied |= 1u << in;
    if (e->held[at] == e->grid.buffer)
        c->full |= 1u << in;
    c->still = false;
    if (!c->asleep)
        c->kept = 0;
    const bool tells = (c->full >> in & 1) && (c->foreign >> d & 1);
    if (!c->asleep || !c->pending || c->kept || tells)
        mark(e->live, index);
}

/* The outputs of one direction, channel by channel: the count of those that wait begins anew
 * behind one that goes. */
static inline void hand_over(struct htmt__cells *e, uint32_t index, struct cell *c, unsigned d,
                             uint32_t taken)
{
    const unsigned first = d * e->channels;
    const bool foreign = c->foreign >> d & 1;
    struct border *b = foreign ? &e->border[c->near[d]] : NULL;
    const uint32_t full =
        foreign ? b->far_full : e->cell[c->near[d]].full >> OPPOSITE(d) * e->channels;
    for (; taken; taken &= taken - 1) {
        const unsigned v = (unsigned)__builtin_ctz(taken);
        if (full >> v & 1) {
            c->blocked[d]++;
            continue;
        }
        c->blocked[d] = 0;
        c->taken &= ~(1u << (first + v));
        e->account.hops++;
        e->moves++;
        if (foreign)
            b->told_taken &= (uint8_t) ~(1u << v);
        else
            enter(e, c->near[d], OPPOSITE(d), v, e->output[(size_t)index * e->inputs + first + v]);
    }
}

/* What waits at the borders' far sides and finds room. The far end decides the same. */
static void take_over(struct htmt__cells *e)
{
    for (uint32_t i = 0; i < e->borders; i++) {
        struct border *b = &e->border[i];
        struct cell *c = &e->cell[b->cell];
        uint32_t goes = b->far_taken & ~(c->full >> b->direction * e->channels);
        b->far_taken &= (uint8_t)~goes;
        for (; goes; goes &= goes - 1) {
            const unsigned v = (unsigned)__builtin_ctz(goes);
            enter(e, b->cell, b->direction, v, b->waits[v]);
            e->moves++;
        }
    }
}

/* Of a cell whose outputs have something: phases 3 and 4 of cycle e->now. */
static void send_on(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    const uint64_t before = e->moves;
    bool congested = false;
    uint32_t rest = c->taken;
    for (unsigned d = 0; rest; d++, rest >>= e->channels) {
        if (!(rest & e->lane_mask))
            continue;
        hand_over(e, index, c, d, rest & e->lane_mask);
        congested |= c->blocked[d] > 1;
    }
    if (congested)
        c->congested = e->now;
    if (e->moves == before && may_sleep(c) && ((c->pending && !c->kept) || congested))
        sleep_on(e, index, c);
}

/* The cycle that was played last comes to its end. Inputs at borders fill last: their senders are
 * elsewhere, and their room is that behind phase 1. */
static void exchange(struct htmt__cells *e)
{
    for (uint32_t w = 0; w < (e->cells + 63) / 64; w++) {
        const uint64_t open = e->open[w];
        e->open[w] = 0;
        for (uint64_t bits = e->live[w] | open; bits; bits &= bits - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(bits);
            struct cell *c = &e->cell[w * 64 + bit];
            if (c->asleep && !(open >> bit & 1))
                continue;
            if (c->asleep) {
                compute_still(e, c, (uint64_t)(e->now - c->last));
                wait_still(e, c, e->now - 1);
                wake_up(e, w * 64 + bit, c);
            }
            if (c->taken)
                send_on(e, w * 64 + bit, c);
        }
    }
    take_over(e);
}

/* ---- phases 1 and 2: in a cell --------------------------------------------------------------- */

/* The staged operon goes on if it can; into the own action queue with a room of its own. */
static inline void stage_out(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    const struct operon o = c->staging;
    if (o.out == INTO_ACTION) {
        if (c->action.count > e->action_most)
            return;
        queue_action(e, c, o.message);
    } else if (c->taken >> o.out & 1) {
        return;
    } else {
        c->taken |= 1u << o.out;
        e->output[(size_t)index * e->inputs + o.out] = o;
    }
    c->staged = false;
    e->moves++;
}

/* Who sends to the input hears of its room in phase 3; a border tells it. */
static void make_room(struct htmt__cells *e, struct cell *c, unsigned in)
{
    const unsigned d = in / e->channels;
    c->full &= ~(1u << in);
    if (!(c->foreign >> d & 1) && e->cell[c->near[d]].asleep)
        mark(e->open, c->near[d]);
}

/* The first operon of an input that can go, goes; the others keep their order. */
static inline void pass(struct htmt__cells *e, uint32_t index, struct cell *c, unsigned in)
{
    const size_t at = (size_t)index * e->inputs + in;
    struct operon *o = &e->input[at * e->grid.buffer];
    unsigned n = e->held[at], i = 0;
    for (; i < n; i++)
        if (o[i].out == INTO_ACTION ? c->action.count < e->grid.action
                                    : !(c->taken >> o[i].out & 1))
            break;
    if (i == n)
        return;
    if (o[i].out == INTO_ACTION) {
        queue_action(e, c, o[i].message);
    } else {
        c->taken |= 1u << o[i].out;
        e->output[(size_t)index * e->inputs + o[i].out] = o[i];
    }
    for (n--; i < n; i++)
        o[i] = o[i + 1];
    e->held[at] = (uint8_t)n;
    if (c->full >> in & 1)
        make_room(e, c, in);
    if (!n)
        c->occupied &= ~(1u << in);
    e->moves++;
}

static void pass_all(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    for (unsigned k = 0; k < 4 && c->occupied; k++) {
        const unsigned d = (c->turn + k) & 3, first = d * e->channels;
        for (uint32_t in = c->occupied >> first & e->lane_mask; in;) {
            const unsigned v = 31 - (unsigned)__builtin_clz(in);
            in &= ~(1u << v);
            pass(e, index, c, first + v);
        }
    }
    c->turn = (c->turn + 1) & 3;
}

static void act(struct htmt__cells *e, struct cell *c)
{
    const uint32_t message = ring_pop(&c->action);
    const struct htmt__cells_calls *call = &e->calls;
    e->moves++;
    if (call->wanted(call->user, c->number, HTMT__CELLS_ACTION, message, &c->pending)) {
        e->account.work++;
        c->same = 0;
        call->work(call->user, c->number, HTMT__CELLS_ACTION, message, &c->pending);
    } else {
        e->account.unwanted++;
    }
}

static void diffuse(struct htmt__cells *e, struct cell *c)
{
    const uint32_t message = ring_pop(&c->diffuse);
    const struct htmt__cells_calls *call = &e->calls;
    e->moves++;
    if (call->wanted(call->user, c->number, HTMT__CELLS_DIFFUSE, message, &c->pending)) {
        e->account.done++;
        c->same = 0;
        call->work(call->user, c->number, HTMT__CELLS_DIFFUSE, message, &c->pending);
    } else {
        e->account.outdated++;
    }
}

/* While the generator waits, the core looks whether what waits to be diffused is still wanted.
 * true: it is. The answer changes with a control of the cell alone: when all of the queue was found
 * wanted since the last one, each for the same charge, nobody is asked again. */
static bool filter(struct htmt__cells *e, struct cell *c)
{
    const struct htmt__cells_calls *call = &e->calls;
    const uint32_t count = c->diffuse.count, message = ring_pop(&c->diffuse);
    if (c->same >= count) {
        c->pending += c->same_charge;
    } else if (call->wanted(call->user, c->number, HTMT__CELLS_DIFFUSE, message, &c->pending)) {
        c->same = c->same && c->pending == c->same_charge ? c->same + 1 : 1;
        c->same_charge = c->pending;
    } else {
        e->account.filtered++;
        e->moves++;
        return false;
    }
    ring_push(&c->diffuse, message); /* into the place that it left */
    return true;
}

/* true: a diffusion was found to be wanted still. */
static bool overlap(struct htmt__cells *e, struct cell *c)
{
    const uint32_t actions = c->action.count, diffusions = c->diffuse.count;
    const bool rather = actions > e->action_rather && diffusions < e->grid.diffuse;
    if (diffusions && (!actions || (!rather && diffusions > e->diffuse_much)))
        return filter(e, c);
    if (actions) {
        act(e, c);
        e->account.overlapped++;
    }
    return false;
}

/* The first generator puts its next message into staging. */
static void stage_in(struct htmt__cells *e, struct cell *c)
{
    struct generator *g = &c->generator[c->first];
    const uint64_t i = g->next++;
    struct operon o = {0};
    const bool last = g->next == g->count;
    const uint32_t target =
        e->calls.next(e->calls.user, c->number, g->number, i, last, &o.message, &c->pending);
    e->moves++;
    if (last) {
        c->first++;
        c->first = --c->generators ? c->first : 0;
    }
    if (target == HTMT__CELLS_NOBODY)
        return;
    o.x = target % e->grid.width & 0xfff;
    o.y = target / e->grid.width & 0xfff;
    const enum direction way = route(e, c, &o);
    o.out = (way == HERE ? INTO_ACTION : way * e->channels) & 0xff; /* channel 0, wrap or not */
    c->staging = o;
    c->staged = true;
}

/* Router and core, when the core is free. true: as overlap(). */
static bool go_on(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    if (c->staged)
        stage_out(e, index, c);
    pass_all(e, index, c);
    const bool hot = is_hot(e, c, e->now);
    if (c->generators && (c->staged || hot)) {
        e->account.throttled += hot;
        return overlap(e, c);
    }
    if (c->generators)
        stage_in(e, c);
    else if (c->diffuse.count && (!c->action.count || c->diffuse.count >= e->grid.diffuse))
        diffuse(e, c);
    else if (c->action.count)
        act(e, c);
    return false;
}

/* Phases 1 and 2. While the core computes, its router stands, too; what is staged goes on. */
static void compute(struct htmt__cells *e, uint32_t index, struct cell *c)
{
    const uint64_t before = e->moves;
    const bool last = c->pending == 1; /* the core is done, so the next cycle differs */
    bool kept = false;
    e->account.active++;
    if (c->pending) {
        c->pending--;
        e->account.standing++;
    } else {
        kept = go_on(e, index, c);
    }
    if (c->staged)
        stage_out(e, index, c);
    c->still = e->moves == before && !last;
    if (e->moves != before) {
        c->kept = 0;
    } else if (kept) {
        c->kept_first = c->kept ? c->kept_first : e->now;
        if (c->kept++ == c->diffuse.count)
            c->kept_turn = e->now - c->kept_first;
    }
}

static inline bool is_active(const struct cell *c)
{
    return c->occupied || c->taken || c->staged || c->generators || c->action.count ||
           c->diffuse.count;
}

/* ---- borders --------------------------------------------------------------------------------- */

static void tell(struct htmt__cells *e, uint32_t index, const struct cell *c)
{
    for (unsigned d = 0; d < 4; d++) {
        if (!(c->foreign >> d & 1))
            continue;
        struct border *b = &e->border[c->near[d]];
        const unsigned first = d * e->channels;
        const uint32_t full = c->full >> first & e->lane_mask;
        uint32_t fresh = (c->taken >> first & e->lane_mask) & ~b->told_taken;
        struct htmt__cells_tell t = {
            .cell = b->far, .from = OPPOSITE(d) & 3, .full = (uint8_t)full, .offers = fresh != 0};
        if (!fresh && full == b->told_full)
            continue;
        b->told_full = (uint8_t)full;
        b->told_taken |= (uint8_t)fresh;
        do {
            const unsigned v = fresh ? (unsigned)__builtin_ctz(fresh) : 0;
            const struct operon *o = &e->output[(size_t)index * e->inputs + first + v];
            t.channel = (uint8_t)v;
            t.target = fresh ? o->y * e->grid.width + o->x : 0;
            t.message = fresh ? o->message : 0;
            e->calls.tell(e->calls.user, &t);
            fresh &= fresh - 1;
        } while (fresh);
    }
}

void htmt__cells_hear(struct htmt__cells *e, const struct htmt__cells_tell *t)
{
    const uint32_t index = e->index ? e->index[t->cell] : t->cell;
    struct cell *c = &e->cell[index];
    struct border *b = &e->border[c->near[t->from]];
    if (b->far_full & ~t->full && c->asleep)
        mark(e->open, index);
    b->far_full = t->full;
    if (!t->offers)
        return;
    b->far_taken |= (uint8_t)(1u << t->channel);
    b->waits[t->channel] = (struct operon){.message = t->message,
                                           .x = t->target % e->grid.width & 0xfff,
                                           .y = t->target / e->grid.width & 0xfff};
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static int64_t play(struct htmt__cells *e, int64_t cycle)
{
    e->played = 0;
    e->now = cycle - 1; /* asleep, all may have passed some */
    exchange(e);
    e->now = cycle;
    for (; next_wake(e) <= e->now; drop_wake(e))
        mark(e->live, e->wakes->index);
    for (uint32_t w = 0; w < (e->cells + 63) / 64; w++)
        for (uint64_t bits = e->live[w]; bits; bits &= bits - 1) {
            const uint32_t index = w * 64 + (uint32_t)__builtin_ctzll(bits);
            struct cell *c = &e->cell[index];
            if (!is_active(c)) {
                unmark(e->live, index);
                continue;
            }
            if (c->asleep) {
                compute_still(e, c, (uint64_t)(cycle - 1 - c->last));
                wait_still(e, c, cycle - 1);
                wake_up(e, index, c);
            }
            compute(e, index, c);
            e->account.cycles = cycle + 1;
            e->played++;
            if (c->foreign)
                tell(e, index, c);
            if (!c->taken && may_sleep(c))
                sleep_on(e, index, c);
        }
    const int64_t wake = next_wake(e);
    return e->played && wake > cycle + 1 ? cycle + 1 : wake;
}

int64_t htmt__cells_play(struct htmt__cells *e, int64_t cycle)
{
    if (!e->series)
        return play(e, cycle);
    const struct htmt__cells_account before = e->account;
    e->made_up = (struct htmt__cells_span){0};
    const int64_t next = play(e, cycle);
    const struct htmt__cells_account *now = &e->account;
    const struct htmt__cells_span all = {now->active - before.active - e->made_up.active,
                                         now->throttled - before.throttled - e->made_up.throttled,
                                         now->standing - before.standing - e->made_up.standing};
    if (e->played)
        note(e->series, (uint64_t)cycle, 1, all);
    return next;
}

void htmt__cells_wake(struct htmt__cells *e, uint32_t cell, int64_t cycle)
{
    const uint32_t index = e->index ? e->index[cell] : cell;
    struct cell *c = &e->cell[index];
    e->now = cycle - 1;
    if (c->asleep) {
        compute_still(e, c, (uint64_t)(e->now - c->last));
        wait_still(e, c, e->now - 1);
    }
    wake_up(e, index, c);
}

bool htmt__cells_put(struct htmt__cells *e, uint32_t cell, uint32_t message)
{
    struct cell *c = &e->cell[e->index ? e->index[cell] : cell];
    if (c->action.count >= e->grid.action)
        return false;
    queue_action(e, c, message);
    e->account.created++;
    return true;
}

void htmt__cells_diffuse(struct htmt__cells *e, uint32_t cell, uint32_t message)
{
    struct cell *c = &e->cell[e->index ? e->index[cell] : cell];
    c->same = 0;
    if (c->diffuse.count >= e->grid.diffuse)
        fail(e, HTMT_ECAPACITY, c);
    else if (!ring_push(&c->diffuse, message))
        fail(e, HTMT_ENOMEM, c);
    e->account.diffusions++;
    if (c->diffuse.count > e->account.diffuse_peak)
        e->account.diffuse_peak = c->diffuse.count;
}

void htmt__cells_generate(struct htmt__cells *e, uint32_t cell, uint32_t generator, uint64_t count)
{
    struct cell *c = &e->cell[e->index ? e->index[cell] : cell];
    if (!count)
        return;
    if (c->first && c->first + c->generators == c->generator_room) {
        memmove(c->generator, c->generator + c->first, c->generators * sizeof *c->generator);
        c->first = 0;
    }
    const size_t end = c->first + c->generators;
    if (!htmt__array_fits(&c->generator, &c->generator_room, end + 1, sizeof *c->generator)) {
        fail(e, HTMT_ENOMEM, c);
        return;
    }
    c->generator[end] = (struct generator){.number = generator, .count = count};
    c->generators++;
    e->account.created += count;
}

uint32_t htmt__cells_played(const struct htmt__cells *e)
{
    return e->played;
}

uint32_t htmt__cells_stuck(const struct htmt__cells *e, uint32_t *cell)
{
    uint32_t count = 0;
    for (uint32_t i = e->cells; i-- > 0;)
        if (is_active(&e->cell[i])) {
            *cell = e->cell[i].number;
            count++;
        }
    return count;
}

uint64_t htmt__cells_pending(const struct htmt__cells *e, uint32_t cell)
{
    return e->cell[e->index ? e->index[cell] : cell].pending;
}

void htmt__cells_count(const struct htmt__cells *e, struct htmt__cells_account *account)
{
    *account = e->account;
}

void htmt__cells_watch(struct htmt__cells *e, struct htmt__cells_series *series)
{
    series->width = 1;
    e->series = series;
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* The cell a step further; a mesh ends at its border, where nothing ever goes. */
static uint32_t neighbour(const struct htmt__cells_grid *g, uint32_t x, uint32_t y, unsigned d)
{
    x = d == LEFT ? (x + g->width - 1) % g->width : d == RIGHT ? (x + 1) % g->width : x;
    y = d == UP ? (y + g->height - 1) % g->height : d == DOWN ? (y + 1) % g->height : y;
    return y * g->width + x;
}

static uint8_t edges_of(const struct htmt__cells_grid *g, uint32_t x, uint32_t y)
{
    return (uint8_t)((x == 0) << LEFT | (y == 0) << UP | (x + 1 == g->width) << RIGHT |
                     (y + 1 == g->height) << DOWN);
}

static uint32_t place_of(const struct cell *c, uint32_t out)
{
    return c->number * HTMT__CELLS_PLACES + (out == INTO_ACTION ? HTMT__CELLS_CORE : out);
}

void htmt__cells_waits(const struct htmt__cells *e, uint32_t *waits)
{
    for (uint32_t i = 0; i < e->cells; i++) {
        const struct cell *c = &e->cell[i];
        for (uint32_t full = c->full; full; full &= full - 1) {
            const unsigned in = (unsigned)__builtin_ctz(full), d = in / e->channels;
            const struct operon *first = &e->input[((size_t)i * e->inputs + in) * e->grid.buffer];
            waits[neighbour(&e->grid, c->x, c->y, d) * HTMT__CELLS_PLACES +
                  OPPOSITE(d) * e->channels + in % e->channels] = 1 + place_of(c, first->out);
        }
        if (c->staged)
            waits[place_of(c, INTO_ACTION)] = 1 + place_of(c, c->staging.out);
        else if (c->generators && c->taken) /* throttled, as long as these wait */
            waits[place_of(c, INTO_ACTION)] = 1 + place_of(c, (uint32_t)__builtin_ctz(c->taken));
    }
}

static void join(struct htmt__cells *e, uint32_t index, uint32_t number)
{
    struct cell *c = &e->cell[index];
    const struct htmt__cells_grid *g = &e->grid;
    *c = (struct cell){.number = number,
                       .x = (uint16_t)(number % g->width),
                       .y = (uint16_t)(number / g->width),
                       .congested = -1};
    c->edges = edges_of(g, c->x, c->y);
    for (unsigned d = 0; d < 4; d++) {
        const uint32_t to = neighbour(g, c->x, c->y, d);
        c->near[d] = e->index ? e->index[to] : to;
        if (c->near[d] != NOT_MINE || (!g->torus && (c->edges >> d & 1)))
            continue;
        c->near[d] = e->borders;
        c->foreign |= (uint8_t)(1u << d);
        e->border[e->borders++] =
            (struct border){.cell = index, .far = to, .direction = (uint8_t)d};
    }
    if (!g->torus)
        c->edges = 0;
}

/* The wanted index is kept only if some cells are another partition's. */
static int number_cells(struct htmt__cells *e, uint32_t all, const bool *mine)
{
    e->cells = all;
    if (!mine)
        return 0;
    e->index = malloc(all * sizeof *e->index);
    if (!e->index)
        return HTMT_ENOMEM;
    e->cells = 0;
    for (uint32_t i = 0; i < all; i++)
        e->index[i] = mine[i] ? e->cells++ : NOT_MINE;
    return 0;
}

int htmt__cells_create(const struct htmt__cells_grid *grid, const bool *mine,
                       const struct htmt__cells_calls *calls, struct htmt__cells **cells)
{
    const uint32_t all = grid->width * grid->height;
    const double most = grid->action + grid->own;
    struct htmt__cells *e = calloc(1, sizeof *e);
    *cells = e;
    if (!e || number_cells(e, all, mine))
        goto fail;
    e->grid = *grid;
    e->calls = *calls;
    e->channels = grid->channels;
    e->inputs = 4 * grid->channels;
    e->lane_mask = (1u << grid->channels) - 1;
    e->action_most = grid->action + grid->own;
    e->action_rather = (uint32_t)(most / (100.0 / 95.0));
    e->diffuse_much = (uint32_t)(grid->diffuse / (100.0 / 90.0));
    e->now = -1;
    const size_t some = e->cells ? e->cells : 1, ways = some * e->inputs;
    e->cell = calloc(some, sizeof *e->cell);
    e->input = malloc(ways * grid->buffer * sizeof *e->input);
    e->output = malloc(ways * sizeof *e->output);
    e->held = calloc(ways, sizeof *e->held);
    e->live = calloc((some + 63) / 64, sizeof *e->live);
    e->open = calloc((some + 63) / 64, sizeof *e->open);
    e->border = mine ? malloc(4 * some * sizeof *e->border) : NULL;
    if (!e->cell || !e->input || !e->output || !e->held || !e->live || !e->open ||
        (mine && !e->border))
        goto fail;
    for (uint32_t i = 0; i < all; i++)
        if (!mine || mine[i])
            join(e, e->index ? e->index[i] : i, i);
    return 0;
fail:
    htmt__cells_destroy(cells);
    return HTMT_ENOMEM;
}

void htmt__cells_destroy(struct htmt__cells **cells)
{
    struct htmt__cells *e = *cells;
    if (!e)
        return;
    for (uint32_t i = 0; e->cell && i < e->cells; i++) {
        free(e->cell[i].action.at);
        free(e->cell[i].diffuse.at);
        free(e->cell[i].generator);
    }
    free(e->cell);
    free(e->input);
    free(e->output);
    free(e->held);
    free(e->live);
    free(e->open);
    free(e->wakes);
    free(e->border);
    free(e->index);
    free(e);
    *cells = NULL;
}
