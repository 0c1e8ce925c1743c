/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that are the same on every host, and the numbers of a page read back.
 */
#ifndef HTMT_TESTS_PAGE_NUMBERS_H
#define HTMT_TESTS_PAGE_NUMBERS_H

#include "runtime/base/ratio.h"
#include "tests/runtime/draw.h"

#include <stdint.h>

static inline htmt_wide take_sum(const uint8_t **at)
{
    htmt_uwide value = 0;
    unsigned shift = 0;
    for (; **at & 0x80; shift += 7)
        value |= (htmt_uwide)(*(*at)++ & 0x7f) << shift;
    return (htmt_wide)(value | (htmt_uwide)(*(*at)++) << shift);
}

static inline uint64_t take_number(const uint8_t **at)
{
    return (uint64_t)take_sum(at);
}

static inline int64_t take_signed(const uint8_t **at)
{
    uint64_t value = take_number(at);
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

#endif
