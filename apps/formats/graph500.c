/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graph500's packed edges, which its reference reads and writes: 12 bytes each, little-endian: the
 * low 32 bits of both ends, then the upper 16 bits of the first and of the second. Edge 5 - 65537:
 *
 *     05 00 00 00  01 00 01 00  00 00 00 00
 */
#include "apps/formats/graph_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define EDGE_BYTES 12

static uint32_t low32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

int htmt__graph_read_500(const char *path, FILE *in, struct htmt__graph_list *list,
                         struct htmt_fault *fault)
{
    unsigned char at[EDGE_BYTES];
    uint32_t above = 0;
    size_t n;
    list->both = true;
    while ((n = fread(at, 1, sizeof at, in)) == sizeof at) {
        const uint32_t a = low32(at), b = low32(at + 4);
        if (low32(at + 8) || a > INT32_MAX || b > INT32_MAX)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "%s: edge %" PRIu64 " (from 0): found vertices %" PRIu64
                                  " and %" PRIu64 ", expected numbers below 2^31",
                                  path, list->count, a | (uint64_t)(low32(at + 8) & 0xffff) << 32,
                                  b | (uint64_t)(low32(at + 8) >> 16) << 32);
        above |= a | b;
        if (!htmt__graph_list_add(list, a, b, 1))
            return htmt__graph_no_memory(path, fault);
    }
    if (ferror(in))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", path, strerror(errno));
    if (n)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: truncated: found %zu bytes behind edge %" PRIu64
                              ", expected edges of 12 bytes",
                              path, n, list->count);
    /* The smallest power of two above all ids: that of their bits together. */
    list->vertices = above ? UINT32_C(2) << (31 - __builtin_clz(above)) : 1;
    return 0;
}
