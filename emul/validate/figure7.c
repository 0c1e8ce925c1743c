/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/figure7.h"

#include "apps/formats/plot.h"
#include "emul/lib/plugin/plugin.h"
#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/measure.h"

#include <stdlib.h>
#include <string.h>

#define CURVES_MAX 16
#define POINTS_MAX 256
#define STEPS      56 /* of a curve, from its first golden point to its last */
#define PFLOPS     1e15

struct curve {
    unsigned q;
    double dram; /* ns a word */
    char name[80];
    const struct htmt__finding *base; /* its first golden point */
    double first, last;               /* of its golden points, ps */
    double x[STEPS], y[STEPS];
};

struct figure {
    unsigned count;
    struct curve curve[CURVES_MAX];
    size_t points;
    double x[POINTS_MAX], y[POINTS_MAX]; /* golden, of all curves */
};

/* ---- golden points -------------------------------------------------------------------------- */

static bool read_id(const char *id, unsigned *q, double *dram, double *cycle)
{
    return sscanf(id, "A.F7.q%u.D%lf.F%lf", q, dram, cycle) == 3;
}

static struct curve *find_curve(struct figure *f, unsigned q, double dram)
{
    unsigned i = 0;
    while (i < f->count &&
           (f->curve[i].q != q || f->curve[i].dram < dram || f->curve[i].dram > dram))
        i++;
    if (i == CURVES_MAX)
        return NULL;
    if (i == f->count) {
        f->curve[f->count++] = (struct curve){.q = q, .dram = dram};
        snprintf(f->curve[i].name, sizeof f->curve[i].name, "q = %u, DRAM %g ns/word", q, dram);
    }
    return &f->curve[i];
}

static void add_point(struct figure *f, const struct htmt__finding *found)
{
    unsigned q;
    double dram, cycle;
    if (!read_id(found->row->id, &q, &dram, &cycle) || !found->figure)
        return;
    struct curve *c = find_curve(f, q, dram);
    if (!c || f->points == POINTS_MAX)
        return;
    if (!c->base) {
        c->base = found;
        c->first = cycle;
    }
    c->last = cycle;
    f->x[f->points] = cycle;
    f->y[f->points++] = htmt__golden_target(found->row);
}

static const struct htmt__section *find_section(const struct htmt__validation *v)
{
    for (unsigned i = 0; i < v->count; i++)
        if (!strcmp(v->section[i].table->name, HTMT__FIGURE7_TABLE))
            return &v->section[i];
    return NULL;
}

/* ---- closed form ---------------------------------------------------------------------------- */

static int predict(const struct curve *c, double cycle, double fpus, double *rate,
                   struct htmt_fault *fault)
{
    char set[80];
    const char *sets[] = {set};
    struct htmt__quiet_run *t = calloc(1, sizeof *t);
    if (!t)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    snprintf(set, sizeof set, "layers.cram.processor.flop=%.6f ps/flop", cycle / fpus);
    int rc = htmt__quiet_run_prepare(c->base->app, c->base->figure->options, c->base->row->machine,
                                     sets, 1, t, fault);
    if (!rc)
        rc = htmt__quiet_run_predict(t, fault);
    struct htmt__shown shown = {NULL, t->prediction};
    if (!rc)
        rc = htmt__expression(c->base->figure->term, htmt__term, &shown, rate, fault);
    htmt__quiet_run_clear(t);
    free(t);
    return rc;
}

static int draw_curve(struct curve *c, double fpus, struct htmt_fault *fault)
{
    double rate;
    for (unsigned i = 0; i < STEPS; i++) {
        c->x[i] = c->first + (c->last - c->first) * i / (STEPS - 1);
        int rc = predict(c, c->x[i], fpus, &rate, fault);
        if (rc)
            return rc;
        c->y[i] = rate / PFLOPS;
    }
    return 0;
}

static int draw_curves(struct figure *f, const struct htmt__golden *g, struct htmt_fault *fault)
{
    const struct htmt__golden_row *fpus = htmt__golden_find(g, "A.T2.FPU");
    int rc = 0;
    if (!fpus)
        return htmt_fault_set(fault, HTMT_EINVAL, "no golden table has a row 'A.T2.FPU'");
    for (unsigned i = 0; i < f->count && !rc; i++)
        rc = draw_curve(&f->curve[i], htmt__golden_value(fpus), fault);
    return rc;
}

/* ---- plot ----------------------------------------------------------------------------------- */

static int find_drawing(const struct htmt__plot_part **drawing, struct htmt_fault *fault)
{
    void *part;
    int rc = htmt__plugin_part("plot", HTMT__PLOT_PART, "--plot", &part, fault);
    if (!rc)
        *drawing = part;
    return rc;
}

static int write_plot(const struct figure *f, const char *path, struct htmt_fault *fault)
{
    const struct htmt__plot_part *drawing;
    struct htmt__plot_curve curve[CURVES_MAX + 1];
    struct htmt__plot plot = {.title = "Cannon's multiply on the HTMT, Amaral et al., Figure 7",
                              .x_label = "cycle of an FPU, ps",
                              .y_label = "performance, PFLOPS",
                              .width = 900,
                              .height = 600,
                              .curves = curve,
                              .count = f->count + 1};
    for (unsigned i = 0; i < f->count; i++) {
        const struct curve *c = &f->curve[i];
        enum htmt__plot_style style = c->q > 1 ? HTMT__PLOT_DASHED : HTMT__PLOT_LINE;
        curve[i] = (struct htmt__plot_curve){c->name, style, STEPS, c->x, c->y};
    }
    curve[f->count] =
        (struct htmt__plot_curve){"golden table", HTMT__PLOT_POINTS, f->points, f->x, f->y};
    int rc = find_drawing(&drawing, fault);
    return rc ? rc : drawing->write(path, &plot, fault);
}

int htmt__figure7_check(const char *path, struct htmt_fault *fault)
{
    const struct htmt__plot_part *drawing;
    int rc = find_drawing(&drawing, fault);
    return rc ? rc : drawing->check(path, fault);
}

int htmt__figure7_plot(const struct htmt__validation *v, const char *path, struct htmt_fault *fault)
{
    const struct htmt__section *s = find_section(v);
    if (!s)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: " HTMT__FIGURE7_TABLE " is not among the tables");
    struct figure *f = calloc(1, sizeof *f);
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned k = 0; k < s->count; k++)
        add_point(f, &s->finding[k]);
    int rc = draw_curves(f, v->golden, fault);
    if (!rc)
        rc = write_plot(f, path, fault);
    free(f);
    return rc;
}
