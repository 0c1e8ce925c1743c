/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constants from machine and cost files, and the units of golden rows.
 */
#ifndef HTMT_EMUL_VALIDATE_CONSTANT_H
#define HTMT_EMUL_VALIDATE_CONSTANT_H

#include "emul/validate/golden.h"
#include "layers/machine/machine.h"

/* The size of a unit in s, words, words per second, Hz or plain numbers: 1e-6 for "us", 0.125 for
 * "bytes", 0.01 for "%". 1 for an unknown unit. */
double htmt__unit_size(const char *unit);

/* Sources of names: keys of a machine, keys of a cost file, "@ID" of golden rows. */
struct htmt__constants {
    const struct htmt_machine *machine; /* NULL: none */
    const char *costs;                  /* name or path; NULL: none */
    const struct htmt__golden *golden;
};

/* Evaluates a formula of keys (emul/validate/expression.h), such as "layers.sram.memory.capacity /
 * layers.sram.processor.count", in the units above. Errors: HTMT_EINVAL (no such key), HTMT_EUNIT,
 * those of reading the cost file. */
int htmt__constant(const struct htmt__constants *where, const char *formula, double *value,
                   struct htmt_fault *fault);

/* The formula of machine keys for the constant of a golden row; NULL: there is none. */
const char *htmt__machine_constant(const char *row);

#endif
