/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/paper_figures.h"

#include <stddef.h>

const struct htmt_paper_figure htmt__traffic_paper_figures[] = {{NULL, NULL, NULL, NULL, NULL}};
