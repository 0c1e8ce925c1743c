/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A team: every thread does its part of every round, and a round is over when all have.
 */
#include "runtime/base/error.h"
#include "runtime/host/team.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <time.h>

static bool refused;

bool htmt__fault_hook(void)
{
    return refused;
}

struct count {
    atomic_uint parts;
    atomic_uint looks;
    unsigned plain; /* written by the caller between rounds alone */
    atomic_uint seen;
    unsigned watched; /* a part ends when the caller has looked around so often */
};

static void work(void *whose)
{
    struct count *c = whose;
    while (atomic_load(&c->looks) < c->watched)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&c->seen, c->plain);
    atomic_fetch_add(&c->parts, 1);
}

static void look(void *whose)
{
    atomic_fetch_add(&((struct count *)whose)->looks, 1);
}

static struct htmt__team *team_of(unsigned threads, struct count *c)
{
    struct htmt__team *t = NULL;
    const struct htmt__team_options o = {.threads = threads, .work = work, .whose = c};
    cr_assert_eq(htmt__team_create(&t, &o), 0);
    return t;
}

static void play(struct htmt__team *t, struct count *c, unsigned threads, unsigned rounds)
{
    for (unsigned i = 1; i <= rounds; i++) {
        c->plain = i;
        htmt__team_begin(t);
        htmt__team_await(t, look);
        cr_assert_eq(atomic_load(&c->parts), threads * i);
        cr_assert_eq(atomic_load(&c->seen), threads * (i * (i + 1) / 2));
    }
}

Test(team, every_thread_plays_every_round)
{
    for (unsigned threads = 0; threads < 5; threads++) {
        struct count c = {.watched = 0};
        struct htmt__team *t = team_of(threads, &c);
        play(t, &c, threads, 300);
        htmt__team_destroy(&t);
        cr_assert_null(t);
    }
}

/* Threads that found nothing to do for so long sleep. */
Test(team, a_round_wakes_those_that_sleep)
{
    struct count c = {.watched = 0};
    struct htmt__team *t = team_of(2, &c);
    for (unsigned i = 1; i <= 5; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
        c.plain = 1;
        htmt__team_begin(t);
        htmt__team_await(t, look);
        cr_assert_eq(atomic_load(&c.parts), 2 * i);
    }
    htmt__team_destroy(&t);
}

Test(team, who_waits_long_looks_around)
{
    struct count c = {.watched = 3};
    struct htmt__team *t = team_of(1, &c);
    htmt__team_begin(t);
    int64_t ns = htmt__team_await(t, look);
    cr_assert_gt(ns, 0);
    cr_assert_geq(atomic_load(&c.looks), 3);
    htmt__team_destroy(&t);
}

Test(team, one_that_plays_no_round_ends)
{
    struct count c = {.watched = 0};
    struct htmt__team *t = team_of(3, &c);
    htmt__team_destroy(&t);
    htmt__team_destroy(&t);
    cr_assert_eq(atomic_load(&c.parts), 0);
}

Test(team, a_thread_that_is_refused_leaves_no_team)
{
    struct count c = {.watched = 0};
    struct htmt__team *t = NULL;
    const struct htmt__team_options o = {.threads = 2, .work = work, .whose = &c};
    refused = true;
    int rc = htmt__team_create(&t, &o);
    refused = false;
    cr_assert(rc == HTMT_ENOMEM || rc == HTMT_ESYSTEM);
    cr_assert_null(t);
}
