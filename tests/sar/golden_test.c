/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every figure of Hereld et al. on SAR that the closed form must give on the machine files, from
 * tests/golden/sar.csv, and the services, shares and periods that the emulated patches must show.
 */
#include "apps/sar/closed_form.h"
#include "apps/sar/scene.h"
#include "tests/sar/focus.h"

#include <stdio.h>

#define COLUMNS 8
#define ROWS    66

/* The patch of the paper; its columns hold no comma. */
#define SAMPLES 11812
#define LINES   4096

enum column { ID, TERM, VALUE, RECOMPUTED, UNIT, USE, MACHINE, TOLERANCE };

struct row {
    char text[256];
    char *column[COLUMNS];
};

/* A term that contains a comma stands in quotes. */
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

static struct htmt__sar_input paper_input(void)
{
    struct htmt__sar_input in = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_radar_named("small", &in.radar, &fault), 0);
    in.radar.lines = LINES;
    in.radar.samples = SAMPLES;
    return in;
}

static struct htmt__sar_costs paper_costs(void)
{
    struct htmt__sar_costs costs;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_costs_read("costs/sar-hereld.yaml", false, HTMT__SAR_U8, &costs, &fault),
                 0, "%s", fault.text);
    return costs;
}

static struct focus paper_focus(const char *machine, uint32_t slices, uint32_t patches)
{
    return (struct focus){.machine = machine,
                          .slices = slices,
                          .patches = patches,
                          .rcmc = HTMT__RCMC_OFF,
                          .lengths = HTMT__POWER_OF_TWO,
                          .keep_edges = true,
                          .mode = HTMT_MODEL,
                          .charges = paper_costs().charges};
}

static struct htmt__sar_prediction *predict(const char *machine)
{
    struct htmt__sar_prediction *p = malloc(sizeof *p);
    struct htmt__sar_input in = paper_input();
    struct focus f = paper_focus(machine, 4096, 0);
    struct htmt_machine *m = focus_machine(&f);
    struct htmt__sar_cut cut = focus_cut(&f, m, &in);
    struct htmt__sar_costs costs = paper_costs();
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_predict(m, &cut, &costs, p, &fault), 0, "%s", fault.text);
    htmt_machine_destroy(&m);
    return p;
}

static double in_unit(double value, const char *unit)
{
    return !strcmp(unit, "ms") ? 1e3 * value : !strcmp(unit, "us") ? 1e6 * value : value;
}

/* Where the tables allow more than 1e-6 of the recomputed value, that is for simulations: a closed
 * form has the same terms and only the rounding to femtoseconds and to the digits of the file
 * apart. */
static double allowed(const struct row *r, double target, bool exact)
{
    char *kind;
    double tolerance = strtod(r->column[TOLERANCE], &kind);
    if (!strcmp(kind, "pp") && !exact)
        return tolerance;
    return (exact || tolerance == 0 ? 1e-6 : tolerance) * fabs(target);
}

static void check_term(const struct row *r, const struct htmt__sar_prediction *p)
{
    const struct htmt__sar_term *t = htmt__sar_term(p, r->column[TERM]);
    double target = strtod(r->column[RECOMPUTED], NULL);
    cr_assert_not_null(t, "no term \"%s\"", r->column[TERM]);
    double found = in_unit(t->value, r->column[UNIT]);
    cr_expect(fabs(found - target) <= allowed(r, target, true), "%s: %s is %.9g %s, expected %.9g",
              r->column[ID], t->name, found, r->column[UNIT], target);
}

static void for_each_row(void (*check)(const struct row *r, void *user), void *user)
{
    FILE *f = fopen("tests/golden/sar.csv", "r");
    struct row r;
    unsigned rows = 0;
    cr_assert_not_null(f, "run from the top of the source tree");
    cr_assert_not_null(fgets(r.text, sizeof r.text, f));
    for (; fgets(r.text, sizeof r.text, f); rows++) {
        cr_assert(split(&r), "row %u is malformed", rows);
        check(&r, user);
    }
    fclose(f);
    cr_expect_eq(rows, ROWS);
}

struct predictions {
    struct htmt__sar_prediction *tables, *october;
};

static void check_closed_form(const struct row *r, void *user)
{
    const struct predictions *p = user;
    check_term(r, strcmp(r->column[MACHINE], "hereld-tables") ? p->october : p->tables);
}

Test(golden, the_closed_form_gives_every_figure_of_the_paper)
{
    struct predictions p = {predict("hereld-tables"), predict("htmt-oct98")};
    for_each_row(check_closed_form, &p);
    free(p.tables);
    free(p.october);
}

/* ---- emulated ------------------------------------------------------------------------------- */

/* A phase of the report, of one slice's patches. */
static struct htmt_phase_report phase_of(const struct htmt_emulator *e, const char *type,
                                         enum htmt_stage_id stage)
{
    struct htmt_phase_report r = {0};
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        cr_assert_eq(htmt_phase_at(e, i, &r), 0);
        if (!strcmp(r.type, type) && r.stage == stage)
            return r;
    }
    cr_assert_fail("no phase %s %s", type, htmt_stage_name(stage));
    return r;
}

static double mean_of(const struct htmt_emulator *e, const char *type, enum htmt_stage_id stage)
{
    struct htmt_phase_report r = phase_of(e, type, stage);
    return 1e-15 * (double)r.busy / (double)r.count;
}

static double busy_of(const struct htmt_emulator *e, const char *type, enum htmt_stage_id stage)
{
    return 1e-15 * (double)phase_of(e, type, stage).busy;
}

#define PATCHES 4

struct shown {
    const struct htmt_emulator *e;
    double period; /* of patches */
    unsigned rows;
};

static const struct {
    const char *id, *type, *per; /* busy of a stage, over that of another type's execution */
    enum htmt_stage_id stage;
} shares[] = {
    {"H.T5.rline.util.StoC", "Range Line", "Range Line", HTMT_INJECT},
    {"H.T5.rline.util.CtoS", "Range Line", "Range Line", HTMT_EJECT},
    {"H.T5.rline.util.DtoS", "Range Line", "Range Line", HTMT_GATHER},
    {"H.T5.rline.util.StoD", "Range Line", "Range Line", HTMT_SCATTER},
    {"H.T5.aline.util.StoC", "Azimuth Line", "Azimuth Line", HTMT_INJECT},
    {"H.T5.aline.util.CtoS", "Azimuth Line", "Azimuth Line", HTMT_EJECT},
    {"H.T5.aline.util.DtoS", "Azimuth Line", "Azimuth Line", HTMT_GATHER},
    {"H.T5.aline.util.StoD", "Azimuth Line", "Azimuth Line", HTMT_SCATTER},
};

static double service(const struct shown *s, const char *id)
{
    static const struct {
        const char *id, *type;
    } services[] = {{"H.T5.read.time", "Read Patch"},        {"H.T5.write.time", "Write Patch"},
                    {"H.T5.rref.time", "Range Reference"},   {"H.T5.rline.time", "Range Line"},
                    {"H.T5.aref.time", "Azimuth Reference"}, {"H.T5.aline.time", "Azimuth Line"}};
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (!strcmp(id, services[i].id))
            return mean_of(s->e, services[i].type, HTMT_EXECUTE);
    return -1;
}

/* Of a patch, as a share of the period. */
static double of_period(const struct shown *s, const char *id)
{
    const struct {
        const char *id;
        double busy;
    } all[] = {
        {"H.S.dpim_share",
         (busy_of(s->e, "Read Patch", HTMT_EXECUTE) + busy_of(s->e, "Write Patch", HTMT_EXECUTE)) /
             128},
        {"H.T9.sar.StoC",
         busy_of(s->e, "Range Line", HTMT_INJECT) + busy_of(s->e, "Azimuth Line", HTMT_INJECT)},
        {"H.T9.sar.CtoS",
         busy_of(s->e, "Range Line", HTMT_EJECT) + busy_of(s->e, "Azimuth Line", HTMT_EJECT)},
        {"H.T9.sar.DtoS",
         busy_of(s->e, "Range Line", HTMT_GATHER) + busy_of(s->e, "Azimuth Line", HTMT_GATHER)},
        {"H.T9.sar.StoD",
         busy_of(s->e, "Range Line", HTMT_SCATTER) + busy_of(s->e, "Azimuth Line", HTMT_SCATTER)},
        {"H.T9.sar.HtoD", busy_of(s->e, "Read Patch", HTMT_INJECT)},
        {"H.T9.sar.DtoH", busy_of(s->e, "Write Patch", HTMT_EJECT)},
        {"H.S.DtoH_share", busy_of(s->e, "Write Patch", HTMT_EJECT)},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(id, all[i].id))
            return 100 * all[i].busy / PATCHES / s->period;
    return -1;
}

static double of_patches(const struct shown *s, const char *id)
{
    if (!strcmp(id, "H.S.patch_time") || !strcmp(id, "H.T9.sar.parcel"))
        return s->period;
    if (!strcmp(id, "H.S.rate"))
        return 4096 / s->period;
    if (!strcmp(id, "H.S.interval") || !strcmp(id, "H.T9.sar.rate"))
        return s->period / 4096;
    if (!strcmp(id, "H.T5.read.HtoD.time"))
        return busy_of(s->e, "Read Patch", HTMT_INJECT) / PATCHES;
    if (!strcmp(id, "H.S.DtoH_time"))
        return busy_of(s->e, "Write Patch", HTMT_EJECT) / PATCHES;
    return -1;
}

static double shown_by(const struct shown *s, const char *id)
{
    double found = service(s, id);
    if (found < 0)
        found = of_patches(s, id);
    if (found < 0)
        found = of_period(s, id);
    for (size_t i = 0; found < 0 && i < sizeof shares / sizeof *shares; i++)
        if (!strcmp(id, shares[i].id))
            found = 100 * mean_of(s->e, shares[i].type, shares[i].stage) /
                    mean_of(s->e, shares[i].per, HTMT_EXECUTE);
    return found;
}

/* Ends of services, of a patch with its references: those at the SPELL are picked out later. */
struct services {
    uint32_t count;
    struct {
        double end;
        uint32_t resource;
    } service[LINES + SAMPLES + 300];
};

static void note(void *user, const struct htmt_event *event)
{
    struct services *s = user;
    if (event->stage != HTMT_EXECUTE || s->count == sizeof s->service / sizeof *s->service)
        return;
    s->service[s->count].end = 1e-15 * (double)event->time;
    s->service[s->count++].resource = event->resource;
}

/* (t_last - t_first) / (n - 1) of n services at the SPELL, after `skip` others. */
static double period_of(const struct services *s, uint32_t spell, uint32_t skip, uint32_t n)
{
    double first = 0, last = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->service[i].resource != spell)
            continue;
        first = at == skip ? s->service[i].end : first;
        last = at == skip + n - 1 ? s->service[i].end : last;
        at++;
    }
    return (last - first) / (n - 1);
}

/* Periods of lines have a test of their own. */
static void check_emulated(const struct row *r, void *user)
{
    struct shown *s = user;
    double target = strtod(r->column[RECOMPUTED], NULL);
    if (strcmp(r->column[USE], "model") || strstr(r->column[ID], ".period"))
        return;
    double found = in_unit(shown_by(s, r->column[ID]), r->column[UNIT]);
    cr_expect(fabs(found - target) <= allowed(r, target, false),
              "%s: emulated %.9g %s, expected %.9g", r->column[ID], found, r->column[UNIT], target);
    s->rows++;
}

Test(golden, emulated_patches_show_every_figure_of_the_paper)
{
    struct htmt__sar_input in = paper_input();
    struct focus one = paper_focus("hereld-tables", 1, 1), all = one;
    all.patches = PATCHES;
    struct focused first = focus(&one, &in), more = focus(&all, &in);
    struct shown s = {.e = more.emulator,
                      .period = 1e-15 * (double)(more.predicted - first.predicted) / (PATCHES - 1)};
    for_each_row(check_emulated, &s);
    cr_expect_eq(s.rows, 29);
    focus_free(&first);
    focus_free(&more);
}

struct periods {
    double range, azimuth;
    unsigned rows;
};

static void check_period(const struct row *r, void *user)
{
    struct periods *p = user;
    bool range = !strcmp(r->column[ID], "H.S.rline.period");
    if (!range && strcmp(r->column[ID], "H.S.aline.period"))
        return;
    double target = strtod(r->column[RECOMPUTED], NULL);
    double found = in_unit(range ? p->range : p->azimuth, r->column[UNIT]);
    cr_expect(fabs(found - target) <= allowed(r, target, false), "%s: emulated %.9g, expected %.9g",
              r->column[ID], found, target);
    p->rows++;
}

/* The references are made while the patch is read. */
Test(golden, emulated_lines_follow_each_other_in_the_periods_of_the_paper)
{
    struct services *s = calloc(1, sizeof *s);
    struct htmt__sar_input in = paper_input();
    struct focus f = paper_focus("hereld-tables", 1, 1);
    f.observe = note;
    f.user = s;
    struct focused out = focus(&f, &in);
    uint32_t spell = phase_of(out.emulator, "Range Line", HTMT_EXECUTE).resource;
    struct periods p = {period_of(s, spell, 2, LINES), period_of(s, spell, 2 + LINES, SAMPLES), 0};
    for_each_row(check_period, &p);
    cr_expect_eq(p.rows, 2);
    focus_free(&out);
    free(s);
}
