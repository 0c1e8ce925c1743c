/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the program of a table: what its files share.
 */
#ifndef HTMT_APPS_TRAFFIC_PROGRAM_PARTS_H
#define HTMT_APPS_TRAFFIC_PROGRAM_PARTS_H

#include "apps/lib/per_slice.h"
#include "apps/traffic/inside.h"
#include "apps/traffic/program.h"

/* Fibers of a node: its operations go on; its messages have left; its blocks go to memory; they are
 * there; a message has come, one fiber for each index. */
enum { HTMT__STEP = 1, HTMT__LEFT, HTMT__MOVE, HTMT__MOVED, HTMT__IN };

#define HTMT__TRAFFIC_CLASSES 27 /* of types: by the power of two of messages heard */

/* What a node's operations wait for. */
enum htmt__traffic_wait {
    HTMT__FOR_NOTHING,
    HTMT__FOR_MESSAGE, /* `awaited` */
    HTMT__FOR_ALL,
    HTMT__FOR_LEFT
};

/* Of a slice; its controls alone write it. Counts are of iterations. */
struct htmt__traffic_state {
    HTMT_PER_SLICE uint32_t pc;
    uint32_t awaited;
    enum htmt__traffic_wait wait;
    bool moving, done, retired;
    uint64_t iteration, left, arrivals;
    uint64_t complete, moved; /* iterations whose messages for ALL have come; are in memory */
    uint32_t missing;         /* of those messages, for the next one */
    uint64_t *arrived, *taken, *told; /* by index: it came; a receive took it; its sender knows */
    htmt_time *times;                 /* begins, ends, messages sent, messages that came */
};

struct htmt__traffic_program {
    struct htmt__traffic_program_desc desc;
    const struct htmt__traffic_table *table;
    struct htmt_emulator *e;
    struct htmt_type *type[HTMT__TRAFFIC_CLASSES];
    struct htmt__traffic_routes *routes;
    struct htmt_frame *verdict;
    struct htmt_object **out, **in; /* of each slice; NULL: it sends, hears nothing */
    struct htmt_ref *ref;
    bool *leaves; /* the node begins again when its messages have left */
    struct htmt__traffic_state *state;
};

static inline const struct htmt__traffic_program *htmt__traffic_program_of(struct htmt_context *c)
{
    return *(const struct htmt__traffic_program *const *)htmt_args(c);
}
static inline const struct htmt__traffic_message *
htmt__traffic_heard(const struct htmt__traffic_table *t, uint32_t node, uint32_t index)
{
    return &t->message[t->in[t->node[node].first_in + index]];
}
/* Places in `times`. */
static inline uint64_t htmt__traffic_sent_at(const struct htmt__traffic_program *p,
                                             const struct htmt__traffic_message *m, uint64_t i)
{
    const struct htmt__traffic_node *n = &p->table->node[m->source];
    return 2 * p->desc.iterations + i * n->sends + m->place;
}
static inline uint64_t htmt__traffic_came_at(const struct htmt__traffic_program *p,
                                             const struct htmt__traffic_message *m, uint64_t i)
{
    const struct htmt__traffic_node *n = &p->table->node[m->target];
    return 2 * p->desc.iterations + p->desc.kept * n->sends + i * n->hears + m->index;
}

htmt_control_fn htmt__traffic_begin, htmt__traffic_step, htmt__traffic_left, htmt__traffic_arrive,
    htmt__traffic_move, htmt__traffic_moved;
htmt_kernel_fn htmt__traffic_check;

/* The message may be known to its sender now. */
void htmt__traffic_tell(struct htmt_context *c, const struct htmt__traffic_program *p,
                        struct htmt__traffic_state *s, uint32_t index);
/* The node ends if nothing more happens to it. */
void htmt__traffic_retire(struct htmt_context *c, const struct htmt__traffic_program *p,
                          struct htmt__traffic_state *s);

#endif
