/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/history.h"

uint64_t htmt__history_combine(const uint64_t *states, size_t slices)
{
    uint64_t hash = slices;
    for (size_t i = 0; i < slices; i++)
        hash = htmt__history_step(hash, states[i] + HTMT__HISTORY_G);
    return hash;
}
