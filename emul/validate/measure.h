/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an emulation shows, asked for by name; formulas (emul/validate/expression.h) are made of
 *
 *   makespan           s, of the run
 *   flop               of the problem
 *   slices             of the machine that was emulated
 *   mean TYPE STAGE    s, a service of that stage of a parcel type
 *   longest TYPE STAGE s, the longest service
 *   busy TYPE STAGE    s, all services of a slice
 *   count TYPE STAGE   services of a slice
 *   words TYPE STAGE   of a move
 *   first TYPE STAGE   s, when the first one ended
 *   last TYPE STAGE    s, when the last one ended
 *   period TYPE STAGE  s from end to end on a slice: (last - first) / (count - 1)
 *   used RESOURCE      s, all services of a slice
 *   servers RESOURCE   of a slice
 *   peak MEMORY        words, in the fullest slice
 *   capacity MEMORY    words of a slice, without reserve
 *   term NAME          of the closed form
 *
 * TYPE STAGE may be followed by "on RESOURCE" where a type has the stage on several.
 */
#ifndef HTMT_EMUL_VALIDATE_MEASURE_H
#define HTMT_EMUL_VALIDATE_MEASURE_H

#include "apps/lib/app.h"
#include "emul/validate/expression.h"

/* What names are looked up in. */
struct htmt__shown {
    const struct htmt_outcome *outcome;
    const struct htmt_prediction *prediction; /* of the same command line; NULL: no terms */
};

/* The readers of emul/validate/expression.h for the names above and for terms alone, by their own
 * names, in the units of htmt__unit_size(); `user` is a const struct htmt__shown *. Errors:
 * HTMT_EINVAL (there is no such thing). */
htmt__expression_value htmt__measure, htmt__term;

#endif
