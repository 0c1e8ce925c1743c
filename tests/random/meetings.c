/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/parts.h"

#include <stdio.h>

/* Now and then long, so that slices come at different times. */
static void dawdle(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    uint64_t seed = a->seed + 77 * a->round;
    bool even = a->program->plan->even;
    htmt_charge(c, HTMT_CYCLE, even ? 10 : between(&seed, 0, once_in(&seed, 4) ? 900 : 20));
}

static struct htmt_type *caller(struct program *p, const char *name, uint32_t layer,
                                htmt_control_fn *first, const struct htmt_stage *fibers,
                                uint32_t count)
{
    return program_caller(p, name, layer, layer, first, fibers, count);
}

static void begin_section(struct htmt_context *c)
{
    static const char *const names[] = {"first", "second", "third"};
    const struct args *a = htmt_args(c);
    if (a->program->plan->number % 4)
        return;
    tell(c, CALL_SECTION);
    htmt_section(c, names[a->round % 3]);
}

/* ---- rings: each slice signals or sends to some others, and turns when as many came ------------
 */

/* One message to the slice that is so far away; its slot counts it, whatever it is. */
static void ring_put(struct htmt_context *c, uint32_t there, struct htmt_slot slot, uint64_t *seed)
{
    const struct args *a = htmt_args(c);
    const struct program *p = a->program;
    const struct reach *r = &p->reach[p->ring.layer];
    struct htmt_put put = htmt_put_init();
    put.bytes = 8 * between(seed, 1, 12);
    put.src = program_place(p, p->ring.layer, htmt_slice(c), put.bytes, seed);
    put.dst = program_place(p, r->far[between(seed, 0, r->far_count - 1)], there, put.bytes, seed);
    put.on_arrived = slot;
    if (p->ring.too) {
        put.on_arrived_too = 2;
        tell(c, PUT_TOO);
    }
    tell(c, PUT_SLICE);
    htmt_put(c, &put);
}

static void ring_send(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const struct program *p = a->program;
    dawdle(c);
    for (uint32_t i = 0; i < p->ring.fan; i++) {
        uint32_t there = (htmt_slice(c) + p->ring.far[i]) % p->slices;
        struct htmt_slot slot = htmt_slot_in(htmt_slot(c, 1), there);
        bool puts = once_in(&a->seed, 2) && p->reach[p->ring.layer].far_count;
        if (puts && there != htmt_slice(c)) {
            ring_put(c, there, slot, &a->seed);
            continue;
        }
        tell(c, SIGNAL_SLICE);
        htmt_signal(c, slot);
        slot.fiber = 2;
        if (p->ring.too)
            htmt_signal(c, slot);
    }
}

static void end_turn(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (--a->left == 0)
        finish(c);
}

static void ring_turn(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    htmt_use(c, program_place(a->program, a->program->ring.layer, htmt_slice(c), 64, &a->seed), 64,
             HTMT_UPDATE);
    htmt_work(c);
    if (++a->round < a->program->ring.turns)
        ring_send(c);
    end_turn(c);
}

static void ring_create(struct program *p, uint64_t *seed)
{
    p->ring.turns = (uint32_t)between(seed, 1, 8);
    p->ring.fan = (uint32_t)between(seed, 1, 3);
    p->ring.too = once_in(seed, 2);
    p->ring.layer = (uint32_t)between(seed, 0, p->layers - 1);
    for (uint32_t i = 0; i < p->ring.fan; i++)
        p->ring.far[i] = (uint32_t)between(seed, p->slices > 1, p->slices - (p->slices > 1));
    const struct htmt_stage fibers[2] = {
        {.kernel = percolating_visit,
         .cost = p->plan->known ? percolating_cost : NULL,
         .control = ring_turn,
         .count = p->ring.fan,
         .reset = p->ring.fan},
        {.control = end_turn, .count = p->ring.fan, .reset = p->ring.fan}};
    p->ring.type = caller(p, "ring", p->ring.layer, ring_send, fibers, 2);
}

/* ---- mail: bursts of records to other slices; each arrival is a turn to take --------------------
 */

/* Fiber 2 sends the next burst when the last one has left. */
static void mail_send(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const struct program *p = a->program;
    uint64_t seed = p->mail.seed + a->round; /* the same places in all slices */
    uint64_t most = p->mail.capacity < 4 ? p->mail.capacity : 4;
    dawdle(c);
    for (uint32_t i = 0; i < p->mail.each; i++) {
        uint32_t there = program_peer(p, htmt_slice(c), &seed);
        uint64_t records = between(&a->seed, 0, most);
        struct htmt_addr src = program_place(p, p->mail.layer, htmt_slice(c), 160, &a->seed);
        tell(c, records ? MAIL_SEND : MAIL_NOTHING);
        htmt_send(c, p->mail.box[there], src, records, htmt_slot(c, 2),
                  htmt_slot_in(htmt_slot(c, 1), there));
    }
}

static void mail_sent(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    if (++a->round < a->program->mail.bursts)
        mail_send(c);
    end_turn(c);
}

static void mail_take(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const struct program *p = a->program;
    htmt_use(c, program_place(p, p->mail.layer, htmt_slice(c), 64, &a->seed), 64, HTMT_UPDATE);
    if (a->left > 1 || !p->mail.lazy) {
        uint64_t records = htmt_take(c, p->mail.box[htmt_slice(c)]);
        tell(c, records == p->mail.capacity ? MAIL_FULL : MAIL_TAKE);
        htmt_charge(c, HTMT_IOP, records);
    }
    htmt_work(c);
    end_turn(c);
}

/* In lazy programs nobody takes the last mail. In late programs only every second arrival is a turn
 * to take, which may be one too few. */
static void mail_create(struct program *p, uint32_t layer, uint64_t *seed)
{
    bool late = once_in(seed, 8);
    p->mail.lazy = once_in(seed, 8);
    p->mail.layer = layer;
    p->mail.bursts = (uint32_t)between(seed, 1, 4);
    p->mail.each = 2 * (uint32_t)between(seed, 1, 3);
    p->mail.capacity = between(seed, 1, once_in(seed, 2) ? 3 : 20);
    p->mail.record_bytes = 8 * between(seed, 1, 5);
    p->mail.seed = draw(seed) | 1;
    uint32_t arrivals = late ? 2 : 1;
    const struct htmt_stage fibers[2] = {
        {.kernel = percolating_visit,
         .cost = p->plan->known ? percolating_cost : NULL,
         .control = mail_take,
         .count = arrivals,
         .reset = arrivals},
        {.control = mail_sent, .count = p->mail.each, .reset = p->mail.each}};
    p->mail.type = caller(p, "mail", p->mail.layer, mail_send, fibers, 2);
    p->mail.turns = p->mail.bursts * p->mail.each / arrivals;
    for (uint32_t i = 0; i < p->slices; i++)
        program_check(p,
                      htmt_mailbox_create(p->e, i, p->mail.layer, p->mail.record_bytes,
                                          p->mail.capacity, "box", &p->mail.box[i]),
                      "box");
}

/* ---- all-reduces ------------------------------------------------------------------------------
 */

static void add(void *into, const void *from, uint64_t bytes)
{
    uint64_t *a = into;
    const uint64_t *b = from;
    for (uint64_t i = 0; i < bytes / sizeof *a; i++)
        a[i] += b[i];
}

static void all_join(struct htmt_context *c)
{
    dawdle(c);
    begin_section(c);
    tell(c, JOIN_ALLREDUCE);
    htmt_allreduce(c, program_of(c)->all.sum, htmt_slot(c, 1));
}

static void all_joined(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    percolating_start(c, a->program, htmt_slice(c), 1, (a->seed + a->round) | 1);
    if (++a->round < a->program->all.rounds)
        all_join(c);
    else
        finish(c);
}

static void all_create(struct program *p, uint32_t layer, uint64_t *seed)
{
    const struct htmt_stage joined = {.control = all_joined, .count = 1, .reset = 1};
    struct htmt_allreduce_desc d = {
        .bytes = 8 * between(seed, 1, 6), .combine = add, .name = "sum of all"};
    d.ops.n[HTMT_CYCLE] = between(seed, 0, 50);
    p->all.rounds = (uint32_t)between(seed, 1, 4);
    program_check(p, htmt_frame_create(p->e, layer, SUM_BYTES, "sum", &p->all.frame), "sum");
    d.frame = p->all.frame;
    program_check(p, htmt_allreduce_create(p->e, &d, &p->all.sum), "all-reduce");
    p->all.type = caller(p, "joining", layer, all_join, &joined, 1);
}

/* ---- trees ------------------------------------------------------------------------------------
 */

/* Fiber 1: this slice's part of the sum has gone. Fiber 2: the news of slice 0, which it sends when
 * it holds the sum. */
static void tree_join(struct htmt_context *c)
{
    dawdle(c);
    tell(c, JOIN_REDUCE);
    htmt_reduce(c, program_of(c)->tree.up, htmt_slot(c, 1));
}

static void tree_joined(struct htmt_context *c)
{
    const struct program *p = program_of(c);
    if (htmt_slice(c))
        return;
    tell(c, JOIN_BROADCAST);
    htmt_broadcast(c, p->tree.down, p->tree.heard);
}

static void tree_heard(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    begin_section(c);
    percolating_start(c, a->program, htmt_slice(c), 1, (a->seed + a->round) | 1);
    if (++a->round < a->program->tree.rounds)
        tree_join(c);
    else
        finish(c);
}

static void tree_create(struct program *p, uint32_t layer, uint64_t *seed)
{
    const struct htmt_stage fibers[2] = {{.control = tree_joined, .count = 1, .reset = 1},
                                         {.control = tree_heard, .count = 1, .reset = 1}};
    struct htmt_tree_desc up = {.bytes = 8 * between(seed, 1, 6), .combine = add, .name = "up"};
    struct htmt_tree_desc down = {.bytes = 8 * between(seed, 1, 6), .name = "down"};
    up.ops.n[HTMT_IOP] = between(seed, 0, 50);
    p->tree.rounds = (uint32_t)between(seed, 1, 3);
    program_check(p, htmt_frame_create(p->e, layer, SUM_BYTES, "part", &p->tree.frame), "part");
    program_check(p, htmt_frame_create(p->e, layer, SUM_BYTES, "news", &p->tree.news), "news");
    up.frame = p->tree.frame;
    down.frame = p->tree.news;
    program_check(p, htmt_tree_create(p->e, &up, &p->tree.up), "reduction");
    program_check(p, htmt_tree_create(p->e, &down, &p->tree.down), "broadcast");
    p->tree.type = caller(p, "tree", layer, tree_join, fibers, 2);
}

/* ---- barriers ---------------------------------------------------------------------------------
 */

static void meet(struct htmt_context *c)
{
    dawdle(c);
    tell(c, JOIN_BARRIER);
    htmt_barrier(c, program_of(c)->meet.barrier, htmt_slot(c, 1));
}

/* Now and then a slice stays away, and the others wait for ever. */
static void met(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    const struct plan *plan = a->program->plan;
    bool away = plan->group != ALIKE && plan->number % 20 == 7 && htmt_slice(c) == 0;
    begin_section(c);
    if (++a->round < a->program->meet.rounds && !away)
        meet(c);
    else
        finish(c);
}

static void meet_create(struct program *p, uint32_t layer, uint64_t *seed)
{
    const struct htmt_stage passed = {.control = met, .count = 1, .reset = 1};
    p->meet.rounds = (uint32_t)between(seed, 1, 5);
    program_check(p, htmt_barrier_create(p->e, layer, "barrier", &p->meet.barrier), "barrier");
    p->meet.type = caller(p, "meeting", layer, meet, &passed, 1);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* One where records go to other slices, and leave to send comes back, if there is one. */
static uint32_t joined_layer(const struct program *p, uint64_t *seed)
{
    uint32_t first = (uint32_t)between(seed, 0, p->layers - 1);
    for (uint32_t i = 0; i < p->layers; i++) {
        const uint32_t layer = (first + i) % p->layers;
        if (p->slices == 1 || htmt_machine_route(p->plan->machine, layer, layer, true) >= 0)
            return layer;
    }
    return first;
}

void meetings_create(struct program *p, uint64_t *seed)
{
    uint32_t layer = joined_layer(p, seed);
    bool two = (p->slices & (p->slices - 1)) == 0;
    if (p->plan->group == APART)
        return;
    if (once_in(seed, 2))
        ring_create(p, seed);
    if (once_in(seed, 2))
        mail_create(p, layer, seed);
    if (once_in(seed, 3) && (two || p->plan->group != ALIKE))
        all_create(p, layer, seed);
    if (once_in(seed, 4) && p->plan->group != ALIKE)
        tree_create(p, layer, seed);
    if (once_in(seed, 4))
        meet_create(p, layer, seed);
}

static void start_all(struct program *p, const struct htmt_type *type, uint32_t left, uint64_t seed,
                      enum tally_of class)
{
    for (uint32_t i = 0; type && i < p->slices; i++) {
        struct args a = {.program = p, .left = left};
        a.seed = (p->plan->group == ALIKE ? seed : mix(seed, i)) | 1;
        struct htmt_ref ref = program_root(p, type, i, &a, NULL, class);
        if (class == TYPE_TREE)
            p->tree.heard[i] = htmt_slot_of(ref, 2);
    }
}

/* The first parcels of every slice, in one order, so that they are each other's twins. */
void meetings_start(struct program *p, uint64_t seed)
{
    start_all(p, p->ring.type, p->ring.turns * (1 + p->ring.too), draw(&seed), TYPE_RING);
    start_all(p, p->mail.type, p->mail.turns + p->mail.bursts, draw(&seed), TYPE_MAIL);
    start_all(p, p->all.type, 0, draw(&seed), TYPE_ALLREDUCE);
    start_all(p, p->tree.type, 0, draw(&seed), TYPE_TREE);
    start_all(p, p->meet.type, 0, draw(&seed), TYPE_BARRIER);
}
