/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/picture/palette.h"

#include <criterion/criterion.h>

Test(palette, states_have_the_keys_of_the_manifest_and_the_colours_of_okabe_and_ito_or_pauer)
{
    static const struct {
        const char *name;
        uint32_t okabe, pauer;
    } state[HTMT__STATES] = {{"startup", 0xF0E442, 0xFFFF00},  /* yellow */
                             {"transfer", 0x0072B2, 0x0000FF}, /* blue */
                             {"compute", 0x009E73, 0x00FF00},  /* green */
                             {"blocks", 0xE69F00, 0xFFA500},   /* orange */
                             {"blocked", 0xD55E00, 0xFF0000},  /* red */
                             {"flight", 0xCC79A7, 0xC080FF}};  /* purple */
    for (unsigned i = 0; i < HTMT__STATES; i++) {
        const enum htmt__activity a = (enum htmt__activity)i;
        cr_assert_str_eq(htmt__state_name(a), state[i].name);
        cr_assert_eq(htmt__state_colour(HTMT__PALETTE_DEFAULT, a), state[i].okabe);
        cr_assert_eq(htmt__state_colour(HTMT__PALETTE_GANTT, a), state[i].pauer);
    }
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
