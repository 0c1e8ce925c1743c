/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/pattern.h"

#include "apps/traffic/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a random number is for. */
enum { TARGET, HEAT, GAP };

const char *const htmt__traffic_pattern_names[] = {[HTMT__PING_PONG] = "ping-pong",
                                                   [HTMT__ALL_TO_ALL] = "all-to-all",
                                                   [HTMT__EQUAL_DISTANCE] = "equal-distance",
                                                   [HTMT__UNEQUAL_DISTANCE] = "unequal-distance",
                                                   [HTMT__UNIFORM] = "uniform",
                                                   [HTMT__TRANSPOSE] = "transpose",
                                                   [HTMT__TORNADO] = "tornado",
                                                   [HTMT__HOTSPOT] = "hotspot",
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
    if (p->kind == HTMT__PING_PONG && (p->partner == 0 || p->partner >= p->nodes))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--partner: found %" PRIu32 ", expected 1 to %" PRIu32, p->partner,
                              p->nodes - 1);
    return 0;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Half the way round a ring, less one node if it is even. */
static uint32_t tornado(const struct htmt__traffic_pattern *p, uint32_t node)
{
    uint32_t ring = p->side ? p->side : p->nodes, hop = (ring + 1) / 2 - 1;
    uint32_t first = node - node % ring;
    return first + (node % ring + (hop ? hop : 1)) % ring;
}

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
    default:
        return tornado(p, node);
    }
}

/* Any node but itself. */
static uint32_t any_other(const struct htmt__traffic_pattern *p, uint32_t node, uint64_t slot)
{
    uint64_t random = htmt__traffic_random(p->seed, TARGET, node, slot);
    uint32_t found = (uint32_t)htmt__traffic_below(random, p->nodes - 1);
    return found + (found >= node);
}

static bool is_hot(const struct htmt__traffic_pattern *p, uint32_t node, uint64_t slot)
{
    return node && htmt__traffic_share(htmt__traffic_random(p->seed, HEAT, node, slot)) <= p->hot;
}

uint32_t htmt__traffic_pattern_target(const struct htmt__traffic_pattern *p, uint32_t node,
                                      uint64_t slot, uint32_t k)
{
    switch (p->kind) {
    case HTMT__ALL_TO_ALL:
        return p->in_order ? k + (k >= node) : (node + 1 + k) % p->nodes;
    case HTMT__UNIFORM:
        return any_other(p, node, slot);
    case HTMT__HOTSPOT:
        return is_hot(p, node, slot) ? 0 : any_other(p, node, slot);
    default:
        return partner(p, node);
    }
}

static bool is_random(const struct htmt__traffic_pattern *p)
{
    return p->kind == HTMT__UNIFORM || p->kind == HTMT__HOTSPOT;
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

static void count_random(const struct htmt__traffic_pattern *p, uint64_t *heard)
{
    for (uint32_t i = 0; i < p->nodes; i++)
        for (uint64_t slot = 0; slot < p->slots; slot++)
            heard[htmt__traffic_pattern_target(p, i, slot, 0)]++;
}

void htmt__traffic_pattern_heard(const struct htmt__traffic_pattern *p, uint64_t *heard)
{
    memset(heard, 0, p->nodes * sizeof *heard);
    if (is_random(p)) {
        count_random(p, heard);
        return;
    }
    for (uint32_t i = 0; i < p->nodes; i++) {
        uint64_t sends = htmt__traffic_pattern_sends(p, i);
        uint32_t to = p->kind == HTMT__ALL_TO_ALL ? i : partner(p, i);
        if (sends)
            heard[to] += sends * p->slots;
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

htmt_time htmt__traffic_pattern_gap(const struct htmt__traffic_pattern *p, uint32_t node,
                                    uint64_t n)
{
    double share = htmt__traffic_share(htmt__traffic_random(p->seed, GAP, node, n));
    double gap = -log(share) / p->rate * (double)HTMT_SECOND;
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
