/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/topology.h"

#include "emul/lib/plugin/plugin.h"

int htmt__host_topology(struct htmt__host_topology *topology, struct htmt_fault *fault)
{
    void *part;
    int rc = htmt__plugin_part("topology", HTMT__HOST_PART, "host", &part, fault);
    return rc ? rc : ((const struct htmt__host_part *)part)->find(topology, fault);
}
