/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interval is empirical, by bound. `htmt host measure` predicts and times loops of its own. Of
 * loop i the shares w[i][b] of its time by the model, which add up to 1, say what bounds it, and
 * r[i] = |ln(clock / model)| how far it is off. The range of bound b is exp(-q) to exp(q), where q
 * is the least r such that nine of ten loops of this bound are not further off: each counts by its
 * share. What a few loops are off by thus moves no range, as it would a deviation, and nothing is
 * said of how errors are distributed: a code that is one more of the same kind lies inside in
 * nearly nine of ten cases (split conformal prediction: Vovk, Gammerman and Shafer, Algorithmic
 * Learning in a Random World, 2005). Of a bound with few loops too little is known, so all loops
 * together count there as OTHERS more. A bound of less than half a loop has no range of its own.
 *
 * By hand, ten loops of issue, off by 1, 2, .., 10 %, and nine of chains, all off by 1 %. Of issue
 * 10 + 4 loops count, and 1.4 of these may be beyond the range. One and 4 / 19 are beyond 9 %, two
 * and 8 / 19 beyond 8 %: so the range ends at 9 %.
 *
 * A prediction has shares, too. Its interval is the mean of the ranges of its bounds by them: wide
 * where what bounds it is told badly. By hand, chains 0.98 to 1.02 and issue 0.9 to 1.3: a loop of
 * 3/4 chains and 1/4 issue that takes 100 is expected from 96 to 109.
 */
#include "emul/lib/questions/interval.h"

#include "layers/machine/nodes.h"
#include "runtime/base/by_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE 0.9  /* of all loops */
#define BUSY   0.7  /* of the instructions that could begin: issue is the bound */
#define MISSED 0.15 /* of the time: branches are */
#define FEW    0.5  /* loops */
#define OTHERS 4.0  /* as so many loops of a bound count all loops */

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

static double part_of(struct htmt_ratio r, double otherwise)
{
    return r.num ? (double)r.num / (double)r.den : otherwise;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

void htmt__shares_add(struct htmt__shares *shares, const struct htmt_operations_report *report,
                      double times)
{
    static const enum htmt__node_bound bound[HTMT_OPERATIONS_PARTS] = {
        [HTMT_OPERATIONS_ISSUE] = HTMT__NODE_BY_ISSUE,
        [HTMT_OPERATIONS_UNITS] = HTMT__NODE_BY_UNITS,
        [HTMT_OPERATIONS_CHAIN] = HTMT__NODE_BY_CHAINS,
        [HTMT_OPERATIONS_L1] = HTMT__NODE_BY_L1,
        [HTMT_OPERATIONS_L2] = HTMT__NODE_BY_CACHES,
        [HTMT_OPERATIONS_BUS] = HTMT__NODE_BY_MEMORY,
        [HTMT_OPERATIONS_PAGES] = HTMT__NODE_BY_MEMORY,
        [HTMT_OPERATIONS_REFRESH] = HTMT__NODE_BY_MEMORY,
        [HTMT_OPERATIONS_BRANCHES] = HTMT__NODE_BY_BRANCHES};
    for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++)
        shares->of[bound[i]] += times * (double)report->part[i];
    shares->instructions += times * (double)report->instructions;
}

struct htmt__shares htmt__shares_between(const struct htmt__node_figures *f,
                                         const struct htmt__shares *shorter,
                                         const struct htmt__shares *longer)
{
    struct htmt__shares s;
    double sum = 0;
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++) {
        s.of[b] = fmax(longer->of[b] - shorter->of[b], 0);
        sum += s.of[b];
    }
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++)
        s.of[b] /= sum > 0 ? sum : 1;
    s.instructions =
        f && sum > 0 ? part_of(f->issue, 0) * (longer->instructions - shorter->instructions) / sum
                     : 0;
    /* In the account of retirement nearly all of a time is of operations that waited for others. */
    const int hidden = s.of[HTMT__NODE_BY_BRANCHES] >= MISSED ? HTMT__NODE_BY_BRANCHES
                       : s.instructions >= BUSY               ? HTMT__NODE_BY_ISSUE
                                                              : HTMT__NODE_BY_CHAINS;
    const double chains = s.of[HTMT__NODE_BY_CHAINS];
    s.of[HTMT__NODE_BY_CHAINS] = 0;
    s.of[hidden] += chains;
    return s;
}

/* ---- calibration ----------------------------------------------------------------------------- */

/* A loop that was timed. */
struct off {
    double by; /* |ln(clock / model)| */
    const struct htmt__shares *shares;
};

static int by_error(const void *a, const void *b)
{
    const struct off *x = a, *y = b;
    return htmt__by_size(&x->by, &y->by);
}

void htmt__calibrate(const struct htmt__tried *tried, unsigned n, struct htmt__calibration *c,
                     bool known[HTMT__NODE_BOUNDS])
{
    struct off off[HTMT__TRIED_MOST];
    unsigned taken = 0;
    for (unsigned i = 0; i < n && taken < HTMT__TRIED_MOST; i++)
        if (tried[i].ratio > 0)
            off[taken++] = (struct off){fabs(log(tried[i].ratio)), &tried[i].shares};
    qsort(off, taken, sizeof *off, by_error);
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++) {
        double own = 0, beyond = 0;
        for (unsigned i = 0; i < taken; i++)
            own += off[i].shares->of[b];
        unsigned at = taken;
        while (at > 0 && beyond <= (1 - INSIDE) * (own + OTHERS))
            beyond += off[--at].shares->of[b] + OTHERS / taken;
        known[b] = own >= FEW;
        c->low[b] = known[b] ? exp(-off[at].by) : HTMT__OFF_LOW;
        c->high[b] = known[b] ? exp(off[at].by) : HTMT__OFF_HIGH;
    }
}

struct htmt__calibration htmt__calibration_of(const struct htmt_machine *m)
{
    struct htmt__calibration c;
    const struct htmt__node_figures *f = htmt__machine_inside(m);
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++) {
        c.low[b] = f ? part_of(f->calibration[b].low, HTMT__OFF_LOW) : HTMT__OFF_LOW;
        c.high[b] = f ? part_of(f->calibration[b].high, HTMT__OFF_HIGH) : HTMT__OFF_HIGH;
    }
    return c;
}

/* ---- the interval ---------------------------------------------------------------------------- */

struct htmt__interval htmt__interval(double model, double fast, double slow,
                                     const struct htmt__shares *shares, struct htmt__calibration c)
{
    const double more = fast > 0 && slow > fast ? slow / fast : 1;
    double sum = 0, low = 0, high = 0;
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++)
        sum += shares->of[b];
    for (int b = 0; b < HTMT__NODE_BOUNDS; b++) {
        const double share = sum > 0 ? shares->of[b] / sum : 1.0 / HTMT__NODE_BOUNDS;
        low += share * c.low[b];
        high += share * c.high[b];
    }
    return (struct htmt__interval){model * low, model * more * high};
}
