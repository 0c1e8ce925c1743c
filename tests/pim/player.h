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
    unsigned tasklets, at_barrier;
    struct state state[HTMT__ISSUE_THREADS_MAX + 1];
    struct htmt__issue_port port;
    struct htmt__dma_engine engine;
    htmt_time now;
    struct htmt_fault *fault;
};

static inline void wait_until(struct state *s, htmt_time until)
{
    s->doing = WAITING;
    s->until = until;
}

static inline void await(struct state *s, bool first, htmt_time now)
{
    s->doing = AWAITING;
    if (!first && s->signals == 0)
        return;
    s->signals -= !first;
    wait_until(s, now);
}

static inline int begin(struct player *p, unsigned t, const struct play_step *step)
{
    const struct htmt__bank_machine *m = p->machine;
    struct state *s = &p->state[t], *next = &p->state[t + 1];
    uint64_t bound;
    const char *refusal;
    htmt_time there = 0;
    switch (step->kind) {
    case PLAY_ISSUE:
        s->doing = ISSUING;
        there = htmt__issue_enter(&m->issue, &p->port, p->now, t, step->amount) ? -1 : 0;
        break;
    case PLAY_READ:
    case PLAY_WRITE:
        refusal = htmt__dma_refusal(&m->engine, 0, 0, step->amount, &bound);
        if (refusal)
            return htmt_fault_set(
                p->fault, HTMT_ERANGE, "a copy of %llu bytes by DMA is %s %llu bytes",
                (unsigned long long)step->amount, refusal, (unsigned long long)bound);
        there = htmt__dma_book(&m->engine, &p->engine, p->now, step->amount,
                               step->kind == PLAY_WRITE, NULL);
        wait_until(s, there);
        break;
    case PLAY_BARRIER:
        s->doing = AT_BARRIER;
        if (++p->at_barrier < p->tasklets)
            break;
        p->at_barrier = 0;
        for (unsigned i = 0; i < p->tasklets; i++)
            wait_until(&p->state[i], p->now);
        break;
    case PLAY_AWAIT:
        await(s, t == 0, p->now);
        break;
    case PLAY_SIGNAL:
        wait_until(s, p->now);
        if (t + 1 == p->tasklets)
            break;
        next->signals++;
        if (next->doing == AWAITING)
            await(next, false, p->now);
        break;
    }
    return there < 0 ? htmt_fault_set(p->fault, HTMT_EOVERFLOW, "virtual time overflows") : 0;
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

/* All tasklets begin at 0. Errors: HTMT_EOVERFLOW, HTMT_EDEADLOCK, HTMT_EUSAGE (more tasklets than
 * threads), HTMT_ERANGE (a transfer that the engine refuses). */
static inline int play_tasklets(const struct htmt__bank_machine *machine,
                                const struct play_tasklet *tasklet, unsigned tasklets,
                                struct play_result *result, struct htmt_fault *fault)
{
    struct player p = {.machine = machine, .tasklets = tasklets, .fault = fault};
    unsigned running = tasklets;
    int rc = 0;
    if (tasklets == 0 || tasklets > machine->issue.threads)
        return htmt_fault_set(fault, HTMT_EUSAGE, "%u tasklets, expected 1 to %u threads", tasklets,
                              machine->issue.threads);
    for (unsigned t = 0; t < tasklets; t++)
        wait_until(&p.state[t], 0);
    while (running > 0 && !rc) {
        uint32_t next = 0, first;
        htmt_time issued = htmt__issue_earliest(&machine->issue, &p.port, &first);
        p.now = NEVER;
        for (unsigned t = 0; t < tasklets; t++)
            if (p.state[t].doing == WAITING && p.state[t].until < p.now) {
                p.now = p.state[t].until;
                next = t;
            }
        if (issued >= 0 && issued < p.now) {
            p.now = issued;
            next = first;
        }
        if (p.now == NEVER)
            return p.port.inside
                       ? htmt_fault_set(fault, HTMT_EOVERFLOW, "virtual time overflows")
                       : htmt_fault_set(fault, HTMT_EDEADLOCK, "tasklets wait for each other");
        if (p.state[next].doing == ISSUING)
            htmt__issue_leave(&machine->issue, &p.port, p.now, next);
        const struct play_step *step = find_step(&tasklet[next], &p.state[next]);
        p.state[next].step += step != NULL;
        p.state[next].doing = step ? p.state[next].doing : DONE;
        running -= !step;
        rc = step ? begin(&p, next, step) : 0;
    }
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

static inline uint64_t dealt(uint64_t n, uint32_t among, uint32_t t)
{
    return (n + among - 1 - t) / among;
}

/* Time of a copy inside a DPU, without the launch. In the bank blocks are read, issued and written;
 * in scratch memory all words of a repetition are one loop. Repetitions follow each other without a
 * barrier. */
static inline int play_copy(const struct htmt__bank_machine *machine, bool bank, uint32_t tasklets,
                            uint64_t words, uint64_t repetitions, htmt_time *time,
                            struct htmt_fault *fault)
{
    struct play_tasklet k[HTMT__ISSUE_THREADS_MAX] = {0};
    struct play_result played = {0};
    for (uint32_t t = 0; t < tasklets && tasklets <= HTMT__ISSUE_THREADS_MAX; t++) {
        const uint64_t mine = dealt(bank ? htmt_ceil_div(words, STRIDE) : words, tasklets, t);
        k[t] = bank ? (struct play_tasklet){repetitions,
                                            2,
                                            {{mine,
                                              3,
                                              {{PLAY_READ, COPIED},
                                               {PLAY_ISSUE, A_BLOCK},
                                               {PLAY_WRITE, COPIED}}},
                                             {1, 1, {{PLAY_ISSUE, A_REPETITION}}}}}
                    : (struct play_tasklet){
                          1, 1, {{repetitions, 1, {{PLAY_ISSUE, A_WORD * mine + A_REPETITION}}}}};
    }
    int rc = play_tasklets(machine, k, tasklets, &played, fault);
    if (!rc)
        *time = played.end;
    return rc;
}

#endif
