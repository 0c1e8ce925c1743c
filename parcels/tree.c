/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives over the slices along a binomial tree rooted at slice 0: the children of slice i are
 * i + 2^r for the rounds r below the lowest set bit of i (for slice 0: all), its parent is i less
 * that bit.
 *
 * A reduction folds the children of a slice in the order of their rounds, whenever they arrive: a
 * message waits in its round's inbox, and at the door when that is still full. Folding is a parcel
 * that executes on the slice's own processors. A message of a broadcast carries its bytes from the
 * moment it was made, so a slice may change its frame when it has been told.
 */
#include "parcels/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 20u

struct node {
    struct htmt_tree *tree; /* arguments of the fold parcel point here */
    uint32_t slice, rounds; /* children */
    uint32_t next;          /* round to fold next */
    uint32_t full;          /* bit of each round whose inbox is full */
    bool called;            /* htmt_reduce(), and its frame is not its own again */
    bool joined, folding;
    struct htmt_object *inbox[ROUNDS_MAX];
    struct htmt_parcel *door[ROUNDS_MAX]; /* message that waits for the inbox */
    struct htmt_slot arrived;
};

struct htmt_tree {
    struct htmt_tree *next;
    struct htmt_emulator *emulator;
    char name[64];
    struct htmt_frame *frame;
    uint64_t bytes;
    uint32_t layer;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    struct htmt_type *fold;
    struct node node[];
};

struct fold_args {
    struct node *node;
    uint32_t round;
};

static void move_on(struct htmt_emulator *e, struct node *n);

/* ---- the fold parcel ------------------------------------------------------------------------- */

static void fold_kernel(struct htmt_kernel *k)
{
    const struct fold_args *a = htmt_kernel_args(k);
    a->node->tree->combine(htmt_used(k, 0), htmt_used(k, 1), a->node->tree->bytes);
}

static void fold_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    *ops = ((const struct fold_args *)args)->node->tree->ops;
}

static void fold_control(struct htmt_context *c)
{
    const struct fold_args *a = htmt_args(c);
    struct htmt_tree *t = a->node->tree;
    htmt_use(c, htmt_at(t->frame, a->node->slice, 0), t->bytes, HTMT_UPDATE);
    htmt_use(c, htmt_in(a->node->inbox[a->round], 0), t->bytes, HTMT_READ);
    htmt_work(c);
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__FOLDED);
    if (!entry)
        return;
    entry->tree = t;
    entry->amount = a->node->slice;
    htmt__log_write(c, entry);
}

void htmt__tree_folded(struct htmt_emulator *e, struct htmt_tree *t, uint32_t slice)
{
    struct node *n = &t->node[slice];
    struct htmt_parcel *waiting = n->door[n->next];
    n->door[n->next] = NULL;
    n->full &= ~(1u << n->next);
    n->folding = false;
    n->next++;
    if (waiting)
        htmt__tree_arrive(e, waiting);
    move_on(e, n);
}

static void fold(struct htmt_emulator *e, struct node *n)
{
    struct fold_args args = {n, n->next};
    struct htmt_parcel_desc d = {.type = n->tree->fold, .slice = n->slice, .args = &args};
    n->folding = true;
    htmt_assemble(e->root, &d, NULL);
}

/* ---- creation -------------------------------------------------------------------------------- */

static uint32_t rounds_of(uint32_t slice, uint32_t slices)
{
    uint32_t r = 0;
    while ((!slice || !(slice >> r & 1)) && ((uint64_t)1 << r) + slice < slices)
        r++;
    return r;
}

static int make_node(struct htmt_tree *t, uint32_t slice)
{
    struct htmt_emulator *e = t->emulator;
    struct node *n = &t->node[slice];
    char name[96];
    int rc = 0;
    n->tree = t;
    n->slice = slice;
    n->rounds = rounds_of(slice, e->slices);
    for (uint32_t r = 0; t->combine && r < n->rounds && !rc; r++) {
        snprintf(name, sizeof name, "%s inbox %u", t->name, r);
        rc = htmt_object_create(e, slice, t->layer, t->bytes, name, &n->inbox[r]);
    }
    return rc;
}

static int make_type(struct htmt_tree *t)
{
    const char *layer = t->emulator->machine->layer[t->layer].name;
    const struct htmt_stage fold_stage = {
        .kernel = fold_kernel, .cost = fold_cost, .control = fold_control};
    struct htmt_type_desc d = {.name = t->name,
                               .home = layer,
                               .exec = layer,
                               .execute = fold_stage,
                               .footprint = HTMT_RESIDENT,
                               .args_bytes = sizeof(struct fold_args)};
    return htmt_type_create(t->emulator, &d, &t->fold);
}

int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree)
{
    const struct htmt_object *first = desc->frame ? desc->frame->object[0] : NULL;
    if (!first || !desc->bytes || desc->bytes > first->bytes)
        return htmt__fail(e, HTMT_EINVAL, "tree %s: no frame, or bytes that it does not have",
                          desc->name);
    if (e->options.symmetry == HTMT_FOLDED)
        return htmt__fail(e, HTMT_ESYMMETRY, "tree %s: slice 0 cannot stand for all of it",
                          desc->name);
    struct htmt_tree *t = calloc(1, sizeof *t + e->slices * sizeof t->node[0]);
    if (!t)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for tree %s", desc->name);
    t->emulator = e;
    t->frame = desc->frame;
    t->bytes = desc->bytes;
    t->layer = first->layer;
    t->combine = desc->combine;
    t->ops = desc->ops;
    snprintf(t->name, sizeof t->name, "%s", desc->name ? desc->name : "tree");
    t->next = e->trees;
    e->trees = t;
    int rc = t->combine ? make_type(t) : 0;
    for (uint32_t i = 0; i < e->slices && !rc; i++)
        rc = make_node(t, i);
    if (!rc)
        *tree = t;
    return rc;
}

void htmt__trees_destroy(struct htmt_emulator *e)
{
    while (e->trees) {
        struct htmt_tree *next = e->trees->next;
        free(e->trees);
        e->trees = next;
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct htmt_parcel *message(struct htmt_emulator *e, struct htmt_tree *t, uint32_t from,
                                   uint32_t to, struct htmt_addr dst)
{
    struct htmt_parcel *p = htmt__carrier_create(e, from, HTMT__CARRY_TREE);
    if (!p)
        return NULL;
    p->carry->tree = t;
    p->carry->put =
        (struct htmt_put){.src = htmt_at(t->frame, from, 0), .dst = dst, .bytes = t->bytes};
    struct htmt__leg way = {.from = t->layer,
                            .to = t->layer,
                            .source = from,
                            .target = to,
                            .words = htmt__put_words(&p->carry->put)};
    if (htmt__carrier_route(e, p, way, 1, 1))
        return NULL;
    return p;
}

static void send_down(struct htmt_emulator *e, struct node *n)
{
    for (uint32_t r = n->rounds; r-- > 0;) {
        uint32_t child = n->slice + (1u << r);
        struct htmt_parcel *p =
            message(e, n->tree, n->slice, child, htmt_at(n->tree->frame, child, 0));
        if (!p)
            return;
        p->carry->down = true;
        htmt__carry_capture(e, p->carry);
        htmt__carrier_start(e, p);
    }
}

static void send_up(struct htmt_emulator *e, struct node *n)
{
    uint32_t round = (uint32_t)__builtin_ctz(n->slice), parent = n->slice & (n->slice - 1);
    struct htmt_parcel *p =
        message(e, n->tree, n->slice, parent, htmt_in(n->tree->node[parent].inbox[round], 0));
    if (!p)
        return;
    p->carry->round = round;
    htmt__carrier_start(e, p);
}

static void tell(struct htmt_emulator *e, struct node *n)
{
    struct htmt_slot slot = n->arrived;
    n->arrived = (struct htmt_slot){0};
    n->called = false;
    htmt__signal_from(e, n->slice, n->tree->layer, slot);
}

/* ---- reduction ------------------------------------------------------------------------------- */

static void move_on(struct htmt_emulator *e, struct node *n)
{
    if (!n->joined || n->folding || e->fault.code)
        return;
    if (n->next < n->rounds) {
        if (n->full >> n->next & 1)
            fold(e, n);
        return;
    }
    n->joined = false;
    n->next = 0;
    if (n->slice)
        send_up(e, n);
    else
        tell(e, n);
}

static void up_arrives(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt_tree *t = c->tree;
    struct node *n = &t->node[c->leg.target], *child = &t->node[c->leg.source];
    if (n->full >> c->round & 1) {
        n->door[c->round] = p;
        p->state = HTMT__FOR_ROOM;
        return;
    }
    n->full |= 1u << c->round;
    htmt__carry_put_down(e, c);
    htmt__carrier_free(e, p);
    tell(e, child);
    move_on(e, n);
}

static void down_arrives(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *c = p->carry;
    struct htmt_tree *t = c->tree;
    struct node *n = &t->node[c->leg.target];
    htmt__carry_put_down(e, c);
    htmt__carrier_free(e, p);
    send_down(e, n);
    tell(e, n);
}

void htmt__tree_arrive(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (p->carry->down)
        down_arrives(e, p);
    else
        up_arrives(e, p);
}

/* ---- the calls ------------------------------------------------------------------------------- */

void htmt__tree_join(struct htmt_emulator *e, struct htmt_tree *t, uint32_t slice)
{
    struct node *n = &t->node[slice];
    if (t->combine) {
        n->joined = true;
        move_on(e, n);
    } else {
        send_down(e, n);
        tell(e, n);
    }
}

static int join_later(struct htmt_context *c, struct htmt_tree *tree)
{
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__JOIN);
    if (!entry)
        return HTMT_ENOMEM;
    entry->tree = tree;
    htmt__log_write(c, entry);
    return 0;
}

/* Somebody has yet to be told of the last broadcast. */
static bool on_the_way(const struct htmt_tree *t)
{
    bool any = false;
    for (uint32_t i = 0; i < t->emulator->slices; i++)
        any |= t->node[i].arrived.owner.parcel != NULL;
    return any;
}

int htmt_broadcast(struct htmt_context *c, struct htmt_tree *tree, const struct htmt_slot *arrived)
{
    if (!c->p || c->p->slice || tree->combine)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_broadcast() %s",
                          tree->combine ? "on a tree with a fold" : "from a slice other than 0");
    if (arrived && on_the_way(tree))
        return htmt__fail(c->e, HTMT_EINVAL,
                          "htmt_broadcast() again before all slices were told of the last");
    for (uint32_t i = 0; arrived && i < c->e->slices; i++)
        tree->node[i].arrived = arrived[i];
    return join_later(c, tree);
}

int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived)
{
    struct node *n = c->p ? &tree->node[c->p->slice] : NULL;
    if (!n || !tree->combine || n->called)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_reduce() %s",
                          n && n->called ? "again before the last round ended"
                                         : "outside a service or without a fold");
    n->arrived = arrived;
    n->called = true;
    return join_later(c, tree);
}
