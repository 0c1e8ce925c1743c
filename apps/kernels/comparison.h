/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prediction and clock over the sizes: figures, a table and a plot.
 */
#ifndef HTMT_APPS_KERNELS_COMPARISON_H
#define HTMT_APPS_KERNELS_COMPARISON_H

#include "apps/kernels/program.h"
#include "apps/lib/steps.h"

struct htmt__kernels_comparison {
    unsigned sizes;
    double n[HTMT__KERNELS_SIZES];
    double model[HTMT__KERNELS_SIZES], plain[HTMT__KERNELS_SIZES]; /* ns of a turn */
    double spread[HTMT__KERNELS_SIZES];
    unsigned free[HTMT__KERNELS_SIZES]; /* samples that found the core free */
    double error[HTMT__KERNELS_SIZES];  /* %: of the model against the clock */
    double mean, worst;                 /* of their magnitudes */
    double clock;                       /* GHz, of this host now */
    double own_clock; /* GHz, at which the clock's times are told: of a machine file of this host
                       * the file's, else `clock` */
};

/* Measures. Errors: HTMT_ENOMEM. */
int htmt__kernels_compare(const struct htmt__kernels_plan *plan,
                          const struct htmt__kernels_program *program,
                          const struct htmt_machine *machine, struct htmt__kernels_comparison *c);
void htmt__kernels_tell(struct htmt_task *task, const struct htmt__kernels_comparison *c);
/* Errors: those of runtime/base/whole_file.h, and of apps/formats/plot.h. */
int htmt__kernels_write_csv(const char *path, const struct htmt__kernels_plan *plan,
                            const struct htmt__kernels_comparison *c, struct htmt_fault *fault);
int htmt__kernels_write_plot(const char *path, const struct htmt__kernels_plan *plan,
                             const char *machine, const struct htmt__kernels_comparison *c,
                             struct htmt_fault *fault);

#endif
