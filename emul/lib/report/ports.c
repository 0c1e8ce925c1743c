/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks with ports inside, in a report for people.
 */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#define SHOWN 5u /* ports by each measure */

static int print(struct htmt__table *table, int rc, const char *title, FILE *out)
{
    if (!rc && table->rows) {
        fprintf(out, "\n%s\n", title);
        htmt__table_print(table, out);
    }
    htmt__table_clear(table);
    return rc;
}

static int print_insides(const struct htmt__results *r, FILE *out)
{
    struct htmt__table table = {.columns = 8,
                                .head = {"network", "ports", "packets", "hops", "contentions",
                                         "busy", "blocked", "mean queue"},
                                .left = 0x1};
    int rc = 0;
    for (unsigned i = 0; i < r->inside_count && !rc; i++) {
        const struct htmt__inside_sums *s = &r->inside[i];
        rc = htmt__table_row(
            &table, (const char *const[]){
                        s->name, htmt__format_count(s->ports).s, htmt__format_count(s->packets).s,
                        htmt__format_count(s->hops).s, htmt__format_count(s->contentions).s,
                        htmt__format_si(s->busy_s, "s").s, htmt__format_si(s->blocked_s, "s").s,
                        htmt__format_si(s->mean_queue, "").s});
    }
    return print(&table, rc, "INSIDE NETWORKS (virtual clock; sums over ports)", out);
}

static double busy_of(const struct htmt__port_sums *p)
{
    return p->busy_s;
}

static double blocked_of(const struct htmt__port_sums *p)
{
    return p->blocked_s + p->waiting_s;
}

/* The port with the most that is behind `last` in that order, of equals the first; NULL: none. */
static const struct htmt__port_sums *next_most(const struct htmt__results *r,
                                               double (*of)(const struct htmt__port_sums *p),
                                               const struct htmt__port_sums *last)
{
    const struct htmt__port_sums *most = NULL;
    for (unsigned i = 0; i < r->port_count; i++) {
        const struct htmt__port_sums *p = &r->port[i];
        bool behind = !last || of(p) < of(last) || (of(p) == of(last) && p > last);
        if (behind && of(p) > 0 && (!most || of(p) > of(most)))
            most = p;
    }
    return most;
}

static int add_port(struct htmt__table *table, const struct htmt__results *r,
                    const struct htmt__port_sums *p)
{
    double all = (double)r->predicted / (double)HTMT_SECOND;
    char name[HTMT__TABLE_CELL];
    if (p->plane)
        snprintf(name, sizeof name, "%s %s, plane %u", p->network, p->name, (unsigned)p->plane);
    else
        snprintf(name, sizeof name, "%s %s", p->network, p->name);
    return htmt__table_row(
        table, (const char *const[]){name, htmt__format_count(p->packets).s,
                                     htmt__format_share(all > 0 ? p->busy_s / all : 0).s,
                                     htmt__format_share(all > 0 ? blocked_of(p) / all : 0).s,
                                     htmt__format_count(p->contentions).s,
                                     htmt__format_si(p->mean_queue, "").s,
                                     htmt__format_count(p->max_queue).s});
}

static int print_most(const struct htmt__results *r, double (*of)(const struct htmt__port_sums *p),
                      const char *title, FILE *out)
{
    struct htmt__table table = {.columns = 7,
                                .head = {"port", "packets", "busy", "blocked", "contentions",
                                         "mean queue", "longest queue"},
                                .left = 0x1};
    const struct htmt__port_sums *p = NULL;
    int rc = 0;
    for (unsigned i = 0; i < SHOWN && !rc && (p = next_most(r, of, p)) != NULL; i++)
        rc = add_port(&table, r, p);
    return print(&table, rc, title, out);
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
        rc = htmt__table_row(&table, (const char *const[]){s->name, s->layer,
                                                           htmt__format_count(s->packets).s,
                                                           htmt__format_si(s->route_s, "s").s,
                                                           htmt__format_si(s->copy_s, "s").s,
                                                           htmt__format_si(s->put_off_s, "s").s,
                                                           htmt__format_share(s->utilization).s});
    }
    return print(&table, rc, "ROUTING by processors (virtual clock; sums over slices)", out);
}

int htmt__report_ports(const struct htmt__results *r, FILE *out)
{
    int rc = print_insides(r, out);
    if (!rc)
        rc = print_most(r, busy_of, "PORTS inside networks, the busiest", out);
    if (!rc)
        rc = print_most(r, blocked_of, "PORTS inside networks, those blocked longest", out);
    if (!rc)
        rc = print_routing(r, out);
    return rc;
}
