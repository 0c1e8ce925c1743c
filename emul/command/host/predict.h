/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A call of a C function: how long it takes by the inside of a machine's processor, and by the
 * clock of this host.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_PREDICT_H
#define HTMT_EMUL_COMMAND_HOST_PREDICT_H

#include "emul/lib/questions/interval.h"
#include "emul/lib/text/disturbed.h"
#include "emul/lib/verbs/verb.h"

struct htmt__predict_options {
    const char *source, *call, *machine;
    const char *flags; /* of the compiler, divided by spaces */
    bool clock;
    unsigned cores; /* that call it at once */
    const char *cc; /* makes the code for the clock; NULL: the compiler of what is recorded */
};

struct htmt__predicted {
    double first, next; /* ns a call by the model: of the first one, and of those behind it */
    struct htmt__shares shares;     /* what bounds `next` */
    struct htmt__interval expected; /* ns a call behind the first: where the clock is expected */
    double clock;                   /* ns a call behind the first; 0: not asked for */
    double spread;                  /* (middle sample - clock) / clock */
    unsigned free;  /* samples of its round with the core for this thread; few where no two agree */
    unsigned agree; /* rounds whose fastest samples were within 2 % of the fastest round's */
    double own_hertz; /* of the machine, at which `clock` is told */
    unsigned threads; /* processors of a core, where it is asked of more than there are cores */
    double hertz;     /* of this host's clock now */
    struct htmt__disturbed disturbed; /* figures of the machine */
};

/* Errors: HTMT_EUSAGE (the call does not match, the compiler refuses, the machine has no such
 * processor or is no file of this host, or the function calls what is not recorded), HTMT_ESYSTEM,
 * those of machine files; each a line. */
int htmt__predict(struct htmt__command *program, const struct htmt__predict_options *options,
                  struct htmt__predicted *predicted, struct htmt_fault *fault);

/* The same of n calls in place of the options' own, whose code is compiled together; `expected` is
 * found where intervals are asked for, which takes as long again. */
int htmt__predict_calls(struct htmt__command *program, const struct htmt__predict_options *options,
                        const char *const *calls, unsigned n, bool intervals,
                        struct htmt__predicted *predicted, struct htmt_fault *fault);

#endif
