/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every object begins as a document, also that of a prediction, and is written by the rows of
 * results_fields.c. Doubles have 17 digits, so that they are read back as the same bits; times of
 * the virtual clock are integers in femtoseconds beside them, since 2^53 fs are only 9 s.
 */
#include "emul/lib/report/json.h"

#include "emul/lib/options/recording.h"
#include "emul/lib/report/results_fields.h"
#include "runtime/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

/* Takes the document, and what making it returned. */
static json_t *object_of(int rc, struct htmt__document *d)
{
    json_t *all = NULL;
    if (!rc)
        all = htmt__fields_add(htmt__fields_write(htmt__head_fields, d), htmt__run_fields, d);
    htmt__document_clear(d);
    return all;
}

json_t *htmt__json_experiment(const struct htmt__experiment *x)
{
    struct htmt__document d;
    return object_of(htmt__document_of_experiment(x, &d), &d);
}

json_t *htmt__json_account(const struct htmt__account *x)
{
    struct htmt__document d;
    return object_of(htmt__document_of_account(x, &d), &d);
}

json_t *htmt__json_prediction(const struct htmt__provenance *r, const struct htmt__answers *answers)
{
    const struct htmt_prediction *from = &answers->prediction;
    struct htmt__predicted p = {.fs = from->total_fs,
                                .term = from->term,
                                .terms = from->count,
                                .has_origins = answers->term != NULL,
                                .asked = answers->term,
                                .origin = answers->origin,
                                .origins = answers->origin_count,
                                .has_largest = answers->largest != NULL,
                                .largest = answers->largest,
                                .largest_count = answers->largest_count};
    json_t *all = NULL;
    int rc = htmt__document_of_record(r, &p.d);
    for (unsigned i = 0; i < from->warnings.count && !rc; i++)
        rc = htmt__pairs_add(&p.d.warnings, from->warnings.item[i].name,
                             from->warnings.item[i].text);
    p.d.problem = from->problem[0] ? from->problem : NULL;
    p.d.flops = from->flops;
    p.d.told.predicted_s = from->total_s;
    p.d.told.flops_per_s = from->total_s > 0 ? from->flops / from->total_s : 0;
    if (!rc)
        all = htmt__fields_add(htmt__fields_write(htmt__head_fields, &p), htmt__prediction_fields,
                               &p);
    htmt__document_clear(&p.d);
    return all;
}

/* The record without what depends on the host: the options that tell how the host works or where
 * results go, the kernels that ran, and the history, which the trace has itself. */
char *htmt__json_about(const struct htmt__provenance *r)
{
    struct htmt__document d;
    json_t *all = NULL;
    int rc = htmt__document_of_record(r, &d);
    unsigned kept = 0;
    for (unsigned i = 0; i < d.options.count; i++)
        if (!htmt__recording_leaves_out(d.options.pair[i].name))
            d.options.pair[kept++] = d.options.pair[i];
    d.options.count = kept;
    if (!rc)
        all = htmt__fields_add(json_pack("{s:s,s:s}", "app", d.app, "verb", d.mode),
                               htmt__record_fields, &d);
    if (all) {
        json_object_del(all, "kernel_set");
        json_object_del(all, "history_hash");
    }
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    htmt__document_clear(&d);
    return text;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Takes the reference, also NULL. The caller frees the text. */
static char *make_line(json_t *object, size_t flags)
{
    char *text =
        object ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | flags) : NULL;
    char *line = text ? reallocarray(text, strlen(text) + 2, 1) : NULL;
    json_decref(object);
    if (line)
        strcat(line, "\n");
    else
        free(text);
    return line;
}

int htmt__json_print(json_t *object, FILE *out)
{
    char *line = make_line(object, JSON_ENSURE_ASCII);
    if (!line)
        return HTMT_ENOMEM;
    fputs(line, out);
    free(line);
    return 0;
}

json_t *htmt__json_disturbed(const struct htmt__disturbed *d)
{
    json_t *all = json_array();
    int failed = !all;
    for (const char *at = d->names; *at && !failed; at += *at ? 2 : 0) {
        const size_t n = strcspn(at, ",");
        failed = json_array_append_new(all, json_stringn(at, n));
        at += n;
    }
    if (failed)
        json_decref(all);
    return failed ? NULL : all;
}

int htmt__json_write(json_t *object, const char *path, struct htmt_fault *fault)
{
    bool file = strcmp(path, "-") != 0;
    int rc = 0;
    char *line = make_line(object, file ? 0 : JSON_ENSURE_ASCII); /* for terminals */
    if (!line)
        return htmt_fault_set(fault, HTMT_ENOMEM, "the JSON object cannot be made: no memory");
    if (file)
        rc = htmt_whole_file_write(path, line, strlen(line), fault);
    else if (fputs(line, stdout) < 0 || fflush(stdout))
        rc = htmt_fault_set(fault, HTMT_EIO, "standard output cannot be written");
    free(line);
    return rc;
}
