/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of applications with a fifth row. Linked before libhtmtapps.a, it takes the place of
 * tests/apps/table.c.
 */
#include "tests/examples/table.h"

#include <stddef.h>

const struct htmt_app *const htmt_apps[] = {&htmt_app_cannon, &htmt_app_sar, &htmt_app_pic,
                                            &htmt_app_volume, &htmt_app_dot, NULL};
