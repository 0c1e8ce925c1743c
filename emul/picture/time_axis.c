/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/picture/time_axis.h"

#include "emul/picture/palette.h"

#include <inttypes.h>

#define TICK_ROOM 90.0 /* pixels between labels, at least */

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

/* 1, 2 or 5 times a power of ten femtoseconds. */
static htmt_time choose_step(htmt_time least)
{
    static const int digit[] = {1, 2, 5};
    htmt_time step = 1;
    for (int i = 1; step < least && step < HTMT_TIME_MAX / 10; i++)
        step = digit[i % 3] * (i % 3 ? step / digit[(i - 1) % 3] : step / 5 * 10);
    return step;
}

/* The largest one in which a step, or half of it, has no more than one digit behind the point. */
static const struct unit *choose_unit(htmt_time step)
{
    unsigned i = 0;
    while (i + 1 < sizeof units / sizeof *units && step >= units[i + 1].fs / 10)
        i++;
    return &units[i];
}

static void draw_tick(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, htmt_time at,
                      double bottom, const struct unit *unit)
{
    double x = htmt__time_place(axis, at);
    htmt__sheet_line(sheet, x, bottom, x, bottom + 5);
    bool whole = at % unit->fs == 0;
    struct htmt__shape *label = htmt__sheet_text(sheet, x, bottom + 19, "%.*f", whole ? 0 : 1,
                                                 (double)at / (double)unit->fs);
    label->anchor = HTMT__ANCHOR_MIDDLE;
    label->size = 12;
}

void htmt__time_draw(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, double top,
                     double bottom)
{
    double per_pixel = (double)(axis->to - axis->from) / axis->width;
    htmt_time step = choose_step((htmt_time)(per_pixel * TICK_ROOM));
    htmt_time first = (axis->from + step - 1) / step * step;
    const struct unit *unit = choose_unit(step);
    for (htmt_time at = first; at <= axis->to; at += step) {
        double x = htmt__time_place(axis, at);
        htmt__sheet_line(sheet, x, top, x, bottom)->ink = HTMT__GRID;
        draw_tick(axis, sheet, at, bottom, unit);
    }
    htmt__sheet_line(sheet, axis->left, bottom, axis->left + axis->width, bottom);
    struct htmt__shape *name = htmt__sheet_text(sheet, axis->left + axis->width / 2, bottom + 38,
                                                "virtual time, %s", unit->name);
    name->anchor = HTMT__ANCHOR_MIDDLE;
}
