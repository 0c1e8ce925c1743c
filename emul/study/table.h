/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a study: a row a point, in the order of the plan, with the time and columns that are
 * formulas of results and figures; what is asked of all of them: the front, quantiles, ranks.
 */
#ifndef HTMT_EMUL_STUDY_TABLE_H
#define HTMT_EMUL_STUDY_TABLE_H

#include "apps/lib/exact.h"
#include "emul/study/store.h"
#include "emul/study/study.h"

#include <stdio.h>

#define HTMT__COLUMNS_MOST 32

struct htmt__column {
    char name[64];
    const char *formula; /* "2*layers.cram.memory.capacity[MiB]+40", or the name of a result */
};

struct htmt__row {
    int code;  /* 0: it has values */
    char *why; /* the line of a refusal; NULL: none */
    bool front;
};

struct htmt__study_table {
    const struct htmt__study *study;
    struct htmt__column column[HTMT__COLUMNS_MOST + 1]; /* the first is T, in seconds */
    unsigned columns;
    int front[2]; /* columns; -1: no front is asked for */
    struct htmt__row *row;
    bool *fine;    /* of each row: it has values; shared with workers, as are */
    double *value; /* [row][column] */
    size_t shared_bytes;
    uint64_t refused;
};

/* A column "NAME", a result, or "NAME=FORMULA". Errors: HTMT_EUSAGE. */
int htmt__study_table_column(struct htmt__study_table *table, const char *given,
                             struct htmt_fault *fault);
/* "cost,T": columns of which less is better. Errors: HTMT_EUSAGE. */
int htmt__study_table_front(struct htmt__study_table *table, const char *given,
                            struct htmt_fault *fault);

/* Rows without values, in memory that processes begun from now on share. Errors: HTMT_ENOMEM. */
int htmt__study_table_open(struct htmt__study_table *table, const struct htmt__study *study,
                           struct htmt_fault *fault);
/* The result of a point into its row. A name that a formula does not know is an error of the whole
 * study, HTMT_EUSAGE, as is a division by zero. Others: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__study_table_take(struct htmt__study_table *table, uint64_t number, const json_t *result,
                           const struct htmt__point *point, struct htmt_fault *fault);
/* When all points are over: the lines of refusals, from the store, and the front. `ended`: of
 * each point the signal that ended its process, UINT8_MAX if it ended by itself, else 0. Errors:
 * those of the store, HTMT_ENOMEM. */
int htmt__study_table_close(struct htmt__study_table *table, struct htmt__study *study,
                            const struct htmt__study_place *place, const unsigned char *ended,
                            struct htmt_fault *fault);
void htmt__study_table_fini(struct htmt__study_table *table);

/* A text in the unit that is asked for: "32 Mword" in MiB is 256. false: it has none such. */
bool htmt__study_in_unit(const char *text, const char *unit, struct htmt_exact *value);

/* None of the others is as small in both and smaller in one; points alike are all on it. NaN: out
 * of it. */
int htmt__front(const double *a, const double *b, uint64_t n, bool *front);
/* Of values in any order, as numpy.quantile() has it; NaN left out. Errors: HTMT_ENOMEM. */
int htmt__quantiles(const double *x, uint64_t n, const double *share, unsigned shares,
                    double *quantile);
/* Spearman's rank correlation, equal values having their mean rank; pairs with a NaN left out. NaN:
 * one of both is constant. Errors: HTMT_ENOMEM. */
int htmt__rank_correlation(const double *x, const double *y, uint64_t n, double *r);

/* Whole files, or nothing; a table for people. */
int htmt__study_table_csv(const struct htmt__study_table *table, const char *path,
                          struct htmt_fault *fault);
int htmt__study_table_json(const struct htmt__study_table *table, const char *path,
                           struct htmt_fault *fault);
/* Can curves be drawn of the study that is planned? Errors: HTMT_EUSAGE. */
int htmt__study_check_plot(const struct htmt__study *study, struct htmt_fault *fault);
int htmt__study_table_plot(const struct htmt__study_table *table, const char *path,
                           struct htmt_fault *fault);
int htmt__study_table_print(const struct htmt__study_table *table, FILE *out);

#endif
