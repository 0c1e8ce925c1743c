/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tours of folders stop at the first visit that gives non-zero. A build has plug-ins in apps/
 * beside the command, an installed tree in lib/htmt/apps, from where it may be moved as a whole;
 * the folder of the installation that was configured comes last. A name that lies in several
 * folders is that of the first one.
 */
#include "emul/lib/plugin/folder.h"

#include "emul/lib/plugin/plugin.h"
#include "layers/file/folders.h"
#include "layers/file/own_path.h"

#include "runtime/base/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HTMT_LIBDIR
#define HTMT_LIBDIR "/usr/local/lib"
#endif
/* From the folder of the installed command to that of its library. */
#ifndef HTMT_LIB_FROM_BIN
#define HTMT_LIB_FROM_BIN "../lib"
#endif

struct tour {
    const char *below; /* the homes: "/apps" */
    int (*visit)(const char *folder, void *context);
    void *context;
};

static int visit_one(const struct tour *t, const char *home, const char *rest)
{
    char path[HTMT_PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s%s", home, rest, t->below);
    return length < HTMT_PATH_MAX && htmt__folder_exists(path) ? t->visit(path, t->context) : 0;
}

/* Beside the file that has this code: the library, or a program that it is linked into. */
static int visit_all(const struct tour *t)
{
    static const char *const rests[] = {"", "/htmt", "/" HTMT_LIB_FROM_BIN "/htmt"};
    char own[HTMT_PATH_MAX];
    int rc = 0;
    if (htmt__own_library(own, sizeof own) || htmt__own_program(own, sizeof own)) {
        *strrchr(own, '/') = '\0';
        for (size_t i = 0; i < sizeof rests / sizeof *rests && !rc; i++)
            rc = visit_one(t, own, rests[i]);
    }
    return rc ? rc : visit_one(t, HTMT_LIBDIR, "/htmt");
}

int htmt__plugin_homes(int (*visit)(const char *folder, void *context), void *context)
{
    return visit_all(&(struct tour){"", visit, context});
}

int htmt__plugin_folders(int (*visit)(const char *folder, void *context), void *context)
{
    const char *list = getenv("HTMT_APP_PATH");
    const int rc = list && *list ? htmt__folders_visit(list, visit, context) : 0;
    return rc ? rc : visit_all(&(struct tour){"/apps", visit, context});
}

static int has_name(const char *folder, void *name)
{
    char path[HTMT_PATH_MAX];
    return htmt__plugin_beside(folder, name, path);
}

bool htmt__plugin_given(const char *name)
{
    const char *list = getenv("HTMT_APP_PATH");
    char *word = strdup(name);
    /* Without memory it counts as given: it is tried before it is loaded. */
    const bool given = list && *list && (!word || htmt__folders_visit(list, has_name, word));
    free(word);
    return given;
}

bool htmt__plugin_beside(const char *folder, const char *name, char path[static HTMT_PATH_MAX])
{
    return snprintf(path, HTMT_PATH_MAX, "%s/%s.so", folder, name) < HTMT_PATH_MAX &&
           htmt__path_exists(path);
}

/* ---- names of plug-ins ----------------------------------------------------------------------- */

/* "cannon" of "cannon.so"; hidden files and names that are known already are passed over. */
static int add_name(struct htmt__plugin_names *names, const char *file)
{
    const size_t suffix = strlen(".so"), length = strlen(file);
    if (file[0] == '.' || length <= suffix || strcmp(file + length - suffix, ".so") != 0)
        return 0;
    if (!htmt__array_fits(&names->name, &names->room, names->count + 1u, sizeof *names->name))
        return HTMT_ENOMEM;
    char *name = strndup(file, length - suffix);
    if (!name)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) {
            free(name);
            return 0;
        }
    names->name[names->count++] = name;
    return 0;
}

/* A folder that is not there holds nothing. */
static int look_in(const char *folder, void *names)
{
    DIR *directory = opendir(folder);
    int rc = 0;
    if (!directory)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? HTMT_ESYSTEM : 0;
    for (struct dirent *entry; !rc && (entry = readdir(directory));)
        rc = add_name(names, entry->d_name);
    closedir(directory);
    return rc;
}

static int by_letters(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int htmt__plugin_names_find(struct htmt__plugin_names *names, struct htmt_fault *fault)
{
    *names = (struct htmt__plugin_names){0};
    int rc = htmt__plugin_folders(look_in, names);
    if (rc) {
        htmt__plugin_names_clear(names);
        return htmt_fault_set(fault, rc, "the folders of plug-ins cannot be read: %s",
                              htmt_strerror(rc));
    }
    if (names->count)
        qsort(names->name, names->count, sizeof *names->name, by_letters);
    return 0;
}

void htmt__plugin_names_clear(struct htmt__plugin_names *names)
{
    for (unsigned i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct htmt__plugin_names){0};
}
