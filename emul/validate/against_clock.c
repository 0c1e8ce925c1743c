/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The node model against the clock: the application kernels compares and writes its table, a kernel
 * at a time; the table is read here, and told as a report, as CSV and as a plot.
 */
#include "emul/validate/against_clock.h"

#include "apps/formats/clock_rows.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/validate/drawing.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "runtime/base/input.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES "20"

static const struct {
    const char *name, *n;
    bool judged, mermaid, doubled; /* doubled: only powers of two, one after the other */
} kernels[HTMT__AGAINST_KERNELS] = {
    {"ddot", "512..4194304", true, true, false},   {"ddot4", "512..4194304", true, true, false},
    {"daxpy", "512..4194304", true, true, false},  {"dipole", "64..262144", true, true, false},
    {"triad", "512..4194304", true, false, false}, {"dgemm", "16..256", false, false, false},
    {"fft", "64..262144", false, false, true}};

/* ---- the table of the application ------------------------------------------------------------ */

static int read_table(const char *path, struct htmt__against_kernel *k, struct htmt_fault *fault)
{
    char line[300];
    FILE *file = NULL;
    int rc = htmt_input_stream(path, HTMT_INPUT_TEXT, &file, fault);
    if (rc)
        return rc;
    rc = fgets(line, sizeof line, file) ? 0 : HTMT_EFORMAT;
    while (!rc && fgets(line, sizeof line, file)) {
        struct htmt__against_size s;
        double *const value[] = {&s.n, &s.model, &s.clock, &s.spread, &s.vectors, &s.error};
        char *at = strchr(line, ',');
        for (size_t i = 0; i < sizeof value / sizeof *value && !rc; i++) {
            if (!at || k->sizes == HTMT__AGAINST_SIZES)
                rc = HTMT_EFORMAT;
            else
                *value[i] = strtod(at + 1, &at);
        }
        if (!rc)
            k->size[k->sizes++] = s;
    }
    fclose(file);
    if (rc)
        return htmt_fault_set(fault, rc, "%s: not the table of the kernels", path);
    for (unsigned i = 0; i < k->sizes; i++) {
        k->mean += fabs(k->size[i].error) / k->sizes;
        k->worst = fmax(k->worst, fabs(k->size[i].error));
    }
    return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run by its own operations; the run prepares itself as one of a model. The application's table
 * of the kernel lasts until it is read. */
static int compare(const struct htmt_app *app, const struct htmt__against_options *o, unsigned i,
                   const char *folder, struct htmt__against_clock *a, struct htmt_fault *fault)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    struct htmt__against_kernel *k = &a->kernel[a->kernels];
    char table[HTMT_PATH_MAX + 16], words[HTMT_PATH_MAX + 216], count[40] = "";
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    snprintf(table, sizeof table, "%s/%s.csv", folder, kernels[i].name);
    if (!kernels[i].doubled)
        snprintf(count, sizeof count, " --sizes %s", o->sizes ? o->sizes : SIZES);
    snprintf(words, sizeof words, "--kernel %s --n %s%s --rounds 1 --csv %s", kernels[i].name,
             o->n ? o->n : kernels[i].n, count, table);
    *k = (struct htmt__against_kernel){.name = kernels[i].name, .judged = kernels[i].judged};
    int rc = htmt__quiet_run_prepare(app, words, o->machine, NULL, 0, run, fault);
    if (rc)
        goto clear;
    const struct htmt_machine *m = run->machine;
    bool inside = false;
    snprintf(a->machine, sizeof a->machine, "%s", m->name);
    for (uint32_t l = 0; l < m->layer_count; l++)
        inside |= htmt__machine_node(m, l) != NULL;
    run->request.emulator.mode = HTMT_RUN;
    run->request.emulator.operations = &no_tape;
    rc = inside
             ? htmt__quiet_run_emulate(run, fault)
             : htmt_fault_set(fault, HTMT_EUSAGE,
                              "no processor of machine %s has an inside (docs/nodes.md)", m->name);
    if (!rc && run->outcome.correct == 0)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%s: the result is wrong", run->outcome.problem);
    rc = rc ? rc : read_table(table, k, fault);
    a->kernels += !rc;
clear:
    htmt__quiet_run_clear(run);
    free(run);
    unlink(table);
    return rc;
}

int htmt__against_clock(const struct htmt_app *app, const struct htmt__against_options *options,
                        htmt__against_progress_fn *progress, void *user,
                        struct htmt__against_clock *against, struct htmt_fault *fault)
{
    const char *home = getenv("TMPDIR");
    char folder[HTMT_PATH_MAX];
    snprintf(folder, sizeof folder, "%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    if (!mkdtemp(folder))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", folder, strerror(errno));
    *against = (struct htmt__against_clock){.kernels = 0};
    int rc = 0;
    for (unsigned i = 0; i < HTMT__AGAINST_KERNELS && !rc; i++) {
        if (!options->all && !kernels[i].mermaid)
            continue;
        if (progress)
            progress(user, kernels[i].name);
        rc = compare(app, options, i, folder, against, fault);
    }
    rmdir(folder);
    return rc;
}

/* ---- for people ------------------------------------------------------------------------------ */

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
        .columns = 7,
        .head = {"kernel", "N", "model", "clock", "error", "spread", "with vectors"},
        .left = 1};
    struct htmt__table means = {
        .columns = 5, .head = {"kernel", "sizes", "mean error", "worst", ""}, .left = 1 | 1 << 4};
    char error[24], spread[24], mean[24], worst[24], count[24];
    int rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes && !rc; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            snprintf(error, sizeof error, "%+.1f %%", s->error);
            snprintf(spread, sizeof spread, "%.1f %%", s->spread);
            rc = htmt__table_row(
                &sizes, (const char *[]){a->kernel[i].name, htmt__format_count((uint64_t)s->n).s,
                                         htmt__format_si(1e-9 * s->model, "s").s,
                                         htmt__format_si(1e-9 * s->clock, "s").s, error, spread,
                                         htmt__format_si(1e-9 * s->vectors, "s").s});
        }
    fprintf(out, "Kernels on %s: a turn by the model, and by the clock of this host\n\n",
            a->machine);
    print_table(&sizes, rc, out);
    rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++) {
        const struct htmt__against_kernel *k = &a->kernel[i];
        snprintf(mean, sizeof mean, "%.1f %%", k->mean);
        snprintf(worst, sizeof worst, "%.1f %%", k->worst);
        snprintf(count, sizeof count, "%u", k->sizes);
        rc = htmt__table_row(
            &means, (const char *[]){k->name, count, mean, worst, k->judged ? "" : "shown beside"});
    }
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

int htmt__against_plot_check(const char *path, struct htmt_fault *fault)
{
    return htmt__check_drawing(path, fault);
}

int htmt__against_plot(const struct htmt__against_clock *a, const char *path,
                       struct htmt_fault *fault)
{
    double n[HTMT__AGAINST_KERNELS][HTMT__AGAINST_SIZES],
        error[HTMT__AGAINST_KERNELS][HTMT__AGAINST_SIZES];
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
    int rc = htmt__find_drawing(&drawing, fault);
    for (unsigned i = 0; i < a->kernels; i++) {
        const struct htmt__against_kernel *k = &a->kernel[i];
        for (unsigned j = 0; j < k->sizes; j++) {
            n[i][j] = k->size[j].n;
            error[i][j] = k->size[j].error;
        }
        curve[i] = (struct htmt__plot_curve){
            k->name, k->judged ? HTMT__PLOT_LINE : HTMT__PLOT_DASHED, k->sizes, n[i], error[i]};
    }
    return rc ? rc : drawing->write(path, &plot, fault);
}
