/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the end of a mailbox at which messages bring it records.
 */
#ifndef HTMT_PARCELS_TIMING_MAILBOX_H
#define HTMT_PARCELS_TIMING_MAILBOX_H

#include "parcels/parcel.h"

void htmt__mailbox_arrive(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__mailbox_taken(struct htmt_emulator *e, struct htmt_mailbox *m, uint64_t records);
void htmt__mailboxes_destroy(struct htmt_emulator *e);
const char *htmt__mailbox_name(const struct htmt_mailbox *m);

#endif
