/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where machine and cost files are, and others alike: a name is looked for in the folders of an
 * environment variable when that is set. Else it is looked for in what is shipped: share/htmt in
 * the nearest folder above the shared library that has it, else above the program (of a build, or
 * of an installed tree, which may be moved), then where the library was built to be installed. The
 * current folder never counts. What contains '/' or ends in ".yaml" is a path.
 */
#ifndef HTMT_LAYERS_FILE_SEARCH_H
#define HTMT_LAYERS_FILE_SEARCH_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_PATH_MAX 1024

struct htmt_search {
    const char *kind;     /* "machine", for messages */
    const char *folder;   /* "machines" */
    const char *variable; /* "HTMT_MACHINE_PATH": folders divided by ':' */
};

extern const struct htmt_search htmt_search_machines, htmt_search_costs;

/* The path of a name or path; `beside`, when not NULL, is a file whose folder is searched last.
 * Errors: HTMT_ENOENT, with the folders in the message, and the nearest name in them. */
int htmt_search_path(const struct htmt_search *search, const char *name, const char *beside,
                     char path[HTMT_PATH_MAX], struct htmt_fault *fault);

/* Does the file of that path lie in a folder of shipped ones? */
bool htmt_search_shipped(const struct htmt_search *search, const char *path);

/* Call visit for every folder of the search, in order, until one call gives non-zero, which is
 * returned; else 0. */
int htmt_search_folders(const struct htmt_search *search,
                        int (*visit)(const char *folder, void *context), void *context);

/* The same for the shipped folders alone, whatever the search's variable names. */
int htmt__search_shipped_folders(const struct htmt_search *search,
                                 int (*visit)(const char *folder, void *context), void *context);

/* "htmt-oct98" of "machines/htmt-oct98.yaml"; UTF-8, cut to the room. */
void htmt_search_name(const char *path, char *name, size_t room);

#ifdef __cplusplus
}
#endif

#endif
