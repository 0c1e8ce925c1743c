/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the kernels take on this host. No prediction depends on it.
 */
#ifndef HTMT_APPS_KERNELS_CLOCK_H
#define HTMT_APPS_KERNELS_CLOCK_H

#include "apps/kernels/plan.h"
#include "apps/lib/host_clock.h"

struct htmt__kernels_clock {
    double fs;     /* of a turn that finds what the one before left: the fastest sample */
    double spread; /* how far the middle sample lies above it, as a part of it */
    bool still;    /* the core was the thread's alone */
};

/* `core` is that of all calls. Errors: HTMT_ENOMEM. */
int htmt__kernels_clock(const struct htmt__kernels_loop *loop, bool vectors, uint64_t n,
                        struct htmt_host_core *core, struct htmt__kernels_clock *clock);

#endif
