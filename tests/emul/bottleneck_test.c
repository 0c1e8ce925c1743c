/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/results.h"

#include <criterion/criterion.h>

#include <string.h>

/* DRAM, SRAM, CRAM and the resources around them, with the figures of one situation. */
struct situation {
    struct htmt__resource resource[3];
    struct htmt__memory memory[3];
    struct htmt_limit_report limit[6];
    struct htmt__results results;
};

static void set_up(struct situation *s, double dpim, double rti, double spell)
{
    *s = (struct situation){
        .resource = {{.name = "DPIM", .layer = 0, .served = 1, .utilization = dpim},
                     {.name = "rti sram out", .layer = 1, .served = 1, .utilization = rti},
                     {.name = "SPELL", .layer = 2, .served = 1, .utilization = spell}},
        .memory = {{.name = "DRAM", .capacity_words = 100, .peak_words = 10},
                   {.name = "SRAM", .capacity_words = 100, .peak_words = 20},
                   {.name = "CRAM", .capacity_words = 100, .peak_words = 100}}};
    s->results = (struct htmt__results){.resource_count = 3,
                                        .memory_count = 3,
                                        .resource = s->resource,
                                        .memory = s->memory,
                                        .limit = s->limit};
}

static const char *worst(struct situation *s)
{
    htmt__results_rank(&s->results);
    return s->results.limit[0].name;
}

Test(bottleneck, a_saturated_resource_comes_first)
{
    struct situation s;
    set_up(&s, 0.3, 0.5, 0.97);
    s.memory[2].mean_queue = 5;
    cr_assert_str_eq(worst(&s), "SPELL");
    cr_assert(s.results.limit[0].binding);
    for (unsigned i = 1; i < s.results.limit_count; i++)
        cr_assert_not(s.results.limit[i].binding, "%s", s.results.limit[i].name);
}

/* One parcel at a time in CRAM: neither the SPELL nor the RTI can be busy all the time. */
Test(bottleneck, a_cram_for_one_parcel_is_the_bottleneck_though_more_wait_for_sram)
{
    struct situation s;
    set_up(&s, 0.2, 0.3, 0.7);
    s.memory[2].mean_queue = 1;
    s.memory[1].mean_queue = 40;
    cr_assert_str_eq(worst(&s), "CRAM space");
    cr_assert(s.results.limit[0].binding && s.results.limit[0].space);
    cr_assert_str_eq(s.results.limit[1].name, "SRAM space");
}

/* Filling and draining keep a short run from 90 %, but its queue shows who is waited for. */
Test(bottleneck, a_queue_tells_a_saturated_resource_in_a_short_run)
{
    struct situation s;
    set_up(&s, 0.2, 0.3, 0.7);
    s.memory[2].mean_queue = 1;
    s.resource[2].mean_queue = 0.8;
    cr_assert_str_eq(worst(&s), "SPELL");
}

/* A burst at the start leaves a queue before a half-used link; what lasts is the wait for CRAM. */
Test(bottleneck, queues_behind_a_full_memory_come_from_it)
{
    struct situation s;
    set_up(&s, 0.2, 0.6, 0.901);
    s.memory[2].mean_queue = 200;
    s.resource[1].mean_queue = 9;
    cr_assert_str_eq(worst(&s), "CRAM space");
}

Test(bottleneck, without_saturation_the_most_used_is_named_but_not_blamed)
{
    struct situation s;
    set_up(&s, 0.1, 0.4, 0.2);
    cr_assert_str_eq(worst(&s), "rti sram out");
    cr_assert_not(s.results.limit[0].binding);
    cr_assert_str_eq(s.results.limit[1].name, "SPELL");
    cr_assert_str_eq(s.results.limit[2].name, "DPIM");
    cr_assert_eq(s.results.limit_count, 3);
}

Test(bottleneck, what_nobody_used_is_left_out)
{
    struct situation s;
    set_up(&s, 0.1, 0.4, 0.2);
    for (unsigned i = 0; i < 3; i++)
        s.resource[i].served = 0;
    htmt__results_rank(&s.results);
    cr_assert_eq(s.results.limit_count, 0);
}
