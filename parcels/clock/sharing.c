/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a window is worth several threads.
 *
 * The idea. Sharing a window costs something: threads are woken or look for the round, their caches
 * exchange what slices have, and a thread from which the host takes its processor in the midst of a
 * partition keeps all others waiting. It gains what other threads have played meanwhile. What it
 * costs depends on the host and on what else runs there, and cannot be known beforehand. So each
 * round is compared with what one thread would have needed:
 *
 *     gain = events of others * price alone - own events * (price shared - price alone)
 *            - time awaited
 *
 * An event's price alone is what it takes one thread that plays all partitions; its price shared is
 * what it takes the clock's own thread in a round, with all that the round costs that thread. Both
 * are ns for which the thread had a processor, over the last windows that were measured. Until
 * there are enough of them (SAMPLES) the prices count as equal, and what was too little is charged
 * then. In one run events of one phase may take ten times as long as those of another, and windows
 * of one thread and shared ones are not of the same phases. So the price alone that is subtracted
 * there is the greatest of groups of SOME windows: where events are alike it is near the mean, and
 * where they are not, threads get the benefit of the doubt.
 *
 * In large windows, of LARGE_NS and more, the gain is instead
 *
 *     gain = events of others * (time of own events / own events) - time awaited
 *
 * for events of one window are alike, and what caches exchange weighs little.
 *
 * What is decided. Sharing has a credit of ns. A round adds its gain, which may be negative; while
 * the credit is above 0 windows are shared. Then one thread plays, and each window adds 1/64 of its
 * price, until the credit is that of a trial (TRIAL_NS and one window): the next windows are shared
 * again. So all that sharing is known to lose is at most 1/64 of what one thread would have taken,
 * and the first trial. What a trial loses below 0 is a debt, which is paid back before the next
 * one. After each further trial in a row that fails, windows add half as much, down to 1/1024.
 * The credit has a limit: a run that has gained for long and now loses is soon found out.
 * The first trial comes when START_NS were played, since a shorter run is not worth a thread, and
 * when the price alone is known. The first rounds of the team, in which its threads begin, are not
 * counted.
 *
 * Windows of a run differ: a hundred of five events may come between two of a thousand. So windows
 * are in classes by their number of events, which the last windows tell, and each class has its own
 * prices and credit. But a thread that was kept from its processor concerns all classes: an awaited
 * time of STALL_NS or more, and of more than twice what the own thread worked, is taken from each.
 * And events differ: a window of few of them may take 1,000 times as long as the last one, which
 * nothing tells beforehand. So when a window of one thread turns out to be long, others may take
 * the partitions that are left (team.c).
 *
 * A busy host. Where more wants to run than there are processors, the clock's own thread waits for
 * one, too. A woken thread may take that one away, and whether it does shows in no round. So the
 * time that passes is compared with the time for which the own thread had a processor. If it had
 * none for more than a quarter of the last SEEN_NS or so, there is none for others, and one thread
 * plays until that changes.
 *
 * What is measured. To ask for a thread's time is a system call. So each eighth window of a class
 * is measured, or each while a price is not known; an awaited time, which is 0 mostly, always is. A
 * window counts no more than OUTLIER times the mean. While windows are shared, 16 of 512 are played
 * by one thread, so that a run whose events become cheaper is found out. The first ones after a
 * change of the way, which find their slices in another cache, are not measured. Windows of less
 * than FEW events are never measured nor shared from the begin: two lines that pass between two
 * caches take as long.
 *
 * By hand: an event costs 100 ns, windows have 128 events: 12.8 us. A trial has 20 us + 12.8 us of
 * credit. Idle host: in a round the own thread plays 64 events at 110 ns and awaits 1 us. It gains
 * 64 * 100 - 64 * 10 - 1,000 = 4,760 ns. Sharing goes on, and its credit grows to the limit, 262
 * us. Now something else runs on the host: ten rounds gain 48 us, then the other thread is stopped
 * with a partition for 18 ms. The credit is about -18 ms. One thread plays for 1,152 ms until the
 * next trial, which may lose again; were all windows shared, each 20 ms might have such a stop.
 */
#include "parcels/clock/sharing.h"

#define FEW          16u  /* events */
#define SAMPLES      16u  /* windows */
#define SOME         8u   /* of them */
#define OUTLIER      8.0  /* times the mean */
#define MEASURE_EACH 8u   /* windows */
#define ANEW_EACH    512u /* windows that are shared, */
#define ANEW         16u  /* of which so many are not */
#define COLD         4u   /* windows after a change of the way */
#define FAILED_MOST  4u   /* trials */
#define START_NS     3e6
#define WARM         8u   /* rounds */
#define TRIAL_NS     20e3 /* and one window */
#define LIMIT        8.0  /* trials */
#define EARNED       (1.0 / 64)
#define LARGE_NS     20e3 /* the middle window of a class */
#define STALL_NS     1000000
#define SEEN_NS      50000000
#define KEPT_PART    4

static struct htmt__worth *class_of(struct htmt__sharing *s, uint64_t load)
{
    return &s->of[load ? (63u - (unsigned)__builtin_clzll(load)) / 2 : 0];
}

/* ---- prices ---------------------------------------------------------------------------------- */

static bool known(const struct htmt__price *p)
{
    return p->measured >= SAMPLES;
}

static void learn(struct htmt__price *p, double took, uint64_t events)
{
    const double most = OUTLIER * p->ns * (double)events;
    if (p->measured == 2 * SAMPLES) {
        p->took /= 2;
        p->events /= 2;
        p->measured = SAMPLES;
    }
    p->took += p->measured++ >= SAMPLES / 4 && took > most ? most : took;
    p->events += (double)events;
    p->ns = p->took / p->events;
    p->some_took += took;
    p->some_events += (double)events;
    if (p->measured % SOME)
        return;
    const double ns = p->some_took / p->some_events;
    p->most = ns > p->most ? ns : p->most - (p->most - ns) / 8;
    p->some_took = p->some_events = 0;
}

/* What an event takes one thread, in windows of that class, or of any. */
static double alone(const struct htmt__sharing *s, const struct htmt__worth *w)
{
    return w->alone.measured >= SAMPLES / 4 ? w->alone.ns : s->any.ns;
}

/* What an event takes the own thread more when windows are shared. */
static double dearer(const struct htmt__worth *w)
{
    const double more = w->shared.ns - w->alone.most;
    return known(&w->alone) && known(&w->shared) && more > 0 ? more : 0;
}

/* ns of the middle window of the class. */
static double window_of(const struct htmt__sharing *s, const struct htmt__worth *w)
{
    return alone(s, w) * (double)(UINT64_C(2) << 2 * (w - s->of));
}

/* The credit of a trial. */
static double trial_of(const struct htmt__sharing *s, const struct htmt__worth *w)
{
    return TRIAL_NS + window_of(s, w);
}

/* ---- before a window ------------------------------------------------------------------------- */

static void go(struct htmt__worth *w, bool sharing)
{
    if (sharing) {
        w->shared = (struct htmt__price){.ns = 0};
        w->uncharged = 0;
    }
    w->sharing = sharing;
    w->windows = 0;
}

struct htmt__playing htmt__sharing_way(struct htmt__sharing *s, uint64_t load)
{
    struct htmt__worth *w = class_of(s, load);
    struct htmt__playing way = {.shared = s->always, .late = !s->kept};
    if (s->always || load < FEW)
        return way;
    if (!w->tried && known(&w->alone) && s->played >= START_NS && !s->kept) {
        w->tried = true;
        w->credit = trial_of(s, w);
        go(w, true);
    }
    const unsigned turn = w->windows++, anew = turn % ANEW_EACH;
    way.shared = w->sharing && anew < ANEW_EACH - ANEW;
    if (w->sharing && !way.shared)
        way.measured = anew >= ANEW_EACH - ANEW + COLD;
    else if (turn >= COLD || !w->tried)
        way.measured = turn % MEASURE_EACH == 0 || !known(way.shared ? &w->shared : &w->alone);
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

/* One thread has played that many ns. */
static void earn(struct htmt__sharing *s, struct htmt__worth *w, double ns)
{
    s->played += ns;
    if (w->sharing || !w->tried)
        return;
    if (w->credit < trial_of(s, w))
        w->credit += ns * EARNED / (1u << w->failed);
    if (w->credit >= trial_of(s, w) && !s->kept)
        go(w, true);
}

static void count_gain(struct htmt__sharing *s, struct htmt__worth *w,
                       const struct htmt__window_played *played)
{
    const double most = LIMIT * trial_of(s, w), own = (double)played->own,
                 others = (double)(played->events - played->own);
    if (window_of(s, w) >= LARGE_NS) {
        w->credit += own > 0 ? others / own * (double)played->passed : 0;
    } else {
        w->credit += others * alone(s, w);
        w->uncharged += own;
    }
    if (known(&w->alone) && known(&w->shared)) {
        w->credit -= dearer(w) * w->uncharged;
        w->uncharged = 0;
    }
    w->credit -= (double)played->awaited;
    if (w->credit < most)
        return;
    w->credit = most;
    w->failed = 0;
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
    const bool cold = way.shared && s->warm < WARM && !stalled;
    s->warm += cold && played->own < played->events;
    if (load < FEW || late || cold)
        return;
    if (way.measured && played->own) {
        learn(way.shared ? &w->shared : &w->alone, (double)played->took, played->own);
        if (!way.shared)
            learn(&s->any, (double)played->took, played->own);
    }
    if (way.shared)
        count_gain(s, w, played);
    else
        earn(s, w, alone(s, w) * (double)played->events);
    if (!w->sharing || (w->credit > 0 && !s->kept))
        return;
    w->failed += !s->kept && w->failed < FAILED_MOST;
    go(w, false);
}
