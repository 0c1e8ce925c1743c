/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the model is off beside its figures: of nine of ten shapes and sizes of the page's table. */
#define FASTER 0.08 /* the clock is below the model by at most this part */
#define SLOWER 0.22 /* and above it by at most this part */

/* The spread that a source tells, "measured, +1.2 %: ..."; below 0: it was not measured. */
static double spread_of(const struct htmt_figure *f)
{
    double percent;
    if (sscanf(f->source, "measured, +%lf %%", &percent) == 1 ||
        sscanf(f->source, "disturbed, +%lf %%", &percent) == 1)
        return percent / 100;
    return -1;
}

int htmt__slow_figures(const struct htmt_machine *m, struct htmt__slow_figures *c)
{
    *c = (struct htmt__slow_figures){.text = calloc((size_t)m->figure_count + 1, sizeof *c->text),
                                     .set = calloc((size_t)m->figure_count + 1, sizeof *c->set)};
    if (!c->text || !c->set)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        const double spread = spread_of(f);
        double value;
        char unit[16];
        if (spread <= 0 || sscanf(f->value, "%lf %15s", &value, unit) != 2 ||
            strncmp(unit, "cycle", 5) != 0)
            continue;
        snprintf(c->text[c->n], sizeof *c->text, "%s=%.6f cycles", f->key, value * (1 + spread));
        c->set[c->n] = c->text[c->n];
        c->n++;
    }
    return 0;
}

void htmt__slow_figures_free(struct htmt__slow_figures *c)
{
    free(c->text);
    free(c->set);
}

struct htmt__interval htmt__interval(double model, double fast, double slow)
{
    const double more = fast > 0 && slow > fast ? slow / fast : 1;
    return (struct htmt__interval){model * (1 - FASTER), model * more * (1 + SLOWER)};
}
