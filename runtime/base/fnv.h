/* SPDX-License-Identifier: BSD-3-Clause
 *
 * FNV-1a, 64 bit: what tells two machines or two sets of costs apart. Not for adversaries.
 */
#ifndef HTMT_RUNTIME_BASE_FNV_H
#define HTMT_RUNTIME_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define HTMT__HASH_BASIS UINT64_C(0xcbf29ce484222325)
#define HTMT__HASH_PRIME UINT64_C(0x100000001b3)

static inline void htmt__hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ at[i]) * HTMT__HASH_PRIME;
}

/* Least significant byte first, whatever the host. */
static inline void htmt__hash_u64(uint64_t *hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        htmt__hash_bytes(hash, &byte, 1);
    }
}

#endif
