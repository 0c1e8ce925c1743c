/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/kernels/closed_form.h"

#include "apps/kernels/program.h"
#include "layers/machine/machine.h"

#include <inttypes.h>
#include <stdio.h>

static void tell_count(struct htmt_prediction *tell, unsigned depth, const char *name,
                       const char *unit, double value, const char *meaning)
{
    struct htmt_term t = {.depth = depth, .value = value};
    snprintf(t.name, sizeof t.name, "%s", name);
    snprintf(t.unit, sizeof t.unit, "%s", unit);
    snprintf(t.meaning, sizeof t.meaning, "%s", meaning);
    snprintf(t.expression, sizeof t.expression, "computed: counts of the kernel");
    htmt_prediction_term(tell, &t);
}

/* The service of one size and what it counts. */
static void tell_size(struct htmt_prediction *tell, const struct htmt__kernels_plan *p, unsigned i,
                      double seconds)
{
    char name[48];
    struct htmt_ops ops = htmt__kernels_ops(p, p->n[i], p->turns[i]);
    snprintf(name, sizeof name, "service %" PRIu64, p->n[i]);
    tell_count(tell, 1, name, "s", seconds, "all turns over arrays of that size");
    snprintf(name, sizeof name, "rounds %" PRIu64, p->n[i]);
    tell_count(tell, 2, name, "1", (double)p->turns[i], "turns over the arrays");
    snprintf(name, sizeof name, "flops %" PRIu64, p->n[i]);
    tell_count(tell, 2, name, "1", (double)ops.n[HTMT_FLOP], "operations on reals");
    snprintf(name, sizeof name, "loads %" PRIu64, p->n[i]);
    tell_count(tell, 2, name, "1", (double)ops.n[HTMT_LOAD], "loads");
    snprintf(name, sizeof name, "stores %" PRIu64, p->n[i]);
    tell_count(tell, 2, name, "1", (double)ops.n[HTMT_STORE], "stores");
}

static htmt_time work(const struct htmt_machine *m, const struct htmt__kernels_plan *p, unsigned i,
                      uint64_t turns)
{
    struct htmt_ops ops = htmt__kernels_ops(p, p->n[i], turns);
    return htmt_machine_work(m, p->layer, &ops);
}

int htmt__kernels_closed_form(const struct htmt_machine *m, const struct htmt__kernels_plan *p,
                              htmt_wide *total, struct htmt_prediction *tell,
                              struct htmt_fault *fault)
{
    htmt_wide sum = 0;
    for (unsigned i = 0; i < p->sizes; i++) {
        htmt_time all = work(m, p, i, htmt__kernels_first(p, i));
        htmt_time once = p->clock ? work(m, p, i, 1) : 0;
        if (all < 0 || once < 0)
            return htmt_fault_set(fault, HTMT_EOVERFLOW, "%s of %" PRIu64 " takes too long",
                                  p->loop->name, p->n[i]);
        sum += all + once;
    }
    *total = sum;
    if (tell)
        tell_count(tell, 0, "T", "s", 1e-15 * (double)sum, "all services, one after another");
    for (unsigned i = 0; tell && i < p->sizes; i++)
        tell_size(tell, p, i, 1e-15 * (double)work(m, p, i, p->turns[i]));
    return 0;
}
