/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data of the page, in elements that do nothing by themselves: a binary is a zlib stream in base64,
 * whose characters end no element.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_ELEMENT_H
#define HTMT_EMUL_VIEW_PAGE_ELEMENT_H

#include "emul/view/page/bytes.h"

#include <stdio.h>

struct htmt__packer;

/* NULL: out of memory. */
struct htmt__packer *htmt__packer_create(void);
void htmt__packer_destroy(struct htmt__packer **p);

/* Appends the bytes to `out` as a zlib stream. `out` fails if `raw` has. */
void htmt__pack(struct htmt__packer *p, const struct htmt__bytes *raw, struct htmt__bytes *out);

/* Bytes that the element of a packed binary takes in the page, at most. */
uint64_t htmt__element_bytes(uint64_t packed);

/* The element "b-NUMBER". Errors of `out` stay in its ferror(). */
void htmt__element_write(FILE *out, unsigned number, const uint8_t *packed, size_t count);

#endif
