/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/picture/time_axis.h"
#include "tests/picture/texts.h"

#include <criterion/criterion.h>

static struct htmt__sheet draw(htmt_time from, htmt_time to)
{
    struct htmt__sheet sheet = {0};
    struct htmt__time_axis axis = {from, to, 100, 1000};
    htmt__time_draw(&axis, &sheet, 0, 200);
    sheet.drawing.width = 1200;
    sheet.drawing.height = 200 + HTMT__TIME_AXIS_HEIGHT;
    expect_texts_apart(&sheet);
    return sheet;
}

Test(time_axis, the_unit_keeps_labels_short)
{
    static const struct {
        htmt_time to;
        const char *text[4];
    } axis[] = {{500 * INT64_C(1000000000), {"virtual time, us", "0", "50", "500"}},
                {3485041980400, {"virtual time, ms", "0.5", "3", "3"}}};
    for (unsigned i = 0; i < 2; i++) {
        struct htmt__sheet sheet = draw(0, axis[i].to);
        for (unsigned k = 0; k < 4; k++)
            find_text(&sheet, axis[i].text[k]);
        htmt__sheet_clear(&sheet);
    }
}

Test(time_axis, ends_of_virtual_time_have_ticks_and_no_overflow)
{
    struct htmt__sheet sheet = draw(HTMT_TIME_MAX - 1000, HTMT_TIME_MAX);
    cr_expect_eq(count_texts(&sheet, "virtual time after 9,223,372,036,854,77"), 1);
    htmt__sheet_clear(&sheet);
    sheet = draw(0, HTMT_TIME_MAX);
    find_text(&sheet, "virtual time, s");
    htmt__sheet_clear(&sheet);
    sheet = draw(0, 1);
    cr_expect_geq(sheet.drawing.count, 3);
    htmt__sheet_clear(&sheet);
}

Test(time_axis, instants_stand_in_proportion)
{
    struct htmt__time_axis axis = {100, 300, 50, 400};
    cr_expect_float_eq(htmt__time_place(&axis, 100), 50, 1e-9);
    cr_expect_float_eq(htmt__time_place(&axis, 200), 250, 1e-9);
    cr_expect_float_eq(htmt__time_place(&axis, 300), 450, 1e-9);
}
