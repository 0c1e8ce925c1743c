/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine of which fewer slices are played.
 */
#include "layers/machine/parts.h"
#include "layers/network/placement.h"

#include <stdlib.h>
#include <string.h>

/* Follows the slices: "square", "cube", an arity alone. */
static bool follows(const struct htmt__topology *t, const char *shape)
{
    bool levels = t->said.topology == HTMT__TREE || t->said.topology == HTMT__BUTTERFLY;
    return strcmp(shape, "square") == 0 || strcmp(shape, "cube") == 0 ||
           (levels && !strchr(shape, 'x'));
}

/* The ends of the slices: in a shape of its own anew, else as before. */
static int place(const struct htmt__topology *t, const struct htmt__inside *in, bool anew,
                 const char *how, uint32_t slices, uint32_t *end, struct htmt_fault *fault)
{
    memcpy(end, t->end_of, (slices < t->slices ? slices : t->slices) * sizeof *end);
    return anew ? htmt__place(how, NULL, in, NULL, htmt__topology_ends(in), slices, end, fault) : 0;
}

static int make(const struct htmt__topology *old, const struct htmt__inside *in,
                const uint32_t *end, uint32_t slices, struct htmt__topology **t,
                struct htmt_fault *fault)
{
    struct htmt__switch_graph *graph = htmt__topology_graph_copy(old->graph);
    if (old->graph && !graph)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for a network");
    int rc = htmt__topology_create(in, graph, slices, end, t, fault);
    if (!rc)
        (*t)->inside.buffer = old->inside.buffer;
    return rc;
}

/* The topology of the network for that many slices. */
static int refit(const struct htmt_machine *m, const struct htmt_network *n, uint32_t slices,
                 struct htmt__topology **t, struct htmt_fault *fault)
{
    const struct htmt__topology *old = htmt__topology(n);
    const struct htmt_figure *shape = htmt__machine_figure(m, "networks.%s.inside.shape", n->name);
    const struct htmt_figure *how = htmt__machine_figure(m, "networks.%s.inside.place", n->name);
    struct htmt__inside in = old->said;
    char why[200];
    uint32_t *end = malloc(slices * sizeof *end);
    bool anew = shape && follows(old, shape->value) &&
                htmt__topology_shape(shape->value, slices, &in, why, sizeof why);
    bool crossbar = in.topology == HTMT__CROSSBAR;
    if (end && !anew && !crossbar && slices > old->slices) {
        free(end);
        return htmt_fault_set(fault, HTMT_ERANGE, "network %s has places for %u slices, found %u",
                              n->name, old->slices, slices);
    }
    int rc = end ? place(old, &in, anew, how->value, slices, end, fault) : HTMT_ENOMEM;
    if (!rc)
        rc = make(old, &in, crossbar ? NULL : end, slices, t, fault);
    free(end);
    return rc;
}

int htmt__machine_play(struct htmt_machine *m, uint32_t slices, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->network_count && !rc; i++) {
        struct htmt__topology *old, *made = NULL;
        memcpy(&old, m->network[i].inside, sizeof old);
        if (!htmt__topology(&m->network[i]) || old->slices == slices)
            continue;
        rc = refit(m, &m->network[i], slices, &made, fault);
        if (rc)
            break;
        htmt__topology_release(&old);
        memcpy(m->network[i].inside, &made, sizeof made);
    }
    return rc;
}
