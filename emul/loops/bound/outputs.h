/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that a bound writes beside its report, and where shipped nest files are.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_OUTPUTS_H
#define HTMT_EMUL_LOOPS_BOUND_OUTPUTS_H

#include "emul/loops/bound/report.h"
#include "emul/loops/bound/search.h"
#include "layers/file/search.h"

/* Nest files by name: share/htmt/nests, or the folders of HTMT_NESTS_PATH. */
extern const struct htmt_search htmt__bound_search;

/* Errors of all: those of runtime/base/whole_file.h. */

/* A workbook whose parameters are cells and whose results are formulas of them. */
int htmt__bound_sheet(const struct htmt__bound_report *report, const char *path,
                      struct htmt_fault *fault);

/* For dot; a path that ends in ".svg" is drawn by it. Errors: also HTMT_ESYSTEM (dot is missing).
 */
int htmt__bound_graph_write(const struct htmt__bound_report *report, const char *path,
                            struct htmt_fault *fault);

/* A cost file: what a cell of each loop costs. */
int htmt__bound_costs(const struct htmt__bound_report *report, const char *path,
                      struct htmt_fault *fault);

/* A table of traffic: boxes in a ring of three along each axis, each with its loops and exchanges.
 * The program must exchange something. */
int htmt__bound_pattern(const struct htmt__bound_report *report, const char *path,
                        struct htmt_fault *fault);

int htmt__bound_curve_print(const struct htmt__bound_point *point, unsigned points, FILE *out);
int htmt__bound_curve_csv(const struct htmt__bound_point *point, unsigned points, const char *path,
                          struct htmt_fault *fault);
/* NULL: out of memory. */
json_t *htmt__bound_curve_json(const struct htmt__bound_point *point, unsigned points);

#endif
