/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/plugin/folder.h"

#include "layers/file/folders.h"
#include "layers/file/own_path.h"

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

/* The folder of the file that has this code: the library, or a program that it is linked into. */
static bool own_folder(char folder[static HTMT_PATH_MAX])
{
    if (!htmt__own_library(folder, HTMT_PATH_MAX) && !htmt__own_program(folder, HTMT_PATH_MAX))
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

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

static int visit_all(const struct tour *t)
{
    static const char *const rests[] = {"", "/htmt", "/" HTMT_LIB_FROM_BIN "/htmt"};
    char own[HTMT_PATH_MAX];
    int rc = 0;
    if (own_folder(own))
        for (size_t i = 0; i < sizeof rests / sizeof *rests && !rc; i++)
            rc = visit_one(t, own, rests[i]);
    return rc ? rc : visit_one(t, HTMT_LIBDIR, "/htmt");
}

int htmt__plugin_homes(int (*visit)(const char *folder, void *context), void *context)
{
    return visit_all(&(struct tour){"", visit, context});
}

int htmt__plugin_folders(int (*visit)(const char *folder, void *context), void *context)
{
    const char *list = getenv("HTMT_APP_PATH");
    return list && *list ? htmt__folders_visit(list, visit, context)
                         : visit_all(&(struct tour){"/apps", visit, context});
}

bool htmt__plugin_beside(const char *folder, const char *name, char path[static HTMT_PATH_MAX])
{
    return snprintf(path, HTMT_PATH_MAX, "%s/%s.so", folder, name) < HTMT_PATH_MAX &&
           htmt__path_exists(path);
}
