/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The phases of a patch as rows, and what follows from them.
 */
#include "apps/sar/closed_form.h"

#include "apps/sar/counts.h"
#include "apps/sar/predict.h"

typedef struct htmt__sar_prediction prediction;
typedef struct htmt__sar_machine machine;
typedef struct htmt_term_tree tree;

/* ---- rows ----------------------------------------------------------------------------------- */

#define TIME(depth, name, text, meaning) HTMT_ROW(depth, "s", name, text, meaning)
#define PART(name, text)                 HTMT_ROW_PART("s", name, text)

static const struct htmt_term_row total[] = {
    TIME(0, "T", "patch + (ceil(patches / slices) - 1) * period", "all patches"), HTMT_ROWS_END};

static const struct htmt_term_row straight_phases[] = {TIME(1, "phases",
                                                            HTMT__SAR_LINES("phase") " + 2 * word",
                                                            "of a patch, one after another"),
                                                       HTMT_ROWS_END},
                                  migrating_phases[] = {
                                      TIME(1, "phases", HTMT__SAR_MIGRATING("phase") " + 4 * word",
                                           "of a patch, one after another"),
                                      HTMT_ROWS_END};

static const struct htmt_term_row periods[] = {
    HTMT_ROW_ROUNDED(1, "s", "period",
                     "max(phases + references, DPIM, 'Read Patch, H to D', 'Write Patch, D to H', "
                     "patch / frames)",
                     HTMT_TERM_DOWN, "from one patch of a slice to the next"),
    TIME(2, "SPELL", "line services + references", "work of a SPELL for a patch"),
    HTMT_ROW_ROUNDED(2, "s", "DPIM", "('Read Patch, services' + 'Write Patch, services') / DPIMs",
                     HTMT_TERM_DOWN, "all DPIMs"),
    PART("patch", "'Read Patch, phase' + phases + 'Write Patch, phase'"),
    HTMT_ROW_COMPUTED(HTMT_TERM_HIDDEN, "s", "word", "htmt__sar_word_time",
                      "tells that a phase is over"),
    HTMT_ROWS_END};

#define FILL                                                                                       \
    "'Read Patch, phase' + 'Range Line, gather' + 'Range Line, gather latency' + 'Range Line, "    \
    "inject' + 'Range Line, inject latency'"
#define DRAIN(last)                                                                                \
    "'" last ", eject' + '" last ", eject latency' + '" last ", scatter' + '" last                 \
    ", scatter latency' + 'Write Patch, phase'"

static const struct htmt_term_row
    straight[] = {TIME(2, "references", "Range Reference + Azimuth Reference", "made once a patch"),
                  PART("line gathers", HTMT__SAR_LINES("gathers")),
                  PART("line injects", HTMT__SAR_LINES("injects")),
                  PART("line services", HTMT__SAR_LINES("services")),
                  PART("line ejects", HTMT__SAR_LINES("ejects")),
                  PART("line scatters", HTMT__SAR_LINES("scatters")),
                  PART("fill", FILL),
                  PART("drain", DRAIN("Azimuth Line")),
                  HTMT_ROWS_END},
    migrating[] = {TIME(2, "references", "Range Reference + Interpolator + Azimuth Reference",
                        "made once a patch"),
                   PART("line gathers", HTMT__SAR_MIGRATING("gathers")),
                   PART("line injects", HTMT__SAR_MIGRATING("injects")),
                   PART("line services", HTMT__SAR_MIGRATING("services")),
                   PART("line ejects", HTMT__SAR_MIGRATING("ejects")),
                   PART("line scatters", HTMT__SAR_MIGRATING("scatters")),
                   PART("fill", FILL),
                   PART("drain", DRAIN("Azimuth Focus")),
                   HTMT_ROWS_END};

/* ---- tree ----------------------------------------------------------------------------------- */

static bool is_line(enum htmt__sar_stage s)
{
    return !htmt__sar_is_strip(s) && !htmt__sar_is_reference(s);
}

static void set_names(const machine *w, tree *t)
{
    const struct htmt__sar_decomposition *c = w->c;
    const struct htmt_memory *cram = &w->m->layer[c->cram].memory;
    const struct htmt_term_count of[] = {
        {"patches", c->patches},
        {"slices", w->m->slices},
        {"frames", HTMT__SAR_FRAMES},
        {"DPIMs", htmt_machine_servers(w->m, c->dram)},
        {"CRAM words", cram->capacity - cram->reserve},
        {"CRAM resident", c->cram_resident},
    };
    htmt_term_tree_set_counts(t, of, sizeof of / sizeof *of);
}

static void add_rows(machine *w, tree *t)
{
    bool rcmc = w->c->plan.rcmc;
    htmt_term_tree_add(t, NULL, 0, total);
    htmt__sar_add_strips(w, t, HTMT__SAR_READ);
    htmt_term_tree_add(t, NULL, 0, rcmc ? migrating_phases : straight_phases);
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (is_line(s))
            htmt__sar_add_phase(w, t, s, 2);
    htmt__sar_add_strips(w, t, HTMT__SAR_WRITE);
    htmt_term_tree_add(t, NULL, 0, periods);
    htmt_term_tree_add(t, NULL, 0, rcmc ? migrating : straight);
    htmt_term_tree_set_time(t, NULL, "word", htmt__sar_word_time(w));
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        if (htmt__sar_is_reference(s))
            htmt__sar_add_phase(w, t, s, 0);
    set_names(w, t);
}

/* costs NULL: only the times. */
static int evaluate(machine *w, const struct htmt__sar_costs *costs, tree **t,
                    struct htmt_fault *fault)
{
    int rc = htmt_term_tree_create(w, t, fault);
    if (rc)
        return rc;
    add_rows(w, *t);
    if (costs)
        htmt__sar_add_uses(w, costs, *t);
    if (w->overflow)
        rc = htmt_fault_set(fault, HTMT_EOVERFLOW, "machine %s: a parcel takes more than 9223 s",
                            w->m->name);
    if (!rc)
        rc = htmt_term_tree_evaluate(*t, fault);
    if (rc)
        htmt_term_tree_destroy(t);
    return rc;
}

/* ---- what others ask for -------------------------------------------------------------------- */

static htmt_wide of_stage(const tree *t, enum htmt__sar_stage stage, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s", htmt__sar_stage_name(stage), what);
    return htmt_term_tree_whole(t, name);
}

static struct htmt__sar_phase phase_of(const tree *t, const struct htmt__sar_decomposition *c,
                                       enum htmt__sar_stage stage)
{
    struct htmt__sar_phase p = {.parcels = htmt__sar_parcels(c, stage, 0)};
    if (!p.parcels || htmt__sar_is_strip(stage))
        return p;
    p.gather = of_stage(t, stage, "gather");
    p.fill_and_drain = of_stage(t, stage, "fill and drain");
    p.bottleneck = of_stage(t, stage, "bottleneck");
    p.takes = of_stage(t, stage, "phase");
    return p;
}

static double flops_of(const struct htmt__sar_decomposition *c)
{
    double patch = 0;
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        for (uint32_t i = 0; i < htmt__sar_parcels(c, s, 0); i++)
            patch += (double)htmt__sar_ops(c, s, 0, i).n[HTMT_FLOP];
    return patch * c->patches;
}

int htmt__sar_predict(const struct htmt_machine *m,
                      const struct htmt__sar_decomposition *decomposition, prediction *out,
                      struct htmt_fault *fault)
{
    machine w = {.m = m, .c = decomposition};
    tree *t;
    int rc = evaluate(&w, NULL, &t, fault);
    if (rc)
        return rc;
    *out = (prediction){.decomposition = *decomposition, .flops = flops_of(decomposition)};
    for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
        out->phase[s] = phase_of(t, decomposition, s);
    out->total = htmt_term_tree_whole(t, "T");
    out->work = htmt_term_tree_whole(t, "line services");
    out->fill = htmt_term_tree_whole(t, "fill");
    out->drain = htmt_term_tree_whole(t, "drain");
    htmt_term_tree_destroy(&t);
    return 0;
}

int htmt__sar_tell(const struct htmt_machine *m, const struct htmt__sar_costs *costs,
                   const prediction *p, struct htmt_prediction *out, struct htmt_fault *fault)
{
    machine w = {.m = m, .c = &p->decomposition};
    tree *t;
    unsigned first = htmt_prediction_count(out);
    int rc = evaluate(&w, costs, &t, fault);
    if (rc)
        return rc;
    htmt_term_tree_tell(t, out);
    htmt__sar_name_inputs(&p->decomposition, first, out);
    htmt_term_tree_destroy(&t);
    return 0;
}

void htmt__sar_causes(const struct htmt_machine *m, const prediction *p,
                      htmt_wide part[HTMT_PATH_CAUSES])
{
    if (p->decomposition.patches > m->slices)
        return;
    part[HTMT_PATH_WORK] = p->work;
    part[HTMT_PATH_FILL] = p->fill;
    part[HTMT_PATH_DRAIN] = p->drain;
    part[HTMT_PATH_OVERHEAD] = p->total - p->work - p->fill - p->drain;
}
