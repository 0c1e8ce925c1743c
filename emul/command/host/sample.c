/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a sample waits. A neighbour on the core may leave it free for a tenth of a second, or for
 * some 100 microseconds a hundred times a second. A sample of 20 microseconds therefore waits until
 * a look finds the core free, then runs at once. All waiting of a measurement together is bounded,
 * so a core that is never free makes it half a minute longer and its figures disturbed.
 *
 * When a figure is sure. Others make a sample longer, never shorter, so the fastest one of a round
 * counts. A clock that was faster while the sample ran than at both looks makes it too short, which
 * is rare: so of the rounds, which lie seconds apart, the second fastest counts, and the third must
 * be near it. A round in which all samples were slow does no harm. By hand, rounds of 4.00, 4.02,
 * 5.90 (somebody streamed through the last cache), 3.71 and 4.10 cycles: 4.00 counts, as 4.02 is
 * near it. Of 4.00, 4.30 and 5.90 nobody knows whether a fourth would find 3.8.
 *
 * What disturbs a core for a second disturbs all rounds of a figure that are over in less: a third
 * of the library's functions at once, once. So a phase that has marked figures goes on with these
 * alone, a round after each pause, until three of their rounds agree or eight seconds are over.
 *
 * A core that others never left looks as if they were not there. The first look that finds it free
 * tells otherwise, and rounds of before are forgotten.
 */
#include "emul/command/host/sample.h"
#include "runtime/base/by_size.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START    0.05   /* seconds of looks at the start */
#define PATIENCE 300e-6 /* seconds that a sample waits for a still core in any case */
#define LONGER   20e-3  /* and while there is some of */
#define ALL      15.0   /* seconds of longer waits */
#define MORE     8.0    /* seconds of more rounds */
#define PAUSE    20     /* ms before each of these */
#define MOST     8      /* times as many rounds as a phase has in any case */
#define MOST_FEW 2      /* of a test's clock, whose noise has no seasons */
#define TRIES    3      /* for a sample of a still core */
#define SAMPLES  3
#define TURNS    (UINT64_C(1) << 30)
#define SURE     0.05 /* the most that rounds may be apart */
#define SETTLED  0.01

/* ---- the clock ------------------------------------------------------------------------------- */

void htmt__host_clock_start(struct htmt__host_clock *clock)
{
    double end = htmt_host_seconds() + START;
    *clock = (struct htmt__host_clock){.patience = ALL, .more = MORE};
    while (htmt_host_seconds() < end)
        htmt_host_core_still(&clock->core, 0);
}

void htmt__host_clock_restart(struct htmt__host_clock *clock)
{
    clock->patience = ALL;
    clock->more = MORE;
}

bool htmt__host_again(struct htmt__host_clock *clock, unsigned round, unsigned least, bool marked)
{
    const struct timespec pause = {.tv_nsec = PAUSE * 1000000L};
    if (round < least)
        return true;
    if (!clock->told && round > least)
        clock->more -= htmt_host_elapsed(&clock->begun);
    if (!marked || round >= (clock->told ? MOST_FEW : MOST) * least)
        return false;
    if (clock->told)
        return true;
    clock->begun = htmt_host_seconds();
    nanosleep(&pause, NULL);
    return clock->more > 0;
}

double htmt__host_cycle(const struct htmt__host_clock *clock)
{
    double sorted[HTMT__HOST_CLOCKS];
    if (!clock->cycles)
        return 1e9 * clock->core.cycle;
    memcpy(sorted, clock->cycle, clock->cycles * sizeof *sorted);
    qsort(sorted, clock->cycles, sizeof *sorted, htmt__by_size);
    return sorted[clock->cycles / 2];
}

/* Where there is no more room, every second one goes. */
static void keep_cycle(struct htmt__host_clock *clock, double ns)
{
    clock->stride = clock->stride ? clock->stride : 1;
    if (clock->passed++ % clock->stride)
        return;
    if (clock->cycles == HTMT__HOST_CLOCKS) {
        clock->cycles /= 2;
        clock->stride *= 2;
        for (unsigned i = 0; i < clock->cycles; i++)
            clock->cycle[i] = clock->cycle[2 * i];
    }
    clock->cycle[clock->cycles++] = ns;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Cycles of a turn; whether the core was still before and after. */
static bool take(struct htmt__host_clock *clock, const struct htmt__host_loop *loop, uint64_t n,
                 double *cycles)
{
    double cycle;
    if (clock->told) {
        const double ns = clock->told(clock->user, loop->name, n, &cycle);
        *cycles = (ns < 0 ? -ns : ns) / cycle / (double)n;
        if (ns >= 0)
            keep_cycle(clock, cycle);
        return ns >= 0;
    }
    const double begun = htmt_host_seconds();
    const struct htmt_host_sample s =
        htmt_host_core_sample(&clock->core, clock->patience > 0 ? LONGER : PATIENCE, loop->prepare,
                              loop->run, loop->user, n);
    const double waited = htmt_host_seconds() - begun - s.seconds;
    clock->patience -= waited > PATIENCE ? waited : 0;
    *cycles = s.cycles / (double)n;
    if (s.still)
        keep_cycle(clock, 1e9 * s.seconds / s.cycles);
    return s.still;
}

struct htmt__host_figure htmt__host_samples(struct htmt__host_clock *clock,
                                            const struct htmt__host_loop *loop, uint64_t n,
                                            unsigned samples)
{
    double sample[SAMPLES], least = 0;
    unsigned taken = 0;
    samples = samples < SAMPLES ? samples : SAMPLES;
    if (!clock->told)
        loop->run(loop->user, n);
    for (unsigned i = 0; taken < samples && i < TRIES * samples; i++) {
        double cycles;
        if (take(clock, loop, n, &cycles))
            sample[taken++] = cycles;
        least = least > 0 && least < cycles ? least : cycles;
    }
    if (!taken) /* never still: the fastest one, marked */
        return (struct htmt__host_figure){.value = least, .disturbed = true};
    /* The lowest counts, the middle one says how far samples spread. */
    qsort(sample, taken, sizeof *sample, htmt__by_size);
    return (struct htmt__host_figure){.value = sample[0],
                                      .spread = sample[taken / 2] / sample[0] - 1,
                                      .taken = taken,
                                      .rounds = 1,
                                      .own = clock->core.own,
                                      .low = {sample[0]},
                                      .disturbed = true};
}

struct htmt__host_figure htmt__host_sample(struct htmt__host_clock *clock,
                                           const struct htmt__host_loop *loop, double least)
{
    uint64_t n = 16;
    if (!clock->told)
        loop->run(loop->user, n); /* code comes from its file, functions are bound */
    for (double time = 0; time < least && n < TURNS && !clock->told; n = time < least ? 2 * n : n) {
        struct htmt_host_watch watch;
        htmt_host_watch_start(&watch);
        loop->run(loop->user, n);
        time = 1e9 * htmt_host_watch_seconds(&watch);
    }
    return htmt__host_samples(clock, loop, n, SAMPLES);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* How far the rounds behind the fastest are apart; more than any where there are too few. */
static double apart(const struct htmt__host_figure *f)
{
    return f->rounds < HTMT__HOST_AGREE ? 1 : f->low[HTMT__HOST_AGREE - 1] / f->low[1] - 1;
}

void htmt__host_keep(struct htmt__host_figure *best, struct htmt__host_figure round)
{
    struct htmt__host_figure f = *best;
    if (round.taken && f.taken && round.own + HTMT_HOST_NEAR < f.own)
        f = (struct htmt__host_figure){.value = 0};
    if (!round.taken && f.taken)
        return;
    for (unsigned k = 0; k < round.rounds && k < HTMT__HOST_AGREE; k++) {
        unsigned i = f.rounds < HTMT__HOST_AGREE ? f.rounds : HTMT__HOST_AGREE - 1;
        if (f.rounds >= HTMT__HOST_AGREE && round.low[k] >= f.low[i])
            continue;
        for (; i > 0 && f.low[i - 1] > round.low[k]; i--)
            f.low[i] = f.low[i - 1];
        f.low[i] = round.low[k];
        f.rounds++;
    }
    if (round.taken) {
        f.spread = f.rounds < 2 || round.low[0] <= f.low[1] ? round.spread : f.spread;
        f.taken = round.taken;
        f.own = round.own;
        f.value = f.low[f.rounds > 1];
    } else if (f.value <= 0 || round.value < f.value) {
        f.value = round.value;
    }
    f.disturbed = apart(&f) > SURE;
    *best = f;
}

bool htmt__host_settled(const struct htmt__host_clock *clock, const struct htmt__host_figure *f)
{
    return apart(f) < SETTLED && f->low[1] < (1 + SETTLED) * f->low[0] &&
           f->own <= clock->core.own + HTMT_HOST_NEAR;
}

/* Of two figures nothing but their own rounds is known. */
struct htmt__host_figure htmt__host_less(struct htmt__host_figure a, struct htmt__host_figure b)
{
    a.value = a.value > b.value ? a.value - b.value : 0;
    a.spread = a.spread > b.spread ? a.spread : b.spread;
    a.taken = a.taken < b.taken ? a.taken : b.taken;
    a.disturbed |= b.disturbed;
    return a;
}

struct htmt__host_figure htmt__host_part_of(struct htmt__host_figure a, double by)
{
    a.value /= by;
    for (unsigned i = 0; i < HTMT__HOST_AGREE; i++)
        a.low[i] /= by;
    return a;
}

struct htmt__host_rate *htmt__host_rate_of(struct htmt__host_figures *f, const char *name)
{
    for (unsigned i = 0; i < f->rates; i++)
        if (!strcmp(f->rate[i].name, name))
            return &f->rate[i];
    return NULL;
}
