/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a window is worth several threads.
 *
 * The idea. Sharing a window costs something: threads are woken or look for the round, their caches
 * exchange what slices have, and a thread from which the host takes its processor in the midst of a
 * partition keeps all others waiting. It gains what other threads have played meanwhile. What it
 * costs depends on the host and on what else runs there, and cannot be known beforehand. So each
 * shared window is compared with what one thread would have needed for it:
 *
 *     gain = work / dearer - time worked - time awaited
 *
 * `work` is what all its events would have taken the own thread if it had played them in this
 * round: the time it worked, times all events over its own. Events of one window are alike, while
 * those of different windows are not: in one run an event may take 20 ns here and 1,600 there. So
 * the window itself tells what its events take, and only what is the same for cheap ones and dear
 * ones is taken from other windows: `dearer`, how many times as long an event takes when caches
 * exchange slices and a round has to be begun. It is 1.1 on a host whose processors are near each
 * other, and was seen at 3.
 *
 * How `dearer` is measured. While sharing is tried, blocks of BLOCK windows are played by one
 * thread and by several in turns, in a random order within each pair, so both see the same mixture
 * of windows. `dearer` is the quotient of the geometric means of ns an event. Of prices that differ
 * 80-fold the mean says little before thousands of windows, because a hundredth of them has half of
 * the time. Their logarithms differ by 1 or so: of n windows each way, their means differ by chance
 * by sqrt(2 / n), 0.35 for SAMPLES, 0.18 for SURE and 0.09 for all that are remembered. Threads get
 * the benefit of that doubt: one such deviation is subtracted. When SURE windows a way are known,
 * nearly all blocks are shared; one in CONTROL goes to one thread, so that a run whose events
 * become cheaper is found out. What is too little or too much until `dearer` is known is charged
 * then.
 *
 * What is decided. Sharing has a credit of ns. A round adds its gain, which may be negative; while
 * the credit is above 0 windows are shared. Then the trial has failed and one thread plays. Each of
 * its windows adds a part of its time, until the credit is that of a trial (TRIAL_NS and one
 * window): the next windows are tried again. The part is 1/200 after one trial that fails, and half
 * as much after each further one in a row, down to 1/1600; 1/100 where the host alone ended the
 * trial (below). So all that sharing is known to lose is at most 1/100 of what one thread would
 * have taken, and the first trial. What a trial loses below 0 is a debt, which is paid back before
 * the next one. What a trial has measured stays for the next one, with the weight of SAMPLES / 2
 * windows or of half of those measured. The credit has a limit: a run that has gained for long and
 * now loses is soon found out. The first trial comes when START_NS were played, since a shorter run
 * is not worth a thread. The first rounds of the team, in which its threads begin, are not counted.
 *
 * Windows of a run differ: a hundred of five events may come between two of a thousand. So windows
 * are in classes by their number of events, which the last windows tell, and each class has its own
 * means and credit. But a thread that was kept from its processor concerns all classes: an awaited
 * time of STALL_NS or more, and of more than twice what the own thread worked, is taken from each.
 *
 * Long windows. A window of few events may take 1,000 times as long as the last one, which nothing
 * tells beforehand. When a window of one thread lasts LATE dearer^2 times as long as the middle one
 * of its class, and LATE_NS, others may take the partitions that are left (team.c): the longer it
 * is, the less its events are like those for which sharing is dear. Since such windows are shared
 * in both ways, they count in neither, but for the middle window. They have an account of their
 * own: when what others have played of them was less than what they cost, it is paid back by 1/100
 * of the time before the next one is shared.
 *
 * A busy host. Where more wants to run than there are processors, the clock's own thread waits for
 * one, too. A woken thread may take that one away, and whether it does shows in no round. So the
 * time that passes is compared with the time for which the own thread had a processor. If it had
 * none for more than a quarter of the last SEEN_NS or so, there is none for others, and one thread
 * plays until that changes.
 *
 * What is measured. To ask for a thread's time is a system call. So each eighth window of a class
 * is measured, or each in a trial; an awaited time, which is 0 mostly, always is. The first ones of
 * a block, which find their slices in another cache, are not measured. Windows of less than FEW
 * events are never measured nor shared from the begin: two lines that pass between two caches take
 * as long.
 *
 * By hand: an event costs 100 ns, windows have 128 events: 12.8 us. A trial has 20 us + 12.8 us of
 * credit. Near processors: in a round the own thread plays 64 events at 110 ns and awaits 1 us, so
 * `work` is 14,080 ns and `dearer` comes to 1.1. The round gains 12,800 - 7,040 - 1,000 = 4,760 ns.
 * Sharing goes on, and its credit grows to the limit, 262 us. Far ones: events take 300 ns, 19.2 us
 * a round. Until `dearer` is known, 16 windows have added 38,400 - 19,200 - 1,000 each, together
 * 291 us; then 16 times 38,400 * (1 - 1/3) = 410 us are charged, and the trial ends at -86 us. One
 * thread pays that back, and 33 us for the next trial, in 24 ms. Now something else runs on the
 * host with near processors: ten rounds gain 48 us, then the other thread is stopped with a
 * partition for 18 ms. The credit is about -18 ms, and one thread plays for 3.6 s until the next
 * trial; were all windows shared, each 20 ms might have such a stop.
 */
#include "parcels/clock/sharing.h"

#include <math.h>

#define FEW          16u /* events */
#define SAMPLES      16u /* windows of one way until the quotient is used, */
#define SURE         64u /* and until a trial has succeeded */
#define LAST         256 /* windows that a mean is of */
#define BLOCK        8u  /* windows */
#define COLD         2u  /* of them */
#define CONTROL      32u /* blocks, of which one goes to one thread */
#define MEASURE_EACH 8u  /* windows */
#define DEAREST      64.0
#define DOUBT        1.0 /* standard deviations */
#define FAILED_MOST  4u  /* trials */
#define START_NS     3e6
#define WARM         8u   /* rounds */
#define TRIAL_NS     20e3 /* and one window */
#define LIMIT        8.0  /* trials */
#define EARNED       0.01
#define LATE         8.0 /* windows */
#define LATE_NS      1e5
#define STALL_NS     1000000
#define SEEN_NS      50000000
#define KEPT_PART    4

static struct htmt__worth *class_of(struct htmt__sharing *s, uint64_t load)
{
    return &s->of[load ? (63u - (unsigned)__builtin_clzll(load)) / 2 : 0];
}

/* ---- means ----------------------------------------------------------------------------------- */

static void scale(struct htmt__mean *m, double factor)
{
    m->sum *= factor;
    m->squares *= factor;
    m->weight *= factor;
}

static void learn(struct htmt__mean *m, double logarithm)
{
    if (m->weight >= LAST)
        scale(m, 0.5);
    m->sum += logarithm;
    m->squares += logarithm * logarithm;
    m->weight++;
}

/* What is known stays with less weight, which is not enough. */
static void forget(struct htmt__mean *m)
{
    scale(m, m->weight < SAMPLES ? 0.5 : SAMPLES / 2 / m->weight);
}

static double mean_of(const struct htmt__mean *m)
{
    return m->sum / m->weight;
}

/* The square of what the mean may be wrong by. */
static double doubt_of(const struct htmt__mean *m)
{
    return (m->squares / m->weight - mean_of(m) * mean_of(m)) / m->weight;
}

static bool known(const struct htmt__worth *w, unsigned samples)
{
    return w->alone.weight >= samples && w->shared.weight >= samples;
}

/* The credit of a trial. */
static double trial_of(const struct htmt__worth *w)
{
    return TRIAL_NS + w->ns;
}

/* The ns from which on a window is long. */
static double long_of(const struct htmt__worth *w)
{
    const double dearer = fmax(w->dearer, 1);
    return fmax(LATE * w->ns * dearer * dearer, LATE_NS);
}

/* ---- before a window ------------------------------------------------------------------------- */

static void go(struct htmt__worth *w, bool sharing)
{
    if (sharing) {
        forget(&w->alone);
        forget(&w->shared);
        w->uncharged = 0;
    }
    w->sharing = sharing;
    w->windows = 0;
}

/* Of each number another one that looks like chance. */
static uint32_t chance(uint32_t number)
{
    return (number + 1) * UINT32_C(0x9e3779b1) >> 16;
}

/* Whether this block of windows, while sharing is on, goes to one thread all the same. */
static bool to_one(const struct htmt__worth *w, uint32_t block)
{
    if (!known(w, SURE))
        return (chance(block / 2) ^ block) & 1;
    return block % CONTROL == chance(block / CONTROL) % CONTROL;
}

struct htmt__playing htmt__sharing_way(struct htmt__sharing *s, uint64_t load)
{
    struct htmt__worth *w = class_of(s, load);
    struct htmt__playing way = {.shared = s->always,
                                .late = s->kept || w->late < 0 ? 0 : (int64_t)long_of(w)};
    if (s->always || load < FEW)
        return way;
    if (!w->tried && w->window.weight >= SAMPLES && s->played >= START_NS && !s->kept) {
        w->tried = true;
        w->credit = trial_of(w);
        go(w, true);
    }
    const unsigned turn = w->windows++;
    const bool one = !w->sharing || to_one(w, turn / BLOCK);
    way.shared = !one;
    if (!w->sharing)
        way.measured = turn % MEASURE_EACH == 0 || w->window.weight < SAMPLES;
    else
        way.measured =
            turn % BLOCK >= COLD && (one || !known(w, SURE) || turn % (MEASURE_EACH + 1) == 0);
    return way;
}

/* ---- after it -------------------------------------------------------------------------------- */

/* Both clocks were looked at. */
static void look_at_host(struct htmt__sharing *s, const struct htmt__window_played *played)
{
    if (s->now_last) {
        s->on += played->on - s->on_last;
        s->passed += played->now - s->now_last - s->awaited;
    }
    s->on_last = played->on;
    s->now_last = played->now;
    s->awaited = 0;
    s->kept = s->passed - s->on > s->passed / KEPT_PART;
    while (s->passed > SEEN_NS) {
        s->passed /= 2;
        s->on /= 2;
    }
}

static void measure(struct htmt__worth *w, bool shared, bool counts,
                    const struct htmt__window_played *played)
{
    const double own = (double)played->own, took = played->took > 0 ? (double)played->took : 1;
    if (!shared) {
        learn(&w->window, log(took * (double)played->events / own));
        w->ns = exp(mean_of(&w->window));
    }
    if (!w->sharing || !counts)
        return;
    learn(shared ? &w->shared : &w->alone, log(took / own));
    if (!known(w, SAMPLES))
        return;
    const double doubt = fmax(doubt_of(&w->alone) + doubt_of(&w->shared), 0),
                 dearer = exp(mean_of(&w->shared) - mean_of(&w->alone) - DOUBT * sqrt(doubt));
    w->dearer = dearer < 1 ? 1 : dearer > DEAREST ? DEAREST : dearer;
}

/* One thread has played that many ns. */
static void earn(struct htmt__sharing *s, struct htmt__worth *w, double ns)
{
    s->played += ns;
    if (w->sharing || !w->tried)
        return;
    if (w->credit < trial_of(w))
        w->credit += ns * EARNED / (1u << w->failed);
    if (w->credit >= trial_of(w) && !s->kept)
        go(w, true);
}

static void count_gain(struct htmt__worth *w, const struct htmt__window_played *played)
{
    const double most = LIMIT * trial_of(w), passed = (double)played->passed,
                 work = played->own ? passed * (double)played->events / (double)played->own : w->ns;
    w->credit += work - passed - (double)played->awaited;
    w->uncharged += work;
    if (!known(w, SAMPLES))
        return;
    w->credit -= w->uncharged * (1 - 1 / w->dearer);
    w->uncharged = 0;
    if (w->credit < most)
        return;
    w->credit = most;
    w->failed = 0;
}

/* What others have played of a window that was shared from way.late on, less what the own thread's
 * events took more from then on. */
static void count_late(struct htmt__worth *w, struct htmt__playing way,
                       const struct htmt__window_played *played)
{
    const double most = LIMIT * trial_of(w), passed = (double)played->passed,
                 more = (1 - 1 / fmax(w->dearer, 1)) * (passed - (double)way.late),
                 others = (double)(played->events - played->own);
    w->late +=
        (played->own ? others / (double)played->own * passed : 0) - more - (double)played->awaited;
    w->late = fmin(w->late, most);
}

void htmt__sharing_heard(struct htmt__sharing *s, uint64_t load, struct htmt__playing way,
                         const struct htmt__window_played *played)
{
    struct htmt__worth *w = class_of(s, load);
    const bool stalled = played->awaited >= STALL_NS && played->awaited > 2 * played->passed,
               late = played->joined && !way.shared;
    s->awaited += played->awaited;
    if (s->always)
        return;
    for (unsigned i = 0; i < HTMT__LOADS && stalled; i++)
        if (&s->of[i] != w || !way.shared)
            s->of[i].credit -= (double)played->awaited;
    if (way.measured)
        look_at_host(s, played);
    if (late)
        count_late(w, way, played);
    else if (w->late < 0)
        w->late += EARNED * (double)played->passed;
    const bool cold = way.shared && s->warm < WARM && !stalled;
    s->warm += cold && played->own < played->events;
    if (load < FEW || cold)
        return;
    const bool counts = !late && ((double)played->passed < long_of(w) || stalled);
    if (way.measured && played->own)
        measure(w, way.shared, counts, played);
    if (late)
        return;
    if (way.shared && counts)
        count_gain(w, played);
    else if (!way.shared)
        earn(s, w, (double)played->passed);
    if (!w->sharing || (w->credit > 0 && !s->kept))
        return;
    w->failed += !s->kept && w->failed < FAILED_MOST;
    go(w, false);
}
