/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where plug-ins are: in the folders of HTMT_APP_PATH first, then beside the command or the library
 * that looks for them: apps/ of a build, lib/htmt/apps of an installed tree, which may be moved,
 * then where they were built to be installed. Of two of one name the first counts. The current
 * folder never counts.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_FOLDER_H
#define HTMT_EMUL_LIB_PLUGIN_FOLDER_H

#include "layers/file/search.h"

#include <stdbool.h>

/* Call visit for every folder of plug-ins, in order, until one call gives non-zero, which is
 * returned; else 0. */
int htmt__plugin_folders(int (*visit)(const char *folder, void *context), void *context);

/* Whether a folder of HTMT_APP_PATH has the plug-in: it is anybody's. */
bool htmt__plugin_given(const char *name);

/* The same for the folders above them, which hold what the command itself loads. */
int htmt__plugin_homes(int (*visit)(const char *folder, void *context), void *context);

/* Does a file of that name lie in the folder? Its path. */
bool htmt__plugin_beside(const char *folder, const char *name, char path[static HTMT_PATH_MAX]);

#endif
