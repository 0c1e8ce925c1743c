/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: replies of kernels, which a run captures or a model run plays (parcels/
 * replies.h), and the lineage by which they are found. Only where there are some
 * (HTMT__BY_REPLIES), but for the first three.
 */
#ifndef HTMT_PARCELS_WALK_REPLIES_H
#define HTMT_PARCELS_WALK_REPLIES_H

#include "parcels/replies.h"
#include "parcels/walk/entity.h"

struct htmt__replies; /* e->replies; NULL: nobody asks */

/* Behind the arguments of a body. */
struct htmt__lineage {
    uint64_t key;
    struct htmt__descent {
        uint32_t served, made; /* services that awaited kernels, children: so far */
    } of[];                    /* of the stages together, then of each fiber */
};

/* Bytes of it, of a type's parcels. */
static inline size_t htmt__lineage_bytes(uint32_t fibers)
{
    return sizeof(struct htmt__lineage) + (fibers + (size_t)1) * sizeof(struct htmt__descent);
}

/* Why a run with these options has no replies; NULL: it may have them. */
const char *htmt__replies_refused(const struct htmt_options *o);
/* e->replies, where htmt_options.replies has files. Errors: HTMT_ENOMEM; those of the files, with
 * the line in *fault. */
int htmt__replies_create(struct htmt_emulator *e, struct htmt_fault *fault);
void htmt__replies_destroy(struct htmt_emulator *e);
/* The run begins: a captured one had the same plan. Errors are latched. */
void htmt__replies_begin(struct htmt_emulator *e);
/* It is over: its replies are in the file, or all that were there have been played. */
void htmt__replies_end(struct htmt_emulator *e);

/* There are results without kernels. */
static inline bool htmt__replies_played(const struct htmt_emulator *e)
{
    return htmt__goes_aside(e, HTMT__BY_REPLIES) && !e->data;
}
static inline bool htmt__replies_captured(const struct htmt_emulator *e)
{
    return htmt__goes_aside(e, HTMT__BY_REPLIES) && e->data;
}
/* p was assembled in the context. */
void htmt__lineage_begin(struct htmt_context *c, struct htmt__entity *p,
                         const struct htmt_parcel_desc *desc);
/* p was made of a post: whose child it is nobody knows where it arrives. */
void htmt__lineage_posted(const struct htmt__entity *p);
/* The name of the reply of the service that p begins. */
uint64_t htmt__reply_name(struct htmt__entity *p);
/* The kernels of p's service replied: `ops`, NULL where a cost function says them, and `result`,
 * NULL where nobody looks at it. Errors are latched. */
void htmt__reply_keep(struct htmt_emulator *e, const struct htmt__entity *p, uint64_t name,
                      const struct htmt_ops *ops, const void *result);
/* What they replied in the captured run; returns the result, until the next call. */
const void *htmt__reply_take(struct htmt_emulator *e, const struct htmt__entity *p, uint64_t name,
                             struct htmt_ops *ops, bool looked_at);

#endif
