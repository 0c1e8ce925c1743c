/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/costs.h"

#include "layers/file/costs.h"

#define MANY (UINT64_C(1) << 40)

static const struct htmt_schema_row keys[] = {
    {"problem.particles-per-cell", HTMT_UNIT_COUNT, .least = 1, .most = 1 << 20},
    {"problem.cells-edge", HTMT_UNIT_COUNT, .least = 1, .most = 1024},
    {"problem.time-steps", HTMT_UNIT_COUNT, .least = 1, .most = MANY},
    {"push.flop", HTMT_UNIT_OPERATIONS, .least = 1, .most = 1 << 20},
    {.key = "push.useful", .kind = HTMT_UNIT_SHARE},
    {"push.field-guard", HTMT_UNIT_COUNT, .least = 0, .most = 16},
    {"push.words-point", HTMT_UNIT_SIZE, .least = HTMT__PIC_FIELD_WORDS,
     .most = HTMT__PIC_FIELD_WORDS},
    {"push.words-particle", HTMT_UNIT_SIZE, .least = HTMT__PIC_PARTICLE_WORDS,
     .most = HTMT__PIC_PARTICLE_WORDS},
    {"push.code", HTMT_UNIT_SIZE, .least = 0, .most = MANY},
    {"push.assembly", HTMT_UNIT_CYCLES, .least = 0, .most = MANY},
    {"push.dispatch", HTMT_UNIT_CYCLES, .least = 0, .most = MANY},
    {.key = NULL},
};

static int check_useful(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    struct htmt_ratio r = htmt_costs_ratio(costs, "push.useful");
    if (r.num && r.num <= r.den)
        return 0;
    return htmt_costs_refuse(costs, "push.useful", "more than 0 up to 1", fault);
}

int htmt__pic_costs_read(const struct htmt_request *r, struct htmt__pic_costs *out,
                         struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "pic", keys, set, count, &c, fault);
    if (!rc)
        rc = check_useful(c, fault);
    if (!rc)
        *out =
            (struct htmt__pic_costs){.per_cell = htmt_costs_whole(c, "problem.particles-per-cell"),
                                     .edge = (uint32_t)htmt_costs_whole(c, "problem.cells-edge"),
                                     .steps = htmt_costs_whole(c, "problem.time-steps"),
                                     .charges = {.flop = htmt_costs_whole(c, "push.flop"),
                                                 .useful = htmt_costs_ratio(c, "push.useful"),
                                                 .guard = htmt_costs_whole(c, "push.field-guard"),
                                                 .code = htmt_costs_whole(c, "push.code"),
                                                 .assembly = htmt_costs_whole(c, "push.assembly"),
                                                 .dispatch = htmt_costs_whole(c, "push.dispatch"),
                                                 .from_file = true}};
    htmt_costs_destroy(&c);
    return rc;
}
