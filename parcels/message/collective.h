/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what all collectives over one frame have in common, whatever way their
 * messages go: the parcel that combines what came with what a slice has, and the message.
 */
#ifndef HTMT_PARCELS_MESSAGE_COLLECTIVE_H
#define HTMT_PARCELS_MESSAGE_COLLECTIVE_H

#include "parcels/clock/probe.h"
#include "parcels/walk/entity.h"

struct htmt__collective;
struct htmt__part;

/* `e`: the emulator, or the copy of it that plays the slice. */
struct htmt__collective_operations {
    void (*join)(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice);
    void (*arrive)(struct htmt_emulator *e, struct htmt__collective *t,
                   struct htmt__entity *message);
    void (*folded)(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice);
    /* The last word of a message with `returns` has left the slice. */
    void (*sent)(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice);
    /* How often the slice has joined, and whom its present round, if any, will signal. */
    struct htmt__part (*part)(const struct htmt__collective *t, uint32_t slice);
    /* It has joined so often, in another process. */
    void (*joined)(struct htmt__collective *t, uint32_t slice, uint64_t joined);
};

/* What a slice has to do with a collective. */
struct htmt__part {
    uint64_t joined;
    struct htmt_slot arrived; /* none: it is in no round */
};

/* The first member of each collective. */
struct htmt__collective {
    struct htmt__collective *next;
    const struct htmt__collective_operations *operations;
    struct htmt_emulator *emulator;
    uint32_t number;  /* collectives made before it */
    const char *kind; /* "all-reduce" */
    char name[64];
    struct htmt_frame *frame;
    uint64_t bytes;
    uint32_t layer;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    struct htmt_type *fold;  /* NULL without `combine` */
    struct htmt_slot *slots; /* of a broadcast, from its call to its place in the log */
};

/* One with frame, bytes, combine, ops and name (NULL: `what`), in so many bytes of memory, which
 * the emulator owns from now on. Errors (latched): HTMT_EINVAL, HTMT_ENOMEM. */
int htmt__collective_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                            const char *what, const struct htmt__collective_operations *operations,
                            size_t size, struct htmt__collective **t);
/* A slice's part of it takes its turn, or has: what it does comes behind what it did before. */
static inline void htmt__collective_turn(struct htmt_emulator *e, const struct htmt__collective *t,
                                         uint32_t slice, bool over)
{
    if (!htmt__explained(e))
        return;
    const void *part = htmt_at(t->frame, slice, 0).object;
    if (!over)
        e->explain->finds(e, part);
    e->explain->leaves(e, part);
}
/* One of those that `key` waits for has come: who watches keeps it until they meet. */
static inline void htmt__collective_waits(struct htmt_emulator *e, const void *key)
{
    if (htmt__explained(e))
        e->explain->waits(e, key);
}
/* All that `key` waited for has come: what happens from now on, until `key` is NULL, comes of it.
 */
static inline void htmt__collective_meets(struct htmt_emulator *e, const void *key)
{
    if (htmt__explained(e))
        e->explain->meets(e, key);
}
/* 0, or HTMT_EINVAL (latched): the host may create one, from what is given. */
int htmt__collective_setup(struct htmt_emulator *e, const void *desc, const void *out,
                           const char *call);
/* 0, or HTMT_EINVAL (latched): a control may call one, which is its emulator's. */
int htmt__collective_call(struct htmt_context *c, const struct htmt__collective *t,
                          const char *call);
/* Room for a message in a slice. */
int htmt__collective_inbox(struct htmt__collective *t, uint32_t slice, uint32_t number,
                           struct htmt_object **inbox);
/* The slice joins at this place of the control's log. */
int htmt__collective_join(struct htmt_context *c, struct htmt__collective *t);
/* Combine an inbox with the slice's frame: a parcel, after whose end operations->folded() follows.
 */
void htmt__collective_fold(struct htmt_emulator *e, struct htmt__collective *t, uint32_t slice,
                           struct htmt_object *inbox);
/* The frame of a slice on its way to another one; to be started. NULL: latched. */
struct htmt__entity *htmt__collective_message(struct htmt_emulator *e, struct htmt__collective *t,
                                              uint32_t from, uint32_t to, struct htmt_addr dst);
void htmt__collectives_destroy(struct htmt_emulator *e);

#endif
