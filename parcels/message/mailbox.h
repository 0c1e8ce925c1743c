/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: mailboxes, when messages come to them or their sender, and when their records
 * were taken.
 */
#ifndef HTMT_PARCELS_MESSAGE_MAILBOX_H
#define HTMT_PARCELS_MESSAGE_MAILBOX_H

#include "parcels/walk/entity.h"

/* At the mailbox: a word asks for room; records come. At the sender: room is granted. */
void htmt__mailbox_asked(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__mailbox_granted(struct htmt_emulator *e, struct htmt__entity *p);
void htmt__mailbox_arrive(struct htmt_emulator *e, struct htmt__entity *p);
/* So many records were taken; who waits for room gets it. */
void htmt__mailbox_taken(struct htmt_emulator *e, struct htmt_mailbox *m, uint64_t records);
void htmt__mailboxes_destroy(struct htmt_emulator *e);
const char *htmt__mailbox_name(const struct htmt_mailbox *m);
uint32_t htmt__mailbox_slice(const struct htmt_mailbox *m);
/* Records that arrived and were not taken; of a slice that is not played: none. */
uint64_t htmt__mailbox_records(const struct htmt_mailbox *m);
/* Another process has counted them. */
void htmt__mailbox_records_set(struct htmt_mailbox *m, uint64_t records);
/* How many mailboxes were made before it. */
uint32_t htmt__mailbox_number(const struct htmt_mailbox *m);
/* In the list of all: the one made before it; NULL: none. */
const struct htmt_mailbox *htmt__mailbox_next(const struct htmt_mailbox *m);

#endif
