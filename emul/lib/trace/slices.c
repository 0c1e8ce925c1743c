/* SPDX-License-Identifier: BSD-3-Clause */
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

/* Where the block at `place` goes. */
static int add_block(const struct htmt_trace *t, uint64_t place, struct htmt__trace_slices *s)
{
    uint64_t index;
    struct htmt_trace_block b = {0};
    int rc = htmt_trace_block_sorted(t, place, &index);
    rc = rc ? rc : htmt_trace_block_at(t, index, &b);
    if (rc)
        return rc;
    if (!s->count || s->slice[s->count - 1].slice != b.slice)
        s->slice[s->count++] = (struct htmt__trace_slice){.slice = b.slice, .place = place};
    struct htmt__trace_slice *last = &s->slice[s->count - 1];
    last->blocks++;
    last->intervals += b.count;
    last->end = b.to > last->end ? b.to : last->end;
    s->end = b.to > s->end ? b.to : s->end;
    return 0;
}

static int by_end(const void *a, const void *b)
{
    const struct htmt__trace_slice *const *x = a, *const *y = b;
    if ((*x)->end != (*y)->end)
        return (*x)->end < (*y)->end ? -1 : 1;
    return (*x)->slice < (*y)->slice ? -1 : 1;
}

static int rank(struct htmt__trace_slices *s)
{
    const struct htmt__trace_slice **order = calloc((size_t)s->count + 1, sizeof *order);
    if (!order)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        order[i] = &s->slice[i];
    qsort(order, s->count, sizeof *order, by_end);
    if (s->count) {
        s->fastest = (uint32_t)(order[0] - s->slice);
        s->median = (uint32_t)(order[(s->count - 1) / 2] - s->slice);
        s->slowest = (uint32_t)(order[s->count - 1] - s->slice);
    }
    free(order);
    return 0;
}

int htmt__trace_slices_make(const struct htmt_trace *t, struct htmt__trace_slices *s)
{
    uint64_t blocks = htmt_trace_info(t)->blocks;
    struct htmt__trace_slices made = {.slice = calloc(blocks + 1, sizeof *made.slice)};
    int rc = made.slice ? 0 : HTMT_ENOMEM;
    for (uint64_t i = 0; i < blocks && !rc; i++)
        rc = add_block(t, i, &made);
    rc = rc ? rc : rank(&made);
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
