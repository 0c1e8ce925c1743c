/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Golden rows against what the project says of them: constants by its files, predictions by the
 * closed forms, emulations by model runs. Applications say by their claims which row is answered by
 * what; every command line is run once, whatever the number of rows it answers.
 */
#ifndef HTMT_EMUL_VALIDATE_VALIDATION_H
#define HTMT_EMUL_VALIDATE_VALIDATION_H

#include "apps/lib/app.h"
#include "emul/questions/explanation.h"
#include "emul/validate/golden.h"

enum htmt__verdict {
    HTMT__NOT_JUDGED, /* arithmetic, misprint, reference */
    HTMT__MET,
    HTMT__MISSED
};

/* What is known of one row; values in its unit. */
struct htmt__finding {
    const struct htmt__golden_row *row;
    const struct htmt_app *app;            /* that answers it; NULL: a machine file, or nobody */
    const struct htmt_paper_figure *claim; /* NULL: likewise */
    bool is_tried, is_held, is_predicted, is_emulated; /* tried: its command line was */
    double held, predicted, emulated; /* by a file; by the closed form; by the model run */
    enum htmt__verdict verdict;
    char why[540]; /* of a miss */
};

struct htmt__section {
    const struct htmt__golden_table *table;
    unsigned count;
    struct htmt__finding *finding; /* for each row of the table */
};

/* A model run that answered rows, and why it took longer or shorter than its closed form. */
struct htmt__emulation {
    const struct htmt_app *app;
    char machine[64], options[400];
    struct htmt__explanation why;
};

struct htmt__totals {
    unsigned rows, judged, met, missed;
    unsigned use[HTMT__USES], met_use[HTMT__USES];
    unsigned predictions, emulations; /* command lines */
};

struct htmt__validation {
    const struct htmt__golden *golden;
    unsigned count;
    struct htmt__section *section;
    unsigned emulation_count, emulation_room;
    struct htmt__emulation *emulation;
    struct htmt__totals totals;
};

struct htmt__validation_options {
    const char *const *tables; /* names, or their beginnings; none: all tables */
    unsigned table_count;
    bool closed_forms_only; /* no model runs: rows of use model are judged by the closed form */
    const char *const *set; /* figures of every machine to be changed */
    unsigned set_count;
    const char *machine; /* rows of other machines are left unanswered; NULL: none */
    void (*progress)(void *user, const char *what); /* before a command line; may be NULL */
    bool (*cancelled)(void *user);                  /* may be NULL */
    void *user;
};

/* Errors: HTMT_EUSAGE (no table of that name), HTMT_ECANCELLED, HTMT_ENOMEM. A row that cannot be
 * come by is missed and says why. On success the caller gives *validation to
 * htmt__validation_clear(). `golden` must outlive it. */
int htmt__validate(const struct htmt__golden *golden, const struct htmt_app *const *apps,
                   const struct htmt__validation_options *options,
                   struct htmt__validation *validation, struct htmt_fault *fault);
void htmt__validation_clear(struct htmt__validation *validation);

/* Is the table among those that are asked for? */
bool htmt__validation_chooses(const struct htmt__validation_options *options, const char *table);

/* The application and the claim that answer a row; NULL: none does. */
const struct htmt_paper_figure *htmt__claim_find(const struct htmt_app *const *apps,
                                                 const char *row, const struct htmt_app **app);

#endif
