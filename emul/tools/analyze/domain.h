/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Conditions that loop variables and parameters decide: they split the iterations of loops.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_DOMAIN_H
#define HTMT_EMUL_TOOLS_ANALYZE_DOMAIN_H

#include "emul/tools/analyze/walk.h"

/* Whether a condition holds in the iterations that are walked. *truth: 1, 0; -1: data decide it, or
 * it is of a form that bounds of loops cannot say. HTMT_EFORMAT: it holds in a part of them; w has
 * the views (w->pieces), each of which the caller walks. */
int htmt__domain_decide(struct htmt__walk *w, const struct htmt__syntax *s, int *truth);

/* a % b, where 0 <= a < 2 b is proved; NULL in *out: it is not. Errors as above. */
int htmt__domain_remainder(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value a,
                           htmt__value b, htmt__value *out);

/* 1 where the loop's constraints of parameters hold and 0 elsewhere, as nest files write it; "":
 * there is none. */
const char *htmt__domain_indicator(struct htmt__walk *w, const struct htmt__loop *loop);

#endif
