/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The demand of parcels of each type on the machine: a column for each type and one for all types.
 * The figures of a type are for one parcel, those of all types for one slice: time, operations by
 * processor and class, words by channel. The last rows are the balance: the busy time of each
 * resource divided by its servers, as a share of the principal resource of the column (100 %).
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_SUMMARY_H
#define HTMT_EMUL_LIB_QUESTIONS_SUMMARY_H

#include "apps/lib/task_parts.h"

#include <stdbool.h>

enum htmt__summary_group {
    HTMT__SUMMARY_COUNT, /* parcels of a slice */
    HTMT__SUMMARY_TIME,
    HTMT__SUMMARY_WORK,
    HTMT__SUMMARY_WORDS,
    HTMT__SUMMARY_MEMORY,
    HTMT__SUMMARY_BALANCE
};

struct htmt__summary {
    bool made;
    unsigned columns; /* types in the order of their first stage, then "all" */
    char (*name)[64];
    unsigned rows;
    struct htmt__summary_row {
        enum htmt__summary_group group;
        char name[3 * HTMT_NAME_MAX];
        const char *unit; /* "s", "flop", "words", "1", "%" */
        double *value;    /* one for each column; NaN: no value */
    } * row;
};

/* The caller calls htmt__summary_clear(). Errors: HTMT_ENOMEM. */
int htmt__summary_make(const struct htmt_emulator *e, struct htmt__summary *s);
void htmt__summary_clear(struct htmt__summary *s);

#endif
