/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sar/focus.h"

#include <sys/resource.h>

/* Raw data, image and two frames: not the sanitizers' shadows. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static double most_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return 1024.0 * (double)u.ru_maxrss;
}

Test(memory, a_run_takes_at_most_three_and_a_half_times_its_patch)
{
    double before = most_bytes();
    struct htmt__sar_input in = focus_input(1024, 2048);
    for (int rcmc = HTMT__RCMC_OFF; rcmc >= HTMT__RCMC_ON; rcmc--) {
        struct focus f = {
            .threads = 2, .lengths = HTMT__FAST_LENGTH, .rcmc = (enum htmt__sar_rcmc)rcmc};
        struct focused out = focus(&f, &in);
        double patch = 1024.0 * 2048 * 16, takes = most_bytes() - before;
        cr_expect_lt(takes, 3.5 * patch, "%.2f patches, rcmc %d", takes / patch,
                     out.decomposition.plan.rcmc);
        focus_free(&out);
    }
    htmt__sar_input_destroy(&in);
}
#endif

/* The frames are given back; the reports stay. */
Test(memory, what_is_released_does_not_change_the_report)
{
    struct htmt__sar_input in = focus_input(320, 300);
    struct focused out = focus(&(struct focus){0}, &in);
    struct htmt_memory_report before, after;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_memory_at(out.emulator, out.decomposition.dram, &before), 0);
    htmt__sar_program_release(out.program);
    cr_assert_eq(htmt_memory_at(out.emulator, out.decomposition.dram, &after), 0);
    cr_expect_eq(after.peak, before.peak);
    cr_expect_lt(after.resident, before.resident);
    cr_expect_eq(htmt_audit(out.emulator, &fault), 0, "%s", fault.text);
    focus_free(&out);
    htmt__sar_input_destroy(&in);
}
