/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where named files are. A name with a slash or a suffix is a path. Any other is looked for in the
 * folders of an environment variable, or, if that is not set, in the shipped ones: those near this
 * code, which a build or a moved installation has, then those of the installation it was built for.
 * A file that names another one has it beside itself, too. What is not found is refused with the
 * nearest name of all those folders, and with the folders.
 */
#include "layers/file/search.h"

#include "layers/file/folders.h"
#include "layers/file/own_path.h"
#include "runtime/base/suggest.h"
#include "runtime/base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef HTMT_DATADIR
#define HTMT_DATADIR "/usr/local/share/htmt"
#endif

#define SUFFIX   ".yaml"
#define NEAR_MAX 64 /* longer names are never near */

const struct htmt_search htmt_search_machines = {"machine", "machines", "HTMT_MACHINE_PATH"};
const struct htmt_search htmt_search_costs = {"cost file", "costs", "HTMT_COSTS_PATH"};

static bool ends_in_suffix(const char *name)
{
    size_t length = strlen(name);
    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* ---- shipped folders ------------------------------------------------------------------------ */

static bool name_below(char path[HTMT_PATH_MAX], const char *parent, const char *share,
                       const char *folder)
{
    return snprintf(path, HTMT_PATH_MAX, "%s%s/%s", parent, share, folder) < HTMT_PATH_MAX;
}

/* share/htmt/FOLDER in the nearest folder above the file that has it. */
static bool find_above(const char *file, const char *folder, char path[HTMT_PATH_MAX])
{
    char above[HTMT_PATH_MAX];
    snprintf(above, sizeof above, "%s", file);
    for (char *slash = strrchr(above, '/'); slash; slash = strrchr(above, '/')) {
        *slash = '\0';
        if (name_below(path, above, "/share/htmt", folder) && htmt__folder_exists(path))
            return true;
    }
    return false;
}

int htmt__search_shipped_folders(const struct htmt_search *search,
                                 int (*visit)(const char *folder, void *context), void *context)
{
    char own[HTMT_PATH_MAX], near[HTMT_PATH_MAX], installed[HTMT_PATH_MAX];
    /* By the library, where there is one, since the program may be Python. */
    bool known = htmt__own_library(own, sizeof own) && find_above(own, search->folder, near);
    known = known || (htmt__own_program(own, sizeof own) && find_above(own, search->folder, near));
    int rc = known ? visit(near, context) : 0;
    if (rc || !name_below(installed, HTMT_DATADIR, "", search->folder) ||
        (known && is_same(near, installed)))
        return rc;
    return visit(installed, context);
}

static int holds(const char *folder, void *path)
{
    const char *slash = strrchr(path, '/');
    char parent[HTMT_PATH_MAX] = ".";
    if (slash)
        snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - (char *)path),
                 (char *)path);
    return is_same(folder, parent);
}

bool htmt_search_shipped(const struct htmt_search *search, const char *path)
{
    char copy[HTMT_PATH_MAX];
    return snprintf(copy, sizeof copy, "%s", path) < HTMT_PATH_MAX &&
           htmt__search_shipped_folders(search, holds, copy);
}

/* ---- names ---------------------------------------------------------------------------------- */

int htmt_search_folders(const struct htmt_search *search,
                        int (*visit)(const char *folder, void *context), void *context)
{
    const char *list = getenv(search->variable);
    return list && *list ? htmt__folders_visit(list, visit, context)
                         : htmt__search_shipped_folders(search, visit, context);
}

struct probe {
    const char *name;
    char *path;
    char tried[1000]; /* cut in a message that has no room for more */
};

static int probe_folder(const char *folder, void *context)
{
    struct probe *p = context;
    size_t used = strlen(p->tried);
    int length =
        snprintf(p->tried + used, sizeof p->tried - used, "%s%s", used ? ", " : "", folder);
    if (length >= 0)
        length = snprintf(p->path, HTMT_PATH_MAX, "%s/%s" SUFFIX, folder, p->name);
    return length >= 0 && length < HTMT_PATH_MAX && htmt__path_exists(p->path);
}

/* ---- suggestions ---------------------------------------------------------------------------- */

struct nearest {
    const char *found;
    char name[NEAR_MAX];
};

/* Keep the nearer of the name so far and those of the folder; of two alike the first by letters,
 * since folders have no order. */
static int look_in(const char *folder, void *context)
{
    struct nearest *n = context;
    DIR *directory = opendir(folder);
    if (!directory)
        return 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *file = entry->d_name;
        char name[NEAR_MAX];
        if (file[0] == '.' || !ends_in_suffix(file) || strlen(file) - strlen(SUFFIX) >= sizeof name)
            continue;
        htmt_search_name(file, name, sizeof name);
        bool second = n->name[0] && strcmp(n->name, name) < 0;
        const char *both[] = {second ? n->name : name, second ? name : n->name};
        if (htmt__suggest_near(n->found, both, n->name[0] ? 2 : 1) == both[second])
            memcpy(n->name, name, sizeof name);
    }
    closedir(directory);
    return 0;
}

/* A path in a file is relative to that file's folder, any other to the current one. */
int htmt_search_path(const struct htmt_search *search, const char *name, const char *beside,
                     char path[HTMT_PATH_MAX], struct htmt_fault *fault)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    const int before = slash ? (int)(slash - beside) : 0;
    if (strchr(name, '/') || ends_in_suffix(name)) {
        const int folder = slash && name[0] != '/' ? before + 1 : 0;
        int length = snprintf(path, HTMT_PATH_MAX, "%.*s%s", folder, beside ? beside : "", name);
        if (length >= 0 && length < HTMT_PATH_MAX)
            return 0;
        return htmt_fault_set(fault, HTMT_ENOENT, "the path of the %s is too long", search->kind);
    }
    struct probe p = {.name = name, .path = path};
    struct nearest n = {.found = name};
    char folder[HTMT_PATH_MAX] = ".";
    if (htmt_search_folders(search, probe_folder, &p))
        return 0;
    if (beside &&
        (!slash || snprintf(folder, sizeof folder, "%.*s", before, beside) < HTMT_PATH_MAX) &&
        probe_folder(folder, &p))
        return 0;
    (void)htmt_search_folders(search, look_in, &n);
    if (n.name[0])
        return htmt_fault_set(fault, HTMT_ENOENT,
                              "no %s '%s', did you mean '%s'? (no %s" SUFFIX " in %s)",
                              search->kind, name, n.name, name, p.tried);
    return htmt_fault_set(fault, HTMT_ENOENT, "no %s '%s' (no %s" SUFFIX " in %s)", search->kind,
                          name, name, p.tried);
}

void htmt_search_name(const char *path, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - (ends_in_suffix(base) ? strlen(SUFFIX) : 0);
    if (length >= room)
        length = room - 1;
    memcpy(name, base, length);
    name[length] = '\0';
    htmt__utf8_repair(name);
}
