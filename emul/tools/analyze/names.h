/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of parameters and loop variables, which polynomials know by number.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_NAMES_H
#define HTMT_EMUL_TOOLS_ANALYZE_NAMES_H

#include "emul/tools/analyze/polynomial.h"

#include <stddef.h>

enum htmt__name_kind { HTMT__NAME_PARAMETER, HTMT__NAME_VARIABLE };

enum htmt__derived_kind { HTMT__DERIVED_MOD, HTMT__DERIVED_FLOOR, HTMT__DERIVED_CEIL };

/* A parameter that stands for the remainder or the quotient of others: "mod(n,2)". */
struct htmt__derived {
    htmt__symbol symbol;
    enum htmt__derived_kind kind;
    htmt__value value;
    int64_t by;
    const struct htmt__derived *next;
};

struct htmt__names {
    unsigned count;
    struct htmt__name *name;
    const struct htmt__derived *derived;
};

/* The parameter of that name, a new one if there is none; 0: too many. */
htmt__symbol htmt__names_parameter(struct htmt__names *n, const char *name);
/* The parameter that stands for value mod by, or value / by, rounded; NULL: too many names. */
htmt__value htmt__names_derived(struct htmt__names *n, enum htmt__derived_kind kind,
                                htmt__value value, int64_t by);
/* 0: there is no such parameter. */
htmt__symbol htmt__names_find(const struct htmt__names *n, const char *parameter, size_t length);
/* A new loop variable. */
htmt__symbol htmt__names_variable(struct htmt__names *n, const char *name);

bool htmt__names_is_parameter(const struct htmt__names *n, htmt__symbol symbol);
/* A name of a loop variable becomes another one. */
void htmt__names_rename(struct htmt__names *n, htmt__symbol symbol, const char *name);
const char *htmt__names_text(const void *names, htmt__symbol symbol);

/* No term has two loop variables. */
bool htmt__names_affine(const struct htmt__names *n, htmt__value value);

/* No loop variable is in the value. */
bool htmt__names_fixed(const struct htmt__names *n, htmt__value value);

const char *htmt__names_print(const struct htmt__names *n, htmt__value value);

#endif
