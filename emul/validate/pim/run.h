/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Model runs of the applications prim and micro: the prediction of a measured row is what the
 * virtual clock says.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_RUN_H
#define HTMT_EMUL_VALIDATE_PIM_RUN_H

#include "apps/lib/task_parts.h"
#include "layers/file/costs.h"

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
