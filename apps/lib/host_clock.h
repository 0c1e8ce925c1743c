/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, for the walls of an outcome. No prediction may depend on it.
 */
#ifndef HTMT_APPS_LIB_HOST_CLOCK_H
#define HTMT_APPS_LIB_HOST_CLOCK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some moment before; never goes back. Any thread. */
double htmt_host_seconds(void);

/* Seconds since *since, which becomes now. */
double htmt_host_elapsed(double *since);

/* How long this thread computes. */
struct htmt_host_watch {
    double passed, computed;
};
void htmt_host_watch_start(struct htmt_host_watch *watch);
/* Seconds since then. Of a long time without that in which others had the core, as the kernel
 * accounts for it. On a virtual machine that is too short at times, which is much of a short
 * time: there every second counts. */
double htmt_host_watch_seconds(const struct htmt_host_watch *watch);

/* How fast a core adds at its best so far; zeros before the first look. */
struct htmt_host_core {
    double chain; /* seconds of an addition that waits for the one before */
    double apart; /* of one of four chains side by side */
};

/* Looks at the core of this thread, some microseconds each: whether its clock is as fast as at its
 * best, and whether the core works for this thread alone. Another thread on the same core leaves
 * the time of a chain as it is, but takes half of what is computed side by side. Looks until both
 * hold, at most `patience` seconds long, and at least once. */
bool htmt_host_core_still(struct htmt_host_core *core, double patience);

#ifdef __cplusplus
}
#endif

#endif
