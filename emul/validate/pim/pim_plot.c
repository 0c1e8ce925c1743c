/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scatter: predicted over measured, of the rows that no figure was fitted to.
 */
#include "emul/validate/pim/pim_report.h"

#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

enum cloud { PROGRAMS, TRANSFERS, COPIES, KERNELS, CLOUDS };

static const char *const names[CLOUDS] = {"transfers of programs",
                                          "transfers between host and DPUs", "copies inside DPUs",
                                          "kernels of programs"};

struct points {
    size_t count;
    double *x, *y;
};

static int find_drawing(const struct htmt__plot_part **drawing, struct htmt_fault *fault)
{
    void *part;
    int rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc)
        *drawing = part;
    return rc;
}

int htmt__pim_plot_check(const char *path, struct htmt_fault *fault)
{
    const struct htmt__plot_part *drawing;
    int rc = find_drawing(&drawing, fault);
    return rc ? rc : drawing->check(path, fault);
}

static enum cloud cloud_of(const struct htmt__measured_row *r)
{
    if (r->kind == HTMT__MEASURED_COPY)
        return COPIES;
    if (r->kind == HTMT__MEASURED_HOST)
        return TRANSFERS;
    return !strcmp(r->part, "kernel") ? KERNELS : PROGRAMS;
}

static void collect(const struct htmt__pim_judgement *j, struct points cloud[CLOUDS])
{
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        if (!f->judged || f->fitted)
            continue;
        struct points *p = &cloud[cloud_of(f->row)];
        p->x[p->count] = f->row->seconds;
        p->y[p->count++] = f->predicted;
    }
}

static int draw(struct points cloud[CLOUDS], const char *path, struct htmt_fault *fault)
{
    static const double ends[] = {3e-6, 10};
    const struct htmt__plot_part *drawing;
    struct htmt__plot_curve curve[CLOUDS + 1];
    struct htmt__plot plot = {.title = "UPMEM: rows that no figure was fitted to",
                              .x_label = "measured, s",
                              .y_label = "predicted, s",
                              .log_x = true,
                              .log_y = true,
                              .width = 800,
                              .height = 640,
                              .curves = curve,
                              .count = CLOUDS + 1};
    for (int i = 0; i < CLOUDS; i++)
        curve[i] = (struct htmt__plot_curve){names[i], HTMT__PLOT_POINTS, cloud[i].count,
                                             cloud[i].x, cloud[i].y};
    curve[CLOUDS] =
        (struct htmt__plot_curve){"predicted = measured", HTMT__PLOT_LINE, 2, ends, ends};
    int rc = find_drawing(&drawing, fault);
    return rc ? rc : drawing->write(path, &plot, fault);
}

int htmt__pim_plot(const struct htmt__pim_judgement *j, const char *path, struct htmt_fault *fault)
{
    struct points cloud[CLOUDS] = {0};
    double *room = calloc((j->count + 1) * 2 * CLOUDS, sizeof *room);
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (int i = 0; i < CLOUDS; i++) {
        cloud[i].x = room + (size_t)(2 * i) * (j->count + 1);
        cloud[i].y = cloud[i].x + j->count + 1;
    }
    collect(j, cloud);
    int rc = draw(cloud, path, fault);
    free(room);
    return rc;
}
