/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recurrence plays the blocks of one slice: each tasklet reads, computes and writes in turn,
 * the engine serves one copy after the other, and n tasklets that compute each advance by
 * 1 / max(slots, n) of an instruction a cycle. Of many blocks it plays some rounds; the others take
 * the period of the last ones. It knows neither events nor objects, and its numbers are not exact.
 */
#include "apps/prim/closed_form.h"
#include "apps/prim/costs.h"
#include "apps/prim/report.h"
#include "layers/machine/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS  128u /* that are played */
#define THREADS 32u  /* of a processor, at most */

/* ---- a slice --------------------------------------------------------------------------------- */

enum state { COPIES, COMPUTES, DONE };

struct tasklet {
    enum state state;
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
    double cycle; /* fs */
    uint32_t slots;
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

static double copy(struct slice *s, uint64_t bytes, bool write)
{
    const uint64_t words = (bytes + HTMT_WORD - 1) / HTMT_WORD;
    s->engine_free = s->engine_free > s->now ? s->engine_free : s->now;
    s->engine_free += (double)htmt_machine_copy_time(s->machine, words * HTMT_WORD);
    return s->engine_free + of(htmt_machine_copy_latency(s->machine, write));
}

/* The tasklet asks for the next copy of its block, or is done. */
static void ask(struct slice *s, struct tasklet *t, bool write)
{
    if (t->block >= s->blocks) {
        t->state = DONE;
        return;
    }
    t->state = COPIES;
    t->at = copy(s, count_of(s, t->block) * s->plan->program->bytes, write);
    t->copy++;
}

static void next_block(struct slice *s, struct tasklet *t)
{
    t->block += s->plan->tasklets;
    t->copy = 0;
    ask(s, t, false);
}

static void copied(struct slice *s, struct tasklet *t)
{
    const unsigned reads = s->plan->program->pass[0].reads;
    if (t->copy < reads) {
        ask(s, t, false);
    } else if (t->copy == reads) {
        t->state = COMPUTES;
        t->left = (double)htmt__prim_instructions(s->plan, 0, count_of(s, t->block));
    } else {
        next_block(s, t);
    }
}

static void computed(struct slice *s, struct tasklet *t)
{
    if (s->plan->program->pass[0].writes)
        ask(s, t, true);
    else
        next_block(s, t);
}

/* fs of an instruction of each tasklet that computes. */
static double pace(const struct slice *s)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < s->plan->tasklets; i++)
        ready += s->tasklet[i].state == COMPUTES;
    return s->cycle * (ready > s->slots ? ready : s->slots);
}

/* Whose step ends next, and when; NULL: all are done. */
static struct tasklet *next_of(struct slice *s, double each, double *at)
{
    struct tasklet *next = NULL;
    for (uint32_t i = 0; i < s->plan->tasklets; i++) {
        struct tasklet *t = &s->tasklet[i];
        const double end = t->state == COMPUTES ? s->now + t->left * each : t->at;
        if (t->state != DONE && (!next || end < *at)) {
            next = t;
            *at = end;
        }
    }
    return next;
}

static void advance(struct slice *s, double each, double at)
{
    for (uint32_t i = 0; i < s->plan->tasklets; i++)
        if (s->tasklet[i].state == COMPUTES)
            s->tasklet[i].left -= (at - s->now) / each;
    s->now = at;
}

/* Until the last tasklet is done with its blocks. */
static double play(const struct htmt_machine *m, const struct htmt__prim_plan *p, uint64_t blocks,
                   uint64_t last)
{
    struct slice s = {.plan = p,
                      .machine = m,
                      .blocks = blocks,
                      .last = last,
                      .cycle = of(htmt_machine_issue_cycle(m)),
                      .slots = htmt_machine_slots(m)};
    struct tasklet *t;
    double at = 0, each;
    for (uint32_t i = 0; i < p->tasklets; i++) {
        s.tasklet[i].block = i;
        ask(&s, &s.tasklet[i], false);
    }
    while ((t = next_of(&s, each = pace(&s), &at)) != NULL) {
        advance(&s, each, at);
        if (t->state == COPIES)
            copied(&s, t);
        else
            computed(&s, t);
    }
    return s.now;
}

/* Tasklet 0 merges and writes the slice's result. */
static double finish(const struct htmt_machine *m, const struct htmt__prim_plan *p)
{
    double time = (double)htmt__prim_finish_instructions(p, 0) * htmt_machine_slots(m) *
                  of(htmt_machine_issue_cycle(m));
    if (p->program->result_bytes)
        time += (double)htmt_machine_copy_time(m, p->program->result_bytes) +
                of(htmt_machine_copy_latency(m, true));
    return time;
}

double htmt__prim_slice_time(const struct htmt_machine *m, const struct htmt__prim_plan *p,
                             uint64_t elements)
{
    const uint64_t blocks = (elements + p->in_block - 1) / p->in_block,
                   last = blocks ? elements - (blocks - 1) * p->in_block : 0,
                   most = (uint64_t)ROUNDS * p->tasklets;
    if (blocks <= 2 * most)
        return play(m, p, blocks, last) + finish(m, p);
    const uint64_t some = most + blocks % p->tasklets, rest = (blocks - some) / p->tasklets;
    const double first = play(m, p, some, last), more = play(m, p, some + most, last) - first;
    return first + more * (double)rest / ROUNDS + finish(m, p);
}

/* ---- transfers ------------------------------------------------------------------------------- */

struct times {
    double to, start, launch, slice, results, from;
    const char *why;
};

static double moved(const struct htmt_machine *m, const struct htmt__prim_plan *p, bool push,
                    bool serial, uint64_t bytes, struct times *t)
{
    htmt_time time = htmt_machine_transfer_time(m, push, serial, p->slices, bytes);
    if (time < 0)
        t->why = time == -2   ? "the machine's bus has no such transfer"
                 : time == -3 ? "the figures of the machine's bus do not cover a transfer"
                              : "the time of a transfer overflows";
    return (double)time;
}

static struct times times_of(const struct htmt_machine *m, const struct htmt__prim_plan *p)
{
    const struct htmt__prim_program *g = p->program;
    struct times t = {.start = (double)p->start,
                      .slice = htmt__prim_slice_time(m, p, htmt__prim_elements(p, 0))};
    htmt_time launch = htmt_machine_launch_time(m, p->slices);
    if (launch < 0)
        t.why = "the figures of the machine's bus do not cover the launch";
    t.launch = (double)launch;
    t.to = g->pass[0].reads * moved(m, p, true, false, p->in_bytes, &t);
    if (g->result_bytes)
        t.results =
            moved(m, p, false, p->serial && g->result_bytes == HTMT_WORD, g->result_bytes, &t);
    if (g->pass[0].writes)
        t.from = moved(m, p, false, false, p->out_bytes, &t);
    return t;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void term(struct htmt_prediction *out, unsigned depth, const char *name, double fs,
                 const char *expression, const char *meaning)
{
    struct htmt_term t = {.depth = depth, .value = 1e-15 * fs, .unit = "s"};
    snprintf(t.name, sizeof t.name, "%s", name);
    snprintf(t.expression, sizeof t.expression, "%s", expression);
    snprintf(t.meaning, sizeof t.meaning, "%s", meaning);
    htmt_prediction_term(out, &t);
}

static void tell_times(const struct times *t, struct htmt_prediction *out)
{
    const double kernel = t->start + t->launch + t->slice,
                 all = t->to + kernel + t->results + t->from;
    term(out, 0, "T", all, "to + kernel + results + from", "all");
    term(out, 1, "to", t->to, "computed: by the figures of the bus", "input to the slices");
    term(out, 1, "kernel", kernel, "start + launch + slice", "of all slices");
    term(out, 2, "start", t->start, "computed: of the cost file, if there is one",
         "of the program's kernel");
    term(out, 2, "launch", t->launch, "computed: by the ranks that take part", "of the slices");
    term(out, 2, "slice", t->slice, "computed: a recurrence of the slice's tasklets",
         "the slice with the most elements");
    term(out, 1, "results", t->results, "computed: by the figures of the bus",
         "a result of each slice to the host");
    term(out, 1, "from", t->from, "computed: by the figures of the bus", "output to the host");
    htmt_prediction_total(out, 1e-15 * all);
}

static bool has_form(const char *program)
{
    return strcmp(program, "va") == 0 || strcmp(program, "red") == 0 ||
           strcmp(program, "hst-s") == 0;
}

int htmt__prim_tell(struct htmt_task *task, const struct htmt__prim_plan *p,
                    struct htmt_prediction *out)
{
    const struct htmt_machine *m = htmt_task_machine(task);
    if (!has_form(p->program->name))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "%s has no closed form: found are those of va, red and hst-s",
                                p->program->name);
    if (!p->hosted)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "machine %s: found no host, which the closed form of %s expects",
                                m->name, p->program->name);
    struct times t = times_of(m, p);
    if (t.why)
        return htmt_task_refuse(task, HTMT_ERANGE, "%s: %s", p->program->name, t.why);
    tell_times(&t, out);
    htmt_prediction_problem(out, "%s: %" PRIu64 " elements on %u slices of %u tasklets",
                            p->program->name, p->size, p->slices, p->tasklets);
    return 0;
}
