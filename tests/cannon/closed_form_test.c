/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/closed_form.h"
#include "apps/lib/task_parts.h"
#include "tests/apps/listed.h"
#include "tests/cannon/machines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct htmt__cannon_prediction predict(const struct htmt_machine *m, uint64_t n,
                                              uint64_t b_c, uint64_t t)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction p;
    struct htmt__cannon_problem problem = {n, n, n, b_c, t};
    cr_assert_eq(htmt__cannon_plan(m, &problem, &plan, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__cannon_predict(m, &plan, &p, &fault), 0, "%s", fault.text);
    return p;
}

static const struct htmt_term *find(const struct htmt_prediction *prediction, const char *name)
{
    for (unsigned k = 0; k < prediction->count; k++)
        if (!strcmp(prediction->term[k].name, name))
            return &prediction->term[k];
    return NULL;
}

static double term(const struct htmt_machine *m, const struct htmt__cannon_prediction *p,
                   const char *name)
{
    struct htmt_prediction prediction = {.count = 0};
    struct htmt__cannon_prediction of = *p;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__cannon_tell(m, &of, &prediction, &fault), 0, "%s", fault.text);
    return find(&prediction, name)->value;
}

/* By hand, in femtoseconds: t b_c = 3250 words a side, 970,000 and 420,000 fs a word, 3000 fs a
 * flop, 16.7e9 words a second. */
Test(closed_form, service_times_are_exact_to_the_femtosecond)
{
    struct htmt_machine m = t_htmt_2007(4096);
    struct htmt__cannon_times t = predict(&m, 208000, 125, 26).times;
    cr_expect_eq(t.d_t, INT64_C(2) * 3250 * 3250 * 65 * 970000);
    cr_expect_eq(t.d_t_c, INT64_C(2) * 3250 * 3250 * 970000);
    cr_expect_eq(t.ip_ds, INT64_C(3250) * 3250 * 970000);
    cr_expect_eq(t.op_sd, t.ip_ds);
    cr_expect_eq(t.ip_sc, INT64_C(6562500000));
    cr_expect_eq(t.op_cs, t.ip_sc);
    cr_expect_eq(t.m_s, INT64_C(11718750000));
    cr_expect_eq(t.d_s, INT64_C(935628743)); /* 935628742.51... */
}

/* 1.0844654... s on 16 slices, as an integer sum of the parts above. */
Test(closed_form, totals_are_exact_sums_of_service_times)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_prediction p = predict(&m, 13000, 125, 26);
    int64_t words = 3250 * 3250, transforms = (4 * 5 + 2) * words * 970000;
    int64_t bundles = 3 * words * 970000, multiply = INT64_C(17576) * 4 * 11718750000;
    int64_t eject = INT64_C(676) * 6562500000, inject = 2 * INT64_C(6562500000);
    cr_expect(p.total[HTMT__CANNON_PAPER] ==
              transforms + bundles + multiply + eject + 17576 * inject);
    cr_expect(p.total[HTMT__CANNON_OVERLAPPED] == transforms + bundles + multiply + eject + inject);
}

Test(closed_form, a_machine_short_of_injection_is_bound_by_it_when_overlapped)
{
    struct htmt_machine m = t_htmt_2007(16);
    m.layer[T_SRAM].memory.access = (struct htmt_ratio){4200000, 1};
    struct htmt__cannon_prediction p = predict(&m, 13000, 125, 26);
    int64_t pair = 2 * INT64_C(15625) * 4200000;
    htmt_wide steps = 2 * (htmt_wide)p.times.m_s; /* of four, before a pair is asked for */
    htmt_wide rest = 3 * (htmt_wide)p.times.ip_ds + p.transforms + pair / 2;
    cr_expect(p.total[HTMT__CANNON_OVERLAPPED] ==
              rest + 17576 * (htmt_wide)pair + 17575 * steps + 2 * steps);
}

Test(closed_form, the_overlapped_schedule_is_never_slower_and_lies_between_max_and_sum)
{
    for (uint32_t s = 1; s <= 8; s++)
        for (uint64_t n = 100; n < 20000; n = n * 3 + 1) {
            struct htmt_machine m = t_htmt_2007(s * s);
            struct htmt__cannon_prediction p = predict(&m, n, 0, 0);
            htmt_wide side = (htmt_wide)(p.plan.q * p.plan.t), blocks = side * side * side;
            htmt_wide multiply = blocks * p.plan.s * p.times.m_s;
            htmt_wide inject = blocks * 2 * p.times.ip_sc;
            cr_expect(p.total[HTMT__CANNON_OVERLAPPED] <= p.total[HTMT__CANNON_PAPER]);
            cr_expect(p.total[HTMT__CANNON_OVERLAPPED] > (multiply > inject ? multiply : inject));
        }
}

/* Footnote 2 of Amaral et al. holds at the nominal point and fails for slow DRAM, fast SPELLs. */
Test(closed_form, transforms_that_cannot_hide_are_reported)
{
    struct htmt_machine m = t_htmt_2007(4096);
    struct htmt__cannon_prediction p = predict(&m, 2080000, 125, 26);
    cr_expect(p.transforms <= p.product[HTMT__CANNON_OVERLAPPED]);
    cr_expect(term(&m, &p, "transforms left out") == 0);
    m.layer[T_DRAM].processor.time[HTMT_LOAD] = T_NS(9.7);
    m.layer[T_DRAM].processor.time[HTMT_STORE] = T_NS(9.7);
    p = predict(&m, 2080000, 125, 26);
    cr_expect(p.transforms > p.product[HTMT__CANNON_OVERLAPPED]);
    cr_expect_float_eq(term(&m, &p, "transforms left out"),
                       999e-15 * (double)(p.transforms - p.product[HTMT__CANNON_OVERLAPPED]), 1e-9);
}

Test(closed_form, padding_costs_time_but_earns_no_flop)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_prediction small = predict(&m, 1029, 0, 0), full = predict(&m, 1032, 0, 0);
    cr_expect(small.total[0] == full.total[0] && small.machine_flops == full.machine_flops);
    cr_expect(small.flops == 2 * (htmt_uwide)1029 * 1029 * 1029);
    cr_expect(term(&m, &small, "rate, paper") < term(&m, &full, "rate, paper"));
}

Test(closed_form, latencies_count_once_a_move)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_times without = predict(&m, 1000, 0, 0).times;
    m.network[T_VORTEX].latency = 85000000;
    m.network[T_RTI].latency = 20000000;
    m.network[T_CNET].latency = 3;
    struct htmt__cannon_times with = predict(&m, 1000, 0, 0).times;
    cr_expect(with.ip_ds - without.ip_ds == 85000000 && with.op_sd - without.op_sd == 85000000);
    cr_expect(with.ip_sc - without.ip_sc == 20000000 && with.op_cs - without.op_cs == 20000000);
    cr_expect(with.d_s - without.d_s == 3 && with.m_s == without.m_s);
}

Test(closed_form, transforms_use_all_processors_that_the_memory_serves)
{
    struct htmt_machine m = t_htmt_2007(16);
    htmt_time one = predict(&m, 1024, 64, 4).times.d_t;
    m.layer[T_DRAM].memory.ports = 4;
    cr_expect_eq(predict(&m, 1024, 64, 4).times.d_t, one / 4);
    m.layer[T_DRAM].memory.ports = 0;
    cr_expect_eq(predict(&m, 1024, 64, 4).times.d_t, one / 128);
}

Test(closed_form, one_spell_alone_exchanges_nothing)
{
    struct htmt_machine m = t_htmt_2007(1);
    struct htmt__cannon_prediction p = predict(&m, 3250, 125, 26);
    cr_expect_eq(p.times.d_s, 0);
    cr_expect(p.total[HTMT__CANNON_PAPER] ==
              p.transforms + 3 * (htmt_wide)p.times.ip_ds +
                  17576 * (2 * (htmt_wide)p.times.ip_sc + p.times.m_s) +
                  676 * (htmt_wide)p.times.op_cs);
}

Test(closed_form, what_overflows_is_refused)
{
    struct htmt_machine m = t_htmt_2007(1);
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction p;
    struct htmt_fault fault = {0};
    struct htmt__cannon_problem problem = {100000, 100000, 100000, 125, 26};
    cr_assert_eq(htmt__cannon_plan(&m, &problem, &plan, NULL), 0);
    m.layer[T_CRAM].processor.time[HTMT_FLOP] = (struct htmt_ratio){HTMT_SECOND, 1};
    cr_expect_eq(htmt__cannon_predict(&m, &plan, &p, &fault), HTMT_EOVERFLOW);
    cr_expect(strstr(fault.text, "more than 9223 s"), "%s", fault.text);
    m = t_htmt_2007(1);
    m.network[T_RTI].latency = HTMT_TIME_MAX / 2;
    plan.t = 1 << 11;
    plan.q = 1 << 11;
    fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__cannon_predict(&m, &plan, &p, &fault), HTMT_EOVERFLOW);
    cr_expect(strstr(fault.text, "128 bits"), "%s", fault.text);
}

Test(closed_form, every_term_has_its_own_name_and_an_expression)
{
    struct htmt_machine m = t_htmt_2007(16);
    struct htmt__cannon_prediction p = predict(&m, 1024, 0, 0);
    struct htmt_prediction prediction = {.count = 0};
    cr_assert_eq(htmt__cannon_tell(&m, &p, &prediction, NULL), 0);
    cr_expect_str_eq(prediction.term[0].inputs, "q = 1, t = 3, s = 4, b_c = 86");
    for (unsigned k = 0; k < prediction.count; k++) {
        cr_expect(strlen(prediction.term[k].expression) > 0 && strlen(prediction.term[k].unit) > 0);
        cr_expect_eq(find(&prediction, prediction.term[k].name), &prediction.term[k]);
    }
    cr_expect_null(find(&prediction, "no such term"));
}

/* The texts count what the parcel program charges. */
static void check_count(const struct htmt_prediction *prediction, const char *name, uint64_t count)
{
    struct htmt_exact value;
    const struct htmt_term *t = find(prediction, name);
    char text[sizeof t->expression];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(t->expression, ":"), t->expression);
    cr_assert_eq(htmt__formula(text, t_read_listed, (void *)t->values, &value, NULL), 0, "%s",
                 name);
    cr_expect(value.den == 1 && value.num == (htmt_wide)count, "%s", name);
}

Test(closed_form, texts_count_what_the_program_charges)
{
    struct htmt_machine m = t_htmt_2007(16);
    for (uint64_t n = 100; n < 20000; n = n * 3 + 1) {
        struct htmt__cannon_prediction p = predict(&m, n, 0, 0);
        struct htmt_prediction prediction = {.count = 0};
        p.plan.charges = (struct htmt__cannon_charges){n, 3, 5, true};
        cr_assert_eq(htmt__cannon_tell(&m, &p, &prediction, NULL), 0);
        uint64_t subblock = p.plan.b_c * p.plan.b_c, words = p.plan.t * p.plan.t * subblock;
        check_count(&prediction, "D_t[A]", p.plan.charges.accesses * words * (p.plan.s + 1));
        check_count(&prediction, "D_t[B]", p.plan.charges.accesses * words * (p.plan.s + 1));
        check_count(&prediction, "D_t[C]", p.plan.charges.accesses_c * words);
        check_count(&prediction, "M_S", p.plan.charges.flop * subblock * p.plan.b_c);
        check_count(&prediction, "IP_DS", words);
        check_count(&prediction, "OP_SD", words);
        check_count(&prediction, "IP_SC", subblock);
        check_count(&prediction, "OP_CS", subblock);
        check_count(&prediction, "D_S", subblock);
        check_count(&prediction, "CRAM", p.plan.inner_words);
        check_count(&prediction, "SRAM", p.plan.middle_words);
        check_count(&prediction, "DRAM", p.plan.outer_words);
    }
}

/* 10 x 12 times 12 x 8 on 2 x 3 SPELLs: 6 subblocks of k of 2, of which a slice has 2 of A and 3 of
 * B. */
Test(closed_form, texts_of_panels_count_what_the_program_charges)
{
    struct htmt_machine m = t_htmt_2007(6);
    struct htmt__cannon_problem problem = {10, 12, 8, 0, 0};
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction p;
    struct htmt_prediction prediction = {.count = 0};
    cr_assert_eq(htmt__cannon_plan_on(&m, &problem, 2, &plan, NULL), 0);
    plan.charges = (struct htmt__cannon_charges){7, 3, 5, true};
    cr_assert_eq(htmt__cannon_predict(&m, &plan, &p, NULL), 0);
    cr_assert_eq(htmt__cannon_tell(&m, &p, &prediction, NULL), 0);
    cr_expect(strstr(prediction.term[0].inputs, "grid 2 x 3, s = 6"), "%s",
              prediction.term[0].inputs);
    check_count(&prediction, "D_t[A]", 3 * 5 * 4 * (3 + 1));
    check_count(&prediction, "D_t[B]", 3 * 6 * 3 * (3 + 1));
    check_count(&prediction, "D_t[C]", 5 * 5 * 3);
    check_count(&prediction, "IP_DS[A]", 5 * 4);
    check_count(&prediction, "IP_DS[B]", 6 * 3);
    check_count(&prediction, "IP_SC[A]", 5 * 2);
    check_count(&prediction, "IP_SC[B]", 2 * 3);
    check_count(&prediction, "M_S", 7 * 5 * 2 * 3);
    check_count(&prediction, "D_S[A]", 5 * 2);
    check_count(&prediction, "D_S[B]", 2 * 3);
    check_count(&prediction, "OP_CS", 5 * 3);
    check_count(&prediction, "CRAM", p.plan.inner_words);
    check_count(&prediction, "SRAM", p.plan.middle_words);
    check_count(&prediction, "DRAM", p.plan.outer_words);
    for (unsigned k = 0; k < prediction.count; k++)
        cr_expect_eq(find(&prediction, prediction.term[k].name), &prediction.term[k]);
}
