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

/* The largest c + |u_a| of the vortex at the beginning, in so many cells from a corner of the
 * box on. */
static double largest_speed(const uint32_t cells[3], const uint32_t n[3])
{
    const struct htmt__stencil_gas gas = {.gamma = 1.4, .cv = 2.5, .h = 1.0 / cells[0]};
    double most = 0;
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const uint32_t cell[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        double u[HTMT__STENCIL_FIELDS], moves = 0;
        htmt__stencil_case_at(HTMT__STENCIL_VORTEX, &gas, cells, cell, 0, 1, u);
        for (unsigned a = 1; a <= 3; a++)
            moves += u[a] * u[a] / u[0];
        const double c = sqrt(gas.gamma * (gas.gamma - 1) * (u[4] - moves / 2) / u[0]);
        for (unsigned a = 1; a <= 3; a++)
            most = fmax(most, c + fabs(u[a]) / u[0]);
    }
    return most;
}

/* That of the beginning, which one step has. The slice that tells it is in a corner of the box, far
 * from the vortex, where speeds are less. */
Test(stencil_app, finds_the_largest_speed_of_all_slices)
{
    static const char *const orders[] = {"blocks", "loops"};
    static const uint32_t cells[] = {32, 32, 8}, tile[] = {8, 8, 8};
    const double most = largest_speed(cells, cells);
    cr_assert_lt(largest_speed(cells, tile), most - 0.1);
    for (int i = 0; i < 2; i++) {
        struct asked a;
        ask_app(&a, &htmt_app_stencil, "htmt-oct98", 16, HTMT_RUN, NULL,
                GIVEN("cells", "32,32,8", "case", "vortex", "order", orders[i]));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(a.outcome.correct, 1);
        cr_assert_float_eq(figure(&a, "largest_speed"), most, 1e-12, "%s: %.17g, not %.17g",
                           orders[i], figure(&a, "largest_speed"), most);
        done(&a);
    }
}

Test(stencil_app, parcels_have_the_fields_of_the_serial_program_to_1e_13)
{
    static const char *const orders[] = {"blocks", "loops"};
    for (int order = 0; order < 2; order++)
        for (int which = 0; which < HTMT__STENCIL_CASES; which++) {
            struct asked a;
            ask_app(&a, &htmt_app_stencil, "htmt-oct98", 4, HTMT_RUN, NULL,
                    GIVEN("cells", "16,16,8", "steps", "2", "order", orders[order], "case",
                          htmt__stencil_case_words[which]));
            cr_assert_eq(run(&a), 0, "%s", a.fault.text);
            cr_assert_eq(a.outcome.correct, 1, "%s, %s", htmt__stencil_case_words[which],
                         orders[order]);
            done(&a);
        }
}

/* The plan is the first of what the steps share. The serial program gets a gas that sticks more. */
static int other_gas(struct htmt_task *task, void *work)
{
    ((struct htmt__stencil_plan *)work)->gas.eta *= 1 + 1e-6;
    return htmt_app_stencil.check(task, work);
}

Test(stencil_app, fields_of_another_gas_are_not_correct)
{
    struct htmt_app app = htmt_app_stencil;
    struct asked a;
    app.check = other_gas;
    ask_app(&a, &app, "htmt-oct98", 2, HTMT_RUN, NULL,
            GIVEN("cells", "16,8,8", "case", "manufactured"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    cr_assert_eq(a.outcome.correct, 0);
    done(&a);
}

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

/* In a box of unequal edges the cell behind the last one is the first one again. */
Test(stencil_app, fields_go_on_across_the_edges_of_the_box)
{
    static const uint32_t cells[3] = {24, 40, 8};
    const struct htmt__stencil_gas gas = {.gamma = 1.4, .cv = 2.5, .h = 1.0 / cells[0]};
    for (int which = 0; which < HTMT__STENCIL_CASES; which++)
        for (unsigned a = 0; a < 3; a++)
            for (uint32_t i = 0; i < 8; i++) {
                uint32_t first[3] = {i, i, i}, behind[3];
                double u[HTMT__STENCIL_FIELDS], v[HTMT__STENCIL_FIELDS];
                first[a] = 0;
                memcpy(behind, first, sizeof behind);
                behind[a] = cells[a];
                htmt__stencil_case_at((enum htmt__stencil_case)which, &gas, cells, first, 0, 1, u);
                htmt__stencil_case_at((enum htmt__stencil_case)which, &gas, cells, behind, 0, 1, v);
                for (unsigned c = 0; c < HTMT__STENCIL_FIELDS; c++)
                    cr_assert_float_eq(u[c], v[c], 1e-13, "case %d, axis %u", which, a);
            }
}
