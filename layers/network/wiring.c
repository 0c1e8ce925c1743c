/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From links to numbered channels, places and owners.
 */
#include "layers/network/wiring.h"

#include "layers/network/routing.h"
#include "layers/network/vortex.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS     64  /* ends of which the usual pair is looked for */
#define ALL_PAIRS 512 /* ends of a graph of which all paths are measured */
#define NONE      UINT32_MAX

static uint32_t *numbers(size_t count)
{
    return calloc(count ? count : 1, sizeof(uint32_t));
}

/* ---- channels -------------------------------------------------------------------------------- */

/* Behind the channels of its element that are there, in the order of the ports: `taken` counts
 * them. */
static void put_channel(struct htmt__topology *t, uint32_t *taken, struct htmt__wire wire)
{
    uint32_t at = t->first[wire.from] + taken[wire.from]++;
    for (; at > t->first[wire.from] && t->wire[at - 1].port > wire.port; at--)
        t->wire[at] = t->wire[at - 1];
    t->wire[at] = wire;
}

/* Of a graph: a link is a channel, or two. The channels that leave an element stand together: a
 * first pass counts them, a second one puts them there. Meanwhile `back` is the number of the link,
 * by which the two channels of a link find each other at last. Errors: HTMT_ENOMEM. */
static int lay_channels(struct htmt__topology *t, const struct htmt__graph_links *links)
{
    uint32_t *taken = numbers((size_t)t->ends + t->switches), *met = numbers(links->count);
    int rc = taken && met ? 0 : HTMT_ENOMEM;
    for (uint32_t i = 0; i < links->count; i++) {
        t->first[links->at[i].from + 1]++;
        if (!links->at[i].one_way)
            t->first[links->at[i].to + 1]++;
    }
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        t->first[e + 1] += t->first[e];
    for (uint32_t i = 0; i < links->count && !rc; i++) {
        const struct htmt__graph_link *link = &links->at[i];
        struct htmt__wire forth = {.from = link->from,
                                   .to = link->to,
                                   .port = link->port,
                                   .to_port = link->to_port,
                                   .back = link->one_way ? NONE : i,
                                   .byte = link->own_byte ? link->byte : t->inside.byte,
                                   .wire = link->own_wire ? link->wire : t->inside.wire};
        struct htmt__wire back = forth;
        met[i] = NONE;
        put_channel(t, taken, forth);
        back.from = link->to;
        back.to = link->from;
        back.port = link->to_port;
        back.to_port = link->port;
        if (!link->one_way)
            put_channel(t, taken, back);
    }
    for (uint32_t c = 0; c < t->channels && !rc; c++) {
        uint32_t link = t->wire[c].back;
        if (link == NONE)
            continue;
        t->wire[c].back = met[link];
        if (met[link] != NONE)
            t->wire[met[link]].back = c;
        met[link] = c;
    }
    free(met);
    free(taken);
    return rc;
}

static void scale(struct htmt_ratio *byte, uint32_t planes)
{
    struct htmt_ratio divided;
    if (!htmt_ratio_div(*byte, (struct htmt_ratio){planes, 1}, &divided))
        *byte = divided;
}

/* The network's latency and scaled planes, once the channels of a graph stand. */
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
}

/* Elements of generated shapes know how many channels they have, and where each leads. So their
 * first channels are added up, and each end finds its ejection channel: it leads back over the one
 * that it sends by, or, where links are one way, comes from the last stage. */
static void number_channels(struct htmt__topology *t)
{
    const struct htmt__inside *in = &t->inside;
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        t->first[e + 1] = t->first[e] + htmt__generated_degree(in, t->ends, e);
    t->channels = t->first[t->ends + t->switches];
    for (uint32_t e = 0; e < t->ends; e++) {
        const struct htmt__way out = htmt__generated_way(in, t->ends, e, 0);
        t->into[e] =
            in->topology == HTMT__BUTTERFLY
                ? t->channels - t->ends + e
                : t->first[out.to] + htmt__generated_rank(in, t->ends, out.to, out.to_port);
    }
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Slices have ends, elements have owners. An end's owner is its slice, and in a grid that of the
 * switch at the same place, too. Elements without a slice, and other switches, are dealt evenly in
 * their order. */
static void place_slices(struct htmt__topology *t, const uint32_t *place)
{
    bool grid = t->inside.topology == HTMT__MESH || t->inside.topology == HTMT__TORUS ||
                t->inside.topology == HTMT__DATA_VORTEX;
    for (uint32_t e = 0; e < t->ends; e++)
        t->slice_of[e] = NONE;
    for (uint32_t s = 0; s < t->slices; s++) {
        t->end_of[s] = place ? place[s] : s;
        t->slice_of[t->end_of[s]] = s;
    }
    for (uint32_t i = 0; i < t->ends + t->switches; i++) {
        bool end = i < t->ends;
        uint32_t number = end ? i : i - t->ends, all = end ? t->ends : t->switches;
        uint32_t slice = end || grid ? t->slice_of[number] : NONE;
        t->owner[i] = slice != NONE ? slice : (uint32_t)((uint64_t)number * t->slices / all);
    }
}

/* ---- distances ------------------------------------------------------------------------------- */

/* In a generated grid all routings take the fewest steps that they know, and a path is not walked:
 * those of a mesh, and xy round no ring, the difference of the places, others the shorter way. */
static uint32_t switches_between(const struct htmt__topology *t, uint32_t source, uint32_t target)
{
    const struct htmt__inside *in = &t->inside;
    if (in->topology != HTMT__MESH && in->topology != HTMT__TORUS)
        return htmt__route_path(t, source, target, NULL, NULL, 0);
    const bool rings = in->topology == HTMT__TORUS && in->routing != HTMT__ROUTE_XY;
    uint32_t n = 1;
    for (uint32_t d = 0; d < in->dimensions; d++) {
        const uint32_t extent = in->shape[d], a = source % extent, b = target % extent;
        const uint32_t straight = a > b ? a - b : b - a;
        n += rings && extent - straight < straight ? extent - straight : straight;
        source /= extent;
        target /= extent;
    }
    return n;
}

/* Switches on a path, at most. A generated shape's longest path is known: in a torus half of each
 * ring, elsewhere from the first end to the last one. Of a graph, paths that messages bring and
 * those between many ends may pass every switch. */
static uint32_t longest(const struct htmt__topology *t)
{
    const struct htmt__inside *in = &t->inside;
    uint32_t most = 1;
    switch (in->topology) {
    case HTMT__GRAPH:
        if (in->routing == HTMT__ROUTE_SOURCE || t->ends > ALL_PAIRS)
            return t->switches;
        for (uint32_t i = 0; i < t->ends; i++)
            for (uint32_t j = 0; j < t->ends; j++) {
                uint32_t n = switches_between(t, i, j);
                most = n > most ? n : most;
            }
        return most;
    case HTMT__TORUS:
        for (uint32_t d = 0; d < in->dimensions; d++)
            most += in->routing == HTMT__ROUTE_XY ? in->shape[d] - 1 : in->shape[d] / 2;
        return most;
    case HTMT__FAT_TREE:
        return 2 * htmt__fat_levels(in) - 1;
    case HTMT__DRAGONFLY:
        return in->routing == HTMT__ROUTE_MINIMAL ? 4 : in->by_switch ? 7 : 6;
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
        most = in->topology == HTMT__HYPERCUBE ? in->shape[0] : in->dimensions;
        return 1 + (in->routing == HTMT__ROUTE_MINIMAL ? most : 2 * most);
    default:
        return switches_between(t, 0, t->ends - 1);
    }
}

/* The usual pair: the first one of a sample whose path is nearest to the sample's mean. With m
 * pairs and a sum of all their paths, |m n - sum| is the distance from the mean in whole numbers.
 */
static void find_usual(struct htmt__topology *t)
{
    const uint32_t step = t->ends / PAIRS | 1;
    uint64_t pairs = 0, sum = 0, best = UINT64_MAX;
    for (uint32_t i = 0; i < t->ends; i += step)
        for (uint32_t j = 0; j < t->ends; j += step)
            if (i != j) {
                sum += switches_between(t, i, j);
                pairs++;
            }
    for (uint32_t i = 0; i < t->ends && pairs; i += step)
        for (uint32_t j = 0; j < t->ends; j += step) {
            uint64_t n = switches_between(t, i, j) * pairs;
            uint64_t off = n > sum ? n - sum : sum - n;
            if (i == j || off >= best)
                continue;
            best = off;
            t->usual[0] = i;
            t->usual[1] = j;
        }
}

/* ---- a topology's life ----------------------------------------------------------------------- */

/* links: of a graph; NULL: the shape is generated. Errors: HTMT_ENOMEM, and those of routes. */
static int lay(struct htmt__topology *t, const struct htmt__graph_links *links,
               const uint32_t *place, struct htmt_fault *fault)
{
    const size_t elements = (size_t)t->ends + t->switches;
    for (uint32_t i = 0; links && i < links->count; i++)
        t->channels += 2 - links->at[i].one_way;
    t->first = numbers(elements + 1);
    t->into = numbers(t->ends);
    t->end_of = numbers(t->slices);
    t->slice_of = numbers(t->ends);
    t->owner = numbers(elements);
    if (!t->first || !t->into || !t->end_of || !t->slice_of || !t->owner)
        goto no_memory;
    if (!links)
        number_channels(t);
    t->wire = calloc((size_t)t->channels + 1, sizeof *t->wire);
    t->laid = links ? NULL : calloc((t->channels >> HTMT__BLOCK_BITS) + 1, 1);
    if (!t->wire || (!links && !t->laid) || (links && lay_channels(t, links)))
        goto no_memory;
    if (links)
        finish_channels(t);
    if (t->inside.scaled) {
        scale(&t->inside.byte, t->inside.planes);
        scale(&t->inside.copy, t->inside.planes);
        t->inside.planes = 1;
    }
    place_slices(t, place);
    if (t->inside.topology == HTMT__DATA_VORTEX) { /* no routing leads there: nodes do */
        t->longest = 2 * htmt__vortex_cylinders(&t->inside) + t->inside.shape[1];
        t->usual[1] = t->ends - 1;
        for (uint32_t bit = 1; bit < t->ends; bit *= 4) /* half of the bits differ */
            t->usual[0] |= bit * 2 < t->ends ? bit * 2 : 0;
        return 0;
    }
    int rc = htmt__routes_create(t, fault);
    if (rc)
        return rc;
    t->longest = longest(t);
    find_usual(t);
    return 0;
no_memory:
    return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network of %u ends", t->ends);
}

int htmt__topology_create(const struct htmt__inside *inside, struct htmt__switch_graph *graph,
                          uint32_t slices, const uint32_t *place, struct htmt__topology **topology,
                          struct htmt_fault *fault)
{
    struct htmt__topology *t = calloc(1, sizeof *t);
    if (!t) {
        htmt__topology_graph_destroy(&graph);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network");
    }
    t->said = t->inside = *inside;
    if (inside->topology == HTMT__DATA_VORTEX && inside->packet)
        t->inside.byte = (struct htmt_ratio){(uint64_t)inside->slot, inside->packet};
    t->slices = slices;
    t->graph = graph;
    t->users = 1;
    pthread_mutex_init(&t->laying, NULL);
    if (graph) {
        t->ends = graph->ends;
        t->switches = graph->switches;
    } else {
        uint32_t ends = htmt__topology_ends(inside);
        t->ends = ends ? ends : slices;
        t->switches = htmt__generated_switches(inside, t->ends);
    }
    int rc = lay(t, graph ? &graph->links : NULL, place, fault);
    if (rc)
        htmt__topology_release(&t);
    else
        *topology = t;
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
    free(old->laid);
    pthread_mutex_destroy(&old->laying);
    free(old->into);
    free(old->end_of);
    free(old->slice_of);
    free(old->owner);
    free(old);
}
