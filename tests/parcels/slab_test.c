/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/data/slab.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum { RECORDS = 3000 };

static size_t size_of(unsigned i)
{
    return 1 + i * 37u % (HTMT__SLAB_UNIT * (HTMT__SLAB_CLASSES + 4));
}

Test(slab, records_do_not_share_bytes_and_begin_at_lines)
{
    struct htmt__slab slab = {0};
    static unsigned char *record[RECORDS];
    for (unsigned i = 0; i < RECORDS; i++) {
        cr_assert_not_null(record[i] = htmt__slab_take(&slab, size_of(i)));
        cr_assert(size_of(i) > HTMT__SLAB_UNIT * HTMT__SLAB_CLASSES ||
                  (uintptr_t)record[i] % HTMT__SLAB_UNIT == 0);
        memset(record[i], (int)(i % 251), size_of(i));
    }
    for (unsigned i = 0; i < RECORDS; i++) {
        cr_assert_eq(record[i][0], i % 251);
        cr_assert_eq(record[i][size_of(i) - 1], i % 251);
        htmt__slab_give(&slab, record[i], size_of(i));
    }
    htmt__slab_fini(&slab);
}

Test(slab, what_was_given_back_last_is_taken_first)
{
    struct htmt__slab slab = {0};
    void *first = htmt__slab_take(&slab, 100), *second = htmt__slab_take(&slab, 120);
    htmt__slab_give(&slab, first, 100);
    htmt__slab_give(&slab, second, 120);
    cr_expect_eq(htmt__slab_take(&slab, 65), second, "both have two units");
    cr_expect_eq(htmt__slab_take(&slab, 128), first);
    htmt__slab_give(&slab, first, 128);
    htmt__slab_give(&slab, second, 65);
    htmt__slab_give(&slab, NULL, 1);
    htmt__slab_fini(&slab);
}
