/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives over all slices: broadcasts and reductions along a tree, all-reduces.
 */
#ifndef HTMT_PARCELS_COLLECTIVE_H
#define HTMT_PARCELS_COLLECTIVE_H

#include "parcels/object.h"
#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collectives over one frame, along a binomial tree rooted at slice 0 in slice order.
 * broadcast: slice 0's first `bytes` go to every slice's frame.
 * reduce: every slice joins once; combine(into, from, bytes) folds in the fixed order of the tree,
 * so sums do not depend on arrival; the result lies in slice 0's frame.
 * A broadcast signals arrived[slice] in every slice (may be NULL; copied): the bytes are there, and
 * the frame is the slice's own again. The slots travel with the bytes. A reduction signals each
 * slice's slot when its frame is its own again, which is when the last word of its part has left;
 * in slice 0 it holds the result then. The n-th join of a slice belongs to the n-th round; a round
 * that not all slices have joined when nothing can move any more is a deadlock. `ops`
 * are charged to the layer's processor for each combination. combine NULL: a tree for broadcasts.
 * Create by the host, before the run; the emulator owns the tree. Errors: HTMT_EINVAL (no frame of
 * this emulator, too many bytes), HTMT_ECAPACITY (the inboxes of a fold take words of the layer),
 * HTMT_ENOMEM. Join from a control; never suspends. Errors: HTMT_EINVAL (the wrong kind of tree, a
 * slice that may not, or too early), HTMT_EROUTE, HTMT_ENOMEM. */
struct htmt_tree_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_tree;
int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree);
int htmt_broadcast(struct htmt_context *c, struct htmt_tree *tree, const struct htmt_slot *arrived);
int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived);

/* All slices combine their frames' first `bytes`, and every slice holds the result: by recursive
 * doubling, as deep as a tree, and the same for every slice, so that it can be folded. Of s slices
 * the first c, the largest power of two, exchange in round r with the one whose number differs in
 * bit r; a slice i >= c gives its part to slice i - c before and hears the result from it.
 * `combine` must be commutative: then all slices get the same bits, in an order that does not
 * depend on arrival. Every slice joins each time, or the run ends in a deadlock; `arrived` is
 * signalled in that slice when its frame holds the result and is its own again, before which it may
 * not join again (HTMT_EINVAL). `ops` are charged to the layer's processor for each combination.
 * Errors as with trees; folded, s must be a power of two (HTMT_ESYMMETRY). */
struct htmt_allreduce_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_allreduce;
int htmt_allreduce_create(struct htmt_emulator *e, const struct htmt_allreduce_desc *desc,
                          struct htmt_allreduce **allreduce);
int htmt_allreduce(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived);

/* A barrier over all slices, each of which joins in every round: `passed` of each one is signalled
 * when all have joined, and none before. It is an all-reduce of one word in a memory of `layer` and
 * costs what that costs: with s slices, floor(log2 s) rounds, one after another, of a word to a
 * partner and a parcel of no work on the layer's processor, for which it may have to wait; two
 * words more, before and after, where s is no power of two. Of the memory it takes a word and two
 * for each round. Errors, also of a slice that joins again too early: those of all-reduces. */
struct htmt_barrier;
int htmt_barrier_create(struct htmt_emulator *e, uint32_t layer, const char *name,
                        struct htmt_barrier **barrier);
int htmt_barrier(struct htmt_context *c, struct htmt_barrier *barrier, struct htmt_slot passed);

#ifdef __cplusplus
}
#endif

#endif
