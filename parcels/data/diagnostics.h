/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: what is found wrong with kernels, whichever thread finds it, and when.
 *
 * Kernels run long before or after their turn in virtual time. The timing plane numbers the turns;
 * the finding of the earliest turn is the run's. What htmt_kernel_fail() says counts only if the
 * turn comes; what else is wrong is told after all turns, in the order of births.
 */
#ifndef HTMT_PARCELS_DATA_DIAGNOSTICS_H
#define HTMT_PARCELS_DATA_DIAGNOSTICS_H

#include "parcels/data/data.h"

#include <stdatomic.h>

/* Of a kernel that other threads may run meanwhile: the number is set last. */
struct htmt__kernel_turn {
    _Atomic uint64_t number;
    htmt_time at;
    uint64_t phase, key;
};

struct htmt__kernel_fault {
    struct htmt__kernel_fault *next;
    struct htmt__turn turn; /* number UINT64_MAX: it never will come */
    uint64_t serial;        /* of the parcel or fiber */
    uint32_t part;
    bool failed; /* by htmt_kernel_fail() */
    int code;
    char text[sizeof((struct htmt_fault *)0)->text + 4]; /* more, so that a cut shows */
};

/* On any thread; copied. `turn` of the kernel, which the clock may set meanwhile; NULL: never. */
void htmt__kernel_fault_add(struct htmt__diagnostics *f, const struct htmt__kernel_fault *found,
                            const struct htmt__kernel_turn *turn);
/* The turn of that parcel's kernel has come, and its number is set: what was found before counts.
 */
void htmt__kernel_faults_place(struct htmt__diagnostics *f, uint64_t serial,
                               const struct htmt__turn *turn);

#endif
