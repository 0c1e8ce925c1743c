/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a node hears: messages are counted by index, so that one that runs ahead by an iteration
 * completes no other.
 */
#include "apps/traffic/contents.h"
#include "apps/traffic/program_parts.h"

typedef const struct htmt__traffic_program program;
typedef struct htmt__traffic_state state;

/* ---- bytes ----------------------------------------------------------------------------------- */

void htmt__traffic_check(struct htmt_kernel *k)
{
    program *p = htmt_kernel_user(k);
    const struct htmt__traffic_message *m =
        htmt__traffic_heard(p->table, htmt_kernel_slice(k), htmt_kernel_fiber(k) - HTMT__IN);
    struct htmt__traffic_checked *verdict = htmt_used(k, 1);
    uint64_t wrong = htmt__traffic_wrong(m, htmt_used(k, 0));
    verdict->blocks++;
    verdict->wrong_blocks += wrong > 0;
    verdict->wrong_bytes += wrong;
}

/* ---- all messages of an iteration ------------------------------------------------------------ */

static uint32_t count_missing(program *p, const state *s, uint32_t slice)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < p->table->node[slice].hears; i++)
        missing += !htmt__traffic_heard(p->table, slice, i)->named && s->arrived[i] <= s->complete;
    return missing;
}

static bool go_on(state *s)
{
    if (s->wait != HTMT__FOR_ALL || s->moved <= s->iteration)
        return false;
    s->wait = HTMT__FOR_NOTHING;
    return true;
}

static htmt_time time_to_memory(program *p, uint32_t slice)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->table->node[slice].hears; i++) {
        const struct htmt__traffic_message *m = htmt__traffic_heard(p->table, slice, i);
        bytes += m->named ? 0 : m->bytes;
    }
    return htmt__traffic_local(htmt_emulator_machine(p->e), p->desc.network, bytes);
}

void htmt__traffic_move(struct htmt_context *c)
{
    htmt_delay(c, time_to_memory(htmt__traffic_program_of(c), htmt_slice(c)));
    htmt_signal(c, htmt_slot(c, HTMT__MOVED));
}

/* One iteration's blocks are in memory. */
void htmt__traffic_moved(struct htmt_context *c)
{
    program *p = htmt__traffic_program_of(c);
    state *s = &p->state[htmt_slice(c)];
    s->moved++;
    s->moving = s->moved < s->complete;
    if (s->moving)
        htmt_signal(c, htmt_slot(c, HTMT__MOVE));
    if (go_on(s))
        htmt_signal(c, htmt_slot(c, HTMT__STEP));
    htmt__traffic_retire(c, p, s);
}

static void to_memory(struct htmt_context *c, program *p, state *s)
{
    if (!time_to_memory(p, htmt_slice(c))) {
        s->moved = s->complete;
    } else if (!s->moving) {
        s->moving = true;
        htmt_signal(c, htmt_slot(c, HTMT__MOVE));
    }
}

static void gather(struct htmt_context *c, program *p, state *s, uint32_t index)
{
    if (s->arrived[index] != s->complete + 1 || --s->missing)
        return;
    s->complete++;
    s->missing = count_missing(p, s, htmt_slice(c));
    to_memory(c, p, s);
}

/* ---- one message ----------------------------------------------------------------------------- */

static bool awaited(state *s, uint32_t index)
{
    if (s->wait != HTMT__FOR_MESSAGE || s->awaited != index)
        return false;
    s->wait = HTMT__FOR_NOTHING;
    return true;
}

static void count(struct htmt_context *c, program *p, state *s,
                  const struct htmt__traffic_message *m)
{
    uint64_t i = s->arrived[m->index]++;
    s->arrivals++;
    if (i < p->desc.kept)
        s->times[htmt__traffic_came_at(p, m, i)] = htmt_enabled(c);
    htmt__traffic_tell(c, p, s, m->index);
    if (!m->named)
        gather(c, p, s, m->index);
    if (awaited(s, m->index) || go_on(s))
        htmt_signal(c, htmt_slot(c, HTMT__STEP));
}

void htmt__traffic_arrive(struct htmt_context *c)
{
    program *p = htmt__traffic_program_of(c);
    uint32_t slice = htmt_slice(c);
    const struct htmt__traffic_message *m =
        htmt__traffic_heard(p->table, slice, htmt_fiber(c) - HTMT__IN);
    htmt_use(c, htmt_in(p->in[slice], m->to), m->bytes, HTMT_READ);
    htmt_use(c, htmt_at(p->verdict, slice, 0), sizeof(struct htmt__traffic_checked), HTMT_UPDATE);
    htmt_work(c);
    count(c, p, &p->state[slice], m);
    htmt__traffic_retire(c, p, &p->state[slice]);
}
