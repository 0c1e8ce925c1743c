/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Grids of slices: places and neighbours are those of plain arithmetic, puts to neighbours arrive
 * once for each call in every slice, and arrays come back as they went in.
 */
#include "tests/parcels/world.h"

static struct htmt_grid random_grid(uint64_t *seed, uint32_t most)
{
    struct htmt_grid g = {{0}, {false, false, false}};
    for (int i = 0; i < 3; i++) {
        g.extent[i] = (uint32_t)world_between(seed, 0, most);
        g.wrap[i] = world_between(seed, 0, 1);
    }
    return g;
}

static int extent(const struct htmt_grid *g, int axis)
{
    return g->extent[axis] ? (int)g->extent[axis] : 1;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The slice of a place, found by walking over the grid; -1: beyond an edge. */
static int slice_of(const struct htmt_grid *g, int x, int y, int z)
{
    int at[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        while (g->wrap[i] && at[i] < 0)
            at[i] += extent(g, i);
        while (g->wrap[i] && at[i] >= extent(g, i))
            at[i] -= extent(g, i);
        if (at[i] < 0 || at[i] >= extent(g, i))
            return -1;
    }
    int slice = 0;
    for (int k = 0; k < extent(g, 2); k++)
        for (int j = 0; j < extent(g, 1); j++)
            for (int i = 0; i < extent(g, 0); i++, slice++)
                if (i == at[0] && j == at[1] && k == at[2])
                    return slice;
    return -1;
}

static void check_place(const struct htmt_grid *g, uint32_t slice, uint64_t *seed)
{
    uint32_t at[3], to = UINT32_MAX, back = UINT32_MAX, count = 0;
    cr_assert(htmt_grid_place(g, slice, at));
    cr_assert_eq(slice_of(g, (int)at[0], (int)at[1], (int)at[2]), (int)slice);
    int step[3], opposite[3];
    for (int i = 0; i < 3; i++) {
        step[i] = (int)world_between(seed, 0, 14) - 7;
        opposite[i] = -step[i];
    }
    int expected = slice_of(g, (int)at[0] + step[0], (int)at[1] + step[1], (int)at[2] + step[2]);
    cr_assert_eq(htmt_grid_neighbour(g, slice, step, &to), expected >= 0);
    cr_assert_eq((int)to, expected);
    cr_assert(expected < 0 || htmt_grid_neighbour(g, to, opposite, &back));
    cr_assert(expected < 0 || back == slice);
    for (int i = 0; i < 6; i++)
        count += slice_of(g, (int)at[0] + (i == 0) - (i == 1), (int)at[1] + (i == 2) - (i == 3),
                          (int)at[2] + (i == 4) - (i == 5)) >= 0;
    cr_assert_eq(htmt_grid_neighbours(g, slice), count);
}

Test(grid, places_and_neighbours_are_those_of_plain_arithmetic)
{
    for (uint64_t seed = 1, n = 0; n < 300; n++) {
        struct htmt_grid g = random_grid(&seed, 5);
        uint32_t slices = htmt_grid_slices(&g);
        cr_assert_eq((int)slices, extent(&g, 0) * extent(&g, 1) * extent(&g, 2));
        for (uint32_t i = 0; i < slices; i++)
            check_place(&g, i, &seed);
        cr_assert(!htmt_grid_place(&g, slices, (uint32_t[3]){0}));
    }
}

Test(grid, questions_about_what_it_has_not_have_an_answer)
{
    const struct htmt_grid vast = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {true, true, true}},
                           line = {{UINT32_MAX, 0, 0}, {true, false, false}};
    const int far[3] = {INT32_MIN, 0, 0}, none[3] = {0};
    uint32_t to = 7;
    cr_assert_eq(htmt_grid_slices(&vast), 0);
    cr_assert_eq(htmt_grid_slices(NULL), 0);
    cr_assert_eq(htmt_grid_slices(&line), UINT32_MAX);
    cr_assert(!htmt_grid_neighbour(&vast, 0, none, &to));
    cr_assert(!htmt_grid_neighbour(NULL, 0, none, &to));
    cr_assert(!htmt_grid_neighbour(&line, 0, NULL, &to));
    cr_assert(!htmt_grid_place(&line, 0, NULL));
    cr_assert_eq(htmt_grid_neighbours(NULL, 0), 0);
    cr_assert_eq(to, 7);
    cr_assert(htmt_grid_neighbour(&line, 0, far, &to));
    cr_assert_eq(to, UINT32_MAX - (UINT32_C(1) << 31));
    cr_assert_eq(htmt_grid_neighbours(&line, 5), 2);
}

/* ---- puts ------------------------------------------------------------------------------------ */

enum { CALLS = 5 };

struct puts {
    struct htmt_grid grid;
    int step[CALLS][3];
    struct htmt_frame *from, *to;
    uint32_t sent[16], arrived[16], too[16];
    htmt_time done;
};
struct puts_args {
    struct puts *puts;
};

static void put_all(struct htmt_context *c)
{
    struct puts *p = ((struct puts_args *)htmt_args(c))->puts;
    uint32_t me = htmt_slice(c);
    for (uint32_t i = 0; i < CALLS; i++)
        htmt_put_neighbour(c, &p->grid, p->step[i],
                           &(struct htmt_put){.src = htmt_at(p->from, me, 8 * i),
                                              .dst = htmt_at(p->to, me, 8 * i),
                                              .bytes = 8,
                                              .on_sent = htmt_slot(c, 1),
                                              .on_arrived = htmt_slot(c, 2),
                                              .on_arrived_too = 3});
}
static void count_put(struct htmt_context *c)
{
    struct puts *p = ((struct puts_args *)htmt_args(c))->puts;
    uint32_t me = htmt_slice(c), fiber = htmt_fiber(c);
    uint32_t *sum = fiber == 1 ? p->sent : fiber == 2 ? p->arrived : p->too;
    /* one server: fibers run in the order of their signals */
    cr_assert(fiber != 3 || p->too[me] < p->arrived[me]);
    if (++sum[me] == CALLS && p->sent[me] + p->arrived[me] + p->too[me] == 3 * CALLS)
        htmt_retire(c, htmt_self(c));
}

static struct world puts_open(struct puts *p, struct htmt_options o)
{
    static const struct htmt_stage one = {.control = count_put, .count = 1, .reset = 1};
    const struct htmt_stage fibers[] = {one, one, one};
    struct world_spec s = world_plain(htmt_grid_slices(&p->grid));
    struct world w = world_open(&s, o);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * CALLS, "from", &p->from), 0);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * CALLS, "to", &p->to), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "puts", .home = "cram", .exec = "cram", .execute = {.control = put_all},
             .fibers = fibers, .fiber_count = 3, .args_bytes = 8);
    for (uint32_t i = 0; i < s.slices; i++)
        START(&w, .type = t, .slice = i, .args = &(struct puts_args){p});
    return w;
}

static void check_arrived(const struct puts *p, const uint64_t *to)
{
    for (uint32_t i = 0; i < htmt_grid_slices(&p->grid); i++) {
        cr_assert_eq(p->sent[i], CALLS);
        cr_assert_eq(p->arrived[i], CALLS);
        cr_assert_eq(p->too[i], CALLS);
        for (int k = 0; k < CALLS; k++) {
            uint32_t at[3];
            const int *s = p->step[k];
            htmt_grid_place(&p->grid, i, at);
            int from = slice_of(&p->grid, (int)at[0] - s[0], (int)at[1] - s[1], (int)at[2] - s[2]);
            cr_assert_eq(to[i * CALLS + (uint32_t)k],
                         from < 0 ? 0 : (uint64_t)(from * CALLS + k + 1), "slice %u, call %d", i,
                         k);
        }
    }
}

static htmt_time puts_play(struct puts p, struct htmt_options o)
{
    uint64_t from[16 * CALLS], to[16 * CALLS] = {0};
    for (uint64_t i = 0; i < 16 * CALLS; i++)
        from[i] = i + 1;
    struct world w = puts_open(&p, o);
    cr_assert_eq(htmt_frame_load(p.from, from, 8 * CALLS), 0);
    htmt_time time = world_run(&w);
    cr_assert_eq(htmt_note_count(w.e), 0);
    cr_assert_eq(htmt_frame_gather(p.to, to, 8 * CALLS), 0);
    if (o.mode == HTMT_RUN)
        check_arrived(&p, to);
    world_close(&w);
    return time;
}

Test(grid, every_call_brings_every_slice_one_arrival_with_edges_and_without)
{
    for (uint64_t seed = 5, n = 0; n < 60; n++) {
        struct puts p = {.grid = random_grid(&seed, 3)};
        if (htmt_grid_slices(&p.grid) > 16)
            p.grid.extent[2] = 1;
        for (int i = 0; i < CALLS * 3; i++)
            p.step[i / 3][i % 3] = (int)world_between(&seed, 0, 4) - 2;
        htmt_time time = puts_play(p, (struct htmt_options){.threads = 1});
        cr_assert_eq(puts_play(p, (struct htmt_options){.threads = 3}), time);
        cr_assert_eq(puts_play(p, (struct htmt_options){.threads = 1, .checked = true}), time);
        cr_assert_eq(puts_play(p, (struct htmt_options){.mode = HTMT_MODEL}), time);
    }
}

static struct world folded(struct htmt_grid grid, struct puts *p)
{
    *p = (struct puts){.grid = grid, .step = {{1, 0, 0}, {-1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
    return puts_open(p, (struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED});
}

Test(grid, a_grid_that_wraps_folds_and_one_with_edges_is_refused)
{
    struct puts p;
    struct world w = folded((struct htmt_grid){{3, 2, 1}, {true, true, false}}, &p);
    htmt_time time = world_run(&w);
    world_close(&w);
    w = puts_open(&p, (struct htmt_options){.mode = HTMT_MODEL});
    memset(p.sent, 0, sizeof p.sent);
    memset(p.arrived, 0, sizeof p.arrived);
    memset(p.too, 0, sizeof p.too);
    cr_assert_eq(world_run(&w), time);
    world_close(&w);
    w = folded((struct htmt_grid){{3, 2, 1}, {true, false, false}}, &p);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ESYMMETRY);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "does not wrap"));
    world_close(&w);
}

Test(grid, independent_slices_have_no_neighbours_but_themselves)
{
    struct puts p = {.grid = {{2, 1, 1}, {true, true, false}}, .step = {{0, 1, 0}, {2, 0, 0}}};
    const struct htmt_options apart = {.threads = 1, .symmetry = HTMT_INDEPENDENT};
    cr_assert_eq(puts_play(p, apart), puts_play(p, (struct htmt_options){.threads = 1}));
    p.step[3][0] = 1;
    struct world w = puts_open(&p, apart);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ESYMMETRY);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "slice 0 sends to slice 1"));
    world_close(&w);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void check_tiles(uint64_t *seed)
{
    struct htmt_grid g = random_grid(seed, 3);
    struct htmt_tile t = {.bytes = world_between(seed, 1, 9)};
    uint64_t size = t.bytes, part = t.bytes;
    for (int i = 0; i < 3; i++) {
        t.extent[i] = world_between(seed, 0, 4);
        t.margin[i] = world_between(seed, 0, 2);
        size *= (t.extent[i] ? t.extent[i] : 1) * (uint64_t)extent(&g, i);
        part *= (t.extent[i] ? t.extent[i] : 1) + 2 * t.margin[i];
    }
    struct world_spec s = world_plain(htmt_grid_slices(&g));
    struct world w = OPEN(&s, .threads = 1);
    unsigned char *in = malloc(size), *out = calloc(size, 1);
    struct htmt_frame *f;
    uint64_t sum = 0, expected = 0;
    cr_assert_eq(htmt_frame_create(w.e, DRAM, part, "tiles", &f), 0);
    for (uint64_t i = 0; i < size; i++)
        expected += in[i] = (unsigned char)(world_random(seed) | 1);
    cr_assert_eq(htmt_frame_load_tiles(f, &g, &t, in), 0);
    for (uint32_t i = 0; i < s.slices; i++) /* margins stay zeros */
        for (uint64_t k = 0; k < part; k++)
            sum += ((unsigned char *)htmt_object_bytes(htmt_at(f, i, 0).object))[k];
    cr_assert_eq(sum, expected);
    cr_assert_eq(htmt_frame_gather_tiles(f, &g, &t, out), 0);
    cr_assert_eq(memcmp(in, out, size), 0);
    free(in);
    free(out);
    world_close(&w);
}

Test(grid, tiles_of_an_array_come_back_and_leave_their_margins_alone)
{
    for (uint64_t seed = 9, n = 0; n < 60; n++)
        check_tiles(&seed);
}

Test(grid, a_tile_lies_where_its_place_says)
{
    const struct htmt_grid g = {{2, 2, 0}, {false, false, false}};
    const struct htmt_tile t = {1, {3, 2, 0}, {1, 1, 0}};
    static const char array[] = "abcdef"
                                "ghijkl"
                                "mnopqr"
                                "stuvwx";
    static const char last[] = "\0\0\0\0\0"
                               "\0pqr\0"
                               "\0vwx\0"
                               "\0\0\0\0";
    struct world_spec s = world_plain(4);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_frame *f;
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 20, "tiles", &f), 0);
    cr_assert_eq(htmt_frame_load_tiles(f, &g, &t, array), 0);
    cr_assert_eq(memcmp(htmt_object_bytes(htmt_at(f, 3, 0).object), last, 20), 0);
    world_close(&w);
}
