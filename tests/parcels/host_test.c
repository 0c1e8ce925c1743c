/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A host pushes, launches and pulls.
 */
#include "tests/parcels/banked.h"

#define EACH   64u /* numbers of a slice */
#define SLICES 70u /* of two ranks */

struct program {
    struct htmt_object *in, *out;
    struct htmt_frame *bank, *scratch;
    struct htmt_slot main;
    uint32_t slices, first, count;
    enum htmt_host_mode mode;
    bool early; /* pull while programs run */
};

/* ---- a slice: each number plus 1 ------------------------------------------------------------- */

enum { MAIN = 1, ADD, WRITTEN };

static void copy(struct htmt_context *c, bool inward, uint32_t fiber)
{
    const struct program *p = htmt_user(c);
    struct htmt_put put = htmt_put_init();
    struct htmt_addr bank = htmt_at(p->bank, htmt_slice(c), 0),
                     scratch = htmt_at(p->scratch, htmt_slice(c), 0);
    put.src = inward ? bank : scratch;
    put.dst = inward ? scratch : bank;
    put.bytes = EACH * sizeof(uint64_t);
    *(inward ? &put.on_arrived : &put.on_sent) = htmt_slot(c, fiber);
    htmt_put(c, &put);
}

static void nothing(struct htmt_context *c)
{
    (void)c;
}

static void main_fiber(struct htmt_context *c)
{
    copy(c, true, ADD);
}

static void add(struct htmt_kernel *k)
{
    uint64_t *x = htmt_used(k, 0);
    for (uint32_t i = 0; i < EACH; i++)
        x[i]++;
}

static void add_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_CYCLE] = 6 * EACH;
}

static void add_control(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    htmt_use(c, htmt_at(p->scratch, htmt_slice(c), 0), EACH * sizeof(uint64_t), HTMT_UPDATE);
    htmt_work(c);
    copy(c, false, WRITTEN);
}

static void written(struct htmt_context *c)
{
    htmt_ended(c);
    htmt_retire(c, htmt_self(c));
}

/* ---- the host -------------------------------------------------------------------------------- */

enum { PUSHED = 1, LAUNCHED, PULLED };

static struct htmt_transfer transfer_of(const struct htmt_context *c, struct htmt_object *o,
                                        uint32_t fiber)
{
    const struct program *p = htmt_user(c);
    struct htmt_transfer t = htmt_transfer_init();
    t.host = htmt_in(o, p->first * EACH * sizeof(uint64_t));
    t.frame = p->bank;
    t.first = p->first;
    t.count = p->count;
    t.bytes = t.stride = EACH * sizeof(uint64_t);
    t.mode = p->mode;
    t.on_done = htmt_slot(c, fiber);
    return t;
}

static void push(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    const struct htmt_transfer t = transfer_of(c, p->in, PUSHED);
    htmt_push(c, &t);
}

static void pull(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    const struct htmt_transfer t = transfer_of(c, p->out, PULLED);
    htmt_pull(c, &t);
}

static void launch(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    struct htmt_launch l = htmt_launch_init();
    l.slot = p->main;
    l.first = p->first;
    l.count = p->count;
    l.wait = !p->early;
    l.on_done = htmt_slot(c, LAUNCHED);
    htmt_launch(c, &l);
    if (p->early)
        pull(c);
}

static void leave(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

static void create(struct banked *b, struct program *p)
{
    static const struct htmt_stage slice[] = {
        {.control = main_fiber, .count = 1},
        {.kernel = add, .cost = add_cost, .control = add_control, .count = 1},
        {.control = written, .count = 1}};
    static const struct htmt_stage host[] = {{.control = launch, .count = 1},
                                             {.control = pull, .count = 1},
                                             {.control = leave, .count = 1}};
    const uint32_t at = htmt_host(b->e);
    const uint64_t bytes = p->slices * EACH * sizeof(uint64_t);
    cr_assert_eq(htmt_object_create(b->e, at, b->host, bytes, "in", &p->in), 0);
    cr_assert_eq(htmt_object_create(b->e, at, b->host, bytes, "out", &p->out), 0);
    cr_assert_eq(htmt_frame_create(b->e, b->bank, EACH * 8, "bank", &p->bank), 0);
    cr_assert_eq(htmt_frame_create(b->e, b->scratch, EACH * 8, "scratch", &p->scratch), 0);
    struct htmt_type *of_slice =
        banked_type(b, (struct htmt_type_desc){.name = "slice",
                                               .home = "wram",
                                               .exec = "wram",
                                               .execute = {.control = nothing},
                                               .fibers = slice,
                                               .fiber_count = 3,
                                               .user = p});
    struct htmt_type *of_host = banked_type(b, (struct htmt_type_desc){.name = "host",
                                                                       .home = "host",
                                                                       .exec = "host",
                                                                       .execute = {.control = push},
                                                                       .fibers = host,
                                                                       .fiber_count = 3,
                                                                       .user = p});
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        struct htmt_ref ref = banked_start(b, i, of_slice, NULL);
        if (i == p->first)
            p->main = htmt_slot_of(ref, MAIN);
    }
    banked_start(b, at, of_host, NULL);
}

struct outcome {
    htmt_time end;
    uint64_t hash, events;
    uint64_t out[SLICES * EACH];
    struct htmt_host_commands commands;
    struct htmt_clock_report clock;
};

/* With a launch that takes time, and so with windows. */
static struct banked open_launch(struct htmt_options o)
{
    static const char *const set[] = {"networks.bus.launch=20 us"};
    return banked_load(o, "machines/upmem-p21.yaml", set, 1);
}

static void run(struct htmt_options o, struct program p, struct outcome *r)
{
    o.slices = p.slices = SLICES;
    p.count = p.count ? p.count : SLICES;
    struct banked b = open_launch(o);
    create(&b, &p);
    uint64_t *in = htmt_object_bytes(p.in);
    for (uint64_t i = 0; in && i < SLICES * EACH; i++)
        in[i] = i * i;
    memset(r, 0, sizeof *r);
    r->end = banked_run(&b);
    r->hash = htmt_history_hash(b.e);
    r->events = htmt_event_count(b.e);
    cr_assert_eq(htmt_host_commands(b.e, &r->commands), 0);
    htmt_clock_report(b.e, &r->clock);
    const uint64_t *out = htmt_object_bytes(p.out);
    if (out)
        memcpy(r->out, out, sizeof r->out);
    htmt_emulator_destroy(&b.e);
}

/* ---- tests ----------------------------------------------------------------------------------- */

Test(host, numbers_go_to_slices_and_come_back)
{
    static const enum htmt_host_mode modes[] = {HTMT_SERIAL, HTMT_PARALLEL};
    for (unsigned m = 0; m < 2; m++) {
        static struct outcome r;
        run((struct htmt_options){.mode = HTMT_RUN}, (struct program){.mode = modes[m]}, &r);
        for (uint64_t i = 0; i < SLICES * EACH; i++)
            cr_assert_eq(r.out[i], i * i + 1);
        /* Nothing else takes time at the host. */
        htmt_time program =
            r.end - (htmt_time)(r.commands.push + r.commands.pull + r.commands.launch);
        cr_assert_gt(program, 0);
        cr_assert_eq(r.commands.pushed, SLICES * EACH * 8);
    }
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    return a->end == b->end && a->hash == b->hash && a->events == b->events &&
           !memcmp(a->out, b->out, sizeof a->out);
}

Test(host, all_clocks_give_the_same_bits)
{
    static const enum htmt_host_mode modes[] = {HTMT_SERIAL, HTMT_PARALLEL};
    static struct outcome first, r;
    for (unsigned m = 0; m < 2; m++)
        for (unsigned mode = 0; mode < 2; mode++) {
            const struct program p = {.mode = modes[m]};
            const enum htmt_mode run_mode = mode ? HTMT_MODEL : HTMT_RUN;
            run((struct htmt_options){.mode = run_mode}, p, &first);
            run((struct htmt_options){.mode = run_mode, .clock = HTMT_CLOCK_WINDOWS}, p, &r);
            cr_assert(same(&first, &r), "%lld, %lld", (long long)first.end, (long long)r.end);
            cr_assert_null(r.clock.in_order, "%s", r.clock.in_order);
            run(
                (struct htmt_options){
                    .mode = run_mode, .clock = HTMT_CLOCK_SHARED, .clock_threads = 3, .threads = 3},
                p, &r);
            cr_assert(same(&first, &r));
            run((struct htmt_options){.mode = run_mode, .clock_threads = 2, .clock_partitions = 71},
                p, &r);
            cr_assert(same(&first, &r));
            run((struct htmt_options){.mode = run_mode, .checked = true}, p, &r);
            cr_assert(same(&first, &r));
            run((struct htmt_options){.mode = run_mode, .explain = true}, p, &r);
            cr_assert(same(&first, &r));
        }
}

Test(host, a_model_takes_the_time_of_a_run_and_so_does_one_slice_for_all)
{
    static struct outcome first, r;
    const struct program p = {.mode = HTMT_PARALLEL};
    run((struct htmt_options){.mode = HTMT_RUN}, p, &first);
    run((struct htmt_options){.mode = HTMT_MODEL}, p, &r);
    cr_assert_eq(first.end, r.end);
    cr_assert_eq(first.hash, r.hash);
    run((struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED}, p, &r);
    cr_assert_eq(first.end, r.end, "%lld, %lld", (long long)first.end, (long long)r.end);
}

Test(host, the_memory_of_a_running_slice_is_refused)
{
    struct banked b = open_launch((struct htmt_options){.mode = HTMT_MODEL, .slices = 8});
    struct program p = {.mode = HTMT_PARALLEL, .slices = 8, .count = 8, .early = true};
    create(&b, &p);
    cr_assert_eq(htmt_emulator_run(b.e), HTMT_EINVAL);
    const char *text = htmt_emulator_fault(b.e)->text;
    cr_assert(strstr(text, "htmt_pull() of slice 0, whose program runs"), "%s", text);
    htmt_emulator_destroy(&b.e);
}

static void push_unequal(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    static const uint64_t each[] = {8, 16};
    struct htmt_transfer t = transfer_of(c, p->in, PUSHED);
    t.count = 2;
    t.each = each;
    htmt_push(c, &t);
}

Test(host, unequal_sizes_in_parallel_are_refused)
{
    struct banked b = open_launch((struct htmt_options){.mode = HTMT_MODEL, .slices = 8});
    struct program p = {.mode = HTMT_PARALLEL, .slices = 8, .count = 8};
    create(&b, &p);
    struct htmt_type *type =
        banked_type(&b, (struct htmt_type_desc){.name = "unequal",
                                                .home = "host",
                                                .exec = "host",
                                                .execute = {.control = push_unequal},
                                                .user = &p});
    banked_start(&b, htmt_host(b.e), type, NULL);
    cr_assert_eq(htmt_emulator_run(b.e), HTMT_EINVAL);
    const char *text = htmt_emulator_fault(b.e)->text;
    cr_assert(strstr(text, "expected equal sizes in parallel"), "%s", text);
    htmt_emulator_destroy(&b.e);
}
