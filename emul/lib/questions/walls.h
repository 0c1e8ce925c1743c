/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A prediction by operations beside the wall of the same code on this host.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_WALLS_H
#define HTMT_EMUL_LIB_QUESTIONS_WALLS_H

#include "layers/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

#define HTMT__WALLS_RUNS 7
#define HTMT__WALLS_FREE 3 /* of fewer the wall may be too long */

struct htmt__walls {
    bool made;     /* false: nobody asked */
    unsigned runs; /* HTMT__WALLS_RUNS where this process made them; 0: read from a report */
    uint64_t free; /* of HTMT__WALLS_RUNS, between looks that found the core free */
    /* s, at the clock of the machine's file: the wall of the emulation with its kernels; the
     * emulator's own work, without them. */
    double wall, own;
    double ratio;      /* predicted and own work, over the wall */
    double spread;     /* %: how much longer the middle run takes than the fastest one */
    double own_hz, hz; /* the clocks of the file, and of this host meanwhile */
};

/* Whether the machine is of this host: *hertz is its clock. `option` is for the message. Errors:
 * HTMT_EUSAGE. */
int htmt__walls_of_host(const struct htmt_machine *machine, const char *name, const char *option,
                        double *hertz, struct htmt_fault *fault);

/* Runs a command line, whose kernels have no hooks: `words` are the program, NULL in place of the
 * verb, the application where the program has several, and its options; up to NULL. In turns with
 * model runs, which have the same parcels without kernels. `predicted`: seconds, of the same
 * command line. Errors: HTMT_EUSAGE (it refuses them, with its line), HTMT_ESYSTEM. */
int htmt__walls_take(const char *const *words, double predicted, double hertz,
                     struct htmt__walls *walls, struct htmt_fault *fault);

/* One run of such a command line, `verb` in the place of NULL: *predicted (NULL: not asked for) and
 * the wall of its emulation, in s; of the latter the part in which it had a processor. */
int htmt__walls_run(const char *const *words, const char *verb, double *predicted, double *wall,
                    struct htmt_fault *fault);

#endif
