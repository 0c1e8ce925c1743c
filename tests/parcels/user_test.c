/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Kernels, cost functions and controls of a type are handed the one pointer that the type gave.
 */
#include "tests/parcels/world.h"

/* What a type's functions know; two types have the same functions. */
struct factor {
    uint64_t times, cycles;
};

static void multiply(struct htmt_kernel *k)
{
    const struct factor *f = htmt_kernel_user(k);
    uint64_t *x = htmt_bytes(k, 0), part = htmt_kernel_part(k);
    x[part] *= f->times;
}

COST(cost, ops->n[HTMT_CYCLE] = ((const struct factor *)user)->cycles)

static void control(struct htmt_context *c)
{
    const struct factor *f = htmt_user(c);
    htmt_work(c);
    htmt_charge(c, HTMT_CYCLE, f->cycles);
}

/* The same behind a fiber. */
CONTROL(begin, htmt_signal(c, htmt_slot(c, 1)))

static void fiber(struct htmt_context *c)
{
    const struct factor *f = htmt_user(c);
    htmt_charge(c, HTMT_CYCLE, f->cycles);
    htmt_retire(c, htmt_self(c));
}

static void start(struct world *w, const struct factor *f, struct htmt_addr at, bool fibers)
{
    const struct htmt_stage stage = {
        .kernel = multiply, .cost = cost, .control = control, .parts = 2};
    const struct htmt_stage later = {.cost = cost, .control = fiber, .count = 1};
    struct htmt_type_desc d = {.name = f->cycles == 3 ? "three" : "five",
                               .home = "dram",
                               .exec = "cram",
                               .execute = stage,
                               .user = f};
    const struct htmt_region r = {.from = at, .to = at, .bytes = 16};
    if (fibers) {
        d.dispatch = d.execute;
        d.execute = (struct htmt_stage){.cost = cost, .control = begin};
        d.fibers = &later;
        d.fiber_count = 1;
    }
    START(w, .type = world_type(w, d), .regions = &r, .region_count = 1);
}

/* fs of all services. */
static htmt_time busy(const struct htmt_emulator *e)
{
    struct htmt_phase_report phase;
    htmt_wide sum = 0;
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        cr_assert_eq(htmt_phase_at(e, i, &phase), 0);
        sum += phase.resource < 3 ? phase.busy : 0;
    }
    return (htmt_time)sum;
}

static void play(struct htmt_options o, bool fibers)
{
    static const struct factor two = {2, 3}, seven = {7, 5};
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, o);
    struct htmt_object *x = world_object(&w, 0, DRAM, 32, "x");
    uint64_t *bytes = htmt_object_bytes(x);
    for (int i = 0; bytes && i < 4; i++)
        bytes[i] = 1;
    start(&w, &two, htmt_in(x, 0), fibers);
    start(&w, &seven, htmt_in(x, 16), fibers);
    world_run(&w);
    cr_assert_eq(busy(w.e), (fibers ? 5 : 2) * (3 + 5) * NS);
    bytes = htmt_object_bytes(x);
    for (int i = 0; bytes && i < 4; i++)
        cr_assert_eq(bytes[i], i < 2 ? 2 : 7);
    world_close(&w);
}

Test(user, each_function_is_handed_what_its_type_gave)
{
    for (int fibers = 0; fibers <= 1; fibers++) {
        play((struct htmt_options){.threads = 1}, fibers);
        play((struct htmt_options){.threads = 3}, fibers);
        play((struct htmt_options){.checked = true}, fibers);
        play((struct htmt_options){.mode = HTMT_MODEL}, fibers);
    }
}

KERNEL(expect_none, cr_assert_null(htmt_kernel_user(k)))
CONTROL(expect_none_here, cr_assert_null(htmt_user(c)))

Test(user, is_null_where_the_type_gave_none)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, (struct htmt_options){0});
    const struct htmt_type *t =
        TYPE(&w, .name = "none", .home = "cram", .exec = "cram",
             .execute = {.kernel = expect_none, .control = expect_none_here});
    START(&w, .type = t);
    world_run(&w);
    world_close(&w);
}
