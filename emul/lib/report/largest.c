/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/answers.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"

#include <string.h>

static struct htmt__number bound_text(const struct htmt__largest_bound *b)
{
    return b->bounded ? htmt__format_count(b->size) : (struct htmt__number){"no bound"};
}

int htmt__largest_print(const struct htmt__largest *rows, unsigned count, FILE *out)
{
    struct htmt__table table = {
        .columns = 4,
        .head = {"memory", "allows", "twice of it", "what is larger is refused"},
        .left = 0x9};
    int rc = 0;
    for (unsigned i = 0; i < count && !rc; i++) {
        const struct htmt__largest *r = &rows[i];
        bool all = strcmp(r->memory, "all") == 0;
        char name[HTMT__TABLE_CELL];
        if (all)
            snprintf(name, sizeof name, "all, --%s", r->size->option);
        else
            snprintf(name, sizeof name, "  %s%s", r->memory, r->binds ? " (binds)" : "");
        rc = htmt__table_row(&table,
                             (const char *const[]){name, r->refused ? "-" : bound_text(&r->alone).s,
                                                   all ? "" : bound_text(&r->twice).s, r->why});
    }
    if (!rc) {
        fprintf(out,
                "\nLARGEST PROBLEM (closed form; all memories as they are, then each alone, the "
                "others\nwithout bounds, and with twice as much of it)\n");
        htmt__table_print(&table, out);
    }
    htmt__table_clear(&table);
    return rc;
}
