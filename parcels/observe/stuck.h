/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: who is not done at the end of a run that cannot go on, in which process
 * soever: all that the report of a deadlock tells of it.
 */
#ifndef HTMT_PARCELS_OBSERVE_STUCK_H
#define HTMT_PARCELS_OBSERVE_STUCK_H

#include "parcels/clock/rank.h"
#include "parcels/walk/entity.h"

#define HTMT__STUCK_NONE UINT32_MAX /* as the number of a type, mailbox or collective */

/* A parcel, enabled fiber, message or moment. */
struct htmt__stuck {
    uint64_t serial;
    struct htmt_slot done;   /* of a parcel: it signals at its end */
    uint64_t amount;         /* FOR_SPACE: words; FOR_ROOM: records */
    uint64_t used, resident; /* FOR_SPACE: words of that memory */
    htmt_time since;
    uint32_t slice, type, mailbox; /* by number */
    uint32_t fibers;               /* of a parcel that has slots */
    uint8_t kind, state, stage, layer;
    uint32_t size;    /* of all this, bytes */
    uint64_t holds[]; /* words of each layer; then of each fiber the signals that are missing */
};

/* A slot that a round of a collective will signal. */
struct htmt__awaited {
    struct htmt_slot slot;
    uint32_t by; /* number */
};

/* All of the run. */
struct htmt__stuck_list {
    struct htmt__buffer own; /* in a run of one process */
    const struct htmt__stuck **all;
    size_t count; /* by birth */
    const struct htmt__awaited **awaited;
    size_t awaited_count; /* by slot */
};

/* Signals that the slot of fiber i + 1 lacks; 0: nobody waits for them. */
uint64_t htmt__stuck_lacks(const struct htmt_emulator *e, const struct htmt__stuck *s, uint32_t i);
/* Of all processes. Cleared by htmt__stuck_fini(), whatever comes of it. Errors: HTMT_ENOMEM. */
int htmt__stuck_collect(const struct htmt_emulator *e, struct htmt__stuck_list *l);
void htmt__stuck_fini(struct htmt__stuck_list *l);
/* The same slots, then by owner and fiber. */
int htmt__awaited_by_slot(const void *a, const void *b);

/* Of every emulator. */
extern const struct htmt__stuck_operations htmt__stuck_operations;

#endif
