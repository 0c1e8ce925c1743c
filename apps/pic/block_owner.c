/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/block_owner.h"

#include <stdlib.h>

/* Cells of one part of an axis. */
static void fill_part(struct htmt__pic_block_owner *a, int axis, uint32_t part, uint32_t first,
                      uint32_t count, uint32_t edge)
{
    uint32_t blocks = (count + edge - 1) / edge;
    a->blocks[axis][part] = blocks;
    for (uint32_t i = 0; i < count; i++)
        a->spot[axis][first + i] = (struct htmt__pic_spot){part, htmt__pic_part(count, blocks, i)};
}

static int fill_axis(struct htmt__pic_block_owner *a, int axis, uint32_t cells, uint32_t parts,
                     uint32_t edge)
{
    a->spot[axis] = calloc(cells, sizeof *a->spot[axis]);
    a->blocks[axis] = calloc(parts, sizeof *a->blocks[axis]);
    if (!a->spot[axis] || !a->blocks[axis])
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t first = htmt__pic_first(cells, parts, i);
        fill_part(a, axis, i, first, htmt__pic_first(cells, parts, i + 1) - first, edge);
    }
    return 0;
}

int htmt__pic_block_owner_create(const struct htmt__pic_plan *plan,
                                 struct htmt__pic_block_owner *owner, struct htmt_fault *fault)
{
    const uint32_t parts[3] = {1, plan->py, plan->pz};
    struct htmt__pic_block_owner a = {.py = plan->py, .teams = plan->teams};
    int rc = 0;
    for (int axis = 0; axis < 3 && !rc; axis++)
        rc = fill_axis(&a, axis, plan->problem.n[axis], parts[axis], plan->edge);
    *owner = a;
    if (!rc)
        return 0;
    htmt__pic_block_owner_destroy(owner);
    return htmt_fault_set(fault, rc, "no host memory for the tables of blocks");
}

void htmt__pic_block_owner_destroy(struct htmt__pic_block_owner *a)
{
    for (int axis = 0; axis < 3; axis++) {
        free(a->spot[axis]);
        free(a->blocks[axis]);
    }
    *a = (struct htmt__pic_block_owner){0};
}
