/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic as an application: who sends what to whom.
 *
 * A table, or a pattern that is small enough to become one, is a program that times each message,
 * so the report has latencies of messages and of iterations. A larger pattern is a flood, of which
 * only the whole is timed. A pattern of a rate may be measured in a window. Where iterations follow
 * a period, the report also says how far apart they end, and the least period that the network
 * would sustain.
 */
#include "apps/lib/gather.h"
#include "apps/lib/steps.h"
#include "apps/traffic/closed_form.h"
#include "apps/traffic/derived.h"
#include "apps/traffic/flood.h"
#include "apps/traffic/inside.h"
#include "apps/traffic/measure.h"
#include "apps/traffic/results.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRIVALS_MOST 12 /* messages of a table whose arrivals are told one by one */

struct work {
    struct htmt__traffic_settings set;
    struct htmt__traffic_plan plan;
    struct htmt__traffic_bound bound;
    struct htmt__traffic_program *program; /* NULL: a flood, or none yet */
    struct htmt__traffic_flood *flood;
    struct htmt__traffic_measure *measure;
};

/* ---- plan ------------------------------------------------------------------------------------ */

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_machine *m = htmt_task_machine(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt__traffic_settings_read(htmt_task_request(task), &w->set, fault);
    if (!rc && w->set.latencies && !htmt_task_is_prediction(task))
        rc = htmt_output_claim("--latencies", w->set.latencies, fault);
    if (!rc)
        rc = htmt__traffic_plan(m, &w->set, !htmt_task_is_model(task), &w->plan, fault);
    if (!rc && w->plan.measures && htmt_task_is_prediction(task))
        rc = htmt_task_refuse(task, HTMT_EUSAGE,
                              "--measure: a prediction knows no queues: expected htmt model");
    if (!rc && !w->plan.measures)
        rc = htmt__traffic_bound_of(m, &w->plan, &w->bound, fault);
    if (!rc && w->plan.floods && !w->plan.measures && w->set.latencies)
        rc = htmt_task_refuse(task, HTMT_EUSAGE,
                              "--latencies: found more than %" PRIu64
                              " messages, which are timed as a whole: choose fewer --slots or "
                              "--slices",
                              HTMT__TRAFFIC_KEPT);
    if (!rc && w->plan.table.ports && !htmt__traffic_has_ports(m, w->plan.network))
        htmt_task_warn(task, "routes",
                       "the routes of table %s are not taken: the network has no ports inside",
                       w->plan.table.name);
    return rc;
}

static void name_problem(struct htmt_task *task, const struct work *w)
{
    char text[300];
    htmt__traffic_describe(&w->plan, text, sizeof text);
    htmt_task_problem(task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total_fs(out, w->bound.total);
    name_problem(task, w);
    htmt__traffic_tell_terms(&w->plan, &w->bound, out);
    return 0;
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (!w->plan.measures)
        htmt_task_closed_form(task, w->bound.total, "%s",
                              w->bound.exact ? "message by message" : "bound of the busiest port");
    name_problem(task, w);
}

/* ---- emulation ------------------------------------------------------------------------------- */

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    const struct htmt__traffic_program_desc desc = {
        .table = &w->plan.table,
        .layer = w->plan.layer,
        .network = w->plan.network,
        .iterations = w->plan.iterations,
        .kept = w->plan.kept,
        .buffers = w->plan.buffers,
        .named = htmt_request_sections(htmt_task_request(task))};
    struct htmt_fault *fault = htmt_task_fault(task);
    if (w->plan.measures)
        return htmt__traffic_measure_create(
            e, &w->plan, htmt__traffic_measure_until(htmt_task_machine(task), &w->plan),
            &w->measure, fault);
    if (w->plan.floods)
        return htmt__traffic_flood_create(e, &w->plan.pattern, w->plan.layer, &w->flood, fault);
    double bytes = 2.0 * (double)htmt__traffic_bytes(&w->plan.table);
    int rc = 0;
    if (!htmt_task_is_model(task))
        rc = htmt_task_fits(task, bytes, "messages at both ends %.2f GiB", bytes / HTMT_GIB);
    return rc ? rc : htmt__traffic_program_create(e, &desc, &w->program, fault);
}

/* Nodes that wait for each other are told by the table. What waits for the network is the
 * runtime's to tell. */
static int explain(struct htmt_task *task, void *work, int rc)
{
    struct work *w = work;
    struct htmt__traffic_place *places = NULL;
    char text[400];
    if (rc == HTMT_EDEADLOCK && w->program && !htmt__traffic_program_places(w->program, &places) &&
        htmt__traffic_deadlock(&w->plan.table, places, text, sizeof text))
        htmt_task_refuse(task, rc, "%s", text);
    free(places);
    return rc;
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (w->measure)
        return htmt__traffic_measure_gather(w->measure, htmt_task_emulator(task));
    return w->program ? htmt__traffic_program_gather(w->program) : 0;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__traffic_checked checked = {0};
    uint64_t wanted = w->plan.requests * w->plan.iterations;
    int rc = htmt__traffic_program_checked(w->program, &checked);
    if (rc)
        return rc;
    htmt_task_checked(task, "wrong bytes", (double)checked.wrong_bytes, 0,
                      !checked.wrong_bytes && checked.blocks == wanted);
    htmt_task_found(task, "messages_checked", (double)checked.blocks, "1");
    htmt_task_found(task, "messages_wrong", (double)checked.wrong_blocks, "1");
    return 0;
}

/* ---- what a report adds ---------------------------------------------------------------------- */

/* "1.25 us" */
static const char *name_time(double fs, char text[static 32])
{
    static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
    size_t i = 0;
    for (; i + 1 < sizeof units / sizeof *units && fs >= 999.95; i++)
        fs /= 1000;
    snprintf(text, 32, "%.4g %s", fs, units[i]);
    return text;
}

static void tell_range(struct htmt_task *task, const char *what,
                       const struct htmt__traffic_range *r)
{
    char name[40], least[32], mean[32], most[32];
    const char *const part[] = {"min", "mean", "max"};
    const double value[] = {(double)r->least, r->mean, (double)r->most};
    if (!r->count)
        return;
    htmt_task_note(task, "latency of %s: min %s, mean %s, max %s (%" PRIu64 ")", what,
                   name_time(value[0], least), name_time(value[1], mean), name_time(value[2], most),
                   r->count);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s_latency_%s", what, part[i]);
        htmt_task_found(task, name, 1e-15 * value[i], "s");
    }
}

static void tell_throughput(struct htmt_task *task, const struct work *w)
{
    double seconds = 1e-15 * (double)htmt_predicted(htmt_task_emulator(task));
    const struct htmt__traffic_pattern *o = &w->plan.pattern;
    double slots = o->nodes && !htmt__traffic_pattern_repeats(o) && w->plan.floods
                       ? (double)o->slots
                       : (double)w->plan.iterations;
    double messages = (double)w->plan.requests * slots;
    double bytes = w->plan.floods
                       ? messages * (double)o->bytes
                       : (double)w->plan.iterations * (double)htmt__traffic_bytes(&w->plan.table);
    htmt_task_found(task, "messages", messages, "1");
    if (seconds > 0) {
        htmt_task_found(task, "messages_per_s", messages / seconds, "1/s");
        htmt_task_found(task, "bytes_per_s", bytes / seconds, "bytes/s");
        htmt_task_note(task, "%.0f messages, %.4g a second; %.4g bytes a second", messages,
                       messages / seconds, bytes / seconds);
    }
}

/* Packets that found a port taken, and how busy ports were, where the network has ports inside. */
static void tell_inside(struct htmt_task *task, const struct work *w)
{
    struct htmt_inside_report r;
    const struct htmt_emulator *e = htmt_task_emulator(task);
    double time = (double)htmt_predicted(e);
    if (htmt_inside_at(e, w->plan.network, &r) || time <= 0)
        return;
    double ports = (double)r.channels * r.planes * time;
    htmt_task_found(task, "contentions", (double)r.contentions, "1");
    htmt_task_found(task, "packets", (double)r.packets, "1");
    htmt_task_found(task, "hops", (double)r.hops, "1");
    htmt_task_note(task,
                   "inside: %" PRIu64 " packets, %.4g hops each, %" PRIu64
                   " contentions; ports busy %.3g %%, blocked %.3g %%",
                   r.packets, r.packets ? (double)r.hops / (double)r.packets : 0, r.contentions,
                   100 * (double)r.busy / ports, 100 * (double)r.blocked / ports);
}

/* Latencies of the first iterations, one by one. */
static void tell_iterations(struct htmt_task *task, const struct work *w)
{
    char text[180] = "", one[32];
    size_t used = 0;
    for (uint64_t i = 0; i < w->plan.iterations && used + 40 < sizeof text; i++) {
        htmt_time began, end = htmt__traffic_iteration(&w->plan, w->program, i, &began);
        if (end < 0)
            break;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                 name_time((double)(end - began), one));
    }
    if (used)
        htmt_task_note(task, "iterations: %s", text);
}

/* What the sources ask for, what the network gives, and the least that it would. */
static void tell_period(struct htmt_task *task, const struct work *w,
                        const struct htmt__traffic_results *r)
{
    char asked[32], given[32], text[32];
    double least = (double)htmt__traffic_least_period(htmt_task_machine(task), &w->set);
    double period = 0; /* no source has one */
    for (uint32_t i = 0; i < w->plan.table.nodes; i++)
        period = fmax(period, (double)w->plan.table.node[i].period);
    if (r->apart >= 0) {
        htmt_task_found(task, "iteration_apart", 1e-15 * r->apart, "s");
        htmt_task_note(task, "period: %s asked for, iterations end %s apart",
                       name_time(period, asked), name_time(r->apart, given));
    }
    if (least < 0)
        return;
    htmt_task_found(task, "least_period", 1e-15 * least, "s");
    htmt_task_note(task, "least period that the network sustains: %s%s", name_time(least, text),
                   period > 0 && period < least ? "; the period asked for is too short" : "");
}

/* How busy the channels inside were: of the whole run. */
static void tell_channels(struct htmt_task *task, const struct work *w)
{
    struct htmt_inside_report r;
    struct htmt_port_report port, most = {.busy = -1};
    const struct htmt_emulator *e = htmt_task_emulator(task);
    const double time = (double)htmt_predicted(e);
    if (htmt_inside_at(e, w->plan.network, &r) || time <= 0)
        return;
    const uint32_t ports = r.channels * r.planes;
    for (uint32_t i = 0; i < ports && !htmt_port_at(e, w->plan.network, i, &port); i++)
        most = port.busy > most.busy ? port : most;
    htmt_task_found(task, "channel_load_mean", (double)r.busy / ports / time, "1");
    htmt_task_found(task, "channel_load_max", (double)most.busy / time, "1");
    htmt_task_note(task, "channels of the run: load %.3g in the mean, busiest %s with %.3g",
                   (double)r.busy / ports / time, most.name, (double)most.busy / time);
}

static int tell_measured(struct htmt_task *task, struct work *w)
{
    struct htmt__traffic_measured r;
    char mean[32], half[32], median[32], p95[32], p99[32], most[32];
    if (!htmt_gathers(htmt_task_emulator(task)))
        return 0;
    int rc = htmt__traffic_measure_results(w->measure, &r);
    if (rc)
        return rc;
    const struct {
        const char *name;
        double value;
        const char *unit;
    } all[] = {{"messages", (double)r.messages, "1"},
               {"offered_load", r.offered, "1"},
               {"accepted_load", r.heard, "1"},
               {"accepted_load_min", r.least_heard, "1"},
               {"sent_load", r.sent, "1"},
               {"sent_load_min", r.least_sent, "1"},
               {"messages_late", (double)r.late, "1"},
               {"message_latency_mean", 1e-15 * r.mean, "s"},
               {"message_latency_median", 1e-15 * (double)r.median, "s"},
               {"message_latency_p95", 1e-15 * (double)r.p95, "s"},
               {"message_latency_p99", 1e-15 * (double)r.p99, "s"},
               {"message_latency_max", 1e-15 * (double)r.most, "s"},
               {"message_latency_half_interval", 1e-15 * r.interval, "s"}};
    const unsigned count = sizeof all / sizeof *all - (r.interval < 0);
    for (unsigned i = 0; i < count && (r.messages || i < 7); i++)
        htmt_task_found(task, all[i].name, all[i].value, all[i].unit);
    htmt_task_note(task,
                   "load: offered %.4g, left the sources %.4g (the worst %.4g), came %.4g (the "
                   "worst %.4g)",
                   r.offered, r.sent, r.least_sent, r.heard, r.least_heard);
    if (r.messages)
        htmt_task_note(task,
                       "latency of %" PRIu64 " messages: mean %s%s%s%s, median %s, 95 %% %s, "
                       "99 %% %s, worst %s",
                       r.messages, name_time(r.mean, mean), r.interval < 0 ? "" : " (+- ",
                       r.interval < 0 ? "" : name_time(r.interval, half), r.interval < 0 ? "" : ")",
                       name_time((double)r.median, median), name_time((double)r.p95, p95),
                       name_time((double)r.p99, p99), name_time((double)r.most, most));
    else
        htmt_task_note(task, "no message was born in the window");
    if (r.late)
        htmt_task_note(task,
                       "hopeless: %" PRIu64 " messages of the window came when sources had stopped",
                       r.late);
    tell_channels(task, w);
    return w->set.latencies
               ? htmt__traffic_measure_write(w->set.latencies, w->measure, htmt_task_fault(task))
               : 0;
}

static int conclude(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (w->measure)
        return tell_measured(task, w);
    tell_throughput(task, w);
    tell_inside(task, w);
    if (w->plan.floods)
        return 0;
    const struct htmt__traffic_table *t = &w->plan.table;
    struct htmt__traffic_results r = htmt__traffic_results_of(&w->plan, w->program);
    tell_range(task, "message", &r.message);
    tell_range(task, "iteration", &r.iteration);
    if (w->plan.iterations > 1)
        tell_iterations(task, w);
    uint32_t told = w->plan.iterations > 1 || t->messages > ARRIVALS_MOST ? 0 : t->messages;
    for (uint32_t i = 0; i < told; i++) { /* of a short table, when each message came */
        char name[40];
        snprintf(name, sizeof name, "came_%" PRIu32 "_%" PRIu32, t->message[i].target,
                 t->message[i].index);
        htmt_task_found(task, name, 1e-15 * (double)htmt__traffic_came(w->program, i, 0), "s");
    }
    if (w->set.table && w->plan.iterations > 1)
        tell_period(task, w, &r);
    if (w->set.profile) {
        struct htmt__traffic_profile p = htmt__traffic_profile_of(&w->plan.table);
        char gap[32];
        htmt_task_note(task,
                       "profile: %.4g bytes a message, %.4g partners a node, %.3g %% synchronous, "
                       "%s between",
                       p.mean_bytes, p.mean_partners, 100 * p.synchronous,
                       name_time(p.mean_gap, gap));
    }
    if (!w->set.latencies || !htmt_gathers(htmt_task_emulator(task)))
        return 0;
    return htmt__traffic_write_times(w->set.latencies, &w->plan, w->program, htmt_task_fault(task));
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__traffic_program_destroy(&w->program);
    htmt__traffic_flood_destroy(&w->flood);
    htmt__traffic_measure_destroy(&w->measure);
    htmt__traffic_plan_clear(&w->plan);
}

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "traffic",
    .summary = "who sends what to whom: tables, programs and patterns of messages",
    .options = htmt__traffic_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
    .create = create,
    .explain = explain,
    .collect = collect,
    .check = check,
    .conclude = conclude,
    .destroy = destroy,
    .verbs = htmt__traffic_verbs,
    .paper_figures = htmt__traffic_paper_figures,
    .slices = htmt__traffic_slices,
    .slices_why = "one for each node of the table",
    .ranks = true,
};
