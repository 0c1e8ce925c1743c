/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine of which fewer slices are played.
 */
#include "layers/machine/parts.h"
#include "layers/network/placement.h"

#include <stdlib.h>
#include <string.h>

/* The topology of the network for that many slices. A shape that follows the slices ("square",
 * "cube", an arity alone) is made anew, and they are placed in it; in any other one they keep their
 * ends. A crossbar has an end for each slice. */
static int refit(const struct htmt_machine *m, const struct htmt_network *n, uint32_t slices,
                 struct htmt__topology **t, struct htmt_fault *fault)
{
    const struct htmt__topology *old = htmt__topology(n);
    const struct htmt_figure *shape = htmt__machine_figure(m, "networks.%s.inside.shape", n->name);
    const struct htmt_figure *how = htmt__machine_figure(m, "networks.%s.inside.place", n->name);
    struct htmt__inside in = old->said;
    struct htmt__switch_graph *graph;
    char why[200];
    const bool levels = in.topology == HTMT__TREE || in.topology == HTMT__BUTTERFLY ||
                        in.topology == HTMT__FAT_TREE || in.topology == HTMT__DATA_VORTEX;
    const bool follows =
        shape && (strcmp(shape->value, "square") == 0 || strcmp(shape->value, "cube") == 0 ||
                  (levels && !strpbrk(shape->value, "x^;")));
    const bool anew = follows && htmt__topology_shape(shape->value, slices, &in, why, sizeof why);
    const bool crossbar = in.topology == HTMT__CROSSBAR;
    uint32_t *end = malloc(slices * sizeof *end);
    int rc = 0;
    if (!end)
        return HTMT_ENOMEM;
    if (!anew && !crossbar && slices > old->slices)
        rc = htmt_fault_set(fault, HTMT_ERANGE, "network %s has places for %u slices, found %u",
                            n->name, old->slices, slices);
    else if (anew)
        rc = htmt__place(how->value, NULL, &in, NULL, htmt__topology_ends(&in), slices, end, fault);
    else
        memcpy(end, old->end_of, (slices < old->slices ? slices : old->slices) * sizeof *end);
    if (rc)
        goto done;
    graph = htmt__topology_graph_copy(old->graph);
    if (old->graph && !graph)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network");
    else
        rc = htmt__topology_create(&in, graph, slices, crossbar ? NULL : end, t, fault);
    if (!rc)
        (*t)->inside.buffer = old->inside.buffer;
done:
    free(end);
    return rc;
}

int htmt__machine_play(struct htmt_machine *m, uint32_t slices, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->network_count && !rc; i++) {
        struct htmt__topology *old, *made = NULL;
        memcpy(&old, m->network[i].inside, sizeof old);
        rc = htmt__machine_check_square(m, &m->network[i], slices, fault);
        if (rc || !htmt__topology(&m->network[i]) || old->slices == slices)
            continue;
        rc = refit(m, &m->network[i], slices, &made, fault);
        if (rc)
            break;
        htmt__topology_release(&old);
        memcpy(m->network[i].inside, &made, sizeof made);
    }
    return rc;
}
