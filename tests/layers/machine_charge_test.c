/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charges against arithmetic done another way: plain 128-bit fractions over the product of all
 * denominators, or figures worked out by hand.
 */
#include "layers/machine/machine.h"
#include "tests/layers/machines.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <string.h>

static struct htmt_ratio some_ratio(uint64_t *state)
{
    struct htmt_ratio r;
    uint64_t den = 1 + draw_below(state, 30);
    cr_assert_eq(htmt_ratio_div((struct htmt_ratio){1 + draw_below(state, 1000000), 1},
                                (struct htmt_ratio){den, 1}, &r),
                 0);
    return r;
}

/* f = max + (1 - lambda)(sum - max) over the product of the denominators, half up. */
static htmt_time plain_work(const struct htmt_processor *p, const struct htmt_ops *ops)
{
    htmt_uwide all = 1, sum = 0, longest = 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        all *= p->time[i].den;
    for (int i = 0; i < HTMT_OP_CLASSES; i++) {
        htmt_uwide term = all / p->time[i].den * p->time[i].num * ops->n[i];
        sum += term;
        longest = term > longest ? term : longest;
    }
    htmt_uwide over = all * p->lambda.den;
    htmt_uwide total = longest * p->lambda.den + (p->lambda.den - p->lambda.num) * (sum - longest);
    return (htmt_time)((2 * total + over) / (2 * over));
}

Test(machine_charge, work_is_the_exact_composition_rounded_once_half_up)
{
    struct htmt_machine *m = machine_load("small-two-layer", NULL);
    struct htmt_processor *p = &m->layer[0].processor;
    uint64_t state = 1;
    for (int run = 0; run < 20000; run++) {
        struct htmt_ops ops;
        for (int i = 0; i < HTMT_OP_CLASSES; i++) {
            p->time[i] = some_ratio(&state);
            ops.n[i] = draw_below(&state, 3) ? draw_below(&state, 1000000) : 0;
        }
        uint64_t den = 1 + draw_below(&state, 20);
        cr_assert_eq(htmt_ratio_div((struct htmt_ratio){draw_below(&state, den + 1), 1},
                                    (struct htmt_ratio){den, 1}, &p->lambda),
                     0);
        cr_assert_eq(htmt_machine_work(m, 0, &ops), plain_work(p, &ops), "run %d", run);
    }
    htmt_machine_destroy(&m);
}

Test(machine_charge, lambda_moves_work_from_the_sum_to_the_longest)
{
    struct htmt_machine *m = machine_load("small-two-layer", NULL);
    struct htmt_ops ops = {.n = {[HTMT_FLOP] = 10, [HTMT_LOAD] = 3}}; /* 10 ns and 6 ns */
    struct htmt_ratio *lambda = &m->layer[0].processor.lambda;
    *lambda = (struct htmt_ratio){0, 1};
    cr_expect_eq(htmt_machine_work(m, 0, &ops), 16000000);
    *lambda = (struct htmt_ratio){1, 2};
    cr_expect_eq(htmt_machine_work(m, 0, &ops), 13000000);
    *lambda = (struct htmt_ratio){1, 1};
    cr_expect_eq(htmt_machine_work(m, 0, &ops), 10000000);
    htmt_machine_destroy(&m);
}

Test(machine_charge, half_a_femtosecond_goes_up_once)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    uint32_t cram = (uint32_t)htmt_machine_layer(m, "cram");
    struct htmt_ops one = {.n = {[HTMT_FLOP] = 1}}, two = {.n = {[HTMT_FLOP] = 2}};
    struct htmt_ops split = {.n = {[HTMT_FLOP] = 1, [HTMT_CYCLE] = 1}};
    struct htmt_ops none = {{0}};
    cr_expect_eq(htmt_machine_work(m, cram, &one), 3906, "3906.25");
    cr_expect_eq(htmt_machine_work(m, cram, &two), 7813, "7812.5");
    cr_expect_eq(htmt_machine_work(m, cram, &split), 7813, "a sum is rounded once");
    cr_expect_eq(htmt_machine_work(m, cram, &none), 0);
    htmt_machine_destroy(&m);
}

Test(machine_charge, work_too_long_or_without_processor_is_minus_one)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    uint32_t hram = (uint32_t)htmt_machine_layer(m, "hram");
    uint32_t dram = (uint32_t)htmt_machine_layer(m, "dram");
    struct htmt_ops one = {.n = {[HTMT_CYCLE] = 1}};
    struct htmt_ops longest = {.n = {[HTMT_CYCLE] = 4611686018427}};
    struct htmt_ops longer = {.n = {[HTMT_CYCLE] = 4611686018428}};
    struct htmt_ops all = {.n = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    cr_expect_eq(htmt_machine_work(m, hram, &one), -1);
    cr_expect_eq(htmt_machine_work(m, m->layer_count, &one), -1);
    cr_expect_eq(htmt_machine_work(m, dram, &longest), 4611686018427 * 2000000);
    cr_expect_eq(htmt_machine_work(m, dram, &longer), -1, "2^63 fs is over");
    cr_expect_eq(htmt_machine_work(m, dram, &all), -1);
    htmt_machine_destroy(&m);
}

/* host: 8 words an access of 4 ns; link: 1 ns a word, 100 ns startup. */
Test(machine_charge, a_move_takes_startup_and_the_slowest_of_channel_source_and_target)
{
    struct htmt_machine *m = machine_load("small-two-layer", NULL);
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 64, 1, 1), 164000000, "the channel: 64 ns");
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 64, 64, 1), 356000000, "64 accesses: 256 ns");
    cr_expect_eq(htmt_machine_out_time(m, 0, 1, 0, 64, 1, 64), 356000000, "at the target alike");
    cr_expect_eq(htmt_machine_out_time(m, 0, 1, 0, 64, 64, 1), 164000000, "device: access off");
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 0, 0, 0), 100000000, "a bare signal");
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 65, 0, 0), 165000000, "0 pieces are one");
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, UINT64_MAX, 1, 1), -1);
    m->network[0].startup = HTMT_TIME_MAX;
    cr_expect_eq(htmt_machine_out_time(m, 0, 0, 1, 1, 1, 1), -1);
    htmt_machine_destroy(&m);
}

/* Count accesses by walking over the words: piece by piece, the longer pieces first. */
static uint64_t walked_accesses(uint64_t words, uint64_t pieces, uint64_t per_access)
{
    uint64_t count = 0, left = words;
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t length = (left + pieces - piece - 1) / (pieces - piece);
        for (uint64_t done = 0; done < length; done += per_access)
            count++;
        left -= length;
    }
    return count;
}

Test(machine_charge, strided_words_are_charged_by_the_accesses_they_touch)
{
    struct htmt_machine *m = machine_load("small-two-layer", NULL);
    m->network[0].startup = 0;
    m->network[0].port[0].out_word = (struct htmt_ratio){1, 1000};
    for (uint64_t words = 1; words < 70; words++) {
        for (uint64_t pieces = 1; pieces < 75; pieces++) {
            htmt_time expected = (htmt_time)walked_accesses(words, pieces, 8) * 4000000;
            cr_assert_eq(htmt_machine_out_time(m, 0, 0, 1, words, pieces, 1), expected,
                         "%d words in %d pieces", (int)words, (int)pieces);
        }
    }
    htmt_machine_destroy(&m);
}

/* Amaral et al., eq. 3: 7 cycles at 450 MHz for 16 words. */
Test(machine_charge, a_corner_turn_costs_sixteen_times_a_row)
{
    const char *const set[] = {"layers.dram.memory.access=7 cycles at 450 MHz",
                               "layers.dram.memory.access-words=16"};
    struct htmt_machine *m = machine_load_sets("htmt-2007", set, 2);
    uint32_t dram = (uint32_t)htmt_machine_layer(m, "dram");
    uint32_t sram = (uint32_t)htmt_machine_layer(m, "sram");
    uint32_t vortex = (uint32_t)htmt_machine_network(m, "vortex");
    htmt_time row = htmt_machine_out_time(m, vortex, dram, sram, 14400, 1, 1);
    htmt_time column = htmt_machine_out_time(m, vortex, dram, sram, 14400, 14400, 1);
    cr_expect_eq(row, INT64_C(14000000000), "900 accesses of 140/9 ns");
    cr_expect_eq(column, INT64_C(224000000000), "14400 accesses");
    htmt_machine_destroy(&m);
}

Test(machine_charge, receiving_costs_only_where_it_is_modelled)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    uint32_t sram = (uint32_t)htmt_machine_layer(m, "sram");
    uint32_t cram = (uint32_t)htmt_machine_layer(m, "cram");
    uint32_t vortex = (uint32_t)htmt_machine_network(m, "vortex");
    uint32_t rti = (uint32_t)htmt_machine_network(m, "rti");
    cr_expect_eq(htmt_machine_in_time(m, vortex, sram, 1000, 1), 100000000);
    cr_expect_eq(htmt_machine_in_time(m, rti, cram, 1000, 1), 0);
    m->layer[sram].memory.access = (struct htmt_ratio){200000, 1};
    cr_expect_eq(htmt_machine_in_time(m, vortex, sram, 1000, 1), 200000000, "a slow target");
    htmt_machine_destroy(&m);
}

Test(machine_charge, routes_prefer_the_slice_and_never_leave_it_on_a_link_inside)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    uint32_t hram = (uint32_t)htmt_machine_layer(m, "hram");
    uint32_t dram = (uint32_t)htmt_machine_layer(m, "Dpim");
    uint32_t sram = (uint32_t)htmt_machine_layer(m, "SRAM");
    uint32_t cram = (uint32_t)htmt_machine_layer(m, "spell");
    int vortex = htmt_machine_network(m, "vortex"), rti = htmt_machine_network(m, "RTI");
    cr_expect_eq(htmt_machine_route(m, hram, dram, false), htmt_machine_network(m, "hram-channel"));
    cr_expect_eq(htmt_machine_route(m, dram, sram, false), vortex);
    cr_expect_eq(htmt_machine_route(m, dram, sram, true), vortex);
    cr_expect_eq(htmt_machine_route(m, dram, dram, true), vortex);
    cr_expect_eq(htmt_machine_route(m, sram, cram, false), rti);
    cr_expect_eq(htmt_machine_route(m, sram, cram, true), -1);
    cr_expect_eq(htmt_machine_route(m, cram, cram, true), htmt_machine_network(m, "cnet"));
    cr_expect_eq(htmt_machine_route(m, hram, cram, false), -1);
    cr_expect_eq(htmt_machine_route(m, hram, m->layer_count, false), -1);
    cr_expect_eq(htmt_machine_layer(m, "tape"), -1);
    cr_expect_eq(htmt_machine_network(m, "ether"), -1);
    htmt_machine_destroy(&m);
}
