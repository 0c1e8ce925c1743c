/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop on several processors at once, a thread pinned to each.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_TOGETHER_H
#define HTMT_EMUL_COMMAND_HOST_TOGETHER_H

#include "apps/lib/host_clock.h"
#include "emul/command/host/sample.h"

#define HTMT__HOST_CPUS 256

struct htmt__host_crowd {
    unsigned cpus;
    unsigned cores; /* the first so many are of cores of their own; 0: not known */
    int cpu[HTMT__HOST_CPUS];
    struct htmt_host_core core[HTMT__HOST_CPUS]; /* what looks at each have shown */
};

/* The processors that this process may use, as the system numbers them; as many as there is room
 * for. */
void htmt__host_crowd_find(struct htmt__host_crowd *crowd);

struct htmt__host_together {
    double cycles; /* of a turn, the mean over the threads */
    double cycle;  /* seconds, the mean */
    bool still;    /* all cores were, before and after */
};
/* The first `threads` processors run `run(user[i], turns)` again and again, once before the start,
 * for `seconds` and at least two times. Errors: HTMT_ESYSTEM (no thread, or no permission to pin
 * it). */
int htmt__host_run_together(struct htmt__host_crowd *crowd, unsigned threads,
                            htmt__host_loop_fn *run, void *const *user, uint64_t turns,
                            double seconds, struct htmt__host_together *found);

#endif
