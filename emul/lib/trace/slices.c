/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The slices of a trace, and which of them ends first, in the middle and last. The index has the
 * slice, the count and the last end of each block, so nothing is decoded here. Blocks that are
 * sorted by slice and number stand together, so a slice is a run of them: where it begins and how
 * many there are is all that a reader of one slice needs. Of slices that end together the lower
 * number counts as the faster one, so that the three are the same on every host.
 */
#include "emul/lib/trace/slices.h"

#include <stdlib.h>
#include <string.h>

int htmt__trace_read_sorted(struct htmt_trace *t, uint64_t place, struct htmt_trace_block *b,
                            struct htmt_fault *fault)
{
    uint64_t index;
    int rc = htmt_trace_block_sorted(t, place, &index);
    return rc ? htmt_fault_set(fault, rc, "%s", htmt_strerror(rc))
              : htmt_trace_block_read(t, index, b, fault);
}

static int by_end(const void *a, const void *b)
{
    const struct htmt__trace_slice *const *x = a, *const *y = b;
    if ((*x)->end != (*y)->end)
        return (*x)->end < (*y)->end ? -1 : 1;
    return (*x)->slice < (*y)->slice ? -1 : 1;
}

int htmt__trace_slices_make(const struct htmt_trace *t, struct htmt__trace_slices *s)
{
    const uint64_t blocks = htmt_trace_info(t)->blocks;
    struct htmt__trace_slices made = {.slice = calloc(blocks + 1, sizeof *made.slice)};
    const struct htmt__trace_slice **order = NULL;
    int rc = made.slice ? 0 : HTMT_ENOMEM;
    for (uint64_t i = 0; i < blocks && !rc; i++) {
        uint64_t index;
        struct htmt_trace_block b = {0};
        rc = htmt_trace_block_sorted(t, i, &index);
        if (!rc)
            rc = htmt_trace_block_at(t, index, &b);
        if (rc)
            break;
        if (!made.count || made.slice[made.count - 1].slice != b.slice)
            made.slice[made.count++] = (struct htmt__trace_slice){.slice = b.slice, .place = i};
        struct htmt__trace_slice *last = &made.slice[made.count - 1];
        last->blocks++;
        last->intervals += b.count;
        last->end = b.to > last->end ? b.to : last->end;
        made.end = b.to > made.end ? b.to : made.end;
    }
    if (!rc && !(order = calloc((size_t)made.count + 1, sizeof *order)))
        rc = HTMT_ENOMEM;
    for (uint32_t i = 0; i < made.count && !rc; i++)
        order[i] = &made.slice[i];
    if (!rc && made.count) {
        qsort(order, made.count, sizeof *order, by_end);
        made.fastest = (uint32_t)(order[0] - made.slice);
        made.median = (uint32_t)(order[(made.count - 1) / 2] - made.slice);
        made.slowest = (uint32_t)(order[made.count - 1] - made.slice);
    }
    free(order);
    if (rc)
        htmt__trace_slices_clear(&made);
    else
        *s = made;
    return rc;
}

void htmt__trace_slices_clear(struct htmt__trace_slices *s)
{
    free(s->slice);
    memset(s, 0, sizeof *s);
}

bool htmt__trace_slices_together(const struct htmt__trace_slices *s)
{
    return s->count > 1 && s->slice[s->slowest].end == s->slice[s->fastest].end;
}

uint32_t htmt__trace_slices_end(const struct htmt_trace *t)
{
    struct htmt_trace_block b = {0};
    uint32_t end = 0;
    for (uint64_t i = 0; htmt_trace_block_at(t, i, &b) == 0; i++)
        end = b.slice >= end ? b.slice + 1 : end;
    return end;
}
