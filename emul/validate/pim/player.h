/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/validate/pim: compares measurements of machines that were built with predictions.
 *
 * A player of tasklets on one bank: each tasklet repeats steps on the issue port and the DMA engine
 * of the machine. It has no parcels, no events of a clock and no data.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_PLAYER_H
#define HTMT_EMUL_VALIDATE_PIM_PLAYER_H

#include "layers/machine/bank_host.h"

#define HTMT__PLAY_STEPS 8
#define HTMT__PLAY_LOOPS 6

enum htmt__play_kind {
    HTMT__PLAY_ISSUE,   /* amount: instructions */
    HTMT__PLAY_READ,    /* bytes from the bank */
    HTMT__PLAY_WRITE,   /* bytes to the bank */
    HTMT__PLAY_BARRIER, /* all tasklets meet */
    HTMT__PLAY_AWAIT,   /* a signal of the tasklet before; the first tasklet does not wait */
    HTMT__PLAY_SIGNAL   /* to the tasklet behind */
};

struct htmt__play_step {
    enum htmt__play_kind kind;
    uint64_t amount;
};

struct htmt__play_loop {
    uint64_t times;
    unsigned steps;
    struct htmt__play_step step[HTMT__PLAY_STEPS];
};

/* All loops, one behind the other, `rounds` times; 0 counts as 1. */
struct htmt__tasklet {
    uint64_t rounds;
    unsigned loops;
    struct htmt__play_loop loop[HTMT__PLAY_LOOPS];
};

struct htmt__play_result {
    htmt_time end;      /* of the last tasklet */
    uint64_t issued;    /* instructions */
    htmt_time dma_busy; /* the engine */
};

/* All tasklets begin at 0. Errors: HTMT_EOVERFLOW, HTMT_EDEADLOCK, HTMT_EUSAGE (more tasklets than
 * threads), HTMT_ERANGE (a transfer that the engine refuses). */
int htmt__pim_play(const struct htmt__bank_host *machine, const struct htmt__tasklet *tasklet,
                   unsigned tasklets, struct htmt__play_result *result, struct htmt_fault *fault);

#endif
