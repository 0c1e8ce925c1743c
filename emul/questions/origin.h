/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a term of a closed form comes from: the figures of machine and cost files that it depends
 * on. They are found by changing each of them, so that no list can forget one.
 */
#ifndef HTMT_EMUL_QUESTIONS_ORIGIN_H
#define HTMT_EMUL_QUESTIONS_ORIGIN_H

#include "emul/options/options.h"

#define HTMT__ORIGIN_SAME 1e-12 /* a smaller relative change of a term is rounding */

struct htmt__origin {
    struct htmt_figure figure; /* key, value, source, file and line */
    bool of_costs;             /* of the cost file, not of the machine */
    bool hidden;               /* something else bounds the term: it takes more than twice or half
                                  of the figure to move it, or any of one that is 0 */
    double half, twice;        /* the term with so much of it; slices: a quarter and four times,
                                  which stays a square. NAN: then it cannot be predicted */
};

/* The term of that name; NULL: there is none. */
const struct htmt_term *htmt__term_find(const struct htmt_prediction *prediction, const char *name);

/* Figures in the order of their files; *rows is to be freed. `prediction` is that of the request.
 * Errors: HTMT_EUSAGE (no such term), HTMT_ENOMEM, those of cost files. */
int htmt__origin_find(const struct htmt__options *options, const struct htmt_request *request,
                      const struct htmt_prediction *prediction, const char *term,
                      struct htmt__origin **rows, unsigned *count, struct htmt_fault *fault);

#endif
