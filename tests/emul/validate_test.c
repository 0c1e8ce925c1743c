/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The papers' figures by the closed forms and the files; tests/integration/validate.sh and
 * tests/long/validate.sh have the emulations.
 */
#include "apps/lib/task_parts.h"
#include "emul/validate/constant.h"
#include "emul/validate/validation.h"
#include "tests/apps/table.h"
#include "tests/layers/machines.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a closed form, about what is recomputed; about what is recomputed from rounded figures. */
#define SHARP 1e-6
#define ROUND 1e-4

static struct htmt__golden load(void)
{
    struct htmt__golden g;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__golden_load(&g, NULL, &fault), 0, "%s", fault.text);
    return g;
}

static void each(const struct htmt__validation *v, void (*check)(const struct htmt__finding *f))
{
    for (unsigned i = 0; i < v->count; i++)
        for (unsigned k = 0; k < v->section[i].count; k++)
            check(&v->section[i].finding[k]);
}

/* ---- paper figures -------------------------------------------------------------------------- */

Test(validate, every_paper_figure_is_about_a_row_and_no_row_has_two)
{
    struct htmt__golden g = load();
    for (const struct htmt_app *const *app = htmt_apps; *app; app++)
        for (const struct htmt_paper_figure *c = (*app)->paper_figures; c && c->row; c++) {
            const struct htmt_app *by = NULL;
            const struct htmt__golden_row *row = htmt__golden_find(&g, c->row);
            cr_assert_not_null(row, "%s has a paper figure '%s', which is in no table",
                               (*app)->name, c->row);
            cr_expect_eq(htmt__paper_figure_find(htmt_apps, c->row, &by), c,
                         "%s has two paper figures", c->row);
            cr_expect_neq(row->use, HTMT__MISPRINT, "%s follows a rule known to be wrong", c->row);
            cr_expect(!c->input || row->use == HTMT__INPUT, "%s is no constant", c->row);
        }
    htmt__golden_clear(&g);
}

Test(validate, every_figure_of_a_run_has_a_term_and_a_measure)
{
    struct htmt__golden g = load();
    unsigned found = 0;
    for (unsigned i = 0; i < g.count; i++)
        for (unsigned k = 0; k < g.table[i].count; k++) {
            const struct htmt__golden_row *row = &g.table[i].row[k];
            const struct htmt_app *app;
            const struct htmt_paper_figure *c = htmt__paper_figure_find(htmt_apps, row->id, &app);
            bool loops = strncmp(row->id, "E.", 2) == 0; /* htmt bound answers */
            if (loops || (row->use != HTMT__PREDICT && row->use != HTMT__MODEL))
                continue;
            found++;
            cr_assert_not_null(c, "%s: no application answers", row->id);
            cr_expect(c->term || strncmp(row->id, "P.ex1.", 6) == 0, "%s: no term", row->id);
            cr_expect(row->use == HTMT__PREDICT || c->measure, "%s: no measure", row->id);
        }
    cr_expect_eq(found, 186 + 194);
    htmt__golden_clear(&g);
}

/* ---- figures -------------------------------------------------------------------------------- */

/* The golden tables allow simulations more; a closed form has the same terms as the papers. Only
 * the thousand parcels of volume rendering bring their rays by another way. */
static void is_sharp(const struct htmt__finding *f)
{
    bool judged = f->row->use == HTMT__PREDICT || f->row->use == HTMT__MODEL;
    if (!judged || !f->figure || !f->figure->term || !*f->row->recomputed ||
        strstr(f->row->id, "makespan.1000"))
        return;
    double target = strtod(f->row->recomputed, NULL);
    double allowed = strstr(f->row->tolerance, "abs") ? ROUND : SHARP;
    cr_expect(f->is_predicted && fabs(f->predicted - target) <= allowed * fabs(target),
              "%s: found %.9g %s, recomputed %.9g", f->row->id, f->predicted, f->row->unit, target);
}

static void is_met(const struct htmt__finding *f)
{
    cr_expect_neq(f->verdict, HTMT__MISSED, "%s: %s", f->row->id, f->why);
}

Test(validate, closed_forms_and_files_give_every_figure_of_the_papers)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {.closed_forms_only = true};
    cr_assert_eq(htmt__validate(&g, htmt_apps, &o, &v, &fault), 0, "%s", fault.text);
    cr_expect_eq(v.totals.judged, 186 + 49 + 881 + 194 - 12 + 163,
                 "contentions have no closed form");
    each(&v, is_met);
    each(&v, is_sharp);
    htmt__validation_clear(&v);
    htmt__golden_clear(&g);
}

/* The emulations of one small table, of one application. */
Test(validate, the_emulation_gives_the_components_of_amaral)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    static const char *const tables[] = {"amaral-table3"};
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {.tables = tables, .table_count = 1};
    cr_assert_eq(htmt__validate(&g, htmt_apps, &o, &v, &fault), 0, "%s", fault.text);
    cr_expect_eq(v.totals.met_use[HTMT__MODEL], 6);
    cr_expect_eq(v.totals.emulations, 1, "one run answers all of them");
    each(&v, is_met);
    htmt__validation_clear(&v);
    htmt__golden_clear(&g);
}

/* ---- misses --------------------------------------------------------------------------------- */

Test(validate, a_row_that_nobody_answers_is_missed)
{
    const struct htmt_app *const nobody[] = {NULL};
    static const char *const tables[] = {"amaral-table3", "amaral-table2"};
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {.tables = tables, .table_count = 2};
    cr_assert_eq(htmt__validate(&g, nobody, &o, &v, &fault), 0, "%s", fault.text);
    cr_expect_eq(v.totals.missed, 6);
    cr_expect_eq(v.totals.met_use[HTMT__INPUT], 12, "machine files answer for themselves");
    htmt__validation_clear(&v);
    htmt__golden_clear(&g);
}

Test(validate, another_machine_misses_what_it_changes)
{
    static const char *const tables[] = {"amaral-table2", "amaral-table3"};
    static const char *const set[] = {"layers.sram.memory.access=0.43 ns/word"};
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {
        .tables = tables, .table_count = 2, .set = set, .set_count = 1, .closed_forms_only = true};
    cr_assert_eq(htmt__validate(&g, htmt_apps, &o, &v, &fault), 0, "%s", fault.text);
    cr_expect_eq(v.totals.missed, 2, "A.T2.SRAM_at and A.T3.IP_SC");
    htmt__validation_clear(&v);
    htmt__golden_clear(&g);
}

static int no_memory(struct htmt_task *task, void *work)
{
    (void)work;
    return htmt_task_refuse(task, HTMT_ENOMEM, "out of memory");
}

Test(validate, a_row_that_the_host_failed_to_compute_cannot_be_judged)
{
    static const char *const tables[] = {"amaral-table3", "amaral-table2"};
    struct htmt_app exhausted = htmt_app_cannon;
    const struct htmt_app *const apps[] = {&exhausted, NULL};
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {.tables = tables, .table_count = 2};
    exhausted.plan = no_memory;
    cr_assert_eq(htmt__validate(&g, apps, &o, &v, &fault), 0, "%s", fault.text);
    cr_expect_eq(v.totals.missed, 0);
    cr_expect_eq(v.totals.cannot_judge, 6);
    cr_expect_eq(v.totals.met + v.totals.cannot_judge, v.totals.judged);
    htmt__validation_clear(&v);
    htmt__golden_clear(&g);
}

Test(validate, an_unknown_table_is_refused)
{
    static const char *const tables[] = {"table 12"};
    struct htmt__golden g = load();
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {.tables = tables, .table_count = 1};
    cr_expect_eq(htmt__validate(&g, htmt_apps, &o, &v, &fault), HTMT_EUSAGE);
    htmt__golden_clear(&g);
}

Test(validate, constants_are_read_with_their_units)
{
    struct htmt_fault fault = {0};
    struct htmt__golden g = load();
    double value;
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    const struct htmt__constants where = {m, "pic-hereld", &g};
    const struct {
        const char *formula;
        double value;
    } rows[] = {{"layers.cram.processor.clock", 256e9},
                {"layers.cram.memory.capacity", 131072},
                {"networks.vortex.latency", 85e-9},
                {"networks.rti.ports.sram.out-rate", 64.1e9},
                {"networks.cnet.ports.cram.out-rate", 8e9},
                {"layers.sram.memory.capacity / layers.sram.processor.count", 524288},
                {"push.useful", 0.88},
                {"push.code", 1007},
                {"push.assembly", 140500},
                {"@H.T1.slices", 4096}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(htmt__constant(&where, rows[i].formula, &value, &fault), 0, "%s", fault.text);
        cr_expect_float_eq(value, rows[i].value, 1e-12 * rows[i].value, "%s: %g", rows[i].formula,
                           value);
    }
    cr_expect_eq(htmt__constant(&where, "layers.cram.colour", &value, &fault), HTMT_EINVAL);
    htmt_machine_destroy(&m);
    htmt__golden_clear(&g);
}
