/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives over the slices along a binomial tree rooted at slice 0: the children of slice i are
 * i + 2^r for the rounds r below the lowest set bit of i (for slice 0: all), its parent is i less
 * that bit.
 *
 * A reduction folds the children of a slice in the order of their rounds, whenever they arrive: a
 * message waits in its round's inbox, and at the door when that is still full. A child's frame is
 * its own again when the last word of its message has left. Folding is a parcel that executes on
 * the slice's own processors. A message of a broadcast carries its bytes from the moment it was
 * made, so a slice may change its frame when its slot has been signalled.
 */
#include "parcels/message/collective.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/signal.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 20u

struct node {
    uint32_t slice, rounds; /* children */
    uint64_t joins;         /* reductions that have begun */
    uint32_t next;          /* round to fold next */
    uint32_t full;          /* bit of each round whose inbox is full */
    bool called;            /* htmt_reduce(), and its frame is not its own again */
    bool joined, folding;
    struct htmt__entity *door[ROUNDS_MAX]; /* messages that wait for the inbox, in order */
    struct htmt_slot arrived;
};

struct htmt_tree {
    struct htmt__collective c;
    struct {
        struct node *node; /* its slice's own */
        struct htmt_object *inbox[ROUNDS_MAX];
    } of[]; /* each slice; not changed after it was made */
};

static struct node *node_of(const struct htmt_tree *t, uint32_t slice)
{
    return t->of[slice].node;
}

static struct htmt_tree *tree_of(struct htmt__collective *c)
{
    return (struct htmt_tree *)c;
}

static void arrive(struct htmt_emulator *e, struct htmt__collective *c, struct htmt__entity *p);
static void move_on(struct htmt_emulator *e, struct htmt_tree *t, struct node *n);

static void folded(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct node *n = node_of(tree_of(c), slice);
    struct htmt__entity *waiting = n->door[n->next];
    if (waiting)
        n->door[n->next] = waiting->queue;
    n->full &= ~(1u << n->next);
    n->folding = false;
    n->next++;
    if (waiting)
        arrive(e, c, waiting);
    move_on(e, tree_of(c), n);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The slots of the child and of the children below it. */
static int give_slots(struct htmt_emulator *e, struct htmt__message *m,
                      const struct htmt_slot *slots, uint32_t first, uint32_t child, uint32_t round)
{
    size_t below = (size_t)1 << round, rest = e->slices - child, n = below < rest ? below : rest;
    m->slots = malloc(n * sizeof *m->slots);
    if (!m->slots)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the slots of a broadcast");
    memcpy(m->slots, slots + (child - first), n * sizeof *slots);
    return 0;
}

/* `slots`: of this slice and of who is below it, or NULL. */
static void send_down(struct htmt_emulator *e, struct htmt_tree *t, struct node *n,
                      const struct htmt_slot *slots)
{
    for (uint32_t r = n->rounds; r-- > 0;) {
        uint32_t child = n->slice + (1u << r);
        struct htmt__entity *p =
            htmt__collective_message(e, &t->c, n->slice, child, htmt_at(t->c.frame, child, 0));
        if (!p || (slots && give_slots(e, p->message, slots, n->slice, child, r)))
            return;
        p->message->down = true;
        htmt__message_capture(e, p);
        htmt__message_start(e, p);
    }
}

static void send_up(struct htmt_emulator *e, struct htmt_tree *t, struct node *n)
{
    uint32_t round = (uint32_t)__builtin_ctz(n->slice), parent = n->slice & (n->slice - 1);
    struct htmt__entity *p = htmt__collective_message(e, &t->c, n->slice, parent,
                                                      htmt_in(t->of[parent].inbox[round], 0));
    if (!p)
        return;
    p->message->inbox = round;
    p->message->returns = true;
    htmt__message_start(e, p);
}

/* The frame is the slice's own again. */
static void tell(struct htmt_emulator *e, struct htmt_tree *t, struct node *n)
{
    struct htmt_slot slot = n->arrived;
    n->arrived = (struct htmt_slot){0};
    n->called = false;
    htmt__signal_from(e, n->slice, t->c.layer, &slot);
}

static void sent(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    tell(e, tree_of(c), node_of(tree_of(c), slice));
}

/* ---- reduction ------------------------------------------------------------------------------- */

static void move_on(struct htmt_emulator *e, struct htmt_tree *t, struct node *n)
{
    if (!n->joined || n->folding || e->fault.code)
        return;
    if (n->next < n->rounds) {
        n->folding = n->full >> n->next & 1;
        if (n->folding)
            htmt__collective_fold(e, &t->c, n->slice, t->of[n->slice].inbox[n->next]);
        return;
    }
    n->joined = false;
    n->next = 0;
    if (n->slice)
        send_up(e, t, n);
    else
        tell(e, t, n);
}

/* A child that has its frame back goes on and may send its next part before this one is folded. */
static void wait_at(struct htmt__entity **door, struct htmt__entity *p)
{
    while (*door)
        door = &(*door)->queue;
    *door = p;
    p->queue = NULL;
    p->state = HTMT__FOR_ROOM;
}

static void up_arrives(struct htmt_emulator *e, struct htmt_tree *t, struct htmt__entity *p)
{
    struct htmt__message *c = p->message;
    struct node *n = node_of(t, c->leg.target);
    if (n->full >> c->inbox & 1) {
        wait_at(&n->door[c->inbox], p);
        return;
    }
    n->full |= 1u << c->inbox;
    htmt__message_deliver(e, c);
    htmt__message_end(e, p);
    move_on(e, t, n);
}

static void down_arrives(struct htmt_emulator *e, struct htmt_tree *t, struct htmt__entity *p)
{
    struct node *n = node_of(t, p->message->leg.target);
    struct htmt_slot *slots = p->message->slots;
    p->message->slots = NULL;
    htmt__message_deliver(e, p->message);
    htmt__message_end(e, p);
    send_down(e, t, n, slots);
    if (slots)
        htmt__signal_from(e, n->slice, t->c.layer, slots);
    free(slots);
}

static void arrive(struct htmt_emulator *e, struct htmt__collective *c, struct htmt__entity *p)
{
    if (p->message->down)
        down_arrives(e, tree_of(c), p);
    else
        up_arrives(e, tree_of(c), p);
}

/* A broadcast has one that joins; the others receive. */
static struct htmt__part part(const struct htmt__collective *c, uint32_t slice)
{
    const struct node *n = ((const struct htmt_tree *)c)->of[slice].node;
    struct htmt__part of = {.joined = n->joins};
    if (n->called)
        of.arrived = n->arrived;
    return of;
}

static void set_joined(struct htmt__collective *c, uint32_t slice, uint64_t times)
{
    node_of(tree_of(c), slice)->joins = times;
}

/* ---- creation -------------------------------------------------------------------------------- */

static void join(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct htmt_tree *t = tree_of(c);
    struct node *n = node_of(t, slice);
    if (c->combine) {
        n->joined = true;
        n->joins++;
        move_on(e, t, n);
    } else {
        struct htmt_slot *slots = c->slots;
        c->slots = NULL;
        send_down(e, t, n, slots);
        if (slots)
            htmt__signal_from(e, slice, c->layer, slots);
        free(slots);
    }
}

static uint32_t rounds_of(uint32_t slice, uint32_t slices)
{
    uint32_t r = 0;
    while ((!slice || !(slice >> r & 1)) && ((uint64_t)1 << r) + slice < slices)
        r++;
    return r;
}

static int make_node(struct htmt_tree *t, uint32_t slice)
{
    struct node *n = htmt__slice_memory(t->c.emulator, slice, sizeof *n);
    int rc = 0;
    if (!n)
        return htmt__fail(t->c.emulator, HTMT_ENOMEM, "no host memory for tree %s", t->c.name);
    t->of[slice].node = n;
    n->slice = slice;
    n->rounds = rounds_of(slice, t->c.emulator->slices);
    for (uint32_t r = 0; t->c.combine && r < n->rounds && !rc; r++)
        rc = htmt__collective_inbox(&t->c, slice, r, &t->of[slice].inbox[r]);
    return rc;
}

int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree)
{
    static const struct htmt__collective_ways ways = {join, arrive, folded, sent, part, set_joined};
    int rc = htmt__collective_setup(e, desc, tree, "htmt_tree_create()");
    if (rc)
        return rc;
    size_t size = sizeof **tree + e->slices * sizeof(*tree)->of[0];
    struct htmt__collective *c;
    if (e->options.symmetry == HTMT_FOLDED)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "tree %s: slice 0 cannot stand for all of it; an all-reduce it can",
                          desc->name ? desc->name : "");
    rc = htmt__collective_create(e, desc, "tree", &ways, size, &c);
    if (!rc)
        c->kind = "reduction";
    for (uint32_t i = 0; i < e->slices && !rc; i++)
        rc = make_node(tree_of(c), i);
    if (!rc)
        *tree = tree_of(c);
    return rc;
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* They travel with the messages. */
static int keep_slots(struct htmt_context *c, struct htmt_tree *t, const struct htmt_slot *arrived)
{
    size_t bytes = c->e->slices * sizeof *arrived;
    if (!arrived)
        return 0;
    t->c.slots = malloc(bytes);
    if (!t->c.slots)
        return htmt__fail(c->e, HTMT_ENOMEM, "no host memory for the slots of a broadcast");
    memcpy(t->c.slots, arrived, bytes);
    return 0;
}

int htmt_broadcast(struct htmt_context *c, struct htmt_tree *tree, const struct htmt_slot *arrived)
{
    int rc = htmt__collective_call(c, tree ? &tree->c : NULL, "htmt_broadcast()");
    if (rc)
        return rc;
    if (c->p->slice || tree->c.combine)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_broadcast() %s",
                          tree->c.combine ? "on a tree with a fold" : "from a slice other than 0");
    if (tree->c.slots)
        return htmt__fail(c->e, HTMT_EINVAL,
                          "htmt_broadcast() again before the last one has begun");
    rc = keep_slots(c, tree, arrived);
    return rc ? rc : htmt__collective_join(c, &tree->c);
}

int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived)
{
    int rc = htmt__collective_call(c, tree ? &tree->c : NULL, "htmt_reduce()");
    if (rc)
        return rc;
    struct node *n = node_of(tree, c->p->slice);
    if (!tree->c.combine || n->called)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_reduce() %s",
                          n->called ? "again before the last round ended"
                                    : "on a tree without a fold: give it combine");
    n->arrived = arrived;
    n->called = true;
    return htmt__collective_join(c, &tree->c);
}
