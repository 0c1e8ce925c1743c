/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Spans come nearly in the order of their ends, so a new one mostly touches the last segments
 * alone: a binary search finds the first that it touches, and few elements move.
 */
#include "emul/lib/trace/segments.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

/* The first segment that ends at `at` or later. */
static size_t first_ending_at(const struct htmt__segments *s, htmt_time at)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->segment[middle].to < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int htmt__segments_add(struct htmt__segments *s, htmt_time from, htmt_time to)
{
    if (from >= to)
        return 0;
    if (!htmt__array_fits(&s->segment, &s->room, s->count + 1, sizeof *s->segment))
        return HTMT_ENOMEM;
    /* Segments first .. last - 1 touch the span: all become one. */
    size_t first = first_ending_at(s, from), last = first;
    struct htmt__segment all = {from, to};
    for (; last < s->count && s->segment[last].from <= to; last++) {
        all.from = s->segment[last].from < all.from ? s->segment[last].from : all.from;
        all.to = s->segment[last].to > all.to ? s->segment[last].to : all.to;
    }
    memmove(&s->segment[first + 1], &s->segment[last], (s->count - last) * sizeof all);
    s->segment[first] = all;
    s->count = s->count - (last - first) + 1;
    return 0;
}

bool htmt__segments_meet(const struct htmt__segments *s, htmt_time from, htmt_time to)
{
    size_t i = first_ending_at(s, from + 1);
    return from < to && i < s->count && s->segment[i].from < to;
}

void htmt__segments_clear(struct htmt__segments *s)
{
    free(s->segment);
    memset(s, 0, sizeof *s);
}
