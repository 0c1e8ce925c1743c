/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the data plane: a closure's kernel becomes a job of the host.
 */
#ifndef HTMT_PARCELS_DATA_LAUNCH_H
#define HTMT_PARCELS_DATA_LAUNCH_H

#include "parcels/data/closure.h"
#include "parcels/data/kernel.h"

/* Issue the kernel of a service, or run it where nobody else could take it. Nobody has yet to read
 * what it writes: see htmt__fuse_force().
 * Returns the job if its counts are wanted or its turn is still to come; NULL else, or when memory
 * is short (latched). */
struct htmt__job *htmt__launch(struct htmt__data *d, struct htmt__closure *c,
                               const struct htmt__call *call);
/* The kernel of `execute` runs now, on this thread. */
void htmt__run_now(struct htmt__data *d, struct htmt__closure *c, struct htmt__view *view,
                   const struct htmt__turn *turn);
/* The service `execute` of a closure's parcel, whose counts are wanted if they time it. */
struct htmt__call htmt__execute_call(const struct htmt__data *d, const struct htmt__closure *c);

#endif
