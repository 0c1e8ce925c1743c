/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events for an observer, with partitions. An observer hears of all events in the order of one
 * clock. A partition keeps those of its window, each with whose turn it was; they are in order.
 * When the window is over the thread of the run merges the rows: a heap of the rows by their next
 * event gives the next of all. No two rows have events of one turn at one instant.
 */
#include "parcels/clock/partition.h"
#include "runtime/base/array.h"

#include <stdlib.h>

int htmt__observed_keep(struct htmt_emulator *e, const struct htmt_event *event)
{
    struct htmt__observed_row *r = &e->partition->observed;
    if (!htmt__array_fits(&r->at, &r->room, r->count + 1, sizeof *r->at))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the events of a window");
    r->at[r->count++] = (struct htmt__observed){*event, {e->now, htmt__order(e)}};
    return 0;
}

static const struct htmt__observed *next_of(const struct htmt__observed_row *r)
{
    return &r->at[r->told];
}

static void sift(struct htmt__observed_row **row, uint32_t rows, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child < rows && child <= 2 * at + 2; child++)
            if (htmt__fails_before(next_of(row[child])->turn, next_of(row[least])->turn))
                least = child;
        if (least == at)
            return;
        struct htmt__observed_row *r = row[at];
        row[at] = row[least];
        row[least] = r;
        at = least;
    }
}

/* The partition that failed has no events behind its failure; others may have gone on, and what
 * they did then does not count. */
int htmt__observed_tell(struct htmt_emulator *whole)
{
    const struct htmt__windows *w = whole->windows;
    struct htmt__observed_row **row = malloc(w->partitions * sizeof(struct htmt__observed_row *));
    uint32_t rows = 0;
    if (!row)
        return htmt__fail(whole, HTMT_ENOMEM, "no host memory for the events of a window");
    for (uint32_t i = w->first; i < w->end; i++)
        if (w->partition[i].observed.count)
            row[rows++] = &w->partition[i].observed;
    for (uint32_t i = rows / 2; i-- > 0;)
        sift(row, rows, i);
    while (rows) {
        struct htmt__observed_row *r = row[0];
        const struct htmt__observed *next = next_of(r);
        if (whole->fault.code && htmt__fails_before(whole->failure, next->turn))
            break;
        whole->options.observe(whole->options.user, &next->event);
        if (++r->told == r->count)
            row[0] = row[--rows];
        sift(row, rows, 0);
    }
    for (uint32_t i = w->first; i < w->end; i++)
        w->partition[i].observed.count = w->partition[i].observed.told = 0;
    free(row);
    return 0;
}
