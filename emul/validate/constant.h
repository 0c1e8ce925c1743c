/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constants as they stand in machine and cost files, and units of golden rows.
 */
#ifndef HTMT_EMUL_VALIDATE_CONSTANT_H
#define HTMT_EMUL_VALIDATE_CONSTANT_H

#include "emul/validate/golden.h"
#include "layers/machine/machine.h"

/* One of it in s, words, words a second, Hz or plain numbers: 1e-6 of "us", 0.125 of "bytes", 0.01
 * of "%". A unit that is not known is 1. */
double htmt__unit_size(const char *unit);

/* Where names are looked for: a cost file's keys, a machine's keys, "@ID" of golden rows. */
struct htmt__constants {
    const struct htmt_machine *machine; /* NULL: none */
    const char *costs;                  /* name or path; NULL: none */
    const struct htmt__golden *golden;
};

/* A formula (emul/validate/expression.h) of keys: "layers.sram.memory.capacity /
 * layers.sram.processor.count". In the units above. Errors: HTMT_EINVAL (no such key), HTMT_EUNIT,
 * those of reading the cost file.
 */
int htmt__constant(const struct htmt__constants *where, const char *formula, double *value,
                   struct htmt_fault *fault);

/* Which keys of a machine file hold the constant of a golden row; NULL: none. */
const char *htmt__machine_constant(const char *row);

#endif
