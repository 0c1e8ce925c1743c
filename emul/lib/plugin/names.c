/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of the plug-ins that are there.
 */
#include "emul/lib/plugin/plugin.h"

#include "emul/lib/plugin/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SUFFIX = 3 /* letters of ".so" */ };

static bool is_known(const struct htmt__plugin_names *names, const char *name, size_t length)
{
    for (unsigned i = 0; i < names->count; i++)
        if (strlen(names->name[i]) == length && !memcmp(names->name[i], name, length))
            return true;
    return false;
}

static int add(struct htmt__plugin_names *names, const char *file)
{
    size_t length = strlen(file);
    if (file[0] == '.' || length <= SUFFIX || strcmp(file + length - SUFFIX, ".so") != 0 ||
        is_known(names, file, length - SUFFIX))
        return 0;
    char **more = realloc(names->name, (names->count + 1) * sizeof *more);
    if (!more)
        return HTMT_ENOMEM;
    names->name = more;
    more[names->count] = strndup(file, length - SUFFIX);
    if (!more[names->count])
        return HTMT_ENOMEM;
    names->count++;
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
        rc = add(names, entry->d_name);
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
