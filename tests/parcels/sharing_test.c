/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether windows are shared by threads, on hosts that are made up: what events and rounds take
 * there is given, so how long a run would take can be added up, and compared with one thread.
 */
#include "parcels/clock/sharing.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>

/* A host and a run on it. */
struct host {
    double price;    /* ns an event takes one thread */
    double dearer;   /* times that, in a shared window */
    double others;   /* part of the events that other threads play */
    double round;    /* ns of the clock's own thread for a shared window */
    double awaited;  /* ns, in each shared window */
    unsigned stall;  /* each so many shared windows another thread stops for STALL; 0: never */
    double change;   /* ns of a window that is not played the way of the one before */
    double kept;     /* ns for which the own thread has no processor, for each ns that it has one */
    uint64_t events; /* of a window */
};

#define STALL 18e6

struct tally {
    struct htmt__sharing s;
    double on, now, took, alone; /* ns; alone: had one thread played all */
    uint64_t windows, shared, changes;
    bool last; /* the last window was shared */
};

static void play(struct tally *t, const struct host *h)
{
    const struct htmt__playing way = htmt__sharing_way(&t->s, h->events);
    struct htmt__window_played p = {.events = h->events, .own = h->events, .joined = way.shared};
    double own = h->price * (double)h->events, awaited = 0;
    t->alone += own;
    if (way.shared) {
        p.own -= (uint64_t)(h->others * (double)h->events);
        own = h->price * h->dearer * (double)p.own + h->round;
        awaited = h->stall && ++t->shared % h->stall == 0 ? STALL : h->awaited;
        t->shared += !h->stall;
    }
    if (way.shared != t->last) {
        own += h->change;
        t->changes++;
    }
    t->last = way.shared;
    t->windows++;
    t->took += own + awaited;
    t->on += own;
    t->now += own * (1 + h->kept) + awaited;
    p.passed = (int64_t)(own * (1 + h->kept));
    p.awaited = (int64_t)awaited;
    p.on = (int64_t)t->on;
    p.now = (int64_t)t->now;
    htmt__sharing_heard(&t->s, h->events, way, &p);
}

static void play_for(struct tally *t, const struct host *h, double seconds)
{
    const double end = t->took + 1e9 * seconds;
    while (t->took < end)
        play(t, h);
}

static const struct host idle = {
    .price = 100, .dearer = 1.1, .others = 0.5, .round = 500, .events = 200};

/* Half of the events, each a tenth dearer, and half a us for each 20 us: 0.575 of the time. */
Test(sharing, where_threads_gain_they_play)
{
    struct tally t = {.windows = 0};
    play_for(&t, &idle, 1);
    cr_assert_lt(t.took, 0.61 * t.alone, "%g of %g", t.took, t.alone);
    cr_assert_gt(t.shared, 0.9 * (double)t.windows);
}

/* So much as the essay says: 1/100 of the time, the first trial, and one that is under way; a trial
 * has so many windows until prices are known. */
static void loses_little(const struct host *h, double seconds)
{
    struct tally t = {.windows = 0};
    const double alone = h->price * (double)h->events,
                 shared = alone * (1 - h->others) * h->dearer + h->round + h->awaited,
                 lost = shared > alone ? 2 * 24 * (shared - alone) : 0;
    play_for(&t, h, seconds);
    cr_assert_lt(t.took, t.alone * 1.011 + 2e5 + lost + (h->stall ? STALL : 0),
                 "%g of %g, windows of %g ns", t.took, t.alone, alone);
}

/* Caches that are far from each other; rounds that cost the own thread much; waiting. */
Test(sharing, what_rounds_may_lose_is_a_hundredth)
{
    struct host h = idle;
    for (h.events = 16; h.events < 20000; h.events = h.events * 3 / 2) {
        const double alone = h.price * (double)h.events;
        h.dearer = 3;
        loses_little(&h, 0.3);
        h.dearer = 1.1;
        h.awaited = 1.5 * alone;
        loses_little(&h, 0.3);
        h.awaited = 0;
        h.round = 2 * alone;
        loses_little(&h, 0.3);
        h.round = 500;
    }
}

/* Threads play much, but each so many windows one of them is stopped. */
Test(sharing, stops_of_other_threads_are_paid_back)
{
    struct host h = idle;
    for (h.stall = 20; h.stall < 1000; h.stall *= 3)
        loses_little(&h, 5);
}

Test(sharing, rare_stops_keep_no_threads_away)
{
    struct host h = idle;
    struct tally t = {.windows = 0};
    h.stall = 400000;
    play_for(&t, &h, 20);
    cr_assert_lt(t.took, 0.7 * t.alone, "%g of %g", t.took, t.alone);
}

/* 10 ms of a second, of which threads have gained 0.4 s. */
Test(sharing, one_stop_of_a_run_that_gains_changes_nothing)
{
    struct host stopped = idle;
    struct tally t = {.windows = 0};
    play_for(&t, &idle, 0.2);
    stopped.awaited = 10e6;
    for (unsigned i = 0; i < 200 && !t.last; i++)
        play(&t, &idle);
    play(&t, &stopped);
    const uint64_t windows = t.windows, shared = t.shared;
    play_for(&t, &idle, 0.8);
    cr_assert_gt(t.shared - shared, 0.9 * (double)(t.windows - windows));
}

/* A change takes as long as a hundred windows, since slices pass from cache to cache. On one such
 * host threads gain a fifth, on the other they lose it. */
Test(sharing, changes_that_are_dear_are_rare)
{
    for (unsigned gains = 0; gains < 2; gains++) {
        struct host far = idle;
        struct tally t = {.windows = 0};
        far.change = 2e6;
        far.dearer = gains ? 1.5 : 2.3;
        play_for(&t, &far, 5);
        cr_expect_lt(t.took, (gains ? 0.86 : 1.03) * t.alone, "%g of %g", t.took, t.alone);
        cr_expect_lt((double)t.changes * far.change, 0.1 * t.alone, "%lu", t.changes);
    }
}

/* The own thread waits half of the time for a processor: there is none for others, whatever they
 * seem to gain. */
Test(sharing, on_a_busy_host_one_thread_plays_until_it_is_idle_again)
{
    struct host busy = idle;
    struct tally t = {.windows = 0};
    busy.kept = 1;
    play_for(&t, &busy, 0.5);
    cr_assert_lt(t.shared, 0.02 * (double)t.windows);
    const uint64_t windows = t.windows, shared = t.shared;
    play_for(&t, &idle, 0.5);
    cr_assert_gt(t.shared - shared, 0.7 * (double)(t.windows - windows));
}

/* Events that become cheaper are found out while threads play: by the second look at one thread at
 * the latest. Looks are 40 ms apart then; until then 200 events of 5 ns take 1,350 ns in place of
 * 1,000. */
Test(sharing, a_run_that_changes_is_measured_anew)
{
    struct host now = idle;
    struct tally t = {.windows = 0};
    for (unsigned turn = 0; turn < 6; turn++) {
        now.price = turn % 2 ? 5 : 100; /* a round takes half of a window then */
        now.round = turn % 2 ? 800 : 500;
        const double took = t.took, alone = t.alone;
        const uint64_t windows = t.windows, shared = t.shared;
        play_for(&t, &now, 0.3);
        cr_assert_lt(t.took - took, t.alone - alone + 2 * 40e6 * (1 - 1 / 1.35), "turn %u", turn);
        cr_assert(turn % 2 || t.shared - shared > 0.7 * (double)(t.windows - windows), "turn %u",
                  turn);
    }
}

Test(sharing, windows_of_a_few_events_are_not_shared)
{
    struct host h = idle;
    for (h.events = 0; h.events < 16; h.events++) {
        struct tally t = {.windows = 0};
        for (unsigned i = 0; i < 10000; i++)
            play(&t, &h);
        cr_assert_eq(t.shared, 0);
    }
}

/* Windows of a thousand events come among others that are not worth it. */
Test(sharing, large_windows_are_shared_among_small_ones)
{
    struct host small = idle, large = idle;
    struct tally t = {.windows = 0};
    small.events = 30;
    small.round = 5000;
    large.events = 1000;
    for (unsigned i = 0; i < 200000; i++)
        play(&t, i % 20 ? &small : &large);
    cr_assert_gt(t.shared, 8500);
    cr_assert_lt(t.shared, 15000);
    cr_assert_lt(t.took, 0.8 * t.alone);
}

Test(sharing, what_must_be_shared_is)
{
    struct host bad = {.price = 1, .dearer = 9, .round = 1e6, .stall = 3, .kept = 9, .events = 3};
    struct tally t = {.s.always = true};
    for (unsigned i = 0; i < 1000; i++)
        play(&t, &bad);
    cr_assert_eq(t.shared, t.windows);
}

/* ---- recorded runs --------------------------------------------------------------------------- */

struct recorded {
    unsigned events, ns;
};

/* Windows of one thread, one behind another: `htmt model pic --case thermal --cells 62,64,64
 * --slices 64`, whose events take 20 to 1,600 ns, of one step of the plasma; and `htmt model cannon
 * --size 4096 --slices 64`. */
/* clang-format off */
static const struct recorded plasma[] = {
    {768, 96083}, {64, 4957}, {128, 7841}, {64, 4877}, {128, 2864}, {64, 2304}, {64, 4957},
    {64, 4046}, {64, 1733}, {128, 6069}, {128, 3906}, {64, 1593}, {64, 3335}, {64, 1892},
    {64, 1443}, {128, 5498}, {128, 3025}, {64, 1562}, {128, 3546}, {64, 3315}, {64, 3325},
    {64, 1572}, {128, 4647}, {64, 1393}, {128, 2464}, {64, 2924}, {64, 3746}, {64, 1352},
    {128, 4576}, {64, 1352}, {64, 1462}, {64, 2824}, {64, 4327}, {64, 1312}, {128, 5197},
    {64, 1352}, {64, 2824}, {64, 1833}, {64, 1382}, {128, 4036}, {64, 2043}, {64, 1742},
    {64, 2184}, {128, 89934}, {1280, 137545}, {192, 55112}, {256, 24887}, {128, 14091},
    {256, 20440}, {192, 112868}, {64, 30546}, {64, 3225}, {128, 7021}, {64, 5158}, {192, 7080},
    {128, 6370}, {192, 5458}, {128, 5237}, {192, 4747}, {192, 5348}, {192, 3926}, {320, 10035},
    {192, 4156}, {320, 8583}, {192, 3886}, {320, 8212}, {128, 3455}, {320, 7962}, {64, 1592},
    {256, 6099}, {192, 4657}, {192, 4647}, {192, 37456}, {64, 4446}, {128, 4687}, {128, 3005},
    {128, 3265}, {128, 3185}, {128, 3074}, {128, 3145}, {128, 65167}, {64, 3506}, {128, 4527},
    {64, 3976}, {192, 4977}, {128, 5218}, {192, 4547}, {128, 3635}, {256, 5749}, {128, 3465},
    {384, 9074}, {128, 3515}, {384, 7631}, {128, 3556}, {384, 7481}, {128, 3315}, {320, 6359},
    {128, 3195}, {256, 6269}, {64, 1702}, {192, 4507}, {192, 4557}, {192, 34361}, {64, 11457},
    {128, 7541}, {128, 7051}, {128, 6790}, {128, 5779}, {128, 5869}, {128, 5788}, {128, 18298},
    {64, 2694}, {64, 3605}, {64, 3566}, {64, 3395}, {64, 2694}, {64, 2263}, {320, 245066},
    {64, 19489}, {128, 6109}, {128, 5929}, {128, 6189}, {128, 6179}, {128, 5728}, {128, 5509},
    {128, 6580}, {128, 6290}, {128, 6169}, {128, 9094}, {128, 5539}, {128, 6019}, {128, 5969},
    {128, 5088}, {128, 6200}, {128, 5428}, {128, 5228}, {128, 5588}, {128, 5589}, {128, 5778},
    {128, 270233}, {64, 3185}, {128, 5158}, {64, 4287}, {192, 7241}, {128, 6550}, {192, 4367},
    {128, 5028}, {256, 6660}, {128, 3776}, {384, 10636}, {128, 3786}, {384, 8022}, {128, 3636},
    {384, 8633}, {128, 4417}, {384, 8102}, {128, 3596}, {384, 7922}, {128, 3746}, {384, 8913},
    {128, 3616}, {384, 8012}, {128, 4437}, {384, 7902}, {128, 3626}, {384, 8412}, {128, 4496},
    {384, 8092}, {128, 3525}, {384, 9244}, {128, 3926}, {384, 7851}, {128, 4456}, {384, 8122},
    {128, 3635}, {384, 29003}, {128, 7652}, {384, 10786}, {128, 6370}, {384, 11758}, {128, 5999},
    {384, 10686}, {128, 7071}, {384, 10896}, {128, 6470}, {384, 10345}, {128, 6750}, {320, 8463},
    {128, 5849}, {256, 6891}, {64, 2454}, {192, 8403}, {192, 8463}, {320, 199217}, {64, 33871},
    {128, 29113}, {128, 19539}, {128, 21853}, {128, 20461}, {128, 18828}, {128, 17536},
    {128, 16775}, {128, 14091}, {128, 17205}, {128, 15633}, {128, 16494}, {128, 16134},
    {128, 15293}, {128, 16014}, {128, 15914}, {128, 17096}, {128, 17777}, {128, 14993},
    {128, 14812}, {128, 15152}, {128, 346637}, {64, 4838}, {128, 6170}, {64, 4477}, {192, 6339},
    {128, 6810}, {192, 4196}, {128, 4627}, {256, 5458}, {128, 3595}, {384, 11607}, {128, 3745},
    {384, 8482}, {128, 3565}, {384, 8693}, {128, 4787}, {384, 11928}, {128, 4126}, {384, 9034},
    {128, 3705}, {384, 9033}, {128, 3906}, {384, 8813}, {128, 4376}, {384, 9124}, {128, 3785},
    {384, 8493}, {128, 3666}, {384, 8532}, {128, 3946}, {384, 9164}, {128, 3796}, {384, 8743},
    {128, 3785}, {384, 9694}, {128, 5839}, {384, 10145}, {128, 3856}, {384, 9004}, {128, 4366},
    {384, 9184}, {128, 4267}, {384, 9034}, {128, 4196}, {384, 9344}, {128, 4076}, {384, 8452},
    {128, 4467}, {320, 7482}, {128, 4066}, {256, 6310}, {64, 2514}, {192, 5348}, {192, 5198},
    {128, 82904}, {192, 20451}, {256, 13019}, {128, 6009}, {256, 8582}, {256, 98317},
    {896, 93930}, {64, 4286}, {128, 4747}, {64, 4617}, {128, 2734}, {64, 2794}, {64, 5088},
    {64, 2423}, {64, 2995}, {128, 3285}, {128, 5398}, {128, 2423}, {64, 1853}, {64, 2884},
    {64, 1452}, {128, 2333}, {64, 1993}, {128, 4957}, {128, 2303}, {64, 1662}, {64, 2974},
    {64, 1372}, {64, 1392}, {64, 1652}, {128, 4026}, {64, 2453}, {64, 2714}, {64, 1272},
    {64, 1643}, {128, 3885}, {64, 2865}, {64, 2965}, {64, 1232}, {64, 2804}, {128, 4456},
    {64, 1553}, {64, 4156}, {64, 1282}, {64, 1692}, {128, 3916}, {64, 1493}, {64, 2454},
    {64, 1241}, {576, 628477}, {640, 115693}, {512, 40891}, {512, 40340}, {64, 5318}, {128, 7922},
    {128, 6921}, {128, 8373}, {448, 20371}, {192, 9204}, {192, 7812}, {3840, 677400},
    {3072, 180740}, {3072, 395800}, {64, 54611}, {128, 31978}, {128, 15233}, {128, 15102},
    {128, 14932}, {128, 22254}, {128, 10706}, {128, 13190}, {128, 15093}, {128, 20651},
    {128, 12869}, {128, 13680}, {128, 14121}, {128, 22764}, {128, 14131}, {128, 13780},
    {128, 50505}, {128, 24797}, {128, 14542}, {128, 16044}, {128, 15383}, {128, 19038},
    {128, 14301}, {128, 15413}, {4288, 183173}, {192, 26770}, {192, 44957}, {64, 13921},
    {128, 26730}, {64, 8213}, {128, 14982}, {64, 5508}, {128, 14842}, {64, 5218}, {128, 15343},
    {64, 5808}, {128, 16074}, {64, 6740}, {128, 16335}, {64, 71797}, {512, 144025}, {128, 8382},
};
static const struct recorded cannon[] = {
    {128, 4617}, {64, 20040}, {128, 5619}, {256, 5898}, {64, 18157}, {128, 5699}, {256, 5918},
    {64, 18067}, {128, 5609}, {256, 5958}, {64, 17597}, {128, 5649}, {256, 5949}, {64, 17876},
    {128, 5599}, {256, 5888}, {64, 18278}, {128, 5768}, {256, 5929}, {64, 16254}, {64, 3635},
    {256, 5709}, {64, 10606}, {128, 4586}, {64, 20060}, {128, 5619}, {256, 5949}, {64, 17797},
    {128, 5578}, {256, 5899}, {64, 17846}, {128, 5629}, {256, 5899}, {64, 17907}, {128, 5638},
    {256, 5909}, {64, 17706}, {128, 5619}, {256, 5948}, {64, 18177}, {128, 5599}, {256, 5858},
    {64, 16084}, {64, 3596}, {256, 5699}, {64, 10546}, {128, 4557}, {64, 20080}, {128, 5569},
    {256, 5919}, {64, 18177}, {128, 5639}, {256, 5908}, {64, 17657}, {128, 5678}, {256, 5889},
    {64, 18387}, {128, 5628}, {256, 5909}, {64, 18017}, {128, 5608}, {256, 19279}, {64, 26880},
    {128, 5629}, {256, 5909}, {64, 16305}, {64, 3575}, {256, 5919}, {64, 12298}, {128, 4577},
    {64, 4406}, {192, 24266}, {128, 5679}, {256, 6049}, {64, 18297}, {128, 7781}, {256, 6019},
    {64, 18347}, {128, 5649}, {256, 5959}, {64, 17806}, {128, 5709}, {256, 5949}, {64, 17837},
    {128, 5649}, {256, 5969}, {64, 18227}, {128, 5648}, {256, 6089}, {64, 16414}, {64, 3645},
    {256, 5839}, {64, 10585}, {128, 4607}, {64, 20050}, {128, 5669},
};
/* clang-format on */

/* Play the windows over and over. Those of one thread that last long are shared from then on. */
static void play_recorded(struct tally *t, const struct recorded *window, unsigned count,
                          const struct host *h, double seconds)
{
    uint64_t load = 0;
    for (unsigned i = 0; t->alone < 1e9 * seconds; i = (i + 1) % count) {
        const struct htmt__playing way = htmt__sharing_way(&t->s, load);
        const double ns = window[i].ns, late = way.late ? (double)way.late : ns,
                     from = way.shared  ? 0
                            : late < ns ? late
                                        : ns;
        struct htmt__window_played p = {.events = window[i].events, .joined = from < ns};
        const double part = (1 - h->others) * h->dearer,
                     own = from + (ns - from) * part + (way.shared ? h->round : 0),
                     awaited = p.joined ? h->awaited : 0;
        p.own = p.events - (uint64_t)(h->others * (1 - from / ns) * (double)p.events);
        t->alone += ns;
        t->took += own + awaited;
        t->on += own;
        t->now += own + awaited;
        t->windows++;
        t->shared += way.shared;
        p.passed = (int64_t)own;
        p.awaited = (int64_t)awaited;
        p.on = (int64_t)t->on;
        p.now = (int64_t)t->now;
        htmt__sharing_heard(&t->s, load, way, &p);
        load = p.events;
    }
}

/* The time over that of the better one of both ways, if all windows go the same. */
static double over_the_better(const struct recorded *window, unsigned count, const struct host *h,
                              double seconds)
{
    struct tally chosen = {.windows = 0}, always = {.s.always = true};
    play_recorded(&chosen, window, count, h, seconds);
    play_recorded(&always, window, count, h, seconds);
    return chosen.took / (always.took < always.alone ? always.took : always.alone);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Both ways cost the first trial, of which a short run has more. */
Test(sharing, recorded_runs_take_hardly_more_than_the_better_way)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    static const double dearer[] = {1.05, 1.1, 1.3, 1.6, 1.8, 2, 3, 5};
    for (unsigned i = 0; i < 2 * COUNT(dearer); i++) {
        const double times = dearer[i / 2];
        const struct host h = {.dearer = times,
                               .others = i % 2 ? 0.5 : 0.05,
                               .round = 1000 * times,
                               .awaited = 500 * times};
        for (double seconds = 0.4; seconds < 5; seconds *= 10) {
            const double pic = over_the_better(plasma, COUNT(plasma), &h, seconds),
                         product = over_the_better(cannon, COUNT(cannon), &h, seconds);
            cr_log_info("dearer %g, others %g, %g s: %.3f, %.3f", times, h.others, seconds, pic,
                        product);
            cr_expect_lt(pic, seconds < 1 ? 1.06 : 1.02);
            cr_expect_lt(product, 1.03);
        }
    }
}
