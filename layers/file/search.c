/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/search.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef HTMT_DATADIR
#define HTMT_DATADIR "/usr/local/share/htmt"
#endif

#define SUFFIX ".yaml"

const struct htmt__search htmt__search_machines = {"machine", "machines", "HTMT_MACHINE_PATH",
                                                   NULL};
const struct htmt__search htmt__search_costs = {"cost file", "costs", "HTMT_COSTS_PATH", NULL};

static bool ends_in_suffix(const char *name)
{
    size_t length = strlen(name);
    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || ends_in_suffix(name);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int visit_listed(const char *list, int (*visit)(const char *, void *), void *context)
{
    int rc = 0;
    while (!rc && *list) {
        char folder[HTMT__PATH_MAX];
        int length = (int)strcspn(list, ":");
        bool fits = snprintf(folder, sizeof folder, "%.*s", length, list) < HTMT__PATH_MAX;
        if (length > 0 && fits)
            rc = visit(folder, context);
        list += length;
        list += *list == ':';
    }
    return rc;
}

/* The folder in which the folder of the running program lies: PREFIX of an installed one, the
 * source folder of one in build/. */
static bool program_folder(char folder[static HTMT__PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, HTMT__PATH_MAX);
    if (length <= 0 || length >= HTMT__PATH_MAX)
        return false;
    folder[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

static int visit_below(const char *parent, const char *share, const char *folder,
                       int (*visit)(const char *, void *), void *context)
{
    char path[HTMT__PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s/%s", parent, share, folder) >= HTMT__PATH_MAX)
        return 0;
    return visit(path, context);
}

int htmt__search_folders(const struct htmt__search *search,
                         int (*visit)(const char *folder, void *context), void *context)
{
    const char *list = getenv(search->variable);
    if (list && *list)
        return visit_listed(list, visit, context);
    char near[HTMT__PATH_MAX];
    bool known = program_folder(near);
    const char *source = search->source ? search->source : search->folder;
    int rc = visit(source, context);
    if (!rc && known)
        rc = visit_below(near, "", source, visit, context);
    if (!rc && known)
        rc = visit_below(near, "/share/htmt", search->folder, visit, context);
    return rc ? rc : visit_below(HTMT_DATADIR, "", search->folder, visit, context);
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
    snprintf(p->tried + used, sizeof p->tried - used, "%s%s", used ? ", " : "", folder);
    int length = snprintf(p->path, HTMT__PATH_MAX, "%s/%s" SUFFIX, folder, p->name);
    return length < HTMT__PATH_MAX && is_file(p->path);
}

static bool found_beside(struct probe *p, const char *beside)
{
    char folder[HTMT__PATH_MAX] = ".";
    const char *slash = strrchr(beside, '/');
    if (slash &&
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - beside), beside) >= HTMT__PATH_MAX)
        return false;
    return probe_folder(folder, p) != 0;
}

/* A path in a file is relative to that file's folder, any other to the current one. */
static int take_path(const struct htmt__search *search, const char *name, const char *beside,
                     char path[static HTMT__PATH_MAX], struct htmt_fault *fault)
{
    const char *slash = beside && name[0] != '/' ? strrchr(beside, '/') : NULL;
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    int length = snprintf(path, HTMT__PATH_MAX, "%.*s%s", folder, beside ? beside : "", name);
    if (length >= 0 && length < HTMT__PATH_MAX)
        return 0;
    return htmt_fault_set(fault, HTMT_ENOENT, "the path of the %s is too long", search->kind);
}

int htmt__search_path(const struct htmt__search *search, const char *name, const char *beside,
                      char path[static HTMT__PATH_MAX], struct htmt_fault *fault)
{
    if (is_path(name))
        return take_path(search, name, beside, path, fault);
    struct probe p = {.name = name, .path = path};
    if (beside && found_beside(&p, beside))
        return 0;
    if (htmt__search_folders(search, probe_folder, &p))
        return 0;
    return htmt_fault_set(fault, HTMT_ENOENT, "no %s '%s' (no %s" SUFFIX " in %s)", search->kind,
                          name, name, p.tried);
}

void htmt__search_name(const char *path, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - (ends_in_suffix(base) ? strlen(SUFFIX) : 0);
    if (length >= room)
        length = room - 1;
    memcpy(name, base, length);
    name[length] = '\0';
}
