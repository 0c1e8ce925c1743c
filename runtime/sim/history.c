/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/history.h"

uint64_t htmt__history_combine(const uint64_t *first, size_t stride, size_t slices)
{
    uint64_t hash = slices;
    for (size_t i = 0; i < slices; i++) {
        uint64_t state = *(const uint64_t *)(const void *)((const char *)first + i * stride);
        hash = htmt__history_step(hash, state + HTMT__HISTORY_G);
    }
    return hash;
}
