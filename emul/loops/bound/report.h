/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds for people, as CSV and as JSON.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_REPORT_H
#define HTMT_EMUL_LOOPS_BOUND_REPORT_H

#include "emul/loops/bound/bound.h"

#include <jansson.h>
#include <stdio.h>

/* What stands beside a bound. */
struct htmt__bound_report {
    const char *path; /* of the nest file */
    const struct htmt__bounds *bound;
    const struct htmt__nest_occupancy *occupancy;
    double write_rate; /* arrays below it are named; negative: not asked */
};

/* Errors: HTMT_ENOMEM; those of `out` stay in its ferror(). */
int htmt__bound_print(const struct htmt__bound_report *report, FILE *out);

/* A line for each loop. Errors: those of runtime/base/whole_file.h. */
int htmt__bound_csv(const struct htmt__bound_report *report, const char *path,
                    struct htmt_fault *fault);

/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__bound_json(const struct htmt__bound_report *report);

/* Writes of a row's components as a share of all references of the program, and reads for each
 * write. */
double htmt__bound_write_rate(const struct htmt__bound_report *report,
                              const struct htmt__nest_row *row);
double htmt__bound_read_ratio(const struct htmt__bound_report *report,
                              const struct htmt__nest_row *row);
htmt_wide htmt__bound_row_bytes(const struct htmt__bound_report *report,
                                const struct htmt__nest_row *row);
/* "U:0..4", "U" where it has one component or all are in the row. */
void htmt__bound_row_name(const struct htmt__bound_report *report, const struct htmt__nest_row *row,
                          char *name, size_t room);

/* "16 x 16 x all", unit stride first. */
void htmt__bound_block_name(const struct htmt__bound_loop *loop, char *name, size_t room);

#endif
