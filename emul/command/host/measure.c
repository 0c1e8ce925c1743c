/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/rows.h"
#include "emul/command/host/together.h"
#include "emul/lib/plugin/plugin.h"

#include <stdlib.h>

/* ---- what cannot be -------------------------------------------------------------------------- */

static void expect_above(struct htmt__host_figure *f, double least)
{
    f->disturbed |= !(f->value > least);
}

void htmt__host_judge(struct htmt__host_figures *f)
{
    struct htmt__host_figure *const above_zero[] = {&f->issue, &f->branch,  &f->load,
                                                    &f->store, &f->forward, &f->forward_part};
    for (size_t i = 0; i < sizeof above_zero / sizeof *above_zero; i++)
        expect_above(above_zero[i], 0);
    for (unsigned i = 0; i < f->rates; i++) {
        expect_above(&f->rate[i].latency, 0);
        expect_above(&f->rate[i].every, 0);
    }
    /* Of two levels that contradict each other nobody knows which one is wrong. */
    for (unsigned i = 0; i < f->levels; i++) {
        struct htmt__host_level *l = &f->level[i], *before = i ? l - 1 : NULL;
        expect_above(&l->latency, before ? before->latency.value : 0);
        expect_above(&l->read[0], before ? 0.95 * before->read[0].value : 0);
        if (before && l->latency.value <= before->latency.value)
            before->latency.disturbed = true;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

int htmt__host_measure_by(struct htmt__host_clock *clock, struct htmt__host_figures *f,
                          htmt__host_progress_fn *progress, void *user, struct htmt_fault *fault)
{
    htmt__host_operations(clock, f, progress, user);
    htmt__host_library(clock, f, progress, user);
    htmt__host_pairs(clock, f, progress, user);
    htmt__host_library_ranges(f);
    htmt__host_core(clock, f, progress, user);
    int rc = htmt__host_memory(clock, f, progress, user, fault);
    htmt__host_vector_gathers(f);
    if (!rc && (rc = htmt__host_pages(clock, f, progress, user)) != 0)
        htmt_fault_set(fault, rc, "no memory for pages");
    htmt__host_instructions(clock, f, progress, user);
    htmt__host_judge(f);
    f->cycle = (struct htmt__host_figure){.value = htmt__host_cycle(clock)};
    return rc;
}

int htmt__host_measure(struct htmt__host_figures *figures, unsigned repeats,
                       struct htmt__host_crowd *crowd, htmt__host_progress_fn *progress, void *user,
                       struct htmt_fault *fault)
{
    struct htmt__host_clock clock;
    struct htmt__host_figures *again = calloc(1, sizeof *again);
    void *part;
    *figures = (struct htmt__host_figures){.rates = 0};
    int rc = again ? htmt__plugin_part("topology", HTMT__HOST_PART, "host", &part, fault)
                   : htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    if (!rc)
        rc = ((const struct htmt__host_part *)part)->find(&figures->topology, fault);
    rc = rc ? rc : htmt__host_memory_fits(&figures->topology, fault);
    if (!rc) {
        htmt__host_clock_start(&clock);
        rc = htmt__host_measure_by(&clock, figures, progress, user, fault);
    }
    for (unsigned i = 1; i < repeats && !rc; i++) {
        *again = (struct htmt__host_figures){.topology = figures->topology};
        htmt__host_clock_restart(&clock);
        rc = htmt__host_measure_by(&clock, again, progress, user, fault);
        htmt__host_merge(figures, again);
    }
    if (!rc)
        figures->cycle.value = htmt__host_cycle(&clock);
    if (!rc && crowd && htmt__host_cores(&clock, crowd, figures, progress, user) == HTMT_ENOMEM)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for streams of several processors");
    free(again);
    return rc;
}
