/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From subscripts as the source has them to the axes of an array: "i + nx*(j + ny*k)" becomes
 * [k, j, i] where the ranges of i and j are proved.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_LAYOUT_H
#define HTMT_EMUL_TOOLS_ANALYZE_LAYOUT_H

#include "emul/tools/analyze/prove.h"
#include "emul/tools/analyze/walk.h"

#define HTMT__AXES_MAX 12

struct htmt__layout {
    unsigned axes;
    htmt__value extent[HTMT__AXES_MAX]; /* NULL: not known */
    htmt__value lower[HTMT__AXES_MAX];  /* where the axis begins; NULL: at 0 */
    bool component[HTMT__AXES_MAX];     /* no loop over space moves along it */
};

/* Of all arrays of the walk. An access without a layout refuses its nest: the loop is listed. */
void htmt__layout_make(struct htmt__walk *w, struct htmt__prover *p);
/* Which axes are components, after loops that are multiplied out are known. */
void htmt__layout_components(struct htmt__walk *w);
/* The component that an access touches; several axes of components are numbered through. NULL: the
 * array has none. */
htmt__value htmt__layout_component(const struct htmt__access *a);

#endif
