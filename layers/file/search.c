/* SPDX-License-Identifier: BSD-3-Clause */
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

static bool is_path(const char *name)
{
    return strchr(name, '/') || ends_in_suffix(name);
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

/* PREFIX of what is installed, the folder of the build of any other; by the library, where there is
 * one, since the program may be Python. */
static bool find_near(const char *folder, char path[static HTMT_PATH_MAX])
{
    char own[HTMT_PATH_MAX];
    if (htmt__own_library(own, sizeof own) && find_above(own, folder, path))
        return true;
    return htmt__own_program(own, sizeof own) && find_above(own, folder, path);
}

int htmt__search_shipped_folders(const struct htmt_search *search,
                                 int (*visit)(const char *folder, void *context), void *context)
{
    char near[HTMT_PATH_MAX], installed[HTMT_PATH_MAX];
    bool known = find_near(search->folder, near);
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

static bool found_beside(struct probe *p, const char *beside)
{
    char folder[HTMT_PATH_MAX] = ".";
    const char *slash = strrchr(beside, '/');
    if (slash &&
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - beside), beside) >= HTMT_PATH_MAX)
        return false;
    return probe_folder(folder, p) != 0;
}

/* A path in a file is relative to that file's folder, any other to the current one. */
static int take_path(const struct htmt_search *search, const char *name, const char *beside,
                     char path[HTMT_PATH_MAX], struct htmt_fault *fault)
{
    const char *slash = beside && name[0] != '/' ? strrchr(beside, '/') : NULL;
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    int length = snprintf(path, HTMT_PATH_MAX, "%.*s%s", folder, beside ? beside : "", name);
    if (length >= 0 && length < HTMT_PATH_MAX)
        return 0;
    return htmt_fault_set(fault, HTMT_ENOENT, "the path of the %s is too long", search->kind);
}

/* ---- suggestions ---------------------------------------------------------------------------- */

struct nearest {
    const char *found;
    char name[NEAR_MAX];
};

/* Keep the nearer of the name so far and that of the file; of two alike the first by letters, since
 * folders have no order. */
static void compare(struct nearest *n, const char *file)
{
    char name[NEAR_MAX];
    if (file[0] == '.' || !ends_in_suffix(file) || strlen(file) - strlen(SUFFIX) >= sizeof name)
        return;
    htmt_search_name(file, name, sizeof name);
    bool second = n->name[0] && strcmp(n->name, name) < 0;
    const char *both[] = {second ? n->name : name, second ? name : n->name};
    if (htmt__suggest_near(n->found, both, n->name[0] ? 2 : 1) == both[second])
        memcpy(n->name, name, sizeof name);
}

static int look_in(const char *folder, void *context)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        compare(context, entry->d_name);
    closedir(directory);
    return 0;
}

static int refuse(const struct htmt_search *search, const struct probe *p, struct htmt_fault *fault)
{
    struct nearest n = {.found = p->name};
    (void)htmt_search_folders(search, look_in, &n);
    if (n.name[0])
        return htmt_fault_set(fault, HTMT_ENOENT,
                              "no %s '%s', did you mean '%s'? (no %s" SUFFIX " in %s)",
                              search->kind, p->name, n.name, p->name, p->tried);
    return htmt_fault_set(fault, HTMT_ENOENT, "no %s '%s' (no %s" SUFFIX " in %s)", search->kind,
                          p->name, p->name, p->tried);
}

int htmt_search_path(const struct htmt_search *search, const char *name, const char *beside,
                     char path[HTMT_PATH_MAX], struct htmt_fault *fault)
{
    if (is_path(name))
        return take_path(search, name, beside, path, fault);
    struct probe p = {.name = name, .path = path};
    if (htmt_search_folders(search, probe_folder, &p))
        return 0;
    if (beside && found_beside(&p, beside))
        return 0;
    return refuse(search, &p, fault);
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
