/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of clocks: slices far apart, each of which signals to the one at its right, in turns.
 */
#ifndef HTMT_TESTS_PARCELS_RING_H
#define HTMT_TESTS_PARCELS_RING_H

#include "tests/parcels/world.h"

#define RING_SLICES 6u

enum { RING_GO = 1 };

struct ring {
    struct htmt_ref post[RING_SLICES];
    uint32_t turns;
};

struct ring_post {
    struct ring *ring;
    uint32_t turn;
};

static inline void ring_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_CYCLE] = 20 + 3 * ((const struct ring_post *)args)->turn;
}

/* Every slice signals to the one at its right. */
static inline void ring_turn(struct htmt_context *c)
{
    struct ring_post *p = htmt_args(c);
    if (++p->turn == p->ring->turns)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot_of(p->ring->post[(htmt_slice(c) + 1) % RING_SLICES], RING_GO));
}

static inline void ring_posts(struct world *w, struct ring *r, struct htmt_type *type)
{
    for (uint32_t i = 0; i < RING_SLICES; i++)
        cr_assert_eq(ASSEMBLE(htmt_root(w->e), &r->post[i], .type = type, .slice = i,
                              .args = &(struct ring_post){.ring = r}),
                     0);
}

/* The end of a parcel of each slice begins its first turn. */
static inline void ring_start(struct world *w, struct ring *r)
{
    const struct htmt_stage fibers[] = {
        {.control = ring_turn, .cost = ring_cost, .count = 1, .reset = 1}};
    struct htmt_type *post =
        TYPE(w, .name = "post", .home = "cram", .exec = "cram", .fibers = fibers, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct ring_post));
    struct htmt_type *herald = world_type(w, world_eight());
    ring_posts(w, r, post);
    for (uint32_t i = 0; i < RING_SLICES; i++)
        START(w, .type = herald, .slice = i, .args = &(struct world_work){3, 4 + i, 5, 6, 7},
              .on_done = htmt_slot_of(r->post[i], RING_GO));
}

static inline struct world_spec ring_spec(void)
{
    struct world_spec s = world_plain(RING_SLICES);
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 25;
    return s;
}

#endif
