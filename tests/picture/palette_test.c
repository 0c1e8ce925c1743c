/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/picture/palette.h"

#include <criterion/criterion.h>

Test(palette, default_colours_are_okabe_and_itos)
{
    static const uint32_t colour[] = {0xF0E442, 0x0072B2, 0x009E73, 0xE69F00, 0xD55E00};
    for (unsigned i = 0; i < HTMT__STATES; i++)
        cr_assert_eq(htmt__state_colour(HTMT__PALETTE_DEFAULT, (enum htmt__activity)i), colour[i]);
}

Test(palette, gantt_colours_are_yellow_blue_green_orange_red)
{
    static const uint32_t colour[] = {0xFFFF00, 0x0000FF, 0x00FF00, 0xFFA500, 0xFF0000};
    for (unsigned i = 0; i < HTMT__STATES; i++)
        cr_assert_eq(htmt__state_colour(HTMT__PALETTE_GANTT, (enum htmt__activity)i), colour[i]);
}

Test(palette, states_have_the_manifest_s_keys_in_order)
{
    static const char *const name[] = {"startup", "transfer", "compute", "blocks", "blocked"};
    for (unsigned i = 0; i < HTMT__STATES; i++)
        cr_assert_str_eq(htmt__state_name((enum htmt__activity)i), name[i]);
}

Test(palette, text_is_black_on_light_and_white_on_dark)
{
    cr_assert_eq(htmt__text_colour(0xF0E442), 0x000000);
    cr_assert_eq(htmt__text_colour(0xffffff), 0x000000);
    cr_assert_eq(htmt__text_colour(0x0072B2), 0xffffff);
    cr_assert_eq(htmt__text_colour(0x0000FF), 0xffffff);
}

Test(palette, shares_darken_from_paper_to_the_blue_of_a_transfer)
{
    cr_assert_eq(htmt__share_colour(-1), htmt__share_colour(0));
    cr_assert_eq(htmt__share_colour(1), 0x0072B2);
    cr_assert_eq(htmt__share_colour(2), 0x0072B2);
    cr_assert_gt(htmt__share_colour(0.25) >> 16, htmt__share_colour(0.5) >> 16);
}
