/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A validation as JSON (docs/json.md) and as CSV.
 */
#include "emul/lib/options/provenance.h"
#include "emul/validate/report.h"
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

static json_t *paper_figure_object(const struct htmt__finding *f)
{
    const struct htmt_paper_figure *c = f->figure;
    if (!c)
        return json_null();
    return json_pack("{s:s,s:s,s:o,s:o,s:o}", "app", f->app->name, "options", c->options, "term",
                     text(c->term), "measure", text(c->measure), "input", text(c->input));
}

static json_t *row_object(const struct htmt__finding *f)
{
    const struct htmt__golden_row *r = f->row;
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
        f->verdict >= HTMT__MISSED ? text(f->why) : json_null(), "note", text(r->note), "claim",
        paper_figure_object(f));
    if (row && found && !json_object_update(row, found)) {
        json_decref(found);
        return row;
    }
    json_decref(row);
    json_decref(found);
    return NULL;
}

static json_t *section_object(const struct htmt__section *s)
{
    json_t *rows = json_array();
    for (unsigned k = 0; rows && k < s->count; k++)
        if (json_array_append_new(rows, row_object(&s->finding[k]))) {
            json_decref(rows);
            rows = NULL;
        }
    return json_pack("{s:s,s:s,s:o}", "name", s->table->name, "title", s->table->title, "rows",
                     rows);
}

static json_t *emulation_object(const struct htmt__emulation *e)
{
    const struct htmt__explanation *x = &e->why;
    json_t *all =
        json_pack("{s:s,s:s,s:s,s:I,s:o,s:o,s:o}", "app", e->app->name, "machine", e->machine,
                  "options", e->options, "predicted_fs", (json_int_t)x->predicted, "closed_form_fs",
                  x->has_closed_form ? json_integer(x->closed_form) : json_null(), "gap_fs",
                  x->has_closed_form ? json_integer(x->gap) : json_null(), "beside_fs",
                  x->has_closed_form ? json_integer(x->beside) : json_null());
    for (int i = 0; all && i < HTMT_PATH_CAUSES; i++) {
        char key[40];
        if (i == HTMT_PATH_BLOCKED && !x->sum[i])
            continue;
        snprintf(key, sizeof key, "%s_fs", htmt_path_cause_name((enum htmt_path_cause)i));
        json_object_set_new(all, key, json_integer(x->sum[i]));
    }
    return all;
}

static json_t *emulations(const struct htmt__validation *v)
{
    json_t *all = json_array();
    for (unsigned i = 0; all && i < v->emulation_count; i++)
        if (json_array_append_new(all, emulation_object(&v->emulation[i]))) {
            json_decref(all);
            all = NULL;
        }
    return all;
}

static json_t *totals_object(const struct htmt__totals *t)
{
    json_t *all = json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "rows", (int)t->rows, "judged",
                            (int)t->judged, "met", (int)t->met, "missed", (int)t->missed,
                            "cannot_judge", (int)t->cannot_judge, "predictions",
                            (int)t->predictions, "emulations", (int)t->emulations);
    for (int i = 0; all && i < HTMT__USES; i++)
        json_object_set_new(all, htmt__golden_use_name((enum htmt__golden_use)i),
                            json_integer(t->use[i]));
    return all;
}

json_t *htmt__validate_json(const struct htmt__validation *v)
{
    json_t *tables = json_array();
    for (unsigned i = 0; tables && i < v->count; i++)
        if (json_array_append_new(tables, section_object(&v->section[i]))) {
            json_decref(tables);
            tables = NULL;
        }
    return json_pack("{s:s,s:s,s:s,s:s?,s:o,s:o,s:o,s:o}", "schema", SCHEMA, "verb", "validate",
                     "version", htmt__version(), "commit", htmt__commit(), "folder",
                     *v->golden->folder ? htmt__json_text(v->golden->folder) : json_null(),
                     "tables", tables, "emulations", emulations(v), "totals",
                     totals_object(&v->totals));
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Text with a comma, a quote or a line break stands between quotes; a quote in it is doubled. */
static void put_text(FILE *out, const char *s)
{
    const char *quote = strpbrk(s, ",\"\r\n") ? "\"" : "";
    fputs(quote, out);
    for (; *s; s++)
        fprintf(out, *s == '"' ? "\"\"" : "%c", *s);
    fputs(quote, out);
}

static void put_number(FILE *out, bool is_there, double value)
{
    fputc(',', out);
    if (is_there)
        fprintf(out, "%.10g", value);
}

static void put_row(FILE *out, const char *table, const struct htmt__finding *f)
{
    const struct htmt__golden_row *r = f->row;
    fprintf(out, "%s,%s,", table, r->id);
    put_text(out, r->quantity);
    fprintf(out, ",%s,%s,%s,%s", r->unit, htmt__golden_use_name(r->use), r->value, r->recomputed);
    put_number(out, f->is_held, f->held);
    put_number(out, f->is_predicted, f->predicted);
    put_number(out, f->is_emulated, f->emulated);
    fprintf(out, ",%s\n", verdicts[f->verdict]);
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
        for (unsigned k = 0; k < v->section[i].count; k++)
            put_row(out, v->section[i].table->name, &v->section[i].finding[k]);
    return htmt_whole_file_commit(&file, fault);
}
