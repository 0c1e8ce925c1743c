/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/costs.h"

#include "apps/volume/counts.h"
#include "layers/costs.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct htmt_cost_key keys[] = {
    {"problem.subcube-edge", HTMT_COST_COUNT},
    {"problem.rays", HTMT_COST_COUNT},
    {"problem.frames-a-second", HTMT_COST_COUNT},
    {"parcel.code", HTMT_COST_WORDS},
    {"parcel.ray", HTMT_COST_WORDS},
    {"parcel.voxel", HTMT_COST_RATIO},
    {"parcel.eject", HTMT_COST_WORDS},
    {"assemble.cycles", HTMT_COST_CYCLES},
    {"dispatch.cycles", HTMT_COST_CYCLES},
    {"cast.cycles", HTMT_COST_CYCLES},
    {"cast.alpha", HTMT_COST_RATIO},
    {"retire.cycles", HTMT_COST_CYCLES},
    {"scatter.words", HTMT_COST_WORDS},
};

static const struct bound {
    const char *key;
    uint64_t least, most;
} bounds[] = {
    {"problem.subcube-edge", 2, HTMT__EDGE_MOST},
    {"problem.rays", 1, 4096 * 4096},
    {"problem.frames-a-second", 1, 1000000},
    {"parcel.code", 0, UINT32_MAX},
    {"parcel.ray", sizeof(struct htmt__path) / HTMT_WORD + 1, 1024},
    {"parcel.eject", 1, UINT32_MAX},
    {"assemble.cycles", 0, UINT32_MAX},
    {"dispatch.cycles", 0, UINT32_MAX},
    {"cast.cycles", 1, UINT32_MAX},
    {"retire.cycles", 0, UINT32_MAX},
    {"scatter.words", 1, UINT32_MAX},
};

static const struct htmt_figure *figure_of(const struct htmt_costs *c, const char *key)
{
    unsigned i = 0;
    while (strcmp(c->figure[i].key, key) != 0)
        i++;
    return &c->figure[i];
}

static int refuse(const struct htmt_costs *c, const char *key, const char *expected,
                  struct htmt_fault *fault)
{
    const struct htmt_figure *f = figure_of(c, key);
    return htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: %s: found %s, expected %s", f->file, f->line,
                          key, f->value, expected);
}

static int check_bounds(const struct htmt_costs *c, struct htmt_fault *fault)
{
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        uint64_t value = htmt_costs_whole(c, bounds[i].key);
        char expected[64];
        snprintf(expected, sizeof expected, "%" PRIu64 " to %" PRIu64, bounds[i].least,
                 bounds[i].most);
        if (value < bounds[i].least || value > bounds[i].most)
            return refuse(c, bounds[i].key, expected, fault);
    }
    return 0;
}

/* A voxel is whole bytes; the rays that go up come back. */
static int check_parcel(const struct htmt_costs *c, struct htmt_fault *fault)
{
    struct htmt_ratio voxel = htmt_costs_ratio(c, "parcel.voxel");
    uint64_t rays = htmt_costs_whole(c, "problem.rays"), ray = htmt_costs_whole(c, "parcel.ray");
    char expected[64];
    if (!voxel.num || voxel.num > 64 * voxel.den || HTMT_WORD * voxel.num % voxel.den)
        return refuse(c, "parcel.voxel", "words that make whole bytes, more than none", fault);
    snprintf(expected, sizeof expected, "%" PRIu64 " words: parcel.ray for each of problem.rays",
             rays * ray);
    if (htmt_costs_whole(c, "parcel.eject") != rays * ray)
        return refuse(c, "parcel.eject", expected, fault);
    struct htmt_ratio alpha = htmt_costs_ratio(c, "cast.alpha");
    if (!alpha.num || alpha.num > 1000000 * alpha.den)
        return refuse(c, "cast.alpha", "more than 0, at most 1e6", fault);
    return 0;
}

int htmt__volume_costs_read(const char *name, struct htmt__volume_charges *out,
                            struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(name, "volume", keys, COUNT_OF(keys), NULL, 0, &c, fault);
    if (!rc)
        rc = check_bounds(c, fault);
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
