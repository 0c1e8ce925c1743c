/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: kernels as jobs of the host, what they use besides their closure, and what
 * is found wrong with their counts.
 */
#ifndef HTMT_PARCELS_DATA_KERNEL_H
#define HTMT_PARCELS_DATA_KERNEL_H

#include "parcels/parcel.h"
#include "runtime/host/host.h"

#define HTMT__USES_MAX 8u

struct htmt__step;

struct htmt__touch {
    struct htmt__storage *storage;
    uint64_t offset, bytes;
    unsigned use;
};

/* The closure is complete: issue the kernel of execute ahead of its turn. */
void htmt__kernel_ahead(struct htmt_emulator *e, struct htmt_parcel *p);
/* Issue the kernel of `step` for parcel p; keep: its counts and result are wanted. */
struct htmt__job *htmt__kernel_issue(struct htmt_emulator *e, struct htmt_parcel *p,
                                     const struct htmt__step *step, const struct htmt__touch *uses,
                                     uint32_t use_count, bool keep);
void htmt__kernel_counts(struct htmt__job *job, struct htmt_ops *ops);
struct htmt__findings *htmt__findings_create(void);
void htmt__findings_destroy(struct htmt__findings *f);
/* A kernel whose counts differ from its cost function, once all jobs are done. */
int htmt__kernel_check(struct htmt_emulator *e);

#endif
