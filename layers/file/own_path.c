/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr1 */
#include "layers/file/own_path.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An address of the object that holds this file. */
static const char here = 0;

/* The name of the program itself is "" in the map; dladdr() alone would give its argv[0]. */
bool htmt__own_library(char *path, size_t room)
{
    char whole[PATH_MAX];
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name)
        return false;
    if (!realpath(map->l_name, whole) || strlen(whole) >= room)
        return false;
    memcpy(path, whole, strlen(whole) + 1);
    return true;
}

bool htmt__own_program(char *path, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", path, room);
    if (length <= 0 || (size_t)length >= room)
        return false;
    path[length] = '\0';
    return true;
}
