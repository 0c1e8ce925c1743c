/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The judgement of measured rows as a report, as CSV and as a plot.
 *
 * The report begins with each row (not when it is brief) and the groups with their targets. Lists
 * follow of whatever weakens the judgement, each with a heading that appears only if the list has a
 * line: ids of no kind, rows without a prediction, programs that are not modelled, figures that no
 * row depends on, and figures that were written down from memory.
 */
#include "emul/validate/pim/pim_report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "emul/validate/drawing.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/whole_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY  "quoted from memory"
#define SHOWN   20 /* lines of a list, when brief */
#define PERCENT 100.0

static const char not_modelled[] = "Not modelled: conflicts in WRAM, rows and refresh of DRAM, "
                                   "caches and NUMA of the host, power.";

/* "+1.2 %"; not a number: "-". */
static void put_percent(char text[16], double share, bool sign)
{
    if (isnan(share))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, sign ? "%+.1f %%" : "%.1f %%", share * PERCENT);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_table(struct htmt__table *t, int rc, FILE *out)
{
    if (rc)
        fputs("  out of memory\n", out);
    htmt__table_print(t, out);
    htmt__table_clear(t);
}

static void print_rows(const struct htmt__pim_judgement *j, FILE *out)
{
    struct htmt__table t = {
        .columns = 7,
        .head = {"row", "measured", "predicted", "error", "less launch", "no constant", ""},
        .left = 1 | 1 << 6};
    char error[16], net[16], plain[16];
    int rc = 0;
    for (unsigned i = 0; i < j->count && !rc; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        if (!f->judged)
            continue;
        put_percent(error, f->error, true);
        put_percent(net, f->launch > 0 ? f->net : (double)NAN, true);
        put_percent(plain, f->plain_error, true);
        rc = htmt__table_row(
            &t, (const char *[]){f->row->id, htmt__format_si(f->row->seconds, "s").s,
                                 htmt__format_si(f->predicted, "s").s, error, net, plain,
                                 f->fitted ? "fitted"
                                 : f->held ? "held"
                                           : ""});
    }
    print_table(&t, rc, out);
    fputc('\n', out);
}

static void print_groups(const struct htmt__pim_judgement *j, FILE *out)
{
    struct htmt__table t = {.columns = 9,
                            .head = {"rows", "judged", "fitted", "mean", "median", "worst",
                                     "no constant", "target", ""},
                            .left = 1 | 1 << 8};
    char rows[24], fitted[24], mean[16], median[16], worst[16], plain[16], target[24];
    int rc = 0;
    for (unsigned i = 0; i < j->groups && !rc; i++) {
        const struct htmt__pim_group *g = &j->group[i];
        const bool has_mean = !isnan(g->target), has_median = !isnan(g->median_target);
        snprintf(rows, sizeof rows, "%u", g->counted);
        snprintf(fitted, sizeof fitted, "%u", g->fitted);
        put_percent(mean, g->mean, false);
        put_percent(median, g->median, false);
        put_percent(worst, g->counted ? g->worst : (double)NAN, true);
        put_percent(plain, g->plain_mean, false);
        *target = '\0';
        if (has_mean && has_median)
            snprintf(target, sizeof target, "%.1f, %.1f %%", g->target * PERCENT,
                     g->median_target * PERCENT);
        else if (has_mean)
            snprintf(target, sizeof target, "%.1f %%", g->target * PERCENT);
        const char *verdict = !has_mean && !has_median ? "shown"
                              : g->missed              ? "missed"
                              : g->not_predicted       ? "not judged"
                              : g->counted             ? "met"
                                                       : "none judged";
        rc = htmt__table_row(&t, (const char *[]){g->name, rows, fitted, mean, median, worst, plain,
                                                  target, verdict});
    }
    print_table(&t, rc, out);
    fputs("Errors are of rows that no figure was fitted to. Copies of a level: longer than 100 us "
          "behind their\nlaunch, which is left out of both times.\n",
          out);
}

/* Beside the model, what a straight line through the two rows of a program's constants gives. */
static void print_lines(const struct htmt__pim_judgement *j, FILE *out)
{
    static const char head[] = "A straight line in the work of a DPU through the same two rows:";
    int column = 0;
    for (unsigned i = 0; i < j->groups; i++) {
        const struct htmt__pim_group *g = &j->group[i];
        char text[80];
        if (isnan(g->line_mean))
            continue;
        int length = snprintf(text, sizeof text, "%s %.1f %% (model %.1f)", g->name,
                              g->line_mean * PERCENT, g->mean * PERCENT);
        if (!column)
            column = fprintf(out, "%s", head);
        else
            column += fprintf(out, ",");
        if (column + length > 97)
            column = fprintf(out, "\n ") - 1;
        column += fprintf(out, " %s", text);
    }
    if (column)
        fputs("\n", out);
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* A heading, then up to `most` lines. */
struct list {
    FILE *out;
    const char *heading;
    unsigned most, count;
};

static bool begins(struct list *l)
{
    if (l->count++ == 0)
        fprintf(l->out, "\n%s\n", l->heading);
    return l->count <= l->most;
}

static void end(const struct list *l)
{
    if (l->count > l->most)
        fprintf(l->out, "  and %u more\n", l->count - l->most);
}

static void print_without(const struct htmt__pim_judgement *j, bool unknown, struct list l)
{
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        bool wanted = unknown ? f->row->kind == HTMT__MEASURED_UNKNOWN : f->known && *f->why;
        if (wanted && begins(&l))
            fprintf(l.out, "  %s  %s\n", f->row->id, f->why);
    }
    end(&l);
}

static void take_unused(void *with, const char *file, const struct htmt_figure *figure)
{
    struct list *l = with;
    if (begins(l))
        fprintf(l->out, "  %s: %s  %s\n", file, figure->key, figure->value);
}

void htmt__pim_print(const struct htmt__pim_judgement *j, bool brief, FILE *out)
{
    const unsigned most = brief ? SHOWN : UINT_MAX;
    struct list unused = {out, "Figures that no row depends on", most, 0};
    struct list memory = {out, "Figures quoted from memory, reference until compared", most, 0};
    const struct htmt_machine *const machines[] = {j->copies, j->programs};
    unsigned held = 0;
    fprintf(out,
            "Measured machines: %u rows; copies and transfers on %s, programs on %s\nwith the "
            "constants of %s\n\n",
            j->count, j->copies->name, j->programs->name, j->costs->name);
    if (!brief)
        print_rows(j, out);
    print_groups(j, out);
    print_lines(j, out);
    for (unsigned i = 0; i < j->count; i++)
        held += j->finding[i].held;
    if (held)
        fprintf(out, "%u predictions hold a curve beyond its points.\n", held);
    fprintf(out, "%s\n\nWorst rows\n", not_modelled);
    for (unsigned i = 0; i < j->groups; i++)
        if (j->group[i].worst_id)
            fprintf(out, "  %-20s %+8.1f %%  %s\n", j->group[i].name, j->group[i].worst * PERCENT,
                    j->group[i].worst_id);
    print_without(j, true, (struct list){out, "Unknown ids", most, 0});
    print_without(j, false, (struct list){out, "Rows without a prediction", most, 0});
    if (j->not_modelled)
        fprintf(out, "\n%u rows of programs that are not modelled:", j->not_modelled);
    for (unsigned i = 0; i < j->count && j->not_modelled; i++) { /* each program once */
        const char *program = j->finding[i].row->program;
        unsigned k = 0;
        while (k < i && (j->finding[k].known || strcmp(j->finding[k].row->program, program) != 0))
            k++;
        if (!j->finding[i].known && *program && k == i)
            fprintf(out, " %s", program);
    }
    fputs(j->not_modelled ? "\n" : "", out);
    for (unsigned i = 0; i < j->measured.notes; i++)
        fprintf(out, "%s  %6u  %s\n", i ? "" : "\nRows left out, by their note\n",
                j->measured.note[i].rows,
                *j->measured.note[i].note ? j->measured.note[i].note : "none");
    htmt__pim_unused(j, take_unused, &unused);
    end(&unused);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < machines[k]->figure_count; i++) {
            const struct htmt_figure *f = &machines[k]->figure[i];
            if (strstr(f->source, MEMORY) && begins(&memory))
                fprintf(out, "  %s: %s  %s\n", machines[k]->name, f->key, f->value);
        }
    end(&memory);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_number(FILE *out, bool is_there, double value)
{
    fputc(',', out);
    if (is_there && !isnan(value))
        fprintf(out, "%.10g", value);
}

int htmt__pim_csv(const struct htmt__pim_judgement *j, const char *path, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fputs("id,group,measured_s,predicted_s,error,error_less_launch,no_constant_s,"
          "no_constant_error,fitted,held,why\n",
          out);
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        htmt__csv_put(out, f->row->id, false);
        fprintf(out, ",%s,%.10g", f->group, f->row->seconds);
        put_number(out, f->judged, f->predicted);
        put_number(out, f->judged, f->error);
        put_number(out, f->judged && f->launch > 0, f->net);
        put_number(out, f->judged, f->plain);
        put_number(out, f->judged, f->plain_error);
        fprintf(out, ",%s,%s,", f->fitted ? "yes" : "no", f->held ? "yes" : "no");
        htmt__csv_put(out, f->why, false);
        fputc('\n', out);
    }
    return htmt_whole_file_commit(&file, fault);
}

/* ---- the scatter ----------------------------------------------------------------------------- */

enum cloud { PROGRAMS, TRANSFERS, COPIES, KERNELS, CLOUDS };

static const char *const names[CLOUDS] = {"transfers of programs",
                                          "transfers between host and DPUs", "copies inside DPUs",
                                          "kernels of programs"};

int htmt__pim_plot_check(const char *path, struct htmt_fault *fault)
{
    return htmt__check_drawing(path, fault);
}

/* Predicted over measured, of the rows that no figure was fitted to. */
int htmt__pim_plot(const struct htmt__pim_judgement *j, const char *path, struct htmt_fault *fault)
{
    static const double ends[] = {3e-6, 10};
    const struct htmt__plot_part *drawing;
    struct htmt__plot_curve curve[CLOUDS + 1];
    size_t count[CLOUDS] = {0}, each = j->count + 1;
    double *room = calloc(each * 2 * CLOUDS, sizeof *room), *x[CLOUDS], *y[CLOUDS];
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (size_t i = 0; i < CLOUDS; i++) {
        x[i] = room + 2 * i * each;
        y[i] = x[i] + each;
    }
    for (unsigned i = 0; i < j->count; i++) {
        const struct htmt__pim_finding *f = &j->finding[i];
        const struct htmt__measured_row *r = f->row;
        if (!f->judged || f->fitted)
            continue;
        enum cloud cloud = r->kind == HTMT__MEASURED_COPY   ? COPIES
                           : r->kind == HTMT__MEASURED_HOST ? TRANSFERS
                           : !strcmp(r->part, "kernel")     ? KERNELS
                                                            : PROGRAMS;
        x[cloud][count[cloud]] = r->seconds;
        y[cloud][count[cloud]++] = f->predicted;
    }
    for (int i = 0; i < CLOUDS; i++)
        curve[i] = (struct htmt__plot_curve){names[i], HTMT__PLOT_POINTS, count[i], x[i], y[i]};
    curve[CLOUDS] =
        (struct htmt__plot_curve){"predicted = measured", HTMT__PLOT_LINE, 2, ends, ends};
    const struct htmt__plot plot = {.title = "UPMEM: rows that no figure was fitted to",
                                    .x_label = "measured, s",
                                    .y_label = "predicted, s",
                                    .log_x = true,
                                    .log_y = true,
                                    .width = 800,
                                    .height = 640,
                                    .curves = curve,
                                    .count = CLOUDS + 1};
    int rc = htmt__find_drawing(&drawing, fault);
    rc = rc ? rc : drawing->write(path, &plot, fault);
    free(room);
    return rc;
}
