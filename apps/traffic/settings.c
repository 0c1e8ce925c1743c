/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of traffic. One of a table, a profile and a pattern says what is sent; options that have
 * no meaning beside it are refused.
 */
#include "apps/traffic/settings.h"

#include "apps/traffic/io/table_file.h"
#include "layers/file/units.h"
#include "runtime/base/output.h"

#include <stdio.h>
#include <string.h>

#define ITERATIONS_MOST 1000000
#define SLOTS_MOST      (UINT64_C(1) << 40)

const struct htmt_app_option htmt__traffic_options[] = {
    {"table", "NAME|FILE", NULL, "who sends what to whom: a shipped table, or a file"},
    {"profile", "NAME|FILE", NULL,
     "traffic with the sizes, partners, synchronization and times between of this table"},
    {"pattern", "NAME", NULL,
     "ping-pong, all-to-all, equal-distance, unequal-distance, uniform, transpose, tornado, "
     "hotspot, bit-complement, reverse, shuffle, permutation, neighbour or adversarial"},
    {"bytes", "N", "1024", "bytes of a message of a pattern"},
    {"slots", "N|paper", "1",
     "slots of a pattern, each after the one before; paper: floor(300 * 128 / bytes)"},
    {"rate", "R", NULL,
     "messages a second of each node, at random times; without it one after another"},
    {"load", "SHARE", NULL, "instead of --rate: a share of the rate of a node's port"},
    {"arrivals", "KIND", "poisson",
     "with --rate or --load: poisson, or bernoulli (by the cycle of a port's word)"},
    {"measure", "T0..T1", NULL,
     "with --rate or --load: messages born in between; sources go on until these have come"},
    {"group", "N", NULL,
     "adversarial: nodes of a group; default: the largest divisor up to the root of all"},
    {"partner", "N", "1", "ping-pong: the node that node 0 plays with"},
    {"hot", "SHARE", "0.1", "hotspot: share of the messages that go to node 0"},
    {"synchronous", NULL, NULL, "a node of a pattern sends when its last message was received"},
    {"order", "KIND", NULL,
     "of a node's targets: listed, or rotated (each source begins one further); default: listed, "
     "of all-to-all rotated"},
    {"compute", "T[,T]", NULL,
     "every node computes so long before it sends; two times: from the first node to the last"},
    {"iterations", "N", "1", "how often each node of a table does all it does"},
    {"period", "T", NULL, "of all sources of the table; 0 s: as fast as their messages leave"},
    {"layer", "NAME", NULL,
     "whose memories and processors take part; default: the first that a network joins"},
    {"latencies", "FILE", NULL, "write the times of iterations and messages, .csv"},
    {NULL, NULL, NULL, NULL}};

/* ---- values ---------------------------------------------------------------------------------- */

static int read_time(const char *option, const char *text, htmt_time *time,
                     struct htmt_fault *fault)
{
    struct htmt_quantity q;
    char why[200];
    int rc = htmt_quantity_read(text, HTMT_UNIT_TIME, NULL, &q, why, sizeof why);
    if (rc)
        return htmt_fault_set(fault, rc, "--%s: %s", option, why);
    if (q.value.den != 1 || q.value.num > (uint64_t)HTMT_TIME_MAX / 4)
        return htmt_fault_set(fault, HTMT_ERANGE, "--%s: found '%s', which is too long", option,
                              text);
    *time = (htmt_time)q.value.num;
    return 0;
}

/* "T" or "T,T" */
static int read_compute(const char *text, struct htmt__traffic_pattern *p, struct htmt_fault *fault)
{
    char first[64];
    size_t length = strcspn(text, ",");
    if (length >= sizeof first)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--compute: found '%s', expected T or T,T", text);
    memcpy(first, text, length);
    first[length] = '\0';
    int rc = read_time("compute", first, &p->least, fault);
    p->most = p->least;
    if (!rc && text[length])
        rc = read_time("compute", text + length + 1, &p->most, fault);
    return rc;
}

/* "T0..T1" */
static int read_window(const char *text, struct htmt__traffic_settings *s, struct htmt_fault *fault)
{
    const char *dots = strstr(text, "..");
    char first[64];
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--measure: found '%s', expected T0..T1", text);
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    int rc = read_time("measure", first, &s->from, fault);
    if (!rc)
        rc = read_time("measure", dots + 2, &s->to, fault);
    if (!rc && s->from >= s->to)
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "--measure: found '%s', which ends before it begins", text);
    return rc;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int read_pattern(const struct htmt_request *r, struct htmt__traffic_pattern *p,
                        struct htmt_fault *fault)
{
    unsigned kind = 0;
    int rc = htmt_request_choice(r, "pattern", htmt__traffic_pattern_names, &kind, fault);
    if (!rc)
        rc = htmt_request_whole(r, "bytes", 1, HTMT__TRAFFIC_BYTES_MOST, &p->bytes, fault);
    if (!rc && strcmp(htmt_request_value(r, "slots"), "paper") == 0)
        p->slots = htmt__traffic_paper_slots(p->bytes);
    else if (!rc)
        rc = htmt_request_whole(r, "slots", 1, SLOTS_MOST, &p->slots, fault);
    if (!rc)
        rc = htmt_request_real(r, "rate", 1e-3, 1e15, &p->rate, fault);
    if (!rc)
        rc = htmt_request_real(r, "hot", 0, 1, &p->hot, fault);
    if (!rc && htmt_request_value(r, "group"))
        rc = htmt_request_whole32(r, "group", 1, UINT32_MAX, &p->group, fault);
    if (!rc)
        rc = htmt_request_whole32(r, "partner", 0, UINT32_MAX, &p->partner, fault);
    p->kind = (enum htmt__traffic_pattern_kind)kind;
    p->seed = htmt_request_seed(r);
    p->synchronous = htmt_request_value(r, "synchronous") != NULL;
    return rc;
}

/* How messages come, and those that are measured. */
static int read_measure(const struct htmt_request *r, struct htmt__traffic_settings *s,
                        struct htmt_fault *fault)
{
    static const char *const kinds[] = {"poisson", "bernoulli", NULL};
    const char *window = htmt_request_value(r, "measure");
    unsigned kind = 0;
    int rc = htmt_request_real(r, "load", 1e-9, 1, &s->load, fault);
    if (!rc)
        rc = htmt_request_choice(r, "arrivals", kinds, &kind, fault);
    if (!rc && window)
        rc = read_window(window, s, fault);
    s->measures = window != NULL;
    s->bernoulli = kind == 1;
    return rc;
}

/* Options that have no meaning beside others; NULL: all have one. */
static const char *clash_of(const struct htmt__traffic_settings *s)
{
    const struct htmt__traffic_pattern *p = &s->pattern;
    const bool timed = p->rate > 0 || s->load > 0;
    return s->has_pattern && s->iterations > 1
               ? "--iterations with --pattern: a pattern has --slots"
           : s->has_pattern && s->has_period ? "--period with --pattern: a pattern has --rate"
           : p->rate > 0 && s->load > 0      ? "--rate with --load: expected one of them"
           : s->load > 0 && !s->has_pattern  ? "--load: expected a --pattern"
           : s->measures && !s->has_pattern  ? "--measure: expected a --pattern"
           : s->measures && !timed           ? "--measure: expected --load or --rate"
           : s->bernoulli && !timed          ? "--arrivals: expected --load or --rate"
           : s->measures && p->synchronous   ? "--measure with --synchronous: sources do not wait"
           : s->measures && p->slots > 1     ? "--measure with --slots: expected one of them"
           : timed && p->kind == HTMT__PING_PONG ? "--rate with ping-pong: each waits for the other"
           : timed && p->most > 0                ? "--rate with --compute: expected one of them"
                                                 : NULL;
}

int htmt__traffic_settings_read(const struct htmt_request *r, struct htmt__traffic_settings *out,
                                struct htmt_fault *fault)
{
    struct htmt__traffic_settings s = {.table = htmt_request_value(r, "table"),
                                       .profile = htmt_request_value(r, "profile"),
                                       .layer = htmt_request_value(r, "layer"),
                                       .latencies = htmt_request_value(r, "latencies"),
                                       .has_pattern = htmt_request_value(r, "pattern") != NULL};
    const char *period = htmt_request_value(r, "period"),
               *compute = htmt_request_value(r, "compute");
    s.has_period = period != NULL;
    int given = (s.table != NULL) + (s.profile != NULL) + s.has_pattern;
    if (given != 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "found %s of --table, --profile and --pattern, expected one",
                              given ? "several" : "none");
    int rc = read_pattern(r, &s.pattern, fault);
    if (!rc && compute)
        rc = read_compute(compute, &s.pattern, fault);
    static const char *const orders[] = {"listed", "rotated", NULL};
    unsigned order = s.has_pattern ? HTMT__ROTATED : HTMT__LISTED;
    s.has_order = htmt_request_value(r, "order") != NULL;
    if (!rc && s.has_order)
        rc = htmt_request_choice(r, "order", orders, &order, fault);
    s.order = (enum htmt__traffic_order)order;
    s.pattern.in_order = s.order == HTMT__LISTED;
    if (!rc)
        rc = htmt_request_whole(r, "iterations", 1, ITERATIONS_MOST, &s.iterations, fault);
    if (!rc && period)
        rc = read_time("period", period, &s.period, fault);
    if (!rc)
        rc = read_measure(r, &s, fault);
    if (!rc && clash_of(&s))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "%s", clash_of(&s));
    if (!rc && s.latencies)
        rc = htmt_request_suffix(r, "latencies", ".csv", fault);
    if (!rc)
        *out = s;
    return rc;
}

uint32_t htmt__traffic_slices(const struct htmt_request *r)
{
    const char *table = htmt_request_value(r, "table");
    uint32_t most = htmt_request_machine(r)->slices, nodes = 0;
    if (!table)
        table = htmt_request_value(r, "profile");
    if (table)
        nodes = htmt__traffic_table_nodes(table);
    return nodes && nodes < most ? nodes : most;
}
