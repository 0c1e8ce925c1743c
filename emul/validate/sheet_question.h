/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a row of the ExaSAT sheets asks, and what all answers need: nest files and machines, the
 * settings as a request, measures of loops and sums.
 */
#ifndef HTMT_EMUL_VALIDATE_SHEET_QUESTION_H
#define HTMT_EMUL_VALIDATE_SHEET_QUESTION_H

#include "emul/loops/bound/exasat.h"
#include "emul/validate/sheet_settings.h"
#include "emul/validate/sheets.h"

enum { HTMT__SHEET_WORDS = 8, HTMT__SHEET_WORD = 40 };

struct htmt__sheet_question {
    struct htmt__sheets *sheets;
    const struct htmt__golden_row *row;
    unsigned words;
    char word[HTMT__SHEET_WORDS][HTMT__SHEET_WORD]; /* of the id, behind the prefix */
    struct htmt__sheet_settings set;
    const struct htmt__bound_rates *rates;
    struct htmt_fault *fault;
};

/* HTMT_EINVAL: no rule answers the id. */
int htmt__sheet_unknown(const struct htmt__sheet_question *q);

/* Sets the fault for an error that has set none; returns it. */
int htmt__sheet_fail(const struct htmt__sheet_question *q, int rc);

/* Loops of a file, which stay with the sheets: of a family, with the species behind its name or by
 * the name alone; of a name; of the mechanism that has the row's species. Errors: HTMT_ENOENT (it
 * is not there), those of reading. */
int htmt__sheet_family(struct htmt__sheet_question *q, const char *family,
                       const struct htmt__exasat **rule);
int htmt__sheet_named(struct htmt__sheet_question *q, const char *name,
                      const struct htmt__exasat **rule);
int htmt__sheet_chemistry(struct htmt__sheet_question *q, const struct htmt__exasat **rule);

/* Opens the row's machine: q->rates. */
int htmt__sheet_chip(struct htmt__sheet_question *q);

bool htmt__sheet_is_set(const struct htmt__sheet_question *q, enum htmt__sheet_setting s);

/* A text may give a setting any value; no product of such ones passes 128 bits. */
static inline double htmt__sheet_within(double value, double most)
{
    return value < most ? value : most;
}

/* The row's settings, on its machine's defaults. */
void htmt__sheet_request(const struct htmt__sheet_question *q, struct htmt__exasat_request *r);

/* A quantity by its name. */
struct htmt__sheet_measured {
    const char *what;
    double value;
};

int htmt__sheet_pick(const struct htmt__sheet_question *q, const struct htmt__sheet_measured *all,
                     size_t count, const char *what, double *value);

/* Of a cell. */
double htmt__sheet_operations(const struct htmt__exasat_loop *loop, enum htmt__nest_class class);

int htmt__sheet_add_up(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                       const struct htmt__exasat_request *r, struct htmt__exasat_bound *total);
double htmt__sheet_bytes(const struct htmt__exasat_bound *b);
double htmt__sheet_ms(const struct htmt__exasat_bound *b);

/* "mem" of all loops, in the unit of the sheets: kB, GB, Gflop, ms. */
int htmt__sheet_sum(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                    const char *what, double *value);

/* The quantity that the id's words name from there on, "ws.plane", of the loop at that line; NULL:
 * of the only one. */
int htmt__sheet_loop(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                     const char *line, unsigned from, double *value);

int htmt__sheet_message_ms(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                           const struct htmt__exasat_request *r, double *ms);

#endif
