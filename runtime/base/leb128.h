/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: numbers in as few bytes as they need, as LEB128: seven bits to a byte, the
 * lowest first; all bytes but the last have the bit 0x80. 300 = 0b10'0101100 is AC 02.
 */
#ifndef HTMT_RUNTIME_BASE_LEB128_H
#define HTMT_RUNTIME_BASE_LEB128_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HTMT__LEB128_MOST 10 /* bytes of a number */

/* Signed numbers of small magnitude become small ones: 0, -1, 1, -2 are 0, 1, 2, 3. */
static inline uint64_t htmt__zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline uint64_t htmt__unzigzag(uint64_t code)
{
    return code >> 1 ^ (0 - (code & 1));
}

/* A number of at least 8 bits. The lowest 28 are spread over four bytes at once: two halves of 14
 * bits move 2 apart, then each half is cut into two of 7 bits, 1 apart. */
static inline uint8_t *htmt__leb128_put_long(uint8_t *at, uint64_t value)
{
    uint32_t low = (uint32_t)value & 0xfffffff;
    low = (low & 0x3fff) | (low & 0xfffc000) << 2;
    low = (low & 0x7f007f) | (low & 0x3f803f80) << 1;
    if (value >> 28 == 0) {
        unsigned bytes = ((unsigned)(32 - __builtin_clz((uint32_t)value)) * 9 + 64) >> 6;
        low |= UINT32_C(0x808080) >> (32 - 8 * bytes);
        memcpy(at, &low, sizeof low);
        return at + bytes;
    }
    low |= UINT32_C(0x80808080);
    memcpy(at, &low, sizeof low);
    at += sizeof low;
    for (value >>= 28; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at = (uint8_t)value;
    return at + 1;
}

/* Writes the number at `at`, where HTMT__LEB128_MOST bytes have room: some may be written that do
 * not count. Returns what is behind the number. */
static inline uint8_t *htmt__leb128_put(uint8_t *at, uint64_t value)
{
    if (value >= 0x80)
        return htmt__leb128_put_long(at, value);
    *at = (uint8_t)value;
    return at + 1;
}

bool htmt__leb128_take_long(const uint8_t **at, const uint8_t *end, uint64_t *value);

/* Reads a number of at most 64 bits and moves *at behind it. False: there is none before `end`. */
static inline bool htmt__leb128_take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    if (__builtin_expect(*at < end && **at < 0x80, 1)) {
        *value = *(*at)++;
        return true;
    }
    return htmt__leb128_take_long(at, end, value);
}

#endif
