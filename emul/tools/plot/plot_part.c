/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/drawing.h"
#include "apps/formats/plot.h"

const struct htmt__plot_part htmt_plot = {htmt__plot_check, htmt__plot_write};
const struct htmt__drawing_part htmt_drawing = {htmt__drawing_check, htmt__drawing_write};
