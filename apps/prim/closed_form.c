/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of va, red and hst-s without the clock: transfers by the figures of the bus, the kernel
 * by a recurrence of one slice's tasklets.
 *
 * The recurrence plays the blocks of the slice with the most elements. Each tasklet reads, computes
 * and writes in turn. Its copies stand in one queue, since a slice has one engine; and n tasklets
 * that compute at a time each advance by 1 / max(slots, n) of an instruction a cycle: below `slots`
 * tasklets the pipeline does not fill, above it they share it. So between two ends of a copy or of
 * a block's instructions everybody advances at one pace, and the next end is the nearest one.
 *
 * Example: slots 11, a block of 100 instructions, 2 tasklets that compute at once: both need 1100
 * cycles, as one alone would; 22 tasklets would need 2200.
 *
 * A step of the recurrence costs a pass over the tasklets. A slice of many blocks soon repeats
 * itself, once in as many blocks as there are tasklets. So of more than 2 ROUNDS rounds only ROUNDS
 * and 2 ROUNDS are played, and their difference stands for each further ROUNDS. The recurrence
 * knows neither events nor objects: its times are near those of the clock, not equal.
 */
#include "apps/prim/plan.h"
#include "layers/machine/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS  128u /* that are played */
#define THREADS 32u  /* of a processor, at most */

/* ---- a slice --------------------------------------------------------------------------------- */

struct tasklet {
    enum { COPIES, COMPUTES, DONE } state;
    unsigned copy;  /* of its block, from 1: reads, then writes */
    uint64_t block; /* of the slice */
    double at;      /* when its copy is over */
    double left;    /* instructions */
};

struct slice {
    const struct htmt__prim_plan *plan;
    const struct htmt_machine *machine;
    uint64_t blocks, last; /* elements of the last block */
    double now, engine_free;
    struct tasklet tasklet[THREADS];
};

static double of(struct htmt_ratio r)
{
    return r.den ? (double)r.num / (double)r.den : 0;
}

static uint64_t count_of(const struct slice *s, uint64_t block)
{
    return block + 1 < s->blocks ? s->plan->in_block : s->last;
}

/* The tasklet asks for the next copy of its block, or is done. The engine is busy while the words
 * go; the latency after them is the tasklet's alone. */
static void ask(struct slice *s, struct tasklet *t, bool write)
{
    if (t->block >= s->blocks) {
        t->state = DONE;
        return;
    }
    const uint64_t bytes = count_of(s, t->block) * s->plan->program->bytes,
                   words = (bytes + HTMT_WORD - 1) / HTMT_WORD;
    s->engine_free = s->engine_free > s->now ? s->engine_free : s->now;
    s->engine_free += (double)htmt_machine_copy_time(s->machine, words * HTMT_WORD);
    t->state = COPIES;
    t->at = s->engine_free + of(htmt_machine_copy_latency(s->machine, write));
    t->copy++;
}

/* The tasklet's copy or computation has ended. */
static void continue_block(struct slice *s, struct tasklet *t)
{
    const struct htmt__prim_pass *pass = &s->plan->program->pass[0];
    if (t->state == COPIES && t->copy < pass->reads) {
        ask(s, t, false);
    } else if (t->state == COPIES && t->copy == pass->reads) {
        t->state = COMPUTES;
        t->left = (double)htmt__prim_instructions(s->plan, 0, count_of(s, t->block));
    } else if (t->state == COMPUTES && pass->writes) {
        ask(s, t, true);
    } else {
        t->block += s->plan->tasklets;
        t->copy = 0;
        ask(s, t, false);
    }
}

/* Until the last tasklet is done with its blocks. */
static double play(const struct htmt_machine *m, const struct htmt__prim_plan *p, uint64_t blocks,
                   uint64_t last)
{
    const double cycle = of(htmt_machine_issue_cycle(m));
    const uint32_t slots = htmt_machine_slots(m);
    struct slice s = {.plan = p, .machine = m, .blocks = blocks, .last = last};
    for (uint32_t i = 0; i < p->tasklets; i++) {
        s.tasklet[i].block = i;
        ask(&s, &s.tasklet[i], false);
    }
    for (;;) {
        uint32_t ready = 0;
        for (uint32_t i = 0; i < p->tasklets; i++)
            ready += s.tasklet[i].state == COMPUTES;
        const double each = cycle * (ready > slots ? ready : slots); /* fs of an instruction */
        struct tasklet *next = NULL;
        double at = 0;
        for (uint32_t i = 0; i < p->tasklets; i++) {
            struct tasklet *t = &s.tasklet[i];
            const double end = t->state == COMPUTES ? s.now + t->left * each : t->at;
            if (t->state != DONE && (!next || end < at)) {
                next = t;
                at = end;
            }
        }
        if (!next)
            return s.now;
        for (uint32_t i = 0; i < p->tasklets; i++)
            if (s.tasklet[i].state == COMPUTES)
                s.tasklet[i].left -= (at - s.now) / each;
        s.now = at;
        continue_block(&s, next);
    }
}

/* Kernel of a slice, from the first instruction until tasklet 0 has merged and written the slice's
 * result, in fs. */
static double slice_time(const struct htmt_machine *m, const struct htmt__prim_plan *p,
                         uint64_t elements)
{
    const uint64_t blocks = (elements + p->in_block - 1) / p->in_block,
                   last = blocks ? elements - (blocks - 1) * p->in_block : 0,
                   most = (uint64_t)ROUNDS * p->tasklets;
    double finish = (double)htmt__prim_finish_instructions(p, 0) * htmt_machine_slots(m) *
                    of(htmt_machine_issue_cycle(m));
    if (p->program->result_bytes)
        finish += (double)htmt_machine_copy_time(m, p->program->result_bytes) +
                  of(htmt_machine_copy_latency(m, true));
    if (blocks <= 2 * most)
        return play(m, p, blocks, last) + finish;
    const uint64_t some = most + blocks % p->tasklets, rest = (blocks - some) / p->tasklets;
    const double first = play(m, p, some, last), more = play(m, p, some + most, last) - first;
    return first + more * (double)rest / ROUNDS + finish;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static double moved(const struct htmt_machine *m, const struct htmt__prim_plan *p, bool push,
                    bool serial, uint64_t bytes, const char **why)
{
    htmt_time time = htmt_machine_transfer_time(m, push, serial, p->slices, bytes);
    if (time < 0)
        *why = time == -2   ? "the machine's bus has no such transfer"
               : time == -3 ? "the figures of the machine's bus do not cover a transfer"
                            : "the time of a transfer overflows";
    return (double)time;
}

static void term(struct htmt_prediction *out, unsigned depth, const char *name, double fs,
                 const char *expression, const char *meaning)
{
    struct htmt_term t = {.depth = depth, .value = 1e-15 * fs, .unit = "s"};
    snprintf(t.name, sizeof t.name, "%s", name);
    snprintf(t.expression, sizeof t.expression, "%s", expression);
    snprintf(t.meaning, sizeof t.meaning, "%s", meaning);
    htmt_prediction_term(out, &t);
}

int htmt__prim_tell(struct htmt_task *task, const struct htmt__prim_plan *p,
                    struct htmt_prediction *out)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    const struct htmt__prim_program *g = p->program;
    if (strcmp(g->name, "va") != 0 && strcmp(g->name, "red") != 0 && strcmp(g->name, "hst-s") != 0)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "%s has no closed form: found are those of va, red and hst-s",
                                g->name);
    if (!p->hosted)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found no host, which the closed form of %s expects",
                                m->name, g->name);

    const char *why = NULL;
    const double start = (double)p->start, slice = slice_time(m, p, htmt__prim_elements(p, 0)),
                 launch = (double)htmt_machine_launch_time(m, p->slices);
    if (launch < 0)
        why = "the figures of the machine's bus do not cover the launch";
    const double to = g->pass[0].reads * moved(m, p, true, false, p->in_bytes, &why);
    double results = 0, from = 0;
    if (g->result_bytes)
        results =
            moved(m, p, false, p->serial && g->result_bytes == HTMT_WORD, g->result_bytes, &why);
    if (g->pass[0].writes)
        from = moved(m, p, false, false, p->out_bytes, &why);
    if (why)
        return htmt_task_refuse(task, HTMT_ERANGE, "%s: %s", g->name, why);

    const double kernel = start + launch + slice, all = to + kernel + results + from;
    term(out, 0, "T", all, "to + kernel + results + from", "all");
    term(out, 1, "to", to, "computed: by the figures of the bus", "input to the slices");
    term(out, 1, "kernel", kernel, "start + launch + slice", "of all slices");
    term(out, 2, "start", start, "computed: of the cost file, if there is one",
         "of the program's kernel");
    term(out, 2, "launch", launch, "computed: by the slices that take part", "the first one");
    term(out, 2, "slice", slice, "computed: a recurrence of the slice's tasklets",
         "the slice with the most elements");
    term(out, 1, "results", results, "computed: by the figures of the bus",
         "a result of each slice to the host");
    term(out, 1, "from", from, "computed: by the figures of the bus", "output to the host");
    htmt_prediction_total(out, 1e-15 * all);
    htmt_prediction_problem(out, "%s: %" PRIu64 " elements on %u slices of %u tasklets", g->name,
                            p->size, p->slices, p->tasklets);
    return 0;
}
