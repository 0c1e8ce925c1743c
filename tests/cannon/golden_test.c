/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every figure of the two papers that the closed form must give on the machine files, from
 * tests/golden/cannon.csv.
 */
#include "apps/cannon/closed_form.h"
#include "apps/cannon/costs.h"

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

/* Which term a row is about, on which grid (64 x 64 unless given), for which q (1). */
static const struct target {
    const char *id, *term;
    uint64_t s, q;
} targets[] = {
    {"A.abs.time.hereld", "T, paper", 0, 0},
    {"A.abs.pflops.hereld", "rate, paper", 0, 0},
    {"A.peak_share", "share of peak, paper", 0, 0},
    {"A.t", "largest t", 0, 0},
    {"A.eq5.mult", "busy multiply", 0, 0},
    {"A.eq5.IP_SC", "busy inject and eject", 0, 0},
    {"A.eq5.IP_DS", "bundle up", 0, 0},
    {"A.eq6.c0", "busy inject and eject", 0, 0},
    {"A.P.c0", "busy inject and eject", 0, 0},
    {"A.P.nominal", "rate, paper", 0, 0},
    {"A.P.q10", "rate, paper", 0, 10},
    {"A.P.limit", "rate for large q", 0, 0},
    {"A.P.overlap", "transforms", 0, 0},
    {"A.trend.MS_DS", "M_S over D_S", 0, 0},
    {"A.b_c.reserve", "largest b_c", 0, 0},
    {"A.T3.D_t", "D_t[A]", 0, 0},
    {"A.T3.M_S", "M_S", 0, 0},
    {"A.T3.D_S", "D_S", 0, 0},
    {"A.T3.D_S.us", "D_S", 0, 0},
    {"A.T3.IP_SC", "IP_SC", 0, 0},
    {"A.T3.IP_DS", "IP_DS", 0, 0},
    {"H.T2.Dt_A.time", "D_t[A]", 0, 0},
    {"H.T2.Dt_B.time", "D_t[B]", 0, 0},
    {"H.T2.Dt_C.time", "D_t[C]", 0, 0},
    {"H.T2.IP_DS.time", "IP_DS", 0, 0},
    {"H.T2.IP_SC.time", "IP_SC", 0, 0},
    {"H.T2.M_s.time", "M_S", 0, 0},
    {"H.T2.D_s.time", "D_S", 0, 0},
    {"H.T2.OP_CS.time", "OP_CS", 0, 0},
    {"H.T2.OP_SD.time", "OP_SD", 0, 0},
    {"H.T3.time.transformA", "D_t[A]", 0, 0},
    {"H.T3.time.transformB", "D_t[B]", 0, 0},
    {"H.T3.time.bundleup", "bundle up", 0, 0},
    {"H.T3.time.blockmul", "block multiply", 0, 0},
    {"H.T3.time.bundledown", "bundle down", 0, 0},
    {"H.T3.time.transformC", "D_t[C]", 0, 0},
    {"H.T3.work.spell.at_table1", "block multiply", 0, 0},
    {"H.T3.mem.cram7", "CRAM", 0, 0},
    {"H.T3.mem.sram", "SRAM", 0, 0},
    {"H.T3.util.spell.total", "busy multiply", 0, 0},
    {"H.T3.util.dpim.total", "transforms", 0, 0},
    {"H.T3.util.StoC", "inject over block multiply", 0, 0},
    {"H.T3.util.StoC.total", "busy inject", 0, 0},
    {"H.T3.util.CtoS", "eject over block multiply", 0, 0},
    {"H.T3.util.CtoS.total", "busy eject", 0, 0},
    {"H.T3.util.DtoS.total", "busy bundle up", 0, 0},
    {"H.T3.util.StoD.total", "busy bundle down", 0, 0},
    {"H.T3.util.sram", "SRAM use", 0, 0},
    {"H.T3.util.cram7", "CRAM use", 0, 0},
    {"H.C.TB", "T_B", 0, 0},
    {"H.C.T", "T, paper", 0, 0},
    {"H.C.Dt_total", "transforms", 0, 0},
    {"H.C.mult_total", "busy multiply", 0, 0},
    {"H.C.bundleup_text", "inject", 0, 0},
    {"H.C.M_S", "M_S", 0, 0},
    {"H.C.D_S", "D_S", 0, 0},
    {"H.C.808", "block multiply, exchanges shown", 0, 0},
    {"H.C.750vs808", "block multiply", 0, 0},
    {"H.C.pflops", "rate, paper", 0, 0},
    {"H.C.hide.s4", "inject over block multiply", 4, 0},
    {"H.C.T.s4.serial", "T, paper", 4, 0},
    {"H.C.T.s4.overlap", "T, overlapped", 4, 0},
    {"H.C.pflops.s4.overlap", "rate, overlapped", 4, 0},
    {"H.C.hide.s8", "inject over block multiply", 8, 0},
    {"H.C.T.s8.serial", "T, paper", 8, 0},
    {"H.C.T.s8.overlap", "T, overlapped", 8, 0},
    {"H.C.pflops.s8.overlap", "rate, overlapped", 8, 0},
    {"H.C.hide.s64", "inject over block multiply", 64, 0},
    {"H.C.T.s64.serial", "T, paper", 64, 0},
    {"H.C.T.s64.overlap", "T, overlapped", 64, 0},
    {"H.C.pflops.s64.overlap", "rate, overlapped", 64, 0},
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

/* Rows "A.F7.q10.D0.97.F15": DRAM_at in ns, SF_t in ps. */
static bool figure7(const char *id, struct target *t, double *dram, double *cycle)
{
    unsigned q;
    if (sscanf(id, "A.F7.q%u.D%lf.F%lf", &q, dram, cycle) != 3)
        return false;
    *t = (struct target){id, "rate, paper", 64, q};
    return true;
}

/* The machine with s x s slices; with the figures of a point of Figure 7 when `cycle` is not 0. */
static struct htmt_machine *load(const char *name, uint64_t s, double dram, double cycle)
{
    char text[5][64];
    const char *set[5] = {text[0], text[1], text[2], text[3], text[4]};
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    snprintf(text[0], sizeof text[0], "slices=%u", (unsigned)(s * s));
    snprintf(text[1], sizeof text[1], "layers.dram.memory.access=%g ns/word", dram);
    snprintf(text[2], sizeof text[2], "layers.dram.processor.load=%g ns/word", dram);
    snprintf(text[3], sizeof text[3], "layers.dram.processor.store=%g ns/word", dram);
    snprintf(text[4], sizeof text[4], "layers.cram.processor.flop=%g ps/flop", cycle / 5);
    cr_assert_eq(htmt_machine_load(name, set, cycle > 0 ? 5 : 1, &m, &fault), 0, "%s", fault.text);
    return m;
}

static struct htmt__cannon_prediction predict(const struct htmt_machine *m, uint64_t q,
                                              const struct htmt__cannon_costs *costs)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_prediction p;
    struct htmt__cannon_plan plan;
    uint64_t n = q * costs->t * costs->b_c * (uint64_t)lround(sqrt(m->slices));
    struct htmt__cannon_problem problem = {n, n, n, costs->b_c, costs->t};
    cr_assert_eq(htmt__cannon_plan(m, &problem, &plan, &fault), 0, "%s", fault.text);
    cr_assert_eq(plan.q, q);
    plan.charges = costs->charges;
    cr_assert_eq(htmt__cannon_predict(m, &plan, &p, &fault), 0, "%s", fault.text);
    return p;
}

static double in_unit(const struct htmt__cannon_term *t, const char *unit)
{
    if (!strcmp(t->unit, "fs")) {
        double fs = (double)t->fs;
        return !strcmp(unit, "s") ? fs / 1e15 : !strcmp(unit, "ms") ? fs / 1e12 : fs / 1e9;
    }
    return !strcmp(unit, "PFLOPS") ? t->value / 1e15 : t->value;
}

/* The rules of the golden data. Where they allow more than 1e-6 of the recomputed value, that is
 * for simulations: a closed form has the same terms and only the rounding to femtoseconds and to
 * the seven digits of the file apart. */
static void compare(const struct row *r, double found)
{
    const char *tolerance = r->column[TOLERANCE];
    char *kind;
    double allowed = strtod(tolerance, &kind);
    double target = strtod(r->column[!strcmp(kind, "abs") ? VALUE : RECOMPUTED], NULL);
    if (strcmp(kind, "abs"))
        allowed = 1e-6 * fabs(target);
    cr_expect(fabs(found - target) <= allowed, "%s (%s): found %.9g %s, expected %.9g within %s",
              r->column[ID], r->column[QUANTITY], found, r->column[UNIT], target, tolerance);
}

static const struct target *find_target(const char *id)
{
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
        if (!strcmp(targets[k].id, id))
            return &targets[k];
    return NULL;
}

static void check(const struct row *r, const struct htmt__cannon_costs *costs)
{
    struct target t = {0};
    double dram = 0, cycle = 0;
    bool swept = figure7(r->column[ID], &t, &dram, &cycle);
    const struct target *named = swept ? &t : find_target(r->column[ID]);
    cr_assert_not_null(named, "no term stands for row %s", r->column[ID]);
    t = *named;
    struct htmt_machine *m = load(r->column[MACHINE], t.s ? t.s : 64, dram, cycle);
    struct htmt__cannon_prediction p = predict(m, t.q ? t.q : 1, costs);
    const struct htmt__cannon_term *term = htmt__cannon_term(&p, t.term);
    cr_assert_not_null(term, "no term \"%s\"", t.term);
    compare(r, in_unit(term, r->column[UNIT]));
    htmt_machine_destroy(&m);
}

static void check_all(const struct htmt__cannon_costs *costs)
{
    FILE *f = fopen("tests/golden/cannon.csv", "r");
    struct row r;
    unsigned rows = 0;
    cr_assert_not_null(f, "run from the top of the source tree");
    cr_assert_not_null(fgets(r.text, sizeof r.text, f));
    while (fgets(r.text, sizeof r.text, f)) {
        cr_assert(split(&r), "row %u is malformed", rows);
        check(&r, costs);
        rows++;
    }
    fclose(f);
    cr_expect_eq(rows, 143);
}

Test(golden, the_closed_form_gives_every_figure_of_the_papers)
{
    const struct htmt__cannon_costs own = {26, 125, HTMT__CANNON_OWN_CHARGES};
    check_all(&own);
}

Test(golden, the_papers_cost_file_gives_them_too)
{
    struct htmt__cannon_costs papers;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__cannon_costs_read("costs/cannon-amaral.yaml", &papers, &fault), 0, "%s",
                 fault.text);
    check_all(&papers);
}
