/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/costs.h"

#include "layers/file/costs.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define MANY            (UINT64_C(1) << 40)

static const struct htmt_cost_key keys[] = {
    {"problem.particles-per-cell", HTMT_COST_COUNT, 1, 1 << 20},
    {"problem.cells-edge", HTMT_COST_COUNT, 1, 1024},
    {"problem.time-steps", HTMT_COST_COUNT, 1, MANY},
    {"push.flop", HTMT_COST_OPERATIONS, 1, 1 << 20},
    {"push.useful", HTMT_COST_RATIO, 0, 0},
    {"push.field-guard", HTMT_COST_COUNT, 0, 16},
    {"push.words-point", HTMT_COST_WORDS, HTMT__PIC_FIELD_WORDS, HTMT__PIC_FIELD_WORDS},
    {"push.words-particle", HTMT_COST_WORDS, HTMT__PIC_PARTICLE_WORDS, HTMT__PIC_PARTICLE_WORDS},
    {"push.code", HTMT_COST_WORDS, 0, MANY},
    {"push.assembly", HTMT_COST_CYCLES, 0, MANY},
    {"push.dispatch", HTMT_COST_CYCLES, 0, MANY},
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
    int rc = htmt_costs_load(r->costs, "pic", keys, COUNT_OF(keys), r->cost_set, r->cost_set_count,
                             &c, fault);
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
