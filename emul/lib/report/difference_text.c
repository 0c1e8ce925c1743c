/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What changed between two runs, as tables, each sorted by the size of the change.
 *
 * Two sums hold exactly, and say where a gain comes from. The causes of the critical paths add up
 * to the times, so their changes add up to that of the time. And a server is busy or at rest for
 * all of a run, so for each resource the changes of both do, too. By hand: a run of 100 us becomes
 * one of 80; the SPELL was busy for 60 and is for 40, so its rest did not change: all of the gain
 * is work that it no longer does. A link that was busy for 60 and still is has 20 less of rest: it
 * gained from others.
 */
#include "emul/lib/report/difference.h"

#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 20 }; /* rows of a table that are sorted */

/* "+1.200 us"; "0 s" of the same. */
static struct htmt__number change_of(double seconds)
{
    struct htmt__number n = htmt__format_si(seconds, "s"), out = {""};
    snprintf(out.s, sizeof out.s, "%s%.40s", seconds > 0 ? "+" : "", n.s);
    return out;
}

static double seconds(htmt_time fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

/* ---- what was put in, what came out ---------------------------------------------------------- */

static void print_run(const char *label, const struct htmt__document *d, FILE *out)
{
    htmt__report_item(out, label, "htmt %s: %s on %s, %s slice%s%s", d->mode,
                      d->app ? d->app : "a program", d->machine, htmt__format_count(d->slices).s,
                      d->slices == 1 ? "" : "s", d->fault.code ? ", INCOMPLETE" : "");
    for (unsigned i = 0; d->trace && i < d->notes.count; i++) /* such as that it is filtered */
        htmt__report_item(out, "note", "%s", d->notes.pair[i].value);
}

static int print_inputs(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {.columns = 3, .head = {"input", "A", "B"}, .left = 0x7};
    int rc = 0;
    for (unsigned i = 0; i < x->inputs && !rc; i++) {
        const struct htmt__input_change *c = &x->input[i];
        char name[HTMT__TABLE_CELL];
        snprintf(name, sizeof name, "%s%s", c->kind, c->name);
        rc = htmt__table_add(&table, name, c->a, c->b);
    }
    rc = htmt__table_end(&table, rc, "INPUTS that differ", out);
    if (!rc && !x->inputs)
        fprintf(out, "\nINPUTS\n  none differs\n");
    if (!rc && !x->figures)
        htmt__report_item(out, "figures",
                          "at least one of the machines is not to be had any more: "
                          "its figures are not compared");
    return rc;
}

static void print_time(const struct htmt__difference *x, FILE *out)
{
    const struct htmt__results *of_a = &x->a->results, *of_b = &x->b->results;
    const char *first = htmt__results_worst(of_a, x->explained);
    const char *second = htmt__results_worst(of_b, x->explained);
    double a = seconds(of_a->predicted), b = seconds(of_b->predicted);
    fprintf(out, "\nPREDICTED (virtual clock)\n");
    htmt__report_item(out, "time", "%s, then %s: %s (%lld fs)%s", htmt__format_si(a, "s").s,
                      htmt__format_si(b, "s").s, change_of(b - a).s, (long long)x->change,
                      of_a->history_hash == of_b->history_hash ? "; both have the same history"
                                                               : "");
    if (a > 0)
        htmt__report_item(out, "share", "%+.1f %%", 100 * (b - a) / a);
    first = first ? first : "none";
    second = second ? second : "none";
    if (strcmp(first, second) == 0)
        htmt__report_item(out, "bottleneck", "%s in both", first);
    else
        htmt__report_item(out, "bottleneck", "%s, then %s", first, second);
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* Two tables of the critical paths. The first has a row for each kind of cause, whose changes add
 * up to that of the time, exactly. The second has the largest changes of single causes ("queueing
 * of multiply at SPELL"), and one row for what all others add up to. */
static int print_path(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table sums = {
        .columns = 4, .head = {"cause", "A", "B", "change (fs)"}, .left = 0x1};
    struct htmt__table parts = {.columns = 7,
                                .head = {"cause", "of", "went by in", "using", "A", "B", "change"},
                                .left = 0xf};
    const struct htmt__explanation *of_a = &x->a->explanation, *of_b = &x->b->explanation;
    double rest = seconds(x->change);
    char change[40], what[HTMT__TABLE_CELL];
    int rc = 0;
    if (!x->explained) {
        fprintf(out, "\nCAUSES\n");
        htmt__report_item(out, "none", "%s without --explain",
                          of_a->made   ? "B was made"
                          : of_b->made ? "A was made"
                                       : "A and B were made");
        return 0;
    }
    for (unsigned i = 0; i < HTMT_PATH_CAUSES && !rc; i++) {
        htmt_time a = of_a->sum[i], b = of_b->sum[i];
        snprintf(change, sizeof change, "%+lld", (long long)(b - a));
        if (a || b)
            rc = htmt__table_add(&sums, htmt_path_cause_name((enum htmt_path_cause)i),
                                 htmt__format_fs(a).s, htmt__format_fs(b).s, change);
    }
    snprintf(change, sizeof change, "%+lld", (long long)x->change);
    if (!rc)
        rc = htmt__table_add(&sums, "all", htmt__format_fs(of_a->predicted).s,
                             htmt__format_fs(of_b->predicted).s, change);
    rc = htmt__table_end(&sums, rc,
                         "CAUSES (critical paths; the changes add up to that of the time)", out);

    const struct htmt__match *m = x->causes.match, *end = m + x->causes.count;
    for (unsigned shown = 0; m < end && shown < SHOWN && m->weight > 0 && !rc; m++, shown++) {
        const struct htmt__cause *a = m->a, *b = m->b, *of = a ? a : b;
        htmt_time from = a ? a->time : 0, to = b ? b->time : 0;
        snprintf(what, sizeof what, "%s %s", of->type, of->stage);
        rest -= seconds(to - from);
        rc = htmt__table_add(&parts, of->cause, of->of, what, of->used, htmt__format_fs(from).s,
                             htmt__format_fs(to).s, change_of(seconds(to - from)).s);
    }
    if (!rc && m < end && m->weight > 0)
        rc = htmt__table_add(&parts, "others", "", "", "", "", "", change_of(rest).s);
    return htmt__table_end(&parts, rc, "PARTS of the critical paths (the largest change first)",
                           out);
}

/* ---- resources, phases, memories ------------------------------------------------------------- */

static int print_resources(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"resource", "busy A", "busy B", "change", "at rest",
                                         "used A", "used B", "mean wait"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < x->resources.count && !rc; i++) {
        const struct htmt__match *m = &x->resources.match[i];
        const struct htmt__resource *a = m->a, *b = m->b;
        double wait = (b ? b->mean_wait_s : 0) - (a ? a->mean_wait_s : 0);
        rc = htmt__table_add(&table, (a ? a : b)->name, htmt__format_si(m->from, "s").s,
                             htmt__format_si(m->to, "s").s, change_of(m->to - m->from).s,
                             change_of(seconds(x->change) - (m->to - m->from)).s,
                             a ? htmt__format_share(a->utilization).s : "-",
                             b ? htmt__format_share(b->utilization).s : "-", change_of(wait).s);
    }
    return htmt__table_end(
        &table, rc,
        "RESOURCES (a server or channel; its changes, busy and at rest, add up to that "
        "of the time)",
        out);
}

static int print_phases(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"type", "stage", "resource", "parcels A", "parcels B",
                                         "busy A", "busy B", "change"},
                                .left = 0x7};
    int rc = 0;
    for (unsigned i = 0; i < x->phases.count && i < SHOWN && !rc; i++) {
        const struct htmt__match *m = &x->phases.match[i];
        const struct htmt__stage *a = m->a, *b = m->b, *of = a ? a : b;
        if (m->weight > 0)
            rc = htmt__table_add(
                &table, of->type, of->stage, of->resource, htmt__format_count(a ? a->parcels : 0).s,
                htmt__format_count(b ? b->parcels : 0).s, htmt__format_si(m->from, "s").s,
                htmt__format_si(m->to, "s").s, change_of(m->to - m->from).s);
    }
    return htmt__table_end(
        &table, rc, "PHASES that changed (a server; those of one resource add up to its change)",
        out);
}

static int print_memories(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {
        .columns = 6,
        .head = {"memory", "peak A", "peak B", "stall A", "stall B", "change"},
        .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < x->memories.count && !rc; i++) {
        const struct htmt__match *m = &x->memories.match[i];
        const struct htmt__memory *a = m->a, *b = m->b;
        rc = htmt__table_add(&table, (a ? a : b)->name,
                             htmt__format_si(a ? (double)a->peak_words : NAN, "words").s,
                             htmt__format_si(b ? (double)b->peak_words : NAN, "words").s,
                             htmt__format_si(m->from, "s").s, htmt__format_si(m->to, "s").s,
                             change_of(m->to - m->from).s);
    }
    return htmt__table_end(&table, rc,
                           "MEMORIES (peak of the fullest slice, stall of the mean one)", out);
}

/* ---- inside networks ------------------------------------------------------------------------- */

static int print_insides(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {.columns = 9,
                                .head = {"network", "hops A", "hops B", "contentions A",
                                         "contentions B", "busy A", "busy B", "blocked A",
                                         "blocked B"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < x->insides.count && !rc; i++) {
        const struct htmt__inside_sums *a = x->insides.match[i].a, *b = x->insides.match[i].b;
        rc = htmt__table_add(&table, (a ? a : b)->name, htmt__format_count(a ? a->hops : 0).s,
                             htmt__format_count(b ? b->hops : 0).s,
                             htmt__format_count(a ? a->contentions : 0).s,
                             htmt__format_count(b ? b->contentions : 0).s,
                             htmt__format_si(htmt__inside_busy_of(a), "s").s,
                             htmt__format_si(htmt__inside_busy_of(b), "s").s,
                             htmt__format_si(htmt__inside_blocked_of(a), "s").s,
                             htmt__format_si(htmt__inside_blocked_of(b), "s").s);
    }
    return htmt__table_end(&table, rc, "INSIDE NETWORKS (sums of ports, times of a port)", out);
}

static int print_ports(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"port", "contentions A", "contentions B", "busy A",
                                         "busy B", "blocked A", "blocked B", "change"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < x->ports.count && i < SHOWN && !rc; i++) {
        const struct htmt__match *m = &x->ports.match[i];
        const struct htmt__port_sums *a = m->a, *b = m->b, *one = a ? a : b;
        char name[HTMT__TABLE_CELL], plane[32] = "";
        if (one->plane)
            snprintf(plane, sizeof plane, ", plane %u", (unsigned)one->plane);
        snprintf(name, sizeof name, "%s %s%s", one->network, one->name, plane);
        if (m->weight > 0)
            rc = htmt__table_add(&table, name, htmt__format_count(a ? a->contentions : 0).s,
                                 htmt__format_count(b ? b->contentions : 0).s,
                                 htmt__format_si(a ? a->busy_s : 0, "s").s,
                                 htmt__format_si(b ? b->busy_s : 0, "s").s,
                                 htmt__format_si(a ? a->blocked_s + a->waiting_s : 0, "s").s,
                                 htmt__format_si(b ? b->blocked_s + b->waiting_s : 0, "s").s,
                                 change_of(m->to - m->from).s);
    }
    return htmt__table_end(&table, rc, "PORTS inside networks that changed (busy and blocked)",
                           out);
}

static int print_routing(const struct htmt__difference *x, FILE *out)
{
    struct htmt__table table = {
        .columns = 7,
        .head = {"processor", "layer", "routing A", "routing B", "change", "busy A", "busy B"},
        .left = 0x3};
    int rc = 0;
    for (unsigned i = 0; i < x->routing.count && !rc; i++) {
        const struct htmt__match *m = &x->routing.match[i];
        const struct htmt__routing_sums *a = m->a, *b = m->b, *one = a ? a : b;
        rc = htmt__table_add(&table, one->name, one->layer, htmt__format_si(m->from, "s").s,
                             htmt__format_si(m->to, "s").s, change_of(m->to - m->from).s,
                             a ? htmt__format_share(a->utilization).s : "-",
                             b ? htmt__format_share(b->utilization).s : "-");
    }
    return htmt__table_end(&table, rc, "ROUTING by a processor (busy: with services)", out);
}

int htmt__difference_print(const struct htmt__difference *x, FILE *out)
{
    fprintf(out, "htmt report: what changed from A to B\n");
    print_run("A", x->a, out);
    print_run("B", x->b, out);
    int rc = print_inputs(x, out);
    print_time(x, out);
    rc = rc ? rc : print_path(x, out);
    rc = rc ? rc : print_resources(x, out);
    rc = rc ? rc : print_phases(x, out);
    rc = rc ? rc : print_memories(x, out);
    rc = rc ? rc : print_insides(x, out);
    rc = rc ? rc : print_ports(x, out);
    return rc ? rc : print_routing(x, out);
}
