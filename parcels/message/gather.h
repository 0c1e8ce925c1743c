/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: posts that leave together (parcels/post.h: struct htmt_aggregate), as one
 * message, a bundle.
 */
#ifndef HTMT_PARCELS_MESSAGE_GATHER_H
#define HTMT_PARCELS_MESSAGE_GATHER_H

#include "parcels/clock/event.h"
#include "parcels/message/message.h"

struct htmt__buffer;
struct htmt__cursor;

/* What is held back, of one clock. */
struct htmt__gather {
    struct htmt__head *due; /* a heap: the first to leave first */
    uint32_t count;
    size_t room;
    struct htmt__entity **open; /* by source, target and layers: half of the places are free */
    uint32_t places;            /* a power of two */
};

/* Posts that travel, or will travel, in one message, payload by payload. */
struct htmt__bundle {
    uint64_t bytes, most; /* of arguments, as they are charged; with `most` it leaves */
    uint32_t place;       /* in the heap, while it is open */
    uint32_t count;       /* posts */
    uint32_t next;        /* bytes that have entered at the target */
    uint32_t used, room;  /* bytes at `at`, behind which is a word more */
    bool came;            /* at the target */
    _Alignas(8) unsigned char at[];
};

/* A post that crosses to a layer whose posts are gathered is made without a network; where it would
 * leave, it is held back instead. */
static inline bool htmt__gather_takes(const struct htmt__message *m)
{
    return m->kind == HTMT__MESSAGE_POST &&
           (m->leg.source != m->leg.target || m->leg.from != m->leg.to);
}
/* It would leave. */
void htmt__gather_join(struct htmt_emulator *e, struct htmt__entity *p);

/* When the first one leaves, and the key of that turn; HTMT_TIME_MAX: nothing is held back. */
static inline htmt_time htmt__gather_next(const struct htmt_emulator *e, uint64_t *key)
{
    const struct htmt__gather *g = e->gather;
    if (__builtin_expect(!g || !g->count, 1))
        return HTMT_TIME_MAX;
    *key = g->due->p->key;
    return g->due->at;
}
/* It does. */
void htmt__gather_turn(struct htmt_emulator *e);
void htmt__gather_destroy(struct htmt_emulator *e);

/* The post that enters next: not beyond the last one. */
static inline const struct htmt__post *htmt__bundle_next(const struct htmt__bundle *b)
{
    return (const struct htmt__post *)(const void *)(b->at + b->next);
}
/* From rank to rank. Errors of the latter: HTMT_ESYSTEM, HTMT_ENOMEM. */
void htmt__bundle_pack(struct htmt__buffer *buffer, const struct htmt__bundle *b);
int htmt__bundle_unpack(const struct htmt_emulator *e, struct htmt__cursor *c,
                        struct htmt__bundle **b);

#endif
