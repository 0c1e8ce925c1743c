/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/chain.h"

#include <inttypes.h>

int htmt_chain_layers(const struct htmt_machine *m, const char *who, uint32_t *outer,
                      uint32_t *middle, uint32_t *inner, struct htmt_fault *fault)
{
    if (m->layer_count < 3)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "machine %s has %" PRIu32 " layer%s; %s percolates through three; "
                              "--execution has models of one",
                              m->name, m->layer_count, m->layer_count == 1 ? "" : "s", who);
    for (uint32_t k = m->layer_count - 3; k < m->layer_count; k++)
        if (!m->layer[k].processor.name[0])
            return htmt_fault_set(fault, HTMT_EINVAL,
                                  "machine %s: layer %s has no processors; %s needs them in the "
                                  "three innermost layers",
                                  m->name, m->layer[k].name, who);
    *outer = m->layer_count - 3;
    *middle = m->layer_count - 2;
    *inner = m->layer_count - 1;
    return 0;
}

int htmt_chain_network(const struct htmt_machine *m, const char *who, uint32_t from, uint32_t to,
                       bool across, uint32_t *network, struct htmt_fault *fault)
{
    int found = htmt_machine_route(m, from, to, across);
    if (found < 0)
        return htmt_fault_set(
            fault, HTMT_EINVAL, "machine %s: no network from %s to %s%s; %s needs one", m->name,
            m->layer[from].name, m->layer[to].name, across ? " of other slices" : "", who);
    *network = (uint32_t)found;
    return 0;
}
