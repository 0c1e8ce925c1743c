/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/host.h"

#include "emul/command/host/memory.h"
#include "emul/command/host/operations.h"

int htmt__host_measure(struct htmt__host_figures *figures, htmt__host_progress_fn *progress,
                       void *user, struct htmt_fault *fault)
{
    struct htmt__host_figures f = {.rates = 0};
    struct htmt__host_clock clock;
    int rc = htmt__host_topology(&f.topology, fault);
    if (rc)
        return rc;
    htmt__host_clock_start(&clock);
    htmt__host_operations(&clock, &f, progress, user);
    rc = htmt__host_memory(&clock, &f, progress, user, fault);
    f.cycle = (struct htmt__host_figure){.value = htmt__host_cycle(&clock)};
    if (!rc)
        *figures = f;
    return rc;
}
