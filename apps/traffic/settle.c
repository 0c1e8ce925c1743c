/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What follows when a node has sent and heard: senders know, and the node ends.
 */
#include "apps/traffic/program_parts.h"

typedef const struct htmt__traffic_program program;
typedef struct htmt__traffic_state state;

void htmt__traffic_tell(struct htmt_context *c, program *p, state *s, uint32_t index)
{
    const struct htmt__traffic_message *m = htmt__traffic_heard(p->table, htmt_slice(c), index);
    uint64_t received = s->arrived[index];
    if (!m->synchronous)
        return;
    if (m->named && s->taken[index] < received)
        received = s->taken[index];
    for (; s->told[index] < received; s->told[index]++)
        htmt_signal(c, htmt_slot_of(p->ref[m->source], HTMT__STEP));
}

void htmt__traffic_retire(struct htmt_context *c, program *p, state *s)
{
    const struct htmt__traffic_node *n = &p->table->node[htmt_slice(c)];
    if (!s->done || s->retired || s->arrivals < n->hears * p->desc.iterations || s->moving)
        return;
    s->retired = true;
    htmt_retire(c, htmt_self(c));
}
