/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The points of a union of boxes, axis by axis. Between two neighbouring ends of boxes along an
 * axis the same boxes lie, so their union on the other axes is counted once and multiplied by the
 * distance. Two squares, [0,3) x [0,3) and [1,4) x [1,4): the ends along the first axis are 0, 1,
 * 3, 4; from 0 to 1 lies the first alone, 3 points wide; from 1 to 3 both, [0,4); from 3 to 4 the
 * second, 3: 1*3 + 2*4 + 1*3 = 14. With b boxes and d axes that costs at most (2 b)^d steps; boxes
 * of a stencil share most ends, so it is far less.
 */
#include "emul/loops/nest/region.h"

#include <stdlib.h>
#include <string.h>

#define FEW 64 /* ends: insertion is faster than qsort() */

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

/* Points of the boxes `in` on the axes from `axis` on. */
static htmt_wide count_from(const struct region *r, unsigned axis, const unsigned *in,
                            unsigned count)
{
    unsigned ends = 0, kept = 0;
    htmt_wide sum = 0;
    if (!count || axis == r->axes)
        return count != 0;
    int64_t *end = r->end + (size_t)axis * 2 * r->boxes;
    unsigned *over = r->among + (size_t)(axis + 1) * r->boxes;
    for (unsigned i = 0; i < count; i++) {
        end[ends++] = r->box[in[i]].low[axis];
        end[ends++] = r->box[in[i]].high[axis];
    }
    sort(end, ends);
    for (unsigned i = 0; i < ends; i++)
        if (!kept || end[kept - 1] != end[i])
            end[kept++] = end[i];
    for (unsigned i = 0; i + 1 < kept; i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < count; k++)
            if (r->box[in[k]].low[axis] <= end[i] && end[i] < r->box[in[k]].high[axis])
                over[found++] = in[k];
        if (found)
            sum += (end[i + 1] - end[i]) * count_from(r, axis + 1, over, found);
    }
    return sum;
}

int htmt__region_count(const struct htmt__region_box *box, unsigned boxes, unsigned axes,
                       htmt_wide *count)
{
    struct region r = {box, axes, boxes, NULL, NULL};
    unsigned filled = 0;
    r.end = malloc(((size_t)axes * 2 * boxes + 1) * sizeof *r.end);
    r.among = malloc(((size_t)(axes + 1) * boxes + 1) * sizeof *r.among);
    int rc = r.end && r.among ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < boxes && !rc; i++) {
        bool empty = false;
        for (unsigned a = 0; a < axes; a++)
            empty = empty || box[i].low[a] >= box[i].high[a];
        if (!empty)
            r.among[filled++] = i;
    }
    if (!rc)
        *count = count_from(&r, 0, r.among, filled);
    free(r.end);
    free(r.among);
    return rc;
}
