/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A validation as JSON (docs/json.md) and as CSV.
 *
 * jansson reports a lack of memory by returning NULL, and json_pack() with "o" takes over its
 * values and returns NULL if one of them is NULL. An array that could not take a value is therefore
 * dropped and becomes NULL, so that the failure reaches the whole object; the caller sees it once.
 * Numbers that are not there are null in JSON and empty in CSV, never 0.
 */
#include "emul/lib/options/provenance.h"
#include "emul/validate/report.h"
#include "runtime/base/csv_cell.h"
#include "runtime/base/jansson.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "htmt-validation-1"

static const char *const verdicts[] = {[HTMT__NOT_JUDGED] = "not judged",
                                       [HTMT__MET] = "met",
                                       [HTMT__MISSED] = "missed",
                                       [HTMT__CANNOT_JUDGE] = "cannot judge"};

static double as_number(const char *text)
{
    return *text ? strtod(text, NULL) : (double)NAN;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *real(bool is_there, double value)
{
    return is_there && isfinite(value) ? json_real(value) : json_null();
}

/* Relative to the target. */
static json_t *off(const struct htmt__finding *f, bool is_there, double value)
{
    double target = htmt__golden_target(f->row);
    return real(is_there && f->row->use <= HTMT__MODEL, (value - target) / target);
}

static json_t *text(const char *s)
{
    return s && *s ? json_string(s) : json_null();
}

static json_t *row_object(const struct htmt__finding *f)
{
    const struct htmt__golden_row *r = f->row;
    const struct htmt_paper_figure *c = f->figure;
    json_t *claim =
        c ? json_pack("{s:s,s:s,s:o,s:o,s:o}", "app", f->app->name, "options", c->options, "term",
                      text(c->term), "measure", text(c->measure), "input", text(c->input))
          : json_null();
    json_t *row = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:o}", "id", r->id, "quantity",
                            r->quantity, "unit", r->unit, "use", htmt__golden_use_name(r->use),
                            "machine", r->machine, "tolerance", r->tolerance, "printed_as",
                            r->value, "printed", real(true, as_number(r->value)), "recomputed",
                            real(true, as_number(r->recomputed)));
    json_t *found = json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:o,s:o}", "held", real(f->is_held, f->held), "closed_form",
        real(f->is_predicted, f->predicted), "closed_form_off",
        off(f, f->is_predicted, f->predicted), "emulated", real(f->is_emulated, f->emulated),
        "emulated_off", off(f, f->is_emulated, f->emulated), "verdict", verdicts[f->verdict], "why",
        f->verdict >= HTMT__MISSED || f->is_absent ? text(f->why) : json_null(), "note",
        text(r->note), "claim", claim);
    if (row && found && !json_object_update(row, found)) {
        json_decref(found);
        return row;
    }
    json_decref(row);
    json_decref(found);
    return NULL;
}

static void append(json_t **array, json_t *value)
{
    if (*array && json_array_append_new(*array, value)) {
        json_decref(*array);
        *array = NULL;
    }
}

/* The virtual time of each model run, its closed form, and the causes on the critical path that
 * make up the run's time. Only networks with credits block, so that cause is left out where it has
 * no time. */
static json_t *emulations(const struct htmt__validation *v)
{
    json_t *all = json_array();
    for (unsigned i = 0; all && i < v->emulation_count; i++) {
        const struct htmt__emulation *e = &v->emulation[i];
        const struct htmt__explanation *x = &e->why;
        json_t *one = json_pack(
            "{s:s,s:s,s:s,s:I,s:o,s:o,s:o}", "app", e->app->name, "machine", e->machine, "options",
            e->options, "predicted_fs", (json_int_t)x->predicted, "closed_form_fs",
            x->has_closed_form ? json_integer(x->closed_form) : json_null(), "gap_fs",
            x->has_closed_form ? json_integer(x->gap) : json_null(), "beside_fs",
            x->has_closed_form ? json_integer(x->beside) : json_null());
        for (int k = 0; one && k < HTMT_PATH_CAUSES; k++) {
            char key[40];
            if (k == HTMT_PATH_BLOCKED && !x->sum[k])
                continue;
            snprintf(key, sizeof key, "%s_fs", htmt_path_cause_name((enum htmt_path_cause)k));
            json_object_set_new(one, key, json_integer(x->sum[k]));
        }
        append(&all, one);
    }
    return all;
}

json_t *htmt__validate_json(const struct htmt__validation *v)
{
    const struct htmt__totals *t = &v->totals;
    json_t *tables = json_array();
    json_t *totals = json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "rows", (int)t->rows, "judged",
                               (int)t->judged, "met", (int)t->met, "missed", (int)t->missed,
                               "cannot_judge", (int)t->cannot_judge, "predictions",
                               (int)t->predictions, "emulations", (int)t->emulations);
    if (totals && t->absent)
        json_object_set_new(totals, "absent", json_integer(t->absent));
    for (int i = 0; totals && i < HTMT__USES; i++)
        json_object_set_new(totals, htmt__golden_use_name((enum htmt__golden_use)i),
                            json_integer(t->use[i]));
    for (unsigned i = 0; tables && i < v->count; i++) {
        const struct htmt__section *s = &v->section[i];
        json_t *rows = json_array();
        for (unsigned k = 0; rows && k < s->count; k++)
            append(&rows, row_object(&s->finding[k]));
        append(&tables, json_pack("{s:s,s:s,s:o}", "name", s->table->name, "title", s->table->title,
                                  "rows", rows));
    }
    return json_pack("{s:s,s:s,s:s,s:s?,s:o,s:o,s:o,s:o}", "schema", SCHEMA, "verb", "validate",
                     "version", htmt__version(), "commit", htmt__commit(), "folder",
                     *v->golden->folder ? htmt__json_text(v->golden->folder) : json_null(),
                     "tables", tables, "emulations", emulations(v), "totals", totals);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_number(FILE *out, bool is_there, double value)
{
    fputc(',', out);
    if (is_there)
        fprintf(out, "%.10g", value);
}

int htmt__validate_csv(const struct htmt__validation *v, const char *path, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "table,id,quantity,unit,use,printed,recomputed,held,closed_form,emulated,"
                 "verdict\n");
    for (unsigned i = 0; i < v->count; i++)
        for (unsigned k = 0; k < v->section[i].count; k++) {
            const struct htmt__finding *f = &v->section[i].finding[k];
            const struct htmt__golden_row *r = f->row;
            const char *const text[] = {
                v->section[i].table->name,     r->id,    r->quantity,  r->unit,
                htmt__golden_use_name(r->use), r->value, r->recomputed};
            for (size_t t = 0; t < sizeof text / sizeof *text; t++) {
                fputs(t ? "," : "", out);
                htmt__csv_put(out, text[t], false);
            }
            put_number(out, f->is_held, f->held);
            put_number(out, f->is_predicted, f->predicted);
            put_number(out, f->is_emulated, f->emulated);
            fprintf(out, ",%s\n", verdicts[f->verdict]);
        }
    return htmt_whole_file_commit(&file, fault);
}
