/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Loops over blocks: which bytes each parcel has, what its arguments are, and what it costs.
 */
#include "tests/parcels/world.h"

enum { BYTES = 100, BLOCK = 32, BLOCKS = 4, MORE = 8 };

struct loop {
    struct htmt_object *x, *y, *all;
    struct htmt_type *type;
    uint32_t count, done;
};
struct loop_args {
    uint32_t block, salt;
};
struct begin_args {
    struct loop *loop;
};

static uint64_t block_bytes(uint32_t block)
{
    return block == BLOCKS - 1 ? BYTES % BLOCK : BLOCK;
}

/* Each byte of y becomes the sum of x here and MORE bytes on, of the whole and of the arguments. */
static void add(struct htmt_kernel *k)
{
    const struct loop_args *a = htmt_kernel_args(k);
    const unsigned char *x = htmt_bytes(k, 0), *all = htmt_bytes(k, 2);
    unsigned char *y = htmt_bytes(k, 1);
    cr_assert_eq(htmt_size(k, 0), block_bytes(a->block) + MORE);
    cr_assert_eq(htmt_size(k, 1), block_bytes(a->block));
    cr_assert_eq(htmt_size(k, 2), 16);
    for (uint64_t i = 0; i < htmt_size(k, 1); i++)
        y[i] = (unsigned char)(y[i] + x[i] + x[i + MORE] + all[15] + (int)a->salt);
}
COST(ten, ops->n[HTMT_CYCLE] = 10)
static void each(void *args, uint32_t block, const void *user)
{
    struct loop_args *a = args;
    cr_assert_eq(a->salt, 5);
    cr_assert_eq(a->block, 0);
    a->block = block;
    a->salt += *(const uint32_t *)user;
}

static void loop_begin(struct htmt_context *c, struct loop *l, struct htmt_slot done)
{
    static const struct loop_args args = {.salt = 5};
    static const uint32_t two = 2;
    const struct htmt_blocked b[] = {
        {.at = htmt_in(l->x, 0), .block = BLOCK, .beyond = MORE, .use = HTMT_READ},
        {.at = htmt_in(l->y, 4), .bytes = BYTES, .block = BLOCK, .use = HTMT_UPDATE},
        {.at = htmt_in(l->all, 0), .use = HTMT_READ}};
    const struct htmt_blocks_desc d = {.type = l->type,
                                       .blocked = b,
                                       .blocked_count = 3,
                                       .args = &args,
                                       .each = each,
                                       .user = &two,
                                       .on_done = done};
    cr_assert_eq(htmt_block_count(&d), BLOCKS);
    cr_assert_eq(htmt_blocks(c, &d, &l->count), 0);
    cr_assert_eq(l->count, BLOCKS);
}
static void begin(struct htmt_context *c)
{
    struct loop *l = ((struct begin_args *)htmt_args(c))->loop;
    loop_begin(c, l, htmt_slot(c, 1));
    htmt_slot_set(c, 1, l->count, 0);
}
CONTROL(end, ((struct begin_args *)htmt_args(c))->loop->done++; htmt_retire(c, htmt_self(c)))

static void start_in_control(struct world *w, struct loop *l)
{
    static const struct htmt_stage fiber = {.control = end};
    struct htmt_type *t =
        TYPE(w, .name = "begin", .home = "dram", .exec = "dram", .execute = {.control = begin},
             .fibers = &fiber, .fiber_count = 1, .args_bytes = 8);
    START(w, .type = t, .slice = 1, .args = &(struct begin_args){l});
}

static htmt_time play(bool in_control, struct htmt_options o)
{
    struct world_spec s = world_plain(2);
    struct world w = world_open(&s, o);
    unsigned char x[BYTES + MORE], y[BYTES + 8] = {0}, all[16] = {[15] = 40};
    struct loop l = {0};
    for (int i = 0; i < BYTES + MORE; i++)
        x[i] = (unsigned char)(i * 3);
    cr_assert_eq(htmt_object_wrap(w.e, 1, DRAM, x, sizeof x, 14, "x", &l.x), 0);
    cr_assert_eq(htmt_object_wrap(w.e, 1, DRAM, y, sizeof y, 14, "y", &l.y), 0);
    cr_assert_eq(htmt_object_wrap(w.e, 1, DRAM, all, sizeof all, 2, "all", &l.all), 0);
    l.type = TYPE(&w, .name = "block", .home = "dram", .exec = "cram",
                  .execute = {.kernel = add, .cost = ten}, .args_bytes = sizeof(struct loop_args));
    if (in_control)
        start_in_control(&w, &l);
    else
        loop_begin(htmt_root(w.e), &l, (struct htmt_slot){0});
    htmt_time time = world_run(&w);
    cr_assert_eq(l.done, in_control);
    for (int i = 0; i < BYTES && o.mode == HTMT_RUN; i++)
        cr_assert_eq(y[i + 4], (unsigned char)(x[i] + x[i + MORE] + 40 + 7), "byte %d", i);
    world_close(&w);
    return time;
}

/* Words of a block: of x 5, or 2 in the last one, of y 4 or 1, and 2 of the whole. Gathers and
 * injections follow each other as a pipeline; the last block waits for the three before it, goes
 * down and over to DRAM with its word of y. */
Test(blocks, each_parcel_has_its_block_and_takes_its_time_by_hand)
{
    const htmt_time first = 5 + 4 + 2, last = 2 + 1 + 2;
    htmt_time injected = 2 * first, executed = injected + 10;
    for (int i = 1; i < BLOCKS; i++) {
        injected += i == BLOCKS - 1 ? last : first;
        executed = (executed > injected ? executed : injected) + 10;
    }
    for (int in_control = 0; in_control < 2; in_control++) {
        static const struct htmt_options ways[] = {
            {.threads = 1},
            {.threads = 3},
            {.mode = HTMT_MODEL},
            {.threads = 1, .checked = true},
            {.threads = 2, .symmetry = HTMT_INDEPENDENT},
            {.mode = HTMT_MODEL, .symmetry = HTMT_INDEPENDENT}};
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            cr_assert_eq(play(in_control, ways[i]), (executed + 1 + 1) * NS, "way %zu", i);
    }
}

Test(blocks, counts_are_those_of_plain_division)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_object *o = world_object(&w, 0, DRAM, 1000, "o");
    for (uint64_t seed = 2, n = 0; n < 500; n++) {
        uint64_t offset = world_between(&seed, 0, 999), block = world_between(&seed, 1, 300);
        uint64_t bytes = world_between(&seed, 0, 1) ? world_between(&seed, 1, 1000 - offset) : 0;
        struct htmt_blocked b = {
            .at = htmt_in(o, offset), .bytes = bytes, .block = block, .use = HTMT_READ};
        struct htmt_blocks_desc d = {.blocked = &b, .blocked_count = 1};
        uint64_t all = bytes ? bytes : 1000 - offset, count = 0;
        for (uint64_t at = 0; at < all; at += block)
            count++;
        cr_assert_eq(htmt_block_count(&d), count);
    }
    world_close(&w);
}
