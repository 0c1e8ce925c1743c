/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/plugin: applications in shared objects. A plug-in exports htmt_app
 * (apps/lib/app.h) and finds the functions of libhtmt in the program that loads it.
 */
#ifndef HTMT_EMUL_LIB_PLUGIN_PLUGIN_H
#define HTMT_EMUL_LIB_PLUGIN_PLUGIN_H

#include "apps/lib/app.h"

/* Loads the application that a word names: the path of a plug-in if it contains '/' or ends in
 * ".so", else a plug-in NAME.so of the folders of emul/lib/plugin/folder.h. *app is whole, whatever
 * the plug-in was built with; what it points to stays until the end of the process. `watchdog`: as
 * htmt__object_load() has it. Errors: HTMT_EUSAGE (no plug-in of that name), those of
 * emul/lib/plugin/object.h and of htmt__plugin_complete(). */
int htmt__plugin_load(const char *word, uint32_t watchdog, struct htmt_app *app,
                      struct htmt_fault *fault);

/* The application that `where` was built with, whole: what an older version lacks is zero. Errors:
 * those of htmt__app_complete(), behind `where`; HTMT_EINVAL (an option named as a common one). */
int htmt__plugin_complete(const char *where, const struct htmt_app *given, struct htmt_app *app,
                          struct htmt_fault *fault);

/* The names of all plug-ins in the folders, sorted, each once. On success the caller calls
 * htmt__plugin_names_clear(). Errors: HTMT_ENOMEM, HTMT_ESYSTEM. */
struct htmt__plugin_names {
    unsigned count;
    size_t room;
    char **name;
};
int htmt__plugin_names_find(struct htmt__plugin_names *names, struct htmt_fault *fault);
void htmt__plugin_names_clear(struct htmt__plugin_names *names);

/* What NAME.so beside the folders of plug-ins exports: a part of the command that only some command
 * lines need. `what` begins the line about a part that is not there: "--plot". */
bool htmt__plugin_part_exists(const char *name);
int htmt__plugin_part(const char *name, const char *symbol, const char *what, void **part,
                      struct htmt_fault *fault);

#endif
