/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: numbers of variable length, LEB128 without a sign. Seven bits to a byte, the
 * lowest first; all bytes but the last have bit 7 set. By hand: 300 = 2 * 128 + 44 is 0xac 0x02.
 * Differences that may be negative go through a zigzag (0, -1, 1, -2 ... become 0, 1, 2, 3 ...), so
 * that small ones stay short.
 */
#ifndef HTMT_RUNTIME_BASE_LEB128_H
#define HTMT_RUNTIME_BASE_LEB128_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__LEB128_MOST 10 /* bytes of a number of 64 bits */

/* Writes the number at `at`, where there is room; returns the place behind it. */
static inline uint8_t *htmt__leb128_put(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* Reads a number that ends before `end`, and moves *at behind it; false: it does not, or has more
 * than 64 bits. */
static inline bool htmt__leb128_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint64_t byte = *(*at)++;
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

static inline uint64_t htmt__leb128_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

#endif
