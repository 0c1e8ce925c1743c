/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds of a team.
 *
 * The idea. A round is over when its pieces are done, whoever did them. The caller works as its
 * threads do, so a round ends even if no other thread runs at all: on a busy host a thread may not
 * get a processor for many rounds. Only a piece that another thread has begun must be waited for.
 *
 * Who works on which piece. Thread k of n, the caller being 0, has a range of the pieces, so that
 * it finds in its cache what it left there in the last round. It takes those in order, then the
 * next ones of the other ranges. Each range has one word, `claim`: the number of the last round in
 * which a piece of it was claimed, and how many were. A piece is claimed by a compare-and-swap of
 * that word. A word with the number of an earlier round says that nothing of the range is claimed
 * yet. So a round begins with one store, of its number into `round`, by which the others are
 * invited. That may come later, when a round turns out to be long, or never: then the caller does
 * all pieces, and the words have the number of a round that no other thread has read.
 *
 * Why each piece is worked on once, and a late thread does no harm. Let a thread have read the
 * number r in `round` and then try to claim.
 * (1) Round r is on. The words have numbers up to r. A swap either is the only one that makes the
 *     step from c to c + 1 claims of r, or fails and is tried again with the newer word.
 * (2) Round r is over. Then every piece was claimed in r, so the word of each range that has pieces
 *     had the number r and all of its claims when r ended. Numbers in a word never fall. So the
 *     thread now finds r and nothing left, or a greater number, and claims nothing. If it read the
 *     word when r was still on and swaps only now, the word has changed in between, since in the
 *     word that it read a piece was left: the swap fails. A word never has the same value again,
 *     because 48 bits of rounds do not wrap around: at one each 100 ns they last 325 days.
 * So a claim that succeeds is of a round that is on, and that round waits for its piece.
 *
 * Memory order. The caller stores `round` after all that it did before (release), and a thread
 * works on pieces of r only after it has read r there (acquire). A thread adds the pieces that it
 * has done to `done` (release), and the round ends when the caller has read in `done` that those of
 * all others are there (acquire). So what was done to a piece in one round is seen by whoever works
 * on it in the next: through `done` by the caller, through `round` by that thread. Claims only
 * decide who works; they need no order but that of each word itself. The caller sets `done` to 0
 * before the round begins: whoever adds to it has claimed a piece, thus nobody does between rounds.
 *
 * Waiting. A thread that finds no new round, and a caller that misses pieces, look for a while
 * (REST_NS, SPIN_NS), about what falling asleep and waking up cost. Then they sleep on a futex. A
 * thread that will sleep reads `bell`, sets `asleep`, and looks at `round` once more. The caller
 * stores `round`, then looks at `asleep`; if it is set, the caller clears it, changes `bell` and
 * wakes all who sleep there. All this is in the single order of sequentially consistent atomics. So
 * either the thread sees the round, or the caller sees `asleep`; and a thread that read `bell`
 * before its change does not fall asleep after it. One whom the host keeps from its processor is
 * woken once and not in each round. A caller that will sleep says so in `awaits` before its last
 * look at `done`, and a thread looks there after it has added. Where there are more threads than
 * processors nobody looks for long, since the one that is waited for may need this processor.
 *
 * What it costs. Without other threads, a store and a compare-and-swap for each piece, all in the
 * caller's cache. With them, `round`, `done` and the words of ranges pass from cache to cache, some
 * 0.1 us each; a sleeper costs a system call.
 *
 * By hand: 2 threads, 4 pieces, so the caller has 0 and 1, the other one 2 and 3; all words are
 * (0, 0), the round and its claims. The caller stores round 1 and claims 0: its word is (1, 1). The
 * other thread reads 1 and claims 2. The caller is done with 0 and with 1, (1, 2), finds the other
 * word at (1, 1), claims 3, and does it. All words are (1, 2). It has done three of four, so it
 * waits until `done` is 1. Meanwhile the other thread ends 2, finds nothing left, adds 1, and the
 * round is over. Now suppose that the host stops that thread before it reads round 2. The caller
 * does all four pieces, needs nobody, and goes on to round 3, ... , 9. If the thread had read 2
 * before it was stopped, it finds (9, 1) and (9, 0) in round 9, whose numbers are greater than 2:
 * it leaves both alone, reads `round` again and works in round 9.
 */
#define _GNU_SOURCE /* CPU_COUNT, syscall */
#include "runtime/host/team.h"

#include "runtime/base/error.h"
#include "runtime/base/pages.h"
#include "runtime/base/system_file.h"
#include "runtime/host/crash.h"
#include "runtime/host/monotonic.h"
#include "runtime/host/thread.h"
#include "runtime/host/watchdog.h"

#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <urcu/arch.h>

#define SPIN_NS 50000  /* for pieces */
#define REST_NS 200000 /* for a round */
#define LOOKS   16u    /* from one look at the time to the next */
#define LOOK_NS 1000000

#define CLAIMS 16 /* bits of a word, below those of the round */

struct range {
    _Alignas(64) _Atomic uint64_t claim; /* round << CLAIMS | claims */
    uint32_t first, count;
};

struct member {
    struct htmt__team *team;
    unsigned number; /* 0: the caller */
    pthread_t thread;
};

struct htmt__team {
    struct htmt__team_options o;
    struct range *range; /* of each thread */
    struct member *member;
    unsigned threads, started; /* threads: the caller included */
    bool tight;                /* more threads than processors */
    bool refused;              /* some thread was */
    uint64_t begun;            /* rounds */
    /* The round that is on, or was the last. */
    _Alignas(64) _Atomic uint64_t round;
    atomic_bool stop;
    _Alignas(64) _Atomic uint32_t done; /* pieces of this round, by others than the caller */
    atomic_bool awaits;                 /* the caller may sleep on `done` */
    _Alignas(64) atomic_bool asleep;    /* some threads may be */
    _Atomic uint32_t bell;              /* changes when they are to wake */
};

/* ---- sleeping -------------------------------------------------------------------------------- */

/* While the word has that value; at most so many ns, 0: without an end. May return at any time. */
static void word_sleep(_Atomic uint32_t *word, uint32_t value, long ns)
{
    const struct timespec most = {.tv_nsec = ns};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &most : NULL, NULL, 0);
}

static void word_wake(_Atomic uint32_t *word, int threads)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The next piece of the range, for a thread that has read that round. */
static bool claim(struct range *range, uint64_t round, uint32_t *piece)
{
    uint64_t word = atomic_load_explicit(&range->claim, memory_order_relaxed);
    for (;;) {
        const uint64_t of = word >> CLAIMS;
        const uint32_t claims = of < round ? 0 : (uint32_t)(word & ((1u << CLAIMS) - 1));
        if (of > round || claims == range->count)
            return false;
        if (atomic_compare_exchange_weak_explicit(&range->claim, &word,
                                                  round << CLAIMS | (claims + 1),
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *piece = range->first + claims;
            return true;
        }
    }
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* Until another round than the last one has begun. */
static uint64_t await_round(struct htmt__team *t, uint64_t last)
{
    const int64_t begin = htmt__monotonic_ns();
    uint64_t round;
    do {
        for (unsigned i = 0; i < LOOKS; i++) {
            if ((round = atomic_load_explicit(&t->round, memory_order_acquire)) != last)
                return round;
            caa_cpu_relax();
        }
    } while (!t->tight && htmt__monotonic_ns() - begin < REST_NS);
    for (;;) {
        const uint32_t bell = atomic_load(&t->bell);
        atomic_store(&t->asleep, true);
        if ((round = atomic_load(&t->round)) != last)
            return round;
        word_sleep(&t->bell, bell, 0);
    }
}

static void run(void *argument)
{
    const struct member *m = argument;
    struct htmt__team *t = m->team;
    for (uint64_t round = 0;;) {
        round = await_round(t, round);
        if (atomic_load(&t->stop))
            return;
        uint32_t piece, worked = 0;
        for (unsigned i = 0; i < t->threads; i++)
            for (; claim(&t->range[(m->number + i) % t->threads], round, &piece); worked++)
                t->o.work(t->o.whose, piece, true);
        if (!worked)
            continue;
        atomic_fetch_add(&t->done, worked);
        if (atomic_load(&t->awaits))
            word_wake(&t->done, 1);
    }
}

static void *thread_main(void *argument)
{
    struct member *m = argument;
    const struct htmt__team_options *o = &m->team->o;
    struct htmt__watched watched;
    htmt__watchdog_enter(o->watchdog, &watched);
    htmt__crash_guard(run, m, o->diagnose);
    htmt__watchdog_leave(o->watchdog, &watched);
    return NULL;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The threads see the round that has begun. */
static void publish(struct htmt__team *t)
{
    atomic_store(&t->round, t->begun);
    if (!atomic_load(&t->asleep))
        return;
    atomic_store(&t->asleep, false);
    atomic_fetch_add(&t->bell, 1);
    word_wake(&t->bell, (int)t->threads);
}

static void invite(struct htmt__team *t)
{
    if (!t->refused)
        t->refused = htmt__team_start(t) != 0;
    publish(t);
}

/* Until others have done so many pieces. Returns ns. */
static int64_t await_done(struct htmt__team *t, uint32_t pieces)
{
    if (atomic_load_explicit(&t->done, memory_order_acquire) == pieces)
        return 0;
    const int64_t begin = htmt__monotonic_ns();
    int64_t now = begin, looked = begin;
    while (!t->tight && now - begin < SPIN_NS) {
        for (unsigned i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&t->done, memory_order_acquire) == pieces)
                return htmt__monotonic_ns() - begin;
            caa_cpu_relax();
        }
        now = htmt__monotonic_ns();
    }
    atomic_store(&t->awaits, true);
    for (uint32_t done; (done = atomic_load(&t->done)) != pieces;) {
        word_sleep(&t->done, done, LOOK_NS);
        now = htmt__monotonic_ns();
        if (now - looked < LOOK_NS)
            continue;
        t->o.look(t->o.whose);
        looked = now;
    }
    atomic_store(&t->awaits, false);
    return htmt__monotonic_ns() - begin;
}

/* The caller's part: pieces until none is left, and how many. */
static uint32_t take_all(struct htmt__team *t, struct htmt__team_round *round, int64_t begin)
{
    uint32_t piece, worked = 0;
    for (unsigned i = 0; i < t->threads; i++)
        while (claim(&t->range[i], t->begun, &piece)) {
            t->o.work(t->o.whose, piece, false);
            if (++worked < t->o.pieces && round->late && !round->invite &&
                htmt__monotonic_ns() - begin > round->late) {
                round->invite = true;
                invite(t);
            }
        }
    return worked;
}

int64_t htmt__team_round(struct htmt__team *t, struct htmt__team_round *round, bool measured)
{
    const int64_t begin = htmt__monotonic_ns();
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    t->begun++;
    if (round->invite)
        invite(t);
    const uint32_t others = t->o.pieces - take_all(t, round, begin);
    round->passed = htmt__monotonic_ns() - begin;
    const int64_t on = measured ? htmt__thread_ns() : 0;
    round->awaited = await_done(t, others);
    return on;
}

/* ---- life ------------------------------------------------------------------------------------ */

unsigned htmt__team_processors(void)
{
    const double quota = htmt__system_quota("");
    cpu_set_t set;
    long processors =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    if (quota < (double)processors)
        processors = (long)ceil(quota);
    return processors > 0 ? (unsigned)processors : 1;
}

int htmt__team_create(struct htmt__team **team, const struct htmt__team_options *o)
{
    const unsigned threads = o->threads + 1;
    struct htmt__team *t = htmt__record_alloc(sizeof *t);
    int rc = HTMT_ENOMEM;
    if (!t)
        return rc;
    t->o = *o;
    t->threads = threads;
    t->tight = o->processors < threads;
    t->range = htmt__record_alloc(threads * sizeof *t->range);
    t->member = calloc(threads, sizeof *t->member);
    if (t->range && t->member)
        rc = 0;
    for (unsigned k = 0; k < threads && !rc; k++) {
        const uint32_t first = (uint32_t)((uint64_t)k * o->pieces / threads);
        t->range[k].first = first;
        t->range[k].count = (uint32_t)((uint64_t)(k + 1) * o->pieces / threads) - first;
        t->member[k] = (struct member){.team = t, .number = k};
    }
    if (rc)
        htmt__team_destroy(&t);
    *team = t;
    return rc;
}

int htmt__team_start(struct htmt__team *t)
{
    while (t->started < t->o.threads) {
        struct member *m = &t->member[t->started + 1];
        if (htmt__thread_start(&m->thread, thread_main, m))
            return HTMT_ESYSTEM;
        t->started++;
    }
    return 0;
}

void htmt__team_destroy(struct htmt__team **team)
{
    struct htmt__team *t = *team;
    if (!t)
        return;
    atomic_store(&t->stop, true);
    t->begun++;
    publish(t);
    for (unsigned i = 1; i <= t->started; i++)
        pthread_join(t->member[i].thread, NULL);
    free(t->range);
    free(t->member);
    free(t);
    *team = NULL;
}
