/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the words of a program's arrays lie in memory, as far as the nest file says it.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_LAYOUT_H
#define HTMT_EMUL_LOOPS_NEST_LAYOUT_H

#include "emul/loops/nest/program.h"

/* The word of component c at subscripts s lies at base + c * component + sum of by[axis] *
 * (s[axis] - low[axis]), all in bytes. */
struct htmt__nest_layout {
    bool used; /* the other members hold */
    unsigned axes;
    bool coupled[HTMT__NEST_DEPTH]; /* it may take fewer values than its loops tell */
    int64_t low[HTMT__NEST_DEPTH], size[HTMT__NEST_DEPTH], by[HTMT__NEST_DEPTH];
    int64_t below[HTMT__NEST_DEPTH], above[HTMT__NEST_DEPTH]; /* the box, of such values */
    int64_t base, component, bytes;                           /* of a word */
};

/* For each array of the file that is used: the caller gives `used`, `axes`, `coupled`, and as `low`
 * and `size` the subscripts that are touched. With lines all but the slowest subscript grow to the
 * array's box; those that are coupled become the box. Arrays and records begin at
 * multiples of `line` bytes (0: words
 * lie side by side, whatever the file says of records); *all is where the last one ends. Errors:
 * HTMT_ERANGE (more than `most` bytes). */
int htmt__nest_lay_out(const struct htmt__nest_program *program, int64_t line, htmt_wide most,
                       struct htmt__nest_layout *layout, int64_t *all);

#endif
