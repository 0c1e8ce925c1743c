/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form against its own definition; the papers' figures are those of
 * emul/validate/golden.
 */
#include "apps/lib/task_parts.h"
#include "apps/pic/closed_form.h"
#include "apps/pic/settings.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>

static struct htmt__pic_plan paper_plan(const struct htmt_machine *m, bool eject)
{
    struct htmt__pic_costs costs = {0};
    struct htmt__pic_plan plan;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_costs_read(&(struct htmt_request){.costs = "costs/pic-hereld.yaml"},
                                      &costs, &fault),
                 0, "%s", fault.text);
    struct htmt__pic_problem problem = {.species = 1,
                                        .per_cell = {costs.per_cell},
                                        .edge = costs.edge,
                                        .parcels = 100,
                                        .eject = eject,
                                        .charges = costs.charges};
    cr_assert_eq(htmt__pic_plan(m, &problem, &plan, &fault), 0, "%s", fault.text);
    return plan;
}

/* With the CRAM of 1998 one parcel fills it: a place in CRAM is taken all the time, the SPELL is
 * not. */
Test(closed_form, one_parcel_fills_cram_and_the_period_is_the_loop_through_it)
{
    struct htmt_fault fault = {0};
    struct htmt_machine *m = machine_load("hereld-tables", NULL);
    struct htmt_machine one = *m;
    struct htmt__pic_prediction p;
    one.slices = 1;
    for (int eject = 0; eject < 2; eject++) {
        struct htmt__pic_plan plan = paper_plan(&one, eject);
        cr_assert_eq(htmt__pic_predict(&one, &plan, 1, &p, &fault), 0);
        cr_expect_eq(p.push.buffers, 1);
        cr_expect(p.push.period == p.push.loop);
        cr_expect(p.push.period == p.push.inject + p.push.execute + (eject ? p.push.eject : 0));
    }
    htmt_machine_destroy(&m);
}
