/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/per_slice.h"

#include <stdlib.h>
#include <string.h>

void *htmt_per_slice_create(uint32_t slices, size_t bytes)
{
    void *at = aligned_alloc(HTMT_PER_SLICE_BYTES, slices * bytes);
    if (at)
        memset(at, 0, slices * bytes);
    return at;
}
