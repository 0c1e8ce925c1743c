/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every figure of Hereld et al. on volume rendering that the machine files must give, from
 * tests/golden/volume.csv: by the closed form, and by the parcel program on the virtual clock.
 *
 * The program renders what Table 8 is about: looking along an axis, bundles of 50 x 50 rays each go
 * straight through a column of subcubes of 50^3 voxels, so that every parcel has 2500 rays.
 */
#include "apps/volume/closed_form.h"
#include "apps/volume/costs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 9
#define DEPTH   60 /* subcubes of a column */
#define ACROSS  4  /* columns along either side of the image... */
#define LANES   16 /* ...all at once */
#define PARCELS (ACROSS * ACROSS * DEPTH)

enum column { ID, QUANTITY, VALUE, RECOMPUTED, UNIT, USE, MACHINE, TOLERANCE, NOTE };

struct row {
    char text[1024];
    char *column[COLUMNS];
};

/* Where the program shows the figure. */
enum show {
    NOWHERE,  /* a capacity, a formula of inputs; or 1000 parcels without bundles, for which
                 tests/parcels/volume_test.c has the bare pipeline */
    LENGTH,   /* mean length of a stage */
    USE_OF,   /* of a stage's servers, over the period */
    SPIM_USE, /* dispatch and retire */
    PERIOD,
    RATE /* parcels a second of all slices */
};

static const struct target {
    const char *id, *term;
    enum show show;
    enum htmt_stage_id stage;
    bool rays_in_sram;
} targets[] = {
    {"H.T8.spell.time", "cast", LENGTH, HTMT_EXECUTE, 0},
    {"H.T8.assemble.time", "assemble", LENGTH, HTMT_ASSEMBLE, 0},
    {"H.T8.assemble.util", "assemble use", USE_OF, HTMT_ASSEMBLE, 0},
    {"H.T8.gather.time", "gather", LENGTH, HTMT_GATHER, 0},
    {"H.T8.gather.util", "gather use", USE_OF, HTMT_GATHER, 0},
    {"H.T8.dispatch.time", "dispatch", LENGTH, HTMT_DISPATCH, 0},
    {"H.T8.dispatch.util", "dispatch use", USE_OF, HTMT_DISPATCH, 0},
    {"H.T8.inject.time", "inject", LENGTH, HTMT_INJECT, 0},
    {"H.T8.inject.util", "inject use", USE_OF, HTMT_INJECT, 0},
    {"H.T8.eject.time", "eject", LENGTH, HTMT_EJECT, 0},
    {"H.T8.eject.util", "eject use", USE_OF, HTMT_EJECT, 0},
    {"H.T8.retire.time", "retire", LENGTH, HTMT_RETIRE, 0},
    {"H.T8.retire.util", "retire use", USE_OF, HTMT_RETIRE, 0},
    {"H.T8.scatter.time", "scatter", LENGTH, HTMT_SCATTER, 0},
    {"H.T8.scatter.util", "scatter use", USE_OF, HTMT_SCATTER, 0},
    {"H.T8.cram.fit", "fit", NOWHERE, 0, 0},
    {"H.T8.cram.fit_dec", "fit", NOWHERE, 0, 0},
    {"H.T8.cram.fit_coderesident", "fit, code resident", NOWHERE, 0, 0},
    {"H.T8.cram.fit2", "fit", NOWHERE, 0, 0},
    {"H.T8.double.period", "period", PERIOD, 0, 0},
    {"H.T8.single.period", "period", PERIOD, 0, 0},
    {"H.T8.single.util.spell", "cast use", USE_OF, HTMT_EXECUTE, 0},
    {"H.T8.single.util.gather", "gather use", USE_OF, HTMT_GATHER, 0},
    {"H.T8.single.util.inject", "inject use", USE_OF, HTMT_INJECT, 0},
    {"H.T8.single.util.eject", "eject use", USE_OF, HTMT_EJECT, 0},
    {"H.T8.single.util.assemble", "assemble use", USE_OF, HTMT_ASSEMBLE, 0},
    {"H.T8.single.util.dispatch", "dispatch use", USE_OF, HTMT_DISPATCH, 0},
    {"H.T8.single.period.oct98", "period", PERIOD, 0, 0},
    {"H.T8.single.makespan.1000", "pipeline", NOWHERE, 0, 0},
    {"H.T8.double.makespan.1000", "pipeline", NOWHERE, 0, 0},
    {"H.T8.noray.gather.time", "gather", LENGTH, HTMT_GATHER, 1},
    {"H.T8.noray.gather.util", "gather use", USE_OF, HTMT_GATHER, 1},
    {"H.T8.noray.single.gather.util", "gather use", USE_OF, HTMT_GATHER, 1},
    {"H.V.rhs_SC", "break-even, inject", NOWHERE, 0, 0},
    {"H.V.rhs_DS", "break-even, gather", NOWHERE, 0, 0},
    {"H.V.parcel_time", "cast", NOWHERE, 0, 0},
    {"H.V.rate.256", "rate", RATE, 0, 0},
    {"H.V.voxels.256", "largest job", NOWHERE, 0, 0},
    {"H.V.pixels.256", "largest image", NOWHERE, 0, 0},
    {"H.V.words.256", "largest volume", NOWHERE, 0, 0},
    {"H.V.rate.single", "rate", RATE, 0, 0},
    {"H.V.voxels.single", "largest job", NOWHERE, 0, 0},
    {"H.T9.vol.parcel", "cast", LENGTH, HTMT_EXECUTE, 0},
    {"H.T9.vol.SPIM", "SPIM use", SPIM_USE, 0, 0},
    {"H.T9.vol.DPIM", "assemble use", USE_OF, HTMT_ASSEMBLE, 0},
    {"H.T9.vol.StoC", "inject use", USE_OF, HTMT_INJECT, 0},
    {"H.T9.vol.CtoS", "eject use", USE_OF, HTMT_EJECT, 0},
    {"H.T9.vol.DtoS", "gather use", USE_OF, HTMT_GATHER, 0},
    {"H.T9.vol.StoD", "scatter use", USE_OF, HTMT_SCATTER, 0},
    {"H.T9.vol.CRAM", "CRAM use", NOWHERE, 0, 0},
};
#define TARGETS (sizeof targets / sizeof *targets)

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

static const struct target *find_target(const char *id)
{
    for (size_t k = 0; k < TARGETS; k++)
        if (!strcmp(targets[k].id, id))
            return &targets[k];
    return NULL;
}

/* In the unit of the row. */
static double in_unit(double value, const char *unit)
{
    return !strcmp(unit, "us") ? value * 1e6 : !strcmp(unit, "ms") ? value * 1e3 : value;
}

/* The rules of the golden data; `sharp`: a closed form meets the recomputed value to its seven
 * digits. */
static void compare(const struct row *r, double found, bool sharp, const char *by)
{
    char *kind;
    double allowed = strtod(r->column[TOLERANCE], &kind);
    double recomputed = strtod(r->column[RECOMPUTED], NULL), target = recomputed;
    if (!strcmp(kind, "abs"))
        target = strtod(r->column[VALUE], NULL);
    else if (strcmp(kind, "pp"))
        allowed = fmax(allowed, 1e-6) * fabs(recomputed);
    if (sharp) {
        target = recomputed;
        allowed = 1e-6 * fabs(recomputed);
    }
    cr_expect(fabs(found - target) <= allowed, "%s (%s) by %s: found %.9g %s, expected %.9g +- %g",
              r->column[ID], r->column[QUANTITY], by, found, r->column[UNIT], target, allowed);
}

/* ---- the machine and the problem ------------------------------------------------------------ */

/* "hereld-tables+2cram" is hereld-tables with twice the CRAM. */
static struct htmt_machine *load(const char *name, bool one_slice)
{
    char base[64], room[64];
    const char *set[2] = {room, "slices=1"};
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    const char *plus = strstr(name, "+2cram");
    snprintf(base, sizeof base, "%.*s", plus ? (int)(plus - name) : 60, name);
    bool decimal = !strcmp(base, "hereld-tables");
    snprintf(room, sizeof room, "layers.cram.memory.capacity=%u words",
             (plus ? 2u : 1u) * (decimal ? 128000u : 131072u));
    cr_assert_eq(htmt_machine_load(base, set, one_slice ? 2 : 1, &m, &fault), 0, "%s", fault.text);
    return m;
}

static void make_plan(const struct htmt_machine *m, bool rays_in_sram,
                      struct htmt__volume_plan *plan)
{
    struct htmt__volume_charges papers;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_costs_read("costs/volume-hereld.yaml", &papers, &fault), 0, "%s",
                 fault.text);
    uint32_t edge = (uint32_t)papers.edge, cells = edge - 1;
    struct htmt__volume_problem problem = {
        .dims = {ACROSS * cells + 1, DEPTH * cells + 1, ACROSS * cells + 1},
        .width = ACROSS * edge,
        .height = ACROSS * edge,
        .frames = 1,
        .edge = edge,
        .side = (uint32_t)sqrt((double)papers.rays),
        .lanes = LANES,
        .voxel = 4,
        .channels = 1,
        .table_rows = 4081,
        .rays_in_dram = !rays_in_sram};
    cr_assert_eq(htmt__volume_plan(m, &problem, &papers, plan, &fault), 0, "%s", fault.text);
}

/* ---- the closed form ------------------------------------------------------------------------ */

static void check_closed_form(const struct row *r, const struct target *t)
{
    struct htmt_machine *m = load(r->column[MACHINE], false);
    struct htmt__volume_plan plan;
    struct htmt__volume_prediction p;
    struct htmt_fault fault = {0};
    uint64_t n = 1000ul * m->slices;
    make_plan(m, t->rays_in_sram, &plan);
    const struct htmt__volume_charges *k = &plan.charges;
    uint64_t voxels = k->edge * k->edge * k->edge;
    struct htmt__volume_load all = {.parcels = n,
                                    .bundles = n,
                                    .voxels = n * voxels,
                                    .rays = n * k->rays,
                                    .samples = n * voxels * k->alpha.num / k->alpha.den,
                                    .visits = n,
                                    .crossings = n};
    cr_assert_eq(htmt__volume_predict(m, &plan, &all, &p, &fault), 0, "%s", fault.text);
    const struct htmt__volume_term *term = htmt__volume_term(&p, t->term);
    cr_assert_not_null(term, "no term \"%s\"", t->term);
    compare(r, in_unit(term->value, r->column[UNIT]), true, "the closed form");
    htmt_machine_destroy(&m);
}

/* ---- the parcel program --------------------------------------------------------------------- */

/* Of executions; the pipeline fills before the first and drains behind the last. */
struct ends {
    htmt_time first, last;
    uint64_t parcels;
    struct htmt_emulator *e;
};

static void note(void *user, const struct htmt_event *event)
{
    struct ends *ends = user;
    struct htmt_resource_report resource;
    if (event->stage != HTMT_EXECUTE || htmt_resource_at(ends->e, event->resource, &resource) ||
        strcmp(resource.name, "SPELL") != 0)
        return;
    ends->parcels++;
    if (ends->parcels == PARCELS / 4)
        ends->first = event->time;
    if (ends->parcels == PARCELS / 4 * 3)
        ends->last = event->time;
}

struct shown {
    double length[HTMT_STAGES], use[HTMT_STAGES]; /* s, % */
    double period;                                /* s */
};

/* The image goes out once for a bundle; a parcel's part of it is what the figures are about. */
static void take_phase(struct htmt_emulator *e, const struct htmt_phase_report *phase,
                       const struct ends *ends, struct shown *s)
{
    bool composite = !strcmp(phase->type, "Composite") && phase->stage == HTMT_EJECT;
    struct htmt_resource_report resource;
    if (strcmp(phase->type, "Subcube") != 0 && !composite)
        return;
    cr_assert_eq(htmt_resource_at(e, phase->resource, &resource), 0);
    double busy = 1e-15 * (double)phase->busy, parcels = (double)ends->parcels;
    enum htmt_stage_id stage = composite ? HTMT_SCATTER : phase->stage;
    s->length[stage] = busy / parcels;
    s->use[stage] = 100 * busy / resource.count / (parcels * s->period);
}

static struct shown emulate(const char *machine, bool rays_in_sram)
{
    struct htmt_machine *m = load(machine, true);
    struct htmt__volume_plan plan;
    struct htmt__camera camera;
    struct htmt_fault fault = {0};
    struct ends ends = {0};
    struct shown s = {.period = 0};
    make_plan(m, rays_in_sram, &plan);
    const struct htmt__volume_problem *o = &plan.problem;
    double middle[3];
    for (int a = 0; a < 3; a++)
        middle[a] = (o->dims[a] - 1) / 2.0;
    const struct htmt__view view = {.eye = {middle[0], 2.0 * o->dims[1], middle[2]},
                                    .focal = {middle[0], middle[1], middle[2]},
                                    .up = {0, 0, 1},
                                    .half_height = middle[2],
                                    .width = o->width,
                                    .height = o->height};
    cr_assert_eq(htmt__camera_create(&view, &camera, &fault), 0, "%s", fault.text);
    const struct htmt__casting casting = {.step = 1, .spacing = {1, 1, 1}, .limit = 0};
    struct htmt__lookup lookup = {.channels = 1};
    struct htmt__volume_work work = {.plan = &plan,
                                     .lookup = &lookup,
                                     .casting = &casting,
                                     .camera = &camera,
                                     .alpha = plan.charges.alpha};
    struct htmt_options options = {
        .machine = m, .mode = HTMT_MODEL, .observe = note, .user = &ends};
    struct htmt_emulator *e = NULL;
    struct htmt__volume_program *program = NULL;
    cr_assert_eq(htmt_emulator_create(&e, &options), 0);
    ends.e = e;
    cr_assert_eq(htmt__volume_program_create(e, &work, &program, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    cr_assert_eq(ends.parcels, PARCELS);
    s.period = 1e-15 * (double)(ends.last - ends.first) / (PARCELS / 2);
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        struct htmt_phase_report phase;
        cr_assert_eq(htmt_phase_at(e, i, &phase), 0);
        take_phase(e, &phase, &ends, &s);
    }
    htmt_emulator_destroy(&e);
    htmt__volume_program_destroy(&program);
    htmt_machine_destroy(&m);
    return s;
}

static double shown_by(const struct shown *s, const struct target *t)
{
    switch (t->show) {
    case LENGTH:
        return s->length[t->stage];
    case USE_OF:
        return s->use[t->stage];
    case SPIM_USE:
        return s->use[HTMT_DISPATCH] + s->use[HTMT_RETIRE];
    case PERIOD:
        return s->period;
    case RATE:
        return 4096 / s->period;
    case NOWHERE:
        break;
    }
    return NAN;
}

/* ---- all ------------------------------------------------------------------------------------ */

static unsigned each_row(void (*check)(const struct row *, const struct target *))
{
    FILE *f = fopen("tests/golden/volume.csv", "r");
    struct row r;
    unsigned rows = 0;
    cr_assert_not_null(f, "run from the top of the source tree");
    cr_assert_not_null(fgets(r.text, sizeof r.text, f));
    for (; fgets(r.text, sizeof r.text, f); rows++) {
        cr_assert(split(&r), "row %u is malformed", rows);
        const struct target *t = find_target(r.column[ID]);
        cr_assert_not_null(t, "nothing stands for row %s", r.column[ID]);
        check(&r, t);
    }
    fclose(f);
    return rows;
}

Test(golden, the_closed_form_gives_every_figure_of_the_paper)
{
    cr_expect_eq(each_row(check_closed_form), TARGETS);
}

/* One emulation for each machine and place of the rays. */
static void check_program(const struct row *r, const struct target *t)
{
    static struct {
        char machine[64];
        bool rays_in_sram;
        struct shown shown;
    } done[8];
    size_t i = 0;
    if (t->show == NOWHERE)
        return;
    while (*done[i].machine && (strcmp(done[i].machine, r->column[MACHINE]) != 0 ||
                                done[i].rays_in_sram != t->rays_in_sram))
        i++;
    if (!*done[i].machine) {
        snprintf(done[i].machine, sizeof done[i].machine, "%s", r->column[MACHINE]);
        done[i].rays_in_sram = t->rays_in_sram;
        done[i].shown = emulate(r->column[MACHINE], t->rays_in_sram);
    }
    compare(r, in_unit(shown_by(&done[i].shown, t), r->column[UNIT]), false, "the program");
}

Test(golden, the_parcel_program_gives_what_the_virtual_clock_can_show)
{
    each_row(check_program);
}

Test(golden, room_for_two_keeps_the_spell_busy_and_room_for_one_leaves_it_85_percent)
{
    cr_expect_float_eq(emulate("hereld-tables+2cram", false).use[HTMT_EXECUTE], 100, 1);
    cr_expect_float_eq(emulate("hereld-tables", false).use[HTMT_EXECUTE], 85, 1);
}
