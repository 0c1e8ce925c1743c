/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-reduces by recursive doubling, and barriers.
 *
 * The core is the first 2^rounds slices, as many as there are at most. In round r each slice of the
 * core sends what it has to its partner, the slice whose number differs in bit r, and folds what
 * the partner sends into its frame. After the last round all have folded all. Slices beyond the
 * core take no part in the rounds: each gives its frame to a slice of the core before, and has the
 * result from it behind. In steps of a slice of the core: step 0 takes in what the one beyond the
 * core gave it, if there is one; step r + 1 sends to the partner of round r and takes in what that
 * sent.
 *
 *     6 slices, core 4:   4 -> 0, 5 -> 1    step 0
 *                         0 <-> 1, 2 <-> 3  step 1 (round 0)
 *                         0 <-> 2, 1 <-> 3  step 2 (round 1)
 *                         0 -> 4, 1 -> 5    results
 *
 * Each step has two inboxes, which serve in turns of calls. Why are two enough? A slice sends in
 * call n + 2 only after it has ended call n + 1, for which it took in its partner's message of the
 * same step of call n + 1. The partner sent that after it had ended call n, and so had emptied the
 * inbox of call n, which is the one of call n + 2. One beyond the core gets the result of call n
 * from the slice that has taken its part in.
 *
 * A message carries its bytes from the moment it was made, for the frame changes while the message
 * is on its way. Both partners fold "mine with yours", so `combine` should not care which is which.
 *
 * Cost: 2 log2(slices) messages of a slice, and log2(slices) of them one after another; no slice is
 * the root, so one slice may stand for all when their number is a power of two.
 *
 * A barrier is an all-reduce of a word that nobody reads.
 */
#include "parcels/message/collective.h"
#include "parcels/message/message.h"
#include "parcels/walk/context.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/permit.h"
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

/* To the inbox of a step, or as a result (step == UINT32_MAX) into the frame. */
#define RESULT UINT32_MAX

static void send(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n, uint32_t to,
                 uint32_t step)
{
    uint32_t inbox = step == RESULT ? 0 : inbox_of(n, step);
    struct htmt_addr dst = step == RESULT ? htmt_at(a->c.frame, to, 0)
                                          : htmt_in(a->of[htmt__played(e, to)].inbox[inbox], 0);
    struct htmt__entity *p = htmt__collective_message(e, &a->c, n->slice, to, dst);
    if (!p)
        return;
    p->message->inbox = inbox;
    p->message->down = step == RESULT;
    htmt__message_capture(e, p);
    htmt__message_start(e, p);
}

/* The call is over. */
static void tell(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    struct htmt_slot slot = n->arrived;
    n->calls++;
    n->joined = n->called = false;
    htmt__signal_from(e, n->slice, a->c.layer, &slot);
}

/* What the present step waits for, if it is there. */
static void take_in(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    uint32_t inbox = inbox_of(n, n->step);
    if (!n->joined || n->folding || !(n->full >> inbox & 1))
        return;
    n->folding = true;
    htmt__collective_meets(e, n);
    htmt__collective_meets(e, a->of[n->slice].inbox[inbox]);
    htmt__collective_fold(e, &a->c, n->slice, a->of[n->slice].inbox[inbox]);
    htmt__collective_meets(e, NULL);
}

static void begin_step(struct htmt_emulator *e, struct htmt_allreduce *a, struct node *n)
{
    if (n->step > a->rounds) {
        if (has_one_beyond(a, n))
            send(e, a, n, n->slice + (1u << a->rounds), RESULT);
        tell(e, a, n);
        return;
    }
    htmt__collective_waits(e, n);
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
    if (!result) {
        n->full |= UINT64_C(1) << p->message->inbox;
        htmt__collective_waits(e, a->of[n->slice].inbox[p->message->inbox]);
    }
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

/* ---- creation -------------------------------------------------------------------------------- */

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

/* `kind` is its name in lines; the host may create it. */
static int create(struct htmt_emulator *e, const struct htmt_tree_desc *desc, const char *kind,
                  struct htmt_allreduce **allreduce)
{
    static const struct htmt__collective_operations operations = {
        .join = join, .arrive = arrive, .folded = folded, .part = part, .joined = set_joined};
    const char *name = desc->name ? desc->name : "";
    struct htmt__collective *c;
    if (!desc->combine)
        return htmt__fail(e, HTMT_EINVAL, "%s %s: no function that combines", kind, name);
    if (e->options.symmetry == HTMT_FOLDED && e->slices & (e->slices - 1))
        return htmt__fail(e, HTMT_ESYMMETRY,
                          "%s %s: found %u slices, expected a power of two, of which slice 0 can "
                          "stand for all",
                          kind, name, e->slices);
    size_t size = sizeof **allreduce + e->played * sizeof(*allreduce)->of[0];
    int rc = htmt__collective_create(e, desc, kind, &operations, size, &c);
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
    return create(e, &d, "all-reduce", allreduce);
}

static void combine_nothing(void *into, const void *from, uint64_t bytes)
{
    (void)into;
    (void)from;
    (void)bytes;
}

int htmt_barrier_create(struct htmt_emulator *e, uint32_t layer, const char *name,
                        struct htmt_barrier **barrier)
{
    static const char call[] = "htmt_barrier_create()";
    struct htmt_frame *frame;
    struct htmt_allreduce *a;
    int rc = htmt__permit_setup(e, call);
    rc = rc ? rc : htmt__given(e, name, call, "name");
    rc = rc ? rc : htmt__given(e, barrier, call, "place for the barrier");
    rc = rc ? rc : htmt_frame_create(e, layer, HTMT_WORD, name, &frame);
    if (rc)
        return rc;
    struct htmt_tree_desc d = {
        .frame = frame, .bytes = HTMT_WORD, .combine = combine_nothing, .name = name};
    rc = create(e, &d, "barrier", &a);
    if (!rc)
        *barrier = (struct htmt_barrier *)a;
    return rc;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int call(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived,
                const char *name)
{
    int rc = htmt__collective_call(c, a ? &a->c : NULL, name);
    if (rc)
        return rc;
    struct node *n = node_of(a, c->p->slice);
    if (n->called)
        return htmt__fail(c->e, HTMT_EINVAL, "%s again before the last one has ended", name);
    n->arrived = arrived;
    n->called = true;
    return htmt__collective_join(c, &a->c);
}

int htmt_allreduce(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived)
{
    return call(c, a, arrived, "htmt_allreduce()");
}

int htmt_barrier(struct htmt_context *c, struct htmt_barrier *barrier, struct htmt_slot passed)
{
    return call(c, (struct htmt_allreduce *)barrier, passed, "htmt_barrier()");
}
