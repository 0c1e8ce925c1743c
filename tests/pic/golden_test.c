/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every figure of Tables 6 and 7 and of Figure 4 of Hereld et al. that the closed form, and where
 * it is one of the emulation the emulation too, must give on the machine files, from
 * tests/golden/pic.csv.
 */
#include "apps/pic/closed_form.h"
#include "apps/pic/costs.h"
#include "apps/pic/program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 9

enum column { ID, QUANTITY, VALUE, RECOMPUTED, UNIT, USE, MACHINE, TOLERANCE, NOTE };

struct row {
    char text[1024];
    char *column[COLUMNS];
};

/* Which term a row is about; of how many parcels (as many as DRAM holds unless given), and whether
 * as many words return. */
static const struct target {
    const char *id, *term;
    uint64_t parcels;
    bool eject;
} targets[] = {
    {"H.T6.NG.max", "largest N_G", 0, false},
    {"H.T6.assembly.time", "assembly", 100, false},
    {"H.T6.assembly.norm", "assembly, shared", 100, false},
    {"H.T6.assembly.util", "DPIM use", 100, false},
    {"H.T6.dv.time", "gather", 100, false},
    {"H.T6.dv.util", "vortex use", 100, false},
    {"H.T6.dispatch.time", "dispatch", 100, false},
    {"H.T6.dispatch.norm", "dispatch, shared", 100, false},
    {"H.T6.dispatch.util", "SPIM use", 100, false},
    {"H.T6.rti.time", "inject", 100, false},
    {"H.T6.rti.util", "RTI use", 100, false},
    {"H.T6.spell.time", "execute", 100, false},
    {"H.F4.assembly.end", "end of assembly", 100, false},
    {"H.F4.dv.end", "end of gather", 100, false},
    {"H.F4.dispatch.end", "end of dispatch", 100, false},
    {"H.F4.rti.end", "end of inject", 100, false},
    {"H.F4.spell.end", "end of execute", 100, false},
    {"H.F4.steady", "period", 100, false},
    {"H.T6.cram.fit", "CRAM room", 0, false},
    {"H.T6.cram.fit_dec", "CRAM room", 0, false},
    {"H.T6.cram.fit_coderesident", "CRAM room, code resident", 0, false},
    {"H.T6.cram.fit2", "CRAM room", 0, false},
    {"H.T6.eject.time", "eject", 100, true},
    {"H.T6.single.period", "period", 100, false},
    {"H.T6.single.util.spell", "SPELL use", 100, false},
    {"H.T6.single.util.dv", "vortex use", 100, false},
    {"H.T6.single.util.assembly", "DPIM use", 100, false},
    {"H.T6.single.util.dispatch", "SPIM use", 100, false},
    {"H.T6.single.util.rti", "RTI use", 100, false},
    {"H.T6.single.eject.period", "period", 100, true},
    {"H.T6.single.eject.util.spell", "SPELL use", 100, true},
    {"H.T6.single.eject.util.dv", "vortex use", 100, true},
    {"H.T6.single.period.oct98", "period", 100, false},
    {"H.T6.single.eject.period.oct98", "period", 100, true},
    {"H.T6.double.eject.period", "period", 100, true},
    {"H.T6.single.makespan.100", "T", 100, false},
    {"H.T6.double.makespan.100", "T", 100, false},
    {"H.F4.spell.end.oct98", "end of execute", 100, false},
    {"H.T7.slice.parcels_s", "parcel rate, slice", 100, false},
    {"H.T7.full.parcels_s", "parcel rate", 100, false},
    {"H.T7.slice.particles_s", "particle rate, slice", 100, false},
    {"H.T7.full.particles_s", "particle rate", 100, false},
    {"H.T7.slice.parcels", "parcels in DRAM, slice", 0, false},
    {"H.T7.full.parcels", "parcels in DRAM", 0, false},
    {"H.T7.full.particles", "particles in DRAM", 0, false},
    {"H.T7.slice.points", "points in DRAM, slice", 0, false},
    {"H.T7.full.points", "points in DRAM", 0, false},
    {"H.T7.iteration", "iteration", 0, false},
    {"H.T7.run", "run", 0, false},
    {"H.T7.pflops", "flop rate", 100, false},
    {"H.T7.single.slice.parcels_s", "parcel rate, slice", 100, false},
    {"H.T7.single.full.parcels_s", "parcel rate", 100, false},
    {"H.T7.single.full.particles_s", "particle rate", 100, false},
    {"H.T7.single.pflops", "flop rate", 100, false},
    {"H.T7.single.iteration", "iteration", 0, false},
    {"H.T7.makespan.double", "T", 0, false},
    {"H.T7.makespan.single", "T", 0, false},
};

/* Cuts the line into columns; a column that contains a comma stands in quotes. */
static bool split(struct row *r)
{
    char *at = r->text;
    at[strcspn(at, "\n")] = '\0';
    for (int k = 0; k < COLUMNS; k++) {
        bool quoted = *at == '"';
        r->column[k] = at += quoted;
        at = quoted ? strchr(at, '"') : at + strcspn(at, ",");
        if (!at || (k < COLUMNS - 1 && at[quoted] != ','))
            return false;
        *at = '\0';
        at += 1 + quoted;
    }
    return true;
}

/* "NAME+2cram": with twice the CRAM. */
static struct htmt_machine *load(const char *name)
{
    static const char *const twice[] = {"layers.cram.memory.capacity=2 MiB"};
    char base[64];
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "+"), name);
    cr_assert_eq(htmt_machine_load(base, twice, strchr(name, '+') != NULL, &m, &fault), 0, "%s",
                 fault.text);
    return m;
}

static struct htmt__pic_costs papers(void)
{
    struct htmt__pic_costs costs = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_costs_read("costs/pic-hereld.yaml", &costs, &fault), 0, "%s",
                 fault.text);
    return costs;
}

static struct htmt__pic_plan plan_of(const struct htmt_machine *m, const struct target *t)
{
    const struct htmt__pic_costs costs = papers();
    struct htmt__pic_problem problem = {.species = 1,
                                        .per_cell = {costs.per_cell},
                                        .edge = costs.edge,
                                        .parcels = t->parcels,
                                        .eject = t->eject,
                                        .charges = costs.charges};
    struct htmt__pic_plan plan;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_plan(m, &problem, &plan, &fault), 0, "%s: %s", t->id, fault.text);
    return plan;
}

static double in_unit(double value, const char *unit, bool time)
{
    if (time)
        return value * (!strcmp(unit, "us") ? 1e6 : !strcmp(unit, "ms") ? 1e3 : 1);
    return !strcmp(unit, "PFLOPS") ? value / 1e15 : value;
}

static void compare(const struct row *r, const char *by, double found, double allowed)
{
    const char *kind;
    double tolerance = strtod(r->column[TOLERANCE], (char **)&kind);
    double target = strtod(r->column[!strcmp(kind, "abs") ? VALUE : RECOMPUTED], NULL);
    if (!strcmp(kind, "abs"))
        allowed = tolerance;
    else
        allowed *= fabs(target);
    cr_expect(fabs(found - target) <= allowed, "%s (%s) by %s: found %.9g %s, expected %.9g",
              r->column[ID], r->column[QUANTITY], by, found, r->column[UNIT], target);
}

/* ---- closed form ---------------------------------------------------------------------------- */

static const struct target *find_target(const char *id)
{
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (!strcmp(targets[k].id, id))
            return &targets[k];
    return NULL;
}

/* It has the terms of the golden rows themselves: only the rounding to femtoseconds, to whole
 * cycles and to seven digits lies between. */
static void check_closed_form(const struct row *r, const struct target *t)
{
    struct htmt_machine *m = load(r->column[MACHINE]);
    struct htmt__pic_plan plan = plan_of(m, t);
    struct htmt__pic_prediction p;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__pic_predict(m, &plan, papers().steps, &p, &fault), 0, "%s", fault.text);
    const struct htmt__pic_term *term = htmt__pic_term(&p, t->term);
    cr_assert_not_null(term, "no term \"%s\"", t->term);
    bool time = !strcmp(term->unit, "fs") || !strcmp(term->unit, "s");
    compare(r, "closed form", in_unit(term->value, r->column[UNIT], time), 1e-6);
    htmt_machine_destroy(&m);
}

/* ---- emulation ------------------------------------------------------------------------------ */

/* Ends of each stage of the push parcels of one slice. */
struct ends {
    htmt_time first[HTMT_STAGES], last[HTMT_STAGES];
    uint64_t count[HTMT_STAGES];
};

static void note(void *user, const struct htmt_event *event)
{
    struct ends *e = user;
    if (!event->time) /* the desk's own beginning */
        return;
    if (!e->count[event->stage]++)
        e->first[event->stage] = event->time;
    e->last[event->stage] = event->time;
}

struct measured {
    struct ends ends;
    double busy[HTMT_STAGES]; /* seconds of a parcel */
    double period, particles, slices, flop;
};

static struct measured emulate(const struct htmt_machine *m, const struct target *t)
{
    struct htmt_machine one = *m;
    struct measured out = {.slices = m->slices, .flop = (double)papers().charges.flop};
    struct htmt_emulator *e = NULL;
    struct htmt__pic_program *program = NULL;
    struct htmt_fault fault = {0};
    one.slices = 1;
    struct htmt__pic_plan plan = plan_of(&one, t);
    struct htmt_options o = {
        .machine = &one, .mode = HTMT_MODEL, .observe = note, .user = &out.ends};
    cr_assert_eq(htmt_emulator_create(&e, &o), 0);
    cr_assert_eq(htmt__pic_program_create(e, &plan, NULL, NULL, &program, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        struct htmt_phase_report r;
        htmt_phase_at(e, i, &r);
        if (!strcmp(r.type, "Push") && r.count)
            out.busy[r.stage] = 1e-15 * (double)r.busy / (double)r.count;
    }
    const struct ends *ends = &out.ends;
    out.particles = (double)plan.problem.per_cell[0] * plan.edge * plan.edge * plan.edge;
    out.period = 1e-15 * (double)(ends->last[HTMT_EXECUTE] - ends->first[HTMT_EXECUTE]) /
                 (double)(ends->count[HTMT_EXECUTE] - 1);
    htmt_emulator_destroy(&e);
    htmt__pic_program_destroy(&program);
    return out;
}

static double use_of(const struct measured *x, enum htmt_stage_id stage, double servers)
{
    return 100 * x->busy[stage] / servers / x->period;
}

static double end_of(const struct measured *x, enum htmt_stage_id stage)
{
    return 1e-15 * (double)x->ends.first[stage];
}

static double measure(const struct measured *x, const char *term, const struct htmt_machine *m)
{
    const double dpims = m->layer[1].processor.count, spims = m->layer[2].processor.count;
    const struct {
        const char *term;
        double value;
    } found[] = {
        {"assembly", x->busy[HTMT_ASSEMBLE]},
        {"gather", x->busy[HTMT_GATHER]},
        {"dispatch", x->busy[HTMT_DISPATCH]},
        {"inject", x->busy[HTMT_INJECT]},
        {"execute", x->busy[HTMT_EXECUTE]},
        {"eject", x->busy[HTMT_EJECT]},
        {"end of assembly", end_of(x, HTMT_ASSEMBLE)},
        {"end of gather", end_of(x, HTMT_GATHER)},
        {"end of dispatch", end_of(x, HTMT_DISPATCH)},
        {"end of inject", end_of(x, HTMT_INJECT)},
        {"end of execute", end_of(x, HTMT_EXECUTE)},
        {"DPIM use", use_of(x, HTMT_ASSEMBLE, dpims)},
        {"vortex use", use_of(x, HTMT_GATHER, 1)},
        {"SPIM use", use_of(x, HTMT_DISPATCH, spims)},
        {"RTI use", use_of(x, HTMT_INJECT, 1)},
        {"SPELL use", use_of(x, HTMT_EXECUTE, 1)},
        {"period", x->period},
        {"T", 1e-15 * (double)x->ends.last[HTMT_EXECUTE]},
        {"parcel rate, slice", 1 / x->period},
        {"parcel rate", x->slices / x->period},
        {"particle rate, slice", x->particles / x->period},
        {"particle rate", x->slices * x->particles / x->period},
        {"flop rate", x->slices * x->flop * x->particles / x->period},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (!strcmp(found[i].term, term))
            return found[i].value;
    cr_assert_fail("the emulation knows no \"%s\"", term);
    return 0;
}

static bool is_time(const char *unit)
{
    return strcmp(unit, "%") && strcmp(unit, "1/s") && strcmp(unit, "PFLOPS");
}

/* Within the row's own tolerance; 0 and percentage points are taken as 1e-6 of the value. */
static void check_emulation(const struct row *r, const struct target *t)
{
    char *kind;
    double allowed = strtod(r->column[TOLERANCE], &kind);
    struct htmt_machine *m = load(r->column[MACHINE]);
    struct measured x = emulate(m, t);
    double value = measure(&x, t->term, m);
    if (*kind || allowed <= 0)
        allowed = 1e-6;
    compare(r, "emulation", in_unit(value, r->column[UNIT], is_time(r->column[UNIT])), allowed);
    htmt_machine_destroy(&m);
}

/* ---- all rows ------------------------------------------------------------------------------- */

static void check_all(void (*check)(const struct row *, const struct target *), const char *use,
                      unsigned expected)
{
    FILE *f = fopen("tests/golden/pic.csv", "r");
    struct row r;
    unsigned rows = 0;
    cr_assert_not_null(f, "run from the top of the source tree");
    cr_assert_not_null(fgets(r.text, sizeof r.text, f));
    while (fgets(r.text, sizeof r.text, f)) {
        cr_assert(split(&r), "row %u is malformed", rows);
        const struct target *t = find_target(r.column[ID]);
        cr_assert_not_null(t, "no term stands for row %s", r.column[ID]);
        if (use && strcmp(use, r.column[USE]))
            continue;
        check(&r, t);
        rows++;
    }
    fclose(f);
    cr_expect_eq(rows, expected);
}

Test(golden, the_closed_form_gives_every_figure_of_the_paper)
{
    check_all(check_closed_form, NULL, 57);
}

Test(golden, the_emulation_gives_every_figure_that_is_one_of_a_run)
{
    check_all(check_emulation, "model", 42);
}

/* With the CRAM of 1998 one parcel fills it: a place in CRAM is taken all the time, the SPELL is
 * not. */
Test(golden, one_parcel_fills_cram_and_the_period_is_the_loop_through_it)
{
    struct htmt_machine *m = load("hereld-tables");
    struct htmt_machine one = *m;
    struct htmt_fault fault = {0};
    struct htmt__pic_prediction p;
    one.slices = 1;
    for (int eject = 0; eject < 2; eject++) {
        struct htmt__pic_plan plan = plan_of(&one, &(struct target){"", "", 100, eject != 0});
        cr_assert_eq(htmt__pic_predict(&one, &plan, 1, &p, &fault), 0);
        cr_expect_eq(p.push.buffers, 1);
        cr_expect(p.push.period == p.push.loop);
        cr_expect(p.push.period ==
                  (htmt_wide)p.push.inject + p.push.execute + (eject ? p.push.eject : 0));
    }
    htmt_machine_destroy(&m);
}
