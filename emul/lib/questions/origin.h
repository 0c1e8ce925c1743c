/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of machine and cost files that a term of a closed form depends on. The search changes
 * each figure and predicts again, so it needs no list and misses no figure.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_ORIGIN_H
#define HTMT_EMUL_LIB_QUESTIONS_ORIGIN_H

#include "emul/lib/options/options.h"

#define HTMT__ORIGIN_SAME 1e-12 /* a smaller relative change of a term is rounding */

struct htmt__origin {
    struct htmt_figure figure; /* key, value, source, file and line */
    bool of_costs;             /* from the cost file, not from the machine file */
    bool hidden;               /* another figure bounds the term: half and twice do not change it,
                                  but a larger change does; or the figure is 0 */
    double half, twice; /* the term with half and twice the figure; slices: with a quarter and
                           four times, still a square number. NAN: no prediction */
};

/* The term of that name; NULL: there is none. */
const struct htmt_term *htmt__term_find(const struct htmt_prediction *prediction, const char *name);

/* Figures in the order of their files. The caller frees *rows. `prediction` is that of the request.
 * Errors: HTMT_EUSAGE (no such term), HTMT_ENOMEM, those of cost files. */
int htmt__origin_find(const struct htmt__options *options, const struct htmt_request *request,
                      const struct htmt_prediction *prediction, const char *term,
                      struct htmt__origin **rows, unsigned *count, struct htmt_fault *fault);

#endif
