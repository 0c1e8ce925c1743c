/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/plan.h"
#include "tests/cannon/machines.h"

#include <criterion/criterion.h>
#include <string.h>

static struct htmt__cannon_plan plan_for(const struct htmt_machine *m, uint64_t rows,
                                         uint64_t inner, uint64_t cols)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_plan p;
    cr_assert_eq(
        htmt__cannon_plan(m, &(struct htmt__cannon_problem){rows, inner, cols, 0, 0}, &p, &fault),
        0, "%s", fault.text);
    return p;
}

static struct htmt_fault refusal(const struct htmt_machine *m, struct htmt__cannon_problem problem,
                                 int code)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_plan p = {.s = 77};
    cr_expect_eq(htmt__cannon_plan(m, &problem, &p, &fault), code, "%s", fault.text);
    cr_expect_eq(p.s, 77, "a failed plan changed its result");
    return fault;
}

/* Amaral et al.: 208,000 = 26 x 64 x 125 on 4096 slices. */
Test(plan, the_papers_problem_gets_the_papers_block_sizes)
{
    struct htmt_machine m = t_htmt_2007(4096);
    struct htmt__cannon_plan p = plan_for(&m, 208000, 208000, 208000);
    cr_expect(p.s == 64 && p.t == 26 && p.b_c == 125 && p.q == 1 && p.dimension == 208000);
    cr_expect(p.b_c_most == 125 && p.t_most == 26);
    cr_expect(p.inner_words == 109375 && p.middle_words == 31687500);
}

Test(plan, a_tenfold_problem_takes_a_thousand_products_and_lies_in_hram)
{
    struct htmt_machine m = t_htmt_2007(4096);
    struct htmt__cannon_plan p = plan_for(&m, 2080000, 2080000, 2080000);
    cr_expect(p.q == 10 && p.t == 26 && p.b_c == 125 && p.home == T_HRAM);
    cr_expect_eq(p.home_words, UINT64_C(3) * 32500 * 32500);
    cr_expect_eq(plan_for(&m, 208000, 1, 1).home, T_DRAM);
}

Test(plan, a_small_problem_gets_few_large_subblocks_and_little_padding)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_plan p = plan_for(&m, 1024, 1024, 1024);
    cr_expect(p.q == 1 && p.t == 3 && p.b_c == 86 && p.dimension == 1032);
    m = t_hereld_tables(16);
    p = plan_for(&m, 1024, 1024, 1024);
    cr_expect(p.q == 1 && p.t == 2 && p.b_c == 128 && p.dimension == 1024);
    p = plan_for(&m, 1, 1, 1);
    cr_expect(p.q == 1 && p.t == 1 && p.b_c == 1 && p.dimension == 4);
}

static void expect_extents(const struct htmt__cannon_plan *p, const uint64_t q[3],
                           const uint64_t t[3], const uint64_t b[3])
{
    for (int d = 0; d < 3; d++)
        cr_expect(p->of[d].q == q[d] && p->of[d].t == t[d] && p->of[d].b == b[d],
                  "%d: %llu, %llu, %llu", d, (unsigned long long)p->of[d].q,
                  (unsigned long long)p->of[d].t, (unsigned long long)p->of[d].b);
}

Test(plan, each_dimension_of_a_rectangle_has_blocks_of_its_own)
{
    struct htmt_machine m = t_htmt_2007(1);
    struct htmt__cannon_plan p = plan_for(&m, 5, 1000, 3);
    expect_extents(&p, (uint64_t[]){1, 1, 1}, (uint64_t[]){1, 8, 1}, (uint64_t[]){5, 125, 3});
    cr_expect_eq(p.inner_words, 3 * 5 * 125 + 3 * 125 * 3 + 5 * 3);
    cr_expect_eq(p.home_words, 5 * 1000 + 1000 * 3 + 5 * 3);
    p = plan_for(&m, 1, 60000, 1);
    expect_extents(&p, (uint64_t[]){1, 19, 1}, (uint64_t[]){1, 26, 1}, (uint64_t[]){1, 122, 1});
    m = t_htmt_2007(4);
    p = plan_for(&m, 10, 700, 30);
    expect_extents(&p, (uint64_t[]){1, 1, 1}, (uint64_t[]){1, 3, 1}, (uint64_t[]){5, 117, 15});
    cr_expect_eq(p.dimension, plan_for(&m, 700, 700, 700).dimension);
    struct htmt__cannon_problem given = {200, 64, 10, 16, 3};
    cr_assert_eq(htmt__cannon_plan(&m, &given, &p, NULL), 0);
    expect_extents(&p, (uint64_t[]){3, 1, 1}, (uint64_t[]){3, 2, 1}, (uint64_t[]){16, 16, 5});
}

Test(plan, no_dimension_of_a_rectangle_takes_more_than_the_memories_hold)
{
    for (uint64_t rows = 1; rows < 4000; rows = rows * 3 + 1)
        for (uint64_t inner = 1; inner < 4000; inner = inner * 4 + 3)
            for (uint64_t cols = 1; cols < 4000; cols = cols * 5 + 2)
                for (uint32_t s = 1; s <= 3; s++) {
                    struct htmt_machine m = t_htmt_2007(s * s);
                    const uint64_t length[] = {rows, inner, cols};
                    m.layer[T_SRAM].memory.capacity = 30000;
                    m.layer[T_SRAM].memory.reserve = 0;
                    m.layer[T_CRAM].memory.capacity = m.layer[T_CRAM].memory.reserve + 2000;
                    struct htmt__cannon_plan p = plan_for(&m, rows, inner, cols);
                    cr_assert(p.inner_words <= 2000 && p.middle_words <= 30000);
                    for (int d = 0; d < 3; d++) {
                        uint64_t padded = htmt__cannon_padded(&p.of[d]);
                        cr_assert(padded >= length[d] &&
                                  padded - length[d] < s * (p.of[d].q * p.of[d].t + 1));
                    }
                }
}

/* k is divided among rows and columns of the grid: of 6 subblocks on 2 x 3 SPELLs, one has 2 of A
 * and 3 of B. */
Test(plan, a_grid_that_is_not_square_divides_k_by_the_common_multiple_of_its_sides)
{
    struct htmt_machine m = t_htmt_2007(6);
    struct htmt__cannon_problem problem = {50, 500, 40, 0, 0};
    struct htmt__cannon_plan p;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__cannon_plan_on(&m, &problem, 2, &p, NULL), 0);
    expect_extents(&p, (uint64_t[]){1, 1, 1}, (uint64_t[]){1, 1, 1}, (uint64_t[]){25, 84, 14});
    cr_expect(p.s == 6 && p.of[HTMT__CANNON_M].s == 2 && p.of[HTMT__CANNON_N].s == 3);
    cr_expect(htmt__cannon_cols(&p, 0) == 2 && htmt__cannon_rows(&p, 1) == 3);
    cr_expect_eq(p.middle_words, 25 * 2 * 84 + 3 * 84 * 14 + 25 * 14);
    cr_expect_eq(htmt__cannon_plan_on(&m, &problem, 4, &p, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "6 slices make no grid of 4 rows"), "%s", fault.text);
    cr_expect_eq(htmt__cannon_plan_on(&m, &problem, 7, &p, NULL), HTMT_EINVAL);
    m.layer[T_SRAM].memory.capacity = m.layer[T_SRAM].memory.reserve + 20;
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__cannon_plan_on(&m, &problem, 2, &p, &fault), HTMT_ECAPACITY);
    cr_expect(strstr(fault.text, "3 bundles of 3 x 3 words"), "%s", fault.text);
}

Test(plan, on_any_grid_plans_fit_the_memories_and_cover_the_problem)
{
    for (uint32_t slices = 1; slices <= 24; slices++)
        for (uint64_t rows = 1; rows <= slices; rows++)
            for (uint64_t n = 1; n < 4000 && slices % rows == 0; n = n * 3 + 2)
                for (uint64_t given = 0; given <= 10; given += 10) {
                    struct htmt_machine m = t_htmt_2007(slices);
                    struct htmt__cannon_problem problem = {n, 4000 / n, 1 + n % 70, given, given};
                    struct htmt__cannon_plan p;
                    m.layer[T_SRAM].memory.capacity = 30000;
                    m.layer[T_SRAM].memory.reserve = 0;
                    m.layer[T_CRAM].memory.capacity = m.layer[T_CRAM].memory.reserve + 2000;
                    if (htmt__cannon_plan_on(&m, &problem, rows, &p, NULL))
                        continue; /* DRAM, of a given t */
                    cr_assert(p.inner_words <= 2000 && p.middle_words <= 30000);
                    for (int d = 0; d < 3; d++)
                        cr_assert_geq(
                            htmt__cannon_padded(&p.of[d]),
                            htmt__cannon_length(&problem, (enum htmt__cannon_dimension)d));
                }
}

/* Every bound that the rule promises, for many sizes and memories. */
Test(plan, every_plan_covers_its_problem_fits_its_memories_and_pads_less_than_one_subblock_row)
{
    for (uint32_t s = 1; s <= 5; s++)
        for (uint64_t n = 1; n < 3000; n += 37)
            for (uint64_t sram = 12; sram < 60000; sram = sram * 3 + 5) {
                struct htmt_machine m = t_htmt_2007(s * s);
                m.layer[T_SRAM].memory.capacity = sram;
                m.layer[T_SRAM].memory.reserve = 0;
                m.layer[T_CRAM].memory.capacity = m.layer[T_CRAM].memory.reserve + 7 * n / 3 + 7;
                struct htmt__cannon_plan p = plan_for(&m, n, n, n);
                uint64_t room = htmt_machine_room(&m, T_CRAM);
                cr_assert_eq(p.dimension, p.q * p.t * p.s * p.b_c);
                cr_assert(p.dimension >= n && p.dimension - n < p.s * (p.q * p.t + 1));
                cr_assert(7 * p.b_c * p.b_c <= room && 3 * p.t * p.b_c * p.t * p.b_c <= sram);
                cr_assert(7 * (p.b_c_most + 1) * (p.b_c_most + 1) > room ||
                          3 * (p.b_c_most + 1) * (p.b_c_most + 1) > sram);
                cr_assert(3 * (p.t_most + 1) * p.b_c * (p.t_most + 1) * p.b_c > sram);
            }
}

Test(plan, given_block_sizes_stay_and_the_rest_follows)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_plan p;
    struct htmt__cannon_problem problem = {1024, 1024, 1024, 100, 0};
    cr_assert_eq(htmt__cannon_plan(&m, &problem, &p, NULL), 0);
    cr_expect(p.b_c == 100 && p.t == 3 && p.q == 1 && p.dimension == 1200);
    problem = (struct htmt__cannon_problem){1024, 1024, 1024, 0, 2};
    cr_assert_eq(htmt__cannon_plan(&m, &problem, &p, NULL), 0);
    cr_expect(p.b_c == 64 && p.t == 2 && p.q == 2 && p.dimension == 1024);
    problem = (struct htmt__cannon_problem){1024, 1024, 1024, 32, 2};
    cr_assert_eq(htmt__cannon_plan(&m, &problem, &p, NULL), 0);
    cr_expect(p.b_c == 32 && p.t == 2 && p.q == 4 && p.dimension == 1024);
}

Test(plan, block_sizes_that_do_not_fit_are_refused_with_the_arithmetic)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt_fault f =
        refusal(&m, (struct htmt__cannon_problem){1024, 1024, 1024, 150, 0}, HTMT_ECAPACITY);
    cr_expect_str_eq(f.text, "7 subblocks of 150 x 150 words = 157500 words, CRAM has 131072 - "
                             "21697 reserve = 109375");
    f = refusal(&m, (struct htmt__cannon_problem){1024, 1024, 1024, 125, 27}, HTMT_ECAPACITY);
    cr_expect_str_eq(f.text, "3 bundles of 3375 x 3375 words = 34171875 words, SRAM has 33554432 - "
                             "524288 reserve = 33030144");
    f = refusal(&m, (struct htmt__cannon_problem){1024, 1024, 1024, 0, 4000}, HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "3 bundles of 4000 x 4000 words = 48000000 words, SRAM"), "%s",
              f.text);
    m.layer[T_CRAM].memory.capacity = m.layer[T_CRAM].memory.reserve + 6;
    f = refusal(&m, (struct htmt__cannon_problem){4, 4, 4, 0, 0}, HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "7 subblocks of 1 x 1 words = 7 words, CRAM has 21703 - 21697"), "%s",
              f.text);
    m.layer[T_CRAM].memory.capacity = 10;
    f = refusal(&m, (struct htmt__cannon_problem){4, 4, 4, 0, 0}, HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "reserve = 0"), "%s", f.text);
}

Test(plan, matrices_that_no_layer_holds_are_refused)
{
    struct htmt_machine m = t_htmt_2007(1);
    m.layer[T_HRAM].memory.capacity = 1000;
    m.layer[T_DRAM].memory.capacity = 1000;
    struct htmt_fault f =
        refusal(&m, (struct htmt__cannon_problem){19, 19, 19, 0, 0}, HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "3 matrices' shares of 19 x 19 words = 1083 words, HRAM has 1000"),
              "%s", f.text);
    m.layer[T_HRAM].memory.capacity = 1083;
    m.layer[T_DRAM].memory.capacity = 1500;
    f = refusal(&m, (struct htmt__cannon_problem){19, 19, 19, 0, 0}, HTMT_ECAPACITY);
    cr_expect(strstr(f.text, "6 bundles of 19 x 19 words = 2166 words, DRAM has 1500"), "%s",
              f.text);
    cr_expect_eq(plan_for(&m, 12, 12, 12).home, T_DRAM);
}

Test(plan, machines_and_sizes_that_it_does_not_fit_are_refused)
{
    struct htmt_machine m = t_htmt_2007(12);
    struct htmt__cannon_problem problem = {8, 8, 8, 0, 0};
    cr_expect(strstr(refusal(&m, problem, HTMT_EINVAL).text, "12 slices make no square grid"));
    m = t_htmt_2007(4);
    m.network_count = 2;
    cr_expect(strstr(refusal(&m, problem, HTMT_EINVAL).text, "no network from CRAM to CRAM"));
    m = t_htmt_2007(4);
    m.layer_count = 2;
    refusal(&m, problem, HTMT_EINVAL);
    m = t_htmt_2007(4);
    m.layer[T_SRAM].processor.name[0] = '\0';
    cr_expect(strstr(refusal(&m, problem, HTMT_EINVAL).text, "SRAM has no processors"));
    m = t_htmt_2007(4);
    refusal(&m, (struct htmt__cannon_problem){8, 0, 8, 0, 0}, HTMT_ERANGE);
    refusal(&m, (struct htmt__cannon_problem){8, UINT64_C(1) << 32, 8, 0, 0}, HTMT_ERANGE);
    refusal(&m, (struct htmt__cannon_problem){8, 8, 8, UINT64_MAX, 2}, HTMT_ERANGE);
}
