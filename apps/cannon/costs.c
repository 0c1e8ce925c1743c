/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/costs.h"

#include "apps/cannon/grid.h"
#include "layers/file/costs.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define SIDE_MOST       (UINT64_C(1) << 31)

static const struct htmt_cost_key keys[] = {
    {"problem.t", HTMT_COST_COUNT, 1, SIDE_MOST},
    {"problem.subblock-edge", HTMT_COST_COUNT, 1, SIDE_MOST},
    {"cram.subblocks-a", HTMT_COST_COUNT, HTMT__CANNON_BUFFERS, HTMT__CANNON_BUFFERS},
    {"cram.subblocks-b", HTMT_COST_COUNT, HTMT__CANNON_BUFFERS, HTMT__CANNON_BUFFERS},
    {"cram.subblocks-c", HTMT_COST_COUNT, 1, 1},
    {"sram.blocks", HTMT_COST_COUNT, HTMT__CANNON_BUNDLES, HTMT__CANNON_BUNDLES},
    {"multiply.flop", HTMT_COST_OPERATIONS, 0, 0},
    {"transform.accesses", HTMT_COST_OPERATIONS, 0, 0},
    {"transform.accesses-c", HTMT_COST_OPERATIONS, 0, 0},
    {"bundle.inward-blocks", HTMT_COST_COUNT, 2, 2},
    {"bundle.outward-blocks", HTMT_COST_COUNT, 1, 1},
    {"block-multiply.inward-subblocks", HTMT_COST_COUNT, 2, 2},
    {"block-multiply.outward-subblocks", HTMT_COST_COUNT, 1, 1},
};

int htmt__cannon_costs_read(const struct htmt_request *r, struct htmt__cannon_costs *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(r->costs, "cannon", keys, COUNT_OF(keys), r->cost_set,
                             r->cost_set_count, &c, fault);
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
