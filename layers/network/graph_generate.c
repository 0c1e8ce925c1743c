/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regular shapes: what a machine file says, how many elements they have, and their links.
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

#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDS_MOST   (UINT32_C(1) << 24)
#define EXTENT_MOST (UINT32_C(1) << 24)

/* ---- what a text says ------------------------------------------------------------------------ */

/* Whole numbers with an x between. */
static bool scan(const char *text, struct htmt__inside *inside)
{
    memset(inside->shape, 0, sizeof inside->shape);
    for (inside->dimensions = 0; inside->dimensions < HTMT__DIMENSIONS;) {
        char *end;
        unsigned long long extent = strtoull(text, &end, 10);
        if (end == text || strchr(" -+", *text) || extent == 0 || extent > EXTENT_MOST)
            return false;
        inside->shape[inside->dimensions++] = (uint32_t)extent;
        end += strspn(end, " ");
        if (!*end)
            return true;
        if (*end != 'x')
            return false;
        text = end + 1 + strspn(end + 1, " ");
    }
    return false;
}

/* Arity and levels; without levels, as many as the slices need. */
static bool scan_levels(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                        size_t room)
{
    bool good = scan(text, inside) && inside->dimensions <= 2 && inside->shape[0] > 1;
    if (good && inside->dimensions == 1) {
        inside->shape[1] = 1;
        for (uint64_t ends = inside->shape[0]; ends < slices; ends *= inside->shape[0])
            inside->shape[1]++;
    }
    inside->dimensions = 2;
    if (!good)
        snprintf(why, room,
                 "found '%.60s', expected arity and levels such as '2 x 12', or the "
                 "arity alone",
                 text);
    return good;
}

/* "square" and "cube" have equal sides, the least that hold the slices, but the last side is only
 * as long as the slices need. */
bool htmt__topology_shape(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                          size_t room)
{
    unsigned equal = strcmp(text, "square") == 0 ? 2 : strcmp(text, "cube") == 0 ? 3 : 0;
    if (inside->topology == HTMT__TREE || inside->topology == HTMT__BUTTERFLY)
        return scan_levels(text, slices, inside, why, room);
    if (equal) {
        uint64_t side = 1;
        while ((equal == 2 ? side * side : side * side * side) < slices)
            side++;
        uint32_t face = (uint32_t)(equal == 2 ? side : side * side);
        inside->dimensions = equal;
        for (unsigned d = 0; d < equal; d++)
            inside->shape[d] = (uint32_t)side;
        inside->shape[equal - 1] = (slices + face - 1) / face;
        return true;
    }
    if (scan(text, inside))
        return true;
    snprintf(why, room,
             "found '%.60s', expected extents such as '8 x 8' (at most %d), 'square' or "
             "'cube'",
             text, HTMT__DIMENSIONS);
    return false;
}

/* ---- counts ---------------------------------------------------------------------------------- */

uint32_t htmt__topology_ends(const struct htmt__inside *inside)
{
    uint64_t all = 1;
    switch (inside->topology) {
    case HTMT__MESH:
    case HTMT__TORUS:
        for (uint32_t d = 0; d < inside->dimensions && all && all <= ENDS_MOST; d++)
            all *= inside->shape[d];
        break;
    case HTMT__TREE:
    case HTMT__BUTTERFLY:
        for (uint32_t level = 0; level < inside->shape[1] && all <= ENDS_MOST; level++)
            all *= inside->shape[0];
        break;
    default:
        return 0; /* as many as the slices, or as the graph has */
    }
    return all <= ENDS_MOST ? (uint32_t)all : 0;
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

void htmt__graph_links_add(struct htmt__graph_links *links, struct htmt__graph_link link)
{
    if (!links->failed)
        links->failed = !htmt__array_fits(&links->at, &links->room, (size_t)links->count + 1,
                                          sizeof *links->at);
    if (!links->failed)
        links->at[links->count++] = link;
}

static void join(struct htmt__graph_links *links, uint32_t from, uint32_t port, uint32_t to,
                 uint32_t to_port, bool one_way)
{
    htmt__graph_links_add(
        links, (struct htmt__graph_link){
                   .from = from, .port = port, .to = to, .to_port = to_port, .one_way = one_way});
}

/* The neighbour one place on in a dimension is `stride` places away; the last one of a ring has the
 * first one. */
static void generate_grid(const struct htmt__inside *inside, uint32_t ends,
                          struct htmt__graph_links *links)
{
    for (uint32_t i = 0; i < ends; i++) {
        uint32_t stride = 1;
        join(links, i, 0, ends + i, 2 * inside->dimensions, false);
        for (uint32_t d = 0; d < inside->dimensions; stride *= inside->shape[d++]) {
            uint32_t extent = inside->shape[d], x = i / stride % extent;
            bool last = x + 1 == extent;
            if (extent == 1 || (last && inside->topology == HTMT__MESH))
                continue;
            join(links, ends + i, 2 * d, ends + (last ? i - x * stride : i + stride), 2 * d + 1,
                 false);
        }
    }
}

static void generate_tree(const struct htmt__inside *inside, uint32_t ends,
                          struct htmt__graph_links *links)
{
    uint32_t arity = inside->shape[0], below = 0, level = ends;
    for (uint32_t top = ends; level > 1; level /= arity, below = top, top += level)
        for (uint32_t i = 0; i < level; i++)
            join(links, below + i, below ? arity : 0, top + i / arity, i % arity, false);
}

/* A position is a number below `ends`. A switch of stage j joins the `arity` positions that differ
 * in the digit of weight w alone, so its number is the position without that digit. Port i leads to
 * the position with digit i: behind the last stage to that end, else to the switch of the next
 * stage (whose digit has weight w / arity) that has this position. */
static void generate_butterfly(const struct htmt__inside *inside, uint32_t ends,
                               struct htmt__graph_links *links)
{
    uint32_t arity = inside->shape[0], stage = ends / arity, w = stage;
    for (uint32_t i = 0; i < ends; i++)
        join(links, i, 0, ends + i % w, i / w, true);
    for (uint32_t j = 0; j < inside->shape[1]; j++, w /= arity) {
        uint32_t first = ends + j * stage, next = w / arity;
        for (uint32_t s = 0; s < stage; s++)
            for (uint32_t port = 0; port < arity; port++) {
                uint32_t at = s / w * w * arity + port * w + s % w;
                if (next)
                    join(links, first + s, port, first + stage + at / w * next + at % next,
                         at / next % arity, true);
                else
                    join(links, first + s, port, at, 0, true);
            }
    }
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
        for (uint32_t i = 0; i < ends; i++)
            join(links, i, 0, ends, i, false);
        break;
    default:
        generate_grid(inside, ends, links);
    }
}
