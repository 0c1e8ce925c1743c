/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of procedures: which arrays of the nests formal and actual ones are.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_CALLS_H
#define HTMT_EMUL_TOOLS_ANALYZE_CALLS_H

#include "emul/tools/analyze/boxes.h"

/* The array of the nests behind a variable; NULL: no nest names it. */
const struct htmt__array *htmt__calls_array(const struct htmt__walk *w, const char *path,
                                            const struct htmt__declaration *root);

/* The name of a formal array or parameter. */
const char *htmt__calls_formal(struct htmt__walk *w, struct htmt__declaration *formal);

/* What procedures touch of an array, under the names of theirs. */
struct htmt__actual {
    const char *name;
    const struct htmt__declaration *root;
    const struct htmt__array *as;  /* the first formal one */
    const struct htmt__array *own; /* that nests name; NULL: only procedures touch it */
    struct htmt__array_box box;    /* of both */
    struct htmt__actual *next;
};

/* Leaves out calls that cannot be bound, and lists them; gives the arrays that are handed over. */
struct htmt__actual *htmt__calls_bind(struct htmt__walk *w);

#endif
