/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/validate: compares the papers with the emulator; of emul it includes report and
 * below.
 *
 * Compares golden rows with constants of machine and cost files, with predictions of closed forms
 * and with model runs. The paper figures of an application name the command line and the term or
 * measure for each row. Every command line runs once, for all rows that it answers.
 */
#ifndef HTMT_EMUL_VALIDATE_VALIDATION_H
#define HTMT_EMUL_VALIDATE_VALIDATION_H

#include "apps/lib/task_parts.h"
#include "emul/lib/questions/explanation.h"
#include "emul/validate/golden.h"

enum htmt__verdict {
    HTMT__NOT_JUDGED, /* arithmetic, misprint, reference */
    HTMT__MET,
    HTMT__MISSED,
    HTMT__CANNOT_JUDGE /* the host failed where it was computed */
};

/* The findings for one row; values are in its unit. */
struct htmt__finding {
    const struct htmt__golden_row *row;
    const struct htmt_app *app; /* that answers the row; NULL: a machine file, or none */
    const struct htmt_paper_figure *figure;            /* NULL: as above */
    bool is_tried, is_held, is_predicted, is_emulated; /* tried: its command line ran */
    bool is_absent;                   /* what would answer it is not there: it is not judged */
    double held, predicted, emulated; /* from a file, the closed form, the model run */
    enum htmt__verdict verdict;
    int code;      /* of the failure that is the reason; 0: there was none */
    char why[540]; /* reason of a miss, or why it is not or cannot be judged */
};

struct htmt__section {
    const struct htmt__golden_table *table;
    unsigned count;
    struct htmt__finding *finding; /* for each row of the table */
};

/* A model run that answered rows, with the explanation of its difference from the closed form. */
struct htmt__emulation {
    const struct htmt_app *app;
    char machine[64], options[400];
    struct htmt__explanation why;
};

struct htmt__totals {
    unsigned rows, judged, met, missed, cannot_judge; /* judged: the last three */
    unsigned absent; /* of the others: what would answer them is not there */
    unsigned use[HTMT__USES], met_use[HTMT__USES];
    unsigned predictions, emulations; /* command lines */
};

struct htmt__validation {
    const struct htmt__golden *golden;
    unsigned count;
    struct htmt__section *section;
    unsigned emulation_count;
    size_t emulation_room;
    struct htmt__emulation *emulation;
    struct htmt__totals totals;
};

struct htmt__validation_options {
    const char *const *tables; /* names or prefixes of names; none: all tables */
    unsigned table_count;
    bool closed_forms_only; /* no model runs: rows of use model are judged by the closed form */
    const char *const *set; /* changes of figures of every machine */
    unsigned set_count;
    const char *machine; /* answer only rows of this machine; NULL: of all machines */
    void (*progress)(void *user, const char *what); /* before a command line; may be NULL */
    void *user;
};

/* Errors: HTMT_EUSAGE (no table of that name), HTMT_ENOMEM. A row without an answer counts as
 * missed, with the reason; a row whose answer the host failed to compute (exit status 4: memory,
 * I/O) cannot be judged. On success the caller calls htmt__validation_clear().
 * `golden` must outlive the validation. */
int htmt__validate(const struct htmt__golden *golden, const struct htmt_app *const *apps,
                   const struct htmt__validation_options *options,
                   struct htmt__validation *validation, struct htmt_fault *fault);
void htmt__validation_clear(struct htmt__validation *validation);

/* Whether the options ask for the table. */
bool htmt__validation_chooses(const struct htmt__validation_options *options, const char *table);

/* Finds the application and the paper figure that answer a row; NULL: there are none. */
const struct htmt_paper_figure *htmt__paper_figure_find(const struct htmt_app *const *apps,
                                                        const char *row,
                                                        const struct htmt_app **app);

#endif
