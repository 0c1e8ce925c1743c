/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures that no prediction of a row depends on.
 *
 * A file that fits its rows proves nothing of figures that no row needs, so the report lists them.
 * To run every row with every figure doubled would take hours. Most figures are known by their key:
 * each copy needs the clock, each kernel the DMA. Only two kinds are looked at one by one: an
 * instruction is used if a program counts it, and a point of a curve if the curve, read where a
 * measured row is, changes with it. Between two points the curve is interpolated, so a row needs up
 * to four of them.
 */
#include "emul/validate/pim/judge.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 4 /* bytes */

typedef void taking(void *with, const char *file, const struct htmt_figure *figure);

/* What every copy, and every kernel and transfer of a program, depends on. The points of curves and
 * the rows of instructions are looked at one by one. */
static const char *const of_copies[] = {
    "layers.wram.processor.clock", "layers.wram.processor.slots",
    "networks.dma.startup",        "networks.dma.latency.*",
    "networks.dma.rate",           "networks.bus.group",
    "networks.bus.launch.value.*", NULL};
static const char *const of_programs[] = {"layers.wram.processor.clock",
                                          "layers.wram.processor.slots",
                                          "networks.dma.startup",
                                          "networks.dma.latency.*",
                                          "networks.dma.rate",
                                          "networks.dma.align",
                                          "networks.bus.parallel.*",
                                          "networks.bus.serial.from.*",
                                          "networks.bus.first-launch.*",
                                          "networks.bus.broadcast.*",
                                          NULL};

static bool is_listed(const char *key, const char *const *list)
{
    while (*list && fnmatch(*list, key, 0) != 0)
        list++;
    return *list;
}

/* Whether the point of a key "networks.bus.[scratch.]MODE.WAY.time.value.X.Y" changes the time of a
 * row: the point is doubled in a copy of the curve, and both curves are read where the row is. */
static bool is_used_point(const struct htmt__pim_judgement *j, const struct htmt__bus *bus,
                          const char *key)
{
    const bool scratch = strstr(key, ".scratch."), from = strstr(key, ".from."),
               broadcast = strstr(key, ".broadcast.");
    const char *level = scratch ? "wram" : "mram", *way = broadcast ? "broadcast"
                                                          : from    ? "from-dpu"
                                                                    : "to-dpu";
    const struct htmt_curve *curve =
        &bus->transfer[scratch][broadcast ? HTMT__BROADCAST : HTMT__PARALLEL][from].time;
    const char *at = strstr(key, ".time.value.");
    char *end;
    bool used = false;
    struct htmt_curve other = *curve;
    if (!at || htmt__curve_copy(&other))
        return false;
    uint64_t x = strtoull(at + strlen(".time.value."), &end, 10);
    uint64_t y = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
    for (uint32_t i = 0; i < other.count; i++)
        if (other.point[i].x == x && other.point[i].y == y)
            (void)htmt_ratio_mul(other.point[i].value, (struct htmt_ratio){2, 1},
                                 &other.point[i].value);
    for (unsigned i = 0; i < j->count && !used; i++) {
        const struct htmt__measured_row *r = j->finding[i].row;
        struct htmt_ratio a, b;
        used = r->kind == HTMT__MEASURED_HOST && !strcmp(r->part, level) && !strcmp(r->way, way) &&
               !htmt__curve_at(curve, r->dpus, r->words * WORD, &a, NULL) &&
               !htmt__curve_at(&other, r->dpus, r->words * WORD, &b, NULL) && htmt_ratio_cmp(a, b);
    }
    htmt__curve_fini(&other);
    return used;
}

static void take_machine(const struct htmt__pim_judgement *j, const struct htmt_machine *m,
                         const char *const *used, taking *take, void *with)
{
    const struct htmt__bus *bus = &htmt__bank_machine_of(m)->figures;
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        const char *operation = strstr(f->key, ".instructions.");
        const bool is_name = !*f->source || !strcmp(f->value, "not-modelled");
        if (is_name || is_listed(f->key, used))
            continue;
        bool programs = m == j->programs;
        if (operation && programs && htmt__pim_counts(operation + strlen(".instructions.")))
            continue;
        if (strstr(f->key, ".time.value.") && !programs && is_used_point(j, bus, f->key))
            continue;
        take(with, m->name, f);
    }
}

void htmt__pim_unused(const struct htmt__pim_judgement *j, taking *take, void *with)
{
    take_machine(j, j->copies, of_copies, take, with);
    take_machine(j, j->programs, of_programs, take, with);
}
