/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/folders.h"

#include "layers/file/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int htmt__folders_visit(const char *list, int (*visit)(const char *, void *), void *context)
{
    int rc = 0;
    while (!rc && *list) {
        char folder[HTMT_PATH_MAX];
        int length = (int)strcspn(list, ":");
        bool fits = snprintf(folder, sizeof folder, "%.*s", length, list) < HTMT_PATH_MAX;
        if (length > 0 && fits)
            rc = visit(folder, context);
        list += length;
        list += *list == ':';
    }
    return rc;
}

bool htmt__folder_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool htmt__path_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int htmt__folder_temporary(char *path, size_t room, struct htmt_fault *fault)
{
    const char *home = getenv("TMPDIR");
    const size_t most = room - 16;
    const int n = snprintf(path, most, "%s/htmt-XXXXXX", home && *home ? home : "/tmp");
    if (n < 0 || (size_t)n >= most || !mkdtemp(path))
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: %s", path,
                              strerror((size_t)n < most ? errno : ENAMETOOLONG));
    return 0;
}
