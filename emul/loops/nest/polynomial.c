/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of polynomials over a loop, whose ends are affine in the loops outside: the sum of i^k from
 * low to high is S_k(high) - S_k(low - 1), where S_k(n) = 1^k + ... + n^k is a polynomial of degree
 * k + 1 in n. Putting the affine end in place of n gives a polynomial in the loops outside. S_0(n)
 * = n, S_1(n) = n (n + 1) / 2: 1 summed over j = 0..i gives i + 1, and that over i = 0..n-1 gives
 * S_1(n - 1) - S_1(-1) + n = n (n + 1) / 2. All numbers are exact ratios of 128 bits.
 */
#include "emul/loops/nest/polynomial.h"

#include <stdlib.h>
#include <string.h>

#define HIGHEST 12 /* power of one variable */

void htmt__nest_polynomial_constant(htmt_wide value, struct htmt__nest_polynomial *p)
{
    p->count = value != 0;
    p->term[0] = (struct htmt__nest_monomial){.factor = htmt__nest_whole(value)};
}

static int add_term(struct htmt__nest_polynomial *p, const struct htmt__nest_monomial *t)
{
    unsigned i = 0;
    while (i < p->count && memcmp(p->term[i].power, t->power, sizeof t->power) != 0)
        i++;
    if (i < p->count)
        return htmt__nest_add(p->term[i].factor, t->factor, &p->term[i].factor);
    if (i == HTMT__NEST_MONOMIALS)
        return HTMT_EOVERFLOW;
    p->term[p->count++] = *t;
    return 0;
}

/* *sum += factor * p */
static int add_scaled(struct htmt__nest_polynomial *sum, const struct htmt__nest_polynomial *p,
                      struct htmt__nest_number factor)
{
    int rc = 0;
    for (unsigned i = 0; i < p->count && !rc; i++) {
        struct htmt__nest_monomial t = p->term[i];
        rc = htmt__nest_multiply(t.factor, factor, &t.factor);
        if (!rc)
            rc = add_term(sum, &t);
    }
    return rc;
}

/* *sum += a * b */
static int add_product(struct htmt__nest_polynomial *sum, const struct htmt__nest_monomial *a,
                       const struct htmt__nest_polynomial *b)
{
    int rc = 0;
    for (unsigned i = 0; i < b->count && !rc; i++) {
        struct htmt__nest_monomial t = b->term[i];
        for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++) {
            t.power[l] = (uint8_t)(t.power[l] + a->power[l]);
            if (t.power[l] > HIGHEST)
                return HTMT_EOVERFLOW;
        }
        rc = htmt__nest_multiply(t.factor, a->factor, &t.factor);
        if (!rc)
            rc = add_term(sum, &t);
    }
    return rc;
}

static int from_affine(const struct htmt__nest_affine *a, htmt_wide more,
                       struct htmt__nest_polynomial *p)
{
    htmt_wide constant;
    if (__builtin_add_overflow(a->constant, more, &constant))
        return HTMT_EOVERFLOW;
    htmt__nest_polynomial_constant(constant, p);
    int rc = 0;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH && !rc; l++) {
        struct htmt__nest_monomial t = {.factor = htmt__nest_whole(a->factor[l])};
        t.power[l] = 1;
        if (a->factor[l])
            rc = add_term(p, &t);
    }
    return rc;
}

/* ---- sums of powers ----------------------------------------------------------------------------
 */

/* coefficient[j] of n^j in 1^k + ... + n^k. From (n+1)^(k+1) - 1 = sum over j of C(k+1, j) S_j(n),
 * which gives S_k out of those below it. */
static int power_sums(unsigned k, struct htmt__nest_number sum[HIGHEST + 2][HIGHEST + 3])
{
    struct htmt__nest_number minus = htmt__nest_whole(-1);
    int rc = 0;
    for (unsigned m = 0; m <= k; m++) {
        htmt_wide choose[HIGHEST + 3] = {1};
        for (unsigned j = 1; j <= m + 1; j++)
            choose[j] = choose[j - 1] * (m + 2 - j) / j;
        for (unsigned i = 0; i < HIGHEST + 3; i++)
            sum[m][i] = htmt__nest_whole(i > 0 && i <= m + 1 ? choose[i] : 0);
        for (unsigned j = 0; j < m && !rc; j++)
            for (unsigned i = 0; i <= j + 1 && !rc; i++) {
                struct htmt__nest_number part;
                rc = htmt__nest_multiply(sum[j][i], htmt__nest_whole(choose[j]), &part);
                if (!rc)
                    rc = htmt__nest_gather(part, minus, &sum[m][i]);
            }
        for (unsigned i = 0; i < HIGHEST + 3 && !rc; i++)
            rc = htmt__nest_divide(sum[m][i], htmt__nest_whole(m + 1), &sum[m][i]);
    }
    return rc;
}

struct summing {
    struct htmt__nest_number sum[HIGHEST + 2][HIGHEST + 3];
    struct htmt__nest_polynomial end, power, next, whole, result;
};

/* whole = S_k(end + more), as S_0 counts n numbers: 1..n. */
static int sum_to(struct summing *s, unsigned k, const struct htmt__nest_affine *end,
                  htmt_wide more)
{
    int rc = from_affine(end, more, &s->end);
    htmt__nest_polynomial_constant(1, &s->power);
    s->whole.count = 0;
    for (unsigned i = 0; i <= k + 1 && !rc; i++) {
        rc = add_scaled(&s->whole, &s->power, s->sum[k][i]);
        s->next.count = 0;
        for (unsigned t = 0; t < s->power.count && !rc; t++)
            rc = add_product(&s->next, &s->power.term[t], &s->end);
        s->power = s->next;
    }
    return rc;
}

int htmt__nest_polynomial_sum(struct htmt__nest_polynomial *p, unsigned over,
                              const struct htmt__nest_affine *low,
                              const struct htmt__nest_affine *high)
{
    struct summing *s = calloc(1, sizeof *s);
    if (!s)
        return HTMT_ENOMEM;
    int rc = power_sums(HIGHEST, s->sum);
    for (unsigned i = 0; i < p->count && !rc; i++) {
        struct htmt__nest_monomial t = p->term[i];
        const unsigned k = t.power[over];
        t.power[over] = 0;
        rc = k >= HIGHEST ? HTMT_EOVERFLOW : sum_to(s, k, high, 0);
        if (!rc)
            rc = add_product(&s->result, &t, &s->whole);
        if (!rc)
            rc = sum_to(s, k, low, -1);
        if (!rc)
            rc = htmt__nest_multiply(t.factor, htmt__nest_whole(-1), &t.factor);
        if (!rc)
            rc = add_product(&s->result, &t, &s->whole);
    }
    if (!rc)
        *p = s->result;
    free(s);
    return rc;
}

int htmt__nest_polynomial_value(const struct htmt__nest_polynomial *p,
                                const htmt_wide variable[HTMT__NEST_DEPTH],
                                struct htmt__nest_number *value)
{
    int rc = 0;
    *value = htmt__nest_whole(0);
    for (unsigned i = 0; i < p->count && !rc; i++) {
        struct htmt__nest_number term = p->term[i].factor;
        for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
            for (unsigned k = 0; k < p->term[i].power[l] && !rc; k++)
                rc = htmt__nest_multiply(term, htmt__nest_whole(variable[l]), &term);
        if (!rc)
            rc = htmt__nest_add(*value, term, value);
    }
    return rc;
}
