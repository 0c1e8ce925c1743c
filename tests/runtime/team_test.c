/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A team: each piece of a round is worked on once, by whoever comes; a thread that does not come is
 * not waited for, and does nothing to a later round when it comes after all.
 */
#include "runtime/base/error.h"
#include "runtime/host/team.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static bool refused;

bool htmt__fault_hook(void)
{
    return refused;
}

#define PIECES_MOST 64u

struct work {
    unsigned round;                 /* written by the caller between rounds alone */
    unsigned done_in[PIECES_MOST];  /* round, by whoever worked on the piece last: not atomic */
    unsigned before[PIECES_MOST];   /* the round before that */
    atomic_uint helped, looks, own; /* pieces */
    bool slow;                      /* each piece of the caller lasts a millisecond */
    atomic_uint held;          /* a thread's piece lasts until the caller has looked so often */
    _Atomic(pthread_t) helper; /* a thread that has worked */
};

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* What was done to the piece before is seen, and in the right order. */
static void work(void *whose, uint32_t piece, bool helping)
{
    struct work *w = whose;
    if (w->slow && !helping)
        rest();
    while (helping && atomic_load(&w->looks) < atomic_load(&w->held))
        rest();
    w->before[piece] = w->done_in[piece];
    w->done_in[piece] = w->round;
    atomic_fetch_add(helping ? &w->helped : &w->own, 1);
    if (helping)
        atomic_store(&w->helper, pthread_self());
}

static void look(void *whose)
{
    atomic_fetch_add(&((struct work *)whose)->looks, 1);
}

static struct htmt__team *team_of(unsigned threads, uint32_t pieces, struct work *w)
{
    struct htmt__team *t = NULL;
    const struct htmt__team_options o = {.threads = threads,
                                         .processors = htmt__team_processors(),
                                         .pieces = pieces,
                                         .work = work,
                                         .look = look,
                                         .whose = w};
    memset(w, 0, sizeof *w);
    cr_assert_eq(htmt__team_create(&t, &o), 0);
    return t;
}

/* One round, in which each piece is worked on once. */
static void play(struct htmt__team *t, struct work *w, uint32_t pieces, bool invite)
{
    struct htmt__team_round round = {.invite = invite};
    const unsigned before = atomic_load(&w->own) + atomic_load(&w->helped);
    w->round++;
    htmt__team_round(t, &round, false);
    cr_assert_eq(atomic_load(&w->own) + atomic_load(&w->helped), before + pieces);
    for (uint32_t i = 0; i < pieces; i++) {
        cr_assert_eq(w->done_in[i], w->round);
        cr_assert_eq(w->before[i], w->round - 1);
    }
}

Test(team, each_piece_of_each_round_is_worked_on_once)
{
    static const uint32_t pieces[] = {1, 2, 3, 7, 64};
    for (unsigned threads = 0; threads < 6; threads++)
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            struct work w;
            struct htmt__team *t = team_of(threads, pieces[i], &w);
            for (unsigned r = 0; r < 400; r++)
                play(t, &w, pieces[i], true);
            htmt__team_destroy(&t);
            cr_assert_null(t);
        }
}

/* Rounds to which nobody is invited come between others. */
Test(team, without_an_invitation_the_caller_does_all)
{
    struct work w;
    struct htmt__team *t = team_of(3, 8, &w);
    for (unsigned r = 0; r < 600; r++) {
        const unsigned helped = atomic_load(&w.helped);
        play(t, &w, 8, r % 3 == 0);
        cr_assert(r % 3 == 0 || atomic_load(&w.helped) == helped);
    }
    htmt__team_destroy(&t);
}

/* Until a thread has helped: with more pieces than it takes to wake one. */
static void until_helped(struct htmt__team *t, struct work *w, uint32_t pieces)
{
    const unsigned before = atomic_load(&w->helped);
    while (atomic_load(&w->helped) == before) {
        play(t, w, pieces, true);
        rest();
    }
}

/* Threads that found nothing to do for a while sleep. */
Test(team, a_round_wakes_those_that_sleep)
{
    struct work w;
    struct htmt__team *t = team_of(2, 64, &w);
    for (unsigned i = 0; i < 5; i++) {
        rest();
        rest();
        until_helped(t, &w, 64);
    }
    htmt__team_destroy(&t);
}

Test(team, who_waits_long_looks_around)
{
    struct work w;
    struct htmt__team *t = team_of(1, 2, &w);
    struct htmt__team_round round = {.invite = true};
    atomic_store(&w.held, 3);
    do
        htmt__team_round(t, &round, false);
    while (!atomic_load(&w.helped));
    cr_assert_geq(atomic_load(&w.looks), 3);
    cr_assert_gt(round.awaited, 0);
    htmt__team_destroy(&t);
}

/* ---- late ------------------------------------------------------------------------------------ */

static atomic_int stop_here, stopped;

/* SIGTRAP is one of the few signals that threads of the library take. */
static void stand_still(int number)
{
    (void)number;
    atomic_store(&stopped, 1);
    while (atomic_load(&stop_here))
        rest();
    atomic_store(&stopped, 0);
}

/* The only thread beside the caller's is stopped between two rounds, at any place of its waiting,
 * and 2,000 rounds go on without it. Then it finds its way into the present one. */
Test(team, a_thread_that_sleeps_through_rounds_is_not_waited_for, .timeout = 60)
{
    struct work w;
    struct htmt__team *t = team_of(1, 64, &w);
    signal(SIGTRAP, stand_still);
    for (unsigned turn = 0; turn < 10; turn++) {
        until_helped(t, &w, 64);
        atomic_store(&stop_here, 1);
        pthread_kill(atomic_load(&w.helper), SIGTRAP);
        while (!atomic_load(&stopped))
            rest();
        const unsigned helped = atomic_load(&w.helped);
        for (unsigned r = 0; r < 2000; r++)
            play(t, &w, 64, true);
        cr_assert_eq(atomic_load(&w.helped), helped);
        atomic_store(&stop_here, 0);
        while (atomic_load(&stopped))
            rest();
    }
    until_helped(t, &w, 64);
    htmt__team_destroy(&t);
}

/* Pieces of a millisecond are long: behind the first one the thread is invited. */
Test(team, to_a_long_round_threads_are_invited_later)
{
    struct work w;
    struct htmt__team *t = team_of(1, 8, &w);
    struct htmt__team_round round = {.late = 0};
    w.slow = true;
    htmt__team_round(t, &round, false);
    cr_assert(!round.invite);
    cr_assert_eq(atomic_load(&w.own), 8);
    do {
        round = (struct htmt__team_round){.late = 100000};
        htmt__team_round(t, &round, false);
        cr_assert(round.invite);
    } while (!atomic_load(&w.helped));
    cr_assert_eq((atomic_load(&w.own) + atomic_load(&w.helped)) % 8, 0);
    htmt__team_destroy(&t);
}

/* ---- begin and end --------------------------------------------------------------------------- */

Test(team, one_that_plays_no_round_ends)
{
    struct work w;
    struct htmt__team *t = team_of(3, 4, &w);
    cr_assert_eq(htmt__team_start(t), 0);
    htmt__team_destroy(&t);
    htmt__team_destroy(&t);
    cr_assert_eq(atomic_load(&w.own) + atomic_load(&w.helped), 0);
}

Test(team, without_memory_there_is_none)
{
    struct work w = {.round = 0};
    struct htmt__team *t = NULL;
    const struct htmt__team_options o = {.threads = 2, .pieces = 2, .work = work, .whose = &w};
    refused = true;
    int rc = htmt__team_create(&t, &o);
    refused = false;
    cr_assert_eq(rc, HTMT_ENOMEM);
    cr_assert_null(t);
}

Test(team, when_threads_are_refused_the_others_play)
{
    struct work w;
    struct htmt__team *t = team_of(2, 8, &w);
    refused = true;
    cr_assert_eq(htmt__team_start(t), HTMT_ESYSTEM);
    for (unsigned r = 0; r < 10; r++)
        play(t, &w, 8, true);
    refused = false;
    cr_assert_eq(atomic_load(&w.helped), 0);
    htmt__team_destroy(&t);
}

Test(team, there_is_a_processor)
{
    cr_assert_geq(htmt__team_processors(), 1);
}
