/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the elements of a network stand in its sketch: places of a graph, and of a generated shape
 * as many as can be seen.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_SKETCH_H
#define HTMT_EMUL_LIB_PICTURE_SKETCH_H

#include "layers/network/topology.h"

/* Cells are squares; an element stands in the middle of one, an end mostly between. */
struct htmt__sketch_place {
    double x, y;
    bool seen;
};

struct htmt__sketch {
    const struct htmt__topology *t;
    struct htmt__sketch_place *at; /* by element */
    double columns, rows;
    uint32_t shown; /* switches that are seen */
    bool names;     /* few enough for names of ends */
};

/* Errors: HTMT_ENOMEM. */
int htmt__sketch_create(const struct htmt__topology *t, struct htmt__sketch *sketch);
void htmt__sketch_destroy(struct htmt__sketch *sketch);

/* A link that a straight line cannot show: round a torus, or past another switch. */
bool htmt__sketch_leads_round(const struct htmt__sketch *sketch, const struct htmt__wire *w);

#endif
