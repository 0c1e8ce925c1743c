/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/document.h"

#include <stdlib.h>
#include <string.h>

int htmt__pairs_add(struct htmt__pairs *pairs, const char *name, const char *value)
{
    struct htmt__pair *more = reallocarray(pairs->pair, pairs->count + 1u, sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    more[pairs->count++] = (struct htmt__pair){name, value};
    pairs->pair = more;
    return 0;
}

const char *htmt__pairs_find(const struct htmt__pairs *pairs, const char *name)
{
    for (unsigned i = 0; i < pairs->count; i++)
        if (pairs->pair[i].name && strcmp(pairs->pair[i].name, name) == 0)
            return pairs->pair[i].value;
    return NULL;
}

static void clear_pairs(struct htmt__pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct htmt__pairs){0};
}

bool htmt__document_is_model(const struct htmt__document *d)
{
    return strcmp(d->mode, "model") == 0;
}

/* What a run has belongs to the run. */
static void clear_read(struct htmt__document *d)
{
    htmt__results_clear(&d->results);
    htmt__summary_clear(&d->summary);
    htmt__lint_clear(&d->lint);
    htmt__explanation_clear(&d->explanation);
    json_decref(d->object);
}

void htmt__document_clear(struct htmt__document *d)
{
    clear_pairs(&d->notes);
    clear_pairs(&d->warnings);
    clear_pairs(&d->options);
    clear_pairs(&d->outputs);
    clear_pairs(&d->not_modelled);
    if (d->object)
        clear_read(d);
    *d = (struct htmt__document){0};
}

/* ---- of a run -------------------------------------------------------------------------------- */

/* NULL of what an application does not say. */
static const char *said(const char *text)
{
    return text[0] ? text : NULL;
}

static int take_open_figures(struct htmt__document *d, const struct htmt_machine *m)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->figure_count && !rc; i++)
        if (strcmp(m->figure[i].value, "not-modelled") == 0)
            rc = htmt__pairs_add(&d->not_modelled, NULL, m->figure[i].key);
    return rc;
}

static int take_machine(struct htmt__document *d, const struct htmt_machine *m)
{
    d->machine = m->name;
    d->machine_slices = m->slices;
    d->machine_hash = m->hash;
    d->machine_file = said(m->path);
    return take_open_figures(d, m);
}

/* What the emulator tells. */
static int take_left(struct htmt__document *d, const struct htmt_emulator *e)
{
    const char *left;
    int rc = 0;
    for (uint32_t i = 0; !rc && (left = htmt_note_at(e, i)); i++)
        rc = htmt__pairs_add(&d->notes, NULL, left);
    return rc;
}

static int take_texts(struct htmt__document *d, const struct htmt_outcome *o)
{
    int rc = 0;
    for (unsigned i = 0; i < sizeof o->notes / sizeof *o->notes && !rc; i++)
        rc = o->notes[i][0] ? htmt__pairs_add(&d->notes, NULL, o->notes[i]) : 0;
    for (unsigned i = 0; i < o->warnings.count && !rc; i++)
        rc = htmt__pairs_add(&d->warnings, o->warnings.item[i].name, o->warnings.item[i].text);
    return rc ? rc : take_left(d, o->emulator);
}

static int add_option(const char *name, const char *value, void *user)
{
    struct htmt__document *d = user;
    return htmt__pairs_add(&d->options, name, value);
}

/* The files that the run was asked to write. */
static int take_outputs(struct htmt__document *d, const char *const *outputs)
{
    int rc = 0;
    for (; outputs && *outputs && !rc; outputs++) {
        const char *path = htmt__pairs_find(&d->options, *outputs);
        rc = path ? htmt__pairs_add(&d->outputs, *outputs, path) : 0;
    }
    return rc;
}

static void take_record(struct htmt__document *d, const struct htmt__provenance *r)
{
    d->app = r->options->app->name;
    d->mode = r->verb;
    d->slices = r->request->emulator.slices;
    d->slices_why = htmt__provenance_slices_why(r);
    d->threads = r->request->emulator.threads;
    d->seed = r->request->seed;
    d->version = r->version;
    d->commit = r->commit;
    d->costs = r->request->costs;
    d->costs_hash = r->costs_hash;
    d->costs_file = said(r->costs_path);
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

static void take_outcome(struct htmt__document *d, const struct htmt__experiment *x)
{
    const struct htmt_outcome *o = &x->outcome;
    d->problem = said(o->problem);
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
}

static void take_answers(struct htmt__document *d, const struct htmt__experiment *x)
{
    d->fault = x->fault;
    d->model = x->model;
    d->same_events = htmt__experiment_agrees(x);
    d->results = x->results;
    d->summary = x->summary;
    d->lint = x->lint;
    d->explanation = x->explanation;
    d->has_determinism = x->has_determinism;
    d->determinism = x->determinism;
}

int htmt__document_of_record(const struct htmt__provenance *record, struct htmt__document *d)
{
    *d = (struct htmt__document){.correct = -1};
    take_record(d, record);
    int rc = take_machine(d, record->request->machine);
    if (!rc)
        rc = htmt__provenance_given(record, add_option, d);
    return rc ? rc : take_outputs(d, record->options->app->outputs);
}

int htmt__document_of_experiment(const struct htmt__experiment *x, struct htmt__document *d)
{
    int rc = htmt__document_of_record(&x->record, d);
    take_outcome(d, x);
    take_answers(d, x);
    return rc ? rc : take_texts(d, &x->outcome);
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
    int rc = take_machine(d, htmt_emulator_machine(e));
    return rc ? rc : take_left(d, e);
}
