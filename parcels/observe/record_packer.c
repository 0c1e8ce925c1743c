/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_packer.h"
#include "runtime/base/error.h"

#include <endian.h>
#include <libdeflate.h>
#include <stdlib.h>

#define LEVEL 1 /* the fastest one that makes the bytes fewer */

struct htmt__record_packer {
    struct libdeflate_compressor *deflater;
    uint8_t *raw, *packed;
};

/* ---- life ------------------------------------------------------------------------------------ */

int htmt__record_packer_create(struct htmt__record_packer **packer, size_t most)
{
    struct htmt__record_packer *p = *packer = calloc(1, sizeof *p);
    if (!p)
        return HTMT_ENOMEM;
    p->raw = malloc(most);
    p->packed = malloc(htmt__record_packed_most(most));
    p->deflater = libdeflate_alloc_compressor(LEVEL);
    if (p->raw && p->packed && p->deflater)
        return 0;
    htmt__record_packer_destroy(packer);
    return HTMT_ENOMEM;
}

void htmt__record_packer_destroy(struct htmt__record_packer **packer)
{
    struct htmt__record_packer *p = *packer;
    *packer = NULL;
    if (!p)
        return;
    libdeflate_free_compressor(p->deflater);
    free(p->packed);
    free(p->raw);
    free(p);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

size_t htmt__record_packed_most(size_t bytes)
{
    return libdeflate_zlib_compress_bound(NULL, bytes);
}

uint32_t htmt__record_crc(const void *bytes, size_t count)
{
    return htole32(libdeflate_crc32(0, bytes, count));
}

size_t htmt__record_pack_bytes(struct htmt__record_packer *p, const void *from, size_t bytes,
                               uint8_t *into)
{
    return libdeflate_zlib_compress(p->deflater, from, bytes, into,
                                    htmt__record_packed_most(bytes));
}

uint8_t *htmt__record_packer_buffer(struct htmt__record_packer *p)
{
    return p->raw;
}

struct htmt__record_packed htmt__record_pack(struct htmt__record_packer *p, size_t bytes)
{
    size_t count = htmt__record_pack_bytes(p, p->raw, bytes, p->packed);
    return (struct htmt__record_packed){.at = p->packed,
                                        .bytes = count,
                                        .raw_bytes = bytes,
                                        .crc = htmt__record_crc(p->packed, count)};
}
