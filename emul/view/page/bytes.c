/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lack of memory is kept, as a failed write is in a stream: encoders append thousands of numbers
 * and ask once at the end. A sum of times needs 128 bits, of which LEB128 takes 19 bytes.
 */
#include "emul/view/page/bytes.h"

#include "runtime/base/array.h"
#include "runtime/base/leb128.h"

#include <stdlib.h>
#include <string.h>

enum { SUM_MOST = 19, ROOM_LEAST = 4096 };

bool htmt__bytes_reserve(struct htmt__bytes *b, size_t more)
{
    const size_t need = b->count + more;
    if (!b->failed && b->room - b->count < more)
        b->failed = !htmt__array_fits(&b->byte, &b->room, need < ROOM_LEAST ? ROOM_LEAST : need, 1);
    return !b->failed;
}

void htmt__bytes_number(struct htmt__bytes *b, uint64_t value)
{
    if (!htmt__bytes_reserve(b, SUM_MOST))
        return;
    b->count = (size_t)(htmt__leb128_put(b->byte + b->count, value) - b->byte);
}

void htmt__bytes_sum(struct htmt__bytes *b, htmt_wide value)
{
    htmt_uwide rest = (htmt_uwide)value;
    if (!htmt__bytes_reserve(b, SUM_MOST))
        return;
    for (; rest >= 0x80; rest >>= 7)
        b->byte[b->count++] = (uint8_t)(rest | 0x80);
    b->byte[b->count++] = (uint8_t)rest;
}

void htmt__bytes_signed(struct htmt__bytes *b, int64_t value)
{
    htmt__bytes_number(b, htmt__zigzag(value));
}

void htmt__bytes_append(struct htmt__bytes *b, const void *bytes, size_t count)
{
    if (!count || !htmt__bytes_reserve(b, count))
        return;
    memcpy(b->byte + b->count, bytes, count);
    b->count += count;
}

void htmt__bytes_part(struct htmt__bytes *b, const struct htmt__bytes *part)
{
    htmt__bytes_number(b, part->count);
    htmt__bytes_append(b, part->byte, part->count);
    b->failed = b->failed || part->failed;
}

void htmt__bytes_reset(struct htmt__bytes *b)
{
    b->count = 0;
}

void htmt__bytes_clear(struct htmt__bytes *b)
{
    free(b->byte);
    memset(b, 0, sizeof *b);
}
