/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services that took what their own operations took, in a report for people.
 */
#include "emul/lib/report/report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <stdio.h>
#include <string.h>

static const char *const parts[HTMT_OPERATIONS_PARTS] = {[HTMT_OPERATIONS_ISSUE] = "issue",
                                                         [HTMT_OPERATIONS_UNITS] = "units",
                                                         [HTMT_OPERATIONS_CHAIN] = "chain",
                                                         [HTMT_OPERATIONS_L1] = "l1",
                                                         [HTMT_OPERATIONS_L2] = "l2",
                                                         [HTMT_OPERATIONS_BUS] = "bus",
                                                         [HTMT_OPERATIONS_PAGES] = "pages",
                                                         [HTMT_OPERATIONS_REFRESH] = "refresh",
                                                         [HTMT_OPERATIONS_BRANCHES] = "branches"};

enum { FIRST = 3, COLUMNS = FIRST + HTMT_OPERATIONS_PARTS };

static int print(struct htmt__table *table, int rc, const char *title, FILE *out)
{
    if (!rc) {
        fprintf(out, "\n%s\n", title);
        if (table->rows)
            htmt__table_print(table, out);
    }
    htmt__table_clear(table);
    return rc;
}

/* Parts of which some stage has any: a column each. */
struct columns {
    int part[HTMT_OPERATIONS_PARTS], n;
};

static struct columns columns_of(const struct htmt__results *r)
{
    struct columns c = {.n = 0};
    for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++) {
        bool any = false;
        for (unsigned k = 0; k < r->operations_count; k++)
            any |= r->operations[k].part_s[i] > 0;
        if (any)
            c.part[c.n++] = i;
    }
    return c;
}

/* The stack of each stage: shares of its time. */
static int add_stack(struct htmt__table *table, const struct columns *c,
                     const struct htmt__operations_sums *s)
{
    char cell[COLUMNS][64];
    const char *row[COLUMNS] = {s->type, cell[1], cell[2]};
    snprintf(cell[1], sizeof cell[1], "%s", htmt__format_count(s->services).s);
    snprintf(cell[2], sizeof cell[2], "%s", htmt__format_si(s->time_s, "s").s);
    for (int i = 0; i < c->n; i++) {
        const double share = s->time_s > 0 ? s->part_s[c->part[i]] / s->time_s : 0;
        snprintf(cell[FIRST + i], sizeof cell[0], "%s", htmt__format_share(share).s);
        row[FIRST + i] = cell[FIRST + i];
    }
    return htmt__table_row(table, row);
}

static int print_stacks(const struct htmt__results *r, FILE *out)
{
    const struct columns c = columns_of(r);
    struct htmt__table table = {
        .columns = FIRST + (unsigned)c.n, .head = {"type", "services", "time"}, .left = 0x1};
    int rc = 0;
    for (int i = 0; i < c.n; i++)
        table.head[FIRST + i] = parts[c.part[i]];
    for (unsigned i = 0; i < r->operations_count && !rc; i++)
        if (r->operations[i].services)
            rc = add_stack(&table, &c, &r->operations[i]);
    return print(&table, rc, "OPERATIONS (virtual clock; shares of the services' time)", out);
}

/* "region 0: 12, stack: 3" */
static void list_places(const struct htmt__results *r, const struct htmt__operations_sums *s,
                        char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = 0; i < r->miss_count && n < size; i++) {
        const struct htmt__miss_sums *m = &r->miss[i];
        if (strcmp(m->type, s->type) == 0 && strcmp(m->stage, s->stage) == 0)
            n += (size_t)snprintf(text + n, size - n, "%s%s: %s", n ? ", " : "", m->place,
                                  htmt__format_count(m->misses).s);
    }
}

static void print_misses(const struct htmt__results *r, FILE *out)
{
    char text[600];
    for (unsigned i = 0; i < r->operations_count; i++) {
        const struct htmt__operations_sums *s = &r->operations[i];
        text[0] = '\0';
        list_places(r, s, text, sizeof text);
        if (s->services && *text)
            htmt__report_line(out, "  misses of %s: %s", s->type, text);
    }
}

static void print_counted(const struct htmt__results *r, FILE *out)
{
    for (unsigned i = 0; i < r->operations_count; i++) {
        const struct htmt__operations_sums *s = &r->operations[i];
        if (s->counted && *s->why)
            htmt__report_line(out, "  by counts: %s, %s: %s", s->type, s->stage, s->why);
    }
}

int htmt__report_operations(const struct htmt__results *r, FILE *out)
{
    int rc = r->operations_count ? print_stacks(r, out) : 0;
    if (rc || !r->operations_count)
        return rc;
    print_misses(r, out);
    print_counted(r, out);
    htmt__report_line(out, "  Caches are cold at each service; jobs of the host are not fused.");
    return 0;
}
