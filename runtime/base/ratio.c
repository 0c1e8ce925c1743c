/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/ratio.h"

#include "runtime/base/error.h"

uint64_t htmt__gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Dividing by ten first takes from num what it has in common with ten, so num and den stay
 * coprime: den gains a factor only when num has lost it, and num never gains one. */
int htmt_ratio_decimal(uint64_t mantissa, int exponent10, struct htmt_ratio *out)
{
    struct htmt_ratio r = {mantissa, 1};
    for (; r.num && exponent10 > 0; exponent10--)
        if (__builtin_mul_overflow(r.num, (uint64_t)10, &r.num))
            return HTMT_ERANGE;
    for (; r.num && exponent10 < 0; exponent10++) {
        uint64_t common = htmt__gcd(r.num, 10);
        if (__builtin_mul_overflow(r.den, 10 / common, &r.den))
            return HTMT_ERANGE;
        r.num /= common;
    }
    *out = r;
    return 0;
}

int htmt_ratio_mul(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out)
{
    uint64_t ab = htmt__gcd(a.num, b.den), ba = htmt__gcd(b.num, a.den);
    struct htmt_ratio r;
    if (__builtin_mul_overflow(a.num / ab, b.num / ba, &r.num) ||
        __builtin_mul_overflow(a.den / ba, b.den / ab, &r.den))
        return HTMT_ERANGE;
    *out = r;
    return 0;
}

int htmt_ratio_div(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out)
{
    if (!b.num)
        return HTMT_ERANGE;
    return htmt_ratio_mul(a, (struct htmt_ratio){b.den, b.num}, out);
}

int htmt_ratio_cmp(struct htmt_ratio a, struct htmt_ratio b)
{
    htmt_uwide left = (htmt_uwide)a.num * b.den, right = (htmt_uwide)b.num * a.den;
    return (left > right) - (left < right);
}

double htmt_ratio_value(struct htmt_ratio a)
{
    return (double)a.num / (double)a.den;
}
