/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regular shapes: what a machine file says, how many elements they have, and where their channels
 * lead.
 *
 * mesh, torus: switch i at place i, x first; port 2 d leads on in dimension d, 2 d + 1 back, and
 * the last one to the end of the place. A torus of extent 2 has two links a pair, of extent 1 none.
 * tree: switches of the level next to the ends first, the root last; port i leads down to child i,
 * port `arity` up.
 * butterfly: stages of arity ^ (levels - 1) switches, one way. Stage j sets digit levels - 1 - j of
 * the position to that of the target: port i leads to the position with digit i there.
 * crossbar: one switch; port i leads to end i.
 * data-vortex: a switch for each height (layers/network/vortex.h).
 * fat tree by lists: the same with ports of their own on each level; a level has as many switches
 * as its ports and those up below it make (htmt__fat_level()). fat tree: levels of arity ^ (levels
 * - 1) switches, those next to the ends first. A switch is a number with a digit fewer than an end;
 * port i leads down, port arity + i up, to the switches of the next level that have the same number
 * but for the digit of the lower level, in which i is any. dragonfly: p ends a switch, a switches a
 * group, h links a switch to other groups, a h + 1 groups. Ports: ends, the other switches of the
 * group in order, links. Link i of a group leads to the group i + 1 further on, where it is the
 * i-th from behind. flattened butterfly: ports to the ends of a switch, then for each dimension to
 * all others that differ from it there alone, in order. hypercube: the same with an end a switch
 * and extents of 2. concentrated mesh: a mesh whose switches have several ends, at the last ports.
 */
#include "layers/network/vortex.h"
#include "layers/network/wiring.h"

#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDS_MOST   (UINT32_C(1) << 24)
#define EXTENT_MOST (UINT32_C(1) << 24)

/* ---- what a text says ------------------------------------------------------------------------ */

/* Whole numbers with a sign between. */
static bool scan_by(const char *text, char between, struct htmt__inside *inside)
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
        if (*end != between)
            return false;
        text = end + 1 + strspn(end + 1, " ");
    }
    return false;
}

static bool scan(const char *text, struct htmt__inside *inside)
{
    return scan_by(text, 'x', inside);
}

/* Ports down of each level, then behind a semicolon those up of all levels but the last one. */
static bool scan_lists(const char *text, struct htmt__inside *inside, char *why, size_t room)
{
    char down[64];
    const char *up = strchr(text, ';');
    const size_t length = (size_t)(up - text);
    struct htmt__inside ups = *inside;
    bool good = length < sizeof down;
    snprintf(down, sizeof down, "%.*s", (int)length, text);
    good = good && scan_by(down, ',', inside) && scan_by(up + 1 + strspn(up + 1, " "), ',', &ups) &&
           inside->dimensions > 1 && ups.dimensions + 1 == inside->dimensions &&
           ups.dimensions + inside->dimensions <= HTMT__DIMENSIONS;
    for (uint32_t i = 0; good && i < ups.dimensions; i++)
        inside->shape[inside->dimensions + i] = ups.shape[i];
    inside->dimensions += good ? ups.dimensions : 0;
    if (!good)
        snprintf(why, room,
                 "found '%.60s', expected ports down of 2 to 4 levels, then those up of all but "
                 "the last one, as in '4, 4, 4; 2, 2'",
                 text);
    return good;
}

/* Arity and levels; without levels, as many as the slices need. */
static bool scan_levels(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                        size_t room)
{
    const bool fat = inside->topology == HTMT__FAT_TREE;
    if (fat && strchr(text, ';'))
        return scan_lists(text, inside, why, room);
    bool good =
        scan_by(text, fat ? '^' : 'x', inside) && inside->dimensions <= 2 && inside->shape[0] > 1;
    if (good && inside->dimensions == 1) {
        inside->shape[1] = 1;
        for (uint64_t ends = inside->shape[0]; ends < slices; ends *= inside->shape[0])
            inside->shape[1]++;
    }
    inside->dimensions = 2;
    if (!good)
        snprintf(why, room,
                 "found '%.60s', expected arity and levels such as '%s', or the "
                 "arity alone",
                 text, fat ? "4 ^ 3" : "2 x 12");
    return good;
}

/* Shapes of switches with several ends: those come first, and are no extent. */
static bool scan_switches(const char *text, struct htmt__inside *inside, char *why, size_t room)
{
    const bool fly = inside->topology == HTMT__DRAGONFLY;
    const bool good = scan_by(text, fly ? ',' : 'x', inside) &&
                      (fly ? inside->dimensions == 3 : inside->dimensions > 1);
    if (good) {
        inside->per_switch = inside->shape[0];
        inside->dimensions--;
        memmove(inside->shape, inside->shape + 1, inside->dimensions * sizeof *inside->shape);
    } else
        snprintf(why, room, "found '%.60s', expected %s", text,
                 fly ? "ends of a switch, switches of a group, links of a switch, as in '2, 4, 2'"
                     : "ends of a switch and extents, as in '4 x 4 x 4'");
    return good;
}

#define CUBE_MOST 20

static bool scan_cube(const char *text, struct htmt__inside *inside, char *why, size_t room)
{
    const bool good =
        scan(text, inside) && inside->dimensions == 1 && inside->shape[0] <= CUBE_MOST;
    inside->per_switch = 1;
    if (!good)
        snprintf(why, room, "found '%.60s', expected dimensions from 1 to %d", text, CUBE_MOST);
    return good;
}

/* Heights, a power of two, and angles; angles alone: as many heights as the slices need. */
static bool scan_vortex(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                        size_t room)
{
    bool good = scan(text, inside) && inside->dimensions <= 2;
    if (good && inside->dimensions == 1) {
        inside->shape[1] = inside->shape[0];
        for (inside->shape[0] = 1; inside->shape[0] < slices;)
            inside->shape[0] *= 2;
    }
    inside->dimensions = 2;
    good = good && !(inside->shape[0] & (inside->shape[0] - 1)) && inside->shape[1] < 256;
    if (!good)
        snprintf(why, room,
                 "found '%.60s', expected heights, a power of two, and angles, below 256, such as "
                 "'64 x 5', or the angles alone",
                 text);
    return good;
}

/* "square" and "cube" have equal sides, the least that hold the slices, but the last side is only
 * as long as the slices need. */
bool htmt__topology_shape(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                          size_t room)
{
    unsigned equal = strcmp(text, "square") == 0 ? 2 : strcmp(text, "cube") == 0 ? 3 : 0;
    switch (inside->topology) {
    case HTMT__TREE:
    case HTMT__BUTTERFLY:
    case HTMT__FAT_TREE:
        return scan_levels(text, slices, inside, why, room);
    case HTMT__DRAGONFLY:
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__CONCENTRATED_MESH:
        return scan_switches(text, inside, why, room);
    case HTMT__HYPERCUBE:
        return scan_cube(text, inside, why, room);
    case HTMT__DATA_VORTEX:
        return scan_vortex(text, slices, inside, why, room);
    default:
        break;
    }
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

/* ---- levels of a fat tree ---------------------------------------------------------------------
 */

uint32_t htmt__fat_levels(const struct htmt__inside *in)
{
    return in->dimensions == 2 ? in->shape[1] : (in->dimensions + 1) / 2;
}

struct htmt__fat_level htmt__fat_level(const struct htmt__inside *in, uint32_t level)
{
    const bool lists = in->dimensions != 2;
    const uint32_t levels = htmt__fat_levels(in), arity = in->shape[0];
    struct htmt__fat_level l = {.copies = 1, .child = 1};
    uint64_t above = 1; /* switches of this level, but for copies */
    for (uint32_t i = 1; i < levels; i++)
        above *= lists ? in->shape[i] : arity;
    for (uint32_t i = 0;; i++) {
        l.down = lists ? in->shape[i] : arity;
        l.up = i + 1 == levels ? 0 : lists ? in->shape[levels + i] : arity;
        if (i == level)
            return l;
        l.first += (uint32_t)above * l.copies;
        l.child *= l.down;
        l.copies *= l.up;
        above /= lists ? in->shape[i + 1] : arity;
    }
}

/* A tree by lists has no level of more switches than can be numbered. */
static bool levels_fit(const struct htmt__inside *in)
{
    const uint32_t levels = htmt__fat_levels(in);
    for (uint32_t l = 0; in->dimensions != 2 && l < levels; l++) {
        uint64_t count = 1;
        for (uint32_t i = 0; i < levels && count <= ENDS_MOST; i++)
            count *= i == l ? 1 : in->shape[i < l ? levels + i : i];
        if (count > ENDS_MOST)
            return false;
    }
    return true;
}

/* The level of a switch. */
static struct htmt__fat_level fat_level_of(const struct htmt__inside *in, uint32_t ends,
                                           uint32_t at, uint32_t *level)
{
    *level = in->dimensions == 2 ? at / (ends / in->shape[0]) : htmt__fat_levels(in) - 1;
    struct htmt__fat_level l = htmt__fat_level(in, *level);
    while (at < l.first)
        l = htmt__fat_level(in, --*level);
    return l;
}

/* ---- counts ---------------------------------------------------------------------------------- */

uint32_t htmt__topology_ends(const struct htmt__inside *inside)
{
    uint64_t all = 1;
    switch (inside->topology) {
    case HTMT__CONCENTRATED_MESH:
    case HTMT__FLAT_BUTTERFLY:
        all = inside->per_switch;
        /* fall through */
    case HTMT__MESH:
    case HTMT__TORUS:
        for (uint32_t d = 0; d < inside->dimensions && all && all <= ENDS_MOST; d++)
            all *= inside->shape[d];
        break;
    case HTMT__HYPERCUBE:
        all = UINT64_C(1) << inside->shape[0];
        break;
    case HTMT__DRAGONFLY: /* three factors of 2^24 at most would overflow */
        all = (uint64_t)inside->shape[0] * inside->shape[1] + 1;
        all = all <= ENDS_MOST ? all * inside->shape[0] : all;
        all = all <= ENDS_MOST ? all * inside->per_switch : all;
        break;
    case HTMT__TREE:
    case HTMT__BUTTERFLY:
        for (uint32_t level = 0; level < inside->shape[1] && all <= ENDS_MOST; level++)
            all *= inside->shape[0];
        break;
    case HTMT__FAT_TREE:
        for (uint32_t l = 0; l < htmt__fat_levels(inside) && all <= ENDS_MOST; l++)
            all *= inside->shape[inside->dimensions == 2 ? 0 : l];
        if (!levels_fit(inside))
            return 0;
        break;
    case HTMT__DATA_VORTEX:
        all = inside->shape[0];
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
    case HTMT__FAT_TREE: {
        const struct htmt__fat_level last = htmt__fat_level(inside, htmt__fat_levels(inside) - 1);
        return last.first + last.copies;
    }
    case HTMT__DRAGONFLY:
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__CONCENTRATED_MESH:
        return ends / inside->per_switch;
    case HTMT__CROSSBAR:
        return 1;
    default:
        return ends;
    }
}

/* Of a switch whose ports have no gaps between; of a mesh with those that have no link. */
static uint32_t switch_ports(const struct htmt__inside *inside)
{
    uint64_t ports = inside->per_switch;
    switch (inside->topology) {
    case HTMT__DRAGONFLY:
        return inside->per_switch + inside->shape[0] - 1 + inside->shape[1];
    case HTMT__HYPERCUBE:
        return 1 + inside->shape[0];
    case HTMT__CONCENTRATED_MESH:
        return inside->per_switch + 2 * inside->dimensions;
    default:
        for (uint32_t d = 0; d < inside->dimensions; d++)
            ports += inside->shape[d] - 1;
        return ports < UINT32_MAX ? (uint32_t)ports : UINT32_MAX;
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
    case HTMT__DATA_VORTEX:
        return channels * inside->shape[1] * (2 * htmt__vortex_cylinders(inside) + 1);
    case HTMT__FAT_TREE: /* two directions of the links below each level */
        for (uint32_t i = 0; i < htmt__fat_levels(inside); i++) {
            const struct htmt__fat_level l = htmt__fat_level(inside, i);
            channels += (uint64_t)ends / l.child * l.copies * 2 - (i == 0 ? ends : 0);
        }
        return channels;
    case HTMT__DRAGONFLY:
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
    case HTMT__CONCENTRATED_MESH:
        return channels + htmt__generated_switches(inside, ends) * (uint64_t)switch_ports(inside);
    default:
        return 2 * channels;
    }
}

/* ---- links of graphs --------------------------------------------------------------------------
 */

void htmt__graph_links_add(struct htmt__graph_links *links, struct htmt__graph_link link)
{
    if (!links->failed)
        links->failed = !htmt__array_fits(&links->at, &links->room, (size_t)links->count + 1,
                                          sizeof *links->at);
    if (!links->failed)
        links->at[links->count++] = link;
}

/* ---- channels -------------------------------------------------------------------------------- */

/* A switch of a grid has no port where its dimension ends. How many of the ports below `port` it
 * has: its channels are numbered so. */
static uint32_t grid_rank(const struct htmt__inside *inside, uint32_t s, uint32_t port)
{
    const bool mesh = inside->topology != HTMT__TORUS;
    const uint32_t directions = 2 * inside->dimensions;
    uint32_t rank = port > directions ? port - directions : 0;
    for (uint32_t d = 0; d < inside->dimensions && 2 * d < port; s /= inside->shape[d++]) {
        const uint32_t extent = inside->shape[d], x = s % extent;
        if (extent == 1)
            continue;
        rank += !mesh || x + 1 < extent;
        rank += 2 * d + 1 < port && (!mesh || x > 0);
    }
    return rank;
}

/* The neighbour one place on in a dimension is `stride` places away; the last one of a ring has the
 * first one. */
static struct htmt__way grid_way(const struct htmt__inside *inside, uint32_t ends, uint32_t s,
                                 uint32_t k)
{
    const bool mesh = inside->topology != HTMT__TORUS;
    const uint32_t own = inside->topology == HTMT__CONCENTRATED_MESH ? inside->per_switch : 1;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < inside->dimensions; stride *= inside->shape[d++]) {
        const uint32_t extent = inside->shape[d], x = s / stride % extent;
        const uint32_t round = (extent - 1) * stride;
        if (extent == 1)
            continue;
        if ((!mesh || x + 1 < extent) && k-- == 0)
            return (struct htmt__way){ends + (x + 1 < extent ? s + stride : s - round), 2 * d,
                                      2 * d + 1};
        if ((!mesh || x > 0) && k-- == 0)
            return (struct htmt__way){ends + (x > 0 ? s - stride : s + round), 2 * d + 1, 2 * d};
    }
    return (struct htmt__way){s * own + k, 2 * inside->dimensions + k, 0};
}

/* Levels of `level` elements each; `below` is the first of a level, and `top` of the one above. */
static struct htmt__way tree_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                 uint32_t k)
{
    const uint32_t arity = inside->shape[0];
    uint32_t below = 0, level = ends, top = ends, under = 0;
    while (e >= top) {
        level /= arity;
        under = below;
        below = top;
        top += level;
    }
    const uint32_t i = e - below;
    if (below && k < arity)
        return (struct htmt__way){under + i * arity + k, k, under ? arity : 0};
    return (struct htmt__way){top + i / arity, k, i % arity};
}

/* A position is a number below `ends`. A switch of stage j joins the `arity` positions that differ
 * in the digit of weight w alone, so its number is the position without that digit. Port i leads to
 * the position with digit i: behind the last stage to that end, else to the switch of the next
 * stage (whose digit has weight w / arity) that has this position. */
static struct htmt__way butterfly_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                      uint32_t k)
{
    const uint32_t arity = inside->shape[0], stage = ends / arity;
    uint32_t w = stage;
    if (e < ends)
        return (struct htmt__way){ends + e % w, 0, e / w};
    const uint32_t j = (e - ends) / stage, s = (e - ends) % stage;
    for (uint32_t i = 0; i < j; i++)
        w /= arity;
    const uint32_t at = s / w * w * arity + k * w + s % w, next = w / arity;
    if (!next)
        return (struct htmt__way){at, k, 0};
    return (struct htmt__way){ends + (j + 1) * stage + at / w * next + at % next, k,
                              at / next % arity};
}

/* Columns of heights: an end leads to its own by each angle; a node leads around to the column of
 * the other height, and inward within its own, or out to its end. */
static struct htmt__way vortex_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                   uint32_t k)
{
    const uint32_t angles = inside->shape[1], last = htmt__vortex_cylinders(inside) - 1;
    if (e < ends)
        return (struct htmt__way){ends + e, k, 2 * (last * angles + k) + 1};
    const uint32_t c = k / 2 / angles;
    if (k % 2 && c == last)
        return (struct htmt__way){e - ends, k, k / 2 % angles};
    if (k % 2 || c == last)
        return (struct htmt__way){e, k, k};
    return (struct htmt__way){ends + ((e - ends) ^ UINT32_C(1) << (last - 1 - c)), k, k};
}

/* Up: the last digit of A is which port down leads back, and the port is a new first digit of B. */
static struct htmt__way fat_tree_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                     uint32_t k)
{
    uint32_t level;
    if (e < ends)
        return (struct htmt__way){ends + e / inside->shape[0], 0, e % inside->shape[0]};
    const struct htmt__fat_level l = fat_level_of(inside, ends, e - ends, &level);
    const uint32_t w = e - ends - l.first, a = w / l.copies, b = w % l.copies;
    if (k < l.down && level == 0)
        return (struct htmt__way){w * l.down + k, k, 0};
    if (k < l.down) {
        const struct htmt__fat_level to = htmt__fat_level(inside, level - 1);
        const uint32_t there = (a * l.down + k) * to.copies + b % to.copies;
        return (struct htmt__way){ends + to.first + there, k, to.down + b / to.copies};
    }
    const struct htmt__fat_level to = htmt__fat_level(inside, level + 1);
    const uint32_t there = a / to.down * to.copies + b + (k - l.down) * l.copies;
    return (struct htmt__way){ends + to.first + there, k, a % to.down};
}

static struct htmt__way dragonfly_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                      uint32_t k)
{
    const uint32_t p = inside->per_switch, a = inside->shape[0], h = inside->shape[1];
    if (e < ends)
        return (struct htmt__way){ends + e / p, 0, e % p};
    const uint32_t s = e - ends, group = s / a, own = s % a, groups = a * h + 1;
    if (k < p)
        return (struct htmt__way){s * p + k, k, 0};
    if (k < p + a - 1) {
        const uint32_t other = k - p + (k - p >= own);
        return (struct htmt__way){ends + group * a + other, k, p + own - (own > other)};
    }
    const uint32_t link = own * h + k - (p + a - 1);
    const uint32_t there = inside->by_number ? link + (link >= group) : (group + link + 1) % groups;
    const uint32_t back =
        inside->by_number ? group - (group > there) : a * h - 1 - link; /* its number there */
    return (struct htmt__way){ends + there * a + back / h, k, p + a - 1 + back % h};
}

static struct htmt__way flat_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                 uint32_t k)
{
    const bool cube = inside->topology == HTMT__HYPERCUBE;
    const uint32_t own = inside->per_switch, s = e - ends;
    uint32_t stride = 1, first = own;
    if (e < ends)
        return (struct htmt__way){ends + e / own, 0, e % own};
    if (k < own)
        return (struct htmt__way){s * own + k, k, 0};
    if (cube)
        return (struct htmt__way){ends + (s ^ UINT32_C(1) << (k - 1)), k, k};
    for (uint32_t d = 0;; stride *= inside->shape[d++]) {
        const uint32_t extent = inside->shape[d], x = s / stride % extent;
        if (k < first + extent - 1) {
            const uint32_t y = k - first + (k - first >= x);
            return (struct htmt__way){ends + s - x * stride + y * stride, k, first + x - (x > y)};
        }
        first += extent - 1;
    }
}

struct htmt__way htmt__generated_way(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                                     uint32_t k)
{
    const uint32_t own = inside->topology == HTMT__CONCENTRATED_MESH ? inside->per_switch : 1;
    switch (inside->topology) {
    case HTMT__FAT_TREE:
        return fat_tree_way(inside, ends, e, k);
    case HTMT__DRAGONFLY:
        return dragonfly_way(inside, ends, e, k);
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
        return flat_way(inside, ends, e, k);
    case HTMT__TREE:
        return tree_way(inside, ends, e, k);
    case HTMT__BUTTERFLY:
        return butterfly_way(inside, ends, e, k);
    case HTMT__DATA_VORTEX:
        return vortex_way(inside, ends, e, k);
    case HTMT__CROSSBAR:
        return e < ends ? (struct htmt__way){ends, 0, e} : (struct htmt__way){k, k, 0};
    default:
        return e < ends ? (struct htmt__way){ends + e / own, 0, 2 * inside->dimensions + e % own}
                        : grid_way(inside, ends, e - ends, k);
    }
}

uint32_t htmt__generated_rank(const struct htmt__inside *inside, uint32_t ends, uint32_t e,
                              uint32_t port)
{
    const bool grid = inside->topology == HTMT__MESH || inside->topology == HTMT__TORUS ||
                      inside->topology == HTMT__CONCENTRATED_MESH;
    return grid && e >= ends ? grid_rank(inside, e - ends, port) : port;
}

uint32_t htmt__generated_degree(const struct htmt__inside *inside, uint32_t ends, uint32_t e)
{
    struct htmt__fat_level l;
    uint32_t level;
    if (inside->topology == HTMT__DATA_VORTEX)
        return inside->shape[1] * (e < ends ? 1 : 2 * htmt__vortex_cylinders(inside));
    if (e < ends)
        return 1;
    switch (inside->topology) {
    case HTMT__TREE:
        return inside->shape[0] + (e + 1 < ends + htmt__generated_switches(inside, ends));
    case HTMT__BUTTERFLY:
        return inside->shape[0];
    case HTMT__CROSSBAR:
        return ends;
    case HTMT__FAT_TREE:
        l = fat_level_of(inside, ends, e - ends, &level);
        return l.down + l.up;
    case HTMT__DRAGONFLY:
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
        return switch_ports(inside);
    case HTMT__CONCENTRATED_MESH:
        return inside->per_switch + grid_rank(inside, e - ends, 2 * inside->dimensions);
    default:
        return 1 + grid_rank(inside, e - ends, 2 * inside->dimensions);
    }
}

/* The element whose channel it is: the last one whose first is not behind it. */
static uint32_t element_of(const struct htmt__topology *t, uint32_t channel)
{
    uint32_t low = 0, high = t->ends + t->switches;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (t->first[middle] <= channel)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of a head, from element to element. */
static htmt_time wire_of(const struct htmt__topology *t, uint32_t from, uint32_t to)
{
    const struct htmt__inside *in = &t->inside;
    if (from < t->ends)
        return in->wire + in->latency;
    if (in->topology != HTMT__DRAGONFLY || to < t->ends)
        return in->wire;
    const uint32_t a = in->shape[0];
    return (from - t->ends) / a == (to - t->ends) / a ? in->local_wire : in->global_wire;
}

void htmt__wires_lay(const struct htmt__topology *t, uint32_t block)
{
    struct htmt__topology *own = (struct htmt__topology *)t; /* what was asked for stays the same */
    const struct htmt__inside *in = &t->inside;
    const uint32_t begin = block << HTMT__BLOCK_BITS, size = UINT32_C(1) << HTMT__BLOCK_BITS;
    const uint32_t end = t->channels - begin < size ? t->channels : begin + size;
    pthread_mutex_lock(&own->laying);
    uint32_t e = element_of(t, begin);
    for (uint32_t c = begin; c < end && !t->laid[block]; c++) {
        while (t->first[e + 1] <= c)
            e++;
        const struct htmt__way way = htmt__generated_way(in, t->ends, e, c - t->first[e]);
        const uint32_t rank = htmt__generated_rank(in, t->ends, way.to, way.to_port);
        const bool one_way = in->topology == HTMT__BUTTERFLY || in->topology == HTMT__DATA_VORTEX;
        own->wire[c] = (struct htmt__wire){.from = e,
                                           .to = way.to,
                                           .port = way.port,
                                           .to_port = way.to_port,
                                           .back = one_way ? UINT32_MAX : t->first[way.to] + rank,
                                           .byte = in->byte,
                                           .wire = wire_of(t, e, way.to)};
    }
    __atomic_store_n(&own->laid[block], 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&own->laying);
}
