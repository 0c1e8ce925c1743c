/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the bounds of loops and the assumptions prove: the only place beside relations.c that knows
 * isl.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_PROVE_H
#define HTMT_EMUL_TOOLS_ANALYZE_PROVE_H

#include "emul/tools/analyze/loops.h"
#include "emul/tools/analyze/names.h"
#include "runtime/base/error.h"

struct htmt__prover;

/* Errors: HTMT_ENOMEM. */
int htmt__prover_open(const struct htmt__names *names, struct htmt__prover **p);
void htmt__prover_close(struct htmt__prover **p);

/* "ny >= 4 and nx <= n": of --assume. Errors: HTMT_EUSAGE. */
int htmt__prover_assume(struct htmt__prover *p, const char *text, struct htmt_fault *fault);

/* All assumptions speak of parameters, once these are known. Errors: HTMT_EUSAGE. */
int htmt__prover_check(const struct htmt__prover *p, struct htmt_fault *fault);

/* Whether the value is never negative in the loop; all its terms are taken for linear. */
bool htmt__prover_holds(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value);

/* Whether m divides the value in all iterations of the loop: 1; in none: 0; else -1. */
int htmt__prover_divides(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value,
                         int64_t m);
/* The loop has no iteration. */
bool htmt__prover_empty(struct htmt__prover *p, const struct htmt__loop *loop);

/* What the sources leave open about parameters, and which the walk takes to hold: the value, which
 * is linear, is not negative. */
struct htmt__supposed {
    htmt__value value;
    const struct htmt__supposed *next; /* what was supposed before */
    const char *before;                /* the prover's own */
};

/* Whether the value is never negative in the loop if a few linear inequalities of parameters hold:
 * "xmin is -1 at least", "m <= n". They are assumed from then on. */
bool htmt__prover_suppose(struct htmt__prover *p, const struct htmt__loop *loop, htmt__value value);
const struct htmt__supposed *htmt__prover_supposed(const struct htmt__prover *p);
/* Takes back what was supposed after `since`, an earlier answer of htmt__prover_supposed. */
void htmt__prover_forget(struct htmt__prover *p, const struct htmt__supposed *since);

struct isl_map;
struct isl_pw_aff;

/* From iterations of the loops over space around an access, outermost first, to the places that it
 * touches; loops that are multiplied out take all their values. The caller frees it; NULL: isl gave
 * up. */
struct isl_map *htmt__prover_places(struct htmt__prover *p, const struct htmt__access *a);

/* What isl says of parameters alone as a value; NULL: it is none. */
htmt__value htmt__prover_value(const struct htmt__prover *p, struct isl_pw_aff *of);

#endif
