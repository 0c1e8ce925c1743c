/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seven loops as annotated tapes, written by hand: what they compute is nobody's, their addresses
 * and operations are those of the loops of the same names in the literature.
 */
#ifndef HTMT_TESTS_NODE_LOOPS_H
#define HTMT_TESTS_NODE_LOOPS_H

#include "layers/node/tape/tape.h"

struct loop {
    const char *name;
    void (*write)(struct htmt__tape_writer *w, uint64_t n);
    uint64_t n;
    double allowed; /* a profile's time may differ so much from its trace's */
};

extern const struct loop loops[7];

/* The tape of a loop, in memory, one service. */
struct htmt__tape *loop_tape(const struct loop *loop);

#endif
