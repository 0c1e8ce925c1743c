/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs of the PrIM suite that are modelled: their names in rows, in the application and in
 * the cost file.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_PROGRAMS_H
#define HTMT_EMUL_VALIDATE_PIM_PROGRAMS_H

#include "layers/file/costs.h"
#include "layers/machine/machine.h"

/* Keys of the cost file: two constants of each program, in the order of programs. */
extern const struct htmt_schema_row htmt__pim_cost_rows[];

/* A program by the name of its rows, "SCAN-SSA"; its index, -1: there is none. */
int htmt__pim_program(const char *name);
const char *htmt__pim_program_name(int program); /* NULL: behind the last */

/* "scan-ssa": as the application and the cost file call it. */
const char *htmt__pim_key(int program);

/* Whether a program has this typed operation: "add-i32". */
bool htmt__pim_counts(const char *operation);

/* Whether the machine's table has a row for each of them. Errors: HTMT_EFORMAT. */
int htmt__pim_check_operations(const struct htmt_machine *machine, struct htmt_fault *fault);

#endif
