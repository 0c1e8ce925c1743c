/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where machine and cost files are looked for, and what is there.
 */
#include "emul/lib/doctor/doctor.h"

#include "layers/file/search.h"
#include "runtime/base/json_text.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int is_description(const struct dirent *entry)
{
    return fnmatch("*.yaml", entry->d_name, FNM_PERIOD) == 0;
}

static json_t *name_of(const char *file)
{
    char name[256];
    htmt_search_name(file, name, sizeof name);
    return htmt__json_text(name);
}

/* Sorted by their bytes: the same in each locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* null: the folder cannot be read. NULL: memory is short. */
static json_t *files_of(const char *folder)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_description, by_bytes);
    if (count < 0 && errno != ENOENT && errno != ENOTDIR)
        return errno == ENOMEM ? NULL : json_null();
    json_t *files = json_array();
    int failed = !files;
    for (int i = 0; i < count; i++) {
        failed = failed || json_array_append_new(files, name_of(entry[i]->d_name));
        free(entry[i]);
    }
    free(entry);
    if (!failed)
        return files;
    json_decref(files);
    return NULL;
}

struct listing {
    const struct htmt_search *search;
    json_t *all;
};

static int append_folder(const char *folder, void *user)
{
    struct listing *l = user;
    return json_array_append_new(l->all,
                                 json_pack("{s:s,s:o,s:o,s:b}", "kind", l->search->kind, "path",
                                           htmt__json_text(folder), "files", files_of(folder),
                                           "by_variable", getenv(l->search->variable) != NULL));
}

json_t *htmt__doctor_folders(void)
{
    const struct htmt_search *const searches[] = {&htmt_search_machines, &htmt_search_costs};
    json_t *all = json_array();
    int failed = !all;
    for (size_t i = 0; i < sizeof searches / sizeof *searches && !failed; i++) {
        struct listing l = {searches[i], all};
        failed = htmt_search_folders(searches[i], append_folder, &l);
    }
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}
