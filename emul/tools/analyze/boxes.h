/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where arrays have elements: as they are declared, or as far as the nests reach; and which arrays
 * of the nests the calls of procedures hand over.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_BOXES_H
#define HTMT_EMUL_TOOLS_ANALYZE_BOXES_H

#include "emul/tools/analyze/nests.h"

/* Ends that no constant tells apart: the smallest of the lows, the largest of the highs. */
struct htmt__box_ends {
    unsigned count;
    htmt__value value[8];
};

struct htmt__box_axis {
    htmt__value extent; /* 0..extent-1; NULL: low to high */
    bool is_declared;   /* low and high are those of the declaration */
    struct htmt__box_ends low, high;
};

struct htmt__array_box {
    unsigned axes;
    struct htmt__box_axis axis[HTMT__AXES_MAX]; /* of space */
    struct htmt__box_axis component;
    bool has_components;
};

/* Of an array that nests refer to with loop variables; false: none does. */
bool htmt__box_make(struct htmt__walk *w, const struct htmt__array *array,
                    struct htmt__array_box *box);

/* The array of the nests behind a variable; NULL: no nest names it. */
const struct htmt__array *htmt__calls_array(const struct htmt__walk *w, const char *path,
                                            const struct htmt__declaration *root);

/* The name of a formal array or parameter. */
const char *htmt__calls_formal(struct htmt__walk *w, struct htmt__declaration *formal);

/* What procedures touch of an array, under the names of theirs. */
struct htmt__actual {
    const char *name, *path; /* the same, unless another array has the name */
    const struct htmt__declaration *root;
    const struct htmt__array *as;    /* the first formal one */
    const struct htmt__array *own;   /* that nests name; NULL: only procedures touch it */
    struct htmt__array_box box;      /* of both */
    bool is_formal;                  /* a procedure hands it on: its callers have the array */
    const struct htmt__actual *same; /* another one of its name, with its box, has all of it */
    struct htmt__actual *next;
};

/* Leaves out calls that cannot be bound, and lists them; gives the arrays that are handed over. */
struct htmt__actual *htmt__calls_bind(struct htmt__walk *w);

/* How the file calls what is handed over. */
const char *htmt__calls_name(const struct htmt__walk *w, const struct htmt__actual *actuals,
                             const char *path, const struct htmt__declaration *root);

#endif
