/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of applications: those of the published generator, and ends of their ranges.
 */
#include "apps/lib/random.h"

#include <criterion/criterion.h>

/* From state 0, as Vigna's splitmix64.c has it. */
Test(random, the_sequence_is_that_of_splitmix64)
{
    const uint64_t sequence[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                 UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
    uint64_t state = 0;
    for (unsigned i = 0; i < sizeof sequence / sizeof *sequence; i++) {
        cr_expect_eq(htmt__random_of(i * HTMT__RANDOM_STEP), sequence[i]);
        cr_expect_eq(htmt__random_mix((i + 1) * HTMT__RANDOM_STEP), sequence[i]);
        cr_expect_eq(htmt__random_next(&state), sequence[i]);
    }
}

Test(random, any_element_is_a_chain_over_its_indices)
{
    uint64_t x = htmt__random_of(7);
    x = htmt__random_of(x ^ 1);
    x = htmt__random_of(x ^ 2);
    cr_expect_eq(htmt__random_at(7, 1, 2, 3), htmt__random_of(x ^ 3));
    cr_expect_eq(htmt__random_at(7, 1, 2, 3), UINT64_C(0x19ea39dd3e86f88e));
}

/* The mix goes without the step, as elements of prim have it, and results of runs stand on both. */
Test(random, the_mix_alone_is_another_number)
{
    cr_expect_eq(htmt__random_mix(0), 0);
    cr_expect_eq(htmt__random_mix(1), UINT64_C(0x5692161d100b05e5));
    uint64_t state = 0;
    cr_expect_eq(htmt__random_below(htmt__random_next(&state), 1000), 883);
    cr_expect_eq(htmt__random_below(htmt__random_next(&state), 1000), 431);
}

Test(random, ranges_have_their_ends)
{
    cr_expect_eq(htmt__random_below(0, 10), 0);
    cr_expect_eq(htmt__random_below(UINT64_MAX, 10), 9);
    cr_expect_eq(htmt__random_below(UINT64_MAX, 1), 0);
    cr_expect_eq(htmt__random_share(0), 0x1p-53);
    cr_expect_eq(htmt__random_share(UINT64_MAX), 1);
}
