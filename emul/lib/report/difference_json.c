/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each row has the figures of both runs and their change, so that a reader need not match anything.
 * What only one run has is 0 where 0 is true, and null where nothing was measured.
 */
#include "emul/lib/report/difference.h"

#include "emul/lib/report/fields.h"
#include "emul/lib/text/format.h"
#include "runtime/base/jansson.h"

#include <math.h>

static json_t *text(const char *of)
{
    return of ? htmt__json_text(of) : json_null();
}

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *array(unsigned count, const void *of,
                     json_t *(*make)(const void *of, unsigned index))
{
    json_t *all = json_array();
    for (unsigned i = 0; i < count && all; i++)
        htmt__fields_append(&all, make(of, i));
    return all;
}

static json_t *run(const struct htmt__document *d, bool explained)
{
    return json_pack("{s:o,s:s,s:o,s:o,s:b,s:o,s:o,s:o}", "app", text(d->app), "mode", d->mode,
                     "machine", text(d->machine), "slices", json_integer((json_int_t)d->slices),
                     "complete", !d->fault.code, "predicted_fs", json_integer(d->results.predicted),
                     "bottleneck", text(htmt__results_worst(&d->results, explained)),
                     "history_hash", json_string(htmt__format_hash(d->results.history_hash).s));
}

static json_t *input(const void *of, unsigned i)
{
    const struct htmt__input_change *c = &((const struct htmt__difference *)of)->input[i];
    char name[sizeof c->name + 20];
    snprintf(name, sizeof name, "%s%s", c->kind, c->name);
    return json_pack("{s:o,s:o,s:o}", "name", text(name), "a", text(c->a), "b", text(c->b));
}

static json_t *sum(const void *of, unsigned i)
{
    const struct htmt__difference *x = of;
    htmt_time a = x->a->explanation.sum[i], b = x->b->explanation.sum[i];
    return json_pack("{s:s,s:o,s:o,s:o}", "cause", htmt_path_cause_name((enum htmt_path_cause)i),
                     "a_fs", json_integer(a), "b_fs", json_integer(b), "change_fs",
                     json_integer(b - a));
}

static json_t *part(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->causes.match[i];
    const struct htmt__cause *a = m->a, *b = m->b, *one = a ? a : b;
    htmt_time from = a ? a->time : 0, to = b ? b->time : 0;
    return json_pack("{s:s,s:o,s:o,s:s,s:o,s:o,s:o,s:o}", "cause", one->cause, "of", text(one->of),
                     "type", text(one->type), "stage", one->stage, "using", text(one->used), "a_fs",
                     json_integer(from), "b_fs", json_integer(to), "change_fs",
                     json_integer(to - from));
}

static json_t *resource(const void *of, unsigned i)
{
    const struct htmt__difference *x = of;
    const struct htmt__match *m = &x->resources.match[i];
    const struct htmt__resource *a = m->a, *b = m->b;
    double change = (double)x->change / (double)HTMT_SECOND, busy = m->to - m->from;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", text((a ? a : b)->name),
                     "a_busy_s", htmt__fields_real(m->from), "b_busy_s", htmt__fields_real(m->to),
                     "change_busy_s", htmt__fields_real(busy), "change_rest_s",
                     htmt__fields_real(change - busy), "a_utilization",
                     htmt__fields_real(a ? a->utilization : NAN), "b_utilization",
                     htmt__fields_real(b ? b->utilization : NAN), "a_mean_wait_s",
                     htmt__fields_real(a ? a->mean_wait_s : NAN), "b_mean_wait_s",
                     htmt__fields_real(b ? b->mean_wait_s : NAN));
}

static json_t *phase(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->phases.match[i];
    const struct htmt__stage *a = m->a, *b = m->b, *one = a ? a : b;
    return json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "name", text(one->type), "stage",
                     one->stage, "resource", text(one->resource), "a_parcels",
                     count(a ? a->parcels : 0), "b_parcels", count(b ? b->parcels : 0), "a_busy_s",
                     htmt__fields_real(m->from), "b_busy_s", htmt__fields_real(m->to),
                     "change_busy_s", htmt__fields_real(m->to - m->from));
}

static json_t *memory(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->memories.match[i];
    const struct htmt__memory *a = m->a, *b = m->b;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "name", text((a ? a : b)->name), "a_peak_words",
                     a ? count(a->peak_words) : json_null(), "b_peak_words",
                     b ? count(b->peak_words) : json_null(), "a_stall_s",
                     htmt__fields_real(m->from), "b_stall_s", htmt__fields_real(m->to),
                     "change_stall_s", htmt__fields_real(m->to - m->from));
}

static json_t *inside(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->insides.match[i];
    const struct htmt__inside_sums *a = m->a, *b = m->b;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name",
                     text((a ? a : b)->name), "a_hops", count(a ? a->hops : 0), "b_hops",
                     count(b ? b->hops : 0), "a_contentions", count(a ? a->contentions : 0),
                     "b_contentions", count(b ? b->contentions : 0), "a_busy_s",
                     htmt__fields_real(htmt__inside_busy_of(a)), "b_busy_s",
                     htmt__fields_real(htmt__inside_busy_of(b)), "a_blocked_s",
                     htmt__fields_real(htmt__inside_blocked_of(a)), "b_blocked_s",
                     htmt__fields_real(htmt__inside_blocked_of(b)), "a_mean_queue",
                     htmt__fields_real(a ? a->mean_queue : 0), "b_mean_queue",
                     htmt__fields_real(b ? b->mean_queue : 0));
}

static json_t *port(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->ports.match[i];
    const struct htmt__port_sums *a = m->a, *b = m->b, *one = a ? a : b;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "network", text(one->network), "name",
                     text(one->name), "plane", count(one->plane), "a_contentions",
                     count(a ? a->contentions : 0), "b_contentions", count(b ? b->contentions : 0),
                     "a_busy_s", htmt__fields_real(a ? a->busy_s : 0), "b_busy_s",
                     htmt__fields_real(b ? b->busy_s : 0), "a_blocked_s",
                     htmt__fields_real(a ? a->blocked_s + a->waiting_s : 0), "b_blocked_s",
                     htmt__fields_real(b ? b->blocked_s + b->waiting_s : 0));
}

static json_t *routing(const void *of, unsigned i)
{
    const struct htmt__match *m = &((const struct htmt__difference *)of)->routing.match[i];
    const struct htmt__routing_sums *a = m->a, *b = m->b, *one = a ? a : b;
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "name", text(one->name), "layer",
                     text(one->layer), "a_routing_s", htmt__fields_real(m->from), "b_routing_s",
                     htmt__fields_real(m->to), "a_utilization",
                     htmt__fields_real(a ? a->utilization : NAN), "b_utilization",
                     htmt__fields_real(b ? b->utilization : NAN));
}

json_t *htmt__difference_json(const struct htmt__difference *x)
{
    const bool e = x->explained;
    json_t *all = json_pack(
        "{s:s,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o,s:o}", "schema", "htmt-comparison-1", "a",
        run(x->a, x->explained), "b", run(x->b, x->explained), "change_fs", json_integer(x->change),
        "inputs", array(x->inputs, x, input), "figures_compared", x->figures, "causes",
        e ? array(HTMT_PATH_CAUSES, x, sum) : json_null(), "parts",
        e ? array(x->causes.count, x, part) : json_null(), "resources",
        array(x->resources.count, x, resource), "phases", array(x->phases.count, x, phase),
        "memories", array(x->memories.count, x, memory));
    int failed = 0;
    if (!all || !x->insides.count) /* only where a network of a run has ports inside */
        return all;
    failed |= json_object_set_new(all, "insides", array(x->insides.count, x, inside));
    failed |= json_object_set_new(all, "ports", array(x->ports.count, x, port));
    failed |= json_object_set_new(all, "routing", array(x->routing.count, x, routing));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}
