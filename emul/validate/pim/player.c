/* SPDX-License-Identifier: BSD-3-Clause
 *
 * At each instant the player resumes the tasklet that goes on first: one whose instructions are
 * done, or one whose wait is over. Of several at one instant, waits come first, then the lowest
 * number.
 */
#include "emul/validate/pim/player.h"

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
    const struct htmt__bank_host *machine;
    const struct htmt__tasklet *tasklet;
    unsigned tasklets, running, at_barrier;
    struct state state[HTMT__ISSUE_THREADS_MAX];
    struct htmt__issue_port port;
    struct htmt__dma_engine engine;
    htmt_time now;
    struct htmt_fault *fault;
};

static int overflow(const struct player *p)
{
    return htmt_fault_set(p->fault, HTMT_EOVERFLOW, "virtual time overflows");
}

static void wait_until(struct state *s, htmt_time until)
{
    s->doing = WAITING;
    s->until = until;
}

static int copy(struct player *p, struct state *s, const struct htmt__play_step *step)
{
    uint64_t bound;
    const char *refusal = htmt__dma_refusal(&p->machine->engine, 0, 0, step->amount, &bound);
    if (refusal)
        return htmt_fault_set(p->fault, HTMT_ERANGE, "a copy of %llu bytes by DMA is %s %llu bytes",
                              (unsigned long long)step->amount, refusal, (unsigned long long)bound);
    htmt_time there = htmt__dma_book(&p->machine->engine, &p->engine, p->now, step->amount,
                                     step->kind == HTMT__PLAY_WRITE, NULL);
    wait_until(s, there);
    return there < 0 ? overflow(p) : 0;
}

static void meet(struct player *p, struct state *s)
{
    s->doing = AT_BARRIER;
    if (++p->at_barrier < p->tasklets)
        return;
    p->at_barrier = 0;
    for (unsigned t = 0; t < p->tasklets; t++)
        wait_until(&p->state[t], p->now);
}

static void await(struct state *s, bool first, htmt_time now)
{
    s->doing = AWAITING;
    if (!first && s->signals == 0)
        return;
    s->signals -= !first;
    wait_until(s, now);
}

static void signal_next(struct player *p, unsigned t)
{
    struct state *next = &p->state[t + 1];
    wait_until(&p->state[t], p->now);
    if (t + 1 == p->tasklets)
        return;
    next->signals++;
    if (next->doing == AWAITING)
        await(next, false, p->now);
}

static int begin(struct player *p, unsigned t, const struct htmt__play_step *step)
{
    struct state *s = &p->state[t];
    switch (step->kind) {
    case HTMT__PLAY_ISSUE:
        s->doing = ISSUING;
        return htmt__issue_enter(&p->machine->issue, &p->port, p->now, t, step->amount)
                   ? overflow(p)
                   : 0;
    case HTMT__PLAY_READ:
    case HTMT__PLAY_WRITE:
        return copy(p, s, step);
    case HTMT__PLAY_BARRIER:
        meet(p, s);
        return 0;
    case HTMT__PLAY_AWAIT:
        await(s, t == 0, p->now);
        return 0;
    case HTMT__PLAY_SIGNAL:
        signal_next(p, t);
        return 0;
    }
    return 0;
}

/* The step at which the tasklet stands, NULL behind the last; steps of nothing are passed over. */
static const struct htmt__play_step *find_step(const struct htmt__tasklet *k, struct state *s)
{
    while (s->loop < k->loops) {
        const struct htmt__play_loop *loop = &k->loop[s->loop];
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

static int go_on(struct player *p, unsigned t)
{
    struct state *s = &p->state[t];
    const struct htmt__play_step *step = find_step(&p->tasklet[t], s);
    if (!step) {
        s->doing = DONE;
        p->running--;
        return 0;
    }
    s->step++;
    return begin(p, t, step);
}

/* The tasklet that goes on first, and when. */
static htmt_time find_next(const struct player *p, unsigned *next)
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

static int run(struct player *p)
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

int htmt__pim_play(const struct htmt__bank_host *machine, const struct htmt__tasklet *tasklet,
                   unsigned tasklets, struct htmt__play_result *result, struct htmt_fault *fault)
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
        *result = (struct htmt__play_result){p.now, p.port.issued, p.engine.busy};
    return rc;
}
