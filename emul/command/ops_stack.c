/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/ops_stack.h"

#include <stdio.h>
#include <string.h>

static const char *const parts[HTMT__NODE_PARTS] = {
    [HTMT__NODE_ISSUE] = "issue",      [HTMT__NODE_UNITS] = "units",
    [HTMT__NODE_CHAIN] = "chains",     [HTMT__NODE_L1] = "l1",
    [HTMT__NODE_L2] = "l2, l3",        [HTMT__NODE_BUS] = "bus",
    [HTMT__NODE_PAGES] = "DRAM pages", [HTMT__NODE_REFRESH] = "DRAM refresh",
    [HTMT__NODE_BRANCHES] = "branches"};

const char *htmt__ops_part(int part)
{
    return parts[part];
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void htmt__ops_stack_add(struct htmt__ops_stack *s, const struct htmt__ops_timed *t)
{
    const unsigned bar = s->bars++;
    snprintf(s->tape[bar], sizeof s->tape[bar], "%s", last_of(t->path));
    snprintf(s->machine[bar], sizeof s->machine[bar], "%s", t->machine->name);
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        s->part[i][bar] = (double)t->replay->account.part[i] / (double)HTMT_SECOND;
}

/* ---- the picture ----------------------------------------------------------------------------- */

struct sheet {
    double x[HTMT__OPS_BARS_MAX], share[HTMT__NODE_PARTS][HTMT__OPS_BARS_MAX];
    struct htmt__plot_curve time[HTMT__NODE_PARTS], of[HTMT__NODE_PARTS];
    unsigned curves;
    char name[HTMT__OPS_BARS_MAX][164];
    const char *names[HTMT__OPS_BARS_MAX + 1];
};

static double time_of(const struct htmt__ops_stack *s, unsigned bar)
{
    double sum = 0;
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        sum += s->part[i][bar];
    return sum;
}

static void add_part(const struct htmt__ops_stack *s, struct sheet *sheet, int part)
{
    double most = 0;
    for (unsigned i = 0; i < s->bars; i++) {
        const double time = time_of(s, i);
        sheet->share[part][i] = time > 0 ? 100 * s->part[part][i] / time : 0;
        most = s->part[part][i] > most ? s->part[part][i] : most;
    }
    if (most <= 0)
        return;
    const unsigned n = sheet->curves++;
    sheet->time[n] =
        (struct htmt__plot_curve){parts[part], HTMT__PLOT_STACK, s->bars, sheet->x, s->part[part]};
    sheet->of[n] = sheet->time[n];
    sheet->of[n].name = NULL;
    sheet->of[n].y = sheet->share[part];
}

static void fill(const struct htmt__ops_stack *s, struct sheet *sheet)
{
    *sheet = (struct sheet){.curves = 0};
    for (unsigned i = 0; i < s->bars; i++) {
        sheet->x[i] = i + 1;
        snprintf(sheet->name[i], sizeof sheet->name[i], "%s\n%s", s->tape[i], s->machine[i]);
        sheet->names[i] = sheet->name[i];
    }
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        add_part(s, sheet, i);
}

int htmt__ops_stack_draw(const struct htmt__ops_stack *s, const struct htmt__plot_part *part,
                         const char *path, struct htmt_fault *fault)
{
    struct sheet sheet;
    fill(s, &sheet);
    const struct htmt__plot shares = {.y_label = "share of the time, %",
                                      .x_least = 0.5,
                                      .x_most = s->bars + 0.5,
                                      .y_most = 100,
                                      .height = 320,
                                      .curves = sheet.of,
                                      .count = sheet.curves,
                                      .bars = sheet.names};
    struct htmt__plot times = shares;
    times.title = "where the time of services went (virtual clock)";
    times.y_label = "time of services, s";
    times.y_most = 0;
    times.height = 380;
    times.curves = sheet.time;
    times.below = &shares;
    return part->write(path, &times, fault);
}
