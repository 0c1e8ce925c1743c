/* SPDX-License-Identifier: BSD-3-Clause
 *
 * New projects: a folder with an application of the user's own, made of shipped templates.
 */
#ifndef HTMT_EMUL_COMMAND_NEW_PROJECT_H
#define HTMT_EMUL_COMMAND_NEW_PROJECT_H

#include "runtime/base/error.h"

/* "parcel", "stencil", "reduction"; ends with NULL. */
extern const char *const htmt__project_templates[];

/* Makes the folder `name` in the current one, whole or not at all; an empty one is filled.
 * Errors: HTMT_EUSAGE (no such template, no name for an application, something of that name is
 * there), HTMT_ENOENT (the templates are not installed), HTMT_ENOMEM, HTMT_EIO, HTMT_ESYSTEM. */
int htmt__project_create(const char *name, const char *template_name, struct htmt_fault *fault);

#endif
