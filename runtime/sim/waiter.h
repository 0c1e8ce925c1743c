/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Those who wait in virtual time: an intrusive FIFO; and the accounts of a kind of resource.
 *
 * A machine has thousands of equal slices, so what each slice keeps of a resource is small, and
 * what is only summed up is kept once for all of them. The integral of the lengths over virtual
 * time is kept apart from the waits of those who leave, so that comparing the two (htmt_audit())
 * tests the queues.
 */
#ifndef HTMT_RUNTIME_SIM_WAITER_H
#define HTMT_RUNTIME_SIM_WAITER_H

#include "runtime/base/ratio.h"

#include <stddef.h>

struct htmt__waiter {
    struct htmt__waiter *next;
    htmt_time since; /* when it began to wait */
    uint64_t amount; /* words wanted; unused by banks */
};

/* Of one kind of resource, over all slices. */
struct htmt__tally {
    uint64_t served, words;
    htmt_wide busy;
    htmt_wide paused;   /* held and not in use */
    htmt_wide waited;   /* by those who left the line */
    htmt_wide integral; /* of the lengths, up to each line's last change */
    uint64_t longest;   /* line of one slice */
};

/* What others counted of the same kind. */
static inline void htmt__tally_merge(struct htmt__tally *t, const struct htmt__tally *others)
{
    t->served += others->served;
    t->words += others->words;
    t->busy += others->busy;
    t->paused += others->paused;
    t->waited += others->waited;
    t->integral += others->integral;
    t->longest = others->longest > t->longest ? others->longest : t->longest;
}

/* Sums of one slice's line or link. A run of one slice's waits may pass 64 bits. */
typedef htmt_wide htmt__slice_sum __attribute__((aligned(8)));

struct htmt__line {
    struct htmt__waiter *head, *tail;
    uint64_t length;
    htmt_time changed;      /* when length last changed */
    htmt__slice_sum waited; /* by those who left it */
};

/* Those still in line have waited since w->since; the line changed last at l->changed. */
static inline void htmt__line_rest(const struct htmt__line *l, htmt_time now, htmt_wide *waited,
                                   htmt_wide *integral)
{
    *integral += (htmt_wide)l->length * (now - l->changed);
    for (const struct htmt__waiter *w = l->head; w; w = w->next)
        *waited += now - w->since;
}

/* Out of the way of those that need not wait. */
void htmt__line_join(struct htmt__line *l, struct htmt__tally *t, struct htmt__waiter *w,
                     htmt_time now);
/* The line must not be empty. */
struct htmt__waiter *htmt__line_leave(struct htmt__line *l, struct htmt__tally *t, htmt_time now);

#endif
