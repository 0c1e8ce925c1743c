/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations of a node, one after another until one waits.
 */
#include "apps/traffic/program_parts.h"

typedef const struct htmt__traffic_program program;
typedef struct htmt__traffic_state state;

/* ---- messages -------------------------------------------------------------------------------- */

static bool is_last(program *p, uint32_t slice, const struct htmt__traffic_message *m)
{
    return p->leaves[slice] && m->place + 1 == p->table->node[slice].sends;
}

static void send(struct htmt_context *c, program *p, state *s, uint32_t number)
{
    const struct htmt__traffic_message *m = &p->table->message[number];
    uint32_t slice = m->source;
    struct htmt_put put = htmt_put_init();
    put.src = htmt_in(p->out[slice], m->from);
    put.dst = htmt_in(p->in[m->target], m->to);
    put.bytes = m->bytes;
    put.on_arrived = htmt_slot_of(p->ref[m->target], HTMT__IN + m->index);
    if (is_last(p, slice, m))
        put.on_sent = htmt_slot(c, HTMT__LEFT);
    htmt__traffic_route(p->routes, number, &put);
    if (s->iteration < p->desc.kept)
        s->times[htmt__traffic_sent_at(p, m, s->iteration)] = htmt_began(c);
    htmt_put(c, &put);
}

/* False: the message has not come. */
static bool receive(struct htmt_context *c, program *p, state *s, const struct htmt__traffic_op *op)
{
    uint32_t index = p->table->message[op->message].index;
    s->taken[index]++;
    htmt__traffic_tell(c, p, s, index);
    if (op->kind == HTMT__TRAFFIC_ARECV || s->arrived[index] >= s->taken[index])
        return true;
    s->awaited = index;
    s->wait = HTMT__FOR_MESSAGE;
    return false;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Goes on when so much time is over. */
static void go_on_after(struct htmt_context *c, htmt_time time)
{
    htmt_delay(c, time);
    htmt_signal(c, htmt_slot(c, HTMT__STEP));
}

static bool have_all(program *p, state *s, uint32_t slice)
{
    if (!p->table->node[slice].hears || s->moved > s->iteration)
        return true;
    s->wait = HTMT__FOR_ALL;
    return false;
}

/* False: the next one has to wait. */
static bool perform(struct htmt_context *c, program *p, state *s, const struct htmt__traffic_op *op)
{
    switch (op->kind) {
    case HTMT__TRAFFIC_ASEND:
        send(c, p, s, op->message);
        return true;
    case HTMT__TRAFFIC_SEND:
        send(c, p, s, op->message);
        return false;
    case HTMT__TRAFFIC_RCV:
    case HTMT__TRAFFIC_ARECV:
        return receive(c, p, s, op);
    case HTMT__TRAFFIC_ALL:
        return have_all(p, s, htmt_slice(c));
    default:
        go_on_after(c, op->time);
        return false;
    }
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* A source begins each iteration when its time has come. */
static bool begin(struct htmt_context *c, state *s, const struct htmt__traffic_node *n)
{
    htmt_time now = htmt_began(c), due;
    if (__builtin_mul_overflow((htmt_time)s->iteration, n->period, &due)) {
        htmt_fail(c, HTMT_EOVERFLOW, "the periods of a source pass 2.56 hours");
        return false;
    }
    if (due > now) {
        go_on_after(c, due - now);
        return false;
    }
    s->times[s->iteration] = now;
    return true;
}

/* False: it waits for its last message to leave, or was the last iteration. */
static bool end(struct htmt_context *c, program *p, state *s, uint32_t slice)
{
    s->times[p->desc.iterations + s->iteration] = htmt_began(c);
    if (p->leaves[slice] && s->left <= s->iteration) {
        s->wait = HTMT__FOR_LEFT;
        return false;
    }
    s->pc = 0;
    if (++s->iteration < p->desc.iterations)
        return true;
    s->done = true;
    htmt__traffic_retire(c, p, s);
    return false;
}

void htmt__traffic_step(struct htmt_context *c)
{
    program *p = htmt__traffic_program_of(c);
    uint32_t slice = htmt_slice(c);
    const struct htmt__traffic_node *n = &p->table->node[slice];
    state *s = &p->state[slice];
    s->wait = HTMT__FOR_NOTHING;
    for (bool more = true; more;) {
        if (s->pc == n->count && n->count)
            more = end(c, p, s, slice);
        else if (s->pc == 0 && !begin(c, s, n))
            more = false;
        else if (!n->count)
            more = end(c, p, s, slice);
        else
            more = perform(c, p, s, &p->table->op[n->first + s->pc++]);
    }
}

/* Fibers wait for the end of the first one, which takes no time therefore. */
void htmt__traffic_begin(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, HTMT__STEP));
}

/* The last message of an iteration has left. */
void htmt__traffic_left(struct htmt_context *c)
{
    program *p = htmt__traffic_program_of(c);
    state *s = &p->state[htmt_slice(c)];
    s->left++;
    if (s->wait == HTMT__FOR_LEFT)
        htmt__traffic_step(c);
}
