/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers by their size, the smallest first: qsort(at, count, sizeof *at, htmt__by_size). None of
 * them may be NaN, which has no place in an order.
 */
#ifndef HTMT_RUNTIME_BASE_BY_SIZE_H
#define HTMT_RUNTIME_BASE_BY_SIZE_H

static inline int htmt__by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#endif
