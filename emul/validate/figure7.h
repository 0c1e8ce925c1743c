/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figure 7 of Amaral et al. as a plot: performance over the arithmetic cycle of the SPELLs, with a
 * curve for each access time of DRAM and each number of products.
 */
#ifndef HTMT_EMUL_VALIDATE_FIGURE7_H
#define HTMT_EMUL_VALIDATE_FIGURE7_H

#include "emul/validate/validation.h"

#define HTMT__FIGURE7_TABLE "amaral-figure7"

/* Plots the golden points of the table, with curves of the closed form between them. The table must
 * be among the validated ones. Errors: HTMT_EUSAGE (it is not), HTMT_ENOMEM, those of the closed
 * form and of apps/formats/plot.h. */
int htmt__figure7_plot(const struct htmt__validation *v, const char *path,
                       struct htmt_fault *fault);

/* Can the plot be written there later? Errors: HTMT_ESYSTEM (the command lacks plot.so), those of
 * apps/formats/plot.h. */
int htmt__figure7_check(const char *path, struct htmt_fault *fault);

#endif
