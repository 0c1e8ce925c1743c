/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Differentiate the end of a run.
 *
 * The nodes that live_slope.c has left are in an order in which each comes behind those that it
 * comes from. So one pass finds how fast each instant changes: a charge adds its own change to that
 * of the instant before it, and of instants that tie, the later one changes as the fastest does,
 * the sooner one as the slowest. "Fastest" depends on the direction, so there are two passes, for a
 * figure that grows and for one that falls. Charges are few, and are differentiated before.
 *
 * Cost: a few additions for each node of the critical paths, and two numbers of eight bytes.
 */
#include "parcels/slope.h"
#include "parcels/clock/statistics.h"
#include "parcels/observe/live_slope.h"

#include <math.h>
#include <stdlib.h>

struct slopes {
    const struct htmt_emulator *e;
    const struct htmt__slope_graph *g;
    double *of_charge, *of_node;
    double *sorted; /* of the members of each group, once it was met */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double slope_at(const struct slopes *s, uint32_t node)
{
    return node == HTMT__TIME_0 ? 0 : s->of_node[node];
}

/* Number k of a group's instants a moment later: they are sorted by their slopes. */
static double in_group(const struct slopes *s, const struct htmt__slope_node *n)
{
    const struct htmt__slope_group *of = &s->g->group[n->a];
    double *sorted = &s->sorted[of->first];
    bool differ = false;
    for (uint32_t i = 0; i < of->count && isnan(sorted[of->count - 1]); i++) {
        sorted[i] = slope_at(s, of->member[i]);
        differ |= sorted[i] != sorted[0];
    }
    if (differ)
        qsort(sorted, of->count, sizeof *sorted, compare);
    return sorted[n->b];
}

static double sum_of(const struct slopes *s, uint32_t first)
{
    double sum = 0;
    for (const struct htmt__slope_term *t = &s->g->term[first]; t->count; t++)
        sum += t->count * s->of_charge[t->charge];
    return sum;
}

/* fs per unit of ln p, in the direction of `sign`. */
static double differentiate(const struct slopes *s, const struct htmt__exponents *x, double sign)
{
    const struct htmt__slope_graph *g = s->g;
    bool matters = false;
    for (uint32_t i = 0; i < g->charges; i++) {
        s->of_charge[i] = htmt__charge_slope(s->e->machine, x, &g->charge[i], sign);
        matters |= s->of_charge[i] != 0;
    }
    if (!matters)
        return 0;
    for (size_t i = 0; i < g->members; i++)
        s->sorted[i] = (double)NAN;
    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct htmt__slope_node *n = &g->node[i];
        s->of_node[i] = n->charge == HTMT__SLOPE_ORDER ? in_group(s, n)
                        : n->charge == HTMT__SLOPE_MAX ? fmax(slope_at(s, n->a), slope_at(s, n->b))
                                                       : slope_at(s, n->a) + sum_of(s, n->b);
    }
    return s->of_node[g->nodes - 1];
}

static int refuse(const struct htmt_emulator *e, const struct htmt__charge *c,
                  struct htmt_fault *fault)
{
    const struct htmt__stage_stats *stats = e->stats;
    while (stats && (c->kind != HTMT__CHARGE_UNKNOWN || stats->number != c->of))
        stats = stats->next;
    if (stats)
        return htmt_fault_set(fault, HTMT_ENOENT,
                              "no derivative by the path: a model inside times %s, %s", stats->type,
                              htmt_stage_name(stats->stage));
    return htmt_fault_set(fault, HTMT_ENOENT,
                          "no derivative by the path: not all of it is charges of the machine");
}

int htmt_slope_find(const struct htmt_emulator *e, const struct htmt_machine *toward, double factor,
                    double *larger, double *smaller, struct htmt_fault *fault)
{
    struct htmt__exponents x;
    if (!e || !e->slope || !e->slope->settled || !toward || !larger || !smaller || !(factor > 0) ||
        factor == 1 || isinf(factor))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "htmt_slope_find(): no complete run with `slopes`, no machine, no "
                              "factor or no place for the results");
    *larger = *smaller = 0;
    const struct htmt__slope_graph *g = &e->slope->graph;
    int rc = e->slope->unfit == UINT32_MAX ? 0 : refuse(e, &g->charge[e->slope->unfit], fault);
    rc = rc ? rc : htmt__exponents_find(e->machine, toward, factor, &x, fault);
    if (rc || !g->nodes)
        return rc;
    struct slopes s = {.e = e,
                       .g = g,
                       .of_charge = malloc((g->charges + 1u) * sizeof *s.of_charge),
                       .of_node = malloc(g->nodes * sizeof *s.of_node),
                       .sorted = malloc((g->members + 1u) * sizeof *s.sorted)};
    if (s.of_charge && s.of_node && s.sorted) {
        const double total = (double)g->node[g->nodes - 1].time;
        *larger = differentiate(&s, &x, 1) / total;
        *smaller = -differentiate(&s, &x, -1) / total;
    } else {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for slopes");
    }
    free(s.of_charge);
    free(s.of_node);
    free(s.sorted);
    return rc;
}
