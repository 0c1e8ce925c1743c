/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one phase of Cannon's multiply does, in operations and words of one slice (Amaral et al.,
 * Table 1; the transform of C as Hereld et al., Table 2). The parcel program charges these and the
 * closed form evaluates them.
 */
#ifndef HTMT_APPS_CANNON_COUNTS_H
#define HTMT_APPS_CANNON_COUNTS_H

#include "apps/cannon/plan.h"

/* Words of a subblock: what one inject of A or B, one exchange of either and one eject of C
 * move. */
static inline uint64_t htmt__cannon_subblock_words(const struct htmt__cannon_plan *p)
{
    return p->b_c * p->b_c;
}

/* Words of a bundle, a slice's t^2 subblocks of A, B or C in one product. */
static inline uint64_t htmt__cannon_bundle_words(const struct htmt__cannon_plan *p)
{
    return p->t * p->t * htmt__cannon_subblock_words(p);
}

/* So many accesses to each of the words; of an odd number the odd one reads. */
static inline struct htmt_ops htmt__cannon_access_ops(uint64_t accesses, uint64_t words)
{
    uint64_t stores = accesses / 2;
    return (struct htmt_ops){
        .n = {[HTMT_LOAD] = (accesses - stores) * words, [HTMT_STORE] = stores * words}};
}

/* Rearranging A or B: for each of the t rows of blocks a row of s subblocks is copied to a buffer
 * (s t^2 b_c^2 words), and the slice's own subblock out of it (t^2 b_c^2). */
static inline struct htmt_ops htmt__cannon_transform_ops(const struct htmt__cannon_plan *p)
{
    return htmt__cannon_access_ops(p->charges.accesses, htmt__cannon_bundle_words(p) * (p->s + 1));
}

/* Putting C back in rows. */
static inline struct htmt_ops htmt__cannon_restore_ops(const struct htmt__cannon_plan *p)
{
    return htmt__cannon_access_ops(p->charges.accesses_c, htmt__cannon_bundle_words(p));
}

/* A subblock of A times one of B, added to C. */
static inline struct htmt_ops htmt__cannon_multiply_ops(const struct htmt__cannon_plan *p)
{
    return (struct htmt_ops){.n = {[HTMT_FLOP] = p->charges.flop * p->b_c * p->b_c * p->b_c}};
}

#endif
