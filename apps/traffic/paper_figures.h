/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_APPS_TRAFFIC_PAPER_FIGURES_H
#define HTMT_APPS_TRAFFIC_PAPER_FIGURES_H

#include "apps/lib/app.h"

/* Of Mermaid and of Pauer's HPSC; ends with a NULL row. */
extern const struct htmt_paper_figure htmt__traffic_paper_figures[];

#endif
