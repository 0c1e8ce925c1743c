/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The intervals beyond the lanes that are shown: how many of them each pixel has, as shades. As in
 * emul/view/page/pyramid.c an interval notes its parts of the first and the last pixel, and the
 * ends of what lies between as differences, which are added up when the row is drawn.
 */
#include "emul/view/picture/timeline_parts.h"

#include <math.h>
#include <stdlib.h>

#define PIXELS (HTMT__TIMELINE_PLOT + 2)
#define SHADES 16
#define FAINT  0.25 /* ink of the fewest */

int htmt__timeline_depth_create(uint32_t rows, struct htmt__timeline_depth *d)
{
    *d = (struct htmt__timeline_depth){.part = calloc((size_t)rows * PIXELS, sizeof *d->part),
                                       .whole = calloc((size_t)rows * PIXELS, sizeof *d->whole)};
    return d->part && d->whole ? 0 : HTMT_ENOMEM;
}

void htmt__timeline_depth_clear(struct htmt__timeline_depth *d)
{
    free(d->part);
    free(d->whole);
    *d = (struct htmt__timeline_depth){0};
}

void htmt__timeline_depth_add(struct htmt__timeline_depth *d, uint32_t row, double from, double to)
{
    double *part = d->part + (size_t)row * PIXELS;
    int64_t *whole = d->whole + (size_t)row * PIXELS;
    size_t first = (size_t)from, last = (size_t)to;
    if (first == last) {
        part[first] += to - from;
        return;
    }
    part[first] += (double)first + 1 - from;
    part[last] += to - (double)last;
    whole[first + 1]++;
    whole[last]--;
}

static int shade_of(double depth, double most)
{
    return depth > 0 ? (int)ceil(SHADES * depth / most) : 0;
}

void htmt__timeline_depth_draw(struct htmt__timeline_picture *p, struct htmt__timeline_depth *d,
                               uint32_t row, const struct htmt__timeline_band *band,
                               uint32_t colour)
{
    const double y = band->top + band->lanes * band->lane_height + 0.5;
    double *part = d->part + (size_t)row * PIXELS, most = 0;
    int64_t *whole = d->whole + (size_t)row * PIXELS, now = 0;
    for (size_t i = 0; i < PIXELS; i++) { /* from differences to numbers */
        now += whole[i];
        part[i] += (double)now;
        most = fmax(most, part[i]);
    }
    for (size_t i = 0, next; i < HTMT__TIMELINE_PLOT; i = next) {
        int shade = shade_of(part[i], most);
        for (next = i + 1; next < HTMT__TIMELINE_PLOT && shade_of(part[next], most) == shade;)
            next++;
        if (shade)
            htmt__sheet_box(p->sheet, p->axis.left + (double)i, y, (double)(next - i),
                            band->lane_height - 1,
                            htmt__ink_colour(colour, FAINT + (1 - FAINT) * shade / SHADES));
    }
}
