/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns of traffic.
 *
 * A pattern is a function: from node, slot and number to a target. So it takes no memory, any slot
 * can be asked for in any order, and a run of several processes agrees on it. Random patterns draw
 * their numbers from (seed, purpose, node, slot) instead of from a stream, for the same reason.
 *
 * The partner of node i of n nodes; m is the side of their square, or n if they make none:
 *
 *     ping-pong           0 and one other node, in turn
 *     equal distance      i + n / 2 (mod n): on a ring all messages go equally far
 *     unequal distance    n - 1 - i: from 1 hop in the middle to all across at the corners
 *     transpose           (x, y) to (y, x) of the square
 *     tornado             half way round the row of the square, less one if that is even: the worst
 *                         that a ring can be asked for with one message a node
 *     neighbour           i + 1 (mod n)
 *     bit complement      all bits of i turned; this and the next two are for 2^b nodes
 *     reverse             the bits of i in the opposite order
 *     shuffle             the bits of i moved up by one, the highest one to the lowest place
 *     permutation         one of all permutations, from the seed
 *     adversarial         any node of the next group: what its one way between groups cannot bear
 *
 * A permutation is not kept, either: it is a network of Feistel's, four rounds that each turn one
 * half of the bits by a hash of the other half, on the smallest even number of bits that holds n.
 * What falls beyond n goes through it again until it does not. Each round can be undone, so no two
 * nodes have one image; and the way from i leads back to i at the latest, so it ends.
 *
 * For example, tornado on 16 nodes (m = 4) sends by (4 + 1) / 2 - 1 = 1 to the right: 0 to 1, 3 to
 * 0, 4 to 5. All-to-all goes round from the next node on, so that in each step every node hears
 * from one other; in order it begins at node 0, and all send to the same node first.
 *
 * The load of a pattern on an n x n mesh is counted without a clock. A message first goes along its
 * row, then along the column of its target. It adds one message to all links of a stretch, so only
 * the two ends of the stretch are noted, +1 and -1; a running sum over each line then gives the
 * messages of every link. That costs O(1) a message and O(n^2) for the sums. For example, messages
 * from place 0 to 3 and from 1 to 2 of a row note +1 +1 -1 -1, whose sums 1 2 1 0 are the loads of
 * the links 0-1, 1-2, 2-3.
 */
#include "apps/traffic/pattern.h"

#include "apps/lib/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MOST (UINT64_C(1) << 25) /* of a slot whose load is counted */

/* What a random number is for. */
enum { TARGET, HEAT, GAP, IMAGE };

const char *const htmt__traffic_pattern_names[] = {[HTMT__PING_PONG] = "ping-pong",
                                                   [HTMT__ALL_TO_ALL] = "all-to-all",
                                                   [HTMT__EQUAL_DISTANCE] = "equal-distance",
                                                   [HTMT__UNEQUAL_DISTANCE] = "unequal-distance",
                                                   [HTMT__UNIFORM] = "uniform",
                                                   [HTMT__TRANSPOSE] = "transpose",
                                                   [HTMT__TORNADO] = "tornado",
                                                   [HTMT__HOTSPOT] = "hotspot",
                                                   [HTMT__BIT_COMPLEMENT] = "bit-complement",
                                                   [HTMT__REVERSE] = "reverse",
                                                   [HTMT__SHUFFLE] = "shuffle",
                                                   [HTMT__PERMUTATION] = "permutation",
                                                   [HTMT__NEIGHBOUR] = "neighbour",
                                                   [HTMT__ADVERSARIAL] = "adversarial",
                                                   NULL};

uint32_t htmt__traffic_square(uint32_t nodes)
{
    uint32_t side = (uint32_t)sqrt((double)nodes);
    while ((uint64_t)side * side > nodes)
        side--;
    while ((uint64_t)(side + 1) * (side + 1) <= nodes)
        side++;
    return side * side == nodes ? side : 0;
}

int htmt__traffic_pattern_check(const struct htmt__traffic_pattern *p, struct htmt_fault *fault)
{
    const char *name = htmt__traffic_pattern_names[p->kind];
    if (p->nodes < 2)
        return htmt_fault_set(fault, HTMT_EINVAL, "found 1 slice, a pattern needs 2");
    if (p->kind == HTMT__EQUAL_DISTANCE && p->nodes % 2)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " slices, pattern %s needs an even number", p->nodes,
                              name);
    if (p->kind == HTMT__TRANSPOSE && !p->side)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " slices, pattern %s needs a square number",
                              p->nodes, name);
    if (p->kind >= HTMT__BIT_COMPLEMENT && p->kind <= HTMT__SHUFFLE && p->nodes & (p->nodes - 1))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "found %" PRIu32 " slices, pattern %s needs a power of two", p->nodes,
                              name);
    if (p->kind == HTMT__ADVERSARIAL && (p->group >= p->nodes || p->nodes % p->group))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "--group: found %" PRIu32 ", expected a divisor of the %" PRIu32
                              " slices, below them",
                              p->group, p->nodes);
    if (p->kind == HTMT__PING_PONG && (p->partner == 0 || p->partner >= p->nodes))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--partner: found %" PRIu32 ", expected 1 to %" PRIu32, p->partner,
                              p->nodes - 1);
    return 0;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* The number of bits that 2^b nodes have. */
static unsigned bits_of(uint32_t nodes)
{
    return (unsigned)__builtin_ctz(nodes);
}

static uint32_t reversed(uint32_t node, unsigned bits)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < bits; i++)
        out |= (node >> i & 1) << (bits - 1 - i);
    return out;
}

/* See above. */
static uint32_t image(const struct htmt__traffic_pattern *p, uint32_t node)
{
    unsigned half = 1;
    while (UINT64_C(1) << 2 * half < p->nodes)
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t at = node;
    do
        for (unsigned round = 0; round < 4; round++) {
            const uint64_t low = at & mask, high = at >> half;
            at = low << half | (high ^ (htmt__random_at(p->seed, IMAGE, round, low) & mask));
        }
    while (at >= p->nodes);
    return (uint32_t)at;
}

/* Of the patterns in which a node has one partner; itself: it has none. */
static uint32_t partner(const struct htmt__traffic_pattern *p, uint32_t node)
{
    switch (p->kind) {
    case HTMT__PING_PONG:
        return node == 0 ? p->partner : node == p->partner ? 0 : node;
    case HTMT__EQUAL_DISTANCE:
        return (p->nodes / 2 + node) % p->nodes;
    case HTMT__UNEQUAL_DISTANCE:
        return p->nodes - 1 - node;
    case HTMT__TRANSPOSE:
        return node % p->side * p->side + node / p->side;
    case HTMT__BIT_COMPLEMENT:
        return node ^ (p->nodes - 1);
    case HTMT__REVERSE:
        return reversed(node, bits_of(p->nodes));
    case HTMT__SHUFFLE:
        return (node << 1 | node >> (bits_of(p->nodes) - 1)) & (p->nodes - 1);
    case HTMT__PERMUTATION:
        return image(p, node);
    case HTMT__NEIGHBOUR:
        return (node + 1) % p->nodes;
    default: { /* tornado */
        uint32_t ring = p->side ? p->side : p->nodes, hop = (ring + 1) / 2 - 1;
        return node - node % ring + (node % ring + (hop ? hop : 1)) % ring;
    }
    }
}

static bool is_random(const struct htmt__traffic_pattern *p)
{
    return p->kind == HTMT__UNIFORM || p->kind == HTMT__HOTSPOT || p->kind == HTMT__ADVERSARIAL;
}

uint32_t htmt__traffic_pattern_target(const struct htmt__traffic_pattern *p, uint32_t node,
                                      uint64_t slot, uint32_t k)
{
    if (p->kind == HTMT__ALL_TO_ALL)
        return p->in_order ? k + (k >= node) : (node + 1 + k) % p->nodes;
    if (!is_random(p))
        return partner(p, node);
    if (p->kind == HTMT__HOTSPOT && node &&
        htmt__random_share(htmt__random_at(p->seed, HEAT, node, slot)) <= p->hot)
        return 0;
    uint64_t random = htmt__random_at(p->seed, TARGET, node, slot);
    if (p->kind == HTMT__ADVERSARIAL)
        return (uint32_t)((node / p->group + 1) % (p->nodes / p->group) * p->group +
                          htmt__random_below(random, p->group));
    uint32_t other = (uint32_t)htmt__random_below(random, p->nodes - 1);
    return other + (other >= node); /* any node but itself */
}

bool htmt__traffic_pattern_repeats(const struct htmt__traffic_pattern *p)
{
    return !is_random(p) && p->rate == 0;
}

/* In Mermaid's three patterns a slot has N - 1 messages of a node; in the others one. */
uint32_t htmt__traffic_pattern_sends(const struct htmt__traffic_pattern *p, uint32_t node)
{
    bool many = p->kind == HTMT__ALL_TO_ALL || p->kind == HTMT__EQUAL_DISTANCE ||
                p->kind == HTMT__UNEQUAL_DISTANCE;
    if (!is_random(p) && p->kind != HTMT__ALL_TO_ALL && partner(p, node) == node)
        return 0;
    return many ? p->nodes - 1 : 1;
}

uint64_t htmt__traffic_pattern_requests(const struct htmt__traffic_pattern *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->nodes; i++)
        sum += htmt__traffic_pattern_sends(p, i);
    return sum;
}

void htmt__traffic_pattern_heard(const struct htmt__traffic_pattern *p, uint64_t *heard)
{
    memset(heard, 0, p->nodes * sizeof *heard);
    for (uint32_t i = 0; i < p->nodes; i++) {
        for (uint64_t slot = 0; slot < p->slots && is_random(p); slot++)
            heard[htmt__traffic_pattern_target(p, i, slot, 0)]++;
        if (!is_random(p) && htmt__traffic_pattern_sends(p, i))
            heard[p->kind == HTMT__ALL_TO_ALL ? i : partner(p, i)] +=
                htmt__traffic_pattern_sends(p, i) * p->slots;
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

htmt_time htmt__traffic_pattern_gap(const struct htmt__traffic_pattern *p, uint32_t node,
                                    uint64_t n)
{
    double share = htmt__random_share(htmt__random_at(p->seed, GAP, node, n));
    double gap = -log(share) / p->rate * (double)HTMT_SECOND;
    if (p->cycle) { /* of a chance in each cycle, the first that comes: geometric */
        const double chance = p->rate * (double)p->cycle / (double)HTMT_SECOND;
        gap = chance < 1 ? 1 + floor(log(share) / log1p(-chance)) : 1;
        gap = gap * (double)p->cycle;
    }
    return gap < 1e18 ? (htmt_time)gap : (htmt_time)1e18;
}

htmt_time htmt__traffic_pattern_work(const struct htmt__traffic_pattern *p, uint32_t node)
{
    htmt_wide more = (htmt_wide)(p->most - p->least) * node;
    return p->least + (htmt_time)(p->nodes > 1 ? more / (p->nodes - 1) : 0);
}

uint64_t htmt__traffic_paper_slots(uint64_t bytes)
{
    uint64_t slots = 300 * 128 / bytes;
    return slots ? slots : 1;
}

/* ---- a pattern as a table -------------------------------------------------------------------- */

static int add_op(struct htmt__traffic_table *t, enum htmt__traffic_kind kind, uint32_t peer,
                  htmt_time time, struct htmt_fault *fault)
{
    struct htmt__traffic_op op = {
        .kind = kind, .peer = peer, .message = HTMT__TRAFFIC_NONE, .time = time};
    return htmt__traffic_op_add(t, &op, fault);
}

static int add_message(const struct htmt__traffic_pattern *p, uint32_t target,
                       struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    struct htmt__traffic_message m = {
        .target = target, .bytes = p->bytes, .index = HTMT__TRAFFIC_NONE};
    return htmt__traffic_send_add(t, p->synchronous ? HTMT__TRAFFIC_SEND : HTMT__TRAFFIC_ASEND, &m,
                                  fault);
}

/* The first node sends and waits for the answer, the other one answers. */
static int add_ping_pong(const struct htmt__traffic_pattern *p, uint32_t node,
                         struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = 0;
    if (node)
        rc = add_op(t, HTMT__TRAFFIC_RCV, 0, 0, fault);
    if (!rc)
        rc = add_message(p, node ? 0 : p->partner, t, fault);
    if (!rc && !node)
        rc = add_op(t, HTMT__TRAFFIC_RCV, p->partner, 0, fault);
    return rc;
}

/* One slot where all are alike, which is an iteration of the table; else all slots, which have as
 * many messages each. Then the node waits for what it hears. */
static int add_slots(const struct htmt__traffic_pattern *p, uint32_t node,
                     struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint64_t sends = htmt__traffic_pattern_sends(p, node);
    uint64_t slots = htmt__traffic_pattern_repeats(p) ? 1 : p->slots;
    int rc = 0;
    for (uint64_t n = 0; n < sends * slots && !rc; n++) {
        if (p->rate > 0)
            rc = add_op(t, HTMT__TRAFFIC_PAUSE, 0, htmt__traffic_pattern_gap(p, node, n), fault);
        if (!rc)
            rc = add_message(
                p, htmt__traffic_pattern_target(p, node, n / sends, (uint32_t)(n % sends)), t,
                fault);
    }
    return rc ? rc : add_op(t, HTMT__TRAFFIC_ALL, 0, 0, fault);
}

int htmt__traffic_pattern_expand(const struct htmt__traffic_pattern *p,
                                 struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->nodes && !rc; i++) {
        rc = htmt__traffic_node_add(t, NULL, fault);
        if (rc || (p->kind == HTMT__PING_PONG && i && i != p->partner))
            continue; /* it has no partner and does nothing */
        htmt_time work = htmt__traffic_pattern_work(p, i);
        if (work)
            rc = add_op(t, HTMT__TRAFFIC_COMPUTE, 0, work, fault);
        if (!rc)
            rc = p->kind == HTMT__PING_PONG ? add_ping_pong(p, i, t, fault)
                                            : add_slots(p, i, t, fault);
    }
    return rc;
}

/* ---- the load of a mesh ---------------------------------------------------------------------- */

enum { EAST, WEST, SOUTH, NORTH, DIRECTIONS };

/* Changes of the load from one link of a line to the next, for each direction and line. */
struct mesh {
    uint32_t side;
    int64_t *change;
};

static int64_t *change_at(const struct mesh *m, unsigned direction, uint32_t line, uint32_t place)
{
    return &m->change[((uint64_t)direction * m->side + line) * (m->side + 1) + place];
}

/* The links between places `from` and `to` of a line carry a message more; returns the hops. */
static uint64_t pass(const struct mesh *m, unsigned up, unsigned down, uint32_t line, uint32_t from,
                     uint32_t to)
{
    uint32_t first = from < to ? from : to, last = from < to ? to : from;
    ++*change_at(m, from < to ? up : down, line, first);
    --*change_at(m, from < to ? up : down, line, last);
    return last - first;
}

static uint64_t busiest(const struct mesh *m)
{
    int64_t most = 0;
    for (unsigned direction = 0; direction < DIRECTIONS; direction++)
        for (uint32_t line = 0; line < m->side; line++) {
            int64_t load = 0;
            for (uint32_t place = 0; place < m->side; place++) {
                load += *change_at(m, direction, line, place);
                most = load > most ? load : most;
            }
        }
    return (uint64_t)most;
}

int htmt__traffic_load_of(const struct htmt__traffic_pattern *p, struct htmt__traffic_load *load)
{
    const uint32_t side = p->side;
    if (!side || !htmt__traffic_pattern_repeats(p) ||
        htmt__traffic_pattern_requests(p) > MESSAGES_MOST)
        return HTMT_EINVAL;
    struct mesh m = {side, calloc((size_t)DIRECTIONS * side * (side + 1), sizeof *m.change)};
    if (!m.change)
        return HTMT_ENOMEM;
    *load = (struct htmt__traffic_load){.busiest = 0};
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint32_t k = 0; k < htmt__traffic_pattern_sends(p, i); k++) {
            uint32_t to = htmt__traffic_pattern_target(p, i, 0, k);
            uint64_t hops = pass(&m, EAST, WEST, i / side, i % side, to % side) +
                            pass(&m, SOUTH, NORTH, to % side, i / side, to / side);
            load->least = load->messages++ && load->least < hops ? load->least : hops;
            load->most = load->most > hops ? load->most : hops;
            load->hops += hops;
        }
    load->busiest = busiest(&m);
    free(m.change);
    return 0;
}
