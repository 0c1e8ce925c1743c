/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whole matrices and their shares.
 */
#ifndef HTMT_TESTS_CANNON_DEALT_H
#define HTMT_TESTS_CANNON_DEALT_H

#include "apps/cannon/io/spread.h"

/* Rows of `pitch` elements into the shares that are there, or out of them. */
static inline void deal(const struct htmt__cannon_spread *m, double *rows, uint64_t pitch, bool out)
{
    for (uint64_t i = 0; i < m->rows; i++)
        for (uint64_t j = 0; j < m->cols; j++) {
            double *at = htmt__cannon_spread_at(m, i, j).at, *whole = &rows[i * pitch + j];
            if (at)
                *(out ? whole : at) = *(out ? at : whole);
        }
}

#endif
