/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/leb128.h"

bool htmt__leb128_take_long(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint64_t byte = *(*at)++;
        if (shift == 63 && byte > 1)
            return false;
        sum |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return false;
}
