/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/costs.h"

#include "layers/costs.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define MANY            (UINT64_C(1) << 40)

static const struct htmt_cost_key keys[] = {
    {"problem.particles-per-cell", HTMT_COST_COUNT},
    {"problem.cells-edge", HTMT_COST_COUNT},
    {"problem.time-steps", HTMT_COST_COUNT},
    {"push.flop", HTMT_COST_OPERATIONS},
    {"push.useful", HTMT_COST_RATIO},
    {"push.field-guard", HTMT_COST_COUNT},
    {"push.words-point", HTMT_COST_WORDS},
    {"push.words-particle", HTMT_COST_WORDS},
    {"push.code", HTMT_COST_WORDS},
    {"push.assembly", HTMT_COST_CYCLES},
    {"push.dispatch", HTMT_COST_CYCLES},
};

/* What the file may say; where least is most, as the program is. */
static const struct bound {
    const char *key;
    uint64_t least, most;
} bounds[] = {
    {"problem.particles-per-cell", 1, 1 << 20},
    {"problem.cells-edge", 1, 1024},
    {"problem.time-steps", 1, MANY},
    {"push.flop", 1, 1 << 20},
    {"push.field-guard", 0, 16},
    {"push.words-point", HTMT__PIC_FIELD_WORDS, HTMT__PIC_FIELD_WORDS},
    {"push.words-particle", HTMT__PIC_PARTICLE_WORDS, HTMT__PIC_PARTICLE_WORDS},
    {"push.code", 0, MANY},
    {"push.assembly", 0, MANY},
    {"push.dispatch", 0, MANY},
};

static const struct htmt_figure *figure_of(const struct htmt_costs *costs, const char *key)
{
    unsigned i = 0;
    while (strcmp(costs->figure[i].key, key) != 0)
        i++;
    return &costs->figure[i];
}

static int check_bound(const struct htmt_costs *costs, const struct bound *b,
                       struct htmt_fault *fault)
{
    uint64_t value = htmt_costs_whole(costs, b->key);
    const struct htmt_figure *f = figure_of(costs, b->key);
    if (value >= b->least && value <= b->most)
        return 0;
    if (b->least == b->most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "%s:%d: %s: found %s, expected %" PRIu64
                              ": the program has and moves so many",
                              f->file, f->line, f->key, f->value, b->most);
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "%s:%d: %s: found %s, expected %" PRIu64 " to %" PRIu64, f->file, f->line,
                          f->key, f->value, b->least, b->most);
}

static int check_useful(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    struct htmt_ratio r = htmt_costs_ratio(costs, "push.useful");
    const struct htmt_figure *f = figure_of(costs, "push.useful");
    if (r.num && r.num <= r.den)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: %s: found %s, expected more than 0 up to 1",
                          f->file, f->line, f->key, f->value);
}

int htmt__pic_costs_read(const char *name, struct htmt__pic_costs *out, struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(name, "pic", keys, COUNT_OF(keys), NULL, 0, &c, fault);
    for (size_t i = 0; i < COUNT_OF(bounds) && !rc; i++)
        rc = check_bound(c, &bounds[i], fault);
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
