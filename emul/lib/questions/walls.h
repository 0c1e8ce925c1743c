/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A prediction by operations beside the wall of the same code on this host.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_WALLS_H
#define HTMT_EMUL_LIB_QUESTIONS_WALLS_H

#include "apps/lib/host_clock.h"
#include "layers/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

#define HTMT__WALLS_AGREE 3 /* of fewer the wall may be too long */

struct htmt__walls {
    bool made;     /* false: nobody asked */
    unsigned runs; /* that this process made; 0: read from a report */
    uint64_t free; /* of these, between looks that found the core free, and as long as the least */
    /* s, at the clock of the machine's file: the wall of the emulation; its kernels, and the
     * emulator's own work beside them. */
    double wall, kernels, own;
    double ratio;      /* predicted and own work, over the wall */
    double spread;     /* %: how much longer the middle run takes than the fastest one */
    double own_hz, hz; /* the clocks of the file, and of this host meanwhile */
};

/* What the machine's file tells of this host. */
struct htmt__walls_host {
    double hertz; /* of its clock */
    struct htmt_host_expected core;
};

/* Whether the machine is of this host. `option` is for the message. Errors: HTMT_EUSAGE. */
int htmt__walls_of_host(const struct htmt_machine *machine, const char *name, const char *option,
                        struct htmt__walls_host *host, struct htmt_fault *fault);

struct htmt__results;

/* Runs a command line, whose kernels have no hooks: `words` are the program, NULL in place of the
 * verb, the application where the program has several, and its options; up to NULL. `predicted`:
 * seconds, of the same command line. `results`: of that prediction, whose phases get the time that
 * their kernels take here; NULL accepted. Some seconds long at most, or three runs. Errors:
 * HTMT_EUSAGE (it refuses them, with its line), HTMT_ESYSTEM. */
int htmt__walls_take(const char *const *words, double predicted,
                     const struct htmt__walls_host *host, struct htmt__walls *walls,
                     struct htmt__results *results, struct htmt_fault *fault);

/* What one run of such a command line predicts, in s. */
int htmt__walls_predict(const char *const *words, double *predicted, struct htmt_fault *fault);

#endif
