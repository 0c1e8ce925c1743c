/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ticks are 1, 2 or 5 times a power of ten femtoseconds apart, the nearest that leave room for
 * labels. Labels are in the largest unit in which a step has no more than one digit behind the
 * point. A window late in a long run would have labels such as 12,345,678.5: from a million on they
 * count from the first tick, whose time stands below the axis.
 */
#include "emul/view/picture/time_axis.h"

#include "emul/lib/picture/palette.h"
#include "emul/lib/text/format.h"

#define TICK_ROOM 90.0    /* pixels between labels, at least */
#define LONGEST   1000000 /* labels that count from time 0 are smaller */

static const struct unit {
    const char *name;
    htmt_time fs;
} units[] = {{"fs", 1},
             {"ps", 1000},
             {"ns", 1000000},
             {"us", INT64_C(1000000000)},
             {"ms", INT64_C(1000000000000)},
             {"s", HTMT_SECOND}};

double htmt__time_place(const struct htmt__time_axis *axis, htmt_time at)
{
    double share = (double)(at - axis->from) / (double)(axis->to - axis->from);
    return axis->left + axis->width * share;
}

/* Labels count from `origin`. */
struct ticks {
    htmt_time first, last, step, origin; /* first, last: in steps */
    const struct unit *unit;
};

static struct ticks choose_ticks(const struct htmt__time_axis *axis)
{
    static const int digit[] = {1, 2, 5};
    const double per_pixel = (double)(axis->to - axis->from) / axis->width;
    const htmt_time least = (htmt_time)(per_pixel * TICK_ROOM);
    htmt_time step = 1;
    unsigned unit = 0;
    for (int i = 1; step < least && step < HTMT_TIME_MAX / 10; i++)
        step = digit[i % 3] * (i % 3 ? step / digit[(i - 1) % 3] : step / 5 * 10);
    while (unit + 1 < sizeof units / sizeof *units && step >= units[unit + 1].fs / 10)
        unit++;
    struct ticks t = {.first = axis->from / step + (axis->from % step != 0),
                      .last = axis->to / step,
                      .step = step,
                      .unit = &units[unit]};
    if (axis->to / t.unit->fs >= LONGEST)
        t.origin = t.first * step;
    return t;
}

void htmt__time_draw(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, double top,
                     double bottom)
{
    const struct ticks t = choose_ticks(axis);
    struct htmt__shape *m;
    for (htmt_time i = t.first; i <= t.last; i++) {
        const htmt_time at = i * t.step;
        const double x = htmt__time_place(axis, at);
        const bool whole = (at - t.origin) % t.unit->fs == 0;
        htmt__sheet_line(sheet, x, top, x, bottom)->ink = HTMT__GRID;
        htmt__sheet_line(sheet, x, bottom, x, bottom + 5);
        m = htmt__sheet_text(sheet, x, bottom + 19, "%.*f", whole ? 0 : 1,
                             (double)(at - t.origin) / (double)t.unit->fs);
        m->anchor = HTMT__ANCHOR_MIDDLE;
        m->size = 12;
    }
    htmt__sheet_line(sheet, axis->left, bottom, axis->left + axis->width, bottom);
    const double x = axis->left + axis->width / 2, y = bottom + 38;
    m = t.origin ? htmt__sheet_text(sheet, x, y, "virtual time after %s fs, %s",
                                    htmt__format_count((uint64_t)t.origin).s, t.unit->name)
                 : htmt__sheet_text(sheet, x, y, "virtual time, %s", t.unit->name);
    m->anchor = HTMT__ANCHOR_MIDDLE;
}
