/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials in parameters and loop variables, with exact coefficients. They never change once
 * they are made. NULL stands for what no polynomial is, or what passes 64 bits or the highest
 * degree; it makes each result NULL.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_POLYNOMIAL_H
#define HTMT_EMUL_TOOLS_ANALYZE_POLYNOMIAL_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__DEGREE_MAX 6

typedef uint16_t htmt__symbol; /* from 1 */

struct htmt__source_term {
    int64_t num, den;                      /* in lowest terms, den > 0 */
    htmt__symbol factor[HTMT__DEGREE_MAX]; /* ascending, then zeros */
};

struct htmt__polynomial {
    unsigned count; /* 0: the polynomial is zero */
    struct htmt__source_term term[];
};

typedef const struct htmt__polynomial *htmt__value;

htmt__value htmt__value_whole(int64_t whole);
htmt__value htmt__value_ratio(int64_t num, int64_t den);
htmt__value htmt__value_symbol(htmt__symbol symbol);
htmt__value htmt__value_add(htmt__value a, htmt__value b);
htmt__value htmt__value_sub(htmt__value a, htmt__value b);
htmt__value htmt__value_mul(htmt__value a, htmt__value b);

/* a = quotient * b + rest, by the leading terms. Whole coefficients alone are divided. */
htmt__value htmt__value_divide(htmt__value a, htmt__value b, htmt__value *rest);
/* The quotient if nothing is left, else NULL. */
htmt__value htmt__value_quotient(htmt__value a, htmt__value b);

bool htmt__value_same(htmt__value a, htmt__value b);
bool htmt__value_is_whole(htmt__value a, int64_t *whole); /* a number */
/* Whether a term has a negative factor, so that values of symbols from 0 on may make it negative.
 */
bool htmt__value_can_sink(htmt__value a);
bool htmt__value_has(htmt__value a, htmt__symbol symbol);
unsigned htmt__value_degree(htmt__value a);

/* The factor of the symbol, where it occurs at most once in each term; else NULL. */
htmt__value htmt__value_coefficient(htmt__value a, htmt__symbol symbol);
/* With another value in the place of the symbol. */
htmt__value htmt__value_put(htmt__value a, htmt__symbol symbol, htmt__value value);

/* The largest whole number that divides all coefficients. */
int64_t htmt__value_content(htmt__value a);

/* As nest files write it: "2*nx*ny-1". */
const char *htmt__value_text(htmt__value a, const char *(*name)(const void *, htmt__symbol),
                             const void *names);

#endif
