/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How nodes go through phases, and the barrier between them.
 *
 * A node is an activation whose home is where it executes. Each phase has two fibers: `run` acts
 * and computes, `join` counts down its own end and all that the phase awaits. Behind `join` comes
 * the barrier, or at once the next phase.
 *
 * The barrier is a dissemination barrier (Hensgen, Finkel and Manber, 1988). With p nodes it has R
 * = ceil(log2 p) rounds; in round r node i sends a message without words to node i + 2^r (mod p)
 * and waits for that of node i - 2^r. After round r a node knows of the 2^(r+1) nodes up to itself
 * that they have come. Five nodes, node 4: round 0 tells it of node 3, round 1 of 2 and 1, round 2
 * of 0. So a barrier takes R start-ups and R times the way through the network, and no words: where
 * these are 0 it takes no time.
 *
 * Why can no message come too early?
 *  - One of a phase to `join`: its sender has begun the phase. Where a barrier lies between, all
 *    nodes have ended the same phase of the round before, so their `join` has been counted again in
 *    full (reset). Without a barrier between the two rounds a program must not send.
 *  - One of a barrier: rounds of even and of odd barriers have fibers of their own. Who sends in
 *    barrier n + 2 has passed barrier n + 1, which this node entered after it passed n. So all
 *    rounds of n are over here, though perhaps not those of n + 1.
 */
#include "apps/peers/peers.h"

#include "apps/lib/per_slice.h"
#include "layers/machine/way.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MOST 512 /* of struct htmt_type_desc */

struct site {
    HTMT_PER_SLICE uint64_t barriers; /* entered */
    uint32_t over;                    /* the phase that ended last */
};

struct htmt__peers {
    struct htmt__peers_desc d;
    struct htmt__phase *phase;
    uint32_t nodes, rounds; /* of a barrier */
    struct htmt_type *type;
    struct htmt_frame *words; /* where messages of barriers come from and go to */
    struct site *site;
};

/* ---- fibers --------------------------------------------------------------------------------- */

/* Two of each phase, then the rounds of even and of odd barriers. */

static uint32_t run_fiber(uint32_t phase)
{
    return 1 + 2 * phase;
}

static uint32_t join_fiber(uint32_t phase)
{
    return 2 + 2 * phase;
}

static uint32_t round_fiber(const struct htmt__peers *n, uint64_t barrier, uint32_t round)
{
    return 1 + 2 * n->d.count + (uint32_t)(barrier % 2) * n->rounds + round;
}

static const struct htmt__peers *nodes_of(struct htmt_context *c)
{
    return htmt_user(c);
}

/* Of a message of a barrier: puts have words where nothing takes them in (htmt_put.bytes). */
static uint64_t meeting_words(const struct htmt_machine *m, struct htmt__peer_place place)
{
    return !m->network[place.network].port[place.layer].in &&
           !htmt_machine_channels(m, place.network);
}

static struct htmt_slot own(struct htmt_context *c, uint32_t fiber)
{
    return htmt_slot(c, fiber);
}

static void begin(struct htmt_context *c, uint32_t phase)
{
    if (phase == HTMT__PEERS_END)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, own(c, run_fiber(phase)));
}

static void go_on(struct htmt_context *c)
{
    const struct htmt__peers *n = nodes_of(c);
    begin(c, n->d.next(c, n->site[htmt_slice(c)].over));
}

/* Round `round` of the barrier that the node is in. */
static void meet(struct htmt_context *c, uint32_t round)
{
    const struct htmt__peers *n = nodes_of(c);
    const uint32_t here = htmt_slice(c);
    const struct htmt_slot slot = own(c, round_fiber(n, n->site[here].barriers, round));
    const uint32_t there = (uint32_t)((here + (UINT64_C(1) << round)) % n->nodes);
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(n->words, here, 0);
    put.dst = htmt_at(n->words, there, 0);
    put.bytes = HTMT_WORD * meeting_words(htmt_emulator_machine(n->d.e), n->d.place);
    put.on_arrived = htmt_slot_in(slot, there);
    put.name = "barrier";
    htmt_put(c, &put);
    htmt_signal(c, slot);
}

uint32_t htmt__peers_phase(const struct htmt_context *c)
{
    return (htmt_fiber(c) - 1) / 2;
}

static void run(struct htmt_context *c)
{
    const uint32_t phase = htmt__peers_phase(c);
    const struct htmt__phase *p = &nodes_of(c)->phase[phase];
    const struct htmt_slot done = own(c, join_fiber(phase));
    if (p->act)
        p->act(c, done);
    htmt_signal(c, done);
}

static void join(struct htmt_context *c)
{
    const struct htmt__peers *n = nodes_of(c);
    struct site *s = &n->site[htmt_slice(c)];
    s->over = (htmt_fiber(c) - 2) / 2;
    if (n->phase[s->over].barrier && n->rounds) {
        s->barriers++;
        meet(c, 0);
    } else {
        go_on(c);
    }
}

static void met(struct htmt_context *c)
{
    const struct htmt__peers *n = nodes_of(c);
    const uint32_t round = (htmt_fiber(c) - round_fiber(n, 0, 0)) % n->rounds;
    if (round + 1 < n->rounds)
        meet(c, round + 1);
    else
        go_on(c);
}

static void start(struct htmt_context *c)
{
    const struct htmt__peers *n = nodes_of(c);
    begin(c, n->d.first);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int create_type(struct htmt__peers *n)
{
    const uint32_t fibers = 2 * n->d.count + 2 * n->rounds;
    const char *layer = htmt_emulator_machine(n->d.e)->layer[n->d.place.layer].name;
    struct htmt_stage *fiber = calloc(fibers, sizeof *fiber);
    const char **name = calloc(fibers, sizeof *name);
    int rc = fiber && name ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < n->d.count && !rc; i++) {
        const struct htmt__phase *p = &n->phase[i];
        fiber[run_fiber(i) - 1] = (struct htmt_stage){.kernel = p->kernel,
                                                      .cost = p->cost,
                                                      .control = run,
                                                      .constant = p->constant,
                                                      .steered = p->steered,
                                                      .count = 1,
                                                      .reset = 1};
        fiber[join_fiber(i) - 1] =
            (struct htmt_stage){.control = join, .count = 1 + p->awaited, .reset = 1 + p->awaited};
        name[run_fiber(i) - 1] = p->name;
    }
    for (uint32_t i = 2 * n->d.count; i < fibers && !rc; i++)
        fiber[i] = (struct htmt_stage){.control = met, .count = 2, .reset = 2};
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = n->d.type;
    d.home = d.exec = layer;
    d.execute.control = start;
    d.footprint = HTMT_RESIDENT;
    d.fibers = fiber;
    d.fiber_count = fibers;
    d.fiber_names = name;
    d.gates = HTMT_GATE(HTMT_RETIRE);
    d.departures = HTMT_DEPARTS_RESIDENT | HTMT_DEPARTS_OPEN | HTMT_DEPARTS_EXCHANGE;
    d.args_bytes = n->d.args_bytes;
    d.result_bytes = n->d.result_bytes;
    d.user = n;
    rc = rc ? rc : htmt_type_create(n->d.e, &d, &n->type);
    free(fiber);
    free(name);
    return rc;
}

int htmt__peers_create(const struct htmt__peers_desc *desc, struct htmt__peers **nodes)
{
    struct htmt__peers *n = calloc(1, sizeof *n);
    if (!n)
        return HTMT_ENOMEM;
    n->d = *desc;
    n->nodes = htmt_emulator_slices(desc->e);
    while (UINT64_C(1) << n->rounds < n->nodes)
        n->rounds++;
    n->phase = malloc(desc->count * sizeof *n->phase);
    n->site = htmt_per_slice_create(n->nodes, sizeof *n->site);
    int rc = n->phase && n->site ? 0 : HTMT_ENOMEM;
    if (!rc)
        memcpy(n->phase, desc->phases, desc->count * sizeof *n->phase);
    if (!rc && n->rounds)
        rc = htmt_frame_create(desc->e, desc->place.layer, HTMT_WORD, "barrier", &n->words);
    rc = rc ? rc : create_type(n);
    for (uint32_t i = 0; i < n->nodes && !rc; i++) {
        _Alignas(16) unsigned char args[ARGS_MOST];
        memcpy(args, desc->args, desc->args_bytes);
        if (desc->each)
            desc->each(args, i);
        rc = htmt_assemble(htmt_root(desc->e),
                           &(struct htmt_parcel_desc){.type = n->type, .slice = i, .args = args},
                           NULL);
    }
    if (rc)
        htmt__peers_destroy(&n);
    else
        *nodes = n;
    return rc;
}

void htmt__peers_destroy(struct htmt__peers **nodes)
{
    struct htmt__peers *n = *nodes;
    if (!n)
        return;
    free(n->phase);
    free(n->site);
    free(n);
    *nodes = NULL;
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Sums of a few of them do not overflow. */
#define TIME_MOST (INT64_MAX / 8)

static htmt_time longer(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

/* The messages of node `from`, which receives as many as it sends. Without ports inside they take
 * channels as parcels/message/message.c has it: an out channel for start-up and words, an in
 * channel from when the head is there. With ports inside the way has the words in it, and the next
 * message leaves when the last one has passed the first link. */
static htmt_time exchange(const struct htmt_machine *m, struct htmt__peer_place place,
                          uint32_t from, htmt__sends *sends, const void *user)
{
    const struct htmt_network *net = &m->network[place.network];
    const struct htmt_port *port = &net->port[place.layer];
    const bool inside = htmt_machine_channels(m, place.network) != 0;
    htmt_time left[HTMT_CHANNELS_MAX] = {0}, taken[HTMT_CHANNELS_MAX] = {0}, end = 0;
    struct htmt__sent sent;
    uint32_t n = 0;
    for (uint32_t i = 0; sends(user, from, i, &sent); i++) {
        if (sent.to == from) /* within a memory that takes no time */
            continue;
        const uint64_t bytes = sent.words * HTMT_WORD;
        htmt_time out = htmt_machine_out_time(m, place.network, place.layer, place.layer,
                                              sent.words, 1, 1),
                  in = htmt_machine_in_time(m, place.network, place.layer, sent.words, 1),
                  way = htmt_machine_alone(m, place.network, from, sent.to, bytes);
        uint32_t link;
        if (inside && htmt_machine_way(m, place.network, from, sent.to, NULL, &link, 1))
            out = longer(out,
                         net->startup + htmt_machine_channel_time(m, place.network, link, bytes));
        if (out < 0 || in < 0 || way < 0 || out > TIME_MOST || in > TIME_MOST || way > TIME_MOST ||
            end > TIME_MOST)
            return -1;
        htmt_time *const leaves = &left[n % port->out],
                         *const arrives = &taken[port->in ? n % port->in : 0],
                         head = *leaves + net->startup + way;
        end = longer(end, inside ? head : *leaves + out + way);
        *arrives = port->in ? longer(head, *arrives) + in : 0;
        end = longer(end, *arrives);
        *leaves += out;
        n++;
    }
    return end;
}

htmt_time htmt__peers_exchange(const struct htmt_machine *m, struct htmt__peer_place place,
                               htmt__sends *sends, const void *user)
{
    const bool inside = htmt_machine_channels(m, place.network) != 0;
    const uint32_t last = m->slices - 1;
    htmt_time most = 0;
    for (uint32_t i = 0; i <= last && most >= 0; i = inside || i ? i + 1 : last) {
        const htmt_time one = exchange(m, place, i, sends, user);
        most = one < 0 ? -1 : longer(most, one);
        if (i == last)
            break;
    }
    return most;
}

struct to_partner {
    uint64_t nodes, distance, words;
};

static bool to_partner(const void *user, uint32_t node, uint32_t i, struct htmt__sent *sent)
{
    const struct to_partner *t = user;
    *sent = (struct htmt__sent){(uint32_t)((node + t->distance) % t->nodes), t->words};
    return i == 0;
}

htmt_time htmt__peers_barrier(const struct htmt_machine *m, struct htmt__peer_place place)
{
    htmt_time sum = 0;
    for (uint64_t distance = 1; distance < m->slices && sum >= 0; distance *= 2) {
        const struct to_partner t = {m->slices, distance, meeting_words(m, place)};
        const htmt_time one = htmt__peers_exchange(m, place, to_partner, &t);
        sum = one < 0 || sum > TIME_MOST ? -1 : sum + one;
    }
    return sum;
}
