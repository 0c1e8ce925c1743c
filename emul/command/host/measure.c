/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/sample.h"
#include "emul/lib/plugin/plugin.h"

int htmt__host_measure(struct htmt__host_figures *figures, htmt__host_progress_fn *progress,
                       void *user, struct htmt_fault *fault)
{
    struct htmt__host_figures f = {.rates = 0};
    struct htmt__host_clock clock;
    void *part;
    int rc = htmt__plugin_part("topology", HTMT__HOST_PART, "host", &part, fault);
    if (!rc)
        rc = ((const struct htmt__host_part *)part)->find(&f.topology, fault);
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
