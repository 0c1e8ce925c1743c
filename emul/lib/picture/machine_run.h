/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the JSON of a run (docs/json.md) says of the places of its machine.
 */
#ifndef HTMT_EMUL_LIB_PICTURE_MACHINE_RUN_H
#define HTMT_EMUL_LIB_PICTURE_MACHINE_RUN_H

#include "layers/machine/machine.h"

#include <stdbool.h>

struct htmt__machine_run;

/* A file of results of a run or a model run on that machine. On success the caller gives *run to
 * htmt__machine_run_close(). Errors: HTMT_EFORMAT (no such results), HTMT_EUSAGE (of another
 * machine), those of runtime/base/input.h. */
int htmt__machine_run_open(struct htmt__machine_run **run, const char *path,
                           const struct htmt_machine *m, struct htmt_fault *fault);
/* Clears *run; cleared pointers are accepted. */
void htmt__machine_run_close(struct htmt__machine_run **run);

/* "model pic: 3.485 ms on 1 slice". */
const char *htmt__machine_run_title(const struct htmt__machine_run *run);

/* Share of the time that a resource, such as "vortex dram out", was in use; -1: it is not there. */
double htmt__machine_run_used(const struct htmt__machine_run *run, const char *resource);

/* What the ports of that name did, on all planes of the network. */
struct htmt__machine_port {
    double held;          /* share of the time in which a packet had it, of the busiest plane */
    uint64_t contentions; /* packets that queued there */
};
/* False: it is not there, or not all slices were played. */
bool htmt__machine_run_port(const struct htmt__machine_run *run, const char *network,
                            const char *name, struct htmt__machine_port *port);

/* False: it is not there. */
bool htmt__machine_run_memory(const struct htmt__machine_run *run, const char *memory,
                              uint64_t *peak, double *stalled_s);

/* The i-th of the bottlenecks, the worst first; false: there are fewer. Texts belong to the run. */
struct htmt__machine_limit {
    const char *name; /* of a resource, or "CRAM space" */
    bool binding;
    double used, waiting; /* share; mean queue */
};
bool htmt__machine_run_limit(const struct htmt__machine_run *run, unsigned i,
                             struct htmt__machine_limit *limit);

#endif
