/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that a report tells, as plain data: of a run of this process, of a program that drives its
 * emulator itself, or of the JSON object that either of them wrote. Reports, comparisons and pages
 * are made from this form alone.
 */
#ifndef HTMT_EMUL_LIB_REPORT_DOCUMENT_H
#define HTMT_EMUL_LIB_REPORT_DOCUMENT_H

#include "emul/lib/questions/account.h"
#include "emul/lib/questions/experiment.h"
#include "emul/lib/text/disturbed.h"

#include <jansson.h>

/* Texts, each with a name or NULL. */
struct htmt__pairs {
    unsigned count;
    size_t room;
    struct htmt__pair {
        const char *name, *value;
    } * pair;
};

/* What the JSON object says beside, of the same figures; a document that was read has none of it.
 */
struct htmt__told {
    bool command; /* not of a program that drove its emulator itself */
    bool complete, has_check, has_closed_form, has_clock;
    double predicted_s, flops_per_s, events_per_window; /* not a number: null */
    const char *bottleneck;
};

/* Strings belong to what the document was made from. */
struct htmt__document {
    json_t *object; /* what it was read from; NULL: a run of this process */
    bool trace;     /* read from a trace, which knows neither results nor the host */
    bool program;   /* it drove its emulator itself: what the command alone knows is absent */
    const char *app, *machine, *mode; /* mode: "run", "model", "predict" */
    const char *problem;              /* NULL: none, and so for all others below */
    const char *slices_why;
    uint64_t slices, machine_slices; /* machine_slices 0: not told */
    uint64_t threads, seed;
    struct htmt_fault fault; /* code 0: the run is complete */
    const char *precision, *kernel_set;
    int correct; /* 1, 0, or -1: nothing was checked */
    const char *check_name;
    double check_value, check_tolerance;
    const char *unchecked; /* why nothing was checked */
    double flops;
    double closed_form_s; /* 0: none */
    const char *closed_form_name;
    const char *closed_form_missing; /* why there is none */
    struct htmt__model_of_run model;
    bool same_events; /* of the model run */
    struct htmt__wall_times wall;
    unsigned found_count; /* figures of the input and the result; not read back */
    const struct htmt_found *found;
    struct htmt__pairs notes, warnings, options, outputs, not_modelled;
    struct htmt__results results;
    struct htmt__summary summary;
    struct htmt__lint lint;
    struct htmt__explanation explanation;
    struct htmt__walls walls;
    bool has_determinism;
    struct htmt_determinism_report determinism;
    struct htmt__told told;
    const char *version, *commit, *machine_file, *costs, *costs_file;
    uint64_t machine_hash, costs_hash;
    struct htmt__disturbed disturbed; /* figures that a run of this process uses; not read back */
};

/* Adds one; both strings must outlive the list. Errors: HTMT_ENOMEM. */
int htmt__pairs_add(struct htmt__pairs *pairs, const char *name, const char *value);
/* The value of the first of that name; NULL: there is none. */
const char *htmt__pairs_find(const struct htmt__pairs *pairs, const char *name);

/* Of a run with results, of a program, or of the record alone, such as that of a prediction. What
 * it is made of must outlive the document. The caller calls htmt__document_clear(), also after an
 * error. Errors: HTMT_ENOMEM. */
int htmt__document_of_record(const struct htmt__provenance *record, struct htmt__document *d);
int htmt__document_of_experiment(const struct htmt__experiment *x, struct htmt__document *d);
int htmt__document_of_account(const struct htmt__account *x, struct htmt__document *d);
void htmt__document_clear(struct htmt__document *d);

bool htmt__document_is_model(const struct htmt__document *d);

#endif
