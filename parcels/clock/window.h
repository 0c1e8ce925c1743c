/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: slices are played partition by partition, in windows of virtual time. Why
 * that gives what one clock gives stands in window_clock.c, how wide a window may be in window.c.
 */
#ifndef HTMT_PARCELS_CLOCK_WINDOW_H
#define HTMT_PARCELS_CLOCK_WINDOW_H

#include "parcels/clock/sharing.h"
#include "parcels/walk/entity.h"

struct htmt__partition;
struct htmt__rank;
struct htmt__team;

struct htmt__windows {
    htmt_time width;      /* HTMT_TIME_MAX: no slice hears of another. At most the lookahead */
    htmt_time from, last; /* first and last instant of the present window */
    htmt_time latest;     /* event that was played */
    uint64_t played;      /* windows */
    uint64_t quiet;       /* round of htmt_quiet() with which the present window begins; 0: none */
    uint64_t round;       /* of putting down and taking in (outbox.h) */
    uint32_t partitions, threads;
    uint32_t ranks;                    /* processes among which they are dealt */
    uint32_t first, end;               /* partitions that this process plays */
    struct htmt__rank *rank;           /* NULL: all */
    uint32_t *partition_of;            /* of each slice */
    uint32_t *slice;                   /* all, partition by partition */
    struct htmt__partition *partition; /* each */
    struct htmt__team *team;           /* NULL: one thread */
    int64_t awaited;                   /* ns in which the caller's thread awaited others */
    uint64_t shared;                   /* windows that several threads played */
    struct htmt__sharing sharing;
    _Alignas(64) _Atomic uint64_t events; /* that were played */
    atomic_bool stop;                     /* the host wishes so */
};

/* At the creation of the emulator: e->lookahead, and if it is 0 the reason in e->in_order; else the
 * slices are dealt to partitions, e->windows, unless one clock plays all. Errors (latched):
 * HTMT_ENOMEM. */
int htmt__windows_create(struct htmt_emulator *e);
/* At the begin of the run: all types are known, and what is observed. Errors (latched):
 * HTMT_ENOMEM, HTMT_ESYSTEM, HTMT_EINVAL: what is observed cannot be with ranks. */
int htmt__windows_begin(struct htmt_emulator *e);
void htmt__windows_destroy(struct htmt_emulator *e);

/* window_clock.c: play window after window to the end of the run, or its first failure: e->now is
 * its instant. */
void htmt__window_clock(struct htmt_emulator *e);
/* All jobs are done: the failure of all, of the clock or of a kernel, that came first. */
void htmt__window_kernels(struct htmt_emulator *e);

#endif
