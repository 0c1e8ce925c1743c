/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services of threads that share an issue port, and copies by the DMA engine.
 */
#include "tests/parcels/banked.h"

#define MOST 32u

/* What a thread does, and what came of it. */
struct work {
    uint64_t instructions;
    htmt_time *ended;
    struct htmt_frame *bank, *scratch;
    uint64_t bytes;
};

static void issue(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct work *w = args;
    (void)user;
    ops->n[HTMT_CYCLE] = w->instructions;
}

static void go_on(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, 1));
}

static void end(struct htmt_context *c)
{
    const struct work *w = htmt_args(c);
    *w->ended = htmt_began(c);
    htmt_retire(c, htmt_self(c));
}

static const struct htmt_stage at_end = {.control = end, .count = 1};

static void run_threads(const uint64_t *instructions, uint32_t threads, htmt_time *ended,
                        struct htmt_options o)
{
    struct banked b = banked_open(o, NULL);
    struct htmt_type *type =
        TASKLET(&b, .execute = {.cost = issue, .control = go_on}, .fibers = &at_end,
                .fiber_count = 1, .args_bytes = sizeof(struct work));
    for (uint32_t i = 0; i < threads; i++) {
        struct work w = {.instructions = instructions[i], .ended = &ended[i]};
        banked_start(&b, 0, type, &w);
    }
    banked_run(&b);
    struct htmt_issue_report r;
    struct htmt_threads_report t;
    uint64_t sum = 0;
    htmt_time all = 0;
    for (uint32_t i = 0; i < threads; i++) {
        sum += instructions[i];
        all += ended[i];
    }
    cr_assert_eq(htmt_issue_at(b.e, 0, &r), 0);
    cr_assert_eq(r.instructions, sum);
    cr_assert_eq(r.busy, (htmt_time)sum * NS);
    cr_assert_eq(htmt_threads_at(b.e, 0, &t), 0);
    /* From 0 on each is in its service, but a 25th, which begins when the first ones end. */
    all -= threads > 24 ? ended[0] : 0;
    cr_assert_eq(t.issuing + t.waiting, all);
    cr_assert(!t.copying && !t.ran && !t.code_bytes);
    htmt_emulator_destroy(&b.e);
}

/* A thread issues one instruction in 11 cycles; more than 11 threads share one a cycle. */
Test(issue, equal_threads_end_together)
{
    static const struct {
        uint32_t threads;
        htmt_time cycles;
    } cases[] = {{1, 11000}, {2, 11000}, {8, 11000}, {11, 11000}, {12, 12000}, {24, 24000}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t instructions[MOST];
        htmt_time ended[MOST];
        for (unsigned t = 0; t < MOST; t++)
            instructions[t] = 1000;
        run_threads(instructions, cases[i].threads, ended,
                    (struct htmt_options){.mode = HTMT_MODEL, .slices = 1});
        for (unsigned t = 0; t < cases[i].threads; t++)
            cr_assert_eq(ended[t], cases[i].cycles * NS, "%u threads: thread %u ends at %lld",
                         cases[i].threads, t, (long long)ended[t]);
    }
}

/* 13 threads, of which 3 have 100 instructions and 10 have 200: all advance by 1/13 a cycle until
 * 1300; then 10 by 1/11: 100 more take 1100. */
Test(issue, fewer_threads_advance_faster)
{
    uint64_t instructions[MOST];
    htmt_time ended[MOST];
    for (unsigned t = 0; t < 13; t++)
        instructions[t] = t < 3 ? 100 : 200;
    run_threads(instructions, 13, ended, (struct htmt_options){.mode = HTMT_MODEL, .slices = 1});
    for (unsigned t = 0; t < 13; t++)
        cr_assert_eq(ended[t], (t < 3 ? 1300 : 2400) * NS, "%u: %lld", t, (long long)ended[t]);
}

/* A 25th tasklet waits until one of 24 retires: these end at 24 * 100 = 2400, and the last one is
 * alone: 100 * 11 further. */
Test(issue, a_tasklet_waits_for_a_thread)
{
    uint64_t instructions[MOST];
    htmt_time ended[MOST];
    for (unsigned t = 0; t < 25; t++)
        instructions[t] = 100;
    run_threads(instructions, 25, ended, (struct htmt_options){.mode = HTMT_MODEL, .slices = 1});
    for (unsigned t = 0; t < 25; t++)
        cr_assert_eq(ended[t], (t < 24 ? 2400 : 3500) * NS, "%u: %lld", t, (long long)ended[t]);
}

/* ---- lines inside a service ------------------------------------------------------------------ */

static void charge_and_signal(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, 10);
    htmt_signal(c, htmt_slot(c, 1));
    htmt_charge(c, HTMT_CYCLE, 30);
}

static void note(struct htmt_context *c)
{
    const struct work *w = htmt_args(c);
    *w->ended = htmt_began(c);
    htmt_charge(c, HTMT_CYCLE, 5);
    htmt_retire(c, htmt_self(c));
}

/* The signal after 10 of 40 instructions is at 110, and its fiber waits for fiber 0, which ends at
 * 440. Another parcel hears of it at once. */
Test(issue, a_line_stands_at_its_count_of_instructions)
{
    static const struct htmt_stage fiber = {.control = note, .count = 1};
    htmt_time ended = 0;
    struct banked b =
        banked_open((struct htmt_options){.mode = HTMT_MODEL, .slices = 1, .explain = true}, NULL);
    struct htmt_type *type =
        TASKLET(&b, .execute = {.control = charge_and_signal}, .fibers = &fiber, .fiber_count = 1,
                .args_bytes = sizeof(struct work));
    struct work w = {.ended = &ended};
    banked_start(&b, 0, type, &w);
    cr_assert_eq(banked_run(&b), 495 * NS, "%lld", (long long)htmt_predicted(b.e));
    cr_assert_eq(ended, 440 * NS);
    htmt_emulator_destroy(&b.e);
}

/* ---- the DMA engine -------------------------------------------------------------------------- */

static void read_block(struct htmt_context *c)
{
    const struct work *w = htmt_args(c);
    struct htmt_put put = htmt_put_init();
    put.src = htmt_at(w->bank, htmt_slice(c), 0);
    put.dst = htmt_at(w->scratch, htmt_slice(c), w->instructions);
    put.bytes = w->bytes;
    put.on_arrived = htmt_slot(c, 1);
    htmt_put(c, &put);
}

/* A copy occupies the engine for 34.6 + 64 / 2 = 66.6 cycles, and its thread for 42.4 more. */
Test(issue, two_reads_share_one_engine)
{
    for (unsigned mode = 0; mode < 2; mode++) {
        htmt_time ended[2];
        struct banked b = banked_open(
            (struct htmt_options){.mode = mode ? HTMT_MODEL : HTMT_RUN, .slices = 1}, NULL);
        struct work w = {.bytes = 64};
        cr_assert_eq(htmt_frame_create(b.e, b.bank, 64, "array", &w.bank), 0);
        cr_assert_eq(htmt_frame_create(b.e, b.scratch, 128, "buffers", &w.scratch), 0);
        struct htmt_type *type = TASKLET(&b, .execute = {.control = read_block}, .fibers = &at_end,
                                         .fiber_count = 1, .args_bytes = sizeof w);
        for (unsigned i = 0; i < 2; i++) {
            w.instructions = 64 * i;
            w.ended = &ended[i];
            banked_start(&b, 0, type, &w);
        }
        banked_run(&b);
        cr_assert_eq(ended[0], 109 * NS, "%lld", (long long)ended[0]);
        cr_assert_eq(ended[1], 1756 * NS / 10, "%lld", (long long)ended[1]);
        htmt_emulator_destroy(&b.e);
    }
}

static int refused(uint64_t bytes, const char **text)
{
    static char line[512];
    htmt_time ended;
    struct banked b = banked_open((struct htmt_options){.mode = HTMT_MODEL, .slices = 1}, NULL);
    struct work w = {.bytes = bytes, .ended = &ended};
    cr_assert_eq(htmt_frame_create(b.e, b.bank, 4096, "array", &w.bank), 0);
    cr_assert_eq(htmt_frame_create(b.e, b.scratch, 4096, "buffers", &w.scratch), 0);
    struct htmt_type *type = TASKLET(&b, .execute = {.control = read_block}, .fibers = &at_end,
                                     .fiber_count = 1, .args_bytes = sizeof w);
    banked_start(&b, 0, type, &w);
    int rc = htmt_emulator_run(b.e);
    snprintf(line, sizeof line, "%s", htmt_emulator_fault(b.e)->text);
    *text = line;
    htmt_emulator_destroy(&b.e);
    return rc;
}

Test(issue, copies_too_large_or_not_aligned_are_refused)
{
    const char *text;
    cr_assert_eq(refused(2048, &text), 0, "%s", text);
    cr_assert_eq(refused(2056, &text), HTMT_EINVAL);
    cr_assert(strstr(text, "larger than 2048 bytes"), "%s", text);
    cr_assert_eq(refused(60, &text), HTMT_EINVAL);
    cr_assert(strstr(text, "not a multiple of 8 bytes"), "%s", text);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* 24 KiB are 3,072 words, which all types of the scratch layer share; the host's are elsewhere. */
Test(issue, code_beyond_the_code_memory_is_refused)
{
    struct banked b = banked_open((struct htmt_options){.mode = HTMT_MODEL, .slices = 1}, NULL);
    struct htmt_type_desc d = {
        .size = sizeof d, .name = "first", .home = "wram", .exec = "wram", .code_words = 3000};
    struct htmt_type *type = NULL;
    banked_type(&b, d);
    d.name = "second";
    d.code_words = 72;
    banked_type(&b, d);
    d.name = "third";
    d.code_words = 1;
    cr_assert_eq(htmt_type_create(b.e, &d, &type), HTMT_ECAPACITY);
    cr_assert(strstr(htmt_emulator_fault(b.e)->text, "type third: 1 words of code, 3073"), "%s",
              htmt_emulator_fault(b.e)->text);
    htmt_emulator_destroy(&b.e);
}

/* ---- who uses what the engine owns ----------------------------------------------------------- */

static void read_and_signal(struct htmt_context *c)
{
    read_block(c);
    htmt_signal(c, htmt_slot(c, 2));
}

static void use_too_early(struct htmt_context *c)
{
    const struct work *w = htmt_args(c);
    htmt_use(c, htmt_at(w->scratch, htmt_slice(c), 0), 8, HTMT_READ);
    htmt_work(c);
}

static void nothing(struct htmt_kernel *k)
{
    (void)k;
}

Test(issue, a_checked_run_finds_a_buffer_used_while_the_engine_fills_it)
{
    static const struct htmt_stage fibers[] = {
        {.control = end, .count = 1}, {.control = use_too_early, .kernel = nothing, .count = 1}};
    for (unsigned checked = 0; checked < 2; checked++) {
        htmt_time ended;
        struct banked b = banked_open(
            (struct htmt_options){.mode = HTMT_RUN, .slices = 1, .checked = checked}, NULL);
        struct work w = {.bytes = 64, .ended = &ended};
        cr_assert_eq(htmt_frame_create(b.e, b.bank, 64, "array", &w.bank), 0);
        cr_assert_eq(htmt_frame_create(b.e, b.scratch, 64, "buffers", &w.scratch), 0);
        struct htmt_type *type =
            TASKLET(&b, .execute = {.control = read_and_signal}, .fibers = fibers, .fiber_count = 2,
                    .args_bytes = sizeof w);
        banked_start(&b, 0, type, &w);
        int rc = htmt_emulator_run(b.e);
        const char *text = htmt_emulator_fault(b.e)->text;
        cr_assert_eq(rc, checked ? HTMT_EINVAL : 0, "%s", text);
        if (checked)
            cr_assert(strstr(text, "is about to fill"), "%s", text);
        htmt_emulator_destroy(&b.e);
    }
}
