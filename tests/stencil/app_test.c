/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The application: what its runs find out, and the end of one whose time step is too long.
 */
#include "apps/stencil/plan.h"
#include "tests/apps/asked.h"
#include "tests/apps/table.h"

#include <math.h>

static double figure(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->outcome.found_count; i++)
        if (strcmp(a->outcome.found[i].name, name) == 0)
            return a->outcome.found[i].value;
    cr_assert_fail("%s was not found", name);
    return 0;
}

/* That of the beginning, which one step has: c is 1, and u a sine, whose largest value is that of
 * a cell beside the crest. */
Test(stencil_app, finds_the_largest_speed_of_all_slices)
{
    static const char *const orders[] = {"blocks", "loops"};
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask_app(&a, &htmt_app_stencil, "htmt-oct98", 4, HTMT_RUN, NULL,
                GIVEN("cells", "16,16,8", "order", orders[i]));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(a.outcome.correct, 1);
        cr_assert_float_eq(figure(&a, "largest_speed"), 1 + 1e-4 * cos(M_PI / 16), 1e-12, "%s",
                           orders[i]);
        done(&a);
    }
}

/* The plan is the first of what the steps share. */
static int too_long(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    ((struct htmt__stencil_plan *)work)->dt *= 3;
    return htmt_app_stencil.create(task, work, e);
}

Test(stencil_app, a_step_beyond_the_limit_ends_the_run_in_a_line)
{
    struct htmt_app app = htmt_app_stencil;
    struct asked a;
    app.create = too_long;
    ask_app(&a, &app, "htmt-oct98", 4, HTMT_RUN, NULL, GIVEN("cells", "16,16,8", "steps", "3"));
    cr_assert_eq(run(&a), HTMT_ERANGE);
    cr_assert(strstr(a.fault.text, "step 0: dt = ") && strstr(a.fault.text, "of advection"), "%s",
              a.fault.text);
    done(&a);
}
