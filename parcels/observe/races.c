/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races: accesses to the same bytes, one of them a write, that nothing orders.
 *
 * The clock of the emulator always orders two accesses, and so a program with a race gives the same
 * bytes each time. But who comes first is decided by lengths of services, sizes of memories and
 * numbers of servers: on another machine the result is another one. What a program may rely on is
 * the order that it asked for itself: a parcel is behind who assembled it, a fiber behind those who
 * signalled it, a kernel behind its htmt_work() and before what its control does then.
 *
 * That order is kept as vector clocks (Lamport 1978; Fidge and Mattern 1988), as race detectors of
 * threads do (FastTrack, Flanagan and Freund 2009). Here the threads are parcels, fibers and
 * messages, called actors, which come and go. Time goes on along *chains*. An actor gets a chain
 * when it first touches bytes; its accesses are ticks of that chain. A clock is a list of ticks,
 * one of each chain that an actor has heard of: what is at a tick up to these, or is its own, comes
 * before what the actor does now. A chain whose actor has ended serves another one that has heard
 * of its last tick, so there are about as many chains as there are actors at a time.
 *
 *     root ---- parcel A   writes x at tick 1 of chain 0    signals fiber F: F has heard of 0:1
 *        `----- parcel B   reads x: has heard of no tick of chain 0, so nothing orders A and B
 *
 * Who hears of what:
 *
 * - What is made, a parcel, fiber, message or moment, of all that its maker had.
 * - A fiber, of those whose signals its slot has counted, and of fiber 0 of its activation.
 * - A parcel, of who opens its gates; an activation that retires, of its fibers.
 * - A control, of what controls of its activation had heard of before: arguments carry it on.
 * - Who is told by on_sent, of the message that has read its source.
 * - Who takes from a mailbox, of all whose records have arrived.
 * - A slice's part of a collective, of whatever it did before.
 * - A message that arrives, of those that went the same way before and that its sender knew of:
 *   networks keep the order of a pair of places (see "Lanes" below).
 *
 * A control may act before its kernel and behind it. So htmt_work() is a tick of its own: what the
 * control made before has not heard of what the kernel does.
 *
 * A wait for a memory's words, for a server, for a channel, for room in a mailbox orders nothing:
 * on a larger machine nobody waits.
 *
 * For each object there is a list of the accesses that a later one may have a race with: an access
 * that another one is behind of, and that touches no byte more, is forgotten, unless it wrote and
 * the other one read. Long lists are divided by addresses. An access costs as many comparisons as
 * there are accesses to bytes near it, and each a binary search in a clock.
 */
#include "parcels/observe/races.h"
#include "parcels/message/message.h"
#include "parcels/observe/probes.h"
#include "parcels/walk/context.h"
#include "parcels/walk/remark.h"
#include "runtime/base/array.h"
#include "runtime/host/extent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHAIN UINT32_MAX

/* ---- clocks ---------------------------------------------------------------------------------- */

struct tick {
    uint32_t chain, time;
};

/* Not changed after it was made, by chain; NULL: nothing was heard of. */
struct clock {
    uint32_t users, count;
    struct tick tick[];
};

struct access {
    struct tick at;
    struct htmt__extent extent;
    bool write;
    bool commutes;                 /* a kernel that updates, as others do, in any order */
    bool over;                     /* forgotten */
    uint32_t cells;                /* that refer to it */
    const struct htmt__code *code; /* of its type: "fiber 2" of that, or a put of it */
    const char *put;               /* its name; NULL: none */
    uint32_t slice, fiber;
    enum htmt_stage_id stage;
    uint64_t serial;
    htmt_time when;
};

/* What accesses of one object are in: all in one list, then by address. */
struct place {
    const struct htmt_object *object; /* or what orders its finders behind those who left it */
    struct clock *left;
    uint32_t accesses, lists;
    struct cell {
        struct cell *next;
        struct access *access;
    } * *list; /* [lists]; behind them those that lie in too many */
};

struct actor {
    struct clock *seen;   /* of others */
    struct clock *shown;  /* with its own tick; NULL: to be made */
    struct clock *fibers; /* of an activation, of those that have ended */
    struct clock *args;   /* of an activation, what its controls had heard of */
    struct clock **slot;  /* of each, of signals that have come */
    uint32_t slots;
    uint32_t slice; /* its place in the table is of that slice */
    struct tick own;
    uint32_t before;               /* own tick before htmt_work(); 0: there was none */
    bool told;                     /* others have heard of its present tick */
    const struct htmt__code *code; /* of its type; a message: of who made it */
    enum htmt_stage_id stage;
    uint32_t fiber;
    uint64_t serial;
};

#define LANE_MOST 32u /* messages that are remembered of a lane: bits of `behind` */

/* Messages from one place to another one, which come in the order in which they were sent. */
struct lane {
    struct lane *next;
    uint32_t source, from, to, count;
    struct passed {
        struct clock *sent, *arrived; /* what it had heard of when it was made, and when it came */
        uint32_t behind;              /* bit i: message i, whose arrival it has heard of */
    } message[LANE_MOST];
};

struct htmt__races {
    struct lane **lane; /* of each target */
    struct actors {
        struct actor **of; /* by the index of the entity */
        size_t room;
    } * actors;             /* of each slice, then of its messages */
    bool is_moment;         /* it is one */
    struct actor *actor;    /* whose turn it is; NULL: it has ended, or nobody's */
    struct clock *enabling; /* what the fiber that is made next has heard of */
    struct clock *kept;     /* then what it had heard of */
    struct chain {
        uint32_t time;  /* its last tick */
        uint32_t used;  /* the last one that an access has */
        uint32_t slice; /* of all its actors */
        bool idle;      /* its actor has ended */
    } * chain;
    size_t chain_room;
    uint32_t chains;
    struct place **place; /* a hash table by object */
    size_t places, place_room;
    struct use {
        struct htmt_addr at;
        uint64_t bytes; /* from the first to the last */
        struct htmt_pieces pieces;
        enum htmt_use how;
    } use[HTMT__USES_MAX]; /* of the kernel that comes next */
    uint32_t uses;
    /* Messages whose last word has come at the instant `landed_at`, and left at it: whoever waits
     * for on_sent may hear of that a moment later. */
    struct landed {
        uint32_t slice;
        uint64_t serial;
        struct clock *had;
    } * landed;
    size_t landeds, landed_room;
    htmt_time landed_at;
    uint32_t slice; /* the entity whose turn it is */
    uint64_t serial;
    struct htmt_fault found; /* the first race */
    bool lost;               /* memory ran out */
};

static void *lose(struct htmt_emulator *e)
{
    if (!e->races->lost)
        htmt__fail(e, HTMT_ENOMEM, "no host memory to look for races");
    e->races->lost = true;
    return NULL;
}

static struct clock *hold(struct clock *c)
{
    if (c)
        c->users++;
    return c;
}

static void drop(struct clock **c)
{
    if (*c && !--(*c)->users)
        free(*c);
    *c = NULL;
}

static struct clock *clock_make(struct htmt_emulator *e, uint32_t count)
{
    struct clock *c = malloc(sizeof *c + count * sizeof *c->tick);
    if (!c)
        return lose(e);
    c->users = 1;
    c->count = count;
    return c;
}

/* How far the chain is known; 0: not at all. */
static uint32_t heard_of(const struct clock *c, uint32_t chain)
{
    uint32_t low = 0, high = c ? c->count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->tick[middle].chain < chain)
            low = middle + 1;
        else
            high = middle;
    }
    return c && low < c->count && c->tick[low].chain == chain ? c->tick[low].time : 0;
}

/* Takes the places of *into: what either has heard of. Mostly one of them has heard of all that the
 * other one has, and no clock is made. */
static void hear(struct htmt_emulator *e, struct clock **into, struct clock *other)
{
    struct clock *a = *into, *b = other;
    if (!b || a == b)
        return;
    bool a_has = true, b_has = true;
    uint32_t i = 0, k = 0, count = 0;
    while (a && (i < a->count || k < b->count)) {
        const uint32_t x = i < a->count ? a->tick[i].chain : NO_CHAIN,
                       y = k < b->count ? b->tick[k].chain : NO_CHAIN;
        a_has = a_has && !(y < x || (x == y && b->tick[k].time > a->tick[i].time));
        b_has = b_has && !(x < y || (x == y && a->tick[i].time > b->tick[k].time));
        i += x <= y;
        k += y <= x;
        count++;
    }
    if (a && a_has)
        return;
    if (!a || b_has) {
        hold(b);
        drop(into);
        *into = b;
        return;
    }
    struct clock *c = clock_make(e, count);
    if (!c)
        return;
    for (i = k = count = 0; i < a->count || k < b->count; count++) {
        const struct tick x = i < a->count ? a->tick[i] : (struct tick){NO_CHAIN, 0},
                          y = k < b->count ? b->tick[k] : (struct tick){NO_CHAIN, 0};
        c->tick[count] = x.chain < y.chain || (x.chain == y.chain && x.time > y.time) ? x : y;
        i += x.chain <= y.chain;
        k += y.chain <= x.chain;
    }
    drop(into);
    *into = c;
}

/* The clock and one tick more. */
static struct clock *clock_with(struct htmt_emulator *e, struct clock *c, struct tick tick)
{
    if (heard_of(c, tick.chain) >= tick.time)
        return hold(c);
    struct clock *one = clock_make(e, 1), *both = hold(c);
    if (!one)
        return both;
    one->tick[0] = tick;
    hear(e, &both, one);
    drop(&one);
    return both;
}

/* ---- actors ---------------------------------------------------------------------------------- */

static struct actor *actor_of(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__races *r = e->races;
    const bool between = p->index & HTMT__BETWEEN;
    const size_t index = p->index & (HTMT__BETWEEN - 1);
    struct actors *a = &r->actors[2 * p->slice + between];
    const size_t before = a->room;
    if (!htmt__array_fits(&a->of, &a->room, index + 1, sizeof *a->of))
        return lose(e);
    if (a->room != before)
        memset(a->of + before, 0, (a->room - before) * sizeof *a->of);
    if (!a->of[index] && (a->of[index] = calloc(1, sizeof *a->of[index])))
        *a->of[index] = (struct actor){.slice = p->slice, .own.chain = NO_CHAIN};
    return a->of[index] ? a->of[index] : lose(e);
}

static void actor_clear(struct actor *a)
{
    drop(&a->seen);
    drop(&a->shown);
    drop(&a->fibers);
    drop(&a->args);
    for (uint32_t i = 0; i < a->slots; i++)
        drop(&a->slot[i]);
    free(a->slot);
    *a = (struct actor){.slice = a->slice, .own.chain = NO_CHAIN};
}

/* What others hear of from it. */
static struct clock *show(struct htmt_emulator *e, struct actor *a)
{
    if (!a->shown)
        a->shown = a->own.chain == NO_CHAIN ? hold(a->seen) : clock_with(e, a->seen, a->own);
    a->told = true;
    return a->shown;
}

static struct clock *present(struct htmt_emulator *e)
{
    return e->races->actor ? show(e, e->races->actor) : e->races->kept;
}

static void learn(struct htmt_emulator *e, struct actor *a, struct clock *c)
{
    hear(e, &a->seen, c);
    drop(&a->shown);
}

/* What it does next, nobody has heard of. A chain whose actor has ended serves if all of its
 * accesses were heard of; those stand in the actor's clock. So chains are about as many as there
 * are actors that have not heard of each other, not as many as there are actors, and clocks stay
 * short. A slice leaves the chains of the others to them: they have work to come that has heard of
 * these. */
static void tick(struct htmt_emulator *e, struct actor *a)
{
    struct htmt__races *r = e->races;
    if (a->own.chain != NO_CHAIN && !a->told)
        return;
    for (uint32_t i = 0; a->own.chain == NO_CHAIN && a->seen && i < a->seen->count; i++) {
        const struct tick heard = a->seen->tick[i];
        const struct chain *c = &r->chain[heard.chain];
        if (c->idle && c->slice == a->slice && c->used <= heard.time)
            a->own.chain = heard.chain;
    }
    if (a->own.chain == NO_CHAIN) {
        if (!htmt__array_fits(&r->chain, &r->chain_room, r->chains + 1u, sizeof *r->chain)) {
            lose(e);
            return;
        }
        a->own.chain = r->chains++;
        r->chain[a->own.chain] = (struct chain){.slice = a->slice};
    }
    r->chain[a->own.chain].idle = false;
    a->own.time = ++r->chain[a->own.chain].time;
    a->told = false;
    drop(&a->shown);
}

static void made(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct actor *a = actor_of(e, p), *by = e->races->actor;
    if (!a)
        return;
    actor_clear(a);
    a->seen = hold(present(e));
    if (p->kind == HTMT__FIBER) {
        learn(e, a, e->races->enabling);
        drop(&e->races->enabling);
    }
    if (p->kind == HTMT__MESSAGE && by) {
        a->code = by->code;
        a->stage = by->stage;
        a->fiber = by->fiber;
        a->serial = by->serial;
    }
}

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__races *r = e->races;
    struct actor *a = actor_of(e, p);
    drop(&r->kept);
    r->actor = a;
    r->is_moment = p->kind == HTMT__MOMENT;
    r->slice = p->slice;
    r->serial = p->serial;
    if (!a)
        return;
    if (r->is_moment && p->log && p->log->kind == HTMT__SENT)
        for (size_t i = 0; i < r->landeds && r->landed_at == e->now; i++)
            if (r->landed[i].serial == htmt__entry_of(p->log)->message.serial &&
                r->landed[i].slice == htmt__entry_of(p->log)->message.slice)
                learn(e, a, r->landed[i].had);
    if (p->kind <= HTMT__FIBER) {
        a->code = &p->type->code;
        a->stage = (enum htmt_stage_id)p->step->stage;
        a->fiber = htmt__fiber_number(p);
        a->serial = p->serial;
    }
    if (a->fibers)
        learn(e, a, a->fibers);
    drop(&a->fibers);
}

static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    (void)resource;
    turn(e, p);
}

static void over(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__races *r = e->races;
    struct actor *a = actor_of(e, p), *owner = NULL;
    if (!a)
        return;
    if (p->kind == HTMT__FIBER && (owner = actor_of(e, p->owner)))
        hear(e, &owner->fibers, show(e, a));
    if (r->actor == a) {
        r->kept = hold(show(e, a));
        r->actor = NULL;
    }
    if (a->own.chain != NO_CHAIN)
        r->chain[a->own.chain].idle = true;
    actor_clear(a);
}

/* A line of a control's log before its kernel. */
static void within(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats)
{
    struct actor *by = e->races->actor, *a = actor_of(e, moment);
    (void)stats;
    if (!a || !by || !by->before || !moment->log || moment->log->after)
        return;
    drop(&a->seen);
    a->seen = clock_with(e, by->seen, (struct tick){by->own.chain, by->before});
}

/* ---- what orders ----------------------------------------------------------------------------- */

static void signalled(struct htmt_emulator *e, const struct htmt__entity *owner, uint32_t fiber)
{
    struct actor *a = actor_of(e, owner);
    if (a && !a->slot) {
        a->slot = calloc(owner->type->fiber_count, sizeof(struct clock *));
        a->slots = a->slot ? owner->type->fiber_count : 0;
    }
    if (!a || !a->slot) {
        lose(e);
        return;
    }
    hear(e, &a->slot[fiber - 1], present(e));
    if (owner->body->slot[fiber - 1].count > 1)
        return;
    drop(&e->races->enabling);
    e->races->enabling = a->slot[fiber - 1];
    a->slot[fiber - 1] = NULL;
}

/* A fiber goes on when fiber 0 of its activation has ended. */
static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct actor *owner, *a;
    if (p->kind == HTMT__FIBER && (owner = actor_of(e, p->owner)) && (a = actor_of(e, p)))
        learn(e, a, show(e, owner));
}

/* What one control of an activation leaves in the arguments the next one finds. Kernels do not. */
static void controls(struct htmt_emulator *e, const struct htmt__entity *self, bool is_over)
{
    struct actor *a = e->races->actor, *owner = self->type->fiber_count ? actor_of(e, self) : NULL;
    if (a && !is_over && self->ways.goes)
        tick(e, a); /* its service may end with bytes that are put down: see moves() */
    if (!a || !owner)
        return;
    if (is_over)
        hear(e, &owner->args, a->seen);
    else
        learn(e, a, owner->args);
}

static void opened(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct actor *a = actor_of(e, p);
    if (a)
        learn(e, a, present(e));
}

static size_t hash_of(const void *key, size_t room)
{
    return ((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 17 & (room - 1);
}

/* Of an object; made when it is first asked for. */
static struct place *place_of(struct htmt_emulator *e, const void *key)
{
    struct htmt__races *r = e->races;
    if (2 * r->places >= r->place_room) {
        const size_t room = r->place_room ? 2 * r->place_room : 64;
        struct place **fresh = calloc(room, sizeof(struct place *));
        if (!fresh)
            return lose(e);
        for (size_t i = 0; i < r->place_room; i++) {
            size_t at = r->place[i] ? hash_of(r->place[i]->object, room) : 0;
            while (r->place[i] && fresh[at])
                at = (at + 1) & (room - 1);
            if (r->place[i])
                fresh[at] = r->place[i];
        }
        free(r->place);
        r->place = fresh;
        r->place_room = room;
    }
    size_t at = hash_of(key, r->place_room);
    while (r->place[at] && r->place[at]->object != key)
        at = (at + 1) & (r->place_room - 1);
    if (!r->place[at]) {
        struct place *p = calloc(1, sizeof *p);
        if (!p)
            return lose(e);
        p->object = key;
        r->place[at] = p;
        r->places++;
    }
    return r->place[at];
}

static void leaves(struct htmt_emulator *e, const void *key)
{
    struct place *p = place_of(e, key);
    if (p)
        hear(e, &p->left, present(e));
}

static void finds(struct htmt_emulator *e, const void *key)
{
    struct htmt__races *r = e->races;
    struct place *p = place_of(e, key);
    if (p && r->actor)
        learn(e, r->actor, p->left);
    else if (p)
        hear(e, &r->kept, p->left);
}

/* ---- accesses --------------------------------------------------------------------------------
 *
 * An object remembers accesses until another one stands for them. A new access x is compared with
 * each one, y, that has a byte in common with it. If x is not behind y, and one of the two writes,
 * that is a race. If x is behind y and touches all of its bytes, y may go: whatever comes later and
 * is behind x is behind y, too, and whatever is not behind x has a race with x already. That holds
 * only if x is no weaker than y. A read behind a write must not hide it, for a later read that is
 * not behind either has no race with the read. And an update that commutes has no race with others
 * of its kind, so it hides none but these.
 *
 * By hand, of one object of 64 bytes:
 *
 *     A writes 0 to 63                          kept: A
 *     B reads 0 to 31, behind A                 kept: A B      B only reads
 *     C writes 0 to 31, behind B                kept: A C      C stands for B, not for all of A
 *     D reads 32 to 63, behind nobody           a race with A
 *
 * Programs that sweep over an object, and are in order, keep one access for each piece of it. A
 * matrix of 1000 rows has 1000 of them, and each new one would be compared with all. So a list that
 * has become long is divided into eight by address, again and again, up to LISTS_MOST; an access
 * stands in each list that it touches, but in the list behind them if that would be more than
 * SPREAD_MOST. Comparing costs as many steps as accesses were made near it, and each a binary
 * search in a clock; memory, as many records as pieces are told apart. */

/* htmt__extents_meet() may say so of pieces at different distances that have no byte in common. */
static bool share_bytes(const struct htmt__extent *a, const struct htmt__extent *b)
{
    if (!htmt__extents_meet(a, b))
        return false;
    const struct htmt__extent *few = a->count < b->count ? a : b, *many = few == a ? b : a;
    for (uint64_t i = 0; i < few->count; i++) {
        const uint64_t from = few->at + i * few->stride, to = from + few->piece;
        if (to <= many->at || from >= htmt__extent_end(many))
            continue;
        const uint64_t first =
            from > many->at && many->count > 1 ? (from - many->at) / many->stride : 0;
        for (uint64_t k = first; k < many->count && many->at + k * many->stride < to; k++)
            if (many->at + k * many->stride + many->piece > from)
                return true;
    }
    return false;
}

static bool covers(const struct htmt__extent *all, const struct htmt__extent *x)
{
    if (all->count == 1)
        return x->at >= all->at && htmt__extent_end(x) <= htmt__extent_end(all);
    return all->at == x->at && all->piece == x->piece && all->count == x->count &&
           all->stride == x->stride;
}

static bool comes_behind(const struct actor *a, const struct access *x)
{
    return a->own.chain == x->at.chain || heard_of(a->seen, x->at.chain) >= x->at.time;
}

#define NAME 320 /* bytes of who it was */
/* "type add, slice 0, fiber 2 (parcel 7)". */
static const char *name_of(const struct access *x, char text[NAME])
{
    const unsigned long long number = x->serial & ((UINT64_C(1) << HTMT__SERIAL_BITS) - 1);
    static const struct htmt__code nobody = {.name = "?"};
    const struct htmt__code *code = x->code ? x->code : &nobody;
    char stage[HTMT__STAGE_TEXT];
    char put[HTMT__STAGE_TEXT] = "a put of ";
    if (x->put)
        snprintf(put, sizeof put, "put %.60s of ", x->put);
    snprintf(text, NAME, "%stype %s, slice %u, %s (parcel %llu)", x->stage == HTMT_PUT ? put : "",
             code->name, x->slice, htmt__stage_text(code, x->stage, x->fiber, stage), number);
    return text;
}

/* The first one is remembered, and no other one is looked for. */
static void tell(struct htmt_emulator *e, const struct htmt_object *o, const struct access *first,
                 const struct access *x)
{
    char one[NAME], two[NAME];
    htmt_fault_set(
        &e->races->found, HTMT_EORDER,
        "nothing orders two accesses to bytes %llu to %llu of %.60s in slice %u: %s %s some at "
        "%.9g s, %s %s them at %.9g s; order them by a signal, a gate or on_done",
        (unsigned long long)x->extent.at, (unsigned long long)htmt__extent_end(&x->extent) - 1,
        o->name, o->slice, name_of(first, one), first->write ? "writes" : "reads",
        (double)first->when * 1e-15, name_of(x, two), x->write ? "writes" : "reads",
        (double)x->when * 1e-15);
}

#define LISTS_MOST  4096u
#define SPREAD_MOST 8u /* lists that one access is in */

/* Where in the lists it is: from the first to the last one; or in that of the large ones. */
static bool lists_of(const struct place *p, const struct htmt__extent *x, uint32_t *first,
                     uint32_t *last)
{
    const uint64_t each = p->object->bytes / p->lists + 1;
    *first = (uint32_t)(x->at / each);
    *last = (uint32_t)((htmt__extent_end(x) - 1) / each);
    return *last - *first < SPREAD_MOST;
}

static bool insert(struct place *p, struct access *x)
{
    uint32_t first, last;
    if (!lists_of(p, &x->extent, &first, &last))
        first = last = p->lists;
    for (uint32_t i = first; i <= last; i++) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            return false;
        *c = (struct cell){p->list[i], x};
        p->list[i] = c;
        x->cells++;
    }
    return true;
}

static void cell_free(struct cell **at)
{
    struct cell *c = *at;
    *at = c->next;
    if (!--c->access->cells)
        free(c->access);
    free(c);
}

/* More lists, when those that are there have become long. */
static bool divide(struct place *p)
{
    const uint32_t before = p->lists, lists = before ? 8 * before : 1;
    struct cell **old = p->list;
    if (before && (p->accesses < 16 * before || lists > LISTS_MOST || p->object->bytes < lists))
        return true;
    p->list = calloc(lists + 1u, sizeof(struct cell *));
    if (!p->list) {
        p->list = old;
        return false;
    }
    p->lists = lists;
    bool fits = true;
    for (uint32_t i = 0; old && i <= before; i++)
        while (old[i]) {
            struct access *x = old[i]->access;
            const bool last = x->cells == 1;
            x->cells += last; /* it stays */
            cell_free(&old[i]);
            if (last && !x->over)
                fits = insert(p, x) && fits;
            if (last && !--x->cells)
                free(x);
        }
    free(old);
    return fits;
}

/* Those of one list that the access has to do with. false: there is a race. */
static bool compare(struct htmt_emulator *e, struct place *p, struct cell **at,
                    const struct actor *a, const struct access *x)
{
    while (*at) {
        struct access *other = (*at)->access;
        const bool behind = !other->over && comes_behind(a, other);
        if (behind && (x->write || !other->write) && (!x->commutes || other->commutes) &&
            covers(&x->extent, &other->extent)) {
            other->over = true;
            p->accesses--;
        }
        if (other->over) {
            cell_free(at);
            continue;
        }
        if (!behind && (x->write || other->write) && !(x->commutes && other->commutes) &&
            share_bytes(&x->extent, &other->extent)) {
            tell(e, p->object, other, x);
            return false;
        }
        at = &(*at)->next;
    }
    return true;
}

/* The pieces of one access are of one length. */
static void touch_extent(struct htmt_emulator *e, const struct actor *a,
                         const struct htmt_object *object, const struct access *like)
{
    struct place *p = place_of(e, object);
    struct access *x = p ? malloc(sizeof *x) : NULL;
    uint32_t first, last;
    if (!x || !divide(p)) {
        free(x);
        lose(e);
        return;
    }
    *x = *like;
    const bool near = lists_of(p, &x->extent, &first, &last);
    if (!near)
        first = 0, last = p->lists - 1;
    bool fine = compare(e, p, &p->list[p->lists], a, x);
    for (uint32_t i = first; fine && i <= last; i++)
        fine = compare(e, p, &p->list[i], a, x);
    if (fine && !insert(p, x))
        lose(e);
    else
        p->accesses++;
    if (!x->cells)
        free(x);
}

static void touch(struct htmt_emulator *e, struct actor *a, struct access x, struct htmt_addr at,
                  uint64_t bytes, struct htmt_pieces pieces, bool write)
{
    if (!bytes || e->races->found.code || e->races->lost)
        return;
    x.at = a->own;
    e->races->chain[a->own.chain].used = a->own.time;
    x.write = write;
    x.when = e->now;
    /* Planes go one by one. */
    const uint64_t plane_bytes = pieces.bytes * pieces.count;
    for (; pieces.planes > 1 && plane_bytes && bytes > plane_bytes; bytes -= plane_bytes) {
        struct htmt_pieces plane = {
            .bytes = pieces.bytes, .count = pieces.count, .stride = pieces.stride};
        touch(e, a, x, at, plane_bytes, plane, write);
        at.offset += (uint64_t)pieces.plane_stride;
    }
    x.extent = htmt__extent_run(at.offset, bytes);
    if (!pieces.count || !pieces.bytes || bytes <= pieces.bytes) {
        touch_extent(e, a, at.object, &x);
        return;
    }
    /* The last piece may be cut short. Pieces backwards or over each other go one by one. */
    const uint64_t whole = bytes / pieces.bytes, rest = bytes % pieces.bytes;
    if (pieces.stride >= 0 && (uint64_t)pieces.stride >= pieces.bytes) {
        x.extent = (struct htmt__extent){.at = at.offset,
                                         .piece = pieces.bytes,
                                         .count = whole,
                                         .stride = (uint64_t)pieces.stride};
        touch_extent(e, a, at.object, &x);
    }
    for (uint64_t i = x.extent.count > 1 ? whole : 0; i < whole + (rest != 0); i++) {
        x.extent = htmt__extent_run(at.offset + (uint64_t)((int64_t)i * pieces.stride),
                                    i < whole ? pieces.bytes : rest);
        touch_extent(e, a, at.object, &x);
    }
}

static struct access of_actor(const struct actor *a, uint32_t slice, enum htmt_stage_id stage)
{
    return (struct access){.code = a->code,
                           .slice = slice,
                           .fiber = stage == HTMT_FIBER ? a->fiber : 0,
                           .stage = stage,
                           .serial = a->serial};
}

static struct access of_put(const struct actor *a, uint32_t slice, const struct htmt_put *put)
{
    struct access x = of_actor(a, slice, HTMT_PUT);
    x.put = put->name;
    return x;
}

struct toucher {
    struct htmt_emulator *e;
    struct actor *actor;
    struct access like;
};

static void touch_region(void *user, struct htmt_addr at, uint64_t bytes, struct htmt_pieces pieces,
                         bool write)
{
    struct toucher *t = user;
    touch(t->e, t->actor, t->like, at, bytes, pieces, write);
}

static void serves(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct actor *a = actor_of(e, p);
    e->races->uses = 0;
    if (!a)
        return;
    a->before = 0;
    turn(e, p);
    tick(e, a);
}

static void uses(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                 struct htmt_pieces pieces, enum htmt_use how)
{
    struct htmt__races *r = e->races;
    if (r->uses < HTMT__USES_MAX)
        r->use[r->uses++] = (struct use){at, bytes, pieces, how};
}

static void worked(struct htmt_emulator *e)
{
    struct actor *a = e->races->actor;
    if (!a || a->own.chain == NO_CHAIN)
        return;
    a->before = a->own.time;
    tick(e, a);
}

static void computes(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__races *r = e->races;
    struct actor *a = actor_of(e, p);
    const enum htmt_stage_id stage = (enum htmt_stage_id)p->step->stage;
    if (!a || !p->step->code->kernel)
        return;
    struct toucher t = {e, a, of_actor(a, p->slice, stage)};
    const struct htmt__entity *self = p->kind == HTMT__FIBER ? p->owner : p;
    htmt__data_touches(self->closure, HTMT__COMPUTES, stage, p->step->layer, touch_region, &t);
    for (uint32_t i = 0; i < r->uses; i++) {
        const struct use *u = &r->use[i];
        const struct htmt_pieces *in = &u->pieces;
        uint64_t bytes = u->bytes;
        if (in->planes > 1)
            bytes = in->bytes * in->count * in->planes;
        else if (in->count)
            bytes -= (in->count - 1) * ((uint64_t)in->stride - in->bytes);
        t.like.commutes = u->how == HTMT_COMMUTE;
        touch(e, a, t.like, u->at, bytes, u->pieces, u->how != HTMT_READ);
    }
    r->uses = 0;
}

static void moves(struct htmt_emulator *e, const struct htmt__entity *p)
{
    static const struct {
        enum htmt__motion motion;
        enum htmt_stage_id inward, outward;
    } by[] = {[HTMT__FETCH] = {HTMT__FETCHES, HTMT_GATHER, HTMT_GATHER},
              [HTMT__LAND] = {HTMT__LANDS, HTMT_INJECT, HTMT_INJECT},
              [HTMT__DEPART] = {HTMT__DEPARTS, HTMT_EJECT, HTMT_EJECT},
              [HTMT__STORE] = {HTMT__STORES, HTMT_SCATTER, HTMT_SCATTER}};
    struct actor *a = actor_of(e, p);
    if (!a || p->step->op > HTMT__STORE)
        return;
    const struct htmt__step *before = p->step->op == HTMT__STORE ? p->step - 1 : p->step;
    while (p->step->op == HTMT__STORE && (before->op == HTMT__STORE || before->op == HTMT__GIVE))
        before--;
    /* What a service puts down is there when its control acts behind it. */
    if (p->step->op != HTMT__STORE || before->op != HTMT__SERVE || a->own.chain == NO_CHAIN)
        tick(e, a);
    struct toucher t = {e, a, of_actor(a, p->slice, by[p->step->op].inward)};
    htmt__data_touches(p->closure, by[p->step->op].motion, t.like.stage, p->step->layer,
                       touch_region, &t);
}

/* A collective takes the bytes when it makes the message, a moment before it signals on_sent: what
 * they do next is behind that. Otherwise the message is alone. */
static void captured(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__races *r = e->races;
    struct actor *a = actor_of(e, p);
    if (!a)
        return;
    const struct htmt_put *put = &p->message->put;
    tick(e, a);
    touch(e, a, of_put(a, p->slice, put), put->src, put->bytes, put->src_pieces, false);
    if (r->actor && r->actor != a && (p->state == HTMT__MADE || r->is_moment))
        learn(e, r->actor, show(e, a));
    else if (!r->actor)
        hear(e, &r->kept, show(e, a));
}

/* Lanes. A put of 1 KiB and, behind it, one of a word that signals its reader: who waits for the
 * word may read the 1 KiB, since messages between two places keep their order. So a message is
 * behind all that went the same way before and that its sender knew of: those whose `sent` is a
 * part of its own. It hears of what they had heard of when they came.
 *
 * A message that is behind another one does not stand for it. By hand: A is put by P; P assembles
 * Q, whose put N is behind A; then P puts B. B is behind A, but not behind N, which P knows nothing
 * of. Had N taken A's place, B would not be behind anything, and a reader of A that waits for B
 * would be reported.
 *
 * So all are remembered. What N is behind stands in a set of bits, and a message that is behind N
 * need not look at them again: of puts that follow each other, only the last one is looked at.
 * Where more than LANE_MOST went the same way, the two oldest become one, which has come when both
 * had, for anybody who knew what was known to both. A message may then be taken to be behind one
 * that its sender did not know of, and a race be missed; none is reported that is not there. */

static bool has_heard(const struct clock *c, const struct clock *of)
{
    bool all = true;
    for (uint32_t i = 0; of && c != of && all && i < of->count; i++)
        all = heard_of(c, of->tick[i].chain) >= of->tick[i].time;
    return all;
}

/* What both have heard of. */
static struct clock *common(struct htmt_emulator *e, struct clock *a, struct clock *b)
{
    if (has_heard(b, a))
        return hold(a);
    if (has_heard(a, b))
        return hold(b);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        count += heard_of(b, a->tick[i].chain) != 0;
    struct clock *c = count ? clock_make(e, count) : NULL;
    for (uint32_t i = count = 0; c && i < a->count; i++) {
        const struct tick t = a->tick[i];
        const uint32_t time = heard_of(b, t.chain);
        if (time)
            c->tick[count++] = (struct tick){t.chain, time < t.time ? time : t.time};
    }
    return c;
}

/* The two oldest of a full lane become one. */
static void join_oldest(struct htmt_emulator *e, struct lane *l)
{
    struct passed *a = &l->message[0], *b = a + 1;
    struct clock *sent = common(e, a->sent, b->sent);
    hear(e, &b->arrived, a->arrived);
    drop(&a->sent);
    drop(&a->arrived);
    drop(&b->sent);
    b->sent = sent;
    memmove(a, b, --l->count * sizeof *a);
    a->behind = 0;
    for (uint32_t i = 1; i < l->count; i++) {
        const uint32_t old = l->message[i].behind, both = old & old >> 1 & 1;
        l->message[i].behind = (old >> 1 & ~UINT32_C(1)) | both;
    }
}

static struct lane *arrive(struct htmt_emulator *e, struct actor *a, const struct htmt__leg *g)
{
    struct lane **first = &e->races->lane[g->target], *l = *first;
    while (l && (l->source != g->source || l->from != g->from || l->to != g->to))
        l = l->next;
    if (!l) {
        l = calloc(1, sizeof *l);
        if (!l)
            return lose(e);
        *l = (struct lane){.next = *first, .source = g->source, .from = g->from, .to = g->to};
        *first = l;
    }
    if (l->count == LANE_MOST)
        join_oldest(e, l);
    struct passed *m = &l->message[l->count];
    *m = (struct passed){.sent = hold(a->seen)};
    for (uint32_t i = l->count++; i-- > 0;) {
        const struct passed *before = &l->message[i];
        if (m->behind >> i & 1 || !has_heard(m->sent, before->sent))
            continue;
        learn(e, a, before->arrived);
        m->behind |= UINT32_C(1) << i | before->behind;
    }
    return l;
}

static void forget_landed(struct htmt__races *r)
{
    while (r->landeds)
        drop(&r->landed[--r->landeds].had);
}

/* Over a network without latency the last word comes when it leaves. The message may be over before
 * the moment that signals on_sent, and its bytes were read by then. */
static void land(struct htmt_emulator *e, struct actor *a)
{
    struct htmt__races *r = e->races;
    if (r->landed_at != e->now)
        forget_landed(r);
    r->landed_at = e->now;
    if (htmt__array_fits(&r->landed, &r->landed_room, r->landeds + 1, sizeof *r->landed))
        r->landed[r->landeds++] = (struct landed){r->slice, r->serial, hold(show(e, a))};
    else
        lose(e);
}

/* Records lie in a mailbox, which is its own. */
static void delivered(struct htmt_emulator *e, const struct htmt__message *m)
{
    struct actor *a = e->races->actor;
    const struct htmt_put *put = &m->put;
    if (!a)
        return;
    struct lane *l = arrive(e, a, &m->leg);
    if (!l)
        return;
    tick(e, a);
    const struct access like = of_put(a, m->leg.source, put);
    if (!m->held)
        touch(e, a, like, put->src, put->bytes, put->src_pieces, false);
    if (m->kind == HTMT__MESSAGE_RECORDS)
        leaves(e, put->dst.object);
    else
        touch(e, a, like, put->dst, put->bytes, put->dst_pieces, true);
    l->message[l->count - 1].arrived = hold(show(e, a));
    if (!m->held)
        land(e, a);
}

/* The run has come to its end, whose results are those of the order that the clock had. */
static void finish(struct htmt_emulator *e)
{
    const struct htmt_fault *f = &e->races->found;
    if (!f->code)
        return;
    htmt__note(e, "%s", f->text);
    htmt_fault_set(&e->fault, f->code, "%s", f->text);
}

/* ---- life ------------------------------------------------------------------------------------ */

static const struct htmt__explain_probe probe = {.turn = turn,
                                                 .served = served,
                                                 .called = called,
                                                 .over = over,
                                                 .within = within,
                                                 .made = made,
                                                 .signalled = signalled,
                                                 .controls = controls,
                                                 .opened = opened,
                                                 .leaves = leaves,
                                                 .finds = finds,
                                                 .serves = serves,
                                                 .uses = uses,
                                                 .worked = worked,
                                                 .computes = computes,
                                                 .moves = moves,
                                                 .captured = captured,
                                                 .delivered = delivered,
                                                 .finish = finish};

int htmt__races_create(struct htmt_emulator *e)
{
    struct htmt__races *r = e->races = calloc(1, sizeof *r);
    if (!r)
        return HTMT_ENOMEM;
    r->actors = calloc(2 * (size_t)e->played, sizeof *r->actors);
    r->lane = calloc(e->played, sizeof *r->lane);
    return r->actors && r->lane ? htmt__probes_add(e, &probe) : HTMT_ENOMEM;
}

void htmt__races_destroy(struct htmt_emulator *e)
{
    struct htmt__races *r = e->races;
    if (!r)
        return;
    for (size_t i = 0; r->actors && i < 2 * (size_t)e->played; i++) {
        for (size_t k = 0; k < r->actors[i].room; k++)
            if (r->actors[i].of[k]) {
                actor_clear(r->actors[i].of[k]);
                free(r->actors[i].of[k]);
            }
        free(r->actors[i].of);
    }
    for (uint32_t i = 0; r->lane && i < e->played; i++)
        while (r->lane[i]) {
            struct lane *l = r->lane[i];
            r->lane[i] = l->next;
            while (l->count--) {
                drop(&l->message[l->count].sent);
                drop(&l->message[l->count].arrived);
            }
            free(l);
        }
    free(r->lane);
    for (size_t i = 0; i < r->place_room; i++) {
        struct place *p = r->place[i];
        for (uint32_t l = 0; p && p->list && l <= p->lists; l++)
            while (p->list[l])
                cell_free(&p->list[l]);
        if (p) {
            drop(&p->left);
            free(p->list);
        }
        free(p);
    }
    forget_landed(r);
    free(r->landed);
    drop(&r->kept);
    drop(&r->enabling);
    free(r->place);
    free(r->actors);
    free(r->chain);
    free(r);
    e->races = NULL;
}
