/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The least and the greatest number of words used in each memory of a slice, by bin.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_FILL_H
#define HTMT_EMUL_VIEW_PAGE_FILL_H

#include "emul/view/page/bytes.h"
#include "parcels/emulator.h"

struct htmt__fill;

/* Bins as those of emul/view/page/pyramid.h; at first no words are used. NULL: out of memory. */
struct htmt__fill *htmt__fill_create(uint32_t layers, uint32_t bins, htmt_time bin);
void htmt__fill_destroy(struct htmt__fill **f);

/* From `at` on so many words are used; in order of time. `at` beyond the last bin counts in it. */
void htmt__fill_add(struct htmt__fill *f, uint32_t layer, htmt_time at, uint64_t words);

/* For each bin of the layer: least, greatest. Nothing can be added behind it. */
void htmt__fill_encode(struct htmt__fill *f, uint32_t layer, struct htmt__bytes *out);

#endif
