/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells on the virtual clock.
 *
 * The idea. Cycle t of all cells is at the instant t periods of the core's clock, rounded down to
 * the femtosecond. A clock has one event for all of its cells that are active in a cycle, in the
 * queue of packets' events, behind all other events of that instant. So what is posted at an
 * instant takes part in the cycle that begins with it. Where the slices are dealt to partitions,
 * each clock plays its own cells; a tell goes by the outbox of the window, which lies between two
 * cycles: the lookahead is one period.
 *
 * Posts. What the engine moves are numbers; the payloads lie here, each where it was made until its
 * control has run, or until it goes to another partition. The engine asks and the calls of post.h
 * answer: `wanted` and the control of a post run within the event of the cycle, at the slice of the
 * cell. Of what a control posts
 *
 *     to the second queue of its layer, in its own slice    lies there at once: a diffusion;
 *     else                                                  is a generator of one message;
 *     htmt_each()                                           is a generator, which keeps the post
 *                                                           whose control called it;
 *     in next()                                             is the staged message.
 *
 * What is posted outside of a cycle to the own slice lies in its queue at once: the host's posts
 * before the run, and those of the control of htmt_quiet().
 *
 * Example: period 1 ns; the host posts to slice 0. Event at 0: its control runs and posts to slice
 * 1, a generator of one. 1 ns: the message is staged, leaves, and is at slice 1 when the cycle is
 * over. 2 ns: its control runs. No cell is active behind that; the event at 3 ns finds the cycle
 * over, and nothing to play: the run took three cycles.
 */
#include "parcels/message/cell_clock.h"

#include "layers/machine/models.h"
#include "layers/machine/queues.h"
#include "parcels/cells.h"
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/probe.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/permit.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

/* Messages that a control posts: by `next` out of the kept post, or, without it, the post itself,
 * to that slice. */
struct generator {
    uint32_t post, target;
    htmt_next_fn *next;
    uint32_t spare; /* 1 + the next free one */
};

/* A control that has run, in the time of its core; stats NULL: there is none. */
struct service {
    struct htmt__stage_stats *stats;
    htmt_time began, length;
    uint64_t serial;
};

struct htmt__cell_clock {
    struct htmt__cells *cells;
    const struct htmt__cell_net *net;
    uint32_t slice;                 /* the first one of this clock */
    int64_t next;                   /* the cycle whose event is pending; INT64_MAX: none */
    int64_t cycle;                  /* that was played last */
    bool playing;                   /* a cycle */
    uint32_t staged_target, staged; /* what a generator's next() has posted */
    size_t post_bytes;
    char *post; /* payloads, post_bytes apart */
    size_t post_room, spare_room, generator_room;
    uint32_t posts, spares, generators, generator_spare;
    uint32_t *spare;                   /* free places of payloads */
    htmt_time asked;                   /* what the last predicate has charged */
    struct service *service;           /* of each cell: its control that may not have ended */
    struct htmt__cells_series *series; /* NULL: nobody wants it */
    /* For probes: where each payload comes from, those that the present control has posted, and
     * the post whose generator makes the present one. */
    uint32_t *origin, *fresh, fresh_count, sender;
    size_t origin_room, fresh_room;
    struct generator *generator;
};

/* ---- payloads -------------------------------------------------------------------------------- */

static void no_memory(struct htmt_emulator *e)
{
    htmt__fail(e, HTMT_ENOMEM, "no host memory for posts on cells");
}

static void no_room(struct htmt_emulator *e, bool second, uint32_t slice)
{
    const struct htmt__cell_net *net = e->cell_net;
    htmt__fail(e, HTMT_ECAPACITY,
               "the %s queue of cell %u is full: it holds %u posts and gets another one "
               "(layers.%s.processor.queues)",
               second ? "second" : "first", slice, second ? net->grid.diffuse : net->grid.action,
               e->machine->layer[net->layer].name);
}

static struct htmt__post *post_at(const struct htmt__cell_clock *c, uint32_t i)
{
    return (struct htmt__post *)(void *)(c->post + i * c->post_bytes);
}

/* Where it comes from: the post of the generator, the present event outside of cycles, or the
 * control that runs, whose end is not known yet. */
__attribute__((cold, noinline)) static void trace_back(struct htmt_emulator *e, uint32_t post)
{
    struct htmt__cell_clock *c = e->cells;
    const size_t had = c->origin_room;
    if (!htmt__array_fits(&c->origin, &c->origin_room, post + 1u, sizeof *c->origin) ||
        !htmt__array_fits(&c->fresh, &c->fresh_room, c->fresh_count + 1u, sizeof *c->fresh)) {
        no_memory(e);
        return;
    }
    for (size_t i = had; i < c->origin_room; i++)
        c->origin[i] = NOTHING;
    if (!c->playing)
        e->explain->follows(e, &c->origin[post], NULL);
    else if (c->sender != NOTHING)
        e->explain->follows(e, &c->origin[post], &c->origin[c->sender]);
    else
        c->fresh[c->fresh_count++] = post;
}

/* There is room to give each back. 0: out of memory (latched), and the first one is used. */
static uint32_t keep(struct htmt_emulator *e, const struct htmt__post *post)
{
    struct htmt__cell_clock *c = e->cells;
    uint32_t i = c->posts;
    if (c->spares) {
        i = c->spare[--c->spares];
    } else if (!htmt__array_fits(&c->post, &c->post_room, i + 1u, c->post_bytes) ||
               !htmt__array_fits(&c->spare, &c->spare_room, i + 1u, sizeof *c->spare)) {
        no_memory(e);
        return 0;
    } else {
        c->posts++;
    }
    memcpy(post_at(c, i), post, htmt__post_size(post));
    if (htmt__explained(e))
        trace_back(e, i);
    return i;
}

static void forget(struct htmt_emulator *e, uint32_t post)
{
    struct htmt__cell_clock *c = e->cells;
    const uint32_t none = NOTHING;
    if (htmt__explained(e) && post < c->origin_room)
        e->explain->follows(e, &c->origin[post], &none);
    if (c->spares < c->posts) /* else memory ran out, and a cycle comes to its end */
        c->spare[c->spares++] = post;
}

/* A generator for the cell of that slice. */
static void generate(struct htmt_emulator *e, uint32_t slice, struct generator g, uint64_t count)
{
    struct htmt__cell_clock *c = e->cells;
    uint32_t i = c->generator_spare ? c->generator_spare - 1 : c->generators;
    if (!c->generator_spare &&
        !htmt__array_fits(&c->generator, &c->generator_room, i + 1u, sizeof *c->generator)) {
        no_memory(e);
        return;
    }
    if (c->generator_spare)
        c->generator_spare = c->generator[i].spare;
    else
        c->generators++;
    c->generator[i] = g;
    htmt__cells_generate(c->cells, slice, i, count);
}

/* ---- what the engine asks -------------------------------------------------------------------- */

/* Whole cycles: what does not fill one takes one. */
static void charge(struct htmt_emulator *e, htmt_time charged, uint64_t *cycles)
{
    const struct htmt_ratio period = e->cells->net->period;
    if (charged <= 0)
        return;
    if (period.den == 1)
        *cycles += ((uint64_t)charged - 1) / period.num + 1;
    else
        *cycles += (uint64_t)(((htmt_uwide)charged * period.den + period.num - 1) / period.num);
}

static void enter(struct htmt_emulator *e, uint32_t slice)
{
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, slice);
}

/* The core of the cell has come to the end of its control, `left` before its time. */
static void end_service(struct htmt_emulator *e, uint32_t cell, htmt_time left)
{
    struct service *s = &e->cells->service[cell];
    if (!s->stats)
        return;
    if (left)
        htmt__post_shorten(e, cell, e->cells->net->layer, s->stats, left);
    if (htmt__explained(e))
        e->explain->cell_served(e, cell, s->stats, s->serial, s->began, s->length - left);
    s->stats = NULL;
}

/* The post is served now, for a cycle and what was charged; what its control posted follows. */
__attribute__((cold, noinline)) static void tell_served(struct htmt_emulator *e, uint32_t post,
                                                        htmt_time charged)
{
    struct htmt__cell_clock *c = e->cells;
    const htmt_time cycle = htmt__cells_ahead(c->net);
    if (post >= c->origin_room) /* memory ran out */
        return;
    e->explain->cell(e, &c->origin[post], htmt__post_stats(e, post_at(c, post)), cycle,
                     cycle + charged);
    for (uint32_t i = 0; i < c->fresh_count; i++)
        e->explain->follows(e, &c->origin[c->fresh[i]], &c->origin[post]);
    c->fresh_count = 0;
}

static bool wanted(void *emulator, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                   uint64_t *cycles)
{
    struct htmt_emulator *e = emulator;
    htmt_time charged = 0;
    (void)queue;
    enter(e, cell);
    const bool is = htmt__post_wanted(e, cell, post_at(e->cells, message), &charged);
    charge(e, charged, cycles);
    e->cells->asked = charged;
    end_service(e, cell, 0); /* since the core is free */
    if (!is && htmt__explained(e))
        tell_served(e, message, charged);
    if (!is)
        forget(e, message);
    return is;
}

/* The control may post, which may move the payloads. */
static void work(void *emulator, uint32_t cell, enum htmt__cells_queue queue, uint32_t message,
                 uint64_t *cycles)
{
    struct htmt_emulator *e = emulator;
    struct htmt__post_said said;
    (void)queue;
    enter(e, cell);
    const htmt_time asked = e->cells->asked, cycle = htmt__cells_ahead(e->cells->net);
    struct htmt__stage_stats *stats = htmt__post_stats(e, post_at(e->cells, message));
    e->cells->fresh_count = 0;
    htmt__post_serve(e, cell, post_at(e->cells, message), cycle + asked, &said);
    e->cells->service[cell] = (struct service){stats, e->now, cycle + asked + said.charged,
                                               htmt__slice_at(e, cell)->serial};
    if (htmt__explained(e))
        tell_served(e, message, asked + said.charged);
    charge(e, said.charged, cycles);
    if (said.each)
        generate(e, cell, (struct generator){.post = message, .next = said.next}, said.each);
    else
        forget(e, message);
}

static uint32_t next(void *emulator, uint32_t cell, uint32_t generator, uint64_t i, bool last,
                     uint32_t *message, uint64_t *cycles)
{
    struct htmt_emulator *e = emulator;
    struct htmt__cell_clock *c = e->cells;
    const struct generator g = c->generator[generator];
    htmt_time charged = 0;
    c->staged_target = g.next ? HTMT__CELLS_NOBODY : g.target;
    c->staged = g.post;
    if (g.next) {
        enter(e, cell);
        c->sender = g.post;
        htmt__post_next(e, cell, post_at(c, g.post), g.next, i, &charged);
        c->sender = NOTHING;
        charge(e, charged, cycles);
    }
    if (last && g.next)
        forget(e, g.post);
    if (last) {
        c->generator[generator].spare = c->generator_spare;
        c->generator_spare = generator + 1;
    }
    *message = c->staged;
    return c->staged_target;
}

static void failed(void *emulator, int code, uint32_t cell)
{
    struct htmt_emulator *e = emulator;
    if (code == HTMT_ECAPACITY)
        no_room(e, true, cell);
    else
        no_memory(e);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static htmt_time time_of(const struct htmt__cell_net *net, int64_t cycle)
{
    const htmt_uwide at = (htmt_uwide)cycle * net->period.num / net->period.den;
    return at > HTMT_TIME_MAX ? -1 : (htmt_time)at;
}

/* The first cycle that does not begin before that instant. */
static int64_t cycle_at(const struct htmt__cell_net *net, htmt_time at)
{
    int64_t cycle = (int64_t)((htmt_uwide)at * net->period.den / net->period.num);
    while (time_of(net, cycle) < at)
        cycle++;
    return cycle;
}

/* That cycle, unless one before it is pending; a later one comes to nothing. */
static void schedule(struct htmt_emulator *e, int64_t cycle)
{
    struct htmt__cell_clock *c = e->cells;
    struct htmt__fabric_event event = {.packet = {.key = UINT64_MAX},
                                       .slice = c->slice,
                                       .kind = HTMT__CELL_CYCLE,
                                       .amount = (uint64_t)cycle};
    if (cycle >= c->next)
        return;
    c->next = cycle;
    event.at = time_of(c->net, cycle);
    if (event.at < 0)
        htmt__fail(e, HTMT_EOVERFLOW, "cycle %lld of the cells is later than time can tell",
                   (long long)cycle);
    else if (htmt__packet_queue_push(&e->packets->queue, &event, c->net->network))
        no_memory(e);
}

bool htmt__cell_clock_turn(struct htmt_emulator *e, const struct htmt__fabric_event *event)
{
    struct htmt__cell_clock *c = e->cells;
    const int64_t cycle = (int64_t)event->amount;
    if (c->next != cycle)
        return false;
    c->next = INT64_MAX;
    c->cycle = cycle;
    c->playing = true;
    const int64_t next = htmt__cells_play(c->cells, cycle);
    c->playing = false;
    if (e->partition) /* what is shared by threads is decided by the work of a window */
        e->partition->events += htmt__cells_played(c->cells);
    if (next < INT64_MAX && !e->fault.code)
        schedule(e, next);
    return true;
}

/* ---- posts ----------------------------------------------------------------------------------- */

/* The host's, before the run. */
static void keep_root(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post)
{
    struct htmt__cell_net *net = e->cell_net;
    const bool second = htmt__post_queue(e, post) > 0;
    if (++net->held[second][slice] > (second ? net->grid.diffuse : net->grid.action))
        no_room(e, second, slice);
    else if (htmt__array_fits(&net->root, &net->root_room, net->roots + 1u, sizeof *net->root))
        net->root[net->roots++] = (struct htmt__cell_root){slice, *post};
    else
        no_memory(e);
}

/* It lies in a queue at once. */
static void put(struct htmt_emulator *e, uint32_t slice, const struct htmt__post *post)
{
    struct htmt__cell_clock *c = e->cells;
    const uint32_t kept = keep(e, post);
    if (htmt__post_queue(e, post) > 0)
        htmt__cells_diffuse(c->cells, slice, kept);
    else if (!htmt__cells_put(c->cells, slice, kept))
        no_room(e, false, slice);
}

/* The cycle in which what is posted now takes part: at this instant, unless that one was played and
 * had active cells. */
static int64_t coming(const struct htmt_emulator *e)
{
    struct htmt__cells_account a;
    const int64_t cycle = cycle_at(e->cells->net, e->now);
    htmt__cells_count(e->cells->cells, &a);
    return cycle < a.cycles ? a.cycles : cycle;
}

static void take_post(struct htmt_emulator *e, void *whose, uint32_t slice, uint32_t target,
                      const struct htmt__post *post, bool turn)
{
    struct htmt__cell_clock *c = e->cells;
    const bool second = htmt__post_queue(e, post) > 0;
    (void)whose;
    if (c && !c->playing) {
        const int64_t cycle = coming(e);
        htmt__cells_wake(c->cells, slice, cycle);
        schedule(e, cycle);
    }
    if (!c) {
        keep_root(e, target, post);
    } else if (second && target != slice) {
        htmt__fail(e, HTMT_EINVAL,
                   "slice %u posts to slice %u for the second queue: cells send each other posts "
                   "of the first one",
                   slice, target);
    } else if (turn && !second) {
        c->staged = keep(e, post);
        c->staged_target = target;
    } else if (second || (!c->playing && target == slice)) {
        put(e, target, post);
    } else {
        generate(e, slice, (struct generator){.post = keep(e, post), .target = target}, 1);
    }
}

/* ---- borders --------------------------------------------------------------------------------- */

static void tell(void *emulator, const struct htmt__cells_tell *told)
{
    struct htmt_emulator *e = emulator;
    struct htmt__cell_clock *c = e->cells;
    struct htmt__cell_tell t = {.tell = *told, .cycle = c->cycle + 1};
    if (told->offers) {
        const struct htmt__post *post = post_at(c, told->message);
        memcpy(&t.post, post, htmt__post_size(post));
        forget(e, told->message);
    }
    htmt__outbox_tell(e, &t, time_of(c->net, t.cycle));
}

void htmt__cell_clock_hear(struct htmt_emulator *e, const struct htmt__cell_tell *heard)
{
    struct htmt__cells_tell t = heard->tell;
    if (t.offers)
        t.message = keep(e, &heard->post);
    htmt__cells_hear(e->cells->cells, &t);
    schedule(e, heard->cycle);
}

bool htmt__cell_tell_known(const struct htmt_emulator *e, const struct htmt__cell_tell *t)
{
    const uint32_t cells = e->slices;
    return e->cell_net && t->tell.cell < cells && t->tell.from < 4 && t->cycle >= 0 &&
           t->tell.channel < e->cell_net->grid.channels && t->tell.target < cells &&
           (!t->tell.offers || htmt__post_known(e, &t->post));
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Room of a queue that the machine file limits; else as much as can be. */
static uint32_t room_of(const struct htmt__layer_queues *q, uint32_t queue)
{
    const uint32_t most = UINT32_MAX / 4;
    return queue < q->count && q->at[queue].room < most ? q->at[queue].room : most;
}

int htmt__cell_net_create(struct htmt_emulator *e)
{
    static const struct htmt__post_server server = {.post = take_post};
    const struct htmt_machine *m = e->machine;
    uint32_t n = 0, layer = 0;
    while (n < m->network_count && m->network[n].model != &htmt__model_cells)
        n++;
    if (n == m->network_count)
        return 0;
    while (!m->network[n].port[layer].out)
        layer++;
    if (e->options.symmetry != HTMT_NO_SYMMETRY)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "network %s has cells inside, which meet each other's messages: expected "
                          "a run that is not %s",
                          m->network[n].name,
                          e->options.symmetry == HTMT_FOLDED ? "folded" : "of independent slices");
    if (e->options.slopes)
        return htmt__fail(e, HTMT_EINVAL,
                          "network %s has cells inside, whose whole cycles have no slopes",
                          m->network[n].name);
    struct htmt__cell_net *net = calloc(1, sizeof *net);
    e->cell_net = net;
    for (int i = 0; net && i < 2; i++)
        net->held[i] = calloc(e->slices, sizeof *net->held[i]);
    if (!net || !net->held[0] || !net->held[1])
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for cells");
    const struct htmt__layer_queues queues = htmt__layer_queues(m, layer);
    struct htmt__cells_inside in;
    memcpy(&in, m->network[n].inside, sizeof in);
    const uint32_t side = htmt__cells_side(e->slices);
    net->network = n;
    net->layer = layer;
    net->period = m->layer[layer].processor.time[HTMT_CYCLE];
    net->first_stuck = NOTHING;
    net->grid = (struct htmt__cells_grid){.width = side,
                                          .height = side,
                                          .torus = in.torus,
                                          .channels = in.channels,
                                          .buffer = in.buffer,
                                          .action = room_of(&queues, 0),
                                          .own = queues.count ? queues.at[0].own : 0,
                                          .diffuse = room_of(&queues, 1),
                                          .throttle = in.throttle != UINT32_MAX,
                                          .cool = in.throttle};
    return htmt__posts_serve(e, layer, &server);
}

void htmt__cell_net_destroy(struct htmt_emulator *e)
{
    struct htmt__cell_net *net = e->cell_net;
    if (!net)
        return;
    free(net->held[0]);
    free(net->held[1]);
    free(net->root);
    free(net->series);
    free(net->waits);
    free(net);
    e->cell_net = NULL;
}

htmt_time htmt__cells_ahead(const struct htmt__cell_net *net)
{
    return (htmt_time)(net->period.num / net->period.den);
}

static size_t largest_post(const struct htmt_emulator *e)
{
    struct htmt__post post = {.bytes = 0};
    for (const struct htmt_type *t = e->whole->types; t; t = t->next)
        if (t->post && t->code.args_bytes > post.bytes)
            post.bytes = (uint16_t)t->code.args_bytes;
    return htmt__post_size(&post);
}

int htmt__cell_clock_create(struct htmt_emulator *e)
{
    const struct htmt__cell_net *net = e->cell_net;
    const struct htmt__cells_calls calls = {.user = e,
                                            .wanted = wanted,
                                            .work = work,
                                            .next = next,
                                            .tell = e->partition ? tell : NULL,
                                            .fail = failed};
    if (!net)
        return 0;
    struct htmt__cell_clock *c = calloc(1, sizeof *c);
    bool *mine = e->partition ? calloc(e->slices, sizeof *mine) : NULL;
    e->cells = c;
    if (!c || (e->partition && !mine))
        goto no_room;
    c->service = calloc(e->slices, sizeof *c->service);
    c->sender = NOTHING;
    c->net = net;
    c->next = INT64_MAX;
    c->post_bytes = largest_post(e);
    for (uint32_t i = 0; mine && i < e->partition->slices; i++)
        mine[e->partition->slice[i]] = true;
    c->slice = mine ? e->partition->slice[0] : 0;
    if (!c->service || !htmt__array_fits(&c->post, &c->post_room, 1, c->post_bytes) ||
        htmt__cells_create(&net->grid, mine, &calls, &c->cells))
        goto no_room;
    if (net->series && !(c->series = calloc(1, sizeof *c->series)))
        goto no_room;
    if (net->series)
        htmt__cells_watch(c->cells, c->series);
    for (uint32_t i = 0; i < net->roots && !e->fault.code; i++)
        if (!mine || mine[net->root[i].slice]) {
            htmt__cells_wake(c->cells, net->root[i].slice, 0);
            put(e, net->root[i].slice, &net->root[i].post);
            schedule(e, 0);
        }
    free(mine);
    return e->fault.code;
no_room:
    free(mine);
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for cells");
}

void htmt__cell_clock_destroy(struct htmt_emulator *e)
{
    struct htmt__cell_clock *c = e->cells;
    if (!c)
        return;
    htmt__cells_destroy(&c->cells);
    free(c->post);
    free(c->spare);
    free(c->generator);
    free(c->service);
    free(c->series);
    free(c->origin);
    free(c->fresh);
    free(c);
    e->cells = NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void add(struct htmt__cells_account *a, const struct htmt__cells_account *b)
{
    a->cycles = b->cycles > a->cycles ? b->cycles : a->cycles;
    a->created += b->created;
    a->work += b->work;
    a->unwanted += b->unwanted;
    a->diffusions += b->diffusions;
    a->done += b->done;
    a->outdated += b->outdated;
    a->filtered += b->filtered;
    a->overlapped += b->overlapped;
    a->hops += b->hops;
    a->action_peak = b->action_peak > a->action_peak ? b->action_peak : a->action_peak;
    a->diffuse_peak = b->diffuse_peak > a->diffuse_peak ? b->diffuse_peak : a->diffuse_peak;
    a->active += b->active;
    a->throttled += b->throttled;
    a->standing += b->standing;
}

void htmt__cell_net_add(struct htmt__cell_net *net, const struct htmt__cell_net *others)
{
    add(&net->account, &others->account);
    net->stuck += others->stuck;
    net->first_stuck =
        others->first_stuck < net->first_stuck ? others->first_stuck : net->first_stuck;
}

/* A run ends with the last active cell, a service perhaps not. */
static void settle_cores(struct htmt_emulator *e)
{
    const struct htmt__cell_clock *c = e->cells;
    for (uint32_t i = 0; i < e->slices; i++) {
        const uint64_t left = c->service[i].stats ? htmt__cells_pending(c->cells, i) : 0;
        end_service(e, i, (htmt_time)left * htmt__cells_ahead(c->net));
    }
}

/* ---- deadlocks ------------------------------------------------------------------------------- */

/* false: out of memory, and the line of the deadlock does without. */
static bool know_places(struct htmt_emulator *e)
{
    struct htmt__cell_net *net = e->cell_net;
    const uint32_t places = e->slices * HTMT__CELLS_PLACES;
    if (!net->waits && (net->waits = calloc(places, sizeof *net->waits)))
        net->places = places;
    return net->waits != NULL;
}

bool htmt__cell_net_add_waits(struct htmt_emulator *e, const uint32_t *waits, uint32_t count)
{
    struct htmt__cell_net *net = e->cell_net;
    const uint32_t places = e->slices * HTMT__CELLS_PLACES;
    const bool known = know_places(e);
    for (uint32_t i = 0; count == places && i < places; i++) {
        if (waits[i] > places)
            return false;
        if (known && waits[i])
            net->waits[i] = waits[i];
    }
    return count == places;
}

/* The circle that the first place leads to which leads to one, from its first place on: the one
 * that is in it. Each place waits for one other at most, so who is met for the second time on
 * one way is in a circle; `met` has the way on which a place was met. */
static uint32_t find_circle(const struct htmt__cell_net *net, uint32_t *met)
{
    for (uint32_t from = 0; from < net->places; from++) {
        uint32_t at = from;
        for (; net->waits[at] && !met[at]; at = net->waits[at] - 1)
            met[at] = from + 1;
        if (!net->waits[at] || met[at] != from + 1)
            continue;
        uint32_t first = at;
        for (uint32_t i = net->waits[at] - 1; i != at; i = net->waits[i] - 1)
            first = i < first ? i : first;
        return first;
    }
    return NOTHING;
}

static int print_place(char *text, size_t room, uint32_t place, uint32_t channels)
{
    static const char *const direction[] = {"left", "up", "right", "down"};
    const uint32_t cell = place / HTMT__CELLS_PLACES, out = place % HTMT__CELLS_PLACES;
    return out == HTMT__CELLS_CORE ? snprintf(text, room, "the full first queue of cell %u", cell)
                                   : snprintf(text, room, "cell %u %s %u", cell,
                                              direction[out / channels], out % channels);
}

bool htmt__cell_net_circle(const struct htmt_emulator *e, char *text, size_t room)
{
    enum { NAMED = 6 };
    const struct htmt__cell_net *net = e->cell_net;
    uint32_t *met = net && net->places ? calloc(net->places, sizeof *met) : NULL;
    if (!met)
        return false;
    const uint32_t first = find_circle(net, met);
    uint32_t length = 0, at = first;
    size_t end = 0;
    free(met);
    if (first == NOTHING)
        return false;
    do {
        if (length++ < NAMED && end + 64 < room) {
            end += (size_t)print_place(text + end, room - end, at, net->grid.channels);
            end += (size_t)snprintf(text + end, room - end, " -> ");
        }
        at = net->waits[at] - 1;
    } while (at != first);
    if (length > NAMED)
        end += (size_t)snprintf(text + end, room - end, "%u more -> ", length - NAMED);
    print_place(text + end, room - end, first, net->grid.channels);
    return true;
}

void htmt__cell_clock_settle(struct htmt_emulator *whole, struct htmt_emulator *e)
{
    struct htmt__cell_net here = {.first_stuck = NOTHING};
    if (!e->cells || !e->cells->cells)
        return;
    settle_cores(e);
    htmt__cells_count(e->cells->cells, &here.account);
    here.stuck = htmt__cells_stuck(e->cells->cells, &here.first_stuck);
    if (here.stuck && know_places(whole))
        htmt__cells_waits(e->cells->cells, whole->cell_net->waits);
    htmt__cell_net_add(whole->cell_net, &here);
    if (e->cells->series)
        htmt__cells_series_add(whole->cell_net->series, e->cells->series);
}

int htmt_cells_watch(struct htmt_emulator *e)
{
    static const char call[] = "htmt_cells_watch()";
    int rc = htmt__given(e, e, call, "emulator");
    rc = rc ? rc : htmt__permit_setup(e, call);
    if (rc)
        return rc;
    struct htmt__cell_net *net = e->cell_net;
    if (!net)
        return htmt__fail(e, HTMT_EINVAL, "%s of machine %s, which has no cells", call,
                          e->machine->name);
    if (!net->series)
        net->series = calloc(1, sizeof *net->series);
    return net->series ? 0 : htmt__fail(e, HTMT_ENOMEM, "no host memory for spans of cells");
}

uint32_t htmt_cells_span_count(const struct htmt_emulator *e)
{
    return e && e->cell_net && e->cell_net->series ? e->cell_net->series->count : 0;
}

int htmt_cells_span_at(const struct htmt_emulator *e, uint32_t index, struct htmt_cells_span *span)
{
    if (!span || index >= htmt_cells_span_count(e))
        return HTMT_EINVAL;
    const struct htmt__cells_series *s = e->cell_net->series;
    const struct htmt__cells_span *of = &s->span[index];
    *span = (struct htmt_cells_span){index * s->width, s->width, of->active, of->throttled,
                                     of->standing};
    return 0;
}

int htmt_cells_of(const struct htmt_emulator *emulator, struct htmt_cells *cells)
{
    static const struct htmt__sized sized = {.name = "htmt_cells",
                                             .known = sizeof(struct htmt_cells),
                                             .first = sizeof(struct htmt_cells),
                                             .least = offsetof(struct htmt_cells, hops)};
    static const char call[] = "htmt_cells_of()";
    struct htmt_emulator *e = (struct htmt_emulator *)(uintptr_t)emulator;
    struct htmt_cells whole;
    int rc = htmt__given(e, e, call, "emulator");
    rc = rc ? rc : htmt__given(e, cells, call, "place for the result");
    rc = rc ? rc : htmt__permit_host(e, call);
    rc = rc ? rc : htmt__sized_take(e, &sized, cells, &whole, call);
    if (rc)
        return rc;
    if (!e->cell_net)
        return htmt__refuse(e, HTMT_EINVAL, "%s of machine %s, which has no cells", call,
                            e->machine->name);
    const struct htmt__cells_account *a = &e->cell_net->account;
    const size_t size = cells->size ? cells->size : sizeof whole;
    whole.cycles = (uint64_t)a->cycles;
    whole.hops = a->hops;
    whole.created = a->created;
    whole.work = a->work;
    whole.unwanted = a->unwanted;
    whole.diffusions = a->diffusions;
    whole.done = a->done;
    whole.outdated = a->outdated;
    whole.filtered = a->filtered;
    whole.overlapped = a->overlapped;
    whole.first_most = a->action_peak;
    whole.second_most = a->diffuse_peak;
    whole.active = a->active;
    whole.throttled = a->throttled;
    whole.standing = a->standing;
    memcpy((char *)cells + sizeof size, (char *)&whole + sizeof size, size - sizeof size);
    return 0;
}
