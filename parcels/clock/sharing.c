/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether windows are worth several threads.
 *
 * The idea. Sharing a window costs something: threads look for the round or are woken, and a thread
 * from which the host takes its processor keeps all others waiting. It gains what others have
 * played meanwhile. Most of all it costs to change between both ways, for then half of what slices
 * have lies in the other cache. Where processors are far from each other, a run of 1,053 windows of
 * 70 us took 70 ms on one thread, 62 ms on two, and 105 ms with blocks of four windows in turns. So
 * the way is chosen for the run and not for a window, and it seldom changes.
 *
 * Episodes. One thread plays for START_NS, since a shorter run is not worth a thread. Then comes a
 * trial: all threads play for TRIAL_NS, or for 1/100 of the time since the last trial, so that the
 * trials of a long run are longer. It ends sooner if it clearly loses. If nothing is clear it takes
 * twice as long, or eight times before it has had TRIAL_MANY windows.
 *
 *     one thread |...........|     |....................|     |..|                  |..
 *     all                    |trial|                    |trial|  |..................|
 *                                 lost: 100 times as long,     gained: it leads; a look at
 *                                 doubled for each in a row    the other way now and then
 *
 * A trial that gains less than a twentieth is given up, and one thread plays for 100 times what was
 * lost, at least 20 times the trial; twice as long after each further one in a row, up to 16 times.
 * So trials cost 1/100 of the time beside the first one. While sharing leads, one thread plays for
 * LOOK_NS each 10 ms, later 40 ms, or 40 times as long as such a look took. If sharing is found to
 * lose, it ends there.
 *
 * What is compared. Time over events, of either way, does not tell: events of one run differ
 * 80-fold, a hundredth of the windows has half of the time, and both ways see other windows. But
 * events of one window are alike. So a shared window itself tells what it would have taken:
 *
 *     work = time worked * all its events / own events
 *     quotient = sum of (time worked + time awaited) / sum of work * dearer
 *
 * Only `dearer` is taken from windows of both ways: how many times as long the own thread needs for
 * an event when several threads play. It is 1.1 or so where processors are near each other, and was
 * seen at 3. It is the difference of two means of the logarithm of ns an event, with the weight of
 * each window's ns to the power of 3/4: the longer ones have the time, but the longest must not
 * have all the say. Classes of windows, by their number of events, have means of their own. What
 * these may be wrong by is the deviation of their logarithms over the root of their number. Before
 * much is known, the logarithm is expected at 0.2, with a deviation of 0.4, as on most hosts; later
 * where the last trial found it. What was measured and what was expected count by the inverse
 * squares of their deviations (a normal prior). Hence a trial of ten windows finds two near
 * processors, and needs more of them to believe in far ones.
 *
 * Classes that lose while the run gains, as windows of few events may, are left out: one thread
 * plays them in episodes of all threads, too. What they take then, among windows that other threads
 * play, is learnt anew and counts. Windows of less than FEW events are never shared: two lines that
 * pass between two caches take as long.
 *
 * Stops. Sometimes others are awaited for much longer than their work takes: the host has stopped a
 * thread. That happens seldom and may take 1,000 windows' time, so it says nothing about a class.
 * It has an account of its own. What sharing gains is laid up there, up to STOPS_MOST, and stops
 * are taken from it. When it is overdrawn, one thread plays until its time has paid the debt: by
 * 1/50 after the first time in a row, half as much after each further one. So a thread that is
 * stopped for 10 ms in a run that has gained 200 ms changes nothing, and where stops cost more than
 * is gained one thread plays.
 *
 * A busy host. Where more wants to run than there are processors, the clock's own thread waits for
 * one, too. A woken thread may take that one away, and whether it does shows in no round. So the
 * time that passes is compared with the time for which the own thread had a processor. If it had
 * none for more than a quarter of the last SEEN_NS or so, there is none for others, and one thread
 * plays until that changes. To ask for a thread's time is a system call in which Linux ends a turn
 * that is over, which else lasts to its next tick: asked in each eighth window of 8 us, a thread
 * beside twelve busy loops had 80 turns instead of 28 for the same work. So it is asked each 2 ms,
 * and each 20 ms where the host is busy.
 *
 * Long windows. A window of few events may take 1,000 times as long as the last one, which nothing
 * tells beforehand. When a window of one thread lasts LATE_NS, others may take the partitions that
 * are left (team.c), while sharing leads or where nothing is known of it because all windows have
 * few events. When half of what others have played of them was less than what was awaited, it is
 * paid back by 1/100 of the time.
 *
 * By hand: windows of 128 events, 100 ns each, 12.8 us. After 234 of them, 3 ms, a trial of 1 ms.
 * Near processors: the own thread plays 64 events at 110 ns and awaits 1 us, so a window takes 8 us
 * and `work` is 14.1 us. Of 64 windows of one thread and 124 shared ones, logarithms of 0.5
 * deviation: dearer is 0.1 +- 0.08, 0.10 with what was expected. The logarithm of the quotient is
 * log(8 / 14.1) + 0.10 = -0.46: sharing leads. Far ones: events take 300 ns, 20.2 us a window, and
 * `work` is 38.4 us. After 16 windows dearer is 1.1 +- 0.14, 1.0 with what was expected, and the
 * quotient log(20.2 / 38.4) + 1.0 = 0.36 +- 0.13: it loses, and the trial ends after 0.3 ms. It has
 * lost 0.3 ms * (1 - exp(-0.36)) = 0.1 ms, so the next one comes after 10 ms, then 20 ms.
 */
#include "parcels/clock/sharing.h"

#include <math.h>

#define FEW 16u /* events */

/* Means */
#define SAMPLES    8.0   /* windows of a class, each way, until they count */
#define LAST       256.0 /* windows that a mean is of */
#define KEPT_TRIAL 64.0  /* of one thread: those that it stays one of when a trial begins, */
#define KEPT_LOOK  32.0  /* or a look */
#define WEIGHT     0.75  /* of a window: its ns to this power */
#define VARIANCE   0.25  /* of logarithms, at least */
#define HOST       0.2   /* by what events of any host get dearer, a logarithm, */
#define HOST_DOUBT 0.4   /* and its standard deviation */
#define SURE       2.0   /* standard deviations */
#define COLD       2u    /* windows of an episode that do not count */
#define EACH       8u    /* of later windows one in so many counts; trials are looked at as often */

/* Trials */
#define START_NS      3e6
#define START_LEAST   32u /* windows */
#define TRIAL_NS      1e6
#define TRIAL_LEAST   12u
#define TRIAL_LONGER  2.0
#define TRIAL_MANY    48u
#define TRIAL_LONGEST 8.0 /* before it has so many windows */
#define TRIAL_PART    100.0
#define WAIT_PART     20.0
#define LEAST         0.05 /* a gain, a logarithm */
#define FAILED_MOST   4u

/* While sharing leads */
#define LEADS_NS   10e6
#define LEADS_MOST 2u /* times that this is doubled */
#define LOOK_NS    1e6
#define LOOK_LEAST 4u   /* windows */
#define LOOK_PART  40.0 /* of a look */
#define HOLD       0.6  /* standard deviations by which it must lose to end */
#define OUT        24.0 /* windows of a class, each way, until it may be left out */

/* Long windows */
#define LATE_NS   300000
#define LATE_MOST 1e6
#define LATE_PART 0.01

/* The host */
#define STOP_NS      100000
#define STOPS_FIRST  1e6
#define STOPS_MOST   50e6
#define STOPS_PART   0.04
#define STOPS_FAILED 5u
#define SEEN_NS      50000000
#define SEEN_FIRST   8000000
#define KEPT_PART    4
#define UNSEEN       2e6
#define UNSEEN_KEPT  2e7

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
    m->weights *= factor;
    m->windows *= factor;
}

/* The weight of a long window is the greater one, since it has more of the time. */
static void learn(struct htmt__mean *m, double logarithm, double weight)
{
    if (m->windows >= LAST)
        scale(m, 0.5);
    m->sum += weight * logarithm;
    m->squares += weight * logarithm * logarithm;
    m->weight += weight;
    m->weights += weight * weight;
    m->windows++;
}

static double mean_of(const struct htmt__mean *m)
{
    return m->sum / m->weight;
}

/* The square of what the mean may be wrong by. */
static double doubt_of(const struct htmt__mean *m)
{
    const double mean = mean_of(m), variance = fmax(m->squares / m->weight - mean * mean, VARIANCE);
    return variance * m->weights / (m->weight * m->weight);
}

static bool known(const struct htmt__worth *w)
{
    return w->alone.windows >= SAMPLES && w->shared.windows >= SAMPLES;
}

/* How many times as long windows take when they are shared: a logarithm, and its standard
 * deviation. */
struct quotient {
    double log, doubt;
    double best; /* of the run: if classes that lose are left out */
    bool known;
};

static bool loses(struct quotient q)
{
    return q.known && q.log > SURE * q.doubt;
}

/* How much dearer events are: its logarithm, and the square of its standard deviation. What was
 * measured and what is expected of any host count by how sure they are. */
static double dearer_of(const struct htmt__worth *w, double expected, double *doubt)
{
    double log = expected, square = HOST_DOUBT * HOST_DOUBT;
    if (known(w)) {
        const double measured = mean_of(&w->shared) - mean_of(&w->alone),
                     of = doubt_of(&w->shared) + doubt_of(&w->alone);
        log = (log * of + measured * square) / (of + square);
        square = of * square / (of + square);
    }
    *doubt = square;
    return log;
}

static struct quotient of_class(const struct htmt__sharing *s, const struct htmt__worth *w)
{
    struct quotient q = {.known = w->spent > 0};
    if (!q.known)
        return q;
    q.log = dearer_of(w, HOST + s->dearer, &q.doubt) + log(w->spent / w->work);
    q.doubt = sqrt(q.doubt);
    return q;
}

/* Of the run: what was shared, over what one thread would have taken. */
static struct quotient of_run(const struct htmt__sharing *s)
{
    struct quotient all = {0};
    double spent = 0, alone = 0, best = 0;
    for (unsigned i = 0; i < HTMT__LOADS; i++) {
        const struct htmt__worth *w = &s->of[i];
        const struct quotient q = of_class(s, w);
        if (!q.known)
            continue;
        spent += w->spent;
        alone += w->spent * exp(-q.log);
        best += w->spent * (loses(q) ? exp(-q.log) : 1);
        all.doubt += q.doubt * q.doubt * w->spent * w->spent;
    }
    all.known = spent > 0;
    all.log = all.known ? log(spent / alone) : 0;
    all.best = all.known ? log(best / alone) : 0;
    all.doubt = all.known ? sqrt(all.doubt) / spent : 0;
    return all;
}

/* ---- episodes -------------------------------------------------------------------------------- */

static void go(struct htmt__sharing *s, bool shared, double until)
{
    s->shared = shared;
    s->until = until;
    s->lasted = 0;
    s->windows = 0;
}

/* What is known of one thread stays with so much weight. */
static void forget(struct htmt__sharing *s, double windows)
{
    for (unsigned i = 0; i < HTMT__LOADS; i++)
        if (s->of[i].alone.windows > windows)
            scale(&s->of[i].alone, windows / s->of[i].alone.windows);
}

static void begin_trial(struct htmt__sharing *s)
{
    forget(s, KEPT_TRIAL);
    for (unsigned i = 0; i < HTMT__LOADS; i++) {
        struct htmt__worth *w = &s->of[i];
        w->shared = (struct htmt__mean){0};
        w->work = w->spent = 0;
        w->out = false;
    }
    s->tried = true;
    go(s, true, fmax(TRIAL_NS, s->lasted / TRIAL_PART));
}

/* What was found out is what is expected the next time. */
static void remember(struct htmt__sharing *s)
{
    double dearer = 0, spent = 0, doubt;
    for (unsigned i = 0; i < HTMT__LOADS; i++) {
        const struct htmt__worth *w = &s->of[i];
        dearer += w->spent * dearer_of(w, HOST + s->dearer, &doubt);
        spent += w->spent;
    }
    if (spent > 0)
        s->dearer = dearer / spent - HOST;
}

/* One thread plays, for so much longer than what sharing for so many ns has lost. */
static void give_up(struct htmt__sharing *s, double ns, double quotient)
{
    const double wait = fmax(TRIAL_PART * (1 - exp(-quotient)), WAIT_PART) * ns;
    remember(s);
    s->leads = false;
    go(s, false, fmax(wait, START_NS) * (1u << s->failed));
    s->failed += s->failed < FAILED_MOST;
}

/* Of a class that loses; what it takes among shared ones is learnt anew. */
static void leave_out(struct htmt__worth *w, struct quotient q)
{
    if (w->out || !loses(q))
        return;
    w->out = true;
    w->work = w->spent = 0;
    w->shared = (struct htmt__mean){0};
}

static void lead(struct htmt__sharing *s)
{
    if (!s->leads)
        s->confirmed = 0;
    for (unsigned i = 0; i < HTMT__LOADS && !s->leads; i++)
        leave_out(&s->of[i], of_class(s, &s->of[i]));
    const double look = s->leads ? LOOK_PART * s->lasted : 0;
    s->leads = true;
    s->failed = 0;
    go(s, true, fmax(look, LEADS_NS * (1u << s->confirmed)));
    s->confirmed += s->confirmed < LEADS_MOST;
}

/* A window of the present episode was played, behind which another one may begin. */
static void next_episode(struct htmt__sharing *s)
{
    const bool over = s->lasted >= s->until,
               fast = s->shared && s->windows >= TRIAL_LEAST && s->windows % EACH == 0;
    if (s->shared && (s->kept || s->stopped)) {
        go(s, false, START_NS);
        s->leads = false;
        return;
    }
    if (!over && !fast)
        return;
    const struct quotient q = of_run(s);
    s->known = q.known;
    if (s->shared && loses(q) && (s->leads || q.best > -LEAST))
        give_up(s, fmin(s->lasted, s->until), q.log);
    else if (!over)
        return;
    else if (s->shared && s->leads) {
        forget(s, KEPT_LOOK);
        go(s, false, LOOK_NS);
    } else if (s->shared) {
        const double longer = s->windows < TRIAL_MANY ? TRIAL_LONGEST : TRIAL_LONGER;
        if (s->windows < TRIAL_LEAST ||
            (fabs(q.best + LEAST) < q.doubt && s->lasted < longer * s->until))
            return;
        if (q.best < -LEAST)
            lead(s);
        else
            give_up(s, s->lasted, q.log);
    } else if (s->leads) {
        if (s->windows < LOOK_LEAST)
            return;
        if (q.log > HOLD * q.doubt)
            give_up(s, LOOK_NS, q.log);
        else
            lead(s);
    } else if (!s->kept && !s->stopped && (s->tried || s->windows >= START_LEAST))
        begin_trial(s);
}

/* ---- before a window ------------------------------------------------------------------------- */

struct htmt__playing htmt__sharing_way(struct htmt__sharing *s, uint64_t load)
{
    const struct htmt__worth *w = class_of(s, load);
    const bool refused = s->kept || s->stopped;
    struct htmt__playing way = {.shared = s->always};
    if (s->always)
        return way;
    if (!refused && s->late >= 0 && (s->leads || (s->played >= START_NS && !s->known)))
        way.late = LATE_NS;
    way.shared = load >= FEW && s->shared && !s->stopped && !w->out;
    way.measured = !s->now_last || s->unseen >= (s->kept ? UNSEEN_KEPT : UNSEEN);
    return way;
}

/* ---- the host -------------------------------------------------------------------------------- */

/* Both clocks were looked at. What was before the first look counts as a host without others. */
static void look_at_host(struct htmt__sharing *s, const struct htmt__window_played *played)
{
    if (s->now_last) {
        s->on += played->on - s->on_last;
        s->passed += played->now - s->now_last - s->awaited;
    } else {
        s->on = s->passed = SEEN_FIRST;
    }
    s->on_last = played->on;
    s->now_last = played->now;
    s->awaited = 0;
    s->unseen = 0;
    s->kept = s->passed - s->on > s->passed / KEPT_PART;
    while (s->passed > SEEN_NS) {
        s->passed /= 2;
        s->on /= 2;
    }
}

/* Of what was awaited, that which the others' work does not explain: the host stopped one. */
static double stop_of(const struct htmt__window_played *played)
{
    const double others = (double)(played->events - played->own), own = (double)played->own,
                 work = played->own ? (double)played->passed * others / own : 0;
    return fmax((double)played->awaited - 2 * work - STOP_NS, 0);
}

static void count_stop(struct htmt__sharing *s, double stop)
{
    s->stops -= stop;
    if (s->stops >= -STOPS_FIRST || s->stopped)
        return;
    s->stopped = true;
    s->stops_failed += s->stops_failed < STOPS_FAILED;
}

/* One thread pays back what stops have cost; others lay up what they gain. */
static void count_host(struct htmt__sharing *s, const struct htmt__worth *w, bool shared, double ns)
{
    if (s->stopped && !shared) {
        s->stops += STOPS_PART * ns / (1u << s->stops_failed);
        s->stopped = s->stops < 0;
    } else if (shared) {
        s->stops += ns * w->gain;
        if (s->stops < STOPS_MOST)
            return;
        s->stops = STOPS_MOST;
        s->stops_failed = 0;
    }
}

/* ---- after a window -------------------------------------------------------------------------- */

/* What others have played of a window that was shared from way.late on. */
static void count_late(struct htmt__sharing *s, const struct htmt__window_played *played)
{
    const double others = (double)(played->events - played->own), own = (double)played->own,
                 gain = played->own ? others / own * (double)played->passed : 0;
    s->late = fmin(s->late + gain / 2 - (double)played->awaited, LATE_MOST);
}

static void measure(struct htmt__sharing *s, struct htmt__worth *w, double stop,
                    const struct htmt__window_played *played)
{
    const double events = (double)played->events, own = (double)played->own,
                 passed = fmax((double)played->passed, 1);
    learn(s->shared ? &w->shared : &w->alone, log(passed / own),
          pow(passed * events / own, WEIGHT));
    if (!s->shared)
        return;
    w->work += passed * events / own;
    w->spent += passed + (double)played->awaited - stop;
    if (w->spent > SEEN_NS) {
        w->work /= 2;
        w->spent /= 2;
    }
    const struct quotient q = of_class(s, w);
    w->gain = exp(-q.log) - 1;
    if (s->leads && w->shared.windows >= OUT && w->alone.windows >= OUT)
        leave_out(w, q);
}

void htmt__sharing_heard(struct htmt__sharing *s, uint64_t load, struct htmt__playing way,
                         const struct htmt__window_played *played)
{
    struct htmt__worth *w = class_of(s, load);
    const double stop = stop_of(played), ns = (double)(played->passed + played->awaited) - stop;
    s->awaited += played->awaited;
    s->unseen += ns;
    if (s->always)
        return;
    if (stop > 0)
        count_stop(s, stop);
    if (way.measured)
        look_at_host(s, played);
    if (played->joined && !way.shared)
        count_late(s, played);
    else if (s->late < 0)
        s->late += LATE_PART * ns;
    s->played += s->played < START_NS ? ns : 0;
    if (s->until == 0)
        s->until = START_NS;
    if (load < FEW)
        return;
    const unsigned turn = s->windows++;
    s->lasted += turn >= COLD ? ns : 0;
    const bool late = played->joined && !way.shared;
    if (!late && played->own && turn >= COLD && (turn < LAST || turn % EACH == 0))
        measure(s, w, stop, played);
    count_host(s, w, way.shared, ns);
    next_episode(s);
}
