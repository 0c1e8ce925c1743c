/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fractions stay in lowest terms, so that equal values have equal parts, and so that 128 bits are
 * enough for times in femtoseconds over rates of a few digits. Each operation removes the factors
 * that its operands share before it multiplies: 2/3 * 9/4 is (1 * 3) / (1 * 2), not 18/12. It is
 * refused only where a part of the result itself takes more.
 *
 * Cross products could overflow where two values are compared. Their integer parts are compared
 * instead; where these are equal, what is left are fractions below 1, and 1/x > 1/y means x < y.
 * 7/5 and 10/7: both 1, left 2/5 and 3/7; 5/2 and 7/3: both 2, left 1/2 and 1/3; 2 < 3, so that 1/2
 * is more, 5/2 is more, 2/5 is less, and 7/5 < 10/7. This is Euclid's algorithm: few steps.
 */
#include "apps/lib/exact.h"

#include "runtime/base/error.h"

#include <math.h>

typedef struct htmt_exact exact;

static htmt_uwide magnitude(htmt_wide a)
{
    return a < 0 ? -(htmt_uwide)a : (htmt_uwide)a;
}

/* Positive, of a number that is not zero and a positive one. */
static htmt_wide gcd(htmt_wide of, htmt_wide positive)
{
    htmt_uwide a = magnitude(of), b = (htmt_uwide)positive;
    if (b == 1) /* mostly */
        return 1;
    while (b) {
        htmt_uwide rest = a % b;
        a = b;
        b = rest;
    }
    return (htmt_wide)a;
}

/* Common factors go first, so that a product overflows only when its value in lowest terms does. */
static int multiply(exact a, exact b, exact *out)
{
    htmt_wide ab = gcd(a.num, b.den), ba = gcd(b.num, a.den);
    exact r;
    if (__builtin_mul_overflow(a.num / ab, b.num / ba, &r.num) ||
        __builtin_mul_overflow(a.den / ba, b.den / ab, &r.den))
        return HTMT_EOVERFLOW;
    *out = r;
    return 0;
}

static int divide(exact a, exact b, exact *out)
{
    if (!b.num)
        return HTMT_ERANGE;
    return multiply(a, b.num < 0 ? (exact){-b.den, -b.num} : (exact){b.den, b.num}, out);
}

static int add(exact a, exact b, exact *out)
{
    htmt_wide common = gcd(a.den, b.den), left, right, sum, den;
    if (__builtin_mul_overflow(a.num, b.den / common, &left) ||
        __builtin_mul_overflow(b.num, a.den / common, &right) ||
        __builtin_add_overflow(left, right, &sum) ||
        __builtin_mul_overflow(a.den, b.den / common, &den))
        return HTMT_EOVERFLOW;
    htmt_wide rest = gcd(sum, den);
    *out = (exact){sum / rest, den / rest};
    return 0;
}

/* The one number whose magnitude has no counterpart, -2^127, is refused. */
static int checked(exact r, exact *out)
{
    if (magnitude(r.num) >> 127)
        return HTMT_EOVERFLOW;
    *out = r;
    return 0;
}

int htmt_exact_apply(char op, exact a, exact b, exact *out)
{
    exact r = {0, 1};
    int rc;
    switch (op) {
    case '+':
        rc = add(a, b, &r);
        break;
    case '-':
        rc = add(a, (exact){-b.num, b.den}, &r);
        break;
    case '*':
        rc = multiply(a, b, &r);
        break;
    default:
        rc = divide(a, b, &r);
        break;
    }
    return rc ? rc : checked(r, out);
}

/* Equal integer parts leave a choice between two fractions, whose reciprocals compare the other way
 * round. */
int htmt_exact_compare(exact a, exact b)
{
    htmt_wide fa = htmt_exact_floor(a), fb = htmt_exact_floor(b);
    htmt_wide ra = a.num - fa * a.den, rb = b.num - fb * b.den;
    if (fa != fb)
        return fa < fb ? -1 : 1;
    if (!ra || !rb)
        return (ra > 0) - (rb > 0);
    return htmt_exact_compare((exact){b.den, rb}, (exact){a.den, ra});
}

htmt_wide htmt_exact_ceil(exact a)
{
    return a.num / a.den + (a.num % a.den > 0);
}

htmt_wide htmt_exact_floor(exact a)
{
    return a.num / a.den - (a.num % a.den < 0);
}

htmt_wide htmt_exact_round(exact a)
{
    htmt_wide floor = htmt_exact_floor(a), rest = a.num - floor * a.den;
    return floor + (rest >= a.den - rest);
}

long double htmt_exact_value(exact a)
{
    return (long double)a.num / (long double)a.den;
}

exact htmt_exact_double(double x)
{
    int exponent;
    exact r = {0, 1}, two = {2, 1};
    if (!(fabs(x) >= 0x1p-60 && fabs(x) <= 0x1p120))
        return r;
    r.num = (htmt_wide)ldexp(frexp(x, &exponent), 53);
    for (exponent -= 53; exponent; exponent += exponent < 0 ? 1 : -1)
        htmt_exact_apply(exponent < 0 ? '/' : '*', r, two, &r);
    return r;
}
