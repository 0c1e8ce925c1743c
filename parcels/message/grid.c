/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/grid.h"
#include "parcels/walk/permit.h"

uint32_t htmt_grid_slices(const struct htmt_grid *grid)
{
    uint64_t slices = grid ? 1 : 0;
    for (int i = 0; grid && i < 3 && slices <= UINT32_MAX; i++)
        slices *= htmt__grid_extent(grid, i);
    return slices <= UINT32_MAX ? (uint32_t)slices : 0;
}

bool htmt_grid_place(const struct htmt_grid *grid, uint32_t slice, uint32_t place[3])
{
    if (slice >= htmt_grid_slices(grid) || !place)
        return false;
    for (int i = 0; i < 3; i++) {
        uint32_t extent = htmt__grid_extent(grid, i);
        place[i] = slice % extent;
        slice /= extent;
    }
    return true;
}

/* One axis; false: beyond the edge. */
static bool go(const struct htmt_grid *grid, int axis, int64_t steps, uint32_t *place)
{
    int64_t extent = htmt__grid_extent(grid, axis), to = *place + steps;
    bool inside = to >= 0 && to < extent;
    *place = (uint32_t)(((to % extent) + extent) % extent);
    return inside || grid->wrap[axis];
}

bool htmt__grid_towards(const struct htmt_grid *grid, uint32_t slice, const int step[3], int sign,
                        uint32_t *neighbour)
{
    uint32_t place[3], to = 0;
    if (!htmt_grid_place(grid, slice, place) || !step)
        return false;
    for (int i = 2; i >= 0; i--) {
        if (!go(grid, i, (int64_t)sign * step[i], &place[i]))
            return false;
        to = to * htmt__grid_extent(grid, i) + place[i];
    }
    if (neighbour)
        *neighbour = to;
    return true;
}

bool htmt_grid_neighbour(const struct htmt_grid *grid, uint32_t slice, const int step[3],
                         uint32_t *neighbour)
{
    return htmt__grid_towards(grid, slice, step, 1, neighbour);
}

uint32_t htmt_grid_neighbours(const struct htmt_grid *grid, uint32_t slice)
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        const int step[3] = {i == 0, i == 1, i == 2};
        count += htmt__grid_towards(grid, slice, step, 1, NULL);
        count += htmt__grid_towards(grid, slice, step, -1, NULL);
    }
    return count;
}

int htmt__grid_check(struct htmt_emulator *e, const struct htmt_grid *grid, const char *call)
{
    int rc = htmt__given(e, grid, call, "grid");
    if (rc || htmt_grid_slices(grid) == e->slices)
        return rc;
    return htmt__refuse(e, HTMT_EINVAL,
                        "%s: found a grid of %u x %u x %u places, expected one for each of %u "
                        "slices",
                        call, htmt__grid_extent(grid, 0), htmt__grid_extent(grid, 1),
                        htmt__grid_extent(grid, 2), e->slices);
}
