/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the quantities of an emulation, for formulas (emul/validate/expression.h):
 *
 *   makespan           s, of the run
 *   flop               of the problem
 *   slices             of the machine that was emulated
 *   mean TYPE STAGE    s, of a service in that stage of a parcel type
 *   longest TYPE STAGE s, the longest service
 *   busy TYPE STAGE    s, sum of all services of a slice
 *   count TYPE STAGE   services of a slice
 *   words TYPE STAGE   of a move
 *   first TYPE STAGE   s, end of the first service
 *   last TYPE STAGE    s, end of the last service
 *   period TYPE STAGE  s from end to end on a slice: (last - first) / (count - 1)
 *   used RESOURCE      s, sum of all services of a slice
 *   servers RESOURCE   of a slice
 *   peak MEMORY        words, in the fullest slice
 *   capacity MEMORY    words of a slice, without reserve
 *   term NAME          of the closed form
 *   found NAME         a figure that the application found, in its unit
 *
 * If a type has the stage on several resources, "on RESOURCE" follows TYPE STAGE.
 */
#ifndef HTMT_EMUL_VALIDATE_MEASURE_H
#define HTMT_EMUL_VALIDATE_MEASURE_H

#include "apps/lib/task_parts.h"
#include "emul/validate/expression.h"

/* The sources of names. */
struct htmt__shown {
    const struct htmt_outcome *outcome;
    const struct htmt_prediction *prediction; /* of the same command line; NULL: no terms */
};

/* Give the values of the names above, and of names of terms, in the units of htmt__unit_size();
 * `user` is a const struct htmt__shown *. Errors: HTMT_EINVAL (unknown name). */
htmt__expression_value htmt__measure, htmt__term;

#endif
