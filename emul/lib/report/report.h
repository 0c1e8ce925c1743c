/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/report: prints answers, for people and as JSON; of emul it includes questions,
 * options and text.
 *
 * Reports are narrower than 100 columns. Each heading names the clock of its figures: the virtual
 * clock of the machine or the clock of the host. Errors of `out` stay in its ferror().
 */
#ifndef HTMT_EMUL_LIB_REPORT_REPORT_H
#define HTMT_EMUL_LIB_REPORT_REPORT_H

#include "emul/lib/report/document.h"

/* The whole report of any document. Errors of all of these: HTMT_ENOMEM. */
int htmt__report_document(const struct htmt__document *d, FILE *out);
int htmt__report_experiment(const struct htmt__experiment *x, FILE *out);
int htmt__report_account(const struct htmt__account *x, FILE *out);
int htmt__report_prediction(const struct htmt__provenance *record,
                            const struct htmt_prediction *prediction, FILE *out);

/* Sections that are tables: phases, resources, memories; networks with ports inside, services timed
 * by their own operations and sections of the program where there are any; bottlenecks. Errors:
 * HTMT_ENOMEM. */
int htmt__report_tables(const struct htmt__results *r, FILE *out);
/* Each stage whose kernels were timed on this host: its prediction beside that. The same. */
int htmt__report_kernels(const struct htmt__results *r, FILE *out);
/* Sections; the first is left out if there are no limits. `difference` is the line of two runs that
 * differ. */
void htmt__report_limits(const struct htmt__results *r, FILE *out);
void htmt__report_determinism(const struct htmt_determinism_report *d, const char *difference,
                              FILE *out);

/* A table of the terms from `first` to `end` - 1, without a heading. Errors: HTMT_ENOMEM. */
int htmt__report_terms(const struct htmt_prediction *prediction, unsigned first, unsigned end,
                       FILE *out);

/* A line with the number of slices and the reason, if the application chose it. */
void htmt__report_slices(const struct htmt__document *d, FILE *out);

/* One line. */
void htmt__report_brief(const struct htmt__experiment *x, FILE *out);
void htmt__report_brief_prediction(const struct htmt__provenance *record,
                                   const struct htmt_prediction *prediction, FILE *out);

/* "  label     text"; the text is broken at blanks into lines of less than 100 columns. */
void htmt__report_item(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line, without the control characters of names. */
void htmt__report_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The figures that the machine file calls not-modelled; `used`: those of what a run used. */
void htmt__report_open_figures(const struct htmt__pairs *open, const char *machine, bool used,
                               FILE *out);

/* The run record: what was built, the machine, and everything needed to get the same bits again. */
void htmt__report_origin(const struct htmt__document *d, FILE *out);

#endif
