/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --table of an application beside --table csv:FILE of the command.
 */
#include "emul/lib/options/options.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>

static struct htmt__options parsed(const struct htmt_app *app, int argc, char **argv)
{
    struct htmt__options o;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__options_parse(app, argc, argv, &o, &fault), 0, "%s", fault.text);
    return o;
}

Test(shared_option, a_table_of_the_application_is_its_own)
{
    struct htmt__options o = parsed(&htmt_app_traffic, 2, (char *[]){"--table", "stages"});
    cr_assert_null(o.common[HTMT__TABLE]);
    cr_assert_str_eq(o.own[0], "stages");
    o = parsed(&htmt_app_traffic, 1, (char *[]){"--table=stages"});
    cr_assert_str_eq(o.own[0], "stages");
}

Test(shared_option, csv_is_for_the_command_and_both_may_be_given)
{
    struct htmt__options o =
        parsed(&htmt_app_traffic, 4, (char *[]){"--table", "csv:a.csv", "--table", "stages"});
    cr_assert_str_eq(o.common[HTMT__TABLE], "csv:a.csv");
    cr_assert_str_eq(o.own[0], "stages");
}

Test(shared_option, other_applications_have_the_command_s_alone)
{
    struct htmt__options o = parsed(&htmt_app_cannon, 2, (char *[]){"--table", "stages"});
    cr_assert_str_eq(o.common[HTMT__TABLE], "stages");
}
