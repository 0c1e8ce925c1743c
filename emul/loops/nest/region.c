/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Axis by axis: between two neighbouring ends of boxes the same boxes lie, whose union on the other
 * axes is counted once.
 */
#include "emul/loops/nest/region.h"

#include <stdlib.h>
#include <string.h>

#define FEW 64

struct region {
    const struct htmt__region_box *box;
    unsigned axes, boxes;
    int64_t *end;    /* 2 * boxes for each axis */
    unsigned *among; /* boxes for each axis and one more */
};

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort(int64_t *end, unsigned count)
{
    if (count > FEW) {
        qsort(end, count, sizeof *end, by_value);
        return;
    }
    for (unsigned i = 1; i < count; i++) {
        int64_t value = end[i];
        unsigned at = i;
        for (; at && end[at - 1] > value; at--)
            end[at] = end[at - 1];
        end[at] = value;
    }
}

static unsigned ends_of(const struct region *r, unsigned axis, const unsigned *in, unsigned count,
                        int64_t *end)
{
    unsigned ends = 0, kept = 0;
    for (unsigned i = 0; i < count; i++) {
        end[ends++] = r->box[in[i]].low[axis];
        end[ends++] = r->box[in[i]].high[axis];
    }
    sort(end, ends);
    for (unsigned i = 0; i < ends; i++)
        if (!kept || end[kept - 1] != end[i])
            end[kept++] = end[i];
    return kept;
}

static unsigned lying_over(const struct region *r, unsigned axis, const unsigned *in,
                           unsigned count, int64_t low, unsigned *out)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        if (r->box[in[i]].low[axis] <= low && low < r->box[in[i]].high[axis])
            out[found++] = in[i];
    return found;
}

static htmt_wide count_from(const struct region *r, unsigned axis, const unsigned *in,
                            unsigned count)
{
    if (!count || axis == r->axes)
        return count != 0;
    int64_t *end = r->end + (size_t)axis * 2 * r->boxes;
    unsigned *over = r->among + (size_t)(axis + 1) * r->boxes;
    unsigned ends = ends_of(r, axis, in, count, end);
    htmt_wide sum = 0;
    for (unsigned i = 0; i + 1 < ends; i++) {
        unsigned found = lying_over(r, axis, in, count, end[i], over);
        if (found)
            sum += (end[i + 1] - end[i]) * count_from(r, axis + 1, over, found);
    }
    return sum;
}

static bool is_empty(const struct htmt__region_box *box, unsigned axes)
{
    for (unsigned a = 0; a < axes; a++)
        if (box->low[a] >= box->high[a])
            return true;
    return false;
}

int htmt__region_count(const struct htmt__region_box *box, unsigned boxes, unsigned axes,
                       htmt_wide *count)
{
    struct region r = {box, axes, boxes, NULL, NULL};
    unsigned filled = 0;
    r.end = malloc(((size_t)axes * 2 * boxes + 1) * sizeof *r.end);
    r.among = malloc(((size_t)(axes + 1) * boxes + 1) * sizeof *r.among);
    int rc = r.end && r.among ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < boxes && !rc; i++)
        if (!is_empty(&box[i], axes))
            r.among[filled++] = i;
    if (!rc)
        *count = count_from(&r, 0, r.among, filled);
    free(r.end);
    free(r.among);
    return rc;
}
