/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Common divisors go before numbers are multiplied, not after: 2^100/3 * 3/2^100 is 1 and never
 * needs more than 128 bits. Sums bring both to the least common denominator for the same reason.
 */
#include "emul/loops/nest/number.h"

#include <string.h>

static htmt_wide divisor(htmt_wide a, htmt_wide b)
{
    a = a < 0 ? -a : a;
    while (b) {
        htmt_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

/* den > 0 */
static struct htmt__nest_number lowest(htmt_wide num, htmt_wide den)
{
    if (den == 1)
        return (struct htmt__nest_number){num, 1};
    htmt_wide common = divisor(num, den);
    return (struct htmt__nest_number){num / common, den / common};
}

int htmt__nest_add(struct htmt__nest_number a, struct htmt__nest_number b,
                   struct htmt__nest_number *out)
{
    htmt_wide common = divisor(a.den, b.den), left, right, num, den;
    if (__builtin_mul_overflow(a.num, b.den / common, &left) ||
        __builtin_mul_overflow(b.num, a.den / common, &right) ||
        __builtin_add_overflow(left, right, &num) ||
        __builtin_mul_overflow(a.den, b.den / common, &den))
        return HTMT_EOVERFLOW;
    *out = lowest(num, den);
    return 0;
}

int htmt__nest_subtract(struct htmt__nest_number a, struct htmt__nest_number b,
                        struct htmt__nest_number *out)
{
    if (__builtin_sub_overflow((htmt_wide)0, b.num, &b.num))
        return HTMT_EOVERFLOW;
    return htmt__nest_add(a, b, out);
}

int htmt__nest_multiply(struct htmt__nest_number a, struct htmt__nest_number b,
                        struct htmt__nest_number *out)
{
    struct htmt__nest_number x = lowest(a.num, b.den), y = lowest(b.num, a.den);
    htmt_wide num, den;
    if (__builtin_mul_overflow(x.num, y.num, &num) || __builtin_mul_overflow(x.den, y.den, &den))
        return HTMT_EOVERFLOW;
    *out = lowest(num, den);
    return 0;
}

int htmt__nest_divide(struct htmt__nest_number a, struct htmt__nest_number b,
                      struct htmt__nest_number *out)
{
    if (!b.num)
        return HTMT_ERANGE;
    struct htmt__nest_number inverse = {b.den, b.num};
    if (b.num < 0 && (__builtin_sub_overflow((htmt_wide)0, b.den, &inverse.num) ||
                      __builtin_sub_overflow((htmt_wide)0, b.num, &inverse.den)))
        return HTMT_EOVERFLOW;
    return htmt__nest_multiply(a, inverse, out);
}

int htmt__nest_gather(struct htmt__nest_number a, struct htmt__nest_number b,
                      struct htmt__nest_number *sum)
{
    struct htmt__nest_number product;
    int rc = htmt__nest_multiply(a, b, &product);
    return rc ? rc : htmt__nest_add(*sum, product, sum);
}

int htmt__nest_compare(struct htmt__nest_number a, struct htmt__nest_number b, int *sign)
{
    struct htmt__nest_number difference;
    int rc = htmt__nest_subtract(a, b, &difference);
    if (!rc)
        *sign = (difference.num > 0) - (difference.num < 0);
    return rc;
}

htmt_wide htmt__nest_floor(struct htmt__nest_number a)
{
    htmt_wide whole = a.num / a.den;
    return whole - (a.num % a.den < 0);
}

htmt_wide htmt__nest_round(struct htmt__nest_number a)
{
    htmt_wide whole = htmt__nest_floor(a);
    htmt_wide rest = a.num - whole * a.den;
    return whole + (rest >= a.den - rest);
}

double htmt__nest_value(struct htmt__nest_number a)
{
    return (double)a.num / (double)a.den;
}

void htmt__nest_digits(htmt_wide value, char text[static 48])
{
    char reversed[48];
    size_t length = 0, at = 0;
    htmt_uwide rest = value < 0 ? -(htmt_uwide)value : (htmt_uwide)value;
    do {
        reversed[length++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (value < 0)
        text[at++] = '-';
    while (length)
        text[at++] = reversed[--length];
    text[at] = '\0';
}
