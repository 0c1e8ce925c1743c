/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/costs.h"

#include "apps/volume/counts.h"
#include "layers/file/costs.h"

#include <inttypes.h>

static const struct htmt_schema_row keys[] = {
    {"problem.subcube-edge", HTMT_UNIT_COUNT, .least = 2, .most = HTMT__EDGE_MOST},
    {"problem.rays", HTMT_UNIT_COUNT, .least = 1, .most = 4096 * 4096},
    {"problem.frames-a-second", HTMT_UNIT_COUNT, .least = 1, .most = 1000000},
    {"parcel.code", HTMT_UNIT_SIZE, .least = 0, .most = UINT32_MAX},
    {"parcel.ray", HTMT_UNIT_SIZE, .least = sizeof(struct htmt__volume_path) / HTMT_WORD + 1,
     .most = 1024},
    {.key = "parcel.voxel", .kind = HTMT_UNIT_SHARE},
    {"parcel.eject", HTMT_UNIT_SIZE, .least = 1, .most = UINT32_MAX},
    {"assemble.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"dispatch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"cast.cycles", HTMT_UNIT_CYCLES, .least = 1, .most = UINT32_MAX},
    {.key = "cast.alpha", .kind = HTMT_UNIT_SHARE},
    {"retire.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = UINT32_MAX},
    {"scatter.words", HTMT_UNIT_SIZE, .least = 1, .most = UINT32_MAX},
    {.key = NULL},
};

/* A voxel is whole bytes; all rays that go up come back. */
static int check_parcel(const struct htmt_costs *c, struct htmt_fault *fault)
{
    struct htmt_ratio voxel = htmt_costs_ratio(c, "parcel.voxel");
    uint64_t rays = htmt_costs_whole(c, "problem.rays"), ray = htmt_costs_whole(c, "parcel.ray");
    char expected[64];
    if (!voxel.num || voxel.num > 64 * voxel.den || HTMT_WORD * voxel.num % voxel.den)
        return htmt_costs_refuse(c, "parcel.voxel", "words that make whole bytes, more than none",
                                 fault);
    snprintf(expected, sizeof expected, "%" PRIu64 " words: parcel.ray for each of problem.rays",
             rays * ray);
    if (htmt_costs_whole(c, "parcel.eject") != rays * ray)
        return htmt_costs_refuse(c, "parcel.eject", expected, fault);
    struct htmt_ratio alpha = htmt_costs_ratio(c, "cast.alpha");
    if (!alpha.num || alpha.num > 1000000 * alpha.den)
        return htmt_costs_refuse(c, "cast.alpha", "more than 0, at most 1e6", fault);
    return 0;
}

int htmt__volume_costs_read(const struct htmt_request *r, struct htmt__volume_charges *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "volume", keys, set, count, &c, fault);
    if (!rc)
        rc = check_parcel(c, fault);
    if (!rc) {
        struct htmt_ratio voxel = htmt_costs_ratio(c, "parcel.voxel");
        *out = (struct htmt__volume_charges){
            .from_file = true,
            .cycles_a_voxel = htmt_costs_whole(c, "cast.cycles"),
            .alpha = htmt_costs_ratio(c, "cast.alpha"),
            .code_words = htmt_costs_whole(c, "parcel.code"),
            .ray_words = htmt_costs_whole(c, "parcel.ray"),
            .voxel_bytes = HTMT_WORD * voxel.num / voxel.den,
            .edge = htmt_costs_whole(c, "problem.subcube-edge"),
            .rays = htmt_costs_whole(c, "problem.rays"),
            .assemble = htmt_costs_whole(c, "assemble.cycles"),
            .dispatch = htmt_costs_whole(c, "dispatch.cycles"),
            .retire = htmt_costs_whole(c, "retire.cycles"),
            .scatter_words = htmt_costs_whole(c, "scatter.words"),
            .frames_a_second = htmt_costs_whole(c, "problem.frames-a-second"),
        };
    }
    htmt_costs_destroy(&c);
    return rc;
}
