/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a parcel's or fiber's turn on a server of a bank, from its request on to the
 * end of its kernel and its log.
 */
#ifndef HTMT_PARCELS_TIMING_SERVICE_H
#define HTMT_PARCELS_TIMING_SERVICE_H

#include "parcels/parcel.h"

/* Its control writes the log, its cost function the operations of the kernel. */
void htmt__control(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt_ops *ops,
                   struct htmt_context *c);
void htmt__serve(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__service_end(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__kernels_resolve(struct htmt_emulator *e);
/* Ask for a server of the layer's bank. */
void htmt__request(struct htmt_emulator *e, struct htmt_parcel *p);

#endif
