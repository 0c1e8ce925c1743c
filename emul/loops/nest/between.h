/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stays in a memory from one nest to the next, for programs that are too long to be played:
 * nests that are boxes, with one subscript map for each array.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_BETWEEN_H
#define HTMT_EMUL_LOOPS_NEST_BETWEEN_H

#include "emul/loops/nest/program.h"

/* Bytes that a run finds in all of its turns, of those that it would fetch (write back) with an
 * empty memory before it: at least, at most. */
struct htmt__between_kept {
    htmt_wide read[2], written[2];
};

/* kept[run]: the caller has as many, zeroed. Errors: HTMT_ERANGE (nests of another form),
 * HTMT_ENOMEM.
 */
int htmt__between_find(const struct htmt__nest_program *program, htmt_wide capacity,
                       struct htmt__between_kept *kept);

#endif
