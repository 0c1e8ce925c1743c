/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arithmetic of whole numbers.
 */
#ifndef HTMT_RUNTIME_BASE_WIDE_H
#define HTMT_RUNTIME_BASE_WIDE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The quotient, rounded up; b > 0. */
static inline uint64_t htmt_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The smaller of both. */
static inline uint64_t htmt_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The larger of both. */
static inline uint64_t htmt_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#ifdef __cplusplus
}
#endif

#endif
