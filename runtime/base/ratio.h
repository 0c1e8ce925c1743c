/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Virtual time and exact charges.
 *
 * Virtual instants and durations are signed 64-bit femtoseconds (up to 2.56 hours); sums of
 * durations and queue integrals are 128-bit. A rate becomes an exact ratio (femtoseconds per unit)
 * when a file is read, so that a charge n * num / den is rounded once, half up, whatever n is.
 */
#ifndef HTMT_RUNTIME_BASE_RATIO_H
#define HTMT_RUNTIME_BASE_RATIO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t htmt_time;                /* femtoseconds */
__extension__ typedef __int128 htmt_wide; /* sums of times, integrals of queues: fs, fs * items */
__extension__ typedef unsigned __int128 htmt_uwide;

/* *sum += n. A carry is rare, so this is one addition in memory: of 128 bits at once the compiler
 * makes seven instructions. */
static inline void htmt__wide_add(htmt_uwide *sum, uint64_t n)
{
    typedef uint64_t __attribute__((may_alias)) half;
    half *halves = (half *)sum;
    const int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    if (__builtin_expect(__builtin_add_overflow(halves[low], n, &halves[low]), 0))
        halves[!low]++;
}

#define HTMT_SECOND   INT64_C(1000000000000000)
#define HTMT_TIME_MAX INT64_MAX

/* Non-negative, in lowest terms, den > 0. {0, 1} is zero: "costs no time". */
struct htmt_ratio {
    uint64_t num, den;
};

/* The greatest common divisor; of 0 and n it is n. */
uint64_t htmt__gcd(uint64_t a, uint64_t b);

/* mantissa * 10^exponent10 in lowest terms.
 * Errors: HTMT_ERANGE when the value does not fit 64-bit numerator and denominator. */
int htmt_ratio_decimal(uint64_t mantissa, int exponent10, struct htmt_ratio *out);

/* a * b, a / b. Errors: HTMT_ERANGE (does not fit, or division by zero). */
int htmt_ratio_mul(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out);
int htmt_ratio_div(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out);

/* -1, 0, 1 as a < b, a == b, a > b; exact. */
int htmt_ratio_cmp(struct htmt_ratio a, struct htmt_ratio b);

/* For reports only; never on the way to a prediction. */
double htmt_ratio_value(struct htmt_ratio a);

/* n units at r femtoseconds each, rounded once, half up; -1 when it passes HTMT_TIME_MAX. */
static inline htmt_time htmt_charge_time(struct htmt_ratio r, uint64_t n)
{
    uint64_t product;
    if (!__builtin_mul_overflow(n, r.num, &product) && product <= UINT64_MAX - r.den / 2) {
        uint64_t t = (product + r.den / 2) / r.den;
        return t <= (uint64_t)HTMT_TIME_MAX ? (htmt_time)t : -1;
    }
    htmt_uwide t = ((htmt_uwide)n * r.num + r.den / 2) / r.den;
    return t <= (htmt_uwide)HTMT_TIME_MAX ? (htmt_time)t : -1;
}

#ifdef __cplusplus
}
#endif

#endif
