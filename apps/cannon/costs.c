/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/costs.h"

#include "apps/cannon/grid.h"
#include "layers/file/costs.h"

#define SIDE_MOST (UINT64_C(1) << 31)

static const struct htmt_schema_row keys[] = {
    {"problem.t", HTMT_UNIT_COUNT, .least = 1, .most = SIDE_MOST},
    {"problem.subblock-edge", HTMT_UNIT_COUNT, .least = 1, .most = SIDE_MOST},
    {"cram.subblocks-a", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUFFERS,
     .most = HTMT__CANNON_BUFFERS},
    {"cram.subblocks-b", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUFFERS,
     .most = HTMT__CANNON_BUFFERS},
    {"cram.subblocks-c", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {"sram.blocks", HTMT_UNIT_COUNT, .least = HTMT__CANNON_BUNDLES, .most = HTMT__CANNON_BUNDLES},
    {.key = "multiply.flop", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses-c", .kind = HTMT_UNIT_OPERATIONS},
    {"bundle.inward-blocks", HTMT_UNIT_COUNT, .least = 2, .most = 2},
    {"bundle.outward-blocks", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {"block-multiply.inward-subblocks", HTMT_UNIT_COUNT, .least = 2, .most = 2},
    {"block-multiply.outward-subblocks", HTMT_UNIT_COUNT, .least = 1, .most = 1},
    {.key = NULL},
};

int htmt__cannon_costs_read(const struct htmt_request *r, struct htmt__cannon_costs *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "cannon", keys, set, count, &c, fault);
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
