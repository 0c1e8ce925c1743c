/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/apps/table.h"

#include <stddef.h>

const struct htmt_app *const htmt_apps[] = {&htmt_app_cannon,
                                            &htmt_app_kernels,
                                            &htmt_app_sar,
                                            &htmt_app_pic,
                                            &htmt_app_traffic,
                                            &htmt_app_volume,
                                            &htmt_app_prim,
                                            &htmt_app_micro,
                                            &htmt_app_graph,
                                            &htmt_app_stencil,
                                            &htmt_app_md,
                                            &htmt_app_nbody,
                                            NULL};
