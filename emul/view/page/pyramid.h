/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of times by row and bin. They are exact: whatever is added appears to the femtosecond, so
 * the sum over the bins is the sum over the intervals. The page sums pairs of bins for the levels
 * above.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_PYRAMID_H
#define HTMT_EMUL_VIEW_PAGE_PYRAMID_H

#include "emul/view/page/bytes.h"
#include "parcels/emulator.h"

enum htmt__quantity {
    HTMT__BUSY,
    HTMT__WAITING, /* in a line, and holds no place */
    HTMT__BLOCKED, /* in a line or at a full memory, and holds the place where it was */
    HTMT__QUANTITIES
};

struct htmt__pyramid;

/* Bin i is [i * bin, (i + 1) * bin). NULL: out of memory. */
struct htmt__pyramid *htmt__pyramid_create(uint32_t rows, uint32_t bins, htmt_time bin);
void htmt__pyramid_destroy(struct htmt__pyramid **p);

/* 0 <= from <= to <= bins * bin. */
void htmt__pyramid_add(struct htmt__pyramid *p, uint32_t row, enum htmt__quantity quantity,
                       htmt_time from, htmt_time to);

htmt_wide htmt__pyramid_sum(const struct htmt__pyramid *p, uint32_t row,
                            enum htmt__quantity quantity, uint32_t bin);

/* For each bin of the row: busy, waiting, blocked. */
void htmt__pyramid_encode(const struct htmt__pyramid *p, uint32_t row, struct htmt__bytes *out);

/* The shortest bin with which `bins` of them cover [0, end); at least 1. */
htmt_time htmt__pyramid_bin(htmt_time end, uint32_t bins);

/* ---- memories: the least and the greatest number of words used, by bin ---------------------- */

struct htmt__fill;

/* Bins as those of the pyramid; at first no words are used. NULL: out of memory. */
struct htmt__fill *htmt__fill_create(uint32_t layers, uint32_t bins, htmt_time bin);
void htmt__fill_destroy(struct htmt__fill **f);

/* From `at` on so many words are used; in order of time. `at` beyond the last bin counts in it. */
void htmt__fill_add(struct htmt__fill *f, uint32_t layer, htmt_time at, uint64_t words);

/* For each bin of the layer: least, greatest. Nothing can be added behind it. */
void htmt__fill_encode(struct htmt__fill *f, uint32_t layer, struct htmt__bytes *out);

#endif
