/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be asked of a model run, against each other and against the report of the emulator.
 */
#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/measure.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static struct htmt__quiet_run *run(const char *options)
{
    struct htmt__quiet_run *t = calloc(1, sizeof *t);
    struct htmt_fault fault = {0};
    cr_assert_not_null(t);
    cr_assert_eq(
        htmt__quiet_run_prepare(&htmt_app_cannon, options, "htmt-2007+2cram", NULL, 0, t, &fault),
        0, "%s", fault.text);
    cr_assert_eq(htmt__quiet_run_predict(t, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__quiet_run_emulate(t, &fault), 0, "%s", fault.text);
    return t;
}

static void drop(struct htmt__quiet_run *t)
{
    htmt__quiet_run_clear(t);
    free(t);
}

static double ask(const struct htmt__quiet_run *t, const char *measure)
{
    struct htmt__shown shown = {&t->outcome, t->prediction};
    struct htmt_fault fault = {0};
    double value = NAN;
    cr_assert_eq(htmt__expression(measure, htmt__measure, &shown, &value, &fault), 0, "%s: %s",
                 measure, fault.text);
    return value;
}

static void equal(const struct htmt__quiet_run *t, const char *a, const char *b)
{
    double x = ask(t, a), y = ask(t, b);
    cr_expect(fabs(x - y) <= 1e-12 * fabs(y), "%s is %.15g, %s is %.15g", a, x, b, y);
}

Test(measure, what_is_asked_in_two_ways_is_the_same)
{
    struct htmt__quiet_run *t = run("--size 1000 --slices 16 --block 125 --t 1 --schedule paper");
    equal(t, "mean Subblock Pair inject", "busy Subblock Pair inject / count Subblock Pair inject");
    equal(t, "used SPELL", "busy Block Multiply fiber");
    equal(t, "used DPIM",
          "busy Transform A execute + busy Transform B execute + busy Transform C execute");
    equal(t, "period (put) put on rti cram out",
          "[last (put) put on rti cram out - first (put) put on rti cram out] / "
          "[count (put) put on rti cram out - 1]");
    equal(t, "longest Block Multiply fiber", "term M_S");
    equal(t, "peak CRAM", "term CRAM");
    drop(t);
}

Test(measure, the_machine_is_the_one_that_was_asked_for)
{
    struct htmt__quiet_run *t =
        run("--size 64 --slices 4 --set layers.cram.memory.reserve=8 words");
    cr_expect_float_eq(ask(t, "slices"), 4, 0);
    cr_expect_float_eq(ask(t, "capacity CRAM"), 2 * 131072 - 8, 0);
    cr_expect_float_eq(ask(t, "servers cnet cram out"), 2, 0, "of a slice");
    cr_expect_float_eq(ask(t, "flop"), 2.0 * 64 * 64 * 64, 0);
    drop(t);
}

Test(measure, what_the_run_has_not_is_refused_by_name)
{
    static const char *const wrong[] = {"mean Push execute",
                                        "used FPGA",
                                        "peak TAPE",
                                        "term T, printed",
                                        "median Transform A execute",
                                        "busy",
                                        "mean Subblock Pair inject on SPELL"};
    struct htmt__quiet_run *t = run("--size 64 --slices 4");
    struct htmt__shown shown = {&t->outcome, t->prediction};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct htmt_fault fault = {0};
        double value;
        cr_expect_eq(htmt__expression(wrong[i], htmt__measure, &shown, &value, &fault), HTMT_EINVAL,
                     "%s", wrong[i]);
        cr_expect_neq(fault.text[0], '\0');
    }
    drop(t);
}
