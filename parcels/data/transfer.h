/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: copies, one after the other, as the clock asks for them. The clock's
 * thread makes them at once where nobody else could take them, or where nothing stands in their way
 * and a job would take as long; from the first for which neither holds they are one job.
 */
#ifndef HTMT_PARCELS_DATA_TRANSFER_H
#define HTMT_PARCELS_DATA_TRANSFER_H

#include "parcels/data/copy.h"

struct htmt__transfer {
    struct htmt__data *d;
    uint32_t pool, most; /* copies to come, at most */
    struct htmt__job *job;
    bool made; /* some at once */
};

/* What a copy touches. */
struct htmt__end {
    struct htmt__storage *storage;
    struct htmt__extent part;
};

/* Nobody has yet to read what is written: see htmt__fuse_force(). */
void htmt__transfer_add(struct htmt__transfer *t, const struct htmt__copy_op *copy,
                        struct htmt__end dst, struct htmt__end src);
/* After the last one. */
void htmt__transfer_end(struct htmt__transfer *t);

#endif
