/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The links of regular shapes.
 *
 * mesh, torus: switch i at place i, x first; port 2 d leads on in dimension d, 2 d + 1 back, and
 * the last one to the end of the place. A torus of extent 2 has two links a pair, of extent 1 none.
 * tree: switches of the level next to the ends first, the root last; port i leads down to child i,
 * port `arity` up.
 * butterfly: stages of arity ^ (levels - 1) switches, one way. Stage j sets digit levels - 1 - j of
 * the position to that of the target: port i leads to the position with digit i there.
 * crossbar: one switch; port i leads to end i.
 */
#include "layers/network/wiring.h"

#include <stdlib.h>

#define ENDS_MOST (UINT32_C(1) << 24)

void htmt__graph_links_add(struct htmt__graph_links *links, struct htmt__graph_link link)
{
    if (links->count == links->room && !links->failed) {
        uint32_t room = links->room ? links->room * 2 : 64;
        struct htmt__graph_link *at = realloc(links->at, room * sizeof *at);
        links->failed = !at;
        links->at = at ? at : links->at;
        links->room = at ? room : links->room;
    }
    if (!links->failed)
        links->at[links->count++] = link;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint32_t product(const uint32_t *factor, uint32_t count)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < count && all && all <= ENDS_MOST; i++)
        all *= factor[i];
    return all <= ENDS_MOST ? (uint32_t)all : 0;
}

static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < exponent && all <= ENDS_MOST; i++)
        all *= base;
    return all <= ENDS_MOST ? (uint32_t)all : 0;
}

uint32_t htmt__topology_ends(const struct htmt__inside *inside)
{
    switch (inside->topology) {
    case HTMT__MESH:
    case HTMT__TORUS:
        return product(inside->shape, inside->dimensions);
    case HTMT__TREE:
    case HTMT__BUTTERFLY:
        return power(inside->shape[0], inside->shape[1]);
    default:
        return 0; /* as many as the slices, or as the graph has */
    }
}

uint32_t htmt__generated_switches(const struct htmt__inside *inside, uint32_t ends)
{
    uint32_t arity = inside->shape[0];
    switch (inside->topology) {
    case HTMT__TREE:
        return (ends - 1) / (arity - 1);
    case HTMT__BUTTERFLY:
        return inside->shape[1] * (ends / arity);
    case HTMT__CROSSBAR:
        return 1;
    default:
        return ends;
    }
}

uint64_t htmt__topology_channels(const struct htmt__inside *inside, uint32_t ends)
{
    uint64_t channels = ends;
    switch (inside->topology) {
    case HTMT__MESH:
    case HTMT__TORUS:
        return channels * (2 * inside->dimensions + 2);
    case HTMT__TREE:
        return 2 * (channels + htmt__generated_switches(inside, ends));
    case HTMT__BUTTERFLY:
        return channels * (inside->shape[1] + 1);
    default:
        return 2 * channels;
    }
}

/* ---- links ----------------------------------------------------------------------------------- */

static void join(struct htmt__graph_links *links, uint32_t from, uint32_t port, uint32_t to,
                 uint32_t to_port)
{
    htmt__graph_links_add(
        links, (struct htmt__graph_link){.from = from, .port = port, .to = to, .to_port = to_port});
}

static void join_one_way(struct htmt__graph_links *links, uint32_t from, uint32_t port, uint32_t to,
                         uint32_t to_port)
{
    htmt__graph_links_add(
        links, (struct htmt__graph_link){
                   .from = from, .port = port, .to = to, .to_port = to_port, .one_way = true});
}

/* The neighbour one place on in a dimension, `stride` places away. */
static void join_on(const struct htmt__inside *inside, uint32_t ends,
                    struct htmt__graph_links *links, uint32_t place, uint32_t d, uint32_t stride)
{
    uint32_t extent = inside->shape[d], x = place / stride % extent;
    bool last = x + 1 == extent;
    if (extent == 1 || (last && inside->topology == HTMT__MESH))
        return;
    uint32_t to = last ? place - x * stride : place + stride;
    join(links, ends + place, 2 * d, ends + to, 2 * d + 1);
}

static void generate_grid(const struct htmt__inside *inside, uint32_t ends,
                          struct htmt__graph_links *links)
{
    for (uint32_t i = 0; i < ends; i++) {
        uint32_t stride = 1;
        join(links, i, 0, ends + i, 2 * inside->dimensions);
        for (uint32_t d = 0; d < inside->dimensions; stride *= inside->shape[d++])
            join_on(inside, ends, links, i, d, stride);
    }
}

static void generate_tree(const struct htmt__inside *inside, uint32_t ends,
                          struct htmt__graph_links *links)
{
    uint32_t arity = inside->shape[0], below = 0, level = ends;
    for (uint32_t top = ends; level > 1; level /= arity, below = top, top += level)
        for (uint32_t i = 0; i < level; i++)
            join(links, below + i, below ? arity : 0, top + i / arity, i % arity);
}

/* From stage j on, or into the ends; w is the weight of the digit that the stage sets. */
static void generate_stage(uint32_t arity, uint32_t ends, uint32_t j, uint32_t w,
                           struct htmt__graph_links *links)
{
    uint32_t stage = ends / arity, next = w / arity;
    for (uint32_t s = 0; s < stage; s++)
        for (uint32_t port = 0; port < arity; port++) {
            uint32_t at = s / w * w * arity + port * w + s % w;
            uint32_t to = next ? at / w * next + at % next : at;
            join_one_way(links, ends + j * stage + s, port, next ? ends + (j + 1) * stage + to : to,
                         next ? at / next % arity : 0);
        }
}

static void generate_butterfly(const struct htmt__inside *inside, uint32_t ends,
                               struct htmt__graph_links *links)
{
    uint32_t arity = inside->shape[0], w = ends / arity;
    for (uint32_t i = 0; i < ends; i++)
        join_one_way(links, i, 0, ends + i % w, i / w);
    for (uint32_t j = 0; j < inside->shape[1]; j++, w /= arity)
        generate_stage(arity, ends, j, w, links);
}

static void generate_crossbar(uint32_t ends, struct htmt__graph_links *links)
{
    for (uint32_t i = 0; i < ends; i++)
        join(links, i, 0, ends, i);
}

void htmt__generate(const struct htmt__inside *inside, uint32_t ends,
                    struct htmt__graph_links *links)
{
    switch (inside->topology) {
    case HTMT__TREE:
        generate_tree(inside, ends, links);
        break;
    case HTMT__BUTTERFLY:
        generate_butterfly(inside, ends, links);
        break;
    case HTMT__CROSSBAR:
        generate_crossbar(ends, links);
        break;
    default:
        generate_grid(inside, ends, links);
    }
}
