/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/results.h"

#include <criterion/criterion.h>

#include <string.h>

/* DRAM, SRAM, CRAM and the resources around them, with the figures of one situation. */
struct situation {
    struct htmt__resource resource[3];
    struct htmt__memory memory[3];
    struct htmt__limit limit[9];
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
    htmt__results_rank(&s->results, NULL);
    return s->results.limit[0].report.name;
}

Test(bottleneck, a_saturated_resource_comes_first)
{
    struct situation s;
    set_up(&s, 0.3, 0.5, 0.97);
    s.memory[2].mean_queue = 5;
    cr_assert_str_eq(worst(&s), "SPELL");
    cr_assert(s.results.limit[0].report.binding);
    for (unsigned i = 1; i < s.results.limit_count; i++)
        cr_assert_not(s.results.limit[i].report.binding, "%s", s.results.limit[i].report.name);
}

/* One parcel at a time in CRAM: neither the SPELL nor the RTI can be busy all the time. */
Test(bottleneck, a_cram_for_one_parcel_is_the_bottleneck_though_more_wait_for_sram)
{
    struct situation s;
    set_up(&s, 0.2, 0.3, 0.7);
    s.memory[2].mean_queue = 1;
    s.memory[1].mean_queue = 40;
    cr_assert_str_eq(worst(&s), "CRAM space");
    cr_assert(s.results.limit[0].report.binding && s.results.limit[0].report.space);
    cr_assert_str_eq(s.results.limit[1].report.name, "SRAM space");
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
    cr_assert_not(s.results.limit[0].report.binding);
    cr_assert_str_eq(s.results.limit[1].report.name, "SPELL");
    cr_assert_str_eq(s.results.limit[2].report.name, "DPIM");
    cr_assert_eq(s.results.limit_count, 3);
}

/* A port of one slice in four is always in use, the others listen: its mean is a quarter. */
Test(bottleneck, the_busiest_slice_decides_not_the_mean)
{
    struct situation s;
    struct htmt__spread spread = {.name = "rti sram out",
                                  .slices = 4,
                                  .idle = 3,
                                  .busiest = 2,
                                  .mean_share = 0.249,
                                  .busiest_share = 0.996,
                                  .ranges = 4,
                                  .mean_queue = 5,
                                  .most_queue = 20};
    set_up(&s, 0.1, 0.249, 0.4);
    s.results.spread = &spread;
    s.results.spread_count = 1;
    cr_assert_str_eq(worst(&s), "rti sram out");
    cr_assert(s.results.limit[0].report.binding);
    cr_assert_float_eq(s.results.limit[0].report.utilization, 0.996, 1e-12);
    cr_assert_float_eq(s.results.limit[0].report.mean_queue, 20, 1e-12);
}

/* Too few wait to blame the memory, but it is not behind all that is used a little more seldom. */
Test(bottleneck, a_memory_stands_among_the_resources_by_those_that_wait)
{
    struct situation s;
    set_up(&s, 0.05, 0.21, 0.01);
    s.memory[1].mean_queue = 0.23;
    cr_assert_str_eq(worst(&s), "SRAM space");
    cr_assert_not(s.results.limit[0].report.binding);
    cr_assert_str_eq(s.results.limit[1].report.name, "rti sram out");
}

/* Of 100 fs 45 are stalls for SRAM in four rows, of which 24 are in flight; the most used resource
 * has 10, and is waited for 5 more. */
Test(bottleneck, with_a_path_everything_goes_by_its_share)
{
    struct situation s;
    struct htmt__cause cause[] = {
        {.cause = "stall", .of = "SRAM", .used = "in flight, vortex", .time = 14},
        {.cause = "stall", .of = "SRAM", .used = "SPELL", .time = 11},
        {.cause = "stall", .of = "SRAM", .used = "in flight, vortex", .time = 10},
        {.cause = "stall", .of = "SRAM", .used = "rti sram out", .time = 10},
        {.cause = "work", .of = "DPIM", .used = "DPIM", .time = 10},
        {.cause = "queue", .of = "DPIM", .used = "rti sram out", .time = 5},
        {.cause = "overhead", .used = "in flight, vortex", .time = 40}};
    const struct htmt__explanation x = {.made = true, .predicted = 100, .count = 7, .cause = cause};
    static const struct {
        const char *name;
        double share;
        bool latency;
    } wanted[] = {{"vortex latency", 0.64, true},
                  {"SRAM space", 0.45, false},
                  {"DPIM", 0.15, false},
                  {"rti sram out", 0.15, false},
                  {"SPELL", 0.11, false}};
    set_up(&s, 0.97, 0.3, 0.2);
    s.memory[1].mean_queue = 0.2;
    htmt__results_rank(&s.results, &x);
    cr_assert_eq(s.results.limit_count, 5);
    for (unsigned i = 0; i < 5; i++) {
        const struct htmt__limit *l = &s.results.limit[i];
        cr_expect_str_eq(l->report.name, wanted[i].name);
        cr_expect_float_eq(l->path_share, wanted[i].share, 1e-12, "%s", wanted[i].name);
        cr_expect_eq(l->latency, wanted[i].latency);
    }
    cr_expect(s.results.limit[2].report.binding);
}

/* As it is compared with a run that was not explained. */
Test(bottleneck, the_worst_by_use_is_the_same_with_a_path_and_without)
{
    static const struct {
        double dpim, rti, spell, dram, sram, cram; /* use; moves that wait */
        const char *by_use;
    } of[] = {{0.97, 0.3, 0.2, 0, 0.2, 0, "DPIM"},
              {0.1, 0.3, 0.2, 0, 0, 0, "rti sram out"},
              {0.3, 0.3, 0.3, 0, 0, 0, "DPIM"},
              {0.2, 0.3, 0.7, 0, 40, 1, "CRAM space"},
              {0.2, 0.2, 0.2, 0.7, 40, 0, "SRAM space"}};
    struct htmt__cause cause[] = {{.cause = "overhead", .used = "in flight, vortex", .time = 60},
                                  {.cause = "work", .of = "SPELL", .used = "SPELL", .time = 40}};
    const struct htmt__explanation x = {.made = true, .predicted = 100, .count = 2, .cause = cause};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct situation s;
        set_up(&s, of[i].dpim, of[i].rti, of[i].spell);
        s.memory[0].mean_queue = of[i].dram;
        s.memory[1].mean_queue = of[i].sram;
        s.memory[2].mean_queue = of[i].cram;
        cr_expect_str_eq(worst(&s), of[i].by_use);
        cr_expect_str_eq(htmt__results_worst(&s.results, true), of[i].by_use, "there is no path");
        htmt__results_rank(&s.results, &x);
        cr_expect_str_eq(htmt__results_worst(&s.results, false), of[i].by_use);
        cr_expect_str_eq(htmt__results_worst(&s.results, true), "vortex latency");
    }
}

Test(bottleneck, networks_and_memories_whose_names_begin_alike_have_their_own_shares)
{
    struct situation s;
    struct htmt__cause cause[] = {
        {.cause = "overhead", .used = "in flight, vortex2", .time = 50},
        {.cause = "overhead", .used = "in flight, vortex", .time = 30},
        {.cause = "stall", .of = "SRAM2", .used = "in flight", .time = 15},
        {.cause = "stall", .of = "SRAM", .used = "in flight", .time = 5}};
    const struct htmt__explanation x = {.made = true, .predicted = 100, .count = 4, .cause = cause};
    static const char *const names[] = {"vortex2 latency", "vortex latency", "SRAM2 space",
                                        "SRAM space"};
    static const double shares[] = {0.5, 0.3, 0.15, 0.05};
    set_up(&s, 0, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        s.resource[i].served = 0;
    strcpy(s.memory[2].name, "SRAM2");
    s.memory[1].mean_queue = s.memory[2].mean_queue = 0.2;
    htmt__results_rank(&s.results, &x);
    cr_assert_eq(s.results.limit_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_str_eq(s.results.limit[i].report.name, names[i]);
        cr_expect_float_eq(s.results.limit[i].path_share, shares[i], 1e-12, "%s", names[i]);
    }
}

Test(bottleneck, what_nobody_used_is_left_out)
{
    struct situation s;
    set_up(&s, 0.1, 0.4, 0.2);
    for (unsigned i = 0; i < 3; i++)
        s.resource[i].served = 0;
    htmt__results_rank(&s.results, NULL);
    cr_assert_eq(s.results.limit_count, 0);
}

/* Without a path: by messages in flight, but by no more than the busiest resource rests. */
Test(bottleneck, a_latency_counts_for_the_time_that_the_busiest_resource_rests)
{
    static const struct {
        double spell, flight, share;
        const char *worst;
    } cases[] = {{0.3, 5, 0.7, "vortex latency"},
                 {0.3, 0.4, 0.4, "vortex latency"},
                 {0.3, 0.2, 0.2, "SPELL"},
                 {0.8, 5, 0.2, "SPELL"},
                 {0.97, 50, 0.03, "SPELL"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct situation s;
        struct htmt__in_flight flight = {
            .name = "vortex latency", .mean = cases[i].flight, .most = cases[i].flight};
        unsigned k = 0;
        set_up(&s, 0.1, 0.05, cases[i].spell);
        s.results.flight = &flight;
        s.results.flight_count = 1;
        cr_expect_str_eq(worst(&s), cases[i].worst, "case %u", i);
        while (!s.limit[k].latency)
            k++;
        cr_expect_float_eq(s.limit[k].report.utilization, cases[i].share, 1e-12);
        cr_expect_not(s.limit[k].report.binding);
    }
}
