/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-reduce by recursive doubling over the core, the first 2^rounds slices. A slice of the core
 * goes through steps: in step 0 it takes in what the one beyond the core gave it, if there is one;
 * in step r + 1 it sends what it has to its partner of round r and takes in what the partner sent.
 *
 * There is an inbox for each step, in turns of two for the calls. Two are enough. A slice sends in
 * call n + 2 only after it has ended call n + 1, for which it took in its partner's message of the
 * same step of call n + 1; that was sent after the partner had ended call n and so had emptied the
 * inbox of call n. One beyond the core gets the result of call n from who has taken its part in.
 *
 * A message carries its bytes from the moment it was made: the frame changes while it is on its
 * way.
 */
#include "parcels/message/allreduce.h"
#include "parcels/message/collective.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/signal.h"

#define STEPS_MAX 21u

struct node {
    uint32_t slice, step;
    uint64_t calls; /* that have ended */
    uint64_t joins; /* that have begun */
    uint64_t full;  /* bit of each inbox */
    bool called;    /* htmt_allreduce(), and its frame is not its own again */
    bool joined, folding;
    struct htmt_slot arrived;
};

struct htmt_allreduce {
    struct htmt__collective c;
    uint32_t rounds;
    struct {
        struct node *node; /* its slice's own */
        struct htmt_object *inbox[2 * STEPS_MAX];
    } of[]; /* each slice that is played; not changed after it was made */
};

static struct htmt_allreduce *allreduce_of(struct htmt__collective *c)
{
    return (struct htmt_allreduce *)c;
}

static struct node *node_of(const struct htmt_allreduce *a, uint32_t slice)
{
    return a->of[htmt__played(a->c.emulator, slice)].node;
}

/* ---- who is who ------------------------------------------------------------------------------ */

static bool beyond(const struct htmt_allreduce *a, const struct node *n)
{
    return n->slice >> a->rounds;
}

static bool has_one_beyond(const struct htmt_allreduce *a, const struct node *n)
{
    return !beyond(a, n) && n->slice + (UINT64_C(1) << a->rounds) < a->c.emulator->slices;
}

static uint32_t inbox_of(const struct node *n, uint32_t step)
{
    return 2 * step + (n->calls & 1);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void send(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n, uint32_t to,
                 uint32_t step)
{
    uint32_t inbox = inbox_of(n, step);
    struct htmt__entity *p = htmt__collective_message(
        e, &a->c, n->slice, to, htmt_in(a->of[htmt__played(e, to)].inbox[inbox], 0));
    if (!p)
        return;
    p->message->inbox = inbox;
    htmt__message_capture(e, p);
    htmt__message_start(e, p);
}

static void send_result(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    uint32_t to = n->slice + (1u << a->rounds);
    struct htmt__entity *p =
        htmt__collective_message(e, &a->c, n->slice, to, htmt_at(a->c.frame, to, 0));
    if (!p)
        return;
    p->message->down = true;
    htmt__message_capture(e, p);
    htmt__message_start(e, p);
}

static void tell(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    struct htmt_slot slot = n->arrived;
    n->calls++;
    n->joined = n->called = false;
    htmt__signal_from(e, n->slice, a->c.layer, &slot);
}

static void take_in(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    uint32_t inbox = inbox_of(n, n->step);
    if (!n->joined || n->folding || !(n->full >> inbox & 1))
        return;
    n->folding = true;
    htmt__collective_fold(e, &a->c, n->slice, a->of[n->slice].inbox[inbox]);
}

static void begin_step(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    if (n->step > a->rounds) {
        if (has_one_beyond(a, n))
            send_result(e, a, n);
        tell(e, a, n);
        return;
    }
    if (n->step)
        send(e, a, n, n->slice ^ 1u << (n->step - 1), n->step);
    take_in(e, a, n);
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void join(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct htmt_allreduce *a = allreduce_of(c);
    struct node *n = node_of(a, slice);
    n->joins++;
    if (beyond(a, n)) {
        send(e, a, n, n->slice - (1u << a->rounds), 0);
        return;
    }
    n->joined = true;
    n->step = has_one_beyond(a, n) ? 0 : 1;
    begin_step(e, a, n);
}

static void folded(struct htmt_emulator *e, struct htmt__collective *c, uint32_t slice)
{
    struct node *n = node_of(allreduce_of(c), slice);
    n->folding = false;
    n->full &= ~(UINT64_C(1) << inbox_of(n, n->step++));
    begin_step(e, allreduce_of(c), n);
}

static void arrive(struct htmt_emulator *e, struct htmt__collective *c, struct htmt__entity *p)
{
    struct htmt_allreduce *a = allreduce_of(c);
    struct node *n = node_of(a, p->message->leg.target);
    bool result = p->message->down;
    if (!result)
        n->full |= UINT64_C(1) << p->message->inbox;
    htmt__message_deliver(e, p->message);
    htmt__message_end(e, p);
    if (result)
        tell(e, a, n);
    else
        take_in(e, a, n);
}

static struct htmt__part part(const struct htmt__collective *c, uint32_t slice)
{
    const struct node *n = ((const struct htmt_allreduce *)c)->of[slice].node;
    struct htmt__part of = {.joined = n->joins};
    if (n->called)
        of.arrived = n->arrived;
    return of;
}

static void set_joined(struct htmt__collective *c, uint32_t slice, uint64_t times)
{
    allreduce_of(c)->of[slice].node->joins = times;
}

/* ---- creation and call ----------------------------------------------------------------------- */

static int make_node(struct htmt_allreduce *a, uint32_t slice)
{
    struct node *n = htmt__slice_memory(a->c.emulator, slice, sizeof *n);
    int rc = 0;
    if (!n)
        return htmt__fail(a->c.emulator, HTMT_ENOMEM, "no host memory for %s", a->c.name);
    a->of[slice].node = n;
    n->slice = slice;
    for (uint32_t step = has_one_beyond(a, n) ? 0 : 1; step <= a->rounds && !beyond(a, n); step++)
        for (uint32_t i = 2 * step; i < 2 * step + 2 && !rc; i++)
            rc = htmt__collective_inbox(&a->c, slice, i, &a->of[slice].inbox[i]);
    return rc;
}

static int check_desc(struct htmt_emulator *e, const struct htmt_tree_desc *d, const char *kind)
{
    const char *name = d->name ? d->name : "";
    if (!d->combine)
        return htmt__fail(e, HTMT_EINVAL, "%s %s: no function that combines", kind, name);
    if (e->options.symmetry == HTMT_FOLDED && e->slices & (e->slices - 1))
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "%s %s: found %u slices, expected a power of two, of which slice 0 can "
                          "stand for all",
                          kind, name, e->slices);
    return 0;
}

int htmt__allreduce_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                           const char *kind, struct htmt_allreduce **allreduce)
{
    static const struct htmt__collective_ways ways = {
        .join = join, .arrive = arrive, .folded = folded, .part = part, .joined = set_joined};
    size_t size = sizeof **allreduce + e->played * sizeof(*allreduce)->of[0];
    struct htmt__collective *c;
    int rc = check_desc(e, desc, kind);
    rc = rc ? rc : htmt__collective_create(e, desc, kind, &ways, size, &c);
    if (rc)
        return rc;
    struct htmt_allreduce *a = allreduce_of(c);
    while (e->slices >> (a->rounds + 1))
        a->rounds++;
    for (uint32_t i = 0; i < e->played && !rc; i++)
        rc = make_node(a, i);
    if (!rc)
        *allreduce = a;
    return rc;
}

int htmt_allreduce_create(struct htmt_emulator *e, const struct htmt_allreduce_desc *desc,
                          struct htmt_allreduce **allreduce)
{
    int rc = htmt__collective_setup(e, desc, allreduce, "htmt_allreduce_create()");
    if (rc)
        return rc;
    struct htmt_tree_desc d = {desc->frame, desc->bytes, desc->combine, desc->ops, desc->name};
    return htmt__allreduce_create(e, &d, "all-reduce", allreduce);
}

int htmt__allreduce_call(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived,
                         const char *call)
{
    int rc = htmt__collective_call(c, a ? &a->c : NULL, call);
    if (rc)
        return rc;
    struct node *n = node_of(a, c->p->slice);
    if (n->called)
        return htmt__fail(c->e, HTMT_EINVAL, "%s again before the last one has ended", call);
    n->arrived = arrived;
    n->called = true;
    return htmt__collective_join(c, &a->c);
}

int htmt_allreduce(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived)
{
    return htmt__allreduce_call(c, a, arrived, "htmt_allreduce()");
}
