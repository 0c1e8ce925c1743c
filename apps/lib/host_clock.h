/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, for the walls of an outcome. No prediction may depend on it.
 */
#ifndef HTMT_APPS_LIB_HOST_CLOCK_H
#define HTMT_APPS_LIB_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

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

/* What looks at a core have shown; zeros before the first one. */
#define HTMT_HOST_RATES 128
#define HTMT_HOST_NEAR  3 /* steps of rates within which a core is its thread's alone */
#define HTMT_HOST_QUEUES                                                                           \
    2 /* loops that overlap where so many instructions wait until they retire: 200, 400 */
struct htmt_host_core {
    double cycle;   /* seconds, at the last look: an addition that waits for another */
    double turn;    /* the least, in cycles: a turn of a loop that only counts */
    uint32_t looks; /* at which the clock held */
    int own;        /* the rate that is the core's own: a step of: */
    uint32_t rate[HTMT_HOST_RATES];    /* of these, by cycles of an instruction that does nothing */
    uint32_t fitted[HTMT_HOST_QUEUES]; /* of these, at which such a loop overlapped */
};

/* What was measured of the core before; 0: unknown. */
struct htmt_host_expected {
    double nothing; /* cycles of an instruction that does nothing, where nobody else has the core */
    double reorder; /* instructions that wait until they retire */
};

/* Before the first look: as if many had shown this. */
void htmt_host_core_expect(struct htmt_host_core *core, struct htmt_host_expected of);

/* Looks at the core of this thread, some microseconds each: whether its clock holds, and whether
 * the core issues for this thread alone as many instructions a cycle as it ever did, and has as
 * many under way, or as was expected. Another thread on the same core leaves the clock as it is,
 * but takes half of what is issued, or of the queue. Looks until all hold, at most `patience`
 * seconds long, and at least once. */
bool htmt_host_core_still(struct htmt_host_core *core, double patience);

/* A sample between two looks. It is still where both were and showed the same clock within 2 %. */
struct htmt_host_sample {
    double seconds; /* as htmt_host_watch_seconds() */
    double cycles;  /* of the clock that the looks showed */
    bool still;
};
/* `prepare` (NULL: nothing) runs before the first look: a sample waits for a still core before it
 * prepares, and takes one that is restless then as it is. */
struct htmt_host_sample htmt_host_core_sample(struct htmt_host_core *core, double patience,
                                              void (*prepare)(void *user),
                                              void (*run)(void *user, uint64_t n), void *user,
                                              uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
