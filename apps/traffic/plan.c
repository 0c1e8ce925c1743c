/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where traffic goes and what it is.
 *
 * A pattern whose slots are alike becomes a table of one slot, played as many times as it has
 * slots. A pattern of slots that differ (random targets, or random times) becomes one long
 * iteration. Beyond HTMT__TRAFFIC_KEPT messages there is no table: a model run asks the pattern
 * itself, message by message, and a run, which needs a place for each message, is refused.
 */
#include "apps/traffic/plan.h"

#include "apps/traffic/derived.h"
#include "apps/traffic/inside.h"
#include "apps/traffic/io/table_file.h"
#include "layers/machine/way.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- where ----------------------------------------------------------------------------------- */

static int find_network(const struct htmt_machine *m, const char *name,
                        struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    int found = name ? htmt_machine_layer(m, name) : -1;
    if (name && found < 0)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--layer: machine %s has no layer '%s'", m->name,
                              name);
    for (uint32_t i = 0; i < m->layer_count && found < 0; i++)
        if (m->layer[i].processor.count && htmt_machine_route(m, i, i, true) >= 0)
            found = (int)i;
    if (found < 0)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "machine %s has no network that joins the slices of a layer with "
                              "processors",
                              m->name);
    p->layer = (uint32_t)found;
    int network = htmt_machine_route(m, p->layer, p->layer, true);
    if (network < 0 || !m->layer[p->layer].processor.count)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "--layer: found %s, expected one with processors whose slices a "
                              "network joins",
                              m->layer[p->layer].name);
    p->network = (uint32_t)network;
    return 0;
}

/* ---- what ------------------------------------------------------------------------------------ */

/* The table that option --table or --profile names: one node for each slice. */
static int read_file(const struct htmt_machine *m, const char *option, const char *name,
                     struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    int rc = htmt__traffic_table_path(name, p->path, fault);
    if (!rc)
        rc = htmt__traffic_table_read(p->path, &p->table, fault);
    if (!rc)
        rc = htmt__traffic_complete(&p->table, fault);
    if (rc || p->table.nodes == m->slices)
        return rc;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "--%s: found %" PRIu32 " nodes in %s and %" PRIu32
                          " slices, expected as many",
                          option, p->table.nodes, p->table.name, m->slices);
}

static void replace(struct htmt__traffic_plan *p, const struct htmt__traffic_table *table)
{
    htmt__traffic_clear(&p->table);
    p->table = *table;
}

static int plan_profile(const struct htmt_machine *m, const struct htmt__traffic_settings *s,
                        struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    struct htmt__traffic_table made = {.nodes = 0};
    int rc = read_file(m, "profile", s->profile, p, fault);
    if (!rc)
        rc = htmt__traffic_profile_make(&p->table, s->pattern.seed, &made, fault);
    if (!rc)
        rc = htmt__traffic_complete(&made, fault);
    if (rc) {
        htmt__traffic_clear(&made);
        return rc;
    }
    snprintf(made.name, sizeof made.name, "%s", p->table.name);
    replace(p, &made);
    return 0;
}

/* The largest divisor that is not above the root. */
static uint32_t group_of(uint32_t nodes)
{
    uint32_t group = 1;
    for (uint32_t i = 2; (uint64_t)i * i <= nodes; i++)
        group = nodes % i ? group : i;
    return group;
}

/* Load and rate follow from each other where the port has a rate. */
static int plan_rate(const struct htmt_machine *m, const struct htmt__traffic_settings *s,
                     struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    struct htmt__traffic_pattern *o = &p->pattern;
    const double words = (double)o->bytes / HTMT_WORD;
    p->word = htmt__traffic_word(m, p->network, p->layer);
    if (p->word == 0 && (s->load > 0 || s->measures || s->bernoulli))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "--%s: machine %s does not model the rate of layer %s on network %s",
                              s->load > 0    ? "load"
                              : s->bernoulli ? "arrivals"
                                             : "measure",
                              m->name, m->layer[p->layer].name, m->network[p->network].name);
    if (s->load > 0)
        o->rate = s->load * (double)HTMT_SECOND / (words * p->word);
    p->load = o->rate * words * p->word / (double)HTMT_SECOND;
    if (s->measures && p->load > 1.0000001)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--rate: found %.4g messages a second, the port sends %.4g", o->rate,
                              o->rate / p->load);
    if (s->bernoulli)
        o->cycle = (htmt_time)(p->word + 0.5) ? (htmt_time)(p->word + 0.5) : 1;
    if (s->bernoulli && o->rate * (double)o->cycle > (double)HTMT_SECOND)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--arrivals: found %.4g messages a second, bernoulli has at most one "
                              "each %.4g ns",
                              o->rate, 1e-6 * (double)o->cycle);
    return 0;
}

static int plan_pattern(const struct htmt_machine *m, const struct htmt__traffic_settings *s,
                        bool runs, struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    struct htmt__traffic_pattern *o = &p->pattern;
    *o = s->pattern;
    o->nodes = m->slices;
    o->side = htmt__traffic_square(m->slices);
    if (!o->group)
        o->group = group_of(m->slices);
    int rc = htmt__traffic_pattern_check(o, fault);
    if (!rc)
        rc = plan_rate(m, s, p, fault);
    if (rc)
        return rc;
    if (s->measures && runs)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "--measure: messages are timed and carry nothing: expected htmt model");
    p->measures = s->measures;
    p->from = s->from;
    p->to = s->to;
    bool repeats = htmt__traffic_pattern_repeats(o);
    p->requests = htmt__traffic_pattern_requests(o);
    p->iterations = repeats ? o->slots : 1;
    htmt_uwide messages = (htmt_uwide)p->requests * (repeats ? 1 : o->slots);
    p->floods = s->measures || messages > HTMT__TRAFFIC_KEPT || (repeats && o->slots > 1000000);
    if (p->floods && runs)
        return htmt_fault_set(
            fault, HTMT_EINVAL,
            "a run has a place for each message and checks it there: found %" PRIu64
            " messages, expected at most %" PRIu64 "; htmt model has no bound",
            p->requests, HTMT__TRAFFIC_KEPT);
    if (p->floods)
        return 0;
    snprintf(p->table.name, sizeof p->table.name, "%s", htmt__traffic_pattern_names[o->kind]);
    rc = htmt__traffic_pattern_expand(o, &p->table, fault);
    return rc ? rc : htmt__traffic_complete(&p->table, fault);
}

/* ---- does it fit? ---------------------------------------------------------------------------- */

static int check_routes(const struct htmt_machine *m, const struct htmt__traffic_plan *p,
                        struct htmt_fault *fault)
{
    const struct htmt__traffic_table *t = &p->table;
    if (!htmt_machine_channels(m, p->network))
        return 0;
    for (uint32_t i = 0; i < t->messages; i++) {
        const struct htmt__traffic_message *g = &t->message[i];
        struct htmt_fault why = {0};
        if (!g->ports || !htmt_machine_route_check(m, p->network, g->source, g->target,
                                                   &t->port[g->route], g->ports, &why))
            continue;
        if (t->file && g->line)
            return htmt_fault_set(fault, HTMT_EINVAL, "%s:%d: %s", t->file, g->line, why.text);
        return htmt_fault_set(fault, HTMT_EINVAL, "node %" PRIu32 ": %s", g->source, why.text);
    }
    return 0;
}

static uint64_t words_of(const struct htmt__traffic_node *n)
{
    return (n->out_bytes + n->in_bytes) / 8 + 3;
}

/* A node that does not fit; as many as there are nodes: all fit. */
static uint32_t too_large(const struct htmt_machine *m, const struct htmt__traffic_plan *p)
{
    uint32_t node = 0;
    while (node < p->table.nodes &&
           words_of(&p->table.node[node]) <= htmt_machine_room(m, p->layer))
        node++;
    return node;
}

/* An iteration may begin before the target has looked at the messages of the one before. So each
 * has a place of its own, as far as half of the memory that is left and 64 MiB of the host go;
 * beyond, places are taken again, which a checked run reports where nothing orders it. */
static uint64_t buffers_of(const struct htmt_machine *m, const struct htmt__traffic_plan *p)
{
    const uint64_t room = htmt_machine_room(m, p->layer);
    uint64_t most = p->iterations, all = 0;
    for (uint32_t i = 0; i < p->table.nodes; i++) {
        const struct htmt__traffic_node *n = &p->table.node[i];
        const uint64_t fit = n->in_bytes ? 1 + (room - words_of(n)) / 2 / (n->in_bytes / 8) : most;
        most = fit < most ? fit : most;
        all += n->in_bytes;
    }
    const uint64_t fit = all ? 1 + (UINT64_C(64) << 20) / all : 1;
    return fit < most ? fit : most;
}

/* Without data, all messages of a node may lie in one place. */
static int check_room(const struct htmt_machine *m, bool runs, struct htmt__traffic_plan *p,
                      struct htmt_fault *fault)
{
    uint32_t node = too_large(m, p);
    struct htmt__traffic_table *t = &p->table;
    if (node < t->nodes && !runs) {
        for (uint32_t n = 0; n < t->nodes; n++)
            t->node[n].out_bytes = t->node[n].in_bytes = 0;
        for (uint32_t i = 0; i < t->messages; i++) {
            struct htmt__traffic_message *g = &t->message[i];
            struct htmt__traffic_node *from = &t->node[g->source], *to = &t->node[g->target];
            uint64_t bytes = (g->bytes + 7) / 8 * 8;
            g->from = g->to = 0;
            from->out_bytes = bytes > from->out_bytes ? bytes : from->out_bytes;
            to->in_bytes = bytes > to->in_bytes ? bytes : to->in_bytes;
        }
        node = too_large(m, p);
    }
    if (node == p->table.nodes) {
        p->buffers = buffers_of(m, p);
        return 0;
    }
    return htmt_fault_set(
        fault, HTMT_ECAPACITY,
        "node %" PRIu32 " has messages of %" PRIu64 " words, %s has %" PRIu64 "%s", node,
        words_of(&p->table.node[node]), m->layer[p->layer].memory.name,
        htmt_machine_room(m, p->layer), runs ? "; htmt model lets them lie in one place" : "");
}

int htmt__traffic_plan(const struct htmt_machine *m, const struct htmt__traffic_settings *s,
                       bool runs, struct htmt__traffic_plan *p, struct htmt_fault *fault)
{
    *p = (struct htmt__traffic_plan){.iterations = s->iterations};
    int rc = find_network(m, s->layer, p, fault);
    if (!rc)
        rc = s->has_pattern ? plan_pattern(m, s, runs, p, fault)
             : s->table     ? read_file(m, "table", s->table, p, fault)
                            : plan_profile(m, s, p, fault);
    const struct htmt__traffic_changes changes = {.rotates = s->order == HTMT__ROTATED,
                                                  .has_period = s->has_period,
                                                  .period = s->period,
                                                  .least = s->pattern.least,
                                                  .most = s->pattern.most};
    if (!rc && !s->has_pattern &&
        (changes.rotates || changes.has_period || changes.most || changes.least)) {
        struct htmt__traffic_table changed;
        rc = htmt__traffic_adjust(&p->table, &changes, &changed, fault);
        if (!rc)
            replace(p, &changed);
    }
    if (!rc && !p->floods) {
        uint64_t fit = HTMT__TRAFFIC_TIMED / (p->table.messages ? p->table.messages : 1);
        p->requests = p->table.messages;
        p->kept = p->iterations < fit ? p->iterations : fit;
    }
    if (!rc)
        rc = check_routes(m, p, fault);
    if (!rc)
        rc = check_room(m, runs, p, fault);
    if (rc)
        htmt__traffic_plan_clear(p);
    return rc;
}

void htmt__traffic_plan_clear(struct htmt__traffic_plan *plan)
{
    htmt__traffic_clear(&plan->table);
}

void htmt__traffic_describe(const struct htmt__traffic_plan *p, char *text, size_t room)
{
    const struct htmt__traffic_pattern *o = &p->pattern;
    if (p->measures)
        snprintf(text, room,
                 "%s, %" PRIu32 " nodes, load %.4g of a port, messages of %" PRIu64
                 " bytes, measured from %.4g us to %.4g us",
                 htmt__traffic_pattern_names[o->kind], o->nodes, p->load, o->bytes,
                 1e-9 * (double)p->from, 1e-9 * (double)p->to);
    else if (o->nodes)
        snprintf(text, room,
                 "%s, %" PRIu32 " nodes, %" PRIu64 " slot%s, %" PRIu64 " messages of %" PRIu64
                 " bytes",
                 htmt__traffic_pattern_names[o->kind], o->nodes, o->slots, o->slots == 1 ? "" : "s",
                 htmt__traffic_pattern_requests(o) * o->slots, o->bytes);
    else
        snprintf(text, room,
                 "table %s, %" PRIu32 " nodes, %" PRIu64 " iteration%s of %" PRIu64
                 " messages, %" PRIu64 " bytes",
                 p->table.name, p->table.nodes, p->iterations, p->iterations == 1 ? "" : "s",
                 p->requests, htmt__traffic_bytes(&p->table));
}
