/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sections of a report that are tables of figures, one for each part of the results.
 */
#include "emul/lib/report/report.h"

#include "emul/lib/report/families.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMITS_SHOWN = 5, PORTS_SHOWN = 5 };

static struct htmt__number queue_of(uint64_t longest)
{
    return longest == HTMT__UNTOLD ? (struct htmt__number){"-"} : htmt__format_count(longest);
}

static int print_phases(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"type", "stage", "resource", "parcels", "quantity",
                                         "mean time", "parallel", "used"},
                                .left = 0x7};
    struct htmt__family *all;
    unsigned count, left_out;
    int rc = htmt__families_make(r, &all, &count, &left_out);
    if (rc)
        return rc;
    for (unsigned i = 0; i < count && !rc; i++) {
        const struct htmt__stage *p = &all[i].sum;
        rc = htmt__table_add(
            &table, p->type, p->stage, p->resource, htmt__format_count(p->parcels).s,
            htmt__format_si(p->quantity, p->unit).s, htmt__format_si(p->mean_s, "s").s,
            htmt__format_count(p->parallelism).s, htmt__format_share(p->utilization).s);
        /* The other classes, each in a row of its own below. */
        for (unsigned c = 0; c < HTMT_OP_CLASSES && !rc; c++)
            if (p->classes.of[c] > 0 && strcmp(p->unit, htmt__op_names[c]) != 0)
                rc = htmt__table_add(&table, "", "", "", "",
                                     htmt__format_si(p->classes.of[c], htmt__op_names[c]).s, "", "",
                                     "");
    }
    rc = htmt__table_end(&table, rc, "PHASES (virtual clock)", out);
    for (unsigned i = 0; i < count && !rc; i++)
        if (all[i].members > 1)
            htmt__report_line(out, "  %s %s on %s: %s types; the busiest, %s, has %s",
                              all[i].sum.type, all[i].sum.stage, all[i].sum.resource,
                              htmt__format_count(all[i].members).s, all[i].busiest->type,
                              htmt__format_share(all[i].busiest->utilization).s);
    if (left_out && !rc)
        htmt__report_line(out, "  and %s phases more, none of a greater share; --json has all",
                          htmt__format_count(left_out).s);
    free(all);
    return rc;
}

static int print_resources(const struct htmt__results *r, FILE *out)
{
    const bool pauses = htmt__results_pause(r); /* the last column stands there if any does */
    struct htmt__table table = {.columns = 7 + pauses,
                                .head = {"resource", "count", "served", "busy", "used", "mean wait",
                                         "longest queue", "paused"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->resource_count && !rc; i++) {
        const struct htmt__resource *p = &r->resource[i];
        if (p->served)
            rc = htmt__table_add(&table, p->name, htmt__format_count(p->count).s,
                                 htmt__format_count(p->served).s, htmt__format_si(p->busy_s, "s").s,
                                 htmt__format_share(p->utilization).s,
                                 htmt__format_si(p->mean_wait_s, "s").s, queue_of(p->max_queue).s,
                                 htmt__format_share(htmt__results_paused(r, p)).s);
    }
    return htmt__table_end(&table, rc,
                           "RESOURCES (virtual clock, all slices; unused ones left out)", out);
}

static int print_memories(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"memory", "count", "capacity", "peak", "full", "stall", "longest queue"},
        .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->memory_count && !rc; i++) {
        const struct htmt__memory *p = &r->memory[i];
        rc =
            htmt__table_add(&table, p->name, htmt__format_count(p->count).s,
                            htmt__format_si((double)p->capacity_words, "words").s,
                            htmt__format_si((double)p->peak_words, "words").s,
                            htmt__format_share((double)p->peak_words / (double)p->capacity_words).s,
                            htmt__format_si(p->stall_s, "s").s, queue_of(p->max_queue).s);
    }
    return htmt__table_end(&table, rc, "MEMORIES (a slice; peak of the fullest, stall of all)",
                           out);
}

/* Resources and memories that the slices do not share alike: a mean hides the slice that all others
 * wait for. Left out is what differs by less than a twentieth. */
static int print_spread(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"resource or memory", "mean", "busiest", "slice",
                                         "of the mean", "idle", "longest mean queue", "slice"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->spread_count && !rc; i++) {
        const struct htmt__spread *s = &r->spread[i];
        const bool memory = !isfinite(s->busiest_share);
        const double mean = memory ? s->mean_queue : s->mean_share,
                     most = memory ? s->most_queue : s->busiest_share;
        char times[32];
        if (!htmt__results_uneven(s))
            continue;
        snprintf(times, sizeof times, "%.4g x", mean > 0 ? most / mean : 0);
        rc = htmt__table_add(&table, s->name, memory ? "-" : htmt__format_share(mean).s,
                             memory ? "-" : htmt__format_share(most).s,
                             memory ? "-" : htmt__format_count(s->busiest).s, times,
                             htmt__format_count(s->idle).s, htmt__format_si(s->most_queue, "").s,
                             s->most_queue > 0 ? htmt__format_count(s->queued).s : "-");
    }
    return htmt__table_end(&table, rc,
                           "SLICES that differ (virtual clock; the busiest beside the mean)", out);
}

/* Only a program that names sections has any. */
static int print_sections(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 6, .head = {"section", "time", "share", "busy", "wait", "stall"}, .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->section_count && !rc; i++) {
        const struct htmt__section_time *p = &r->section[i];
        rc = htmt__table_add(&table, p->name[0] ? p->name : "(before)",
                             htmt__format_si(p->time_s, "s").s, htmt__format_share(p->share).s,
                             htmt__format_si(p->busy_s, "s").s, htmt__format_si(p->wait_s, "s").s,
                             htmt__format_si(p->stall_s, "s").s);
    }
    return htmt__table_end(&table, rc, "SECTIONS (virtual clock; sums over all slices)", out);
}

/* ---- networks with ports inside -------------------------------------------------------------- */

static int print_insides(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"network", "ports", "packets", "hops", "contentions",
                                         "busy", "blocked", "mean queue"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->inside_count && !rc; i++) {
        const struct htmt__inside_sums *s = &r->inside[i];
        rc = htmt__table_add(
            &table, s->name, htmt__format_count(s->ports).s, htmt__format_count(s->packets).s,
            htmt__format_count(s->hops).s, htmt__format_count(s->contentions).s,
            htmt__format_si(s->busy_s, "s").s, htmt__format_si(s->blocked_s, "s").s,
            htmt__format_si(s->mean_queue, "").s);
    }
    rc = htmt__table_end(&table, rc, "INSIDE NETWORKS (virtual clock; sums over ports)", out);
    for (unsigned i = 0; i < r->inside_count && !rc; i++) {
        const struct htmt__inside_sums *s = &r->inside[i];
        if (s->lane_classes)
            fprintf(out, "  %s has %u lanes, %u of them added by classes: auto, for %u %s\n",
                    s->name, (unsigned)s->lanes, (unsigned)s->lanes_added,
                    (unsigned)s->lane_classes, s->lane_classes == 1 ? "class" : "classes");
    }
    return rc;
}

static double busy_of(const struct htmt__port_sums *p)
{
    return p->busy_s;
}

static double blocked_of(const struct htmt__port_sums *p)
{
    return p->blocked_s + p->waiting_s;
}

/* The few ports with the most of a time. They are selected one by one: the next one is the largest
 * that comes behind the last in the order of falling times, equal times in the order of ports. */
static int print_ports(const struct htmt__results *r, double (*of)(const struct htmt__port_sums *p),
                       const char *title, FILE *out)
{
    struct htmt__table table = {.columns = 7,
                                .head = {"port", "packets", "busy", "blocked", "contentions",
                                         "mean queue", "longest queue"},
                                .left = 0x1};
    const double all = (double)r->predicted / (double)HTMT_SECOND;
    const struct htmt__port_sums *last = NULL;
    int rc = 0;
    for (unsigned shown = 0; shown < PORTS_SHOWN && !rc; shown++) {
        const struct htmt__port_sums *most = NULL;
        for (const struct htmt__port_sums *p = r->port; p != r->port + r->port_count; p++) {
            bool behind = !last || of(p) < of(last) || (of(p) == of(last) && p > last);
            if (behind && of(p) > 0 && (!most || of(p) > of(most)))
                most = p;
        }
        if (!most)
            break;
        char name[HTMT__TABLE_CELL], plane[32] = "";
        if (most->plane)
            snprintf(plane, sizeof plane, ", plane %u", (unsigned)most->plane);
        snprintf(name, sizeof name, "%s %s%s", most->network, most->name, plane);
        rc = htmt__table_add(&table, name, htmt__format_count(most->packets).s,
                             htmt__format_share(all > 0 ? most->busy_s / all : 0).s,
                             htmt__format_share(all > 0 ? blocked_of(most) / all : 0).s,
                             htmt__format_count(most->contentions).s,
                             htmt__format_si(most->mean_queue, "").s,
                             htmt__format_count(most->max_queue).s);
        last = most;
    }
    return htmt__table_end(&table, rc, title, out);
}

static int print_routing(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 7,
                                .head = {"processor", "layer", "packets", "routing", "copying",
                                         "puts off", "busy with services"},
                                .left = 0x3};
    int rc = 0;
    for (unsigned i = 0; i < r->routing_count && !rc; i++) {
        const struct htmt__routing_sums *s = &r->routing[i];
        rc = htmt__table_add(&table, s->name, s->layer, htmt__format_count(s->packets).s,
                             htmt__format_si(s->route_s, "s").s, htmt__format_si(s->copy_s, "s").s,
                             htmt__format_si(s->put_off_s, "s").s,
                             htmt__format_share(s->utilization).s);
    }
    return htmt__table_end(&table, rc, "ROUTING by processors (virtual clock; sums over slices)",
                           out);
}

/* A line for each cylinder, then one for what waited in front of it. */
static int print_vortices(const struct htmt__results *r, FILE *out)
{
    struct htmt__table cylinders = {
        .columns = 6,
        .head = {"cylinder", "nodes", "packets", "load", "deflections", "deflected"},
        .left = 0x1};
    struct htmt__table entries = {
        .columns = 6,
        .head = {"network", "packets", "deflections", "a packet", "waited to enter", "mean wait"},
        .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->cylinder_count && !rc; i++) {
        const struct htmt__cylinder_sums *s = &r->cylinder[i];
        const double moves = (double)s->packets;
        char name[HTMT__TABLE_CELL];
        snprintf(name, sizeof name, "%s %u", s->network, (unsigned)s->cylinder);
        rc = htmt__table_add(&cylinders, name, htmt__format_count(s->nodes).s,
                             htmt__format_count(s->packets).s, htmt__format_share(s->load).s,
                             htmt__format_count(s->deflections).s,
                             htmt__format_share(moves > 0 ? (double)s->deflections / moves : 0).s);
    }
    rc = htmt__table_end(&cylinders, rc,
                         "DATA VORTEX, its cylinders from the outside (virtual clock)", out);
    for (unsigned i = 0; i < r->vortex_count && !rc; i++) {
        const struct htmt__vortex_sums *s = &r->vortex[i];
        const double packets = (double)s->packets;
        rc = htmt__table_add(
            &entries, s->network, htmt__format_count(s->packets).s,
            htmt__format_count(s->deflections).s,
            htmt__format_si(packets > 0 ? (double)s->deflections / packets : 0, "").s,
            htmt__format_count(s->waited).s, htmt__format_si(s->mean_wait_s, "s").s);
    }
    return htmt__table_end(&entries, rc, "DATA VORTEX, packets (virtual clock)", out);
}

/* ---- services that took what their own operations took --------------------------------------- */

static const char *const parts[HTMT_OPERATIONS_PARTS] = {[HTMT_OPERATIONS_ISSUE] = "issue",
                                                         [HTMT_OPERATIONS_UNITS] = "units",
                                                         [HTMT_OPERATIONS_CHAIN] = "chain",
                                                         [HTMT_OPERATIONS_L1] = "l1",
                                                         [HTMT_OPERATIONS_L2] = "l2",
                                                         [HTMT_OPERATIONS_BUS] = "bus",
                                                         [HTMT_OPERATIONS_PAGES] = "pages",
                                                         [HTMT_OPERATIONS_REFRESH] = "refresh",
                                                         [HTMT_OPERATIONS_BRANCHES] = "branches"};

/* A row for each stage: shares of its time, with a column for each part that some stage has. */
static int print_stacks(const struct htmt__results *r, FILE *out)
{
    enum { FIRST = 3 };
    struct htmt__table table = {
        .columns = FIRST, .head = {"type", "services", "time"}, .left = 0x1};
    int part[HTMT_OPERATIONS_PARTS], rc = 0;
    for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++) {
        bool any = false;
        for (unsigned k = 0; k < r->operations_count; k++)
            any |= r->operations[k].part_s[i] > 0;
        if (any) {
            part[table.columns - FIRST] = i;
            table.head[table.columns++] = parts[i];
        }
    }
    for (unsigned k = 0; k < r->operations_count && !rc; k++) {
        const struct htmt__operations_sums *s = &r->operations[k];
        struct htmt__number cell[FIRST + HTMT_OPERATIONS_PARTS];
        const char *row[FIRST + HTMT_OPERATIONS_PARTS] = {s->type, cell[1].s, cell[2].s};
        if (!s->services)
            continue;
        cell[1] = htmt__format_count(s->services);
        cell[2] = htmt__format_si(s->time_s, "s");
        for (unsigned c = FIRST; c < table.columns; c++) {
            cell[c] =
                htmt__format_share(s->time_s > 0 ? s->part_s[part[c - FIRST]] / s->time_s : 0);
            row[c] = cell[c].s;
        }
        rc = htmt__table_row(&table, row);
    }
    if (!rc && !table.rows)
        fprintf(out, "\nOPERATIONS (virtual clock; shares of the services' time)\n");
    return htmt__table_end(&table, rc, "OPERATIONS (virtual clock; shares of the services' time)",
                           out);
}

static int print_operations(const struct htmt__results *r, FILE *out)
{
    int rc = r->operations_count ? print_stacks(r, out) : 0;
    if (rc || !r->operations_count)
        return rc;
    for (unsigned i = 0; i < r->operations_count; i++) {
        const struct htmt__operations_sums *s = &r->operations[i];
        char text[600] = ""; /* "region 0: 12, stack: 3" */
        size_t n = 0;
        for (unsigned k = 0; k < r->miss_count && n < sizeof text; k++) {
            const struct htmt__miss_sums *m = &r->miss[k];
            if (strcmp(m->type, s->type) == 0 && strcmp(m->stage, s->stage) == 0)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s: %s", n ? ", " : "",
                                      m->place, htmt__format_count(m->misses).s);
        }
        if (s->services && *text)
            htmt__report_line(out, "  misses of %s: %s", s->type, text);
    }
    for (unsigned i = 0; i < r->operations_count; i++) {
        const struct htmt__operations_sums *s = &r->operations[i];
        if (s->counted && *s->why)
            htmt__report_line(out, "  by counts: %s, %s: %s", s->type, s->stage, s->why);
    }
    htmt__report_line(
        out, "  Caches are cold at each service, or as the machine's file says; jobs of the "
             "host are not fused.");
    return 0;
}

/* What a stage is timed by. */
static const char *timed_by(const struct htmt__results *r, const struct htmt__stage *s)
{
    for (unsigned i = 0; i < r->operations_count; i++) {
        const struct htmt__operations_sums *o = &r->operations[i];
        if (strcmp(o->type, s->type) == 0 && strcmp(o->stage, s->stage) == 0)
            return !o->counted ? "operations" : o->services ? "both" : "counts";
    }
    return "counts";
}

int htmt__report_kernels(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"type", "stage", "services", "timed by", "predicted", "clock", "ratio"},
        .left = 0xb};
    int rc = 0;
    for (unsigned i = 0; i < r->phase_count && !rc; i++) {
        const struct htmt__stage *s = &r->phase[i];
        const double predicted = s->mean_s * (double)s->parcels;
        char ratio[16];
        if (!(s->kernels_s > 0))
            continue;
        snprintf(ratio, sizeof ratio, "%.2f", predicted / s->kernels_s);
        rc = htmt__table_row(&table,
                             (const char *[]){s->type, s->stage, htmt__format_count(s->parcels).s,
                                              timed_by(r, s), htmt__format_si(predicted, "s").s,
                                              htmt__format_si(s->kernels_s, "s").s, ratio});
    }
    return htmt__table_end(&table, rc, "KERNELS AGAINST THE CLOCK (without hooks, one thread)",
                           out);
}

/* ---- bottlenecks, and all -------------------------------------------------------------------- */

/* Of a link whose own rate does not bind: what does, since a faster channel would gain nothing. */
static const char *pace_of(const struct htmt__results *r, const char *name)
{
    for (unsigned i = 0; i < r->resource_count; i++)
        if (strcmp(r->resource[i].name, name) == 0 && strcmp(r->resource[i].term, "rate") != 0)
            return r->resource[i].term;
    return "";
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

void htmt__report_limits(const struct htmt__results *r, FILE *out)
{
    bool binds = false;
    if (!r->limit_count)
        return;
    for (unsigned i = 0; i < r->limit_count; i++)
        binds |= r->limit[i].report.binding;
    const bool explained = !isnan(r->limit[0].path_share);
    fprintf(out, "\nBOTTLENECKS (virtual clock; %s%s)\n",
            explained ? "by share of the critical path" : "the worst first",
            binds       ? ""
            : explained ? "; nothing is saturated"
                        : "; nothing is saturated: latency and dependences hold");
    for (unsigned i = 0; i < r->limit_count && i < LIMITS_SHOWN; i++) {
        const struct htmt_limit_report *l = &r->limit[i].report;
        const struct htmt__spread *s = htmt__results_spread_of(r, l->name);
        const char *pace = pace_of(r, l->name);
        char share[80] = "", where[160] = "";
        if (explained)
            snprintf(share, sizeof share, "%s of the path, ",
                     htmt__format_share(r->limit[i].path_share).s);
        const bool busier = s && htmt__results_busier(s);
        if (busier && explained)
            snprintf(where, sizeof where, " of slice %s", htmt__format_count(s->busiest).s);
        else if (busier)
            snprintf(where, sizeof where, " of slice %s (all: %s)",
                     htmt__format_count(s->busiest).s, htmt__format_share(s->mean_share).s);
        if (r->limit[i].latency && explained)
            htmt__report_line(out, "  %u. %s: %s%s", i + 1, l->name, share,
                              ends_in(l->name, " ports") ? "messages queue for ports inside"
                                                         : "messages in flight");
        else if (r->limit[i].latency)
            htmt__report_line(out, "  %u. %s: %s messages of a slice in flight on average", i + 1,
                              l->name, htmt__format_si(l->mean_queue, "").s);
        else if (l->space)
            htmt__report_line(out,
                              "  %u. %s: %s%s of the capacity, %.2f moves waiting on average%s",
                              i + 1, l->name, share, htmt__format_share(l->utilization).s,
                              l->mean_queue, l->binding ? ", and no resource is saturated" : "");
        else
            htmt__report_line(
                out, "  %u. %s: %sin use for %s%s, mean wait %s%s%s%s%s", i + 1, l->name, share,
                htmt__format_share(l->utilization).s, where, htmt__format_si(l->mean_wait_s, "s").s,
                l->binding ? ", saturated" : "", *pace ? l->binding ? ": " : ", " : "", pace,
                *pace ? " sets the pace" : "");
    }
}

int htmt__report_tables(const struct htmt__results *r, FILE *out)
{
    int rc = print_phases(r, out);
    if (!rc)
        rc = print_resources(r, out);
    if (!rc)
        rc = print_memories(r, out);
    if (!rc)
        rc = print_spread(r, out);
    if (!rc)
        rc = print_insides(r, out);
    if (!rc)
        rc = print_ports(r, busy_of, "PORTS inside networks, the busiest", out);
    if (!rc)
        rc = print_ports(r, blocked_of, "PORTS inside networks, those blocked longest", out);
    if (!rc)
        rc = print_routing(r, out);
    if (!rc)
        rc = print_vortices(r, out);
    if (!rc)
        rc = print_operations(r, out);
    if (!rc)
        rc = print_sections(r, out);
    if (!rc)
        htmt__report_limits(r, out);
    return rc;
}
