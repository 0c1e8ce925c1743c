/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells as a model of a network and of the processors that it joins: the keys of a machine file.
 * What happens there is cells.c, for posts alone. Any other message takes the network's latency for
 * each hop of the way that an operon would go, and meets nobody.
 */
#include "layers/machine/models.h"
#include "layers/network/cells.h"

#include <stddef.h>
#include <stdlib.h>

#define AT(member)                                                                                 \
    .offset = offsetof(struct htmt__cells_inside, member),                                         \
    .size = sizeof(((struct htmt__cells_inside *)NULL)->member)

static const char *const topologies[] = {"mesh", "torus", NULL};
static const char *const shapes[] = {"square", NULL};

static const struct htmt_schema_row rows[] = {
    HTMT__MODEL_NAME,
    {"topology", HTMT_SCHEMA_CHOICE, AT(torus), .words = topologies},
    {"shape", HTMT_SCHEMA_CHOICE, AT(shape), .words = shapes},
    {"channels", HTMT_UNIT_COUNT, AT(channels), .above_least = true,
     .most = HTMT__CELLS_CHANNELS_MOST},
    {"buffer", HTMT_UNIT_COUNT, AT(buffer), .above_least = true, .most = HTMT__CELLS_BUFFER_MOST},
    {"throttle", HTMT_UNIT_COUNT, AT(throttle), .most = 1000000, .optional = true,
     .absent = UINT32_MAX},
    {.key = NULL}};

static const struct htmt_schema_row core_rows[] = {HTMT__MODEL_NAME, {.key = NULL}};

uint32_t htmt__cells_side(uint32_t slices)
{
    uint32_t side = 0;
    while (side * side < slices)
        side++;
    return side * side == slices && side <= HTMT__CELLS_SIDE_MOST ? side : 0;
}

/* Hops of one dimension. */
static uint32_t hops(uint32_t from, uint32_t to, uint32_t side, bool torus)
{
    const uint32_t way = from > to ? from - to : to - from;
    return torus && side - way < way ? side - way : way;
}

static struct htmt__place send(const struct htmt__crossing *c)
{
    const struct htmt__cells_inside *in = c->inside;
    const uint32_t side = htmt__cells_side(c->slices) ? htmt__cells_side(c->slices) : 1;
    const uint32_t far = hops(c->source % side, c->target % side, side, in->torus) +
                         hops(c->source / side, c->target / side, side, in->torus);
    htmt_time at;
    if (__builtin_mul_overflow(c->latency, (htmt_time)(far ? far : 1), &at) ||
        __builtin_add_overflow(at, c->now, &at))
        at = -1;
    return (struct htmt__place){.at = at, .slice = c->target, .there = true};
}

/* To a neighbour. */
static htmt_time alone(const void *inside, htmt_time latency, uint64_t words)
{
    (void)inside, (void)words;
    return latency;
}

const struct htmt__network_model htmt__model_cells = {
    .name = "cells", .rows = rows, .send = send, .explain = "cells", .alone = alone};

const struct htmt__processor_model htmt__model_core = {
    .name = "cells", .rows = core_rows, .of_counts = true};
