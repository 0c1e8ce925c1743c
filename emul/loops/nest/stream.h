/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic of a whole program, played as one stream of touches through memories that replace what
 * was used least recently. What stays from one nest to the next, and from one turn of a repeat to
 * the next, stays.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_STREAM_H
#define HTMT_EMUL_LOOPS_NEST_STREAM_H

#include "emul/loops/nest/program.h"
#include "emul/loops/nest/reuse.h"

#define HTMT__STREAM_CAPACITIES 15

struct htmt__stream_request {
    unsigned capacities;
    htmt_wide capacity[HTMT__STREAM_CAPACITIES]; /* bytes, in any order */
    uint64_t line;                               /* bytes that come together; 0: words alone */
    int64_t block[HTMT__NEST_DEPTH]; /* of the loop that moves fastest first; 0: not cut */
    uint64_t most;                   /* touches that may be played */
    struct htmt__nest_keeping keeping;
};

/* Bytes of all turns of a run, in and out: at least; and so many more at most. */
struct htmt__stream_moved {
    htmt_wide read, written, more;
};

/* moved[run * capacities + capacity]: the caller has as many, zeroed. Errors: HTMT_ERANGE (more
 * touches than may be played, or iterations that bounds do not tell), HTMT_ENOMEM. */
int htmt__stream_play(const struct htmt__nest_program *program,
                      const struct htmt__stream_request *request, struct htmt__stream_moved *moved);

/* The same of programs that are longer, by samples that take some `most` touches together; the ends
 * differ where samples do not tell. */
int htmt__stream_sample(const struct htmt__nest_program *program,
                        const struct htmt__stream_request *request,
                        struct htmt__stream_moved *moved);

#endif
