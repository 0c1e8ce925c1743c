/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The issue port of a processor with hardware threads. It issues one instruction a cycle, and one
 * of a thread every `slots` cycles. The model is fluid: each of n ready threads advances by
 *
 *     1 / max(slots, n)
 *
 * of an instruction a cycle. All ready threads advance alike, so the port keeps one sum of what
 * each of them has advanced by, exactly, and for each thread the sum at which it is done. A
 * completion is rounded once, half up, to a femtosecond.
 *
 * The state belongs to one slice and is plain data: zeros at first, no pointers. One completion is
 * pending at a time, htmt__issue_earliest(); whoever enters or leaves changes it.
 */
#ifndef HTMT_LAYERS_BANK_ISSUE_PORT_H
#define HTMT_LAYERS_BANK_ISSUE_PORT_H

#include "layers/model.h"

#define HTMT__ISSUE_THREADS_MAX 32

/* Figures of a processor; htmt__issue_prepare() fills the rest. Zeros: no issue port. */
struct htmt__issue_figures {
    uint32_t threads;        /* a processor has, at most HTMT__ISSUE_THREADS_MAX */
    uint32_t slots;          /* cycles between two instructions of a thread, at least */
    struct htmt_ratio cycle; /* fs */
    uint64_t code;           /* bytes of code memory; 0: not modelled */
    uint64_t parts;          /* common denominator of slots..threads */
    htmt_uwide instruction;  /* units of progress in an instruction: parts * cycle.num */
    uint64_t step[HTMT__ISSUE_THREADS_MAX + 1]; /* units a femtosecond while so many are ready */
};

struct htmt__issue_port {
    htmt_time at;        /* progress is known up to here */
    uint32_t inside;     /* bit t: thread t is ready */
    uint32_t ready;      /* threads inside */
    uint32_t first;      /* is done next, if some is inside */
    uint64_t issued;     /* instructions of all enters: busy cycles, once they have left */
    htmt_uwide progress; /* units, of each ready thread since the port was last idle */
    htmt_uwide done[HTMT__ISSUE_THREADS_MAX]; /* the progress at which a thread is done */
};

/* Complete the figures. Errors: HTMT_ERANGE: no such threads, or no common denominator fits. */
int htmt__issue_prepare(struct htmt__issue_figures *figures);

/* Thread `thread`, which is not inside, has `instructions` to issue from `now` on; `now` never goes
 * back. 0 instructions are done at once. Returns 0 or HTMT_EOVERFLOW. */
int htmt__issue_enter(const struct htmt__issue_figures *figures, struct htmt__issue_port *port,
                      htmt_time now, uint32_t thread, uint64_t instructions);

/* The next completion if nobody enters before it, and whose it is (of several, the lowest thread).
 * -1: nobody is inside, or the instant passes HTMT_TIME_MAX (*thread then is one that is inside).
 */
htmt_time htmt__issue_earliest(const struct htmt__issue_figures *figures,
                               const struct htmt__issue_port *port, uint32_t *thread);

/* The thread leaves: its completion has come at `now`. */
void htmt__issue_leave(const struct htmt__issue_figures *figures, struct htmt__issue_port *port,
                       htmt_time now, uint32_t thread);

#endif
