/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A term of a closed form is a formula of figures of the machine and of the cost file, but formulas
 * call functions, and what is computed there reads figures, too. So the dependence is measured:
 * each figure is changed in turn to half and to twice its value, and the prediction is made again.
 * A figure counts if the term moves by more than rounding.
 *
 * A maximum hides what is below it: of max(compute, transfer) half of the transfer's rate may
 * change nothing. Such a figure is changed by a factor of 1024 both ways before it is left out, and
 * is called hidden if that moves the term. So a term costs two to four predictions for each
 * figure.
 */
#include "emul/lib/questions/origin.h"

#include "layers/file/costs.h"
#include "layers/machine/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 1024

enum { TEXT = 200 };

struct sensitivity {
    const struct htmt__options *options;
    const struct htmt_request *request;
    const char *term;
    double value;                    /* of the term, with the unchanged files */
    struct htmt__machine_base *base; /* of the unchanged machine */
    struct htmt_prediction *prediction;
};

const struct htmt_term *htmt__term_find(const struct htmt_prediction *p, const char *name)
{
    for (unsigned i = 0; i < p->count; i++)
        if (!strcmp(p->term[i].name, name))
            return &p->term[i];
    return NULL;
}

/* The value of the term with this change of the machine or of the cost file; NAN: it has none. */
static double predict_with(struct sensitivity *p, bool of_costs, const char *set)
{
    const struct htmt__options *o = p->options;
    const struct htmt_term *term = NULL;
    struct htmt_request request = *p->request;
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    if (htmt__machine_base_build(p->base, &set, !of_costs, &machine, &fault))
        return (double)NAN;
    request.machine = machine;
    request.values_only = true;
    request.cost_set = &set;
    request.cost_set_count = of_costs ? 1 : 0;
    if (!htmt__options_resolve(o, &request, &fault) &&
        !htmt__app_predict(o->app, &request, p->prediction, &fault))
        term = htmt__term_find(p->prediction, p->term);
    double value = term ? term->value : (double)NAN;
    htmt_machine_destroy(&machine);
    return value;
}

/* The term with the figure times the factor. 0 becomes 1; counts stay whole. A figure that is no
 * number, or does not change, does not change the term. */
static double moved_by(struct sensitivity *p, const struct htmt__origin *row, double factor)
{
    char set[TEXT], *unit;
    double x = strtod(row->figure.value, &unit), y = x > 0 ? x * factor : 1;
    bool whole = x >= 1 && x < 1e6 && x == floor(x);
    y = whole ? fmax(1, floor(y)) : y;
    snprintf(set, sizeof set, "%s=%.12g%s", row->figure.key, y, unit);
    return unit != row->figure.value && y != x ? predict_with(p, row->of_costs, set) : p->value;
}

/* ---- all figures ---------------------------------------------------------------------------- */

static bool differs(const struct sensitivity *p, double value)
{
    return isfinite(value) && fabs(value - p->value) > HTMT__ORIGIN_SAME * fabs(p->value);
}

/* Whether the term depends on the figure. A figure of 0 has no half and no twice. */
static bool look(struct sensitivity *p, struct htmt__origin *row)
{
    double step = strcmp(row->figure.key, "slices") ? 2 : 4;
    char *unit;
    bool zero = strtod(row->figure.value, &unit) == 0 && unit != row->figure.value;
    row->half = row->twice = p->value;
    if (!zero) {
        row->half = moved_by(p, row, 1 / step);
        row->twice = moved_by(p, row, step);
        if (differs(p, row->half) || differs(p, row->twice))
            return true;
    }
    row->hidden = true;
    return differs(p, moved_by(p, row, FAR)) || differs(p, moved_by(p, row, 1.0 / FAR));
}

static void look_at_all(struct sensitivity *p, const struct htmt_figure *figure, unsigned count,
                        bool of_costs, struct htmt__origin *rows, unsigned *used)
{
    for (unsigned i = 0; i < count; i++) {
        struct htmt__origin *row = &rows[*used];
        *row = (struct htmt__origin){.figure = figure[i], .of_costs = of_costs};
        *used += look(p, row);
    }
}

int htmt__origin_find(const struct htmt__options *options, const struct htmt_request *request,
                      const struct htmt_prediction *prediction, const char *term,
                      struct htmt__origin **rows, unsigned *count, struct htmt_fault *fault)
{
    const struct htmt_machine *m = request->machine;
    const struct htmt_term *found = htmt__term_find(prediction, term);
    struct sensitivity p = {options, request, term, found ? found->value : 0, NULL, NULL};
    struct htmt_figure *costs = NULL;
    unsigned cost_count = 0;
    *count = 0;
    if (!found)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--term: there is no term '%s'; without --term all are listed", term);
    int rc = request->costs ? htmt_costs_figures(request->costs, &costs, &cost_count, fault) : 0;
    if (!rc)
        rc = htmt__machine_base_load(options->common[HTMT__MACHINE], options->set,
                                     options->set_count, &p.base, fault);
    if (rc) {
        free(costs);
        return rc;
    }
    *rows = calloc(m->figure_count + cost_count + 1, sizeof **rows);
    p.prediction = calloc(1, sizeof *p.prediction);
    if (*rows && p.prediction) {
        look_at_all(&p, m->figure, m->figure_count, false, *rows, count);
        look_at_all(&p, costs, cost_count, true, *rows, count);
    } else {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    }
    free(p.prediction);
    htmt__machine_base_destroy(&p.base);
    free(costs);
    return rc;
}
