/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of the reuse of a nest: links between touches of a word, and the words between two
 * iterations.
 */
#ifndef HTMT_LAYERS_NEST_REUSE_PARTS_H
#define HTMT_LAYERS_NEST_REUSE_PARTS_H

#include "layers/nest/reuse.h"

/* From a touch of a word at iteration x back to the one before it, at iteration y: y = x - back in
 * each loop from `first` on, but the last iteration of loops in `end`. `place` is the position of x
 * in the loop behind `first`, where it matters: from the low end if not negative, else ~place from
 * the high end; INT32_MAX: away from both. */
struct htmt__nest_link {
    unsigned first, end;
    int32_t back[HTMT__NEST_DEPTH], place;
};

#define HTMT__NEST_INSIDE INT32_MAX

/* Where x lies in the second loop behind the first that moved. */
enum htmt__nest_tilt {
    HTMT__NEST_AT_LOW,
    HTMT__NEST_AT_MIDDLE,
    HTMT__NEST_AT_HIGH,
    HTMT__NEST_TILTS
};

/* Words between the two ends of a link, in a box of those extents; patterns that leave the memory
 * out. Errors: HTMT_ENOMEM. */
int htmt__nest_link_words(const struct htmt__nest_plan *plan, const bool *left,
                          const struct htmt__nest_link *link, enum htmt__nest_tilt tilt,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words);

/* The last touch of the word that offset `o` of a pattern touches at iteration x. */
bool htmt__nest_last_touch(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                           unsigned o, const int64_t x[HTMT__NEST_DEPTH],
                           const int64_t extent[HTMT__NEST_DEPTH], unsigned *last,
                           int64_t y[HTMT__NEST_DEPTH], unsigned *end);

#endif
