/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An even first byte: a file. An odd one: what a block of replies, or of kept tables, has behind
 * its counts; it gets the CRC, the end and the trailer that it lacks.
 */
#include "parcels/walk/reply_file.h"
#include "tests/fuzz/input.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    uint8_t *at;
    size_t length;
};

static void put(struct writer *w, const void *bytes, size_t size)
{
    w->at = realloc(w->at, w->length + size + 1);
    memcpy(w->at + w->length, bytes, size);
    w->length += size;
}

/* Keys are 0, 1, ... */
static struct writer with_block(uint32_t count, const uint8_t *bytes, size_t size)
{
    struct writer w = {NULL, 0}, block = {NULL, 0};
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(1);
    const size_t most = libdeflate_deflate_compress_bound(deflater, size);
    uint8_t *packed = malloc(most);
    const uint32_t bytes_packed =
        (uint32_t)libdeflate_deflate_compress(deflater, bytes, size, packed, most);
    for (uint64_t key = 0; key < count; key++)
        put(&block, &key, sizeof key);
    put(&block, packed, bytes_packed);
    const uint32_t empty[2] = {0, libdeflate_crc32(0, NULL, 0)},
                   head[4] = {count, (uint32_t)size, bytes_packed,
                              libdeflate_crc32(0, block.at, block.length)},
                   end[4] = {UINT32_MAX, 0, 0, 0};
    const uint64_t sums[6] = {0, 0, 0, 0, count, count ? 0 : size};
    const uint32_t of_sums = libdeflate_crc32(0, sums, sizeof sums),
                   crc[2] = {of_sums, count % 2 ? ~of_sums : 0}; /* 0: of an earlier version */
    put(&w, "HTMTRPL\1", 8);
    put(&w, empty, sizeof empty);
    put(&w, head, sizeof head);
    put(&w, block.at, block.length);
    put(&w, end, sizeof end);
    put(&w, sums, sizeof sums);
    put(&w, crc, sizeof crc);
    put(&w, "HTMTRPE\1", 8);
    libdeflate_free_compressor(deflater);
    free(packed);
    free(block.at);
    return w;
}

/* Whatever is in it, it is of the size that was asked for. */
static void ask(struct htmt__reply_reader *r)
{
    char result[256], table[64];
    struct htmt_ops ops;
    for (uint64_t key = 4; key-- > 0;) {
        (void)htmt__reply_find(r, key, &ops, NULL, 0);
        (void)htmt__reply_find(r, key, NULL, result, sizeof result);
        (void)htmt__reply_find(r, key, &ops, result, 8);
    }
    for (size_t bytes = 0; bytes < sizeof table; bytes++)
        (void)htmt__reply_kept(r, table, bytes);
    (void)htmt__reply_left(r);
    htmt__reply_reader_destroy(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__reply_reader *reader = NULL;
    struct writer w = {NULL, 0};
    if (size < 2)
        return 0;
    if (bytes[0] % 2)
        w = with_block(bytes[0] / 2u, bytes + 1, size - 1);
    else
        put(&w, bytes + 1, size - 1);
    int rc = htmt__reply_reader_open(&reader, fuzz_file(".rec", w.at, w.length), NULL, &fault);
    fuzz_judge(rc, &fault);
    if (!rc)
        ask(reader);
    free(w.at);
    return 0;
}
