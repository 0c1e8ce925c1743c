/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What parcels of each type ask of the machine, and in what balance: a column a type and one for
 * all of them, as plain data. Absolute figures are of one parcel (of all: of one slice): its time,
 * its operations by processor and class, its words by channel. Below them each resource's busy time
 * over what there is of it, as a share of that of the column's principal resource, which has 100 %.
 */
#ifndef HTMT_EMUL_QUESTIONS_SUMMARY_H
#define HTMT_EMUL_QUESTIONS_SUMMARY_H

#include "apps/lib/app.h"

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
        double *value;    /* of each column; NaN: none */
    } * row;
};

/* The caller gives *s to htmt__summary_clear(). Errors: HTMT_ENOMEM. */
int htmt__summary_make(const struct htmt_emulator *e, struct htmt__summary *s);
void htmt__summary_clear(struct htmt__summary *s);

#endif
