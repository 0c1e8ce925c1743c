/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Data Vortex, slot by slot.
 *
 * H = 2^b heights, A angles, cylinders 0 (outside) to b. A packet fills a slot, of time T. In each
 * slot every packet goes on by an angle, in one of three ways: *inward* to the next cylinder, if
 * its height agrees with its target's in the bit of this cylinder (the most significant one first)
 * and the place there is free; else *around* its cylinder, which turns that bit; from the innermost
 * cylinder *out*, at its target's angle. A packet whose bit agrees and that goes around all the
 * same is deflected. It must come round once more, to mend the bit: two slots.
 *
 * Who has the place? Two packets can ask for node (c + 1, h, a + 1): one inward from (c, h, a), one
 * around from (c + 1, h', a). The latter has it, and a signal tells node (c, h, a) so. So cylinders
 * decide from the inside outwards, and no queue is needed: all packets move in every slot, and a
 * packet enters from outside where no packet of cylinder 0 comes.
 *
 * All of a slot at one instant would be a chain of decisions through b cylinders. Hardware gives
 * each cylinder its own phase, and so does this: cylinder c plays slot t at t T + (b - c) d, where
 * d is the time of a signal. A signal sent at a decision comes when the next cylinder outwards
 * decides; a packet is T on its way around, and T - d on its way inward. So a node decides by what
 * has come to it, each slice plays its own columns, and slices know of each other no sooner than
 * min(d, T - d).
 *
 * Events. A packet has one for each slot, at its node. A signal has one, with key 0, so that it is
 * heard before packets of that instant. At the outer side nobody decides before: the signal of
 * cylinder 0 tells the port at whose node the packet will be in the next slot. A packet in front of
 * a port has an event in the first slot that it could take, and the first one in line has one in
 * each slot in which it tries again.
 *
 * By hand, H = 4, A = 3, T = 10, d = 1: from (0, 0) to height 3, angle 2. Slot 0 of cylinder 0 is
 * at 2: it enters at (0, 0, 0), the high bit is wrong, around. At 12 it is in (0, 2, 1), inward. At
 * 21, cylinder 1, slot 2, it is in (1, 2, 2), the low bit is wrong, around; at 31 in (1, 3, 0),
 * inward; at 40 in (2, 3, 1), the angle is wrong, around; at 50 in (2, 3, 2): out, until 60. It
 * left slot 5 = 0 + k + (2 - 0 - k mod 3) with k = 2 cylinders + 2 bits.
 *
 * Where a message enters and leaves: each layer has as many angles, one after the other, as its
 * port has channels; where it has several, a slice deals its packets to them in turn.
 */
#include "layers/network/vortex.h"

#include "runtime/base/array.h"

#include <stdlib.h>

enum kind { SIGNAL, ASK, TRY, NODE, OUT, LEFT };

#define NEVER (-1)

struct htmt__vortex {
    const struct htmt__topology *t;
    uint32_t heights, angles, innermost; /* cylinder b */
    uint32_t nodes;                      /* of a column */
    uint32_t slices;
    htmt_time slot, signal, latency;
    uint32_t *column;  /* of a height: its number in the place of its slice */
    uint32_t *columns; /* of a slice */
};

struct count {
    uint64_t packets, bytes;
};

struct node {
    int64_t told; /* the slot in which the place inward is taken */
    struct count around, inward;
    uint64_t deflections;
};

/* A packet in front of its port. */
struct waiting {
    struct htmt__packet packet;
    int64_t slot;  /* the first one that it could take */
    uint32_t next; /* 1 + index */
    bool asked;    /* that slot has begun: it waits */
};

struct port {
    int64_t told;             /* the slot in which a packet comes to its node */
    int64_t next;             /* the slot behind that of the last one that entered */
    uint32_t first, last;     /* 1 + index; 0: nobody is there */
    uint32_t length, longest; /* of those that wait */
    struct count entered;
    uint64_t waited, slots; /* packets, and how long */
};

struct htmt__vortex_place {
    uint32_t slice;
    struct node *node; /* column after column, by cylinder and angle */
    struct port *port; /* the same, by angle */
    uint8_t in_turn[HTMT_LAYERS_MAX], out_turn[HTMT_LAYERS_MAX];
    struct waiting *waiting;
    size_t room;
    uint32_t fresh, spare; /* spare: 1 + index of a free one */
};

struct step {
    const struct htmt__vortex *v;
    struct htmt__vortex_place *place;
    const struct htmt__fabric_sink *sink;
    htmt_time now;
};

/* ---- numbers --------------------------------------------------------------------------------- */

struct htmt__vortex_channel htmt__vortex_channel(const struct htmt__inside *in, uint32_t channel)
{
    const uint32_t angles = in->shape[1], ends = in->shape[0] * angles;
    const uint32_t each = 2 * htmt__vortex_cylinders(in) * angles;
    if (channel < ends)
        return (struct htmt__vortex_channel){UINT32_MAX, channel / angles, channel % angles, true};
    const uint32_t node = (channel - ends) % each / 2;
    return (struct htmt__vortex_channel){.cylinder = node / angles,
                                         .height = (channel - ends) / each,
                                         .angle = node % angles,
                                         .inward = (channel - ends) % 2};
}

uint32_t htmt__vortex_channel_of(const struct htmt__inside *in, struct htmt__vortex_channel c)
{
    const uint32_t angles = in->shape[1];
    if (c.cylinder == UINT32_MAX)
        return c.height * angles + c.angle;
    return in->shape[0] * angles + c.height * 2 * htmt__vortex_cylinders(in) * angles +
           2 * (c.cylinder * angles + c.angle) + c.inward;
}

static uint32_t owner_of(const struct htmt__vortex *v, uint32_t height)
{
    return v->t->owner[v->t->ends + height];
}

static struct node *node_of(const struct step *k, uint32_t c, uint32_t h, uint32_t a)
{
    return &k->place->node[k->v->column[h] * k->v->nodes + c * k->v->angles + a];
}

static struct port *port_of(const struct step *k, uint32_t h, uint32_t a)
{
    return &k->place->port[k->v->column[h] * k->v->angles + a];
}

static htmt_time phase_of(const struct htmt__vortex *v, uint32_t c)
{
    return (v->innermost - c) * v->signal;
}

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__vortex_create(const struct htmt__topology *t, struct htmt__vortex **out)
{
    const struct htmt__inside *in = &t->inside;
    struct htmt__vortex *v = calloc(1, sizeof *v);
    if (!v)
        return HTMT_ENOMEM;
    v->t = t;
    v->heights = in->shape[0];
    v->angles = in->shape[1];
    v->innermost = htmt__vortex_cylinders(in) - 1;
    v->nodes = (v->innermost + 1) * v->angles;
    v->slot = in->slot;
    v->signal = in->signal;
    v->latency = in->latency;
    for (uint32_t h = 0; h < v->heights; h++)
        v->slices = owner_of(v, h) >= v->slices ? owner_of(v, h) + 1 : v->slices;
    v->column = calloc(v->heights, sizeof *v->column);
    v->columns = calloc(v->slices, sizeof *v->columns);
    if (!v->column || !v->columns) {
        htmt__vortex_destroy(&v);
        return HTMT_ENOMEM;
    }
    for (uint32_t h = 0; h < v->heights; h++)
        v->column[h] = v->columns[owner_of(v, h)]++;
    *out = v;
    return 0;
}

void htmt__vortex_destroy(struct htmt__vortex **v)
{
    if (*v) {
        free((*v)->column);
        free((*v)->columns);
    }
    free(*v);
    *v = NULL;
}

struct htmt__vortex_place *htmt__vortex_place_create(const struct htmt__vortex *v, uint32_t slice)
{
    const size_t columns = slice < v->slices ? v->columns[slice] : 0;
    struct htmt__vortex_place *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->slice = slice;
    p->node = calloc(columns * v->nodes + 1, sizeof *p->node);
    p->port = calloc(columns * v->angles + 1, sizeof *p->port);
    if (!p->node || !p->port) {
        htmt__vortex_place_destroy(&p);
        return NULL;
    }
    for (size_t i = 0; i < columns * v->nodes; i++)
        p->node[i].told = NEVER;
    for (size_t i = 0; i < columns * v->angles; i++)
        p->port[i].told = NEVER;
    return p;
}

void htmt__vortex_place_destroy(struct htmt__vortex_place **place)
{
    struct htmt__vortex_place *p = *place;
    if (!p)
        return;
    free(p->node);
    free(p->port);
    free(p->waiting);
    free(p);
    *place = NULL;
}

htmt_time htmt__vortex_lookahead(const struct htmt__vortex *v)
{
    const htmt_time inward = v->slot - v->signal;
    return v->slices < 2 ? HTMT_TIME_MAX : inward < v->signal ? inward : v->signal;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void post(const struct step *k, struct htmt__fabric_event e)
{
    k->sink->post(k->sink->user, &e);
}

/* To a node, or a port. */
static void signal(const struct step *k, struct htmt__vortex_channel to, int64_t slot, htmt_time at)
{
    post(k, (struct htmt__fabric_event){.at = at,
                                        .slice = owner_of(k->v, to.height),
                                        .channel = htmt__vortex_channel_of(&k->v->t->inside, to),
                                        .kind = SIGNAL,
                                        .amount = (uint64_t)slot});
}

/* Of a packet, there in that slot. */
static void move_to(const struct step *k, const struct htmt__packet *p,
                    struct htmt__vortex_channel to, int64_t slot, htmt_time at)
{
    post(k, (struct htmt__fabric_event){.at = at,
                                        .packet = *p,
                                        .slice = owner_of(k->v, to.height),
                                        .channel = htmt__vortex_channel_of(&k->v->t->inside, to),
                                        .kind = NODE,
                                        .amount = (uint64_t)slot});
}

/* Of a packet, in this slice. */
static void later(const struct step *k, const struct htmt__packet *p, enum kind kind, htmt_time at)
{
    post(k, (struct htmt__fabric_event){.at = at,
                                        .packet = *p,
                                        .slice = k->place->slice,
                                        .channel = p->channel,
                                        .kind = (uint8_t)kind});
}

/* Who watches learns that the packet waits at a port, or has a channel for a slot. Channels have
 * one lane and plane there, whatever a packet's angles are. */
static void tell(const struct step *k, const struct htmt__packet *p, uint32_t channel,
                 const struct port *queue, bool waits)
{
    const htmt_time until =
        waits ? queue->next * k->v->slot + phase_of(k->v, 0) : k->now + k->v->slot;
    struct htmt__packet seen = *p;
    seen.channel = channel;
    seen.lane = seen.plane = 0;
    const struct htmt__port_change change = {.channel = channel,
                                             .state = until > k->now ? HTMT__PORT_SENDS
                                                                     : HTMT__PORT_FREE,
                                             .queues = waits,
                                             .queue = queue ? queue->length : 0,
                                             .until = until,
                                             .packet = &seen};
    k->sink->watch(k->sink->user, &change, k->now);
}

/* The packet enters a channel. */
static void pass(const struct step *k, struct htmt__packet *p, struct htmt__vortex_channel at,
                 struct count *count, const struct port *port)
{
    p->channel = htmt__vortex_channel_of(&k->v->t->inside, at);
    p->hops++;
    count->packets++;
    count->bytes += p->bytes;
    k->sink->hop(k->sink->user, p, p->channel, k->now);
    if (__builtin_expect(k->sink->watch != NULL, 0))
        tell(k, p, p->channel, port, false);
}

/* ---- in a node ------------------------------------------------------------------------------- */

static void go_around(const struct step *k, struct htmt__packet *p, struct htmt__vortex_channel at,
                      int64_t slot)
{
    const struct htmt__vortex *v = k->v;
    const bool inner = at.cylinder == v->innermost;
    struct htmt__vortex_channel to = at;
    at.inward = false;
    to.height ^= inner ? 0 : UINT32_C(1) << (v->innermost - 1 - at.cylinder);
    to.angle = (at.angle + 1) % v->angles;
    pass(k, p, at, &node_of(k, at.cylinder, at.height, at.angle)->around, NULL);
    move_to(k, p, to, slot + 1, k->now + v->slot);
    if (at.cylinder)
        signal(k, (struct htmt__vortex_channel){at.cylinder - 1, to.height, at.angle, false}, slot,
               k->now + v->signal);
    else
        signal(k, (struct htmt__vortex_channel){UINT32_MAX, to.height, to.angle, false}, slot + 1,
               k->now + v->slot);
}

/* It is there in this slot, at its instant. */
static void decide(const struct step *k, struct htmt__packet *p, struct htmt__vortex_channel at,
                   int64_t slot)
{
    const struct htmt__vortex *v = k->v;
    struct node *n = node_of(k, at.cylinder, at.height, at.angle);
    const uint32_t target = v->t->end_of[p->target];
    at.inward = true;
    if (at.cylinder == v->innermost) {
        if (at.angle != p->lane) {
            go_around(k, p, at, slot);
            return;
        }
        pass(k, p, at, &n->inward, NULL);
        if (v->latency)
            later(k, p, OUT, k->now + v->latency);
        else
            k->sink->head(k->sink->user, p, k->now, k->now + v->slot, true);
        return;
    }
    const uint32_t bit = UINT32_C(1) << (v->innermost - 1 - at.cylinder);
    const bool right = !((at.height ^ target) & bit);
    if (!right || n->told == slot) {
        n->deflections += right;
        go_around(k, p, at, slot);
        return;
    }
    pass(k, p, at, &n->inward, NULL);
    at.cylinder++;
    at.angle = (at.angle + 1) % v->angles;
    at.inward = false;
    move_to(k, p, at, slot + 1, k->now + v->slot - v->signal);
}

/* ---- at a port ------------------------------------------------------------------------------- */

/* Of a packet in front of it: the slot is one that it could take. */
static void ask(const struct step *k, uint32_t index, uint32_t channel, enum kind kind,
                int64_t slot)
{
    post(k, (struct htmt__fabric_event){.at = slot * k->v->slot + phase_of(k->v, 0),
                                        .packet = k->place->waiting[index].packet,
                                        .slice = k->place->slice,
                                        .channel = channel,
                                        .kind = (uint8_t)kind,
                                        .time = {index},
                                        .amount = (uint64_t)slot});
}

/* The first slot that is not before `now`, and whose words have all come when it is over. */
static int64_t first_slot(const struct htmt__vortex *v, htmt_time now, htmt_time tail)
{
    const htmt_time from = tail - v->slot > now ? tail - v->slot : now;
    const htmt_time rest = from - phase_of(v, 0);
    return rest <= 0 ? 0 : (rest - 1) / v->slot + 1;
}

static uint8_t deal(const struct htmt__vortex_angles *of, uint8_t *turn)
{
    const uint8_t angle = (uint8_t)(of->first + *turn);
    *turn = (uint8_t)(*turn + 1 < of->count ? *turn + 1 : 0);
    return angle;
}

/* UINT32_MAX: out of memory. */
static uint32_t waiting_create(struct htmt__vortex_place *p)
{
    if (p->spare) {
        const uint32_t index = p->spare - 1;
        p->spare = p->waiting[index].next;
        return index;
    }
    if (!htmt__array_fits(&p->waiting, &p->room, (size_t)p->fresh + 1, sizeof *p->waiting))
        return UINT32_MAX;
    return p->fresh++;
}

/* First come, first served. */
void htmt__vortex_inject(const struct htmt__vortex *v, struct htmt__vortex_place *place,
                         const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                         const struct htmt__fabric_sink *sink)
{
    const struct step k = {v, place, sink, now};
    const struct htmt__inside *in = &v->t->inside;
    const uint32_t index = waiting_create(place);
    if (index == UINT32_MAX) {
        sink->fail(sink->user, HTMT_ENOMEM, "packets that wait");
        return;
    }
    struct waiting *w = &place->waiting[index];
    *w = (struct waiting){.packet = *packet, .slot = first_slot(v, now, tail)};
    w->packet.plane = deal(&in->enters[packet->from], &place->in_turn[packet->from]);
    w->packet.lane = deal(&in->leaves[packet->to], &place->out_turn[packet->to]);
    const struct htmt__vortex_channel at = {UINT32_MAX, v->t->end_of[packet->source],
                                            w->packet.plane, true};
    struct port *port = port_of(&k, at.height, at.angle);
    if (port->first)
        place->waiting[port->last - 1].next = index + 1;
    else
        port->first = index + 1;
    port->last = index + 1;
    ask(&k, index, htmt__vortex_channel_of(in, at), ASK, w->slot);
}

/* The first in line has the slot. The next one tries the slot behind, unless its own is yet to
 * come. */
static void enter(const struct step *k, struct htmt__vortex_channel at, uint32_t channel,
                  int64_t slot)
{
    struct port *port = port_of(k, at.height, at.angle);
    const uint32_t index = port->first - 1;
    struct waiting *w = &k->place->waiting[index];
    struct htmt__packet p = w->packet;
    port->slots += (uint64_t)(slot - w->slot);
    port->length -= w->asked;
    port->next = slot + 1;
    port->first = w->next;
    w->next = k->place->spare;
    k->place->spare = index + 1;
    if (port->first && k->place->waiting[port->first - 1].asked)
        ask(k, port->first - 1, channel, TRY, port->next);
    pass(k, &p, at, &port->entered, port);
    later(k, &p, LEFT, k->now + k->v->slot);
    decide(k, &p, (struct htmt__vortex_channel){0, at.height, at.angle, false}, slot);
}

/* In this slot a packet could enter: its first one, or the first in line tries again. */
static void come_to_port(const struct step *k, const struct htmt__fabric_event *e,
                         struct htmt__vortex_channel at)
{
    struct port *port = port_of(k, at.height, at.angle);
    const uint32_t index = (uint32_t)e->time[0];
    const int64_t slot = (int64_t)e->amount;
    struct waiting *w = &k->place->waiting[index];
    const bool first = port->first == index + 1;
    if (first && port->told != slot && port->next <= slot) {
        enter(k, at, e->channel, slot);
        return;
    }
    if (!w->asked) {
        w->asked = true;
        port->waited++;
        port->longest = ++port->length > port->longest ? port->length : port->longest;
        if (__builtin_expect(k->sink->watch != NULL, 0))
            tell(k, &w->packet, e->channel, port, true);
    }
    if (first)
        ask(k, index, e->channel, TRY, slot + 1);
}

/* ---- play ------------------------------------------------------------------------------------ */

bool htmt__vortex_play(const struct htmt__vortex *v, struct htmt__vortex_place *place,
                       struct htmt__fabric_event *e, const struct htmt__fabric_sink *sink)
{
    const struct step k = {v, place, sink, e->at};
    const struct htmt__vortex_channel at = htmt__vortex_channel(&v->t->inside, e->channel);
    struct htmt__packet p = e->packet;
    switch ((enum kind)e->kind) {
    case SIGNAL:
        if (at.cylinder == UINT32_MAX)
            port_of(&k, at.height, at.angle)->told = (int64_t)e->amount;
        else
            node_of(&k, at.cylinder, at.height, at.angle)->told = (int64_t)e->amount;
        break;
    case ASK:
    case TRY:
        come_to_port(&k, e, at);
        break;
    case NODE:
        decide(&k, &p, at, (int64_t)e->amount);
        break;
    case OUT:
        sink->head(sink->user, &p, e->at, e->at + v->slot, true);
        break;
    case LEFT:
        sink->left(sink->user, &p, e->at);
        break;
    }
    return false;
}

/* ---- accounts -------------------------------------------------------------------------------- */

/* Of an incomplete run the last slot may not be over. */
static htmt_time busy(const struct htmt__vortex *v, const struct count *c, htmt_time now)
{
    const htmt_wide all = (htmt_wide)c->packets * v->slot;
    return all < now ? (htmt_time)all : now;
}

bool htmt__vortex_account(const struct htmt__vortex *v, const struct htmt__vortex_place *place,
                          uint32_t channel, htmt_time now, struct htmt__port_account *account)
{
    const struct htmt__vortex_channel at = htmt__vortex_channel(&v->t->inside, channel);
    const struct step k = {v, (struct htmt__vortex_place *)place, NULL, now};
    const struct count *c;
    *account = (struct htmt__port_account){0};
    if (owner_of(v, at.height) != place->slice)
        return false;
    if (at.cylinder == UINT32_MAX) {
        const struct port *p = port_of(&k, at.height, at.angle);
        c = &p->entered;
        account->contentions = p->waited;
        account->queued = (htmt_uwide)p->slots * (uint64_t)v->slot;
        account->longest = p->longest;
    } else {
        const struct node *n = node_of(&k, at.cylinder, at.height, at.angle);
        c = at.inward ? &n->inward : &n->around;
        account->contentions = at.inward ? 0 : n->deflections;
    }
    account->packets = c->packets;
    account->bytes = c->bytes;
    account->busy = busy(v, c, now);
    return true;
}

htmt_time htmt__vortex_alone(const struct htmt__inside *in, uint32_t source, uint32_t target,
                             uint64_t packets)
{
    const htmt_time innermost = htmt__vortex_cylinders(in) - 1;
    const uint64_t slots =
        (uint64_t)innermost + (uint64_t)__builtin_popcount(source ^ target) + packets;
    htmt_time time;
    if (slots > INT64_MAX || __builtin_mul_overflow((htmt_time)slots, in->slot, &time) ||
        __builtin_add_overflow(time, in->latency, &time))
        return -1;
    return time - innermost * in->signal;
}
