/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of applications. A new application is a folder of its own and one row here.
 */
#ifndef HTMT_APPS_TABLE_H
#define HTMT_APPS_TABLE_H

#include "apps/lib/app.h"

extern const struct htmt_app htmt_app_cannon;
extern const struct htmt_app htmt_app_sar;
extern const struct htmt_app htmt_app_pic;
extern const struct htmt_app htmt_app_volume;

/* All applications; ends with NULL. */
extern const struct htmt_app *const htmt_apps[];

#endif
