/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/costs.h"

#include "apps/cannon/grid.h"
#include "layers/costs.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define SIDE_MOST       (UINT64_C(1) << 31)

static const struct htmt_cost_key keys[] = {
    {"problem.t", HTMT_COST_COUNT},
    {"problem.subblock-edge", HTMT_COST_COUNT},
    {"cram.subblocks-a", HTMT_COST_COUNT},
    {"cram.subblocks-b", HTMT_COST_COUNT},
    {"cram.subblocks-c", HTMT_COST_COUNT},
    {"sram.blocks", HTMT_COST_COUNT},
    {"multiply.flop", HTMT_COST_OPERATIONS},
    {"transform.accesses", HTMT_COST_OPERATIONS},
    {"transform.accesses-c", HTMT_COST_OPERATIONS},
    {"bundle.inward-blocks", HTMT_COST_COUNT},
    {"bundle.outward-blocks", HTMT_COST_COUNT},
    {"block-multiply.inward-subblocks", HTMT_COST_COUNT},
    {"block-multiply.outward-subblocks", HTMT_COST_COUNT},
};

/* What the file may say, as the program is. */
static const struct bound {
    const char *key;
    uint64_t least, most;
} bounds[] = {
    {"problem.t", 1, SIDE_MOST},
    {"problem.subblock-edge", 1, SIDE_MOST},
    {"cram.subblocks-a", HTMT__CANNON_BUFFERS, HTMT__CANNON_BUFFERS},
    {"cram.subblocks-b", HTMT__CANNON_BUFFERS, HTMT__CANNON_BUFFERS},
    {"cram.subblocks-c", 1, 1},
    {"sram.blocks", HTMT__CANNON_BUNDLES, HTMT__CANNON_BUNDLES},
    {"bundle.inward-blocks", 2, 2},
    {"bundle.outward-blocks", 1, 1},
    {"block-multiply.inward-subblocks", 2, 2},
    {"block-multiply.outward-subblocks", 1, 1},
};

static int refuse(const struct htmt_figure *figure, const struct bound *b, struct htmt_fault *fault)
{
    if (b->least == b->most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "%s:%d: %s: found %s, expected %" PRIu64
                              ": the program has and moves so many",
                              figure->file, figure->line, figure->key, figure->value, b->most);
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "%s:%d: %s: found %s, expected %" PRIu64 " to %" PRIu64, figure->file,
                          figure->line, figure->key, figure->value, b->least, b->most);
}

static int check_bound(const struct htmt_costs *costs, const struct bound *b,
                       struct htmt_fault *fault)
{
    uint64_t value = htmt_costs_whole(costs, b->key);
    unsigned i = 0;
    if (value >= b->least && value <= b->most)
        return 0;
    while (strcmp(costs->figure[i].key, b->key) != 0)
        i++;
    return refuse(&costs->figure[i], b, fault);
}

int htmt__cannon_costs_read(const char *name, struct htmt__cannon_costs *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(name, "cannon", keys, COUNT_OF(keys), NULL, 0, &c, fault);
    for (size_t i = 0; i < COUNT_OF(bounds) && !rc; i++)
        rc = check_bound(c, &bounds[i], fault);
    if (!rc)
        *out = (struct htmt__cannon_costs){
            .t = htmt_costs_whole(c, "problem.t"),
            .b_c = htmt_costs_whole(c, "problem.subblock-edge"),
            .charges = {.flop = htmt_costs_whole(c, "multiply.flop"),
                        .accesses = htmt_costs_whole(c, "transform.accesses"),
                        .accesses_c = htmt_costs_whole(c, "transform.accesses-c"),
                        .from_file = true}};
    htmt_costs_destroy(&c);
    return rc;
}
