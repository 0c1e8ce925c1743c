/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Model runs of the application prim: the prediction of a measured program is what the virtual
 * clock says.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_RUN_H
#define HTMT_EMUL_VALIDATE_PIM_RUN_H

#include "apps/lib/task_parts.h"
#include "layers/file/costs.h"

/* Virtual seconds of the parts of a program. */
struct htmt__pim_times {
    double kernel, to_slices, from_slices, between_slices;
};

struct htmt__pim_command {
    const char *program, *machine; /* "va", "upmem-p21" */
    const char *costs;             /* NULL: the instructions of typed operations */
    const char *const *set;        /* changes of the cost file */
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

/* Seconds of a copy of the micro program inside a DPU, without the launch; `level`: "wram", "mram".
 * Errors: as above. */
int htmt__pim_copy(const struct htmt_app *app, const char *machine, const char *level,
                   uint32_t tasklets, uint64_t words, uint64_t repetitions, double *seconds,
                   struct htmt_fault *fault);

#endif
