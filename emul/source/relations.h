/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What offsets cannot tell, by isl: how far iterations of nests that touch the same words are
 * apart, where subscripts are coupled or strided.
 */
#ifndef HTMT_EMUL_SOURCE_RELATIONS_H
#define HTMT_EMUL_SOURCE_RELATIONS_H

#include "emul/source/nests.h"

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

/* NULL: offsets tell all. */
const struct htmt__relation *htmt__relations_find(const struct htmt__walk *w,
                                                  const struct htmt__nest_list *nests);

#endif
