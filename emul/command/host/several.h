/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine one of whose processors runs beside others like it.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_SEVERAL_H
#define HTMT_EMUL_COMMAND_HOST_SEVERAL_H

#include "layers/node/figures.h"
#include "runtime/base/error.h"

struct htmt__several {
    char text[8][160];  /* "layers.host.inside.bus.clock=0.2 GHz" */
    const char *set[8]; /* changes of the machine */
    unsigned n;
    unsigned threads; /* processors of a core, where so many have no core each; else 0 */
};

/* What changes for a processor of the layer when `cores` run at once, each on data of its own.
 * `cycle`: of its clock, fs. Errors: HTMT_EUSAGE (they were not measured, or not so many). */
int htmt__several_cores(const struct htmt__node_figures *figures, const char *layer, double cycle,
                        unsigned cores, struct htmt__several *changes, struct htmt_fault *fault);

#endif
