/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Each way to misuse a helper ends with one clear line and its status.
 */
#include "tests/parcels/misuse.h"

/* ---- frames ---------------------------------------------------------------------------------- */

static char array[128];
static const struct htmt_grid line = {{2, 0, 0}, {true, false, false}};
static const struct htmt_tile tile = {8, {2, 2, 0}, {0, 1, 0}};

/* Of no emulator, which has no line. */
static void load_nothing(void)
{
    cr_assert_eq(htmt_frame_load(NULL, array, 8), HTMT_EINVAL);
    cr_assert_eq(htmt_frame_gather(NULL, array, 8), HTMT_EINVAL);
    cr_assert_eq(htmt_frame_load_tiles(NULL, &line, &tile, array), HTMT_EINVAL);
    cr_assert_eq(htmt_frame_load(misused.frame, array, 64), 0);
    cr_assert_eq(htmt_frame_load_tiles(misused.frame, &line, &tile, array), 0);
    cr_assert_eq(htmt_frame_load(misused.frame, array, 0), 0);
    cr_assert_eq(htmt_frame_load(misused.frame, NULL, 8), HTMT_EINVAL);
}
HOST(load_much, cr_assert_eq(htmt_frame_load(misused.frame, array, 65), HTMT_EBOUNDS))
HOST(gather_much, cr_assert_eq(htmt_frame_gather(misused.frame, array, UINT64_MAX), HTMT_EBOUNDS))
HOST(load_no_grid, htmt_frame_load_tiles(misused.frame, NULL, &tile, array))
static void load_other_grid(void)
{
    htmt_frame_load_tiles(misused.frame, &(struct htmt_grid){{2, 3, 0}, {false, false, false}},
                          &tile, array);
}
HOST(load_no_tile, htmt_frame_load_tiles(misused.frame, &line, NULL, array))
HOST(load_no_bytes,
     htmt_frame_load_tiles(misused.frame, &line, &(struct htmt_tile){.extent = {1, 1, 1}}, array))
static void load_wide_margin(void)
{
    htmt_frame_load_tiles(misused.frame, &line, &(struct htmt_tile){8, {2, 2, 1}, {1, 1, 0}},
                          array);
}
static void load_endless_margin(void)
{
    htmt_frame_load_tiles(misused.frame, &line,
                          &(struct htmt_tile){8, {1, 1, 1}, {0, UINT64_C(1) << 63, 0}}, array);
}
CONTROL(load_in_control, cr_assert_eq(htmt_frame_load(misused.frame, array, 8), HTMT_EINVAL))
KERNEL(gather_in_kernel, cr_assert_eq(htmt_frame_gather(misused.frame, array, 8), HTMT_EINVAL))

Test(helpers_misuse, arrays_in_frames)
{
    static const struct misuse rows[] = {
        {"no array", .before = load_nothing, .run_only = true, .kernel = NULL,
         .words = "htmt_frame_load(): found no array (NULL)"},
        {"more than a part", .before = load_much, .code = HTMT_EBOUNDS,
         .words = "htmt_frame_load()|65 x 1 x 1|frame|64 bytes"},
        {"far more than a part", .before = gather_much, .code = HTMT_EBOUNDS,
         .words = "htmt_frame_gather()|18446744073709551615|64 bytes"},
        {"no grid", .before = load_no_grid,
         .words = "htmt_frame_load_tiles(): found no grid (NULL)"},
        {"another grid", .before = load_other_grid,
         .words = "grid of 2 x 3 x 1 places|each of 2 slices"},
        {"no tile", .before = load_no_tile, .words = "found no tile (NULL)"},
        {"elements of nothing", .before = load_no_bytes, .words = "elements of 0 bytes"},
        {"a margin too wide", .before = load_wide_margin, .code = HTMT_EBOUNDS,
         .words = "2 x 2 x 1 elements of 8 bytes, with margins|frame|64 bytes"},
        {"a margin that wraps", .before = load_endless_margin, .code = HTMT_EBOUNDS,
         .words = "with margins|64 bytes"},
        {"load in a control", .control = load_in_control,
         .words = "htmt_frame_load() while the run is on|type wrong"},
        {"gather in a kernel", .kernel = gather_in_kernel,
         .words = "htmt_frame_gather() while the run is on|type wrong"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static const int right[3] = {1, 0, 0};

static void neighbour(struct htmt_context *c, const struct htmt_grid *grid, const int step[3],
                      struct htmt_addr dst, struct htmt_slot slot)
{
    struct htmt_put put = {
        .src = htmt_in(misused.cram, 0), .dst = dst, .bytes = 8, .on_arrived = slot};
    misused.returned = htmt_put_neighbour(c, grid, step, &put);
    cr_assert_neq(misused.returned, 0);
}
CONTROL(no_put, cr_assert_eq(htmt_put_neighbour(c, &line, right, NULL), HTMT_EINVAL))
CONTROL(no_grid, neighbour(c, NULL, right, htmt_at(misused.frame, 0, 0), (struct htmt_slot){0}))
CONTROL(no_step, neighbour(c, &line, NULL, htmt_at(misused.frame, 0, 0), (struct htmt_slot){0}))
static void other_grid(struct htmt_context *c)
{
    const struct htmt_grid vast = {{UINT32_MAX, UINT32_MAX, 2}, {false, false, false}};
    neighbour(c, &vast, right, htmt_at(misused.frame, 0, 0), (struct htmt_slot){0});
}
CONTROL(to_object, neighbour(c, &line, right, htmt_in(misused.cram, 0), (struct htmt_slot){0}))
CONTROL(to_nowhere, neighbour(c, &line, right, (struct htmt_addr){0}, (struct htmt_slot){0}))
CONTROL(to_far_part,
        neighbour(c, &line, right, htmt_at(misused.frame, 1, 0), (struct htmt_slot){0}))
CONTROL(to_foreign_frame,
        neighbour(c, &line, right, htmt_at(misused.foreign_frame, 0, 0), (struct htmt_slot){0}))
CONTROL(beyond_part,
        neighbour(c, &line, right, htmt_at(misused.frame, 0, 60), (struct htmt_slot){0}))
CONTROL(foreign_slot,
        neighbour(c, &line, right, htmt_at(misused.frame, 0, 0), htmt_slot_in(htmt_slot(c, 1), 1)))
static void with_fiber(struct htmt_type_desc *d)
{
    static const struct htmt_stage fiber;
    d->fibers = &fiber;
    d->fiber_count = 1;
}
CONTROL(too_alone, PUT(c, .src = htmt_in(misused.cram, 0), .dst = htmt_in(misused.cram, 8),
                       .bytes = 8, .on_arrived_too = 1))

Test(helpers_misuse, neighbours)
{
    static const struct misuse rows[] = {
        {"no put", .control = no_put,
         .words = "htmt_put_neighbour(): found no description (NULL)|type wrong"},
        {"no grid", .control = no_grid, .words = "htmt_put_neighbour(): found no grid (NULL)"},
        {"no step", .control = no_step, .words = "found no step (NULL)"},
        {"another grid", .control = other_grid,
         .words = "grid of 4294967295 x 4294967295 x 2 places|each of 2 slices"},
        {"to an object", .control = to_object,
         .words = "htmt_put_neighbour() to object|part of a frame"},
        {"to nowhere", .control = to_nowhere,
         .words = "htmt_put_neighbour() to nowhere|part of a frame"},
        {"to the part of another slice", .control = to_far_part,
         .words = "htmt_put_neighbour() to frame|lies in slice 0"},
        {"to another emulator's frame", .control = to_foreign_frame,
         .words = "htmt_put_neighbour() to frame|another emulator"},
        {"beyond the part", .control = beyond_part, .code = HTMT_EBOUNDS,
         .words = "a put goes to frame + 60, 8 bytes; it has 64"},
        {"a slot of another slice", .control = foreign_slot, .shape = with_fiber,
         .words = "a slot of another slice|slice 0"},
        {"a second fiber without a first", .control = too_alone,
         .words = "on_arrived_too (fiber 1) and no on_arrived"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- barriers -------------------------------------------------------------------------------- */

static struct htmt_barrier *barrier;

HOST(barrier_no_name, cr_assert_eq(htmt_barrier_create(NULL, CRAM, "b", &barrier), HTMT_EINVAL);
     cr_assert_eq(htmt_barrier_create(misused.w.e, CRAM, NULL, &barrier), HTMT_EINVAL))
HOST(barrier_nowhere, cr_assert_eq(htmt_barrier_create(misused.w.e, 9, "b", &barrier), HTMT_EINVAL))
HOST(barrier_no_place, cr_assert_eq(htmt_barrier_create(misused.w.e, CRAM, "b", NULL), HTMT_EINVAL))
CONTROL(barrier_no_handle, cr_assert_eq(htmt_barrier(c, NULL, (struct htmt_slot){0}), HTMT_EINVAL))
HOST(barrier_make, cr_assert_eq(htmt_barrier_create(misused.w.e, CRAM, "gate", &barrier), 0))
HOST(barrier_foreign_make,
     cr_assert_eq(htmt_barrier_create(misused.other.e, CRAM, "gate", &barrier), 0))
CONTROL(barrier_join, htmt_barrier(c, barrier, (struct htmt_slot){0}))
CONTROL(barrier_twice, cr_assert_eq(htmt_barrier(c, barrier, (struct htmt_slot){0}), 0);
        cr_assert_eq(htmt_barrier(c, barrier, (struct htmt_slot){0}), HTMT_EINVAL))

Test(helpers_misuse, barriers)
{
    static const struct misuse rows[] = {
        {"no name", .before = barrier_no_name,
         .words = "htmt_barrier_create(): found no name (NULL)"},
        {"no such layer", .before = barrier_nowhere, .words = "layer 9"},
        {"no place", .before = barrier_no_place, .words = "found no place for the barrier"},
        {"no barrier", .control = barrier_no_handle,
         .words = "htmt_barrier(): found no collective (NULL)|type wrong"},
        {"another emulator's", .before = barrier_foreign_make, .control = barrier_join,
         .words = "htmt_barrier(): gate belongs to another emulator"},
        {"joined twice", .before = barrier_make, .control = barrier_twice,
         .words = "htmt_barrier() again before the last one has ended"},
        {"joined by one slice of two", .before = barrier_make, .control = barrier_join,
         .code = HTMT_EDEADLOCK, .words = "barrier gate"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int blocks(struct htmt_context *c, struct htmt_blocked a, struct htmt_blocked b,
                  struct htmt_blocks_desc d)
{
    const struct htmt_blocked both[2] = {a, b};
    d.type = d.type ? d.type : misused.plain;
    d.blocked = both;
    d.blocked_count = d.blocked_count ? d.blocked_count : 2;
    misused.returned = htmt_blocks(c, &d, NULL);
    cr_assert_neq(misused.returned, 0);
    return misused.returned;
}
static struct htmt_blocked in(struct htmt_object *o, uint64_t block)
{
    return (struct htmt_blocked){.at = htmt_in(o, 0), .block = block, .use = HTMT_READ};
}
CONTROL(blocks_of_nothing, cr_assert_eq(htmt_blocks(c, NULL, NULL), HTMT_EINVAL);
        cr_assert_eq(htmt_block_count(NULL), 0))
CONTROL(blocks_no_type, htmt_blocks(c, &(struct htmt_blocks_desc){.blocked_count = 1}, NULL))
CONTROL(blocks_no_objects,
        htmt_blocks(c, &(struct htmt_blocks_desc){.type = misused.plain, .blocked_count = 1}, NULL))
CONTROL(blocks_newer, struct htmt_blocks_desc d = htmt_blocks_desc_init(); d.size += 8;
        cr_assert_eq(htmt_blocks(c, &d, NULL), HTMT_EINVAL))
CONTROL(blocks_foreign_type, blocks(c, in(misused.cram, 8), in(misused.cram, 8),
                                    (struct htmt_blocks_desc){.type = misused.foreign_type}))
CONTROL(blocks_foreign_object,
        blocks(c, in(misused.foreign, 8), in(misused.foreign, 8), (struct htmt_blocks_desc){0}))
CONTROL(blocks_differ,
        blocks(c, in(misused.cram, 8), in(misused.spare, 24), (struct htmt_blocks_desc){0}))
CONTROL(blocks_whole,
        blocks(c, in(misused.cram, 0), in(misused.spare, 0), (struct htmt_blocks_desc){0}))
CONTROL(blocks_share, struct htmt_blocked out = in(misused.spare, 0); out.use = HTMT_UPDATE;
        blocks(c, in(misused.cram, 8), out, (struct htmt_blocks_desc){0}))
static void blocks_overlap(struct htmt_context *c)
{
    struct htmt_blocked out = in(misused.spare, 8);
    out.use = HTMT_WRITE;
    out.beyond = 8;
    blocks(c, in(misused.cram, 8), out, (struct htmt_blocks_desc){0});
}
CONTROL(blocks_no_use, struct htmt_blocked none = in(misused.spare, 8); none.use = (enum htmt_use)0;
        blocks(c, in(misused.cram, 8), none, (struct htmt_blocks_desc){0}))
CONTROL(blocks_nowhere, blocks(c, in(misused.cram, 8), in(NULL, 8), (struct htmt_blocks_desc){0}))
CONTROL(blocks_beyond, struct htmt_blocked much = in(misused.cram, 16); much.bytes = 128;
        blocks(c, much, much, (struct htmt_blocks_desc){.blocked_count = 1}))
CONTROL(blocks_far, cr_assert_eq(blocks(c, in(misused.far, 8), in(misused.far, 8),
                                        (struct htmt_blocks_desc){0}),
                                 HTMT_EROUTE))
CONTROL(blocks_many, struct htmt_blocked much = in(misused.cram, 1); much.bytes = UINT64_C(1) << 40;
        cr_assert_eq(blocks(c, much, much, (struct htmt_blocks_desc){0}), HTMT_EOVERFLOW))
CONTROL(blocks_args, blocks(c, in(misused.cram, 8), in(misused.spare, 8),
                            (struct htmt_blocks_desc){.args = array}))

Test(helpers_misuse, blocks)
{
    static const struct misuse rows[] = {
        {"no description", .control = blocks_of_nothing,
         .words = "htmt_blocks(): found no description (NULL)|type wrong"},
        {"no type", .control = blocks_no_type, .words = "found no type"},
        {"no objects", .control = blocks_no_objects, .words = "found no objects"},
        {"a newer program", .control = blocks_newer,
         .words = "htmt_blocks(): struct htmt_blocks_desc of|built for a newer libhtmt|type wrong"},
        {"type of another emulator", .control = blocks_foreign_type,
         .words = "htmt_blocks() of type plain|another emulator"},
        {"object of another emulator", .control = blocks_foreign_object,
         .words = "region 0 of type plain|object|another emulator"},
        {"numbers that differ", .control = blocks_differ,
         .words = "htmt_blocks() of spare object: found 3 blocks, expected 8"},
        {"nothing in blocks", .control = blocks_whole,
         .words = "found no object that comes in blocks"},
        {"a whole object that is written", .control = blocks_share,
         .words = "spare object|share what they write"},
        {"blocks that overlap are written", .control = blocks_overlap,
         .words = "spare object|share what they write"},
        {"no use", .control = blocks_no_use, .words = "spare object: use 0"},
        {"blocks of nowhere", .control = blocks_nowhere,
         .words = "htmt_blocks() of htmt_in(NULL): found 0 blocks, expected 8"},
        {"beyond the object", .control = blocks_beyond, .code = HTMT_EBOUNDS,
         .words = "region 0 of type plain|object + 64, 16 bytes; it has 64"},
        {"of another slice", .control = blocks_far, .code = HTMT_EROUTE,
         .words = "of a plain in another slice"},
        {"too many", .control = blocks_many, .code = HTMT_EOVERFLOW,
         .words = "object in 1099511627776 blocks, expected at most 4294967295"},
        {"arguments for a type without", .control = blocks_args,
         .words = "htmt_blocks() of type plain|args_bytes"},
    };
    misuse_play_all(ROWS(rows));
}
