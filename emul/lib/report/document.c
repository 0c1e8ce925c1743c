/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A document borrows: of a run of this process its arrays are those of the experiment, of a file
 * its texts are those of the JSON object, and results and answers are its own. So clearing depends
 * on where it came from, and a document must not outlive its source. What an application does not
 * say is NULL here, and null in JSON; reports and pages leave it out.
 */
#include "emul/lib/report/document.h"

#include "runtime/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int htmt__pairs_add(struct htmt__pairs *pairs, const char *name, const char *value)
{
    if (!htmt__array_fits(&pairs->pair, &pairs->room, pairs->count + 1u, sizeof *pairs->pair))
        return HTMT_ENOMEM;
    pairs->pair[pairs->count++] = (struct htmt__pair){name, value};
    return 0;
}

const char *htmt__pairs_find(const struct htmt__pairs *pairs, const char *name)
{
    for (unsigned i = 0; i < pairs->count; i++)
        if (pairs->pair[i].name && strcmp(pairs->pair[i].name, name) == 0)
            return pairs->pair[i].value;
    return NULL;
}

bool htmt__document_is_model(const struct htmt__document *d)
{
    return strcmp(d->mode, "model") == 0;
}

/* Results and answers of a run of this process belong to the run; of a file they are copies. */
void htmt__document_clear(struct htmt__document *d)
{
    free(d->notes.pair);
    free(d->warnings.pair);
    free(d->options.pair);
    free(d->outputs.pair);
    free(d->not_modelled.pair);
    if (d->object) {
        htmt__results_clear(&d->results);
        htmt__summary_clear(&d->summary);
        htmt__lint_clear(&d->lint);
        htmt__explanation_clear(&d->explanation);
        json_decref(d->object);
    }
    *d = (struct htmt__document){0};
}

/* ---- of a run -------------------------------------------------------------------------------- */

/* NULL of what an application does not say. */
static const char *said(const char *text)
{
    return text[0] ? text : NULL;
}

/* Whether a layer's processors served anything that this figure is for: the rate of a class of
 * operations needs some that were counted, the overlap of classes ("lambda") two classes. */
static bool bank_used(const struct htmt__results *r, const char *layer, const char *figure)
{
    const struct htmt__resource *bank = NULL;
    unsigned counted = 0, wanted = HTMT_OP_CLASSES;
    for (unsigned i = 0; i < r->resource_count && !bank; i++)
        if (strcmp(r->resource[i].kind, "bank") == 0 &&
            strcmp(r->resource[i].layer_name, layer) == 0)
            bank = &r->resource[i];
    if (!bank || !bank->served)
        return false;
    for (unsigned c = 0; c < HTMT_OP_CLASSES; c++) {
        if (strcmp(figure, htmt__op_figures[c]) == 0)
            wanted = c;
        for (unsigned i = 0; i < r->phase_count; i++)
            if (strcmp(r->phase[i].resource, bank->name) == 0 && r->phase[i].classes.of[c] > 0)
                counted |= 1u << c;
    }
    if (strcmp(figure, "lambda") == 0)
        return (counted & (counted - 1)) != 0;
    return wanted == HTMT_OP_CLASSES || (counted & 1u << wanted);
}

/* Whether the run used what a key of the machine file describes: a machine leaves dozens of figures
 * open, and those of a network that nobody used are no news. The memory of a layer is used if words
 * were in it, a port if messages left by it, or words came to its layer. */
static bool is_touched(const struct htmt__results *r, const char *key)
{
    char kind[16] = "", name[64] = "", part[64] = "", rest[64] = "", last[64] = "", start[80];
    int n = sscanf(key, "%15[^.].%63[^.].%63[^.].%63[^.].%63s", kind, name, part, rest, last);
    bool used = false, words = false;
    if (strcmp(kind, "layers") == 0 && n >= 4 && strcmp(part, "processor") == 0)
        return bank_used(r, name, rest);
    if (strcmp(kind, "networks") != 0 && strcmp(kind, "layers") != 0)
        return true;
    snprintf(start, sizeof start, "%s ", name);
    for (unsigned i = 0; i < r->resource_count; i++) {
        const struct htmt__resource *of = &r->resource[i];
        const char *layer = kind[0] == 'l' ? name : rest;
        if (of->layer < r->memory_count && strcmp(of->layer_name, layer) == 0)
            words |= r->memory[of->layer].peak_words > 0;
        if (strncmp(of->name, start, strlen(start)) == 0 && strcmp(of->kind, "bank") != 0)
            used |= of->served > 0;
    }
    if (strcmp(kind, "layers") == 0)
        return words;
    return used && (strcmp(part, "ports") != 0 || words);
}

/* `r`: what the run used; NULL: nothing ran. */
static int take_machine(struct htmt__document *d, const struct htmt_machine *m,
                        const struct htmt__results *r)
{
    int rc = 0;
    d->machine = m->name;
    d->machine_slices = m->slices;
    d->machine_hash = m->hash;
    d->machine_file = said(m->path);
    for (uint32_t i = 0; i < m->figure_count && !rc; i++)
        if (strcmp(m->figure[i].value, "not-modelled") == 0 &&
            (!r || is_touched(r, m->figure[i].key)))
            rc = htmt__pairs_add(&d->not_modelled, NULL, m->figure[i].key);
    return rc;
}

/* What the run left over. */
static int take_left(struct htmt__document *d, const struct htmt_emulator *e)
{
    const char *left;
    int rc = d->results.steered ? htmt__pairs_add(&d->notes, NULL, HTMT__STEERED) : 0;
    for (uint32_t i = 0; !rc && (left = htmt_note_at(e, i)); i++)
        rc = htmt__pairs_add(&d->notes, NULL, left);
    return rc;
}

static int add_option(const char *name, const char *value, void *user)
{
    return htmt__pairs_add(&((struct htmt__document *)user)->options, name, value);
}

static int of_record(const struct htmt__provenance *r, const struct htmt__results *results,
                     struct htmt__document *d)
{
    *d = (struct htmt__document){
        .correct = -1,
        .app = r->options->app->name,
        .mode = r->verb,
        .slices = r->request->emulator.slices,
        .slices_why = htmt__provenance_slices_why(r),
        .threads = r->request->emulator.threads,
        .seed = r->request->seed,
        .version = r->version,
        .commit = r->commit,
        .costs = r->request->costs,
        .costs_hash = r->costs_hash,
        .costs_file = said(r->costs_path),
        .told.command = true,
    };
    int rc = take_machine(d, r->request->machine, results);
    if (!rc)
        rc = htmt__provenance_given(r, add_option, d);
    htmt__disturbed_find(r->request->machine, r->request->emulator.operations != NULL,
                         &d->disturbed);
    /* The files that the run was asked to write. */
    for (const char *const *o = r->options->app->outputs; o && *o && !rc; o++) {
        const char *path = htmt__pairs_find(&d->options, *o);
        rc = path ? htmt__pairs_add(&d->outputs, *o, path) : 0;
    }
    return rc;
}

int htmt__document_of_record(const struct htmt__provenance *r, struct htmt__document *d)
{
    return of_record(r, NULL, d);
}

static const char *why_unchecked(const struct htmt__experiment *x)
{
    if (x->outcome.correct >= 0)
        return NULL;
    if (x->record.request->emulator.mode == HTMT_MODEL)
        return "a model run has no data";
    if (x->outcome.unchecked[0])
        return x->outcome.unchecked;
    return x->record.options->app->check ? "nothing to compare with"
                                         : "nothing was checked: the application has no check";
}

static void tell(struct htmt__document *d)
{
    const struct htmt__results *r = &d->results;
    struct htmt__told *t = &d->told;
    t->complete = !d->fault.code;
    t->has_check = d->correct >= 0;
    t->has_closed_form = d->closed_form_s > 0;
    t->has_clock = r->clock.kind != NULL;
    t->predicted_s = (double)r->predicted / (double)HTMT_SECOND;
    t->flops_per_s = t->predicted_s > 0 ? d->flops / t->predicted_s : 0;
    t->events_per_window = r->clock.windows ? htmt__events_per_window(r) : (double)NAN;
    t->bottleneck = r->limit_count ? r->limit[0].report.name : NULL;
}

int htmt__document_of_experiment(const struct htmt__experiment *x, struct htmt__document *d)
{
    const struct htmt_outcome *o = &x->outcome;
    int rc = of_record(&x->record, &x->results, d);
    d->problem = said(o->problem);
    d->precision = said(o->precision);
    d->kernel_set = said(o->kernel_set);
    d->correct = o->correct;
    d->check_name = o->check.name;
    d->check_value = o->check.value;
    d->check_tolerance = o->check.tolerance;
    d->unchecked = why_unchecked(x);
    d->flops = o->flops;
    d->closed_form_s = o->closed_form_s > 0 ? o->closed_form_s : 0;
    d->closed_form_name = said(o->closed_form_name);
    if (!(o->closed_form_s > 0) && !x->record.options->app->tell)
        d->closed_form_missing = "the application does not have one";
    d->wall = o->wall;
    d->found = o->found;
    d->found_count = o->found_count;
    d->fault = x->fault;
    d->model = x->model;
    d->same_events = htmt__experiment_agrees(x);
    d->results = x->results;
    d->summary = x->summary;
    d->lint = x->lint;
    d->explanation = x->explanation;
    d->walls = x->walls;
    d->has_determinism = x->has_determinism;
    d->determinism = x->determinism;
    tell(d);
    for (unsigned i = 0; i < sizeof o->notes / sizeof *o->notes && !rc; i++)
        rc = o->notes[i][0] ? htmt__pairs_add(&d->notes, NULL, o->notes[i]) : 0;
    for (unsigned i = 0; i < o->warnings.count && !rc; i++)
        rc = htmt__pairs_add(&d->warnings, o->warnings.item[i].name, o->warnings.item[i].text);
    return rc ? rc : take_left(d, o->emulator);
}

int htmt__document_of_account(const struct htmt__account *x, struct htmt__document *d)
{
    const struct htmt_emulator *e = x->emulator;
    *d = (struct htmt__document){
        .program = true,
        .mode = htmt_emulator_options(e)->mode == HTMT_MODEL ? "model" : "run",
        .slices = htmt_emulator_slices(e),
        .threads = x->threads,
        .correct = -1,
        .fault = x->fault,
        .results = x->results,
        .summary = x->summary,
        .lint = x->lint,
        .explanation = x->explanation,
        .version = htmt__version(),
        .commit = htmt__commit(),
    };
    tell(d);
    int rc = take_machine(d, htmt_emulator_machine(e), &x->results);
    for (unsigned i = 0; i < x->results.unpriced_count && !rc; i++)
        rc = htmt__pairs_add(&d->warnings, "unpriced", x->results.unpriced[i].text);
    return rc ? rc : take_left(d, e);
}
