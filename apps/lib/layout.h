/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of struct htmt_app as earlier versions of libhtmt had it, and later ones may have it.
 * Applications that were compiled apart from this libhtmt come through here before anybody else
 * looks at them.
 */
#ifndef HTMT_APPS_LIB_LAYOUT_H
#define HTMT_APPS_LIB_LAYOUT_H

#include "apps/lib/app.h"

/* Copies an application into a struct of this version: members that its version did not have are
 * zeros, and options that it has none of an empty table. *app belongs to the caller; it points to
 * what `given` points to, and lasts as long. Any thread.
 *
 * The line in *fault says what is wrong with the application, without its name: "it was built for
 * ...". Errors: HTMT_EINVAL (none; built for a later libhtmt, or for another ABI; a size that no
 * version had; no name, summary or step create; a name with other characters; more options than
 * HTMT_APP_OPTIONS_MAX, or two of one name; a verb that lacks something). */
int htmt__app_complete(const struct htmt_app *given, struct htmt_app *app,
                       struct htmt_fault *fault);

#endif
