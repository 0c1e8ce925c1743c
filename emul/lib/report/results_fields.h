/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The keys of the results' JSON (schema htmt-results-1, docs/json.md): one table for each kind of
 * object. The writer (json.c) and the reader (reader.c) follow them, and tests hold the guide and
 * the Python package against them. A new key is one row here and a line in either of those two.
 */
#ifndef HTMT_EMUL_LIB_REPORT_RESULTS_FIELDS_H
#define HTMT_EMUL_LIB_REPORT_RESULTS_FIELDS_H

#include "emul/lib/questions/answers.h"
#include "emul/lib/report/document.h"
#include "emul/lib/report/fields.h"

/* Changes when a key is removed or changes its meaning. */
#define HTMT__RESULTS_SCHEMA "htmt-results-1"

/* Of struct htmt__document: the keys at the head of every object, those of runs and model runs
 * behind them, and the run record. */
extern const struct htmt__field htmt__head_fields[], htmt__run_fields[], htmt__record_fields[];

/* A prediction: what a document has of it, and the answers. */
struct htmt__predicted {
    struct htmt__document d; /* first, so that rows of documents serve here, too */
    int64_t fs;              /* INT64_MAX: not known, or not less */
    unsigned terms, origins, largest_count;
    const struct htmt_term *term;
    bool has_origins, has_largest;
    const char *asked; /* the term whose figures are the origins */
    const struct htmt__origin *origin;
    const struct htmt__largest *largest;
};
/* Of struct htmt__predicted, behind the head. */
extern const struct htmt__field htmt__prediction_fields[];

/* Pairs of name and value, as in the record. Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__options_read(const struct htmt__reading *in, const json_t *options,
                       struct htmt__document *d);

#endif
