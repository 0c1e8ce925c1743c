/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How golden rows are judged.
 *
 * A row says what it is for. *input*: a machine or cost file must hold the value, as printed or as
 * recomputed, to six digits. *predict*: the closed form of the application that has a paper figure
 * with the row's id must lie within the row's tolerance. *model*: the emulation must, too. All
 * others are kept for reference, and not judged.
 *
 * Many rows come from one experiment of a paper, so a command line is run once for all of them: the
 * first row that needs it is found, the application prepares and predicts, and every row whose
 * application, options and machine are the same takes its own term out of the prediction; if any of
 * them has a measure, the model is emulated, and they take these as well. A row without an answer
 * is missed, with the reason. Only a failure of the host (memory, I/O: exit status 4) leaves a row
 * unjudged, as it says nothing of the model.
 *
 * By hand: a row has the value 4.4 us, recomputed 4.412 us, tolerance 1e-3. Its figure
 * names the term "spell", which the closed form gives as 4.4119e-6 s, 4.4119 in the row's unit:
 * 0.0001 off, where 0.0044 is allowed. With the tolerance "0.05abs" 4.4119 would be compared
 * with 4.4, as printed.
 */
#include "emul/validate/validation.h"

#include "emul/lib/questions/quiet_run.h"
#include "emul/validate/constant.h"
#include "emul/validate/loops.h"
#include "emul/validate/measure.h"
#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE 1e-6 /* relative tolerance of constants in files */

struct validating {
    struct htmt__validation *v;
    const struct htmt_app *const *apps;
    const struct htmt__validation_options *options;
    struct htmt_fault *fault;
};

/* ---- paper figures -------------------------------------------------------------------------- */

const struct htmt_paper_figure *htmt__paper_figure_find(const struct htmt_app *const *apps,
                                                        const char *row,
                                                        const struct htmt_app **app)
{
    for (; *apps; apps++)
        for (const struct htmt_paper_figure *c = (*apps)->paper_figures; c && c->row; c++)
            if (!strcmp(c->row, row)) {
                *app = *apps;
                return c;
            }
    return NULL;
}

#define MACHINE " --machine "

/* The value of an option of a paper figure; "-" if it has no such option. */
static void read_option(const struct htmt_paper_figure *figure, const char *option,
                        char name[static 64])
{
    const char *at = figure ? strstr(figure->options, option) : NULL;
    if (!at || sscanf(at + strlen(option), "%63s", name) != 1)
        snprintf(name, 64, "-");
}

/* The machine of the row; if it has none, the machine at the end of the options. */
static void machine_of(const struct htmt__finding *f, char name[static 64])
{
    if (strcmp(f->row->machine, "-"))
        snprintf(name, 64, "%s", f->row->machine);
    else
        read_option(f->figure, MACHINE, name);
}

static size_t other_options(const struct htmt__finding *f)
{
    const char *end = strstr(f->figure->options, MACHINE);
    return end ? (size_t)(end - f->figure->options) : strlen(f->figure->options);
}

static bool wants_quiet_run(const struct htmt__finding *f)
{
    return f->figure && (f->figure->term || f->figure->measure);
}

static bool wants_emulation(const struct validating *w, const struct htmt__finding *f)
{
    return wants_quiet_run(f) && f->figure->measure && !w->options->closed_forms_only;
}

/* ---- values --------------------------------------------------------------------------------- */

static double in_unit(const struct htmt__finding *f, double value)
{
    return value / htmt__unit_size(f->row->unit);
}

/* Keeps the first failure as the reason. */
static void blame(struct htmt__finding *f, const char *what, const struct htmt_fault *fault)
{
    if (*f->why)
        return;
    snprintf(f->why, sizeof f->why, "%s: %s", what, fault->text);
    f->code = fault->code;
}

struct names {
    struct htmt__constants files;
    htmt__expression_value *read;
    struct htmt__shown shown;
};

/* A name of the run or of the closed form, or "@KEY" for a figure of a file. */
static int read_name(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    struct names *names = user;
    return *name == '@' ? htmt__constant(&names->files, name + 1, value, fault)
                        : names->read(&names->shown, name, value, fault);
}

static bool take(struct htmt__finding *f, const struct htmt__quiet_run *t, bool emulated,
                 double *found)
{
    struct names names = {{.machine = t->machine, .costs = t->request.costs},
                          emulated ? htmt__measure : htmt__term,
                          {&t->outcome, t->prediction}};
    struct htmt_fault fault = {0};
    double value;
    if (htmt__expression(emulated ? f->figure->measure : f->figure->term, read_name, &names, &value,
                         &fault)) {
        blame(f, emulated ? "emulation" : "closed form", &fault);
        return false;
    }
    *found = in_unit(f, value);
    return true;
}

static void take_constant(const struct validating *w, struct htmt__finding *f)
{
    const char *formula = f->figure ? f->figure->input : htmt__machine_constant(f->row->id);
    char machine[64], costs[64];
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    double value = 0;
    if (!formula)
        return;
    machine_of(f, machine);
    read_option(f->figure, "--costs ", costs);
    int rc = htmt__quiet_run_machine(machine, w->options->set, w->options->set_count, &m, &fault);
    struct htmt__constants where = {m, strcmp(costs, "-") ? costs : NULL, w->v->golden};
    if (!rc)
        rc = htmt__constant(&where, formula, &value, &fault);
    if (rc)
        blame(f, "file", &fault);
    f->is_held = !rc;
    f->held = in_unit(f, value);
    htmt_machine_destroy(&m);
}

/* ---- one command line ----------------------------------------------------------------------- */

/* The findings that the command line of `first` answers: those of the same application, options and
 * machine. NULL behind the last. `at` begins as 0, 0. */
static struct htmt__finding *next_alike(const struct validating *w,
                                        const struct htmt__finding *first, unsigned at[2])
{
    const size_t length = other_options(first);
    char machine[64], other[64];
    machine_of(first, machine);
    for (; at[0] < w->v->count; at[0]++, at[1] = 0)
        while (at[1] < w->v->section[at[0]].count) {
            struct htmt__finding *f = &w->v->section[at[0]].finding[at[1]++];
            if (!wants_quiet_run(f) || f->app != first->app || other_options(f) != length ||
                strncmp(f->figure->options, first->figure->options, length) != 0)
                continue;
            machine_of(f, other);
            if (!strcmp(other, machine))
                return f;
        }
    return NULL;
}

/* All of them take what they want of the emulation, or of the closed form; `failed`: the reason why
 * there is none, else NULL. */
static void fill(const struct validating *w, const struct htmt__finding *first,
                 const struct htmt__quiet_run *run, bool emulated, const struct htmt_fault *failed)
{
    struct htmt__finding *f;
    for (unsigned at[2] = {0}; (f = next_alike(w, first, at));) {
        f->is_tried = true;
        if (emulated ? !wants_emulation(w, f) : !f->figure->term && !failed)
            continue;
        if (failed)
            blame(f, emulated ? "emulation" : "closed form", failed);
        else if (emulated)
            f->is_emulated = take(f, run, true, &f->emulated);
        else
            f->is_predicted = take(f, run, false, &f->predicted);
    }
}

static void tell(const struct validating *w, const struct htmt__finding *f, const char *verb)
{
    char what[400], machine[64];
    if (!w->options->progress)
        return;
    machine_of(f, machine);
    snprintf(what, sizeof what, "%s %s on %s %.*s", verb, f->app->name, machine,
             (int)other_options(f), f->figure->options);
    w->options->progress(w->options->user, what);
}

/* Runs the command line of `first` once and lets every row that it answers take its value: first of
 * the closed form, then, if one of them has a measure, of the model run. The report explains each
 * emulation; without memory it leaves the explanation out. */
static void answer(const struct validating *w, const struct htmt__finding *first)
{
    struct htmt__validation *v = w->v;
    struct htmt__quiet_run *t = calloc(1, sizeof *t);
    struct htmt_fault fault = {0};
    const struct htmt__finding *f;
    char machine[64];
    bool wanted = false;
    machine_of(first, machine);
    int rc = t ? 0 : htmt_fault_set(&fault, HTMT_ENOMEM, "out of memory");
    tell(w, first, "predict");
    v->totals.predictions++;
    if (!rc)
        rc = htmt__quiet_run_prepare(first->app, first->figure->options, machine, w->options->set,
                                     w->options->set_count, t, &fault);
    if (!rc)
        rc = htmt__quiet_run_predict(t, &fault);
    fill(w, first, t, false, rc ? &fault : NULL);
    for (unsigned at[2] = {0}; !rc && (f = next_alike(w, first, at));)
        wanted |= wants_emulation(w, f);
    if (wanted) {
        fault = (struct htmt_fault){0};
        tell(w, first, "model");
        v->totals.emulations++;
        t->request.emulator.explain = true;
        rc = htmt__quiet_run_emulate(t, &fault);
        if (!rc && htmt__array_fits(&v->emulation, &v->emulation_room, v->emulation_count + 1,
                                    sizeof *v->emulation)) {
            struct htmt__emulation *e = &v->emulation[v->emulation_count];
            *e = (struct htmt__emulation){.app = first->app};
            snprintf(e->machine, sizeof e->machine, "%s", machine);
            snprintf(e->options, sizeof e->options, "%.*s", (int)other_options(first),
                     first->figure->options);
            if (!htmt__explanation_make(t->outcome.emulator, &t->outcome, &e->why))
                v->emulation_count++;
        }
        fill(w, first, t, true, rc ? &fault : NULL);
    }
    if (t)
        htmt__quiet_run_clear(t);
    free(t);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static bool is_within(const struct htmt__golden_row *r, double found)
{
    double target = htmt__golden_target(r);
    return fabs(found - target) <= htmt__golden_allowed(r) * (1 + 1e-9);
}

static void miss(struct htmt__finding *f, const char *why)
{
    bool host_failed = f->code && htmt_exit_status(f->code) == htmt_exit_status(HTMT_ENOMEM);
    f->verdict = host_failed ? HTMT__CANNOT_JUDGE : HTMT__MISSED;
    if (!*f->why)
        snprintf(f->why, sizeof f->why, "%s", why);
}

static bool is_near(double found, const char *wanted)
{
    const double b = strtod(wanted, NULL);
    return *wanted && fabs(found - b) <= CLOSE * fabs(b);
}

/* A row of use model must be met by the closed form and by the emulation, unless its figure has no
 * term: then the emulation alone shows it, and --closed-forms leaves it unjudged. */
static void judge(const struct validating *w, struct htmt__finding *f)
{
    struct htmt__totals *t = &w->v->totals;
    const struct htmt__golden_row *r = f->row;
    const double found = f->is_held ? f->held : f->predicted;
    const bool model = r->use == HTMT__MODEL, emulated = model && !w->options->closed_forms_only,
               shown_only = model && f->figure && !f->figure->term;
    if (r->use > HTMT__INPUT || f->is_absent || (shown_only && !emulated))
        ;
    else if (r->use == HTMT__INPUT && !f->is_held && !f->is_predicted)
        miss(f, "no file and no application answers for it");
    else if (r->use == HTMT__INPUT && !is_near(found, r->value) && !is_near(found, r->recomputed))
        miss(f, "the files hold another value");
    else if (r->use == HTMT__INPUT)
        f->verdict = HTMT__MET;
    else if (!f->figure && !htmt__loops_answer(r))
        miss(f, "no application answers for it");
    else if (!f->is_predicted && !shown_only)
        miss(f, "it has no closed form");
    else if (f->is_predicted && !is_within(r, f->predicted))
        miss(f, "the closed form is too far off");
    else if (emulated && !f->is_emulated)
        miss(f, "no emulation shows it");
    else if (emulated && !is_within(r, f->emulated))
        miss(f, "the emulation is too far off");
    else
        f->verdict = HTMT__MET;
    t->rows++;
    t->use[r->use]++;
    t->met_use[r->use] += f->verdict == HTMT__MET;
    t->judged += f->verdict != HTMT__NOT_JUDGED;
    t->met += f->verdict == HTMT__MET;
    t->missed += f->verdict == HTMT__MISSED;
    t->cannot_judge += f->verdict == HTMT__CANNOT_JUDGE;
    t->absent += f->is_absent;
}

/* ---- all ------------------------------------------------------------------------------------ */

bool htmt__validation_chooses(const struct htmt__validation_options *o, const char *table)
{
    for (unsigned i = 0; i < o->table_count; i++)
        if (!strncmp(table, o->tables[i], strlen(o->tables[i])))
            return true;
    return o->table_count == 0;
}

static int check_names(const struct htmt__golden *g, const struct htmt__validation_options *o,
                       struct htmt_fault *fault)
{
    for (unsigned i = 0; i < o->table_count; i++) {
        const char *name = o->tables[i];
        unsigned k = 0;
        while (k < g->count && strncmp(g->table[k].name, name, strlen(name)) != 0)
            k++;
        if (k < g->count && *name)
            continue;
        const char **known = calloc(g->count + 1, sizeof *known);
        for (k = 0; known && k < g->count; k++)
            known[k] = g->table[k].name;
        const char *near = known ? htmt__suggest_near(name, known, g->count) : NULL;
        free(known);
        return near ? htmt_fault_set(fault, HTMT_EUSAGE,
                                     "there is no table '%s', did you mean '%s'?", name, near)
                    : htmt_fault_set(fault, HTMT_EUSAGE,
                                     "there is no table '%s'; 'htmt validate --list' lists them",
                                     name);
    }
    return 0;
}

static bool is_elsewhere(const struct htmt__validation_options *o,
                         const struct htmt__golden_row *row)
{
    return o->machine && strcmp(o->machine, row->machine) != 0;
}

static int open_sections(const struct validating *w, const struct htmt__golden *g)
{
    w->v->section = calloc(g->count + 1, sizeof *w->v->section);
    if (!w->v->section)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < g->count; i++) {
        const struct htmt__golden_table *table = &g->table[i];
        if (!htmt__validation_chooses(w->options, table->name))
            continue;
        struct htmt__section *s = &w->v->section[w->v->count++];
        *s = (struct htmt__section){table, table->count,
                                    calloc(table->count + 1, sizeof *s->finding)};
        if (!s->finding)
            return htmt_fault_set(w->fault, HTMT_ENOMEM, "out of memory");
        for (unsigned k = 0; k < s->count; k++) {
            struct htmt__finding *f = &s->finding[k];
            f->row = &table->row[k];
            if (!is_elsewhere(w->options, f->row))
                f->figure = htmt__paper_figure_find(w->apps, f->row->id, &f->app);
        }
    }
    return 0;
}

/* A loop's bound, or a constant beside it. */
static void take_loop(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                      struct htmt__finding *f)
{
    const bool input = f->row->use == HTMT__INPUT;
    struct htmt_fault fault = {0};
    double value = 0;
    const int rc = htmt__loops_value(sheets, table, f->row, &value, &fault);
    if (rc)
        blame(f, input ? "file" : "bound", &fault);
    f->is_tried = true;
    f->is_absent = rc == HTMT_ENOENT && !input;
    *(input ? &f->is_held : &f->is_predicted) = !rc;
    *(input ? &f->held : &f->predicted) = value;
}

int htmt__validate(const struct htmt__golden *golden, const struct htmt_app *const *apps,
                   const struct htmt__validation_options *options,
                   struct htmt__validation *validation, struct htmt_fault *fault)
{
    struct validating w = {validation, apps, options, fault};
    struct htmt__sheets *sheets = NULL;
    *validation = (struct htmt__validation){.golden = golden};
    int rc = check_names(golden, options, fault);
    if (!rc)
        rc = open_sections(&w, golden);
    if (!rc && htmt__sheets_make(golden, &sheets))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < validation->count && !rc; i++)
        for (unsigned k = 0; k < validation->section[i].count; k++) {
            struct htmt__section *s = &validation->section[i];
            struct htmt__finding *f = &s->finding[k];
            const bool here = !is_elsewhere(options, f->row), input = f->row->use == HTMT__INPUT;
            if (here && htmt__loops_answer(f->row)) {
                take_loop(sheets, s->table, f);
                continue;
            }
            if (wants_quiet_run(f) && !f->is_tried)
                answer(&w, f);
            if (here && input && !wants_quiet_run(f))
                take_constant(&w, f);
        }
    for (unsigned i = 0; i < validation->count && !rc; i++)
        for (unsigned k = 0; k < validation->section[i].count; k++)
            judge(&w, &validation->section[i].finding[k]);
    htmt__sheets_destroy(&sheets);
    if (rc)
        htmt__validation_clear(validation);
    return rc;
}

void htmt__validation_clear(struct htmt__validation *validation)
{
    for (unsigned i = 0; i < validation->count; i++)
        free(validation->section[i].finding);
    for (unsigned i = 0; i < validation->emulation_count; i++)
        htmt__explanation_clear(&validation->emulation[i].why);
    free(validation->section);
    free(validation->emulation);
    *validation = (struct htmt__validation){0};
}
