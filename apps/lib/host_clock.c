/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a core was like while a sample ran. Its clock changes by steps of some percent, at any time
 * and for long; another thread may share it, of this system or, unseen, of another virtual machine,
 * for microseconds or for seconds. Neither can be asked for everywhere, but both can be seen.
 *
 * A chain of additions takes a cycle each: it shows the clock. So times are converted to cycles by
 * the chains just before and behind them, and a clock that drifts between two samples disturbs
 * neither. Instructions that do nothing leave the front of the core as fast as it can issue, and
 * another thread there takes half of that. How many of a cycle one takes is a constant of the core,
 * whatever its clock, so it may be compared with what was seen long before. Additions side by side
 * would not do: which unit each one waits for is settled when it is issued, and the best of many
 * loops is a third faster than most.
 *
 * The least rate that was ever seen may be wrong, where a chain was slowed down and the
 * instructions were not. So the core's own is the least that more than some looks in 20,000 had:
 * rates are counted in steps of 3 %.
 *
 * A core that is shared all the time has its half for its own rate. That it is half shows where it
 * cannot be a whole: x86-64 cores of two threads have issued four and more a cycle since 2008.
 *
 * By hand, six issued a cycle: most looks show 0.333 cycles (shared), some 0.168, one of 50,000
 * shows 0.14. The steps of 0.168 have more than one look in 20,000: looks of up to 0.18 are still.
 * Beside looks of 0.2, sums and copies within l1 took a quarter more in the middle on an Intel
 * Xeon whose second thread was another machine's, and half as much more beside looks of 0.25.
 *
 * A short program that begins while the core is shared knows no better rate, and takes all of its
 * samples for still ones. Who has the rate of before, as a file of the core, tells it.
 *
 * A thread that issues little may leave the instructions that do nothing nearly as fast as they
 * are, and yet have the front of the core every second cycle. Loops of few instructions are taken
 * once a cycle alone, and less often then. A turn of a loop that only counts waits for the turn
 * before, so it takes no less than an addition; how much more it takes at best is a constant of the
 * core, 1 where a branch is taken each cycle.
 *
 * A thread that mostly waits issues next to nothing, and still has half of the queue in which
 * instructions wait until they retire: cores of two threads divide it while both run. Loops whose
 * turns overlap then take up to twice as long, and the looks so far show nothing. So a turn of one
 * more loop is a chain of square roots and as many instructions that do nothing as fill more than
 * half of the queue. Alone the next chain begins beside this one; in half a queue it begins when
 * this one is over, and a turn takes as long as one that waits for the turn before. By hand, a
 * queue of 512, chains of 290 cycles, 400 instructions: 180 cycles alone, 360 in a half, and 290
 * where each chain waits for the last one. Queues differ, so there are two such loops. Which of
 * them can tell is known from looks at which the chains overlapped, or from the core's file.
 */
#include "apps/lib/host_clock.h"

#include <math.h>
#include <time.h>

double htmt_host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double htmt_host_elapsed(double *since)
{
    double now = htmt_host_seconds(), passed = now - *since;
    *since = now;
    return passed;
}

/* ---- how long a thread computes -------------------------------------------------------------- */

#define SHORT 1e-3 /* seconds */

static double computed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void htmt_host_watch_start(struct htmt_host_watch *watch)
{
    watch->computed = computed();
    watch->passed = htmt_host_seconds();
}

double htmt_host_watch_seconds(const struct htmt_host_watch *watch)
{
    double passed = htmt_host_seconds() - watch->passed;
    return passed < SHORT ? passed : computed() - watch->computed;
}

/* ---- how fast the core is -------------------------------------------------------------------- */

#define ADDED      8192  /* of each of a look's two chains */
#define NOTHINGS   16384 /* instructions */
#define TURNS      4096
#define HOLDS      1.02 /* of two times of one clock */
#define QUICK      1.06 /* a turn over the least one */
#define LEAST_RATE (1.0 / 16)
#define STEP       1.03
#define ROOTS      14   /* of a chain */
#define CHAINS     12   /* of a look */
#define OVERLAP    0.85 /* of the time of chains one behind the other */
#define SPARE      40   /* places of a queue beside these: two chains, the loop, and some */
#define ABOVE      2 /* steps of a look's own rate above a measured one: the clock is asked, too */
#define RARE       20000
#define FEW        2
#if defined __x86_64__
#define MOST_RATE (1 / 3.5)
#define ROOT(v)   __asm__ volatile("sqrtsd %0, %0" : "+x"(v))
#else
#define MOST_RATE HUGE_VAL
#define ROOT(v)                                                                                    \
    __asm__ volatile("" : "+m"(v));                                                                \
    v = sqrt(v)
#endif

#define ADD(x)                                                                                     \
    x += one;                                                                                      \
    __asm__ volatile("" : "+r"(x))
#define FOUR(x)                                                                                    \
    ADD(x);                                                                                        \
    ADD(x);                                                                                        \
    ADD(x);                                                                                        \
    ADD(x)

static double chain_seconds(void)
{
    uint64_t x = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    double start = htmt_host_seconds();
    for (int i = 0; i < ADDED / 16; i++) {
        FOUR(x);
        FOUR(x);
        FOUR(x);
        FOUR(x);
    }
    return (htmt_host_seconds() - start) / ADDED;
}

static double nothing_seconds(void)
{
    double start = htmt_host_seconds();
    for (int i = 0; i < NOTHINGS / 512; i++)
        __asm__ volatile(".rept 512\n\tnop\n\t.endr");
    return (htmt_host_seconds() - start) / NOTHINGS;
}

static double turn_seconds(void)
{
    uint64_t left = TURNS;
    double start = htmt_host_seconds();
#if defined __x86_64__
    __asm__ volatile(".p2align 6\n1:\tdec %0\n\tjnz 1b" : "+r"(left)::"cc");
#else
    for (; left; left--)
        __asm__ volatile("" : "+r"(left));
#endif
    return (htmt_host_seconds() - start) / TURNS;
}

/* Turns of a chain of roots, which waits for the one before or not, and what stands behind it. */
#define CHAIN_LOOP(name, before, behind)                                                           \
    static double name(void)                                                                       \
    {                                                                                              \
        const double two = 2;                                                                      \
        double v = two, start = htmt_host_seconds();                                               \
        for (int i = 0; i < CHAINS; i++) {                                                         \
            v = (before);                                                                          \
            for (int k = 0; k < ROOTS; k++) {                                                      \
                ROOT(v);                                                                           \
            }                                                                                      \
            __asm__ volatile(behind);                                                              \
        }                                                                                          \
        return htmt_host_seconds() - start;                                                        \
    }
CHAIN_LOOP(waiting_chains, two + (v - v), "")
CHAIN_LOOP(chains_200, two, ".rept 200\n\tnop\n\t.endr")
CHAIN_LOOP(chains_400, two, ".rept 400\n\tnop\n\t.endr")

static bool alike(double a, double b)
{
    return a < HOLDS * b && b < HOLDS * a;
}

static int step_of(double rate)
{
    const double at = log(rate / LEAST_RATE) / log(STEP);
    return at < 0 ? 0 : at < HTMT_HOST_RATES - 1 ? (int)at : HTMT_HOST_RATES - 1;
}

void htmt_host_core_expect(struct htmt_host_core *core, struct htmt_host_expected of)
{
    static const double least[HTMT_HOST_QUEUES] = {200 + SPARE, 400 + SPARE};
    const int step = step_of(of.nothing) + ABOVE;
    if (of.nothing > 0 && step < HTMT_HOST_RATES)
        core->rate[step] = UINT32_MAX / 2;
    for (int i = 0; i < HTMT_HOST_QUEUES; i++)
        if (of.reorder > least[i])
            core->fitted[i] = UINT32_MAX / 2;
}

/* Counts the rate; whether the core had it for this thread alone. */
static bool alone(struct htmt_host_core *core, double rate)
{
    const int step = step_of(rate);
    const uint32_t few = FEW + ++core->looks / RARE;
    core->rate[step]++;
    core->own = 0;
    while (core->own + 1 < HTMT_HOST_RATES &&
           core->rate[core->own] + core->rate[core->own + 1] <= few)
        core->own++;
    return step <= core->own + HTMT_HOST_NEAR && rate < MOST_RATE;
}

/* Whether loops are as fast as they ever were. A turn of less than an addition tells that the
 * chains were slowed down. */
static bool loops_alone(struct htmt_host_core *core, double turn)
{
    core->turn = fmax(core->turn > 0 ? fmin(core->turn, turn) : turn, 1);
    return turn < QUICK * core->turn;
}

/* Whether the chains that ever overlapped do so now. */
static bool queue_alone(struct htmt_host_core *core)
{
    const double waits = OVERLAP * waiting_chains();
    const bool fits[] = {chains_200() < waits, chains_400() < waits};
    bool whole = true;
    for (int i = 0; i < HTMT_HOST_QUEUES; i++) {
        core->fitted[i] += fits[i];
        whole &= fits[i] || core->fitted[i] <= FEW + core->looks / RARE;
    }
    return whole;
}

bool htmt_host_core_still(struct htmt_host_core *core, double patience)
{
    const double end = htmt_host_seconds() + patience;
    bool still;
    do {
        const double before = chain_seconds(), nothing = nothing_seconds(), turn = turn_seconds(),
                     after = chain_seconds();
        core->cycle = before < after ? before : after;
        still = alike(before, after) && alone(core, nothing / core->cycle) &
                                            loops_alone(core, turn / core->cycle) &
                                            queue_alone(core);
    } while (!still && htmt_host_seconds() < end);
    return still;
}

struct htmt_host_sample htmt_host_core_sample(struct htmt_host_core *core, double patience,
                                              void (*prepare)(void *user),
                                              void (*run)(void *user, uint64_t n), void *user,
                                              uint64_t n)
{
    struct htmt_host_watch watch;
    bool still = htmt_host_core_still(core, patience);
    if (prepare) {
        prepare(user);
        still = htmt_host_core_still(core, 0);
    }
    const double before = core->cycle;
    htmt_host_watch_start(&watch);
    run(user, n);
    const double seconds = htmt_host_watch_seconds(&watch);
    still = htmt_host_core_still(core, 0) && still && alike(before, core->cycle);
    return (struct htmt_host_sample){seconds, 2 * seconds / (before + core->cycle), still};
}
