/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A player of tasklets on one bank: each tasklet repeats steps on the issue port and the DMA engine
 * of a machine. It has no parcels, no events of a clock and no data: the check of the clock.
 *
 * At each instant the player resumes the tasklet that goes on first: one whose instructions are
 * done, or one whose wait is over. Of several at one instant, waits come first, then the lowest
 * number.
 */
#ifndef HTMT_TESTS_PIM_PLAYER_H
#define HTMT_TESTS_PIM_PLAYER_H

#include "layers/bank/controller.h"
#include "runtime/base/wide.h"

#define PLAY_STEPS 8
#define PLAY_LOOPS 6

enum play_kind {
    PLAY_ISSUE,   /* amount: instructions */
    PLAY_READ,    /* bytes from the bank */
    PLAY_WRITE,   /* bytes to the bank */
    PLAY_BARRIER, /* all tasklets meet */
    PLAY_AWAIT,   /* a signal of the tasklet before; the first tasklet does not wait */
    PLAY_SIGNAL   /* to the tasklet behind */
};

struct play_step {
    enum play_kind kind;
    uint64_t amount;
};

struct play_loop {
    uint64_t times;
    unsigned steps;
    struct play_step step[PLAY_STEPS];
};

/* All loops, one behind the other, `rounds` times; 0 counts as 1. */
struct play_tasklet {
    uint64_t rounds;
    unsigned loops;
    struct play_loop loop[PLAY_LOOPS];
};

struct play_result {
    htmt_time end;      /* of the last tasklet */
    uint64_t issued;    /* instructions */
    htmt_time dma_busy; /* the engine */
};

#define NEVER HTMT_TIME_MAX

enum doing { ISSUING, WAITING, AT_BARRIER, AWAITING, DONE };

struct state {
    enum doing doing;
    unsigned loop, step;
    uint64_t turn, round; /* of the loop, of all loops */
    htmt_time until;      /* WAITING */
    unsigned signals;     /* that came and were not awaited yet */
};

struct player {
    const struct htmt__bank_machine *machine;
    const struct play_tasklet *tasklet;
    unsigned tasklets, running, at_barrier;
    struct state state[HTMT__ISSUE_THREADS_MAX];
    struct htmt__issue_port port;
    struct htmt__dma_engine engine;
    htmt_time now;
    struct htmt_fault *fault;
};

static inline int overflow(const struct player *p)
{
    return htmt_fault_set(p->fault, HTMT_EOVERFLOW, "virtual time overflows");
}

static inline void wait_until(struct state *s, htmt_time until)
{
    s->doing = WAITING;
    s->until = until;
}

static inline int copy(struct player *p, struct state *s, const struct play_step *step)
{
    uint64_t bound;
    const char *refusal = htmt__dma_refusal(&p->machine->engine, 0, 0, step->amount, &bound);
    if (refusal)
        return htmt_fault_set(p->fault, HTMT_ERANGE, "a copy of %llu bytes by DMA is %s %llu bytes",
                              (unsigned long long)step->amount, refusal, (unsigned long long)bound);
    htmt_time there = htmt__dma_book(&p->machine->engine, &p->engine, p->now, step->amount,
                                     step->kind == PLAY_WRITE, NULL);
    wait_until(s, there);
    return there < 0 ? overflow(p) : 0;
}

static inline void meet(struct player *p, struct state *s)
{
    s->doing = AT_BARRIER;
    if (++p->at_barrier < p->tasklets)
        return;
    p->at_barrier = 0;
    for (unsigned t = 0; t < p->tasklets; t++)
        wait_until(&p->state[t], p->now);
}

static inline void await(struct state *s, bool first, htmt_time now)
{
    s->doing = AWAITING;
    if (!first && s->signals == 0)
        return;
    s->signals -= !first;
    wait_until(s, now);
}

static inline void signal_next(struct player *p, unsigned t)
{
    struct state *next = &p->state[t + 1];
    wait_until(&p->state[t], p->now);
    if (t + 1 == p->tasklets)
        return;
    next->signals++;
    if (next->doing == AWAITING)
        await(next, false, p->now);
}

static inline int begin(struct player *p, unsigned t, const struct play_step *step)
{
    struct state *s = &p->state[t];
    switch (step->kind) {
    case PLAY_ISSUE:
        s->doing = ISSUING;
        return htmt__issue_enter(&p->machine->issue, &p->port, p->now, t, step->amount)
                   ? overflow(p)
                   : 0;
    case PLAY_READ:
    case PLAY_WRITE:
        return copy(p, s, step);
    case PLAY_BARRIER:
        meet(p, s);
        return 0;
    case PLAY_AWAIT:
        await(s, t == 0, p->now);
        return 0;
    case PLAY_SIGNAL:
        signal_next(p, t);
        return 0;
    }
    return 0;
}

/* The step at which the tasklet stands, NULL behind the last; steps of nothing are passed over. */
static inline const struct play_step *find_step(const struct play_tasklet *k, struct state *s)
{
    while (s->loop < k->loops) {
        const struct play_loop *loop = &k->loop[s->loop];
        if (s->turn == loop->times || loop->steps == 0) {
            s->loop++;
            s->turn = s->step = 0;
        } else if (s->step == loop->steps) {
            s->step = 0;
            s->turn++;
        } else {
            return &loop->step[s->step];
        }
        if (s->loop == k->loops && s->round + 1 < k->rounds) {
            s->loop = 0;
            s->round++;
        }
    }
    return NULL;
}

static inline int go_on(struct player *p, unsigned t)
{
    struct state *s = &p->state[t];
    const struct play_step *step = find_step(&p->tasklet[t], s);
    if (!step) {
        s->doing = DONE;
        p->running--;
        return 0;
    }
    s->step++;
    return begin(p, t, step);
}

/* The tasklet that goes on first, and when. */
static inline htmt_time find_next(const struct player *p, unsigned *next)
{
    uint32_t first;
    htmt_time at = NEVER, issued = htmt__issue_earliest(&p->machine->issue, &p->port, &first);
    for (unsigned t = 0; t < p->tasklets; t++)
        if (p->state[t].doing == WAITING && p->state[t].until < at) {
            at = p->state[t].until;
            *next = t;
        }
    if (issued >= 0 && issued < at) {
        at = issued;
        *next = first;
    }
    return at;
}

static inline int run(struct player *p)
{
    int rc = 0;
    while (p->running > 0 && !rc) {
        unsigned t = 0;
        htmt_time at = find_next(p, &t);
        if (at == NEVER)
            return p->port.inside
                       ? overflow(p)
                       : htmt_fault_set(p->fault, HTMT_EDEADLOCK, "tasklets wait for each other");
        p->now = at;
        if (p->state[t].doing == ISSUING)
            htmt__issue_leave(&p->machine->issue, &p->port, at, t);
        rc = go_on(p, t);
    }
    return rc;
}

/* All tasklets begin at 0. Errors: HTMT_EOVERFLOW, HTMT_EDEADLOCK, HTMT_EUSAGE (more tasklets than
 * threads), HTMT_ERANGE (a transfer that the engine refuses). */
static inline int play_tasklets(const struct htmt__bank_machine *machine,
                                const struct play_tasklet *tasklet, unsigned tasklets,
                                struct play_result *result, struct htmt_fault *fault)
{
    struct player p = {.machine = machine,
                       .tasklet = tasklet,
                       .tasklets = tasklets,
                       .running = tasklets,
                       .fault = fault};
    if (tasklets == 0 || tasklets > machine->issue.threads)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%u tasklets, expected 1 to %u threads", tasklets,
                              machine->issue.threads);
    for (unsigned t = 0; t < tasklets; t++)
        wait_until(&p.state[t], 0);
    int rc = run(&p);
    if (!rc)
        *result = (struct play_result){p.now, p.port.issued, p.engine.busy};
    return rc;
}

/* ---- the copies of the micro program ----------------------------------------------------------
 */

#define STRIDE 64 /* words from block to block of the bank */
#define COPIED 64 /* bytes of a block that are copied */

/* Instructions: load, store, two addresses and a branch a word and a block; count, branch and two
 * addresses a repetition. */
enum { A_WORD = 5, A_BLOCK = 5, A_REPETITION = 4 };

static inline void put(struct play_loop *loop, enum play_kind kind, uint64_t amount)
{
    loop->step[loop->steps++] = (struct play_step){kind, amount};
}

static inline uint64_t dealt(uint64_t n, uint32_t among, uint32_t t)
{
    return (n + among - 1 - t) / among;
}

/* Repetitions follow each other without a barrier. */
static inline void put_scratch_copy(struct play_tasklet *k, uint64_t words, uint64_t repetitions)
{
    k->loops = 1;
    k->loop[0].times = repetitions;
    put(&k->loop[0], PLAY_ISSUE, A_WORD * words + A_REPETITION);
}

static inline void put_bank_copy(struct play_tasklet *k, uint64_t blocks)
{
    k->loops = 2;
    k->loop[0].times = blocks;
    put(&k->loop[0], PLAY_READ, COPIED);
    put(&k->loop[0], PLAY_ISSUE, A_BLOCK);
    put(&k->loop[0], PLAY_WRITE, COPIED);
    k->loop[1].times = 1;
    put(&k->loop[1], PLAY_ISSUE, A_REPETITION);
}

/* Time of a copy inside a DPU, without the launch. */
static inline int play_copy(const struct htmt__bank_machine *machine, bool bank, uint32_t tasklets,
                            uint64_t words, uint64_t repetitions, htmt_time *time,
                            struct htmt_fault *fault)
{
    struct play_tasklet k[HTMT__ISSUE_THREADS_MAX] = {0};
    struct play_result played = {0};
    uint32_t count = tasklets <= HTMT__ISSUE_THREADS_MAX ? tasklets : 0;
    for (uint32_t t = 0; t < count && bank; t++)
        put_bank_copy(&k[t], dealt(htmt_ceil_div(words, STRIDE), tasklets, t));
    for (uint32_t t = 0; t < count && !bank; t++)
        put_scratch_copy(&k[t], dealt(words, tasklets, t), repetitions);
    for (uint32_t t = 0; t < count; t++)
        k[t].rounds = bank ? repetitions : 1;
    int rc = play_tasklets(machine, k, tasklets, &played, fault);
    if (!rc)
        *time = played.end;
    return rc;
}

#endif
