/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a control function writes its log through, and names what its kernel
 * will use.
 */
#ifndef HTMT_PARCELS_WALK_CONTEXT_H
#define HTMT_PARCELS_WALK_CONTEXT_H

#include "parcels/walk/entity.h"

struct htmt_context {
    struct htmt_emulator *e;
    struct htmt__entity *p;    /* what is in service; NULL: root */
    struct htmt__entity *self; /* its parcel */
    uint32_t layer;
    const void *result;
    struct htmt__touch use[HTMT__USES_MAX];
    uint32_t uses;
    struct htmt__entry **log_end; /* where the next line of the log goes */
    struct htmt_ops ops; /* of the kernel, as its cost function says: of the service, until its end
                            is known */
    uint64_t down, up;   /* words of state in use that percolation would bring down and up again */
};

/* The parcel of a fiber, or the parcel itself. */
static inline struct htmt__entity *htmt__self(struct htmt__entity *p)
{
    return p->kind == HTMT__FIBER ? p->owner : p;
}
/* Opens the one context that all controls of the emulator are given in turn, so that one that was
 * kept can be told from the open one. The uses are not cleared: those that are not counted are not
 * read. */
static inline struct htmt_context *htmt__context_open(struct htmt_emulator *e,
                                                      struct htmt__entity *p, const void *result)
{
    struct htmt_context *c = e->control;
    c->p = p;
    c->self = htmt__self(p);
    c->layer = p->step->layer;
    c->result = result;
    c->uses = 0;
    c->log_end = &p->log;
    c->down = c->up = 0;
    htmt__caller.control = c;
    return c;
}
static inline void htmt__context_close(void)
{
    htmt__caller.control = HTMT__NO_CONTROL;
}
/* A kernel's next use is that storage. */
void htmt__use_storage(struct htmt_context *c, struct htmt__storage *storage, uint64_t bytes);

#endif
