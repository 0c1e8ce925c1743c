/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what happens when the turn of an entity has come, each to its end, with all
 * that becomes ready by it. The clock alone calls this.
 */
#ifndef HTMT_PARCELS_CLOCK_TURN_H
#define HTMT_PARCELS_CLOCK_TURN_H

#include "parcels/clock/probe.h"
#include "parcels/walk/walk.h"

/* All in the ready list go on, and those that become ready meanwhile. */
void htmt__turn_ready(struct htmt_emulator *e);
/* Nothing else happens at this instant: the kernels that services wait for are awaited. */
void htmt__turn_kernels(struct htmt_emulator *e);
/* p, a message or a moment, has its event. */
void htmt__turn_between(struct htmt_emulator *e, struct htmt__entity *p);
/* Messages that are over go back to the slices that made them. */
void htmt__turn_over(struct htmt_emulator *e);
/* Guarded: the slice may be touched from now on, or that of an event. */
void htmt__turn_slice(struct htmt_emulator *e, uint32_t slice);
void htmt__turn_place(struct htmt_emulator *e, uint64_t key);

/* Somebody hears of it, processors route packets, or services depend on each other. false: p's
 * service goes on. */
bool htmt__turn_aside(struct htmt_emulator *e, struct htmt__entity *p);
/* p, a parcel or fiber, has its event. */
static inline void htmt__turn_own(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_PROBE | HTMT__BY_ROUTER | HTMT__BY_NODES;
    if (__builtin_expect(htmt__goes_aside(e, reasons), 0) && !htmt__turn_aside(e, p))
        return;
    if (p->step->op == HTMT__SERVE)
        htmt__walk_served(e, p);
    else
        htmt__walk_moved(e, p);
}
/* p's event has come. */
static inline void htmt__turn_event(struct htmt_emulator *e, struct htmt__entity *p)
{
    bool between = p->kind > HTMT__FIBER;
    if (between)
        htmt__turn_between(e, p);
    else
        htmt__turn_own(e, p);
    if (e->ready.head)
        htmt__turn_ready(e);
    if (between && e->over) /* only what arrives can end a message */
        htmt__turn_over(e);
}

/* The roots of each slice, in order, out of the one list of all; freed by the caller. NULL: out of
 * memory (latched). */
struct htmt__list *htmt__roots_sort(struct htmt_emulator *e);
/* At the begin of a run: the roots get numbers, from 1, in the order of all slices. */
void htmt__roots_number(struct htmt_emulator *e);
/* At time 0. */
void htmt__roots_run(struct htmt_emulator *e);

/* Events between two looks at the host's wishes: a run may have a long kernel behind each. */
static inline uint32_t htmt__look_interval(const struct htmt_emulator *e)
{
    return e->data ? 256u : 65536u;
}
/* Tell how far the run is; whether it shall end: latched in the whole. */
bool htmt__look_around(struct htmt_emulator *e);

#endif
