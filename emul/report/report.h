/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports for people, under 100 columns. Every figure stands under the clock it belongs to: the
 * virtual clock of the machine or the wall clock of the host. Errors of `out` stay in ferror().
 */
#ifndef HTMT_EMUL_REPORT_REPORT_H
#define HTMT_EMUL_REPORT_REPORT_H

#include "emul/questions/experiment.h"

/* Errors: HTMT_ENOMEM. */
int htmt__report_experiment(const struct htmt__experiment *x, FILE *out);
int htmt__report_prediction(const struct htmt__record *record,
                            const struct htmt_prediction *prediction, FILE *out);

/* Terms `first` up to, not with, `end`: a table without a heading. Errors: HTMT_ENOMEM. */
int htmt__report_terms(const struct htmt_prediction *prediction, unsigned first, unsigned end,
                       FILE *out);

/* One line. */
void htmt__report_brief(const struct htmt__experiment *x, FILE *out);
void htmt__report_brief_prediction(const struct htmt__record *record,
                                   const struct htmt_prediction *prediction, FILE *out);

/* "  label     text", the text broken at blanks into lines under 100 columns. */
void htmt__report_item(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Figures of the machine that nobody gives. */
void htmt__report_not_modelled(const struct htmt_machine *machine, FILE *out);
void htmt__report_record(const struct htmt__record *record, const char *kernel_set,
                         const char *history_hash, FILE *out);

#endif
