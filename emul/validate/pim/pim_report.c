/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/pim_report.h"

#include "emul/lib/text/format.h"
#include "emul/lib/text/table.h"
#include "runtime/base/whole_file.h"

#include <limits.h>
#include <math.h>
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

/* ---- rows ----------------------------------------------------------------------------------- */

static const char *mark_of(const struct htmt__pim_finding *f)
{
    return f->fitted ? "fitted" : f->held ? "held" : "";
}

static int add_row(struct htmt__table *t, const struct htmt__pim_finding *f)
{
    char error[16], net[16], plain[16];
    put_percent(error, f->error, true);
    put_percent(net, f->launch > 0 ? f->net : (double)NAN, true);
    put_percent(plain, f->plain_error, true);
    return htmt__table_row(t, (const char *[]){f->row->id, htmt__format_si(f->row->seconds, "s").s,
                                               htmt__format_si(f->predicted, "s").s, error, net,
                                               plain, mark_of(f)});
}

static void print_rows(const struct htmt__pim_judgement *j, FILE *out)
{
    struct htmt__table t = {
        .columns = 7,
        .head = {"row", "measured", "predicted", "error", "less launch", "no constant", ""},
        .left = 1 | 1 << 6};
    int rc = 0;
    for (unsigned i = 0; i < j->count && !rc; i++)
        if (j->finding[i].judged)
            rc = add_row(&t, &j->finding[i]);
    if (rc)
        fputs("  out of memory\n", out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fputc('\n', out);
}

/* ---- groups --------------------------------------------------------------------------------- */

static const char *verdict_of(const struct htmt__pim_group *g)
{
    if (isnan(g->target) && isnan(g->median_target))
        return "shown";
    if (g->missed)
        return "missed";
    if (g->not_predicted)
        return "not judged";
    return g->counted ? "met" : "none judged";
}

static void put_target(char text[24], const struct htmt__pim_group *g)
{
    text[0] = '\0';
    if (!isnan(g->target) && !isnan(g->median_target))
        snprintf(text, 24, "%.1f, %.1f %%", g->target * PERCENT, g->median_target * PERCENT);
    else if (!isnan(g->target))
        snprintf(text, 24, "%.1f %%", g->target * PERCENT);
}

static int add_group(struct htmt__table *t, const struct htmt__pim_group *g)
{
    char rows[24], fitted[24], mean[16], median[16], worst[16], plain[16], target[24];
    snprintf(rows, sizeof rows, "%u", g->counted);
    snprintf(fitted, sizeof fitted, "%u", g->fitted);
    put_percent(mean, g->mean, false);
    put_percent(median, g->median, false);
    put_percent(worst, g->counted ? g->worst : (double)NAN, true);
    put_percent(plain, g->plain_mean, false);
    put_target(target, g);
    return htmt__table_row(t, (const char *[]){g->name, rows, fitted, mean, median, worst, plain,
                                               target, verdict_of(g)});
}

static void print_groups(const struct htmt__pim_judgement *j, FILE *out)
{
    struct htmt__table t = {.columns = 9,
                            .head = {"rows", "judged", "fitted", "mean", "median", "worst",
                                     "no constant", "target", ""},
                            .left = 1 | 1 << 8};
    int rc = 0;
    for (unsigned i = 0; i < j->groups && !rc; i++)
        rc = add_group(&t, &j->group[i]);
    if (rc)
        fputs("  out of memory\n", out);
    htmt__table_print(&t, out);
    htmt__table_clear(&t);
    fputs("Errors are of rows that no figure was fitted to. Copies of a level: longer than 100 us "
          "behind their\nlaunch, which is left out of both times.\n",
          out);
}

static void print_worst(const struct htmt__pim_judgement *j, FILE *out)
{
    fputs("\nWorst rows\n", out);
    for (unsigned i = 0; i < j->groups; i++)
        if (j->group[i].worst_id)
            fprintf(out, "  %-20s %+8.1f %%  %s\n", j->group[i].name, j->group[i].worst * PERCENT,
                    j->group[i].worst_id);
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

static bool is_first_of_program(const struct htmt__pim_judgement *j, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (!j->finding[k].known && !strcmp(j->finding[k].row->program, j->finding[i].row->program))
            return false;
    return true;
}

/* Rows of programs that nobody wrote, by program. */
static void print_not_modelled(const struct htmt__pim_judgement *j, FILE *out)
{
    if (j->not_modelled == 0)
        return;
    fprintf(out, "\n%u rows of programs that are not modelled:", j->not_modelled);
    for (unsigned i = 0; i < j->count; i++)
        if (!j->finding[i].known && *j->finding[i].row->program && is_first_of_program(j, i))
            fprintf(out, " %s", j->finding[i].row->program);
    fputc('\n', out);
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

static void print_memory(const struct htmt_machine *m, struct list *l)
{
    for (uint32_t i = 0; i < m->figure_count; i++)
        if (strstr(m->figure[i].source, MEMORY) && begins(l))
            fprintf(l->out, "  %s: %s  %s\n", m->name, m->figure[i].key, m->figure[i].value);
}

static void print_lists(const struct htmt__pim_judgement *j, unsigned most, FILE *out)
{
    struct list unused = {out, "Figures that no row depends on", most, 0};
    struct list memory = {out, "Figures quoted from memory, reference until compared", most, 0};
    print_without(j, true, (struct list){out, "Unknown ids", most, 0});
    print_without(j, false, (struct list){out, "Rows without a prediction", most, 0});
    print_not_modelled(j, out);
    htmt__pim_unused(j, take_unused, &unused);
    end(&unused);
    print_memory(j->copies, &memory);
    print_memory(j->programs, &memory);
    end(&memory);
}

static void print_held(const struct htmt__pim_judgement *j, FILE *out)
{
    unsigned held = 0;
    for (unsigned i = 0; i < j->count; i++)
        held += j->finding[i].held;
    if (held)
        fprintf(out, "%u predictions hold a curve beyond its points.\n", held);
}

void htmt__pim_print(const struct htmt__pim_judgement *j, bool brief, FILE *out)
{
    fprintf(out,
            "Measured machines: %u rows; copies and transfers on %s, programs on %s\nwith the "
            "constants of %s\n\n",
            j->count, j->copies->name, j->programs->name, j->costs->name);
    if (!brief)
        print_rows(j, out);
    print_groups(j, out);
    print_held(j, out);
    fprintf(out, "%s\n", not_modelled);
    print_worst(j, out);
    print_lists(j, brief ? SHOWN : UINT_MAX, out);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_number(FILE *out, bool is_there, double value)
{
    fputc(',', out);
    if (is_there && !isnan(value))
        fprintf(out, "%.10g", value);
}

static void put_row(FILE *out, const struct htmt__pim_finding *f)
{
    fprintf(out, "%s,%s,%.10g", f->row->id, f->group, f->row->seconds);
    put_number(out, f->judged, f->predicted);
    put_number(out, f->judged, f->error);
    put_number(out, f->judged && f->launch > 0, f->net);
    put_number(out, f->judged, f->plain);
    put_number(out, f->judged, f->plain_error);
    fprintf(out, ",%s,%s,%s\n", f->fitted ? "yes" : "no", f->held ? "yes" : "no", f->why);
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
    for (unsigned i = 0; i < j->count; i++)
        put_row(out, &j->finding[i]);
    return htmt_whole_file_commit(&file, fault);
}
