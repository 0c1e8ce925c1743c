/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pending event set: smallest (time, key) first. Keys of pending events are unique, so the
 * order of pops never depends on the order of pushes.
 */
#ifndef HTMT_RUNTIME_PENDING_H
#define HTMT_RUNTIME_PENDING_H

#include "runtime/error.h"
#include "runtime/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct htmt__event {
    htmt_time time;
    uint64_t key; /* slice << 32 | index: the tie-break, and how the handler finds its entity */
};

struct htmt__pending {
    struct htmt__event *at;
    size_t count, room;
};

void htmt__pending_init(struct htmt__pending *p);
void htmt__pending_fini(struct htmt__pending *p);

static inline bool htmt__event_before(struct htmt__event a, struct htmt__event b)
{
    return a.time < b.time || (a.time == b.time && a.key < b.key);
}

/* Errors: HTMT_ENOMEM. Pushing into the past of the last pop is the caller's fault to prevent. */
int htmt__pending_push(struct htmt__pending *p, struct htmt__event e);
/* false: empty. */
bool htmt__pending_pop(struct htmt__pending *p, struct htmt__event *e);
/* Time of the next event, HTMT_TIME_MAX when empty. */
htmt_time htmt__pending_next(const struct htmt__pending *p);

#endif
