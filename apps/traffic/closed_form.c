/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A bound of traffic without a clock.
 *
 * Each message occupies a channel out of its source's port, one into its target's, and, if the
 * network has ports inside, the channels on its path. Nothing can be done sooner than
 *
 *     the messages that one port sends, one after another, and the path of the last of them;
 *     those that one port hears;
 *     the bytes over one channel inside, after the first start-up;
 *     the longest message alone; what one node computes.
 *
 * The bound of an iteration is the largest of these over all nodes and channels. A port with
 * several channels divides its sum by their number. Iterations of a table overlap, so each further
 * one adds only what the busiest port or channel, or the period of a source, takes; slots of a
 * pattern follow each other whole. For example, on a machine of 1 ns a word and 100 ns from port to
 * port, three messages of 10 words from node 0 keep its port busy for 30 ns, and the last one
 * arrives 100 ns later: the bound is 130 ns.
 *
 * Ping-pong has one message at a time, so its time is not a bound but exact: 2 * alone * slots.
 */
#include "apps/traffic/closed_form.h"

#include "apps/lib/move.h"
#include "apps/traffic/inside.h"
#include "layers/machine/way.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What a node's ports and its processor do in an iteration, fs. */
struct busy {
    htmt_wide out, in, work;
};

struct sums {
    const struct htmt_machine *m;
    const struct htmt__traffic_plan *p;
    struct busy *of;                    /* each node */
    htmt_time alone, shortest;          /* of messages; shortest: without its channel out */
    uint32_t out_channels, in_channels; /* of a port */
    htmt_time saved;                    /* of start-up, by a message after the first */
    uint32_t channels;                  /* inside the network */
    htmt_wide *carried, busiest;        /* by each of them, fs */
    uint32_t *path;                     /* of a message; room for all of them */
};

/* ---- messages -------------------------------------------------------------------------------- */

/* Between two nodes; the length is that of a message that meets nobody. */
static int move_of(const struct sums *s, uint32_t source, uint32_t target, uint64_t bytes,
                   struct htmt_move *move, struct htmt_fault *fault)
{
    struct htmt_move_path path = {s->p->network, s->p->layer, s->p->layer, 1, 1};
    htmt_time alone = htmt_machine_alone(s->m, s->p->network, source, target, bytes);
    int rc = htmt_move(s->m, path, (bytes + 7) / 8, move);
    if (rc)
        return htmt_fault_set(fault, rc, "the time of a message of %" PRIu64 " bytes overflows",
                              bytes);
    if (htmt__traffic_has_ways(s->m, s->p->network))
        move->length = move->out + (alone > 0 ? alone : 0);
    return 0;
}

static void take_length(struct sums *s, const struct htmt_move *move)
{
    htmt_time rest = move->length - move->out;
    s->alone = move->length > s->alone ? move->length : s->alone;
    s->shortest = s->shortest < 0 || rest < s->shortest ? rest : s->shortest;
    s->out_channels = move->out_channels;
    s->in_channels = move->in_channels;
}

static int sum_table(struct sums *s, struct htmt_fault *fault)
{
    const struct htmt__traffic_table *t = &s->p->table;
    int rc = 0;
    for (uint32_t i = 0; i < t->messages && !rc; i++) {
        const struct htmt__traffic_message *m = &t->message[i];
        const uint16_t *ports = m->ports ? &t->port[m->route] : NULL;
        uint32_t network = s->p->network, on_path = 0;
        struct htmt_move move = {0};
        rc = move_of(s, m->source, m->target, m->bytes, &move, fault);
        s->of[m->source].out += move.out - (s->of[m->source].out ? s->saved : 0);
        s->of[m->target].in += move.in;
        take_length(s, &move);
        if (s->channels)
            on_path =
                htmt_machine_way(s->m, network, m->source, m->target, ports, s->path, s->channels);
        for (uint32_t n = 0; n < on_path && n < s->channels; n++) {
            htmt_wide *carried = &s->carried[s->path[n]];
            *carried += htmt_machine_channel_time(s->m, network, s->path[n], m->bytes);
            s->busiest = *carried > s->busiest ? *carried : s->busiest;
        }
    }
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t i = 0; i < t->node[n].count; i++)
            s->of[n].work += t->op[t->node[n].first + i].time;
    return rc;
}

static int sum_pattern(struct sums *s, struct htmt_fault *fault)
{
    struct htmt__traffic_pattern o = s->p->pattern;
    uint64_t *heard = calloc(o.nodes, sizeof *heard);
    struct htmt_move move = {0};
    if (!heard)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a closed form");
    int rc = move_of(s, 0, htmt__traffic_pattern_target(&o, 0, 0, 0), o.bytes, &move, fault);
    take_length(s, &move);
    uint64_t slots = htmt__traffic_pattern_repeats(&o) ? 1 : o.slots;
    o.slots = slots;
    htmt__traffic_pattern_heard(&o, heard);
    for (uint32_t i = 0; i < o.nodes; i++) {
        s->of[i].out =
            (htmt_wide)htmt__traffic_pattern_sends(&o, i) * slots * (move.out - s->saved);
        s->of[i].in = (htmt_wide)heard[i] * move.in;
        s->of[i].work = htmt__traffic_pattern_work(&o, i);
    }
    free(heard);
    return rc;
}

/* ---- the bound ------------------------------------------------------------------------------- */

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

static uint32_t nodes_of(const struct htmt__traffic_plan *p)
{
    return p->floods ? p->pattern.nodes : p->table.nodes;
}

/* The busiest port, processor or channel of an iteration, and how iterations follow each other. Two
 * nodes of a ping-pong meet nobody, so there the time is exact: there and back, one after the
 * other; not if they compute, or wait for the word that a synchronous message was received. */
static void find_bound(const struct sums *s, struct htmt__traffic_bound *b)
{
    const struct htmt__traffic_plan *p = s->p;
    const struct htmt__traffic_pattern *o = &p->pattern;
    uint32_t out = s->out_channels ? s->out_channels : 1, in = s->in_channels ? s->in_channels : 1;
    htmt_wide one = 0, rest = s->shortest > 0 ? s->shortest : 0;
    htmt_time period = 0;
    for (uint32_t i = 0; i < nodes_of(p); i++) {
        htmt_wide sends = s->of[i].out / out, hears = s->of[i].in / in;
        b->sender = larger(b->sender, sends);
        b->receiver = larger(b->receiver, hears);
        one = larger(one, larger(hears, s->of[i].work));
        if (s->of[i].out) /* the last message is under way when all have left */
            one = larger(one, sends + rest);
    }
    b->link = s->busiest / htmt_machine_planes(s->m, p->network);
    b->alone = s->alone;
    htmt_wide first = b->link ? b->link + s->m->network[p->network].startup : 0;
    one = larger(larger(one, first), s->alone);
    if (o->nodes) {
        b->total = one * (htmt_wide)p->iterations;
    } else { /* a node that sends on its own accord begins again; a period sets iterations apart */
        for (uint32_t i = 0; i < p->table.nodes; i++)
            period = p->table.node[i].period > period ? p->table.node[i].period : period;
        b->total = one + ((htmt_wide)p->iterations - 1) *
                             larger(period, larger(larger(b->sender, b->receiver), b->link));
    }
    if (!o->nodes || o->kind != HTMT__PING_PONG || o->synchronous || o->most)
        return;
    bool ports = htmt__traffic_has_ways(s->m, p->network);
    b->exact = (!ports || s->channels) && htmt_machine_routes_in_time(s->m, p->network);
    b->total = b->exact ? 2 * (htmt_wide)s->alone * (htmt_wide)p->iterations : b->total;
}

int htmt__traffic_bound_of(const struct htmt_machine *m, const struct htmt__traffic_plan *p,
                           struct htmt__traffic_bound *bound, struct htmt_fault *fault)
{
    struct sums s = {.m = m, .p = p, .shortest = -1};
    *bound = (struct htmt__traffic_bound){.exact = false};
    int rc = 0;
    s.channels = htmt_machine_channels(m, p->network);
    s.saved = htmt__traffic_saved(m, p->network);
    s.of = calloc(nodes_of(p) ? nodes_of(p) : 1, sizeof *s.of);
    s.carried = calloc(s.channels + 1, sizeof *s.carried);
    s.path = calloc(s.channels + 1, sizeof *s.path);
    if (!s.of || !s.carried || !s.path)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a closed form");
    else
        rc = p->floods ? sum_pattern(&s, fault) : sum_table(&s, fault);
    if (!rc)
        find_bound(&s, bound);
    free(s.of);
    free(s.carried);
    free(s.path);
    return rc;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void term(struct htmt_prediction *out, unsigned depth, const char *name, double value,
                 const char *unit, const char *expression, const char *meaning)
{
    struct htmt_term t = {.depth = depth, .value = value};
    snprintf(t.name, sizeof t.name, "%s", name);
    snprintf(t.unit, sizeof t.unit, "%s", unit);
    snprintf(t.expression, sizeof t.expression, "%s", expression);
    snprintf(t.meaning, sizeof t.meaning, "%s", meaning);
    htmt_prediction_term(out, &t);
}

void htmt__traffic_tell_terms(const struct htmt__traffic_plan *p,
                              const struct htmt__traffic_bound *b, struct htmt_prediction *out)
{
    const struct htmt__traffic_pattern *o = &p->pattern;
    const double second = 1e-15, bytes = p->floods ? (double)p->requests * (double)o->bytes
                                                   : (double)htmt__traffic_bytes(&p->table);
    uint32_t senders = 0, sent = 0;
    struct htmt__traffic_load l;
    term(out, 0, "T", second * (double)b->total, "s",
         b->exact ? "2 * alone * slots" : "the busiest port or processor, a way, the iterations",
         b->exact ? "all, exactly" : "no run takes less");
    term(out, 1, "alone", second * (double)b->alone, "s", "computed: from port to port",
         "the longest message, if it meets nobody");
    term(out, 1, "sender", second * (double)b->sender, "s", "computed: its messages one by one",
         "the busiest channel out, an iteration");
    if (b->link)
        term(out, 1, "link", second * (double)b->link, "s", "computed: the machine's ways",
             "the busiest channel inside the network, an iteration");
    term(out, 1, "receiver", second * (double)b->receiver, "s", "computed: its messages one by one",
         "the busiest channel in, an iteration");
    term(out, 0, "iterations", (double)p->iterations, "1", "computed: as asked for", "or slots");
    term(out, 0, "messages", (double)p->requests, "1", "computed: of all nodes", "an iteration");
    term(out, 0, "bytes", bytes, "bytes", "computed: of all messages", "an iteration");
    for (uint32_t i = 0; i < p->table.nodes && !p->floods; i++) {
        senders += p->table.node[i].sends > 0;
        sent = p->table.node[i].sends > sent ? p->table.node[i].sends : sent;
    }
    if (!p->floods) {
        term(out, 0, "nodes", p->table.nodes, "1", "computed: slices that take part", "of a table");
        term(out, 0, "senders", senders, "1", "computed: nodes that send", "of a table");
        term(out, 0, "sent", sent, "1", "computed: by one node", "most messages, an iteration");
        term(out, 0, "heard", htmt__traffic_most_heard(&p->table), "1", "computed: by one node",
             "most messages, an iteration");
    }
    if (!o->nodes)
        return;
    term(out, 0, "slots", (double)o->slots, "1", "as asked for, or floor(300 * 128 / bytes)",
         "slots of the pattern");
    if (htmt__traffic_load_of(o, &l))
        return;
    term(out, 0, "load", (double)l.busiest, "1", "computed: n x n mesh, along x, then y",
         "messages of a slot over its busiest link");
    term(out, 0, "hops", (double)l.hops / (double)l.messages, "1", "computed: n x n mesh",
         "mean of a message");
    term(out, 1, "least hops", (double)l.least, "1", "computed: n x n mesh", "of a message");
    term(out, 1, "most hops", (double)l.most, "1", "computed: n x n mesh", "of a message");
}
