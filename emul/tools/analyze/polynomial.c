/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials, kept in one form: terms in descending order of degree, then by symbols, none of them
 * zero, coefficients in lowest terms. So equality is a comparison of terms, and addition is a merge
 * of two lists. Coefficients are computed in 128 bits and must fit into 64; what does not is NULL,
 * which every operation hands on, so only the end of a computation is looked at.
 *
 * The order of terms is that of degrees, then of symbols from the lowest on: k*k*nx, k*nx*nx, k*nx,
 * nx, 1 for k before nx. It has two properties that the code rests on. If one term is before
 * another, it still is when both are multiplied by a third, so the product with one term keeps the
 * order and needs no sorting. And a term has only finitely many behind it.
 *
 * Division takes the leading term of what is left: if the divisor's leading term divides it, the
 * quotient gets that ratio and the divisor times it is taken away, else the term goes to the rest.
 * Either way the leading term is gone and only terms behind it are new, so division ends. A
 * coefficient that does not divide stays whole: 3*n / (2*n) is 0, rest 3*n. By hand, what a
 * subscript needs, with symbols in the order i, j, k, nx, ny: (i + j*nx + k*nx*ny) / nx
 *
 *     left                     leading    quotient      rest
 *     k*nx*ny + j*nx + i       k*nx*ny    k*ny
 *     j*nx + i                 j*nx       k*ny + j
 *     i                        i          k*ny + j      i
 *
 * so a[i + j*nx + k*nx*ny] has i along the axis of nx, and k*ny + j, divided by ny, gives the other
 * two. Whether 0 <= i < nx is not asked here, but of isl (prove.c).
 *
 * Sources have a handful of terms, so a product of m and n terms as n merges, n*n*m steps, is no
 * cost. Polynomials never change, so they are handed on without copies; the arena of memory.h holds
 * them to the end.
 */
#include "emul/tools/analyze/polynomial.h"

#include "emul/tools/analyze/memory.h"
#include "runtime/base/ratio.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- terms ----------------------------------------------------------------------------------- */

static unsigned degree_of(const struct htmt__source_term *t)
{
    unsigned degree = 0;
    while (degree < HTMT__DEGREE_MAX && t->factor[degree])
        degree++;
    return degree;
}

/* Higher degrees come first, then lower symbols. */
static int order(const struct htmt__source_term *a, const struct htmt__source_term *b)
{
    unsigned da = degree_of(a), db = degree_of(b);
    if (da != db)
        return da > db ? -1 : 1;
    for (unsigned i = 0; i < da; i++)
        if (a->factor[i] != b->factor[i])
            return a->factor[i] < b->factor[i] ? -1 : 1;
    return 0;
}

static htmt_wide common(htmt_wide a, htmt_wide b)
{
    a = a < 0 ? -a : a;
    while (b) {
        htmt_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Into 64 bits; false: it does not fit. */
static bool set_ratio(struct htmt__source_term *t, htmt_wide num, htmt_wide den)
{
    htmt_wide divisor = common(num, den);
    divisor = divisor ? divisor : 1;
    num /= divisor;
    den /= divisor;
    t->num = (int64_t)num;
    t->den = (int64_t)den;
    return t->num == num && t->den == den && num != INT64_MIN;
}

static bool multiply_terms(const struct htmt__source_term *a, const struct htmt__source_term *b,
                           struct htmt__source_term *out)
{
    unsigned da = degree_of(a), db = degree_of(b), i = 0, j = 0;
    *out = (struct htmt__source_term){.num = 0};
    if (da + db > HTMT__DEGREE_MAX)
        return false;
    while (i < da || j < db) {
        bool first = j == db || (i < da && a->factor[i] <= b->factor[j]);
        htmt__symbol next = first ? a->factor[i] : b->factor[j];
        out->factor[i + j] = next;
        i += first;
        j += !first;
    }
    return set_ratio(out, (htmt_wide)a->num * b->num, (htmt_wide)a->den * b->den);
}

/* ---- polynomials ----------------------------------------------------------------------------- */

static struct htmt__polynomial *make(unsigned terms)
{
    return htmt__source_alloc(sizeof(struct htmt__polynomial) +
                              terms * sizeof(struct htmt__source_term));
}

htmt__value htmt__value_ratio(int64_t num, int64_t den)
{
    struct htmt__polynomial *p = make(1);
    p->count = num != 0;
    return set_ratio(&p->term[0], num, den) ? p : NULL;
}

htmt__value htmt__value_whole(int64_t whole)
{
    return htmt__value_ratio(whole, 1);
}

htmt__value htmt__value_symbol(htmt__symbol symbol)
{
    struct htmt__polynomial *p = make(1);
    p->count = 1;
    p->term[0] = (struct htmt__source_term){1, 1, {symbol}};
    return p;
}

/* a + sign b of like terms. */
static bool join_terms(const struct htmt__source_term *a, const struct htmt__source_term *b,
                       int sign, struct htmt__source_term *out)
{
    *out = *a;
    return set_ratio(out, (htmt_wide)a->num * b->den + sign * (htmt_wide)b->num * a->den,
                     (htmt_wide)a->den * b->den);
}

static htmt__value join(htmt__value a, htmt__value b, int sign)
{
    if (!a || !b)
        return NULL;
    if (!b->count)
        return a;
    struct htmt__polynomial *p = make(a->count + b->count);
    unsigned i = 0, j = 0;
    while (i < a->count || j < b->count) {
        int way = i == a->count ? 1 : j == b->count ? -1 : order(&a->term[i], &b->term[j]);
        struct htmt__source_term *t = &p->term[p->count];
        if (way < 0)
            *t = a->term[i];
        else if (way > 0)
            *t = b->term[j], t->num *= sign;
        else if (!join_terms(&a->term[i], &b->term[j], sign, t))
            return NULL;
        p->count += t->num != 0;
        i += way <= 0;
        j += way >= 0;
    }
    return p;
}

htmt__value htmt__value_add(htmt__value a, htmt__value b)
{
    return join(a, b, 1);
}

htmt__value htmt__value_sub(htmt__value a, htmt__value b)
{
    return join(a, b, -1);
}

/* By one term: the order of terms stays. */
static htmt__value multiply_by(htmt__value a, const struct htmt__source_term *factor)
{
    struct htmt__polynomial *p = make(a->count);
    p->count = a->count;
    for (unsigned i = 0; i < a->count; i++)
        if (!multiply_terms(&a->term[i], factor, &p->term[i]))
            return NULL;
    return p;
}

htmt__value htmt__value_mul(htmt__value a, htmt__value b)
{
    if (!a || !b)
        return NULL;
    if (b->count == 1)
        return multiply_by(a, &b->term[0]);
    htmt__value sum = make(0);
    for (unsigned i = 0; i < b->count && sum; i++)
        sum = htmt__value_add(sum, multiply_by(a, &b->term[i]));
    return sum;
}

/* ---- division -------------------------------------------------------------------------------- */

/* a / b as one term with a whole coefficient. */
static bool divide_terms(const struct htmt__source_term *a, const struct htmt__source_term *b,
                         struct htmt__source_term *out)
{
    unsigned n = 0, j = 0;
    *out = (struct htmt__source_term){.den = 1};
    for (unsigned i = 0; i < degree_of(a); i++)
        if (j < degree_of(b) && a->factor[i] == b->factor[j])
            j++;
        else
            out->factor[n++] = a->factor[i];
    out->num = a->num / b->num;
    return j == degree_of(b) && a->den == 1 && b->den == 1 && a->num % b->num == 0;
}

htmt__value htmt__value_divide(htmt__value a, htmt__value b, htmt__value *rest)
{
    htmt__value quotient = make(0), left = make(0);
    if (!a || !b || !b->count)
        return NULL;
    while (a && a->count) {
        struct htmt__polynomial *t = make(1);
        t->count = 1;
        if (divide_terms(&a->term[0], &b->term[0], &t->term[0])) {
            quotient = htmt__value_add(quotient, t);
            a = htmt__value_sub(a, htmt__value_mul(t, b));
        } else {
            t->term[0] = a->term[0];
            left = htmt__value_add(left, t);
            a = htmt__value_sub(a, t);
        }
    }
    *rest = a ? left : NULL;
    return a ? quotient : NULL;
}

htmt__value htmt__value_quotient(htmt__value a, htmt__value b)
{
    htmt__value rest, quotient = htmt__value_divide(a, b, &rest);
    return quotient && rest && !rest->count ? quotient : NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

bool htmt__value_same(htmt__value a, htmt__value b)
{
    if (!a || !b || a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (order(&a->term[i], &b->term[i]) || a->term[i].num != b->term[i].num ||
            a->term[i].den != b->term[i].den)
            return false;
    return true;
}

bool htmt__value_is_whole(htmt__value a, int64_t *whole)
{
    if (!a || a->count > 1 || (a->count && (degree_of(&a->term[0]) || a->term[0].den != 1)))
        return false;
    *whole = a->count ? a->term[0].num : 0;
    return true;
}

static unsigned times_in(const struct htmt__source_term *t, htmt__symbol symbol)
{
    unsigned times = 0;
    for (unsigned i = 0; i < HTMT__DEGREE_MAX; i++)
        times += t->factor[i] == symbol;
    return times;
}

bool htmt__value_can_sink(htmt__value a)
{
    bool sinks = false;
    for (unsigned i = 0; a && i < a->count; i++)
        sinks |= a->term[i].num < 0;
    return sinks;
}

bool htmt__value_has(htmt__value a, htmt__symbol symbol)
{
    for (unsigned i = 0; a && i < a->count; i++)
        if (times_in(&a->term[i], symbol))
            return true;
    return false;
}

unsigned htmt__value_degree(htmt__value a)
{
    return a && a->count ? degree_of(&a->term[0]) : 0;
}

/* The term without the symbol. */
static struct htmt__source_term without(const struct htmt__source_term *t, htmt__symbol symbol)
{
    struct htmt__source_term out = {t->num, t->den, {0}};
    unsigned n = 0;
    for (unsigned i = 0; i < degree_of(t); i++)
        if (t->factor[i] != symbol)
            out.factor[n++] = t->factor[i];
    return out;
}

static htmt__value of_term(struct htmt__source_term t)
{
    struct htmt__polynomial *p = make(1);
    p->count = 1;
    p->term[0] = t;
    return p;
}

htmt__value htmt__value_coefficient(htmt__value a, htmt__symbol symbol)
{
    htmt__value sum = make(0);
    for (unsigned i = 0; a && i < a->count && sum; i++) {
        unsigned times = times_in(&a->term[i], symbol);
        if (times > 1)
            return NULL;
        if (times)
            sum = htmt__value_add(sum, of_term(without(&a->term[i], symbol)));
    }
    return a ? sum : NULL;
}

htmt__value htmt__value_put(htmt__value a, htmt__symbol symbol, htmt__value value)
{
    htmt__value sum = make(0);
    if (a && !htmt__value_has(a, symbol))
        return a;
    for (unsigned i = 0; a && i < a->count && sum; i++) {
        htmt__value product = of_term(without(&a->term[i], symbol));
        for (unsigned n = times_in(&a->term[i], symbol); n; n--)
            product = htmt__value_mul(product, value);
        sum = htmt__value_add(sum, product);
    }
    return a ? sum : NULL;
}

int64_t htmt__value_content(htmt__value a)
{
    htmt_wide content = 0;
    for (unsigned i = 0; a && i < a->count; i++)
        content = common(a->term[i].den == 1 ? a->term[i].num : 1, content);
    return content ? (int64_t)content : 1;
}

/* ---- text of nest files ---------------------------------------------------------------------- */

struct writer {
    char text[2000];
    size_t used;
};

static void put(struct writer *w, const char *text)
{
    int length = snprintf(w->text + w->used, sizeof w->text - w->used, "%s", text);
    w->used += length > 0 ? (size_t)length : 0;
    w->used = w->used < sizeof w->text ? w->used : sizeof w->text - 1;
}

static void put_number(struct writer *w, const struct htmt__source_term *t, bool first)
{
    char text[60];
    int64_t size = t->num < 0 ? -t->num : t->num;
    put(w, t->num < 0 ? "-" : first ? "" : "+");
    if (t->den != 1)
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, size, t->den);
    else
        snprintf(text, sizeof text, "%" PRId64, size);
    if (t->den != 1 || size != 1 || !t->factor[0])
        put(w, text);
    if ((t->den != 1 || size != 1) && t->factor[0])
        put(w, "*");
}

const char *htmt__value_text(htmt__value a, const char *(*name)(const void *, htmt__symbol),
                             const void *names)
{
    struct writer w = {.used = 0};
    if (!a || !a->count)
        return a ? "0" : "?";
    for (unsigned i = 0; i < a->count; i++) {
        put_number(&w, &a->term[i], i == 0);
        for (unsigned f = 0; f < degree_of(&a->term[i]); f++) {
            put(&w, f ? "*" : "");
            put(&w, name(names, a->term[i].factor[f]));
        }
    }
    return htmt__source_text(w.text);
}
