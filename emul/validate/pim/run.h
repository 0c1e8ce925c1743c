/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs of the PrIM suite that are modelled: their names in rows, in the application and in
 * the cost file; and model runs of the applications prim and micro: the prediction of a measured
 * row is what the virtual clock says.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_RUN_H
#define HTMT_EMUL_VALIDATE_PIM_RUN_H

#include "apps/lib/task_parts.h"
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

/* Virtual seconds of the parts of a program. */
struct htmt__pim_times {
    double kernel, launch; /* of prim both in `kernel` */
    double to_slices, from_slices, between_slices;
    bool held; /* the bus held a curve beyond its points */
};

struct htmt__pim_command {
    const char *program; /* "va" */
    const struct htmt_machine *machine;
    const char *costs;      /* NULL: the instructions of typed operations */
    const char *const *set; /* changes of the cost file */
    unsigned set_count;
    uint32_t dpus;
    uint64_t size;
};

/* The application among all of the command. Errors: HTMT_ENOENT. */
int htmt__pim_application(const struct htmt_app *const *apps, const char *name,
                          const struct htmt_app **app, struct htmt_fault *fault);

/* Folded where all DPUs do the same, else unfolded. Errors: those of the application. */
int htmt__pim_run(const struct htmt_app *app, const struct htmt__pim_command *command,
                  struct htmt__pim_times *times, struct htmt_fault *fault);

/* Of a microbenchmark, whose options without the slices are given: "--program copy --level ...".
 * Folded. Errors: as above. */
int htmt__pim_micro(const struct htmt_app *app, const struct htmt_machine *machine, uint32_t dpus,
                    const char *options, struct htmt__pim_times *times, struct htmt_fault *fault);

#endif
