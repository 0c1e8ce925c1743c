/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasklets that issue, copy and meet. A cycle is a nanosecond; a copy of b bytes occupies the
 * engine for 34.6 + b / 2, and its thread for 42.4 more: 66.6 and 109.0 for 64 bytes.
 */
#include "tests/parcels/banked.h"

#define TASKLETS 12u
#define STEPS    6u
#define BYTES    2048u

enum what { END, ISSUE, READ, WRITE, MEET };

struct todo {
    enum what what;
    uint64_t amount; /* instructions, bytes */
};

struct program {
    struct todo todo[TASKLETS][STEPS];
    uint32_t tasklets;
    struct htmt_frame *bank, *scratch;
    struct htmt_ref tasklet[TASKLETS];
    htmt_time ended[TASKLETS];
};

struct args {
    uint32_t tasklet, step;
};

enum { STEP = 1, BUSY, MET };

static struct program *program_of(const struct htmt_context *c)
{
    return (struct program *)htmt_user(c);
}

static void copy(struct htmt_context *c, bool inward, uint64_t bytes)
{
    const struct program *p = program_of(c);
    const struct args *a = htmt_args(c);
    struct htmt_put put = htmt_put_init();
    struct htmt_addr bank = htmt_at(p->bank, 0, a->tasklet * BYTES),
                     scratch = htmt_at(p->scratch, 0, a->tasklet * BYTES);
    put.src = inward ? bank : scratch;
    put.dst = inward ? scratch : bank;
    put.bytes = bytes;
    *(inward ? &put.on_arrived : &put.on_sent) = htmt_slot(c, STEP);
    htmt_put(c, &put);
}

static void step(struct htmt_context *c)
{
    struct program *p = program_of(c);
    struct args *a = htmt_args(c);
    const struct todo *t = &p->todo[a->tasklet][a->step++];
    switch (t->what) {
    case ISSUE:
        a->step--;
        htmt_signal(c, htmt_slot(c, BUSY));
        break;
    case READ:
    case WRITE:
        copy(c, t->what == READ, t->amount);
        break;
    case MEET:
        htmt_signal(c, htmt_slot_of(p->tasklet[0], MET));
        break;
    case END:
        p->ended[a->tasklet] = htmt_began(c);
        htmt_retire(c, htmt_self(c));
        break;
    }
}

static void issue(const void *args, const void *user, struct htmt_ops *ops)
{
    const struct program *p = user;
    const struct args *a = args;
    ops->n[HTMT_CYCLE] = p->todo[a->tasklet][a->step].amount;
}

static void issued(struct htmt_context *c)
{
    struct args *a = htmt_args(c);
    a->step++;
    htmt_signal(c, htmt_slot(c, STEP));
}

static void met(struct htmt_context *c)
{
    const struct program *p = program_of(c);
    for (uint32_t i = 0; i < p->tasklets; i++)
        htmt_signal(c, htmt_slot_of(p->tasklet[i], STEP));
}

/* Tasklet 0's slot MET counts all of them. */
static void begin(struct htmt_context *c)
{
    const struct args *a = htmt_args(c);
    if (!a->tasklet)
        htmt_slot_set(c, MET, program_of(c)->tasklets, program_of(c)->tasklets);
    htmt_signal(c, htmt_slot(c, STEP));
}

static void play(struct program *p)
{
    static const struct htmt_stage fibers[] = {
        [STEP - 1] = {.control = step, .count = 1, .reset = 1},
        [BUSY - 1] = {.control = issued, .cost = issue, .count = 1, .reset = 1},
        [MET - 1] = {.control = met, .count = 1}};
    struct banked b = banked_open((struct htmt_options){.mode = HTMT_MODEL, .slices = 1}, NULL);
    cr_assert_eq(htmt_frame_create(b.e, b.bank, TASKLETS * BYTES, "array", &p->bank), 0);
    cr_assert_eq(htmt_frame_create(b.e, b.scratch, TASKLETS * BYTES, "buffers", &p->scratch), 0);
    struct htmt_type *type =
        TASKLET(&b, .execute = {.control = begin}, .fibers = fibers, .fiber_count = 3,
                .args_bytes = sizeof(struct args), .user = p);
    for (uint32_t i = 0; i < p->tasklets; i++)
        p->tasklet[i] = banked_start(&b, 0, type, &(struct args){.tasklet = i});
    banked_run(&b);
    htmt_emulator_destroy(&b.e);
}

/* In tenths of a nanosecond. */
static void ends(const struct program *p, uint32_t tasklet, htmt_time tenths)
{
    cr_assert_eq(p->ended[tasklet], tenths * NS / 10, "tasklet %u ends at %lld fs", tasklet,
                 (long long)p->ended[tasklet]);
}

/* 109 for the read, 10 * 11 instructions, 109 for the write: 328. */
Test(mixed, one_tasklet_reads_computes_and_writes)
{
    struct program p = {.todo = {{{READ, 64}, {ISSUE, 10}, {WRITE, 64}}}, .tasklets = 1};
    play(&p);
    ends(&p, 0, 3280);
}

/* The engine reads for the first one until 66.6 and for the second one until 133.2: they have their
 * bytes at 109 and 175.6, and have computed at 219 and 285.6. The first one's write takes the
 * engine from 219 to 285.6, when the second one asks: until 352.2. They go on 42.4 later: 328 and
 * 394.6. */
Test(mixed, two_tasklets_share_the_engine_both_ways)
{
    struct program p = {
        .todo = {{{READ, 64}, {ISSUE, 10}, {WRITE, 64}}, {{READ, 64}, {ISSUE, 10}, {WRITE, 64}}},
        .tasklets = 2};
    play(&p);
    ends(&p, 0, 3280);
    ends(&p, 1, 3946);
}

/* Three tasklets issue 100, 50 and 10 instructions, 11 cycles each: they meet at 1100; 10 more
 * instructions of each end at 1210. */
Test(mixed, a_barrier_waits_for_the_longest)
{
    struct program p = {.todo = {{{ISSUE, 100}, {MEET, 0}, {ISSUE, 10}},
                                 {{ISSUE, 50}, {MEET, 0}, {ISSUE, 10}},
                                 {{ISSUE, 10}, {MEET, 0}, {ISSUE, 10}}},
                        .tasklets = 3};
    play(&p);
    for (uint32_t i = 0; i < 3; i++)
        ends(&p, i, 12100);
}

/* A read of 88 bytes is there after 34.6 + 44 + 42.4 = 121. Until then 11 threads issue 11 each;
 * their other 99 are shared by 12 threads: 1188 further, at 1309. The twelfth has issued 99 of 110,
 * and is alone: 11 * 11 further, at 1430. */
Test(mixed, a_twelfth_thread_comes_from_a_copy)
{
    struct program p = {.todo = {{{ISSUE, 110}}}, .tasklets = 12};
    for (uint32_t i = 1; i < 11; i++)
        p.todo[i][0] = p.todo[0][0];
    p.todo[11][0] = (struct todo){READ, 88};
    p.todo[11][1] = (struct todo){ISSUE, 110};
    play(&p);
    for (uint32_t i = 0; i < 11; i++)
        ends(&p, i, 13090);
    ends(&p, 11, 14300);
}

/* The first one's read takes the engine until 66.6. The second one issues 5 instructions until 55,
 * and its 128 bytes take the engine from 66.6 to 66.6 + 98.6 = 165.2: it has them at 207.6, when
 * both meet. Then the first one writes, 109: 316.6; the second one issues 20, 220: 427.6. */
Test(mixed, a_barrier_behind_copies)
{
    struct program p = {.todo = {{{READ, 64}, {MEET, 0}, {WRITE, 64}},
                                 {{ISSUE, 5}, {READ, 128}, {MEET, 0}, {ISSUE, 20}}},
                        .tasklets = 2};
    play(&p);
    ends(&p, 0, 3166);
    ends(&p, 1, 4276);
}
