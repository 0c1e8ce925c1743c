/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Closures on real bytes: which bytes a kernel sees, which come back, when they are read and
 * written, and what the five calls do.
 */
#include "tests/parcels/world.h"

struct seen {
    uint64_t size[8];
    unsigned char bytes[8][64];
};

static struct seen *seen_of(const struct htmt_kernel *k)
{
    struct seen *s;
    memcpy(&s, htmt_kernel_args(k), sizeof s);
    return s;
}

/* Notes what it sees of every region, then adds one to each byte. */
static void look_and_add(struct htmt_kernel *k)
{
    struct seen *s = seen_of(k);
    for (uint32_t r = 0; r < 8; r++) {
        s->size[r] = htmt_size(k, r);
        unsigned char *b = s->size[r] ? htmt_bytes(k, r) : NULL;
        for (uint64_t i = 0; i < s->size[r]; i++) {
            if (i < 64)
                s->bytes[r][i] = b[i];
            b[i]++;
        }
    }
}

static struct htmt_type *looker(struct world *w, const char *home, const char *exec)
{
    return TYPE(w, .name = "looker", .home = home, .exec = exec,
                .execute = {.kernel = look_and_add}, .args_bytes = sizeof(struct seen *));
}

static struct htmt_object *numbered(struct world *w, uint32_t layer, uint64_t bytes)
{
    struct htmt_object *o = world_object(w, 0, layer, bytes, "numbered");
    unsigned char *b = htmt_object_bytes(o);
    for (uint64_t i = 0; i < bytes; i++)
        b[i] = (unsigned char)(i + 1);
    return o;
}

static void look(struct world *w, struct htmt_type *t, struct seen *s, const struct htmt_region *r,
                 uint32_t n)
{
    memset(s, 0, sizeof *s);
    START(w, .type = t, .args = &s, .regions = r, .region_count = n);
    world_run(w);
}

static struct world open_run(struct world_spec s)
{
    return OPEN(&s, .threads = 2);
}

/* Pieces at both ends need not agree: 12 bytes leave in threes, arrive in fours, backwards. */
Test(region, pieces_are_strided_at_both_ends)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *from = numbered(&w, DRAM, 40), *to = numbered(&w, DRAM, 40);
    struct seen s;
    struct htmt_region r = {.from = htmt_in(from, 2),
                            .to = htmt_in(to, 30),
                            .bytes = 12,
                            .from_pieces = {.bytes = 3, .count = 4, .stride = 10},
                            .to_pieces = {.bytes = 4, .count = 3, .stride = -10}};
    look(&w, looker(&w, "dram", "cram"), &s, &r, 1);
    const unsigned char in[] = {3, 4, 5, 13, 14, 15, 23, 24, 25, 33, 34, 35};
    cr_assert_eq(s.size[0], 12);
    cr_assert_arr_eq(s.bytes[0], in, 12);
    const unsigned char *out = htmt_object_bytes(to);
    for (unsigned i = 0; i < 40; i++) {
        unsigned char want = (unsigned char)(i + 1);
        if (i >= 10 && i % 10 < 4)
            want = (unsigned char)(in[(30 - i / 10 * 10) / 10 * 4 + i % 10] + 1);
        cr_assert_eq(out[i], want, "byte %u is %u, not %u", i, out[i], want);
    }
    world_close(&w);
}

/* The last piece may be cut short; nothing beyond is touched. */
Test(region, a_closure_may_end_within_a_piece)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *o = numbered(&w, DRAM, 30);
    struct seen s;
    struct htmt_region r = {.from = htmt_in(o, 0),
                            .to = htmt_in(o, 0),
                            .bytes = 13,
                            .from_pieces = {.bytes = 10, .count = 2, .stride = 20},
                            .to_pieces = {.bytes = 10, .count = 2, .stride = 20}};
    look(&w, looker(&w, "dram", "cram"), &s, &r, 1);
    const unsigned char *out = htmt_object_bytes(o);
    for (unsigned i = 0; i < 30; i++)
        cr_assert_eq(out[i], i + 1 + (i < 10 || (i >= 20 && i < 23)), "byte %u is %u", i, out[i]);
    world_close(&w);
}

/* Kernels see all words of the layer of execution, zeros beyond what came; they stay there. */
Test(region, padding_is_seen_as_zeros_and_does_not_go_back)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *o = numbered(&w, DRAM, 32);
    struct seen s;
    struct htmt_region r = {
        .from = htmt_in(o, 0), .to = htmt_in(o, 0), .bytes = 11, .in_words = {0, 2, 5}};
    look(&w, looker(&w, "dram", "cram"), &s, &r, 1);
    cr_assert_eq(s.size[0], 40);
    for (unsigned i = 0; i < 40; i++)
        cr_assert_eq(s.bytes[0][i], i < 11 ? i + 1 : 0);
    const unsigned char *out = htmt_object_bytes(o);
    for (unsigned i = 0; i < 32; i++)
        cr_assert_eq(out[i], i + 1 + (i < 11));
    world_close(&w);
}

/* Dirty pages first: a parcel that leaves its closure full of ones, then others of the same size
 * that write nothing. What they send home and see is zeros. */
Test(region, outputs_and_scratch_are_cleared)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *o = numbered(&w, DRAM, 64), *to = numbered(&w, DRAM, 64);
    struct seen dirty, clean;
    struct seen *arg[] = {&dirty, &clean};
    struct htmt_type *t = looker(&w, "dram", "cram");
    struct htmt_type *idle = TYPE(&w, .name = "idle", .home = "dram", .exec = "cram");
    struct htmt_region first = {.from = htmt_in(o, 0), .bytes = 64};
    struct htmt_region out = {.to = htmt_in(to, 0), .bytes = 64}, scratch = {.bytes = 64};
    memset(&dirty, 0, sizeof dirty);
    memset(&clean, 0xaa, sizeof clean);
    for (int i = 0; i < 3; i++) {
        START(&w, .type = t, .args = &arg[0], .regions = &first, .region_count = 1);
        START(&w, .type = idle, .regions = &out, .region_count = 1);
    }
    START(&w, .type = t, .args = &arg[1], .regions = &scratch, .region_count = 1);
    world_run(&w);
    const unsigned char *b = htmt_object_bytes(to);
    for (unsigned i = 0; i < 64; i++) {
        cr_assert_eq(b[i], 0, "byte %u went home as %u", i, b[i]);
        cr_assert_eq(clean.bytes[0][i], 0);
        cr_assert_eq(dirty.bytes[0][i], i + 1);
    }
    world_close(&w);
}

/* An assemble kernel sees what lies in DRAM and the outputs; the rest is not there yet. */
Test(region, a_kernel_sees_no_region_before_it_joined)
{
    struct seen s, *arg = &s;
    const uint64_t sizes[3][4] = {{8, 0, 0, 8}, {8, 8, 0, 8}, {8, 8, 8, 8}};
    for (int stage = 0; stage < 3; stage++) {
        struct htmt_type_desc t = {
            .name = "early", .home = "dram", .exec = "cram", .args_bytes = sizeof arg};
        struct htmt_stage *const stages[] = {&t.assemble, &t.dispatch, &t.execute};
        struct world w = open_run(world_plain(1));
        struct htmt_addr in_dram = htmt_in(numbered(&w, DRAM, 8), 0);
        const struct htmt_region r[] = {{.from = in_dram, .bytes = 8},
                                        {.from = htmt_in(numbered(&w, SRAM, 8), 0), .bytes = 8},
                                        {.into = htmt_in(numbered(&w, CRAM, 8), 0), .bytes = 8},
                                        {.to = in_dram, .bytes = 8}};
        stages[stage]->kernel = look_and_add;
        look(&w, world_type(&w, t), &s, r, 4);
        cr_assert_arr_eq(s.size, sizes[stage], sizeof sizes[stage]);
        world_close(&w);
    }
}

/* gather 2 + inject 5 + eject 5 (words of execution) + scatter 5 words: a ns each. */
Test(region, words_are_charged_by_layer)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *o = numbered(&w, DRAM, 32);
    struct seen s;
    struct htmt_region r = {.from = htmt_in(o, 0),
                            .to = htmt_in(o, 0),
                            .bytes = 11,
                            .in_words = {0, 2, 5},
                            .out_words = {0, 7, 0}};
    look(&w, looker(&w, "dram", "cram"), &s, &r, 1);
    cr_assert_eq(htmt_predicted(w.e), (2 + 5 + 5 + 7) * NS);
    struct htmt_memory_report m;
    htmt_memory_at(w.e, SRAM, &m);
    cr_assert_eq(m.peak, 7); /* the larger of 2 words in and 7 words out, from the gather on */
    htmt_memory_at(w.e, CRAM, &m);
    cr_assert_eq(m.peak, 5);
    world_close(&w);
}

/* DRAM and SRAM regions in one closure, an output, scratch, a resident object each way. */
Test(region, regions_join_at_dram_and_at_sram_and_leave_where_they_say)
{
    struct world w = open_run(world_plain(1));
    struct htmt_object *d = numbered(&w, DRAM, 16), *m = numbered(&w, SRAM, 16);
    struct htmt_object *c = numbered(&w, CRAM, 16), *out = numbered(&w, SRAM, 16);
    struct seen s;
    const struct htmt_region r[] = {
        {.from = htmt_in(d, 8), .to = htmt_in(m, 0), .bytes = 8},
        {.from = htmt_in(m, 8), .to = htmt_in(d, 0), .bytes = 8},
        {.from = htmt_in(d, 0), .into = htmt_in(c, 8), .to = htmt_in(out, 0), .bytes = 8},
        {.bytes = 24},
        {.into = htmt_in(c, 0), .bytes = 8, .read_only = false}};
    look(&w, looker(&w, "dram", "cram"), &s, r, 5);
    cr_assert_eq(s.bytes[0][0], 9);
    cr_assert_eq(s.bytes[1][0], 9);
    cr_assert_eq(s.bytes[2][0], 1);
    cr_assert_eq(s.size[3], 24);
    cr_assert_eq(s.bytes[4][7], 8);
    const unsigned char *db = htmt_object_bytes(d), *mb = htmt_object_bytes(m);
    const unsigned char *cb = htmt_object_bytes(c), *ob = htmt_object_bytes(out);
    for (unsigned i = 0; i < 8; i++) {
        cr_assert_eq(mb[i], 9 + i + 1);
        cr_assert_eq(db[i], 9 + i + 1);
        cr_assert_eq(cb[i], 1 + i + 1);
        cr_assert_eq(cb[8 + i], 1 + i + 1);
        cr_assert_eq(ob[i], 1 + i + 1);
        cr_assert_eq(ob[8 + i], 9 + i);
    }
    struct htmt_memory_report report;
    htmt_memory_at(w.e, CRAM, &report);
    cr_assert_eq(report.peak, 2 + 1 + 1 + 3); /* the object, two fresh regions, scratch */
    world_close(&w);
}

/* home == exec in every layer, also towards the outside (cram to dram), also with no regions. */
Test(region, parcels_execute_on_any_layer)
{
    const char *const layer[] = {"dram", "sram", "cram"};
    for (uint32_t home = 0; home < 3; home++)
        for (uint32_t exec = 0; exec < 3; exec++) {
            struct world w = open_run(world_plain(1));
            struct htmt_object *o = numbered(&w, home, 16);
            struct seen s, nothing = {0};
            struct htmt_region r = {.from = htmt_in(o, 0), .to = htmt_in(o, 8), .bytes = 8};
            struct htmt_type *t = looker(&w, layer[home], layer[exec]);
            START(&w, .type = t, .args = &(struct seen *){&nothing});
            look(&w, t, &s, &r, 1);
            const unsigned char *b = htmt_object_bytes(o);
            for (unsigned i = 0; i < 8; i++)
                cr_assert_eq(b[8 + i], i + 2);
            cr_assert_eq(htmt_predicted(w.e), (home > exec ? home - exec : exec - home) * 2 * NS);
            world_close(&w);
        }
}

Test(region, an_empty_scratch_is_harmless)
{
    struct world w = open_run(world_plain(1));
    struct seen s;
    struct htmt_region r[2] = {{.bytes = 0}, {.bytes = 0}};
    look(&w, looker(&w, "dram", "cram"), &s, r, 2);
    cr_assert_eq(s.size[0], 0);
    world_close(&w);
}

/* ---- when bytes are read and written --------------------------------------------------------- */

struct poke {
    struct htmt_object *at;
    uint64_t delay;
    unsigned char value;
};

static void poke_kernel(struct htmt_kernel *k)
{
    const struct poke *p = htmt_kernel_args(k);
    memset(htmt_used(k, 0), p->value, htmt_used_size(k, 0));
}

/* Writes at its virtual start, which a chain of delays puts at `delay`. */
static void poke_later(struct htmt_context *c)
{
    const struct poke *p = htmt_args(c);
    if (htmt_fiber(c) == 0) {
        htmt_slot_set(c, 1, 1, 0);
        htmt_charge(c, HTMT_CYCLE, p->delay);
        htmt_signal(c, htmt_slot(c, 1));
        return;
    }
    htmt_use(c, htmt_in(p->at, 0), 8, HTMT_WRITE);
    htmt_retire(c, htmt_self(c));
}

static void poke_at(struct world *w, const char *layer, struct poke p)
{
    static const struct htmt_stage fiber = {.kernel = poke_kernel, .control = poke_later};
    struct htmt_type *t =
        TYPE(w, .name = "poke", .home = layer, .exec = layer, .execute = {.control = poke_later},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
             .args_bytes = sizeof p);
    START(w, .type = t, .args = &p);
}

/* A bare gather of 100 words reads at its end (100 ns): a write at 99 is in, one at 101 is not.
 * With an assemble service it reads at that service's start (0 ns). */
Test(region, sources_are_read_at_the_end_of_the_move_or_the_start_of_its_service)
{
    for (int assembled = 0; assembled < 2; assembled++)
        for (uint64_t at = 99; at <= 101; at += 2) {
            struct world_spec spec = world_plain(1);
            spec.servers[DRAM] = 4;
            struct world w = open_run(spec);
            struct htmt_object *o = numbered(&w, DRAM, 800);
            struct seen s = {.size = {0}};
            struct seen *arg = &s;
            struct htmt_type_desc d = {.name = "looker",
                                       .home = "dram",
                                       .exec = "cram",
                                       .execute = {.kernel = look_and_add},
                                       .in_place = true,
                                       .args_bytes = sizeof arg};
            struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 800};
            if (assembled)
                d.assemble.kernel = look_and_add;
            START(&w, .type = world_type(&w, d), .args = &arg, .regions = &r, .region_count = 1);
            poke_at(&w, "dram", (struct poke){o, at, 200});
            world_run(&w);
            unsigned char want = assembled ? 2 : at < 100 ? 200 : 1;
            cr_assert_eq(s.bytes[0][0], want, "assembled %d, poke at %d: %u", assembled, (int)at,
                         s.bytes[0][0]);
            world_close(&w);
        }
}

/* ---- gates ----------------------------------------------------------------------------------- */

struct keeper {
    struct htmt_type *type;
    struct htmt_region region;
    struct htmt_ref child;
    unsigned step;
    int (*call[5])(struct htmt_context *c, struct htmt_ref parcel);
    uint64_t delay;
};

static struct keeper *keeper_of(struct htmt_context *c)
{
    struct keeper *k;
    memcpy(&k, htmt_args(c), sizeof k);
    return k;
}

static void keep(struct htmt_context *c)
{
    struct keeper *k = keeper_of(c);
    htmt_slot_set(c, 1, 1, 1);
    htmt_slot_set(c, 2, 1, 0);
    ASSEMBLE(c, &k->child, .type = k->type, .regions = &k->region, .region_count = 1,
             .on_ready = htmt_slot(c, 1), .on_done = htmt_slot(c, 2));
}

/* Opens one gate after another, each after a delay. */
static void open_next(struct htmt_context *c)
{
    struct keeper *k = keeper_of(c);
    htmt_charge(c, HTMT_CYCLE, k->delay);
    if (k->call[k->step]) {
        k->call[k->step++](c, k->child);
        htmt_signal(c, htmt_slot(c, 1));
    }
}

CONTROL(end_keeper, htmt_retire(c, htmt_self(c)))

static htmt_time run_gates(struct keeper *k, uint32_t gates, unsigned char *first)
{
    static const struct htmt_stage fibers[] = {{.control = open_next}, {.control = end_keeper}};
    struct world_spec s = world_plain(1);
    s.servers[DRAM] = 2;
    struct world w = open_run(s);
    struct htmt_object *o = numbered(&w, DRAM, 80);
    k->region = (struct htmt_region){.from = htmt_in(o, 0), .to = htmt_in(o, 0), .bytes = 80};
    k->type = TYPE(&w, .name = "gated", .home = "dram", .exec = "cram", .gates = gates);
    struct htmt_type *t = TYPE(&w, .name = "keeper", .home = "dram", .exec = "dram",
                               .execute = {.control = keep}, .fibers = fibers, .fiber_count = 2,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof k);
    START(&w, .type = t, .args = &k);
    htmt_time end = world_run(&w);
    *first = *(unsigned char *)htmt_object_bytes(o);
    for (uint32_t l = 0; l < LAYERS; l++) {
        struct htmt_memory_report m;
        htmt_memory_at(w.e, l, &m);
        cr_assert_eq(m.taken, m.given + m.resident, "layer %u keeps words", l);
    }
    world_close(&w);
    return end;
}

/* 10 words to SRAM (10 ns), the signal of on_ready (1 ns), then a gate each 100 ns; at last
 * scatter (10 ns). A gate opened early is passed without a stop. */
Test(region, gates_stop_a_parcel_until_its_call)
{
    unsigned char first;
    struct keeper k = {.delay = 100,
                       .call = {htmt_dispatch, htmt_execute, htmt_retire, htmt_scatter}};
    uint32_t all = HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_EXECUTE) | HTMT_GATE(HTMT_RETIRE) |
                   HTMT_GATE(HTMT_SCATTER);
    cr_assert_eq(run_gates(&k, all, &first), (10 + 1 + 4 * 100 + 100) * NS);
    cr_assert_eq(first, 1);
    cr_assert_eq(k.step, 4);
    k = (struct keeper){.delay = 0,
                        .call = {htmt_execute, htmt_scatter, htmt_retire, htmt_dispatch}};
    cr_assert_eq(run_gates(&k, all, &first), (10 + 1 + 3 * 10) * NS);
}

/* A discarded parcel gives its space back, sends nothing home and tells so. */
Test(region, a_discarded_parcel_leaves_nothing_behind)
{
    unsigned char first;
    struct keeper k = {.delay = 50, .call = {htmt_discard}};
    cr_assert_eq(run_gates(&k, HTMT_GATE(HTMT_DISPATCH), &first), (10 + 1 + 50 + 50) * NS);
    k = (struct keeper){.delay = 50, .call = {htmt_dispatch, htmt_discard}};
    run_gates(&k, HTMT_GATE(HTMT_DISPATCH) | HTMT_GATE(HTMT_SCATTER), &first);
    cr_assert_eq(first, 1);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

enum { BOX_X = 6, BOX_Y = 5, BOX_Z = 4 };

static struct htmt_pieces box_of(uint64_t nx, uint64_t ny, uint64_t nz)
{
    return (struct htmt_pieces){.bytes = 8 * nx,
                                .count = ny,
                                .stride = 8 * BOX_X,
                                .planes = nz,
                                .plane_stride = 8 * BOX_X * BOX_Y};
}

static uint64_t place(uint64_t x, uint64_t y, uint64_t z)
{
    return (z * BOX_Y + y) * BOX_X + x;
}

static void negate(struct htmt_kernel *k)
{
    double *v = htmt_bytes(k, 0);
    for (unsigned i = 0; i < 12; i++)
        v[i] = -v[i];
}

/* 3 x 2 x 2 words of one array, in the order of memory, become 2 x 3 x 2 of another. */
Test(region, a_box_comes_and_goes_row_by_row_and_plane_by_plane)
{
    for (unsigned checked = 0; checked < 2; checked++) {
        struct world_spec s = world_plain(1);
        struct world w = world_open(&s, (struct htmt_options){.checked = checked});
        struct htmt_object *from = world_object(&w, 0, DRAM, 8 * BOX_X * BOX_Y * BOX_Z, "from"),
                           *to = world_object(&w, 0, DRAM, 8 * BOX_X * BOX_Y * BOX_Z, "to");
        double *in = htmt_object_bytes(from), want[BOX_X * BOX_Y * BOX_Z] = {0};
        for (unsigned i = 0; i < BOX_X * BOX_Y * BOX_Z; i++)
            in[i] = 1 + i;
        for (unsigned i = 0; i < 12; i++)
            want[place(3 + i % 2, 1 + i / 2 % 3, 2 + i / 6)] =
                -in[place(1 + i % 3, 2 + i / 3 % 2, 1 + i / 6)];
        struct htmt_type *t = TYPE(&w, .name = "negate", .home = "dram", .exec = "cram",
                                   .execute = {.kernel = negate});
        const struct htmt_region r = {.from = htmt_in(from, 8 * place(1, 2, 1)),
                                      .from_pieces = box_of(3, 2, 2),
                                      .to = htmt_in(to, 8 * place(3, 1, 2)),
                                      .to_pieces = box_of(2, 3, 2),
                                      .bytes = 96};
        START(&w, .type = t, .regions = &r, .region_count = 1);
        world_run(&w);
        cr_assert_arr_eq(htmt_object_bytes(to), want, sizeof want);
        world_close(&w);
    }
}

/* Its last word is that before the end, and one plane more passes it. */
Test(region, a_box_beyond_its_object_is_refused)
{
    for (unsigned i = 0; i < 3; i++) {
        struct world_spec s = world_plain(1);
        struct world w = world_open(&s, (struct htmt_options){.mode = HTMT_MODEL});
        struct htmt_object *o = world_object(&w, 0, DRAM, 8 * BOX_X * BOX_Y * BOX_Z, "array");
        struct htmt_type *t = TYPE(&w, .name = "reader", .home = "dram", .exec = "cram");
        struct htmt_region r = {
            .from = htmt_in(o, 8 * place(3, 3, 2)), .from_pieces = box_of(3, 2, 2), .bytes = 96};
        if (i == 1)
            r.from.offset += 8;
        if (i == 2) {
            r.from.offset -= 8 * BOX_X * BOX_Y;
            r.from_pieces.planes = UINT64_MAX;
            r.bytes = 8 * 3 * 2 * 4;
        }
        const struct htmt_parcel_desc d = {.type = t, .regions = &r, .region_count = 1};
        cr_expect_eq(htmt_assemble(htmt_root(w.e), &d, NULL), i ? HTMT_EBOUNDS : 0, "%u", i);
        world_close(&w);
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Of 8 words in n pieces, where that goes in two planes. 0: in one. */
static struct htmt_region words_in(struct htmt_object *o, uint32_t n)
{
    struct htmt_pieces pieces = {.bytes = 64 / (n ? n : 1), .count = n, .stride = 80};
    if (n % 4 == 0 && n)
        pieces = (struct htmt_pieces){
            .bytes = 64 / n, .count = n / 2, .stride = 80, .planes = 2, .plane_stride = 400};
    return (struct htmt_region){
        .from = htmt_in(o, 0), .bytes = 64, .from_pieces = n ? pieces : (struct htmt_pieces){0}};
}

/* An access of 8 words takes 100 ns, far more than a word on the network, and each piece is an
 * access. The costs of the last parcels are kept, and those of another number of pieces are others.
 */
Test(region, a_piece_is_an_access_whatever_the_parcel_before_cost)
{
    static const uint32_t pieces[] = {0, 2, 0, 4, 2, 8, 8, 4, 1};
    struct world_spec s = world_plain(1);
    struct htmt_machine *m = world_machine(&s);
    struct world w = {.m = NULL};
    htmt_time want = 0;
    m->layer[DRAM].memory.access = (struct htmt_ratio){100 * (uint64_t)NS, 1};
    m->layer[DRAM].memory.access_words = 8;
    cr_assert_eq(
        htmt_emulator_create(&w.e, &(struct htmt_options){.machine = m, .mode = HTMT_MODEL}, NULL),
        0);
    struct htmt_object *o = world_object(&w, 0, DRAM, 1000, "matrix");
    struct htmt_type *t = TYPE(&w, .name = "reader", .home = "dram", .exec = "sram");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const struct htmt_region r = words_in(o, pieces[i]);
        START(&w, .type = t, .regions = &r, .region_count = 1);
        want += 100 * NS * (pieces[i] ? pieces[i] : 1);
    }
    cr_assert_eq(world_run(&w), want);
    htmt_emulator_destroy(&w.e);
    htmt_machine_destroy(&m);
}
