/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library refuses, with which code, and what the checked mode catches.
 */
#include "tests/layers/machines.h"
#include "tests/parcels/world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Each refused call has its own line; one that is good in between has none. The run begins with the
 * first of them, also after a call that was good. */
Test(refuse, each_refused_call_of_set_up_reports_its_own_fault)
{
    struct world_spec s = world_plain(2);
    struct world w = world_open(&s, (struct htmt_options){0});
    const uint32_t missing = (uint32_t)htmt_emulator_layer(w.e, "nvram");
    struct htmt_object *o = NULL;
    struct htmt_mailbox *m = NULL;
    struct htmt_type *t = NULL;
    char line[200];
    const char *machine = htmt_emulator_machine(w.e)->name;
    cr_expect_eq(htmt_object_create(w.e, 0, missing, 8, "x", &o), HTMT_EINVAL);
    snprintf(line, sizeof line, "object x: machine %s has no layer nvram", machine);
    cr_expect_str_eq(htmt_emulator_fault(w.e)->text, line);
    cr_expect_eq(htmt_mailbox_create(w.e, 0, missing, 8, 4, "y", &m), HTMT_EINVAL);
    snprintf(line, sizeof line, "mailbox y: machine %s has no layer nvram", machine);
    cr_expect_str_eq(htmt_emulator_fault(w.e)->text, line);
    cr_expect_eq(htmt_object_create(w.e, 2, DRAM, 8, "z", &o), HTMT_EINVAL);
    cr_expect_str_eq(htmt_emulator_fault(w.e)->text, "object z: found slice 2, expected 0 to 1");
    cr_expect_eq(htmt_object_create(w.e, 0, 7, 8, "z", &o), HTMT_EINVAL);
    cr_expect_not_null(strstr(htmt_emulator_fault(w.e)->text, "object z: found layer 7, machine "));
    const struct htmt_type_desc good = {.name = "good", .home = "dram", .exec = "cram"};
    cr_expect_eq(htmt_type_create(w.e, &good, &t), 0);
    cr_expect_eq(htmt_assemble(htmt_root(w.e), &(struct htmt_parcel_desc){.type = t}, NULL), 0);
    snprintf(line, sizeof line, "object x: machine %s has no layer nvram", machine);
    cr_expect_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    cr_expect_str_eq(htmt_emulator_fault(w.e)->text, line);
    world_close(&w);
}

/* ---- what assemble refuses ------------------------------------------------------------------- */

static int assemble_with(struct world *w, const char *home, const char *exec,
                         const struct htmt_region *r, uint32_t regions, uint64_t header)
{
    struct htmt_type *t =
        TYPE(w, .name = "probe", .home = home, .exec = exec, .header_words = header);
    struct htmt_parcel_desc d = {.type = t, .regions = r, .region_count = regions};
    int rc = htmt_assemble(htmt_root(w->e), &d, NULL);
    cr_assert_eq(htmt_emulator_fault(w->e)->code, rc);
    return rc;
}

struct refusal {
    int code;
    const char *home, *exec;
    uint32_t count;
    uint64_t header;
    struct htmt_region region[2];
};

/* Objects of 100 bytes: d0 in DRAM, s0 in SRAM, c0 in CRAM of slice 0, c1 in CRAM of slice 1. */
static void refused(struct refusal (*make)(struct htmt_object *d0, struct htmt_object *s0,
                                           struct htmt_object *c0, struct htmt_object *c1,
                                           unsigned which),
                    unsigned cases)
{
    for (unsigned i = 0; i < 2 * cases; i++) {
        struct world_spec s = world_plain(2);
        struct world w = OPEN(&s, .mode = i % 2 ? HTMT_MODEL : HTMT_RUN);
        struct refusal r =
            make(world_object(&w, 0, DRAM, 100, "d0"), world_object(&w, 0, SRAM, 100, "s0"),
                 world_object(&w, 0, CRAM, 100, "c0"), world_object(&w, 1, CRAM, 100, "c1"), i / 2);
        int rc = assemble_with(&w, r.home, r.exec, r.region, r.count, r.header);
        cr_assert_eq(rc, r.code, "case %u: %s, not %s: %s", i / 2, htmt_err_name(rc),
                     htmt_err_name(r.code), htmt_emulator_fault(w.e)->text);
        cr_assert_eq(htmt_emulator_run(w.e), rc);
        world_close(&w);
    }
}

static struct refusal in_pieces(int code, struct htmt_addr from, struct htmt_pieces pieces)
{
    return (struct refusal){code, "dram", "cram",
                            1,    0,      {{.from = from, .bytes = 30, .from_pieces = pieces}}};
}

static struct refusal outside(struct htmt_object *d0, struct htmt_object *s0,
                              struct htmt_object *c0, struct htmt_object *c1, unsigned which)
{
    (void)s0;
    (void)c1;
    struct htmt_addr d = htmt_in(d0, 0), last = htmt_in(d0, 99), far = htmt_in(d0, UINT64_MAX);
    const struct refusal all[] = {
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.from = d, .bytes = 101}}},
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.to = last, .bytes = 2}}},
        {0, "dram", "cram", 1, 0, {{.to = last, .bytes = 1}}},
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.from = far, .bytes = 1}}},
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.from = far, .bytes = UINT64_MAX}}},
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.from = d, .bytes = 0}}},
        {HTMT_EBOUNDS, "dram", "cram", 1, 0, {{.into = htmt_in(c0, 93), .bytes = 8}}},
        in_pieces(0, d, (struct htmt_pieces){.bytes = 10, .count = 3, .stride = 45}),
        in_pieces(HTMT_EBOUNDS, d, (struct htmt_pieces){.bytes = 10, .count = 3, .stride = 46}),
        in_pieces(HTMT_EBOUNDS, d, (struct htmt_pieces){.bytes = 10, .count = 2, .stride = 9}),
        in_pieces(HTMT_EBOUNDS, d, (struct htmt_pieces){.bytes = 10, .count = 3, .stride = -20}),
        in_pieces(0, htmt_in(d0, 90), (struct htmt_pieces){.bytes = 10, .count = 3, .stride = -45}),
        in_pieces(HTMT_EBOUNDS, htmt_in(d0, 89),
                  (struct htmt_pieces){.bytes = 10, .count = 3, .stride = -45}),
        {HTMT_EBOUNDS,
         "dram",
         "cram",
         1,
         0,
         {{.to = d,
           .bytes = 64,
           .to_pieces = {.bytes = 1, .count = UINT64_MAX, .stride = INT64_MIN}}}},
    };
    cr_assert_lt(which, sizeof all / sizeof *all);
    return all[which];
}

Test(refuse, every_region_lies_within_its_objects)
{
    refused(outside, 14);
}

/* A region is compared with that of the last parcel of its kind, and is not looked at again where
 * it is like that one. Each of these differs from the first in one thing, which makes it wrong. */
Test(refuse, a_region_is_refused_though_one_almost_like_it_was_good)
{
    for (unsigned i = 0; i < 9; i++) {
        struct world_spec s = world_plain(2);
        struct world w = OPEN(&s, .mode = HTMT_MODEL);
        struct htmt_object *d0 = world_object(&w, 0, DRAM, 100, "d0"),
                           *d1 = world_object(&w, 1, DRAM, 100, "d1"),
                           *c0 = world_object(&w, 0, CRAM, 100, "c0"),
                           *c1 = world_object(&w, 1, CRAM, 100, "c1");
        const struct htmt_region run = {.from = htmt_in(d0, 70), .bytes = 30},
                                 pieces = {.to = htmt_in(d0, 0),
                                           .bytes = 30,
                                           .to_pieces = {10, 3, 45}},
                                 into = {.into = htmt_in(c0, 0), .bytes = 30};
        struct htmt_region first = i < 3 ? run : i < 7 ? pieces : into, then = first;
        then.from.offset += i == 0;
        then.from = i == 1 ? htmt_in(d1, 70) : then.from;
        then.from_pieces =
            i == 2 ? (struct htmt_pieces){.bytes = 10, .count = 3, .stride = 11} : then.from_pieces;
        then.to_pieces.stride += i == 3;
        then.to_pieces.count -= i == 4;
        then.to_pieces.bytes -= i == 5;
        then.to = i == 6 ? htmt_in(d1, 0) : then.to;
        then.into.offset += i == 7 ? 71 : 0;
        then.into = i == 8 ? htmt_in(c1, 0) : then.into;
        struct htmt_type *t = TYPE(&w, .name = "probe", .home = "dram", .exec = "cram");
        START(&w, .type = t, .regions = &first, .region_count = 1);
        START(&w, .type = t, .regions = &first, .region_count = 1);
        const int code = i == 1 || i == 6 || i == 8 ? HTMT_EROUTE : HTMT_EBOUNDS;
        const struct htmt_parcel_desc d = {.type = t, .regions = &then, .region_count = 1};
        cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, NULL), code, "case %u: %s", i,
                     htmt_emulator_fault(w.e)->text);
        world_close(&w);
    }
}

static struct refusal off_the_way(struct htmt_object *d0, struct htmt_object *s0,
                                  struct htmt_object *c0, struct htmt_object *c1, unsigned which)
{
    struct htmt_addr d = htmt_in(d0, 0), s = htmt_in(s0, 0), c = htmt_in(c0, 0);
    const struct refusal all[] = {
        {HTMT_EROUTE, "sram", "cram", 1, 0, {{.from = d, .bytes = 8}}},
        {HTMT_EROUTE, "dram", "sram", 1, 0, {{.to = c, .bytes = 8}}},
        {HTMT_EROUTE, "dram", "cram", 1, 0, {{.from = d, .into = s, .bytes = 8}}},
        {HTMT_EROUTE, "cram", "cram", 1, 0, {{.from = htmt_in(c1, 0), .bytes = 8}}},
        {HTMT_EROUTE, "cram", "cram", 1, 0, {{.into = htmt_in(c1, 0), .bytes = 8}}},
        {0, "cram", "dram", 1, 0, {{.from = s, .to = c, .bytes = 8}}},
    };
    cr_assert_lt(which, sizeof all / sizeof *all);
    return all[which];
}

Test(refuse, every_region_lies_on_the_way_in_the_parcels_own_slice)
{
    refused(off_the_way, 6);
}

/* Memories of 2^20 words. Sums of words that pass 2^64 must not come out small. */
static struct refusal too_large(struct htmt_object *d0, struct htmt_object *s0,
                                struct htmt_object *c0, struct htmt_object *c1, unsigned which)
{
    const uint64_t half = UINT64_C(1) << 63;
    struct htmt_region scratch = {.bytes = 8, .in_words = {0, 0, half}};
    struct htmt_region in = {.from = htmt_in(d0, 0), .bytes = 8, .in_words = {0, half, 1}};
    struct htmt_region fits = {.bytes = 8 << 19}, more = {.bytes = 8};
    (void)s0;
    (void)c0;
    (void)c1;
    const struct refusal all[] = {
        {HTMT_ECAPACITY, "dram", "cram", 2, 0, {scratch, scratch}},
        {HTMT_ECAPACITY, "dram", "cram", 2, 0, {in, in}},
        {HTMT_ECAPACITY, "dram", "cram", 1, UINT64_MAX, {{.from = htmt_in(d0, 0), .bytes = 8}}},
        {HTMT_ECAPACITY, "dram", "cram", 2, 0, {{.bytes = UINT64_MAX}, {.bytes = UINT64_MAX}}},
        {HTMT_ECAPACITY, "dram", "cram", 1, 0, {{.bytes = (8 << 20) - 96}}},
        {HTMT_ECAPACITY, "dram", "cram", 2, 0, {fits, fits}},
        {0, "dram", "cram", 2, 0, {fits, more}},
    };
    cr_assert_lt(which, sizeof all / sizeof *all);
    return all[which];
}

Test(refuse, what_is_larger_than_an_empty_memory)
{
    refused(too_large, 7);
}

/* ---- time ------------------------------------------------------------------------------------ */

COST(long_cost, ops->n[HTMT_CYCLE] = *(const uint64_t *)user)

static int run_long(uint64_t cycles, unsigned jobs, const char *home, uint64_t words)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *o = world_object(&w, 0, SRAM, 8, "o");
    struct htmt_region r = {.from = htmt_in(o, 0),
                            .into = htmt_in(world_object(&w, 0, CRAM, 8, "c"), 0),
                            .bytes = 8,
                            .in_words = {0, 0, words}};
    struct htmt_type *t = TYPE(&w, .name = "long", .home = home, .exec = "cram",
                               .execute = {.cost = long_cost}, .user = &cycles);
    for (unsigned i = 0; i < jobs; i++)
        ASSEMBLE(htmt_root(w.e), NULL, .type = t, .regions = &r,
                 .region_count = strcmp(home, "sram") == 0);
    int rc = htmt_emulator_run(w.e);
    world_close(&w);
    return rc;
}

/* A cycle and a word are 10^6 fs here: 2^40 of them are 2^60 fs, and eight pass the 2^63. */
Test(refuse, virtual_time_that_overflows_in_a_bank)
{
    const uint64_t third = UINT64_C(2305843009213);
    cr_assert_eq(run_long(third, 3, "cram", 0), 0);
    cr_assert_eq(run_long(third, 5, "cram", 0), HTMT_EOVERFLOW);
    cr_assert_eq(run_long(4 * third, 1, "cram", 0), HTMT_EOVERFLOW);
    cr_assert_eq(run_long(UINT64_MAX, 1, "cram", 0), HTMT_EOVERFLOW);
}

Test(refuse, virtual_time_that_overflows_on_a_link)
{
    const uint64_t third = UINT64_C(2305843009213);
    cr_assert_eq(run_long(1, 3, "sram", third), 0);
    cr_assert_eq(run_long(1, 9, "sram", third), HTMT_EOVERFLOW);
    cr_assert_eq(run_long(1, 1, "sram", 4 * third), HTMT_EOVERFLOW);
    cr_assert_eq(run_long(1, 1, "sram", UINT64_MAX), HTMT_EOVERFLOW);
}

struct far {
    struct htmt_object *here, *there;
    uint64_t puts, words;
};

static void put_long(struct htmt_context *c)
{
    const struct far *f = htmt_args(c);
    for (uint64_t i = 0; i < f->puts; i++)
        PUT(c, .dst = htmt_in(f->there, 0), .src = htmt_in(f->here, 0), .bytes = 8,
            .words = f->words);
}

/* One behind another: 2^63 fs are four times so many words, nearly. */
Test(refuse, virtual_time_that_overflows_between_slices)
{
    for (uint64_t puts = 3; puts <= 6; puts++) {
        struct world_spec s = world_plain(2);
        struct world w = OPEN(&s, .mode = HTMT_MODEL);
        struct far f = {world_object(&w, 0, CRAM, 8, "here"), world_object(&w, 1, CRAM, 8, "there"),
                        puts, UINT64_C(2305843009213)};
        struct htmt_type *t = TYPE(&w, .name = "far", .home = "cram", .exec = "cram",
                                   .execute = {.control = put_long}, .args_bytes = sizeof f);
        START(&w, .type = t, .args = &f);
        cr_assert_eq(htmt_emulator_run(w.e), puts > 4 ? HTMT_EOVERFLOW : 0);
        cr_assert_eq(strstr(htmt_emulator_fault(w.e)->text, "virtual time passes 2.56 hours") !=
                         NULL,
                     puts > 4);
        world_close(&w);
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

/* A control that does one wrong thing, and the code it ends the run with. */
struct wrong {
    struct htmt_object *here, *elsewhere, *other_slice;
    struct htmt_mailbox *box, *far_box;
    struct htmt_type *type;
    struct htmt_ref gone, fibers;
    struct htmt_frame *frame;
};

static const struct wrong *wrong_of(struct htmt_context *c)
{
    const struct wrong *w;
    memcpy(&w, htmt_args(c), sizeof w);
    return w;
}

CONTROL(gone_call, htmt_retire(c, wrong_of(c)->gone))
CONTROL(gone_signal, htmt_signal(c, htmt_slot_of(wrong_of(c)->gone, 1)))
CONTROL(disarmed, htmt_signal(c, htmt_slot_of(wrong_of(c)->fibers, 1)))
CONTROL(no_such_fiber, htmt_signal(c, htmt_slot_of(wrong_of(c)->fibers, 2)))
CONTROL(no_such_slot, htmt_slot_set(c, 1, 1, 1))
CONTROL(work_twice, htmt_work(c); htmt_work(c))
CONTROL(use_late, htmt_work(c); htmt_use(c, htmt_in(wrong_of(c)->here, 0), 8, HTMT_READ))
static void use_nine(struct htmt_context *c)
{
    for (int i = 0; i < 9; i++)
        htmt_use(c, htmt_in(wrong_of(c)->here, 0), 8, HTMT_READ);
}
CONTROL(use_outside, htmt_use(c, htmt_in(wrong_of(c)->here, 60), 8, HTMT_READ))
CONTROL(use_elsewhere, htmt_use(c, htmt_in(wrong_of(c)->elsewhere, 0), 8, HTMT_READ))
CONTROL(use_other_slice, htmt_use(c, htmt_in(wrong_of(c)->other_slice, 0), 8, HTMT_READ))
static void put_outside(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    PUT(c, .dst = htmt_in(w->other_slice, 57), .src = htmt_in(w->here, 0), .bytes = 8);
}
static void put_nowhere(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    PUT(c, .src = htmt_in(w->here, 0), .bytes = 8);
}
static void put_unrouted(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c); /* CRAM to DRAM crosses two networks */
    PUT(c, .dst = htmt_in(w->elsewhere, 0), .src = htmt_in(w->here, 0), .bytes = 8);
}
static void put_between_others(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    struct htmt_addr far = htmt_in(w->other_slice, 0);
    PUT(c, .dst = far, .src = far, .bytes = 8);
}
static void send_too_many(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    htmt_send(c, w->box, htmt_in(w->here, 0), 5, (struct htmt_slot){0}, (struct htmt_slot){0});
}
static void send_outside(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    htmt_send(c, w->box, htmt_in(w->here, 40), 4, (struct htmt_slot){0}, (struct htmt_slot){0});
}
static void send_from_afar(struct htmt_context *c)
{
    const struct wrong *w = wrong_of(c);
    htmt_send(c, w->box, htmt_in(w->other_slice, 0), 1, (struct htmt_slot){0},
              (struct htmt_slot){0});
}
CONTROL(take_afar, htmt_take(c, wrong_of(c)->far_box))
CONTROL(assemble_afar, ASSEMBLE(c, NULL, .type = wrong_of(c)->type, .slice = 1))
CONTROL(assemble_nowhere, ASSEMBLE(c, NULL, .type = wrong_of(c)->type, .slice = 2))
CONTROL(charge_too_long, htmt_charge(c, HTMT_CYCLE, UINT64_MAX))
CONTROL(call_afar, htmt_retire(c, wrong_of(c)->fibers))

static void idle(struct htmt_kernel *k)
{
    (void)k;
}

static struct htmt_ref parked(struct world *w, uint32_t slice)
{
    static const struct htmt_stage fiber = {.control = NULL, .kernel = idle};
    struct htmt_type *t = TYPE(w, .name = "parked", .home = "cram", .exec = "cram",
                               .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE));
    struct htmt_parcel_desc d = {.type = t, .slice = slice};
    struct htmt_ref ref;
    cr_assert_eq(htmt_assemble(htmt_root(w->e), &d, &ref), 0);
    return ref;
}

static int run_stage(const struct htmt_stage *execute, enum htmt_footprint footprint, bool model,
                     uint32_t fibers_at)
{
    struct world_spec s = world_plain(2);
    struct world w = OPEN(&s, .mode = model ? HTMT_MODEL : HTMT_RUN);
    struct wrong wrong = {.here = world_object(&w, 0, CRAM, 64, "here"),
                          .elsewhere = world_object(&w, 0, DRAM, 64, "elsewhere"),
                          .other_slice = world_object(&w, 1, CRAM, 64, "other")};
    const struct wrong *arg = &wrong;
    cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 8, 4, "box", &wrong.box), 0);
    cr_assert_eq(htmt_mailbox_create(w.e, 1, CRAM, 8, 4, "far", &wrong.far_box), 0);
    wrong.type = TYPE(&w, .name = "t", .home = "cram", .exec = "cram");
    cr_assert_eq(ASSEMBLE(htmt_root(w.e), &wrong.gone, .type = wrong.type), 0);
    wrong.fibers = parked(&w, fibers_at);
    struct htmt_type *t =
        TYPE(&w, .name = "wrong", .home = "cram", .exec = "cram", .execute = *execute,
             .footprint = footprint, .args_bytes = sizeof arg);
    START(&w, .type = t, .args = &arg);
    int rc = htmt_emulator_run(w.e);
    world_close(&w);
    return rc;
}

static int run_wrong(htmt_control_fn *control, bool steered, bool model, uint32_t fibers_at)
{
    const struct htmt_stage execute = {.kernel = idle, .control = control, .steered = steered};
    return run_stage(&execute, HTMT_RESIDENT, model, fibers_at);
}

Test(refuse, wrong_calls_end_the_run_with_their_code)
{
    const struct {
        htmt_control_fn *control;
        int code;
    } all[] = {{gone_call, HTMT_EINVAL},          {gone_signal, HTMT_EINVAL},
               {disarmed, HTMT_EINVAL},           {no_such_fiber, HTMT_EINVAL},
               {no_such_slot, HTMT_EINVAL},       {work_twice, HTMT_EINVAL},
               {use_late, HTMT_EINVAL},           {use_nine, HTMT_EINVAL},
               {use_outside, HTMT_EBOUNDS},       {use_elsewhere, HTMT_EROUTE},
               {use_other_slice, HTMT_EROUTE},    {put_outside, HTMT_EBOUNDS},
               {put_nowhere, HTMT_EBOUNDS},       {put_unrouted, HTMT_EROUTE},
               {put_between_others, HTMT_EROUTE}, {send_too_many, HTMT_ECAPACITY},
               {send_outside, HTMT_EBOUNDS},      {send_from_afar, HTMT_EROUTE},
               {take_afar, HTMT_EROUTE},          {assemble_afar, HTMT_EROUTE},
               {assemble_nowhere, HTMT_EINVAL},   {charge_too_long, HTMT_EOVERFLOW}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        for (int model = 0; model < 2; model++) {
            int rc = run_wrong(all[i].control, false, model, 0);
            cr_assert_eq(rc, all[i].code, "case %u, model %d: %s", i, model, htmt_err_name(rc));
        }
    cr_assert_eq(run_wrong(call_afar, false, false, 1), HTMT_EROUTE);
}

static void give_up(struct htmt_context *c)
{
    cr_assert_eq(htmt_fail(c, HTMT_ERANGE, "found %d of %s", 3, "them"), HTMT_ERANGE);
    cr_assert_eq(htmt_fail(c, HTMT_ECAPACITY, "too late"), HTMT_ERANGE);
    cr_assert_str_eq(htmt_emulator_fault(htmt_emulator_of(c))->text, "found 3 of them");
}

Test(refuse, a_control_ends_the_run_with_a_line_of_its_own_and_the_first_stays)
{
    for (int model = 0; model < 2; model++)
        cr_assert_eq(run_wrong(give_up, false, model, 0), HTMT_ERANGE);
}

CONTROL(use_well, htmt_use(c, htmt_in(wrong_of(c)->here, 0), 8, HTMT_READ))
CONTROL(take_well, htmt_take(c, wrong_of(c)->box))

/* In both modes alike; the parked activation is what remains of the good ones. */
Test(refuse, uses_of_a_steered_stage)
{
    for (int model = 0; model < 2; model++) {
        cr_assert_eq(run_wrong(use_well, true, model, 0), HTMT_EINVAL);
        cr_assert_eq(run_wrong(take_well, true, model, 0), HTMT_EINVAL);
        cr_assert_eq(run_wrong(use_well, false, model, 0), HTMT_EDEADLOCK);
        cr_assert_eq(run_wrong(take_well, false, model, 0), HTMT_EDEADLOCK);
    }
}

/* Its kernel may have run by then, and would not see what the control names. */
Test(refuse, uses_of_a_closure_that_may_have_run)
{
    const struct htmt_stage use = {.kernel = idle, .control = use_well};
    const struct htmt_stage take = {.kernel = idle, .control = take_well};
    for (int model = 0; model < 2; model++) {
        cr_assert_eq(run_stage(&use, HTMT_CLOSURE, model, 0), HTMT_EINVAL);
        cr_assert_eq(run_stage(&take, HTMT_CLOSURE, model, 0), HTMT_EINVAL);
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

static void ignore(void *into, const void *from, uint64_t bytes)
{
    (void)into;
    (void)from;
    (void)bytes;
}

/* As many as the table of names grows by several times; names in their full length. */
Test(refuse, a_second_type_of_one_name)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, (struct htmt_options){0});
    struct htmt_type *t = NULL;
    char name[32], line[100];
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "worker %u", i);
        world_type(&w, (struct htmt_type_desc){.name = name, .home = "dram", .exec = "cram"});
    }
    for (unsigned i = 0; i < 300; i += 23) {
        snprintf(name, sizeof name, "worker %u", i);
        snprintf(line, sizeof line, "type %s: found a second type of that name, expected another",
                 name);
        const struct htmt_type_desc d = {.name = name, .home = "sram", .exec = "cram"};
        cr_expect_eq(htmt_type_create(w.e, &d, &t), HTMT_EINVAL);
        cr_expect_null(t);
        cr_expect_str_eq(htmt_emulator_fault(w.e)->text, line);
    }
    /* The parcels of collectives have a type of their own, with a number if need be. */
    struct htmt_frame *frame[2];
    struct htmt_allreduce *all[2];
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "one", &frame[0]), 0);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "two", &frame[1]), 0);
    struct htmt_allreduce_desc sum = {
        .frame = frame[0], .bytes = 8, .combine = ignore, .name = "worker 7"};
    cr_expect_eq(htmt_allreduce_create(w.e, &sum, &all[0]), 0);
    sum.frame = frame[1];
    cr_expect_eq(htmt_allreduce_create(w.e, &sum, &all[1]), 0);
    const struct htmt_type_desc third = {.name = "worker 7 3", .home = "sram", .exec = "cram"};
    cr_expect_eq(htmt_type_create(w.e, &third, &t), HTMT_EINVAL);
    struct world other = world_open(&s, (struct htmt_options){0});
    world_type(&other, (struct htmt_type_desc){.name = name, .home = "dram", .exec = "cram"});
    world_close(&other);
    world_close(&w);
}

Test(refuse, types_that_cannot_be_and_reports_outlive_them)
{
    const struct htmt_type_desc bad[] = {
        {.name = "no layer", .home = "dram", .exec = "moon"},
        {.name = "no home", .exec = "cram"},
        {.name = "args", .home = "dram", .exec = "cram", .args_bytes = 513},
        {.name = "result", .home = "dram", .exec = "cram", .result_bytes = 257},
        {.name = "gate", .home = "dram", .exec = "cram", .gates = HTMT_GATE(HTMT_INJECT)},
        {.name = "fibers", .home = "dram", .exec = "cram", .fiber_count = 1},
        {.name = "hram", .home = "hram", .exec = "cram", .assemble = {.kernel = idle}},
    };
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct htmt_emulator *e = NULL;
        struct htmt_type *t = NULL;
        struct htmt_phase_report phase;
        struct htmt_options o = {.machine = m, .slices = 1, .mode = HTMT_MODEL};
        cr_assert_eq(htmt_emulator_create(&e, &o, NULL), 0);
        cr_assert_eq(htmt_type_create(e, &bad[i], &t), HTMT_EINVAL, "%s", bad[i].name);
        cr_assert_eq(htmt_emulator_run(e), HTMT_EINVAL);
        for (uint32_t k = 0; k < htmt_phase_count(e); k++)
            cr_assert_eq(htmt_phase_at(e, k, &phase), 0);
        htmt_emulator_destroy(&e);
    }
    htmt_machine_destroy(&m);
}
