/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_APPS_KERNELS_PAPER_FIGURES_H
#define HTMT_APPS_KERNELS_PAPER_FIGURES_H

#include "apps/lib/app.h"

/* Rows of van Brummen et al., "Mermaid", section 5.1. */
extern const struct htmt_paper_figure htmt__kernels_paper_figures[];

#endif
