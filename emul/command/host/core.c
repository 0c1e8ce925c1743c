/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much a processor keeps under way: what a machine with `order: window` asks for.
 *
 * A turn of each loop is a chain of square roots, which takes L cycles, and k instructions behind
 * it; the next turn's chain waits for nothing. They retire in order, so the k stay until the chain
 * is done. Where all of a turn fits beside the chain of the turn before, two chains are under way,
 * and a turn takes L / 2 or less. Where it does not, the next chain starts when this one ends, and
 * a turn takes L. So the time jumps at the k that fills whatever holds these instructions: the
 * queue of what retires in order (instructions that do nothing), that of what waits (operations
 * that need the chain's end), of loads, of stores. By hand: chain of 252 cycles, a queue of 448.
 * With k = 416 a turn takes 126 cycles, with k = 480 it takes 252. The chain is so long because the
 * k instructions must be dispatched in less than L: 512 of them at six a cycle take 85 cycles, as
 * much as two short chains beside each other, and no jump would show.
 *
 * Between two values of k the middle one counts. A loop that never comes to three quarters of L
 * leaves the figure at 0: whatever bounds it, it is not this.
 */
#include "emul/command/host/issue.h"
#include "emul/command/host/sample.h"

#include <math.h>
#include <stdio.h>

#define LEAST      20e3                   /* ns of a sample */
#define BESIDE     (HTMT__HOST_ROOTS + 3) /* of a turn: the chain, its start, the end of the loop */
#define STEPS_MOST 48

struct words {
    double *at;
};

/* ---- the loops ------------------------------------------------------------------------------- */

#define LOOP(name, code)                                                                           \
    static void name(void *user, uint64_t n)                                                       \
    {                                                                                              \
        double two = 2, *at = ((struct words *)user)->at;                                          \
        KEEP("r", at);                                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            KEEP(REAL, two);                                                                       \
            double v = htmt__host_roots(two);                                                      \
            (void)v;                                                                               \
            code                                                                                   \
        }                                                                                          \
    }

/* Of a usual length: those of a byte come in more to a line of code than decoders keep. */
#if defined __x86_64__
#define NOTHING(k) __asm__ volatile(".rept " #k "\n\t.byte 0x0f, 0x1f, 0x40, 0x00\n\t.endr");
#else
#define NOTHING(k) __asm__ volatile(".rept " #k "\n\tnop\n\t.endr");
#endif
#define WAITING                                                                                    \
    {                                                                                              \
        KEEP(REAL, v);                                                                             \
        double w = v + two;                                                                        \
        KEEP(REAL, w);                                                                             \
        w = v * two;                                                                               \
        KEEP(REAL, w);                                                                             \
    }
#define LOADED                                                                                     \
    {                                                                                              \
        double w = *(volatile double *)at;                                                         \
        (void)w;                                                                                   \
    }
#define STORED     *(volatile double *)at = two;
#define TWICE(x)   x x
#define EIGHT(x)   TWICE(TWICE(TWICE(x)))
#define SIXTEEN(x) TWICE(EIGHT(x))

/* X(k, that many of x) for each k. */
#define STEPS(X, x)                                                                                \
    X(16, SIXTEEN(x))                                                                              \
    X(24, SIXTEEN(x) EIGHT(x))                                                                     \
    X(32, TWICE(SIXTEEN(x)))                                                                       \
    X(40, TWICE(SIXTEEN(x)) EIGHT(x))                                                              \
    X(48, TWICE(SIXTEEN(x)) SIXTEEN(x))                                                            \
    X(56, TWICE(SIXTEEN(x) EIGHT(x)) EIGHT(x))                                                     \
    X(64, TWICE(TWICE(SIXTEEN(x))))                                                                \
    X(72, TWICE(TWICE(SIXTEEN(x))) EIGHT(x))                                                       \
    X(80, TWICE(TWICE(SIXTEEN(x))) SIXTEEN(x))                                                     \
    X(88, TWICE(TWICE(SIXTEEN(x))) SIXTEEN(x) EIGHT(x))                                            \
    X(96, TWICE(TWICE(SIXTEEN(x) EIGHT(x))))                                                       \
    X(104, TWICE(TWICE(SIXTEEN(x) EIGHT(x))) EIGHT(x))                                             \
    X(112, TWICE(TWICE(SIXTEEN(x) EIGHT(x))) SIXTEEN(x))                                           \
    X(120, TWICE(TWICE(SIXTEEN(x) EIGHT(x))) SIXTEEN(x) EIGHT(x))                                  \
    X(128, EIGHT(SIXTEEN(x)))                                                                      \
    X(144, EIGHT(SIXTEEN(x)) SIXTEEN(x))                                                           \
    X(160, EIGHT(SIXTEEN(x)) TWICE(SIXTEEN(x)))                                                    \
    X(176, EIGHT(SIXTEEN(x)) TWICE(SIXTEEN(x)) SIXTEEN(x))                                         \
    X(192, EIGHT(SIXTEEN(x) EIGHT(x)))                                                             \
    X(208, EIGHT(SIXTEEN(x) EIGHT(x)) SIXTEEN(x))                                                  \
    X(224, EIGHT(SIXTEEN(x) EIGHT(x)) TWICE(SIXTEEN(x)))                                           \
    X(256, SIXTEEN(SIXTEEN(x)))
/* clang-format off */
#define FAR_STEPS(X) \
    X(32) X(48) X(64) X(80) X(96) X(112) X(128) X(144) \
    X(160) X(176) X(192) X(208) X(224) X(240) X(256) X(272) \
    X(288) X(304) X(320) X(336) X(352) X(368) X(384) X(400) \
    X(416) X(432) X(448) X(464) X(480) X(496) X(512) X(544) \
    X(576) X(608) X(640) X(704) X(768) X(832) X(896) X(960) \
    X(1024)
/* clang-format on */

#define NOTHING_LOOP(k)      LOOP(nothing_##k, NOTHING(k))
#define WAITING_LOOP(k, all) LOOP(waiting_##k, all)
#define LOADED_LOOP(k, all)  LOOP(loaded_##k, all(void) v;)
#define STORED_LOOP(k, all)  LOOP(stored_##k, all(void) v;)
FAR_STEPS(NOTHING_LOOP)
STEPS(WAITING_LOOP, WAITING)
STEPS(LOADED_LOOP, LOADED)
STEPS(STORED_LOOP, STORED)

struct step {
    unsigned k;
    htmt__host_loop_fn *loop;
};
#define NOTHING_ROW(k)      {k, nothing_##k},
#define WAITING_ROW(k, all) {k, waiting_##k},
#define LOADED_ROW(k, all)  {k, loaded_##k},
#define STORED_ROW(k, all)  {k, stored_##k},
static const struct step nothing_steps[] = {FAR_STEPS(NOTHING_ROW){0, NULL}};
static const struct step waiting_steps[] = {STEPS(WAITING_ROW, ){0, NULL}};
static const struct step loaded_steps[] = {STEPS(LOADED_ROW, ){0, NULL}};
static const struct step stored_steps[] = {STEPS(STORED_ROW, ){0, NULL}};
/* ---- where the time jumps -------------------------------------------------------------------- */

/* Behind the jump a turn takes L and what is left of its instructions, which the last two steps
 * show: a line. The jump lies before the first step that is on it, by less than a sixteenth of L.
 * No step that is off it, or a line that lies lower than L: a queue that was never full. */
static struct htmt__host_figure find_jump(const struct step *steps,
                                          const struct htmt__host_figure *turn, double length)
{
    unsigned last = 0, i = 0;
    while (steps[last + 1].loop)
        last++;
    const double each =
        (turn[last].value - turn[last - 1].value) / (double)(steps[last].k - steps[last - 1].k);
    double line = 0;
    for (; i <= last; i++) {
        line = turn[last].value - each * (double)(steps[last].k - steps[i].k);
        if (turn[i].value > line - length / 16)
            break;
    }
    if (i == 0 || i > last || line < length / 4 * 3)
        return (struct htmt__host_figure){.value = 0};
    struct htmt__host_figure f = turn[i];
    f.value = (double)(steps[i].k + steps[i - 1].k) / 2;
    return f;
}

/* ---- through memory -------------------------------------------------------------------------- */

#define FORWARDED 8 /* in a turn */

static void forward_loop(void *user, uint64_t n)
{
    double c = 1, *at = ((struct words *)user)->at;
    KEEP(REAL, c);
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < FORWARDED; k++) {
            double v = *(volatile double *)at + c;
            *(volatile double *)at = v;
        }
}

/* A word of which the load gets one half from a store. */
static void forward_part_loop(void *user, uint64_t n)
{
    char *at = (char *)((struct words *)user)->at;
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < FORWARDED; k++) {
            uint64_t v = *(volatile uint64_t *)(void *)at + 1;
            *(volatile uint32_t *)(void *)at = (uint32_t)v;
        }
}

static void issue_loop(void *user, uint64_t n)
{
    (void)user;
    for (uint64_t i = 0; i < n; i++)
        NOTHING(256)
}

/* ---- all of it ------------------------------------------------------------------------------- */

#define ROUNDS 6
enum { NOTHINGS, WAITINGS, LOADEDS, STOREDS, QUEUES };

static void measure_steps(struct htmt__host_clock *clock, const char *name,
                          const struct step *steps, struct words *w, struct htmt__host_figure *turn,
                          bool again)
{
    for (unsigned i = 0; steps[i].loop; i++) {
        if (again && !turn[i].disturbed)
            continue;
        char text[32];
        snprintf(text, sizeof text, "%s %u", name, steps[i].k);
        const struct htmt__host_loop loop = {text, steps[i].loop, w, NULL};
        htmt__host_keep(&turn[i], htmt__host_sample(clock, &loop, LEAST));
    }
}

static bool marked(const struct htmt__host_figures *f, struct htmt__host_figure (*turn)[STEPS_MOST])
{
    bool any = f->issue.disturbed || f->forward.disturbed || f->forward_part.disturbed;
    for (int q = 0; q < QUEUES; q++)
        for (int i = 0; i < STEPS_MOST; i++)
            any |= turn[q][i].disturbed;
    return any;
}

static double latency_of(struct htmt__host_figures *f, const char *name, bool onward)
{
    const struct htmt__host_rate *r = htmt__host_rate_of(f, name);
    return !r ? 0 : onward && r->onward.value > 0 ? r->onward.value : r->latency.value;
}

void htmt__host_core(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                     htmt__host_progress_fn *progress, void *user)
{
    _Alignas(64) double room[8] = {0};
    struct words w = {room};
    static const char *const names[] = {"reorder", "waiting", "loads", "stores"};
    static const struct step *const steps[] = {nothing_steps, waiting_steps, loaded_steps,
                                               stored_steps};
    struct htmt__host_figure turn[QUEUES][STEPS_MOST] = {{{0}}};
    const struct htmt__host_loop issue = {"issue", issue_loop, NULL, NULL},
                                 whole = {"forward", forward_loop, &w, NULL},
                                 part = {"forward-part", forward_part_loop, &w, NULL};
    for (unsigned round = 0; htmt__host_again(clock, round, ROUNDS, marked(f, turn)); round++) {
        if (progress)
            progress(user, "queues");
        for (int q = 0; q < QUEUES; q++)
            measure_steps(clock, names[q], steps[q], &w, turn[q], round >= ROUNDS);
        htmt__host_keep(&f->issue,
                        htmt__host_part_of(htmt__host_sample(clock, &issue, LEAST), 256));
        htmt__host_keep(&f->forward,
                        htmt__host_part_of(htmt__host_sample(clock, &whole, LEAST), FORWARDED));
        htmt__host_keep(&f->forward_part,
                        htmt__host_part_of(htmt__host_sample(clock, &part, LEAST), FORWARDED));
    }
    const double length = HTMT__HOST_ROOTS * latency_of(f, "sqrt-f64", false);
    struct htmt__host_figure *const to[] = {&f->reorder, &f->waiting, &f->loads, &f->stores};
    for (int q = 0; q < QUEUES; q++)
        *to[q] = find_jump(steps[q], turn[q], length);
    f->reorder.value += f->reorder.value > 0 ? BESIDE : 0;
    f->waiting.value *= 2;
    f->issue.value = 1 / f->issue.value;
    f->forward.value -= latency_of(f, "add-f64", true);
    f->forward_part.value -= latency_of(f, "add-i64", true);
}
