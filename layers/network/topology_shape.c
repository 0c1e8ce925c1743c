/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENT_MOST (UINT32_C(1) << 24)

/* The least number whose `dimensions`th power holds the slices. */
static uint32_t side_of(uint32_t slices, unsigned dimensions)
{
    uint64_t side = 1, all = 1;
    while (all < slices) {
        side++;
        all = dimensions == 2 ? side * side : side * side * side;
    }
    return (uint32_t)side;
}

/* Equal sides, but the last one only as long as the slices need. */
static void set_sides(uint32_t slices, unsigned dimensions, struct htmt__inside *inside)
{
    uint32_t side = side_of(slices, dimensions), face = dimensions == 2 ? side : side * side;
    inside->dimensions = dimensions;
    for (unsigned d = 0; d < dimensions; d++)
        inside->shape[d] = side;
    inside->shape[dimensions - 1] = (slices + face - 1) / face;
}

static void set_levels(uint32_t slices, struct htmt__inside *inside)
{
    uint64_t ends = inside->shape[0];
    inside->shape[1] = 1;
    for (; ends < slices; ends *= inside->shape[0])
        inside->shape[1]++;
}

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

static bool scan_levels(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                        size_t room)
{
    bool good = scan(text, inside) && inside->dimensions <= 2 && inside->shape[0] > 1;
    if (good && inside->dimensions == 1)
        set_levels(slices, inside);
    inside->dimensions = 2;
    if (!good)
        snprintf(why, room,
                 "found '%.60s', expected arity and levels such as '2 x 12', or the "
                 "arity alone",
                 text);
    return good;
}

bool htmt__topology_shape(const char *text, uint32_t slices, struct htmt__inside *inside, char *why,
                          size_t room)
{
    unsigned equal = strcmp(text, "square") == 0 ? 2 : strcmp(text, "cube") == 0 ? 3 : 0;
    if (inside->topology == HTMT__TREE || inside->topology == HTMT__BUTTERFLY)
        return scan_levels(text, slices, inside, why, room);
    if (equal)
        set_sides(slices, equal, inside);
    if (equal || scan(text, inside))
        return true;
    snprintf(why, room,
             "found '%.60s', expected extents such as '8 x 8' (at most %d), 'square' or "
             "'cube'",
             text, HTMT__DIMENSIONS);
    return false;
}
