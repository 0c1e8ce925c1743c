/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figure 7 drawn again.
 *
 * The golden table holds points read off the printed figure, "A.F7.q16.D38.F15": q products, 38 ns
 * a word of DRAM, a cycle of 15 ps. Points of one q and one access time make a curve. Its command
 * line is that of its first point; between the first and the last cycle the closed form is
 * evaluated at STEPS cycles, each by its own --set of the SPELL's time an operation. A SPELL starts
 * an operation on each of its FPUs every cycle, so that time is the cycle over the number of FPUs.
 */
#include "emul/validate/figure7.h"

#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/drawing.h"
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

/* A golden point "A.F7.qQ.DNS.FPS" belongs to the curve of its Q and its access time. */
static void add_point(struct figure *f, const struct htmt__finding *found)
{
    unsigned q, i = 0;
    double dram, cycle;
    if (sscanf(found->row->id, "A.F7.q%u.D%lf.F%lf", &q, &dram, &cycle) != 3 || !found->figure)
        return;
    while (i < f->count &&
           (f->curve[i].q != q || f->curve[i].dram < dram || f->curve[i].dram > dram))
        i++;
    if (i == CURVES_MAX)
        return;
    struct curve *c = &f->curve[i];
    if (i == f->count) {
        *c = (struct curve){.q = q, .dram = dram};
        snprintf(c->name, sizeof c->name, "q = %u, DRAM %g ns/word", q, dram);
        f->count++;
    }
    if (f->points == POINTS_MAX)
        return;
    if (!c->base) {
        c->base = found;
        c->first = cycle;
    }
    c->last = cycle;
    f->x[f->points] = cycle;
    f->y[f->points++] = htmt__golden_target(found->row);
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

int htmt__figure7_check(const char *path, struct htmt_fault *fault)
{
    return htmt__check_drawing(path, fault);
}

int htmt__figure7_plot(const struct htmt__validation *v, const char *path, struct htmt_fault *fault)
{
    const struct htmt__golden_row *fpus = htmt__golden_find(v->golden, "A.T2.FPU");
    const struct htmt__plot_part *drawing;
    struct htmt__plot_curve curve[CURVES_MAX + 1];
    struct htmt__plot plot = {.title = "Cannon's multiply on the HTMT, Amaral et al., Figure 7",
                              .x_label = "cycle of an FPU, ps",
                              .y_label = "performance, PFLOPS",
                              .width = 900,
                              .height = 600,
                              .curves = curve};
    unsigned i = 0;
    while (i < v->count && strcmp(v->section[i].table->name, HTMT__FIGURE7_TABLE) != 0)
        i++;
    if (i == v->count)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--plot: " HTMT__FIGURE7_TABLE " is not among the tables");
    struct figure *f = calloc(1, sizeof *f);
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned k = 0; k < v->section[i].count; k++)
        add_point(f, &v->section[i].finding[k]);
    int rc = fpus ? 0 : htmt_fault_set(fault, HTMT_EINVAL, "no golden table has a row 'A.T2.FPU'");
    for (i = 0; i < f->count && !rc; i++) {
        struct curve *c = &f->curve[i];
        for (unsigned k = 0; k < STEPS && !rc; k++) {
            double rate = 0;
            c->x[k] = c->first + (c->last - c->first) * k / (STEPS - 1);
            rc = predict(c, c->x[k], htmt__golden_value(fpus), &rate, fault);
            c->y[k] = rate / PFLOPS;
        }
        curve[i] = (struct htmt__plot_curve){
            c->name, c->q > 1 ? HTMT__PLOT_DASHED : HTMT__PLOT_LINE, STEPS, c->x, c->y};
    }
    curve[f->count] =
        (struct htmt__plot_curve){"golden table", HTMT__PLOT_POINTS, f->points, f->x, f->y};
    plot.count = f->count + 1;
    if (!rc)
        rc = htmt__find_drawing(&drawing, fault);
    if (!rc)
        rc = drawing->write(path, &plot, fault);
    free(f);
    return rc;
}
