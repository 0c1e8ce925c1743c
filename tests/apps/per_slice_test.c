/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/per_slice.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct record {
    HTMT_PER_SLICE char one;
    uint64_t eight[8];
};

Test(per_slice, records_are_zero_and_share_no_cache_line)
{
    struct record *of_slice = htmt_per_slice_create(3, sizeof *of_slice);
    cr_assert(of_slice);
    cr_expect_eq((uintptr_t)of_slice % 64, 0);
    cr_expect_eq(sizeof *of_slice % 64, 0);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect(!of_slice[i].one && !of_slice[i].eight[7]);
    free(of_slice);
}
