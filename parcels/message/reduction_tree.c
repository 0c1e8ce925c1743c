/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcasts and reductions: collectives over the slices along a binomial tree rooted at slice 0.
 *
 * The children of slice i are i + 2^r for the rounds r below the lowest set bit of i (for slice 0:
 * all rounds), its parent is i less that bit. With 8 slices:
 *
 *     0 -- 1            round 0: children that are 1 away
 *     |--- 2 -- 3
 *     `--- 4 -- 5
 *          `--- 6 -- 7
 *
 * A reduction goes up. A slice that has joined folds what its children send into its frame, child
 * by child in the order of their rounds, whenever they arrive: so the result does not depend on
 * times. Then it sends its frame to its parent. Each round of each slice has one inbox. A child has
 * its frame back when the last word of its message has left, and may begin the next reduction
 * before the parent has folded this one; then its message waits *at the door*, in order, until the
 * inbox is empty again. Nothing else can run ahead, so an inbox and a door are enough.
 *
 * Folding is a parcel that executes on the slice's own processors (collective.c): it takes time and
 * a server there as any parcel does.
 *
 * A broadcast goes down, the farthest child first, since that one has the most slices below it. A
 * message carries its bytes from the moment it was made, so a slice may change its frame when its
 * slot has been signalled. It carries, too, the slots of its receiver and of who is below that, for
 * no slice may look into another one to find its slot.
 *
 * Cost: a slice sends and receives log2(slices) messages at most, and so long is the longest way.
 *
 * By hand: 4 slices reduce sums 1, 2, 3, 4. Slice 1 sends 2 to 0, slice 3 sends 4 to 2. Slice 2
 * folds: 7, and sends that to 0. Slice 0 folds round 0 (3), then round 1 (10), even if the message
 * of round 1 was there first. It has no parent: the reduction is over, and its slot is signalled.
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

static struct htmt_tree *tree_of(struct htmt__collective *c)
{
    return (struct htmt_tree *)c;
}

/* ---- down ------------------------------------------------------------------------------------ */

/* `slots`: of this slice and of who is below it, or NULL. */
static void send_down(struct htmt_emulator *e, struct htmt_tree *t, const struct node *n,
                      const struct htmt_slot *slots)
{
    for (uint32_t r = n->rounds; r-- > 0;) {
        uint32_t child = n->slice + (1u << r);
        struct htmt__entity *p =
            htmt__collective_message(e, &t->c, n->slice, child, htmt_at(t->c.frame, child, 0));
        if (!p)
            return;
        if (slots) {
            size_t below = (size_t)1 << r, rest = e->slices - child;
            size_t count = below < rest ? below : rest;
            p->message->slots = malloc(count * sizeof *slots);
            if (!p->message->slots) {
                htmt__fail(e, HTMT_ENOMEM, "no host memory for the slots of a broadcast");
                return;
            }
            memcpy(p->message->slots, slots + (child - n->slice), count * sizeof *slots);
        }
        p->message->down = true;
        htmt__message_capture(e, p);
        htmt__message_start(e, p);
    }
}

/* ---- up -------------------------------------------------------------------------------------- */

/* The frame is the slice's own again: at the root when all is folded, elsewhere when the last word
 * of its message has left. */
static void sent(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct node *n = tree_of(c)->of[slice].node;
    struct htmt_slot slot = n->arrived;
    n->arrived = (struct htmt_slot){0};
    n->called = false;
    htmt__signal_from(e, slice, c->layer, &slot);
}

/* What is to be folded next, if it is there; when all is folded, up to the parent. */
static void move_on(struct htmt_emulator *e, struct htmt_tree *t, struct node *n)
{
    if (!n->joined || n->folding || e->fault.code)
        return;
    if (n->next < n->rounds) {
        n->folding = n->full >> n->next & 1;
        if (!n->folding)
            return;
        htmt__collective_meets(e, n);
        htmt__collective_meets(e, t->of[n->slice].inbox[n->next]);
        htmt__collective_fold(e, &t->c, n->slice, t->of[n->slice].inbox[n->next]);
        htmt__collective_meets(e, NULL);
        return;
    }
    n->joined = false;
    n->next = 0;
    if (!n->slice) {
        sent(e, &t->c, 0);
        return;
    }
    uint32_t round = (uint32_t)__builtin_ctz(n->slice), parent = n->slice & (n->slice - 1);
    struct htmt__entity *p = htmt__collective_message(e, &t->c, n->slice, parent,
                                                      htmt_in(t->of[parent].inbox[round], 0));
    if (!p)
        return;
    p->message->inbox = round;
    p->message->returns = true;
    htmt__message_start(e, p);
}

static void arrive(struct htmt_emulator *e, struct htmt__collective *c, struct htmt__entity *p)
{
    struct htmt_tree *t = tree_of(c);
    struct htmt__message *m = p->message;
    struct node *n = t->of[m->leg.target].node;
    if (m->down) {
        struct htmt_slot *slots = m->slots;
        m->slots = NULL;
        htmt__message_deliver(e, m);
        htmt__message_end(e, p);
        send_down(e, t, n, slots);
        if (slots)
            htmt__signal_from(e, n->slice, c->layer, slots);
        free(slots);
        return;
    }
    if (n->full >> m->inbox & 1) {
        struct htmt__entity **door = &n->door[m->inbox];
        while (*door)
            door = &(*door)->queue;
        *door = p;
        p->queue = NULL;
        p->state = HTMT__FOR_ROOM;
        return;
    }
    n->full |= 1u << m->inbox;
    htmt__collective_waits(e, t->of[n->slice].inbox[m->inbox]);
    htmt__message_deliver(e, m);
    htmt__message_end(e, p);
    move_on(e, t, n);
}

/* The inbox of this round is empty: who waits at its door comes in. */
static void folded(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct node *n = tree_of(c)->of[slice].node;
    struct htmt__entity *waiting = n->door[n->next];
    if (waiting)
        n->door[n->next] = waiting->queue;
    n->full &= ~(1u << n->next);
    n->folding = false;
    n->next++;
    htmt__collective_waits(e, n);
    if (waiting)
        arrive(e, c, waiting);
    move_on(e, tree_of(c), n);
}

/* ---- what the deadlock report and other ranks ask -------------------------------------------- */

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
    tree_of(c)->of[slice].node->joins = times;
}

/* ---- creation -------------------------------------------------------------------------------- */

static void join(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct htmt_tree *t = tree_of(c);
    struct node *n = t->of[slice].node;
    if (c->combine) {
        htmt__collective_waits(e, n);
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

static int make_node(struct htmt_tree *t, uint32_t slice)
{
    struct node *n = htmt__slice_memory(t->c.emulator, slice, sizeof *n);
    int rc = 0;
    if (!n)
        return htmt__fail(t->c.emulator, HTMT_ENOMEM, "no host memory for tree %s", t->c.name);
    t->of[slice].node = n;
    n->slice = slice;
    while ((!slice || !(slice >> n->rounds & 1)) &&
           ((uint64_t)1 << n->rounds) + slice < t->c.emulator->slices)
        n->rounds++;
    for (uint32_t r = 0; t->c.combine && r < n->rounds && !rc; r++)
        rc = htmt__collective_inbox(&t->c, slice, r, &t->of[slice].inbox[r]);
    return rc;
}

int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree)
{
    static const struct htmt__collective_operations operations = {join, arrive, folded,
                                                                  sent, part,   set_joined};
    int rc = htmt__collective_setup(e, desc, tree, "htmt_tree_create()");
    if (rc)
        return rc;
    size_t size = sizeof **tree + e->slices * sizeof(*tree)->of[0];
    struct htmt__collective *c;
    if (e->options.symmetry == HTMT_FOLDED)
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "tree %s: slice 0 cannot stand for all of it; an all-reduce it can",
                          desc->name ? desc->name : "");
    rc = htmt__collective_create(e, desc, "tree", &operations, size, &c);
    if (!rc)
        c->kind = "reduction";
    for (uint32_t i = 0; i < e->slices && !rc; i++)
        rc = make_node(tree_of(c), i);
    if (!rc)
        *tree = tree_of(c);
    return rc;
}

/* ---- the calls ------------------------------------------------------------------------------- */

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
    if (arrived) { /* they travel with the messages */
        tree->c.slots = malloc(c->e->slices * sizeof *arrived);
        if (!tree->c.slots)
            return htmt__fail(c->e, HTMT_ENOMEM, "no host memory for the slots of a broadcast");
        memcpy(tree->c.slots, arrived, c->e->slices * sizeof *arrived);
    }
    return htmt__collective_join(c, &tree->c);
}

int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived)
{
    int rc = htmt__collective_call(c, tree ? &tree->c : NULL, "htmt_reduce()");
    if (rc)
        return rc;
    struct node *n = tree->of[c->p->slice].node;
    if (!tree->c.combine || n->called)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_reduce() %s",
                          n->called ? "again before the last round ended"
                                    : "on a tree without a fold: give it combine");
    n->arrived = arrived;
    n->called = true;
    return htmt__collective_join(c, &tree->c);
}
