/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/clock_rows.h"
#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/validate/against_clock.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>

#define COLUMNS 7

/* ---- for people ------------------------------------------------------------------------------ */

static int add_size(struct htmt__table *t, const struct htmt__against_kernel *k,
                    const struct htmt__against_size *s)
{
    char error[24], spread[24];
    snprintf(error, sizeof error, "%+.1f %%", s->error);
    snprintf(spread, sizeof spread, "%.1f %%", s->spread);
    return htmt__table_row(t, (const char *[]){k->name, htmt__format_count((uint64_t)s->n).s,
                                               htmt__format_si(1e-9 * s->model, "s").s,
                                               htmt__format_si(1e-9 * s->clock, "s").s, error,
                                               spread, htmt__format_si(1e-9 * s->vectors, "s").s});
}

static int add_mean(struct htmt__table *t, const struct htmt__against_kernel *k)
{
    char mean[24], worst[24], sizes[24];
    snprintf(mean, sizeof mean, "%.1f %%", k->mean);
    snprintf(worst, sizeof worst, "%.1f %%", k->worst);
    snprintf(sizes, sizeof sizes, "%u", k->sizes);
    return htmt__table_row(
        t, (const char *[]){k->name, sizes, mean, worst, k->judged ? "" : "shown beside"});
}

static void print_table(struct htmt__table *t, int rc, FILE *out)
{
    if (rc)
        fputs("  out of memory\n", out);
    htmt__table_print(t, out);
    htmt__table_clear(t);
}

void htmt__against_print(const struct htmt__against_clock *a, FILE *out)
{
    struct htmt__table sizes = {
        .columns = COLUMNS,
        .head = {"kernel", "N", "model", "clock", "error", "spread", "with vectors"},
        .left = 1};
    struct htmt__table means = {
        .columns = 5, .head = {"kernel", "sizes", "mean error", "worst", ""}, .left = 1 | 1 << 4};
    int rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes && !rc; j++)
            rc = add_size(&sizes, &a->kernel[i], &a->kernel[i].size[j]);
    fprintf(out, "Kernels on %s: a turn by the model, and by the clock of this host\n\n",
            a->machine);
    print_table(&sizes, rc, out);
    rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++)
        rc = add_mean(&means, &a->kernel[i]);
    fputc('\n', out);
    print_table(&means, rc, out);
}

/* ---- for programs ---------------------------------------------------------------------------- */

int htmt__against_csv(const struct htmt__against_clock *a, const char *path,
                      struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    htmt__clock_rows_head(out);
    for (unsigned i = 0; i < a->kernels; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            htmt__clock_rows_put(out, &(struct htmt__clock_row){a->kernel[i].name, s->n, s->model,
                                                                s->clock, s->spread, s->vectors,
                                                                s->error});
        }
    return htmt_whole_file_commit(&file, fault);
}

/* ---- as a picture ---------------------------------------------------------------------------- */

static int find_drawing(const struct htmt__plot_part **drawing, struct htmt_fault *fault)
{
    void *part;
    int rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc)
        *drawing = part;
    return rc;
}

int htmt__against_plot_check(const char *path, struct htmt_fault *fault)
{
    const struct htmt__plot_part *drawing;
    int rc = find_drawing(&drawing, fault);
    return rc ? rc : drawing->check(path, fault);
}

/* Points of a kernel: sizes and errors. */
struct points {
    double n[HTMT__AGAINST_SIZES], error[HTMT__AGAINST_SIZES];
};

static struct htmt__plot_curve curve_of(const struct htmt__against_kernel *k, struct points *p)
{
    for (unsigned i = 0; i < k->sizes; i++) {
        p->n[i] = k->size[i].n;
        p->error[i] = k->size[i].error;
    }
    return (struct htmt__plot_curve){k->name, k->judged ? HTMT__PLOT_LINE : HTMT__PLOT_DASHED,
                                     k->sizes, p->n, p->error};
}

int htmt__against_plot(const struct htmt__against_clock *a, const char *path,
                       struct htmt_fault *fault)
{
    struct points points[HTMT__AGAINST_KERNELS];
    struct htmt__plot_curve curve[HTMT__AGAINST_KERNELS];
    const struct htmt__plot plot = {.title = "Node model against the clock of the host",
                                    .x_label = "N",
                                    .y_label = "error of the model, %",
                                    .log_x = true,
                                    .width = 800,
                                    .height = 480,
                                    .curves = curve,
                                    .count = a->kernels};
    const struct htmt__plot_part *drawing;
    int rc = find_drawing(&drawing, fault);
    for (unsigned i = 0; i < a->kernels; i++)
        curve[i] = curve_of(&a->kernel[i], &points[i]);
    return rc ? rc : drawing->write(path, &plot, fault);
}
