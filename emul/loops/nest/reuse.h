/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a fully associative memory with least recently used replacement keeps of a nest's words.
 *
 * A reference finds its word in the memory if no more different words were touched since the last
 * touch of that word than the memory holds. That last touch lies a fixed number of iterations back,
 * so the words between are a union of boxes of iterations, shifted by the offsets of each pattern:
 * exact, and a polynomial in the extents of the box once these pass the offsets. Iterations near
 * the ends of the loop that follows the one that moved have distances of their own.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_REUSE_H
#define HTMT_EMUL_LOOPS_NEST_REUSE_H

#include "emul/loops/nest/plan.h"

struct htmt__nest_keeping {
    bool bypass;       /* arrays that are only written go around the memory */
    bool stream_reads; /* so do arrays that are read once */
};

/* A memory of less than `words` reads (or writes back) so many `more`. */
struct htmt__nest_level {
    htmt_wide words, more;
};

#define HTMT__NEST_ALL ((htmt_wide)1 << 120) /* a capacity beyond all */

/* Traffic of a box over all capacities. */
struct htmt__nest_steps {
    htmt_wide read, written; /* of a memory that keeps all */
    unsigned reads, writes;
    size_t read_room;
    struct htmt__nest_level *read_level, *write_level; /* by words, ascending */
};

/* On success the caller owns *reuse. Errors: HTMT_ENOMEM, HTMT_ERANGE (too many offsets). */
int htmt__nest_reuse_make(const struct htmt__nest_plan *plan,
                          const struct htmt__nest_keeping *keeping,
                          struct htmt__nest_reuse **reuse);
void htmt__nest_reuse_destroy(struct htmt__nest_reuse **reuse);

/* The levels of a box of those extents; they belong to reuse and last until the next question. */
int htmt__nest_steps_ask(struct htmt__nest_reuse *reuse, const int64_t extent[HTMT__NEST_DEPTH],
                         const struct htmt__nest_steps **steps);

/* Words that a memory of that capacity reads and writes back. */
htmt_wide htmt__nest_steps_read(const struct htmt__nest_steps *steps, htmt_wide capacity);
htmt_wide htmt__nest_steps_written(const struct htmt__nest_steps *steps, htmt_wide capacity);
/* The least capacity from which on nothing is read twice. */
htmt_wide htmt__nest_steps_full(const struct htmt__nest_steps *steps);

/* Whether streams of the nest name words of one array under several maps, and the first such array.
 * Errors: HTMT_ENOMEM. */
int htmt__nest_maps_find(const struct htmt__nest_plan *plan, const int64_t *extent, bool *several,
                         unsigned *array);

#endif
