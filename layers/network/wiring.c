/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From links to numbered channels, places and owners.
 */
#include "layers/network/wiring.h"

#include "layers/network/routing.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS     64  /* ends of which the usual pair is looked for */
#define ALL_PAIRS 512 /* ends of a graph of which all ways are measured */

static uint32_t *numbers(size_t count)
{
    return calloc(count ? count : 1, sizeof(uint32_t));
}

static bool allocate(struct htmt__topology *t)
{
    t->first = numbers((size_t)t->ends + t->switches + 1);
    t->wire = calloc(t->channels ? t->channels : 1, sizeof *t->wire);
    t->into = numbers(t->ends);
    t->end_of = numbers(t->slices);
    t->slice_of = numbers(t->ends);
    t->owner = numbers((size_t)t->ends + t->switches);
    return t->first && t->wire && t->into && t->end_of && t->slice_of && t->owner;
}

/* ---- channels -------------------------------------------------------------------------------- */

static void count_channel(struct htmt__topology *t, uint32_t from)
{
    t->first[from + 1]++;
}

/* first[] of each element: how many channels leave those before it. */
static void count_channels(struct htmt__topology *t, const struct htmt__graph_links *links)
{
    for (uint32_t i = 0; i < links->count; i++) {
        count_channel(t, links->at[i].from);
        if (!links->at[i].one_way)
            count_channel(t, links->at[i].to);
    }
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        t->first[e + 1] += t->first[e];
}

static void scale(struct htmt_ratio *byte, uint32_t planes)
{
    struct htmt_ratio divided;
    if (!htmt_ratio_div(*byte, (struct htmt_ratio){planes, 1}, &divided))
        *byte = divided;
}

/* Behind the channels of its element that are there, in the order of the ports: `taken` counts
 * them. `back` is for now the number of the link. */
static void put_channel(struct htmt__topology *t, uint32_t *taken, struct htmt__wire wire)
{
    uint32_t at = t->first[wire.from] + taken[wire.from]++;
    for (; at > t->first[wire.from] && t->wire[at - 1].port > wire.port; at--)
        t->wire[at] = t->wire[at - 1];
    t->wire[at] = wire;
}

static struct htmt__wire wire_of(const struct htmt__topology *t,
                                 const struct htmt__graph_link *link, uint32_t number)
{
    return (struct htmt__wire){.from = link->from,
                               .to = link->to,
                               .port = link->port,
                               .to_port = link->to_port,
                               .back = link->one_way ? UINT32_MAX : number,
                               .byte = link->own_byte ? link->byte : t->inside.byte,
                               .wire = link->own_wire ? link->wire : t->inside.wire};
}

static struct htmt__wire reversed(struct htmt__wire w)
{
    return (struct htmt__wire){.from = w.to,
                               .to = w.from,
                               .port = w.to_port,
                               .to_port = w.port,
                               .back = w.back,
                               .byte = w.byte,
                               .wire = w.wire};
}

/* The two channels of a link find each other: one of them has been met before. */
static void pair_channels(struct htmt__topology *t, uint32_t *met)
{
    for (uint32_t c = 0; c < t->channels; c++) {
        uint32_t link = t->wire[c].back;
        if (link == UINT32_MAX)
            continue;
        t->wire[c].back = met[link];
        if (met[link] != UINT32_MAX)
            t->wire[met[link]].back = c;
        met[link] = c;
    }
}

static int lay_channels(struct htmt__topology *t, const struct htmt__graph_links *links)
{
    uint32_t *taken = numbers((size_t)t->ends + t->switches), *met = numbers(links->count);
    int rc = taken && met ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < links->count && !rc; i++) {
        struct htmt__wire wire = wire_of(t, &links->at[i], i);
        met[i] = UINT32_MAX;
        put_channel(t, taken, wire);
        if (!links->at[i].one_way)
            put_channel(t, taken, reversed(wire));
    }
    if (!rc)
        pair_channels(t, met);
    free(met);
    free(taken);
    return rc;
}

/* The network's latency and scaled planes, once the channels stand. */
static void finish_channels(struct htmt__topology *t)
{
    for (uint32_t c = 0; c < t->channels; c++) {
        if (t->wire[c].from < t->ends)
            t->wire[c].wire += t->inside.latency;
        if (t->inside.scaled)
            scale(&t->wire[c].byte, t->inside.planes);
        if (t->wire[c].to < t->ends)
            t->into[t->wire[c].to] = c;
    }
    if (!t->inside.scaled)
        return;
    scale(&t->inside.byte, t->inside.planes);
    scale(&t->inside.copy, t->inside.planes);
    t->inside.planes = 1;
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void place_slices(struct htmt__topology *t, const uint32_t *place)
{
    for (uint32_t e = 0; e < t->ends; e++)
        t->slice_of[e] = UINT32_MAX;
    for (uint32_t s = 0; s < t->slices; s++) {
        t->end_of[s] = place ? place[s] : s;
        t->slice_of[t->end_of[s]] = s;
    }
}

/* Grids: the slice of the same place; where there is none, and elsewhere, the switches are dealt
 * evenly in their order. */
static void own(struct htmt__topology *t)
{
    bool grid = t->inside.topology == HTMT__MESH || t->inside.topology == HTMT__TORUS;
    for (uint32_t i = 0; i < t->ends + t->switches; i++) {
        bool end = i < t->ends;
        uint32_t number = end ? i : i - t->ends, all = end ? t->ends : t->switches;
        uint32_t slice = end || grid ? t->slice_of[number] : UINT32_MAX;
        t->owner[i] = slice != UINT32_MAX ? slice : (uint32_t)((uint64_t)number * t->slices / all);
    }
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Of all ways of a torus; round or not. */
static uint32_t longest_of_torus(const struct htmt__inside *in)
{
    uint32_t longest = 1;
    for (uint32_t d = 0; d < in->dimensions; d++)
        longest += in->routing == HTMT__ROUTE_XY ? in->shape[d] - 1 : in->shape[d] / 2;
    return longest;
}

/* Of a graph, ways that messages bring and those between many ends may pass every switch. */
static uint32_t longest_of_graph(const struct htmt__topology *t)
{
    uint32_t longest = 1;
    if (t->inside.routing == HTMT__ROUTE_SOURCE || t->ends > ALL_PAIRS)
        return t->switches;
    for (uint32_t i = 0; i < t->ends; i++)
        for (uint32_t j = 0; j < t->ends; j++) {
            uint32_t n = htmt__route_path(t, i, j, NULL, NULL, 0);
            longest = n > longest ? n : longest;
        }
    return longest;
}

static uint32_t longest(const struct htmt__topology *t)
{
    if (t->inside.topology == HTMT__GRAPH)
        return longest_of_graph(t);
    return t->inside.topology == HTMT__TORUS ? longest_of_torus(&t->inside)
                                             : htmt__route_path(t, 0, t->ends - 1, NULL, NULL, 0);
}

/* Switches on the ways of a sample of pairs. */
static uint64_t sum_switches(const struct htmt__topology *t, uint32_t step, uint64_t *pairs)
{
    uint64_t sum = 0;
    *pairs = 0;
    for (uint32_t i = 0; i < t->ends; i += step)
        for (uint32_t j = 0; j < t->ends; j += step)
            if (i != j) {
                sum += htmt__route_path(t, i, j, NULL, NULL, 0);
                ++*pairs;
            }
    return sum;
}

/* The first pair of the sample whose way is nearest to the mean. */
static void find_usual(struct htmt__topology *t)
{
    uint64_t pairs, step = t->ends / PAIRS | 1, sum = sum_switches(t, (uint32_t)step, &pairs);
    uint64_t best = UINT64_MAX;
    t->longest = longest(t);
    for (uint32_t i = 0; i < t->ends && pairs; i += (uint32_t)step)
        for (uint32_t j = 0; j < t->ends; j += (uint32_t)step) {
            uint64_t n = htmt__route_path(t, i, j, NULL, NULL, 0) * pairs;
            uint64_t off = n > sum ? n - sum : sum - n;
            if (i == j || off >= best)
                continue;
            best = off;
            t->usual[0] = i;
            t->usual[1] = j;
        }
}

/* ---- a topology's life ----------------------------------------------------------------------- */

static int lay(struct htmt__topology *t, const struct htmt__graph_links *links,
               const uint32_t *place, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < links->count; i++)
        t->channels += 2 - links->at[i].one_way;
    if (!allocate(t))
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network of %u channels",
                              t->channels);
    count_channels(t, links);
    int rc = lay_channels(t, links);
    if (rc)
        return htmt_fault_set(fault, rc, "out of memory for a network of %u channels", t->channels);
    finish_channels(t);
    place_slices(t, place);
    own(t);
    rc = htmt__routes_create(t, fault);
    if (!rc)
        find_usual(t);
    return rc;
}

static int lay_generated(struct htmt__topology *t, const uint32_t *place, struct htmt_fault *fault)
{
    struct htmt__graph_links links = {0};
    uint32_t ends = htmt__topology_ends(&t->inside);
    t->ends = ends ? ends : t->slices;
    t->switches = htmt__generated_switches(&t->inside, t->ends);
    htmt__generate(&t->inside, t->ends, &links);
    int rc = links.failed ? htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for %u ends", t->ends)
                          : lay(t, &links, place, fault);
    free(links.at);
    return rc;
}

int htmt__topology_create(const struct htmt__inside *inside, struct htmt__switch_graph *graph,
                          uint32_t slices, const uint32_t *place, struct htmt__topology **t,
                          struct htmt_fault *fault)
{
    int rc = 0;
    struct htmt__topology *made = calloc(1, sizeof *made);
    if (!made) {
        htmt__topology_graph_destroy(&graph);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network");
    }
    made->said = made->inside = *inside;
    made->slices = slices;
    made->graph = graph;
    made->users = 1;
    made->ends = graph ? graph->ends : 0;
    made->switches = graph ? graph->switches : 0;
    rc = graph ? lay(made, &graph->links, place, fault) : lay_generated(made, place, fault);
    if (rc)
        htmt__topology_release(&made);
    else
        *t = made;
    return rc;
}

struct htmt__topology *htmt__topology_share(struct htmt__topology *t)
{
    if (t)
        __atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
    return t;
}

void htmt__topology_release(struct htmt__topology **t)
{
    struct htmt__topology *old = *t;
    *t = NULL;
    if (!old || __atomic_sub_fetch(&old->users, 1, __ATOMIC_ACQ_REL))
        return;
    htmt__routes_destroy(old);
    htmt__topology_graph_destroy(&old->graph);
    free(old->first);
    free(old->wire);
    free(old->into);
    free(old->end_of);
    free(old->slice_of);
    free(old->owner);
    free(old);
}
