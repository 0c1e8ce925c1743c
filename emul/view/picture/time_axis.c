/* SPDX-License-Identifier: BSD-3-Clause */
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

/* Labels count from `origin`. */
struct ticks {
    htmt_time first, last, step, origin; /* first, last: in steps */
    const struct unit *unit;
};

static struct ticks choose_ticks(const struct htmt__time_axis *axis)
{
    double per_pixel = (double)(axis->to - axis->from) / axis->width;
    htmt_time step = choose_step((htmt_time)(per_pixel * TICK_ROOM));
    struct ticks t = {.first = axis->from / step + (axis->from % step != 0),
                      .last = axis->to / step,
                      .step = step,
                      .unit = choose_unit(step)};
    if (axis->to / t.unit->fs >= LONGEST)
        t.origin = t.first * step;
    return t;
}

static void draw_tick(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, htmt_time at,
                      double bottom, const struct ticks *t)
{
    double x = htmt__time_place(axis, at), label = (double)(at - t->origin) / (double)t->unit->fs;
    bool whole = (at - t->origin) % t->unit->fs == 0;
    htmt__sheet_line(sheet, x, bottom, x, bottom + 5);
    struct htmt__shape *m = htmt__sheet_text(sheet, x, bottom + 19, "%.*f", whole ? 0 : 1, label);
    m->anchor = HTMT__ANCHOR_MIDDLE;
    m->size = 12;
}

static void draw_name(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, double bottom,
                      const struct ticks *t)
{
    double x = axis->left + axis->width / 2, y = bottom + 38;
    struct htmt__shape *m =
        t->origin ? htmt__sheet_text(sheet, x, y, "virtual time after %s fs, %s",
                                     htmt__format_count((uint64_t)t->origin).s, t->unit->name)
                  : htmt__sheet_text(sheet, x, y, "virtual time, %s", t->unit->name);
    m->anchor = HTMT__ANCHOR_MIDDLE;
}

void htmt__time_draw(const struct htmt__time_axis *axis, struct htmt__sheet *sheet, double top,
                     double bottom)
{
    struct ticks t = choose_ticks(axis);
    for (htmt_time i = t.first; i <= t.last; i++) {
        double x = htmt__time_place(axis, i * t.step);
        htmt__sheet_line(sheet, x, top, x, bottom)->ink = HTMT__GRID;
        draw_tick(axis, sheet, i * t.step, bottom, &t);
    }
    htmt__sheet_line(sheet, axis->left, bottom, axis->left + axis->width, bottom);
    draw_name(axis, sheet, bottom, &t);
}
