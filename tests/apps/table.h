/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The applications, linked into a test: the Makefile gives each one's htmt_app a name of its own.
 */
#ifndef HTMT_TESTS_APPS_TABLE_H
#define HTMT_TESTS_APPS_TABLE_H

#include "apps/lib/app.h"

extern const struct htmt_app htmt_app_cannon;
extern const struct htmt_app htmt_app_graph;
extern const struct htmt_app htmt_app_sar;
extern const struct htmt_app htmt_app_md;
extern const struct htmt_app htmt_app_micro;
extern const struct htmt_app htmt_app_nbody;
extern const struct htmt_app htmt_app_pic;
extern const struct htmt_app htmt_app_kernels;
extern const struct htmt_app htmt_app_prim;
extern const struct htmt_app htmt_app_stencil;
extern const struct htmt_app htmt_app_traffic;
extern const struct htmt_app htmt_app_volume;

/* All applications; ends with NULL. */
extern const struct htmt_app *const htmt_apps[];

#endif
