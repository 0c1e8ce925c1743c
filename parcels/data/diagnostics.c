/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of several kernels that fail is reported.
 *
 * The same one on any number of threads: that whose turn comes first in virtual time. But a kernel
 * may run long before its turn, when nobody knows yet which number that will have, or long after
 * it. So a finding is placed when both are known, it and the turn. If the turn has come, its number
 * is in the kernel's record. If not, the finding waits in `ahead`, and the clock, which is about to
 * set the number, looks there. Neither may miss the other: the finder first counts itself in
 * `waiting` and then reads the number, the clock first sets the number and then reads `waiting`; so
 * at least one of them sees what the other has done, and the lock does the rest. The clock's look
 * costs one load.
 *
 * At the end what waits has had no turn. What htmt_kernel_fail() said does not count then, since
 * the sequential clock would have ended before; what else is wrong counts, behind all turns, by
 * birth.
 */
#include "parcels/data/diagnostics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

/* Zeros for one thread that asked for what is not there, until the emulator goes. */
struct dummy {
    struct dummy *next;
    pthread_t thread;
    uint64_t bytes;
    _Alignas(max_align_t) unsigned char zeros[];
};

struct htmt__diagnostics {
    pthread_mutex_t lock;
    struct htmt__kernel_fault first;  /* code 0: none */
    struct htmt__kernel_fault *ahead; /* their turns have not come */
    atomic_uint waiting;              /* those, and others that are about to be added */
    atomic_bool placed;               /* one whose turn has come */
    bool lost;                        /* no host memory for one of them */
    struct dummy *dummies;
};

struct htmt__diagnostics *htmt__diagnostics_create(void)
{
    struct htmt__diagnostics *f = calloc(1, sizeof *f);
    if (f && pthread_mutex_init(&f->lock, NULL)) {
        free(f);
        return NULL;
    }
    return f;
}

void htmt__diagnostics_destroy(struct htmt__diagnostics *f)
{
    if (!f)
        return;
    while (f->dummies) {
        struct dummy *next = f->dummies->next;
        free(f->dummies);
        f->dummies = next;
    }
    while (f->ahead) {
        struct htmt__kernel_fault *next = f->ahead->next;
        free(f->ahead);
        f->ahead = next;
    }
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Of one kernel the first that was found stays. */
static void place(struct htmt__diagnostics *f, const struct htmt__kernel_fault *found)
{
    const struct htmt__kernel_fault *first = &f->first;
    bool before = found->turn.number != first->turn.number ? found->turn.number < first->turn.number
                  : found->serial != first->serial         ? found->serial < first->serial
                                                           : found->part < first->part;
    if (!first->code || before)
        f->first = *found;
    if (found->turn.number != NEVER)
        atomic_store_explicit(&f->placed, true, memory_order_release);
}

void htmt__kernel_fault_add(struct htmt__diagnostics *f, const struct htmt__kernel_fault *found,
                            const struct htmt__kernel_turn *turn)
{
    struct htmt__kernel_fault one = *found, **last = &f->ahead;
    pthread_mutex_lock(&f->lock);
    atomic_fetch_add(&f->waiting, 1);
    one.turn.number = turn ? atomic_load(&turn->number) : NEVER;
    if (turn && one.turn.number)
        one.turn = (struct htmt__turn){one.turn.number, turn->at, turn->phase, turn->key};
    if (one.turn.number) {
        place(f, &one);
        atomic_fetch_sub(&f->waiting, 1);
    } else {
        while (*last)
            last = &(*last)->next;
        one.next = NULL;
        *last = malloc(sizeof one);
        if (*last)
            **last = one;
        else
            f->lost = true;
    }
    pthread_mutex_unlock(&f->lock);
}

void htmt__kernel_faults_place(struct htmt__diagnostics *f, uint64_t serial,
                               const struct htmt__turn *turn)
{
    struct htmt__kernel_fault *one, **at = &f->ahead;
    if (!atomic_load(&f->waiting))
        return;
    pthread_mutex_lock(&f->lock);
    while ((one = *at)) {
        if (one->serial != serial) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->turn = *turn;
        place(f, one);
        free(one);
        atomic_fetch_sub(&f->waiting, 1);
    }
    pthread_mutex_unlock(&f->lock);
}

bool htmt__diagnostics_look(struct htmt__diagnostics *f, struct htmt_fault *fault)
{
    if (!atomic_load_explicit(&f->placed, memory_order_acquire))
        return false;
    pthread_mutex_lock(&f->lock);
    htmt_fault_set(fault, f->first.code, "%s", f->first.text);
    pthread_mutex_unlock(&f->lock);
    return true;
}

/* All that is wrong but failures, whose turns did not come. */
static void place_rest(struct htmt__diagnostics *f)
{
    for (struct htmt__kernel_fault *one = f->ahead; one; one = one->next) {
        one->turn.number = NEVER;
        if (!one->failed)
            place(f, one);
    }
}

int htmt__diagnostics_check(struct htmt__diagnostics *f, struct htmt_fault *fault)
{
    int rc = 0;
    pthread_mutex_lock(&f->lock);
    place_rest(f);
    if (f->first.code && f->first.turn.number != NEVER)
        fault->code = 0;
    if (f->first.code)
        rc = htmt_fault_set(fault, f->first.code, "%s", f->first.text);
    else if (f->lost)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the line of a kernel");
    pthread_mutex_unlock(&f->lock);
    return rc;
}

/* ---- of several planes ----------------------------------------------------------------------- */

/* One that never comes is behind all: they go by birth. */
static struct htmt__turn turn_of(const struct htmt__kernel_fault *found)
{
    return found->turn.number == NEVER ? (struct htmt__turn){NEVER, HTMT_TIME_MAX, 0, found->serial}
                                       : found->turn;
}

void htmt__diagnostics_gather(struct htmt__diagnostics *f, struct htmt__diagnostics *from)
{
    if (!from)
        return;
    place_rest(from);
    f->lost |= from->lost;
    if (!from->first.code)
        return;
    const struct htmt__turn s = turn_of(&from->first), t = turn_of(&f->first);
    bool earlier = s.at != t.at         ? s.at < t.at
                   : s.phase != t.phase ? s.phase < t.phase
                                        : s.key < t.key;
    if (!f->first.code || earlier)
        f->first = from->first;
}

bool htmt__diagnostics_first(struct htmt__diagnostics *f, struct htmt__turn *turn)
{
    pthread_mutex_lock(&f->lock);
    bool found = f->first.code != 0;
    if (found)
        *turn = turn_of(&f->first);
    pthread_mutex_unlock(&f->lock);
    return found;
}

void htmt__diagnostics_forget(struct htmt__diagnostics *f)
{
    f->first.code = 0;
    atomic_store(&f->placed, false);
}

/* ---- what a wrong call is given -------------------------------------------------------------- */

void *htmt__dummy(struct htmt__diagnostics *f, uint64_t bytes)
{
    static _Thread_local _Alignas(max_align_t) unsigned char zeros[HTMT__ARGS_MAX];
    if (!f || bytes <= sizeof zeros)
        return memset(zeros, 0, sizeof zeros);
    pthread_mutex_lock(&f->lock);
    struct dummy *d = f->dummies;
    while (d && !(pthread_equal(d->thread, pthread_self()) && d->bytes >= bytes))
        d = d->next;
    if (!d && bytes < SIZE_MAX - sizeof *d && (d = calloc(1, sizeof *d + bytes))) {
        d->thread = pthread_self();
        d->bytes = bytes;
        d->next = f->dummies;
        f->dummies = d;
    }
    pthread_mutex_unlock(&f->lock);
    return d ? memset(d->zeros, 0, bytes) : memset(zeros, 0, sizeof zeros);
}
