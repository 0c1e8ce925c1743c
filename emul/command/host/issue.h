/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops of a chain of square roots, which keeps all behind it from retiring.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_ISSUE_H
#define HTMT_EMUL_COMMAND_HOST_ISSUE_H

#include "emul/command/host/sample.h"

#include <math.h>

#define HTMT__HOST_ROOTS 14

static inline double htmt__host_roots(double v)
{
    for (int k = 0; k < HTMT__HOST_ROOTS; k++) {
        v = sqrt(v);
        KEEP(REAL, v);
    }
    return v;
}

/* The chain, and others that run behind it and a call, which wait for its end. */
struct htmt__host_behind {
    double (*roots)(double v);
    void (*others)(double root);
};

/* Calls function i once on x, step by step: its instructions, up to its return. A comparison and a
 * branch that processors fuse count once. 0: this processor cannot say. */
unsigned htmt__host_library_steps(unsigned i, double x);

/* A loop of the chain, a call of function i (htmt__host_library_row()) and these; NULL behind the
 * last function of numbers. */
htmt__host_loop_fn *htmt__host_library_behind(unsigned i);

#endif
