/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page is one file that a browser opens from a disk, where it may fetch nothing. So its data
 * lie in the page, in script elements of a type that no browser runs, which keep their text as it
 * is. Base64 costs a third more than the bytes, and contains no character that could end the
 * element. The page decodes and inflates an element when it first draws something of it.
 */
#include "emul/view/page/element.h"

#include <libdeflate.h>
#include <stdlib.h>

enum {
    LEVEL = 6, /* docs/timeline.md: what it costs */
    TAGS = 80, /* more than the characters around the data of an element */
    GROUPS = 1024,
};

struct htmt__packer {
    struct libdeflate_compressor *compressor;
};

struct htmt__packer *htmt__packer_create(void)
{
    struct htmt__packer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->compressor = libdeflate_alloc_compressor(LEVEL);
    if (!p->compressor)
        htmt__packer_destroy(&p);
    return p;
}

void htmt__packer_destroy(struct htmt__packer **p)
{
    if (*p)
        libdeflate_free_compressor((*p)->compressor);
    free(*p);
    *p = NULL;
}

void htmt__pack(struct htmt__packer *p, const struct htmt__bytes *raw, struct htmt__bytes *out)
{
    size_t bound = libdeflate_zlib_compress_bound(p->compressor, raw->count);
    htmt__bytes_reserve(out, bound);
    out->failed = out->failed || raw->failed;
    if (!out->failed)
        out->count += libdeflate_zlib_compress(p->compressor, raw->byte, raw->count,
                                               out->byte + out->count, bound);
}

uint64_t htmt__element_bytes(uint64_t packed)
{
    return (packed + 2) / 3 * 4 + TAGS;
}

/* Base64: four characters for three bytes, or for the 1 or 2 that are left. */
static void write_base64(FILE *out, const uint8_t *byte, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * GROUPS];
    size_t used = 0;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned bits = (unsigned)byte[i] << 16 |
                              (left > 1 ? (unsigned)byte[i + 1] << 8 : 0) |
                              (left > 2 ? byte[i + 2] : 0);
        text[used++] = digit[bits >> 18];
        text[used++] = digit[bits >> 12 & 63];
        text[used++] = left > 1 ? digit[bits >> 6 & 63] : '=';
        text[used++] = left > 2 ? digit[bits & 63] : '=';
        if (used == sizeof text || left <= 3) {
            fwrite(text, 1, used, out);
            used = 0;
        }
    }
}

void htmt__element_write(FILE *out, unsigned number, const uint8_t *packed, size_t count)
{
    fprintf(out, "<script type=\"application/octet-stream\" id=\"b-%u\">", number);
    write_base64(out, packed, count);
    fputs("</script>\n", out);
}
