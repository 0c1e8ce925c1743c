/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the lines of an operation log, written while a service's control runs, and
 * done when their time has come.
 */
#ifndef HTMT_PARCELS_TIMING_LOG_H
#define HTMT_PARCELS_TIMING_LOG_H

#include "parcels/parcel.h"

struct htmt__collective;

enum htmt__entry_kind {
    HTMT__SIGNAL,
    HTMT__OPEN,
    HTMT__START,
    HTMT__SENT,
    HTMT__TAKEN,
    HTMT__JOIN,
    HTMT__FOLDED
};

/* One line of an operation log. */
struct htmt__entry {
    struct htmt__entry *next;
    enum htmt__entry_kind kind;
    bool after; /* the kernel */
    uint32_t stage;
    htmt_time at;          /* since the start of the service, or since the end of the kernel */
    struct htmt_slot slot; /* SIGNAL, SENT */
    union {
        struct htmt_parcel *start;           /* START */
        struct htmt_ref parcel;              /* OPEN, SENT */
        struct htmt_mailbox *mailbox;        /* TAKEN */
        struct htmt__collective *collective; /* JOIN, FOLDED */
    };
    uint64_t amount; /* TAKEN: records; SENT: slice */
};

void htmt__entry_do(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__entry *entry);
struct htmt__entry *htmt__entry_create(struct htmt_emulator *e, enum htmt__entry_kind kind);
void htmt__entry_free(struct htmt_emulator *e, struct htmt__entry *entry);

/* Add a line to the log of the service, or do it at once for the root. */
void htmt__log_write(struct htmt_context *c, struct htmt__entry *entry);
int htmt__log_start(struct htmt_context *c, struct htmt_parcel *p);

#endif
