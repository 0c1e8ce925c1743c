/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What offsets cannot tell, by isl: how far iterations of nests that touch the same words are
 * apart, where subscripts are coupled or strided.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_RELATIONS_H
#define HTMT_EMUL_TOOLS_ANALYZE_RELATIONS_H

#include "emul/tools/analyze/nests.h"

enum htmt__relation_kind { HTMT__FLOW, HTMT__ANTI, HTMT__OUTPUT };

struct htmt__relation {
    const struct htmt__nest_body *from, *to;
    const struct htmt__array *array;
    enum htmt__relation_kind kind;
    unsigned depth;
    int64_t distance[HTMT__DIMENSIONS_MAX];
    bool any[HTMT__DIMENSIONS_MAX]; /* it is not constant */
    struct htmt__relation *next;
};

/* Distinct words of an array that a nest touches. NULL: none, or they are not counted. */
struct htmt__touched {
    const struct htmt__array *array;
    const struct htmt__nest_body *nest;
    htmt__value read, written;
    struct htmt__touched *next;
};

struct htmt__relations {
    struct htmt__relation *distances, **last_distance;
    struct htmt__touched *touched, **last_touched;
};

/* Empty where offsets tell all. */
void htmt__relations_find(struct htmt__prover *p, const struct htmt__nest_list *nests,
                          struct htmt__relations *r);

#endif
