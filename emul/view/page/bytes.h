/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that grow, with the variable-length numbers of traces (docs/trace-format.md).
 */
#ifndef HTMT_EMUL_VIEW_PAGE_BYTES_H
#define HTMT_EMUL_VIEW_PAGE_BYTES_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is empty. A call that finds no memory sets `failed`, and so do all that follow. */
struct htmt__bytes {
    uint8_t *byte;
    size_t count, room;
    bool failed;
};

/* LEB128. A sum may need more than 64 bits. */
void htmt__bytes_number(struct htmt__bytes *b, uint64_t value);
void htmt__bytes_sum(struct htmt__bytes *b, htmt_wide value);  /* at least 0 */
void htmt__bytes_signed(struct htmt__bytes *b, int64_t value); /* zigzag */
void htmt__bytes_append(struct htmt__bytes *b, const void *bytes, size_t count);

/* Room for `more` bytes behind `count`. False: `failed`. */
bool htmt__bytes_reserve(struct htmt__bytes *b, size_t more);

/* The length of `part` as a number, then its bytes. */
void htmt__bytes_part(struct htmt__bytes *b, const struct htmt__bytes *part);

/* Empty, with the memory it had. */
void htmt__bytes_reset(struct htmt__bytes *b);
void htmt__bytes_clear(struct htmt__bytes *b);

#endif
