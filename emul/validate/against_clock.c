/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The node model against the clock: the application kernels compares and writes its table, a kernel
 * at a time; the table is read here, and told as a report, as CSV and as a plot.
 */
#include "emul/validate/against_clock.h"

#include "apps/formats/clock_rows.h"
#include "emul/lib/questions/interval.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/lib/report/json.h"
#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/validate/drawing.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "layers/machine/nodes.h"
#include "runtime/base/by_size.h"
#include "runtime/base/input.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES "8"
#define FEW   "3" /* of a shape: in the first cache, the second one, beyond */

enum set { MERMAID, OTHERS, SHAPES };

static const struct {
    const char *name, *n;
    enum set set;
    bool doubled; /* only powers of two, one after the other */
} kernels[HTMT__AGAINST_KERNELS] = {
    {"ddot", "512..4194304", MERMAID, false},  {"ddot4", "512..4194304", MERMAID, false},
    {"daxpy", "512..4194304", MERMAID, false}, {"dipole", "64..262144", MERMAID, false},
    {"triad", "512..4194304", OTHERS, false},  {"dgemm", "16..160", OTHERS, false},
    {"fft", "64..65536", OTHERS, true},        {"gemm", "32..200", SHAPES, false},
    {"bicg", "48..2000", SHAPES, false},       {"solve", "48..2000", SHAPES, false},
    {"factor", "32..200", SHAPES, false},      {"stencil1", "1000..1000000", SHAPES, false},
    {"stencil2", "48..1200", SHAPES, false},   {"stencil3", "12..120", SHAPES, false},
    {"correlate", "32..200", SHAPES, false},   {"filter", "1000..1000000", SHAPES, false},
    {"total", "1000..1000000", SHAPES, false}};

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
        double free = 0;
        double *const value[] = {&s.n, &s.model, &s.clock, &s.spread, &s.error, &free};
        char *at = strchr(line, ',');
        for (size_t i = 0; i < sizeof value / sizeof *value && !rc; i++) {
            if (!at || k->sizes == HTMT__AGAINST_SIZES)
                rc = HTMT_EFORMAT;
            else
                *value[i] = strtod(at + 1, &at);
        }
        s.free = (unsigned)free;
        if (!rc)
            k->size[k->sizes++] = s;
    }
    fclose(file);
    return rc ? htmt_fault_set(fault, rc, "%s: not the table of the kernels", path) : 0;
}

void htmt__against_add(struct htmt__against_clock *a, struct htmt__against_kernel *k, double hertz)
{
    k->mean = k->worst = 0;
    for (unsigned i = 0; i < k->sizes; i++) {
        k->mean += fabs(k->size[i].error) / k->sizes;
        k->worst = fmax(k->worst, fabs(k->size[i].error));
    }
    a->slowest = a->slowest > 0 ? fmin(a->slowest, hertz) : hertz;
    a->fastest = fmax(a->fastest, hertz);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What a run found of each size under "WORD_N"; 0 where it told none. */
static void read_turns(const struct htmt__quiet_run *run, const char *word,
                       const struct htmt__against_kernel *k, double *turn)
{
    char name[40];
    for (unsigned j = 0; j < k->sizes; j++) {
        snprintf(name, sizeof name, "%s_%.0f", word, k->size[j].n);
        turn[j] = 0;
        for (unsigned i = 0; i < run->outcome.found_count; i++)
            if (!strcmp(run->outcome.found[i].name, name))
                turn[j] = run->outcome.found[i].value;
    }
}

/* What bounds the turns of a size that find what the first one left. */
static struct htmt__shares shares_of(const struct htmt__quiet_run *run, const char *kernel,
                                     double n)
{
    struct htmt__shares all = {.instructions = 0}, once = {.instructions = 0};
    struct htmt_operations_report report;
    char name[64], first[80];
    snprintf(name, sizeof name, "%s %.0f", kernel, n);
    snprintf(first, sizeof first, "%s once", name);
    for (uint32_t i = 0; !htmt_operations_at(run->outcome.emulator, i, &report); i++) {
        if (!strcmp(report.type, name))
            htmt__shares_add(&all, &report, 1);
        if (!strcmp(report.type, first))
            htmt__shares_add(&once, &report, 1);
    }
    return htmt__shares_between(htmt__machine_inside(run->machine), &once, &all);
}

/* The first turns of the kernel on the machine with these changes, without the clock. */
static int play(const struct htmt_app *app, const char *words, const char *machine,
                const struct htmt__slow_figures *c, const struct htmt__against_kernel *k,
                double *turn, struct htmt_fault *fault)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__quiet_run_prepare(app, words, machine, c->set, c->n, run, fault);
    if (!rc) {
        run->request.emulator.mode = HTMT_RUN;
        run->request.emulator.operations = &no_tape;
        rc = htmt__quiet_run_emulate(run, fault);
    }
    if (!rc)
        read_turns(run, "turn", k, turn);
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

/* `run` has been compared: it knows the first turns. Of a machine that nobody measured, low and
 * high are what the model itself is off. */
static int find_intervals(const struct htmt_app *app, const char *words, const char *machine,
                          const struct htmt__quiet_run *run, struct htmt__against_kernel *k,
                          struct htmt_fault *fault)
{
    double fast[HTMT__AGAINST_SIZES] = {0}, slow[HTMT__AGAINST_SIZES] = {0};
    struct htmt__slow_figures c = {.n = 0};
    int rc = htmt__slow_figures(run->machine, &c);
    read_turns(run, "first", k, fast);
    if (!rc && c.n)
        rc = play(app, words, machine, &c, k, slow, fault);
    for (unsigned j = 0; j < k->sizes; j++) {
        struct htmt__against_size *s = &k->size[j];
        const struct htmt__shares shares = shares_of(run, k->name, s->n);
        const struct htmt__interval at =
            htmt__interval(s->model, fast[j], slow[j], &shares, htmt__calibration_of(run->machine));
        s->low = at.low;
        s->high = at.high;
    }
    htmt__slow_figures_free(&c);
    return rc;
}

/* The clock that the kernel ran with, and the machine's. */
static void find_clocks(const struct htmt_machine *m, const struct htmt_outcome *outcome,
                        struct htmt__against_kernel *k, struct htmt__against_clock *a)
{
    uint32_t l = 0;
    double now = 0;
    while (!htmt__machine_node(m, l))
        l++;
    const struct htmt_ratio cycle = m->layer[l].processor.time[HTMT_CYCLE];
    a->clock = 1e15 * (double)cycle.den / (double)cycle.num;
    for (unsigned i = 0; i < outcome->found_count; i++)
        if (strcmp(outcome->found[i].name, "clock_now") == 0)
            now = outcome->found[i].value;
    htmt__against_add(a, k, now);
}

/* A run by its own operations; the run prepares itself as one of a model. The application's table
 * of the kernel lasts until it is read. */
static int compare(const struct htmt_app *app, const struct htmt__against_options *o, unsigned i,
                   const char *folder, struct htmt__against_clock *a, struct htmt_fault *fault)
{
    static const struct htmt_operations no_tape = {.type = NULL};
    struct htmt__against_kernel *k = &a->kernel[a->kernels];
    char table[HTMT_PATH_MAX + 16], words[HTMT_PATH_MAX + 216], count[40] = "", plain[160];
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    snprintf(table, sizeof table, "%s/%s.csv", folder, kernels[i].name);
    if (!kernels[i].doubled)
        snprintf(count, sizeof count, " --sizes %s",
                 o->sizes                   ? o->sizes
                 : kernels[i].set == SHAPES ? FEW
                                            : SIZES);
    snprintf(plain, sizeof plain, "--kernel %s --n %s%s", kernels[i].name,
             o->n ? o->n : kernels[i].n, count);
    snprintf(words, sizeof words, "%s --csv %s", plain, table);
    *k = (struct htmt__against_kernel){.name = kernels[i].name};
    int rc = htmt__quiet_run_prepare(app, words, o->machine, NULL, 0, run, fault);
    if (rc)
        goto clear;
    const struct htmt_machine *m = run->machine;
    bool inside = false;
    snprintf(a->machine, sizeof a->machine, "%s", m->name);
    htmt__disturbed_find(m, true, &a->disturbed);
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (htmt__machine_node(m, l) && !inside) {
            inside = true;
            const struct htmt_ratio cycle = m->layer[l].processor.time[HTMT_CYCLE];
            a->hz = cycle.num ? 1e15 * (double)cycle.den / (double)cycle.num : 0;
        }
    run->request.emulator.mode = HTMT_RUN;
    run->request.emulator.operations = &no_tape;
    rc = inside
             ? htmt__quiet_run_emulate(run, fault)
             : htmt_fault_set(fault, HTMT_EUSAGE,
                              "no processor of machine %s has an inside (docs/nodes.md)", m->name);
    if (!rc && run->outcome.correct == 0)
        rc = htmt_fault_set(fault, HTMT_EWRONG, "%s: the result is wrong", run->outcome.problem);
    rc = rc ? rc : read_table(table, k, fault);
    if (!rc)
        find_clocks(m, &run->outcome, k, a);
    rc = rc ? rc : find_intervals(app, plain, o->machine, run, k, fault);
    a->kernels += !rc;
clear:
    htmt__quiet_run_clear(run);
    free(run);
    unlink(table);
    return rc;
}

/* "mermaid,shapes"; "all" is every set, and so is what has no words and is `all`, but for the
 * shapes.
 */
static int read_sets(const struct htmt__against_options *o, bool *asked, struct htmt_fault *fault)
{
    static const char *const names[] = {"mermaid", "others", "shapes"};
    asked[MERMAID] = !o->sets;
    asked[OTHERS] = !o->sets && o->all;
    asked[SHAPES] = false;
    for (const char *word = o->sets; word; word = strchr(word, ',')) {
        word += *word == ',';
        const size_t n = strcspn(word, ",");
        int set = 0;
        while (set < 3 && (strlen(names[set]) != n || strncmp(word, names[set], n) != 0))
            set++;
        if (set == 3)
            return htmt_fault_set(
                fault, HTMT_EUSAGE,
                "--kernels: found '%.*s', expected mermaid, others, shapes or apps", (int)n, word);
        asked[set] = true;
    }
    return 0;
}

int htmt__against_clock(const struct htmt_app *app, const struct htmt__against_options *options,
                        htmt__against_progress_fn *progress, void *user,
                        struct htmt__against_clock *against, struct htmt_fault *fault)
{
    char folder[HTMT_PATH_MAX];
    bool asked[3];
    int rc = read_sets(options, asked, fault);
    rc = rc ? rc : htmt__folder_temporary(folder, sizeof folder, fault);
    if (rc)
        return rc;
    *against = (struct htmt__against_clock){.kernels = 0};
    for (unsigned i = 0; i < HTMT__AGAINST_KERNELS && !rc; i++) {
        if (!asked[kernels[i].set])
            continue;
        if (progress)
            progress(user, kernels[i].name);
        rc = compare(app, options, i, folder, against, fault);
    }
    rmdir(folder);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct htmt__against_sum htmt__against_sum(const struct htmt__against_clock *a)
{
    double error[HTMT__AGAINST_ROWS * HTMT__AGAINST_SIZES],
        width[HTMT__AGAINST_ROWS * HTMT__AGAINST_SIZES];
    struct htmt__against_sum sum = {.sizes = 0};
    unsigned held = 0;
    for (unsigned i = 0; i < a->kernels; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            held += s->clock >= s->low && s->clock <= s->high;
            width[sum.sizes] = 50 * (s->high - s->low) / s->model;
            error[sum.sizes++] = fabs(s->error);
        }
    if (!sum.sizes)
        return sum;
    qsort(error, sum.sizes, sizeof *error, htmt__by_size);
    qsort(width, sum.sizes, sizeof *width, htmt__by_size);
    for (unsigned i = 0; i < sum.sizes; i++)
        sum.mean += error[i] / sum.sizes;
    sum.median = error[sum.sizes / 2];
    sum.worst = error[sum.sizes - 1];
    sum.held = 100.0 * held / sum.sizes;
    sum.width = width[sum.sizes / 2];
    return sum;
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
        .columns = 8,
        .head = {"kernel", "N", "model", "low", "high", "clock", "error", "spread"},
        .left = 1};
    struct htmt__table means = {
        .columns = 4, .head = {"kernel", "sizes", "mean error", "worst"}, .left = 1};
    char error[24], spread[24], mean[24], worst[24], count[24];
    bool marked = false;
    int rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes && !rc; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            snprintf(error, sizeof error, "%+.1f %%", s->error);
            const bool few = s->free < HTMT__AGAINST_FREE;
            marked |= few;
            snprintf(spread, sizeof spread, "%.1f %%%s", s->spread, few ? " *" : "");
            rc = htmt__table_row(
                &sizes, (const char *[]){a->kernel[i].name, htmt__format_count((uint64_t)s->n).s,
                                         htmt__format_si(1e-9 * s->model, "s").s,
                                         htmt__format_si(1e-9 * s->low, "s").s,
                                         htmt__format_si(1e-9 * s->high, "s").s,
                                         htmt__format_si(1e-9 * s->clock, "s").s, error, spread});
        }
    htmt__disturbed_print(&a->disturbed, out);
    fprintf(out, "Kernels on %s: a turn by the model, and by the clock of this host\n", a->machine);
    if (a->fastest > 0)
        fprintf(out,
                "(%.3f GHz in the file, %.3f to %.3f GHz now; times of this host are those at the "
                "file's clock)\n",
                1e-9 * a->clock, 1e-9 * a->slowest, 1e-9 * a->fastest);
    fputc('\n', out);
    print_table(&sizes, rc, out);
    if (marked)
        fprintf(out,
                "* others had the core at all but %d samples or fewer: the clock may be too slow\n",
                HTMT__AGAINST_FREE - 1);
    rc = 0;
    for (unsigned i = 0; i < a->kernels && !rc; i++) {
        const struct htmt__against_kernel *k = &a->kernel[i];
        snprintf(mean, sizeof mean, "%.1f %%", k->mean);
        snprintf(worst, sizeof worst, "%.1f %%", k->worst);
        snprintf(count, sizeof count, "%u", k->sizes);
        rc = htmt__table_row(&means, (const char *[]){k->name, count, mean, worst});
    }
    fputc('\n', out);
    print_table(&means, rc, out);
    const struct htmt__against_sum sum = htmt__against_sum(a);
    if (sum.sizes)
        fprintf(out,
                "\n%u sizes: median error %.1f %%, mean %.1f %%, worst %.1f %%; %.0f %% between "
                "low and "
                "high, which are +-%.0f %% in the median\n",
                sum.sizes, sum.median, sum.mean, sum.worst, sum.held, sum.width);
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
    fputs("kernel,n,model_ns,plain_ns,plain_spread_percent,error_percent,low_ns,high_ns,"
          "free_samples\n",
          out);
    for (unsigned i = 0; i < a->kernels; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            fprintf(out, "%s,%.0f,%.6g,%.6g,%.3g,%.4g,%.6g,%.6g,%u\n", a->kernel[i].name, s->n,
                    s->model, s->clock, s->spread, s->error, s->low, s->high, s->free);
        }
    return htmt_whole_file_commit(&file, fault);
}

int htmt__against_json(const struct htmt__against_clock *a, const char *path,
                       struct htmt_fault *fault)
{
    const struct htmt__against_sum sum = htmt__against_sum(a);
    json_t *rows = json_array();
    int failed = !rows;
    for (unsigned i = 0; i < a->kernels; i++)
        for (unsigned j = 0; j < a->kernel[i].sizes; j++) {
            const struct htmt__against_size *s = &a->kernel[i].size[j];
            failed |= json_array_append_new(
                rows,
                json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "kernel",
                          a->kernel[i].name, "n", s->n, "model_ns", s->model, "low_ns", s->low,
                          "high_ns", s->high, "plain_ns", s->clock, "plain_spread_percent",
                          s->spread, "error_percent", s->error, "free_samples", (int)s->free));
        }
    json_t *all =
        failed ? NULL
               : json_pack("{s:s, s:f, s:i, s:o, s:O, s:f, s:f, s:f, s:f, s:f}", "machine",
                           a->machine, "clock_hz", a->hz, "disturbed", (int)a->disturbed.count,
                           "disturbed_figures", htmt__json_disturbed(&a->disturbed), "sizes", rows,
                           "error_median_percent", sum.median, "error_mean_percent", sum.mean,
                           "error_worst_percent", sum.worst, "held_percent", sum.held,
                           "half_width_median_percent", sum.width);
    json_decref(rows);
    return htmt__json_write(all, path, fault);
}

/* ---- as a picture ---------------------------------------------------------------------------- */

int htmt__against_plot_check(const char *path, struct htmt_fault *fault)
{
    return htmt__check_drawing(path, fault);
}

int htmt__against_plot(const struct htmt__against_clock *a, const char *path,
                       struct htmt_fault *fault)
{
    double n[HTMT__AGAINST_ROWS][HTMT__AGAINST_SIZES],
        error[HTMT__AGAINST_ROWS][HTMT__AGAINST_SIZES];
    struct htmt__plot_curve curve[HTMT__AGAINST_ROWS];
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
        /* One size is no line. There are nine colours. */
        const enum htmt__plot_style style = k->sizes == 1 ? HTMT__PLOT_POINTS
                                            : i < 9       ? HTMT__PLOT_LINE
                                                          : HTMT__PLOT_DASHED;
        curve[i] = (struct htmt__plot_curve){k->name, style, k->sizes, n[i], error[i]};
    }
    return rc ? rc : drawing->write(path, &plot, fault);
}
