/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sar/focus.h"

static void expect_near(struct focus f, const struct htmt__sar_input *in, double tolerance)
{
    struct focused out = focus(&f, in);
    double apart = focus_difference(&out, in);
    cr_expect_lt(apart, tolerance, "%g of %g; rcmc %d, single %d, %u patches", apart, tolerance,
                 out.cut.plan.rcmc, f.single, out.cut.patches);
    focus_free(&out);
}

Test(program, focuses_as_the_serial_program_does)
{
    struct htmt__sar_input in = focus_input(400, 512);
    for (int rcmc = HTMT__RCMC_ON; rcmc <= HTMT__RCMC_OFF; rcmc++)
        for (int lengths = HTMT__POWER_OF_TWO; lengths <= HTMT__FAST_LENGTH; lengths++) {
            struct focus f = {.rcmc = (enum htmt__sar_rcmc)rcmc,
                              .lengths = (enum htmt__sar_lengths)lengths};
            expect_near(f, &in, 1e-10);
            f.single = true;
            expect_near(f, &in, 1e-5);
        }
    htmt__sar_input_destroy(&in);
}
