/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figure 7 of Amaral et al. as a plot: performance over the cycle of the SPELLs' arithmetic, a
 * curve for each access time of DRAM and each number of products.
 */
#ifndef HTMT_EMUL_VALIDATE_FIGURE7_H
#define HTMT_EMUL_VALIDATE_FIGURE7_H

#include "emul/validate/validation.h"

#define HTMT__FIGURE7_TABLE "amaral-figure7"

/* Curves by the closed form between the golden points of its table, which must be
 * among those that were validated. Errors: HTMT_EUSAGE (it is not), HTMT_ENOMEM, those of the
 * closed form and of apps/formats/plot.h. */
int htmt__figure7_plot(const struct htmt__validation *v, const char *path,
                       struct htmt_fault *fault);

#endif
