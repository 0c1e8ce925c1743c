/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why the nodes of a table wait for each other, in the words of the table.
 *
 * The runtime sees activations whose fibers lack signals; it cannot know whose program was to send
 * them. The table says it. All that a node has done follows from two numbers, its iteration and its
 * next operation: since operations go on in order, a send at place k of the list has been performed
 * `iteration` times, and once more if k lies before the next operation. So an edge is drawn
 *
 *     from a node at   to            if
 *     {rcv: S}         S             S has not yet sent the message of this iteration
 *     {send: T}        T             T has not yet come to its receive of it
 *     its blocks       each source   the source has not yet sent its block of this iteration
 *
 * A message that was sent and has not come is held up in the network, which the runtime reports:
 * then there is no edge. A node that waits has an edge or waits for the network, so a deadlock that
 * the network has no part in has a cycle. It is found by a search in depth that keeps its path; a
 * node that was left is done, since no cycle leads through it.
 *
 * For example, a: {rcv: b}; b: {rcv: c}, {asend: a}, {asend: c}; c: {rcv: b}, {asend: b}. Nobody
 * has sent anything: a -> b -> c -> b. The cycle is that of b and c, and a waits behind it.
 */
#include "apps/traffic/deadlock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMED 4u /* nodes of a cycle, and behind it, that are named */

struct search {
    const struct htmt__traffic_table *t;
    const struct htmt__traffic_place *at;
    uint32_t *sent,
        *received;  /* of each message: its place in the list of its source, its target */
    uint32_t *next; /* of each node: edges that were followed */
    uint8_t *mark;  /* 0 new, 1 on the path, 2 done */
    uint32_t *path;
};

/* ---- what has happened ----------------------------------------------------------------------- */

/* How often a node has performed the operation at that place of its list. */
static uint64_t performed(const struct search *s, uint32_t node, uint32_t place)
{
    return s->at[node].iteration + (place < s->at[node].next);
}

/* The operation that the node waits at; NULL: it has none, or has ended. */
static const struct htmt__traffic_op *waits_at(const struct search *s, uint32_t node)
{
    const struct htmt__traffic_place *p = &s->at[node];
    const bool between = p->ended || !p->next || p->next > s->t->node[node].count;
    return between ? NULL : &s->t->op[s->t->node[node].first + p->next - 1];
}

/* The node's edge number i, in the order of the table: whom it waits for. HTMT__TRAFFIC_NONE: that
 * one has done its part; false: there are no more. */
static bool edge(const struct search *s, uint32_t node, uint32_t i, uint32_t *to)
{
    const struct htmt__traffic_op *op = waits_at(s, node);
    const struct htmt__traffic_node *n = &s->t->node[node];
    const bool blocks = op && op->kind == HTMT__TRAFFIC_ALL;
    const uint64_t this_one = s->at[node].iteration + 1;
    if (!op || i >= (blocks ? n->hears : 1) ||
        (!blocks && op->kind != HTMT__TRAFFIC_RCV && op->kind != HTMT__TRAFFIC_SEND))
        return false;
    const uint32_t number = blocks ? s->t->in[n->first_in + i] : op->message;
    const struct htmt__traffic_message *m = &s->t->message[number];
    *to = HTMT__TRAFFIC_NONE;
    if (op->kind == HTMT__TRAFFIC_SEND) {
        if (m->named && performed(s, m->target, s->received[number]) < this_one)
            *to = m->target;
    } else if (!(blocks && m->named) && performed(s, m->source, s->sent[number]) < this_one) {
        *to = m->source;
    }
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

struct words {
    char *text;
    size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->room - w->used, format, args);
    va_end(args);
    w->used = n < 0 || (size_t)n >= w->room - w->used ? w->room - 1 : w->used + (size_t)n;
}

static void say_node(struct words *w, const struct search *s, uint32_t node)
{
    if (*s->t->node[node].name)
        say(w, "%s", s->t->node[node].name);
    else
        say(w, "node %" PRIu32, node);
}

/* "b waits for c at its operation 1 {rcv: 2}" */
static void say_wait(struct words *w, const struct search *s, uint32_t node, uint32_t to)
{
    const struct htmt__traffic_op *op = waits_at(s, node);
    say_node(w, s, node);
    say(w, " waits for ");
    say_node(w, s, to);
    if (op->kind == HTMT__TRAFFIC_ALL)
        say(w, " to send it a block");
    else
        say(w, " at its operation %" PRIu32 " {%s: %" PRIu32 "}", s->at[node].next,
            op->kind == HTMT__TRAFFIC_SEND ? "send" : "rcv", op->peer);
    if (s->at[node].iteration)
        say(w, " of iteration %" PRIu64, s->at[node].iteration);
}

/* The cycle is the path from `first` to its end; others wait, too. */
static void say_cycle(struct words *w, const struct search *s, uint32_t first, uint32_t depth)
{
    const uint32_t length = depth - first;
    uint32_t behind = 0;
    say(w, "nodes wait for each other: ");
    for (uint32_t i = 0; i < length && i < NAMED; i++) {
        say(w, i ? ", " : "");
        say_wait(w, s, s->path[first + i], s->path[first + (i + 1) % length]);
    }
    if (length > NAMED)
        say(w, ", and so on: a cycle of %" PRIu32 " nodes", length);
    else
        say(w, ": a cycle");
    for (uint32_t i = first; i < depth; i++)
        s->mark[s->path[i]] = 3;
    for (uint32_t n = 0; n < s->t->nodes; n++)
        behind += s->mark[n] != 3 && waits_at(s, n) != NULL;
    if (behind)
        say(w, "; %" PRIu32 " more wait%s", behind, behind == 1 ? "s: " : ": ");
    for (uint32_t n = 0, named = 0; n < s->t->nodes && named <= NAMED && behind; n++) {
        if (s->mark[n] == 3 || !waits_at(s, n))
            continue;
        if (named)
            say(w, ", ");
        if (named++ == NAMED)
            say(w, "...");
        else
            say_node(w, s, n);
    }
}

/* ---- the cycle ------------------------------------------------------------------------------- */

/* The search from one node; true: a cycle was found and said. */
static bool search_from(const struct search *s, uint32_t root, struct words *w)
{
    uint32_t depth = 0, next = root;
    for (;;) {
        s->mark[next] = 1;
        s->path[depth++] = next;
        for (next = HTMT__TRAFFIC_NONE; next == HTMT__TRAFFIC_NONE;) {
            const uint32_t node = s->path[depth - 1];
            uint32_t to;
            if (!edge(s, node, s->next[node]++, &to)) {
                s->mark[node] = 2;
                if (!--depth)
                    return false;
            } else if (to != HTMT__TRAFFIC_NONE && s->mark[to] != 2) {
                next = to;
            }
        }
        if (s->mark[next] == 1) {
            uint32_t first = 0;
            while (s->path[first] != next)
                first++;
            say_cycle(w, s, first, depth);
            return true;
        }
    }
}

bool htmt__traffic_deadlock(const struct htmt__traffic_table *t,
                            const struct htmt__traffic_place *places, char *text, size_t room)
{
    uint32_t *all = calloc(2 * (size_t)t->messages + 2 * (size_t)t->nodes + 1, sizeof *all);
    uint8_t *mark = calloc((size_t)t->nodes + 1, 1);
    struct words w = {text, 0, room};
    bool found = false;
    if (!all || !mark)
        goto clear;
    const struct search s = {.t = t,
                             .at = places,
                             .sent = all,
                             .received = all + t->messages,
                             .next = all + 2 * (size_t)t->messages,
                             .path = all + 2 * (size_t)t->messages + t->nodes,
                             .mark = mark};
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t i = 0; i < t->node[n].count; i++) {
            const struct htmt__traffic_op *op = &t->op[t->node[n].first + i];
            if (op->kind == HTMT__TRAFFIC_SEND || op->kind == HTMT__TRAFFIC_ASEND)
                s.sent[op->message] = i;
            else if (op->kind == HTMT__TRAFFIC_RCV || op->kind == HTMT__TRAFFIC_ARECV)
                s.received[op->message] = i;
        }
    for (uint32_t n = 0; n < t->nodes && !found; n++)
        found = !mark[n] && search_from(&s, n, &w);
clear:
    free(all);
    free(mark);
    return found;
}
