/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All findings, and those about the installation: applications, and folders of machine and cost
 * files.
 */
#define _GNU_SOURCE /* dladdr1 */
#include "emul/lib/doctor/doctor.h"

#include "emul/lib/report/fields.h"
#include "layers/file/search.h"
#include "runtime/base/jansson.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "htmt-doctor-1"

/* ---- applications ---------------------------------------------------------------------------- */

/* Its path is null if the program or the library itself has it. */
static json_t *loaded_row(const struct htmt_app *app)
{
    Dl_info info;
    struct link_map *map = NULL;
    char path[PATH_MAX];
    bool plugin = dladdr1(app->options, &info, (void **)&map, RTLD_DL_LINKMAP) && map &&
                  *map->l_name && realpath(map->l_name, path);
    return json_pack("{s:o,s:o,s:o,s:n}", "name", htmt__json_text(app->name), "summary",
                     htmt__json_text(app->summary ? app->summary : ""), "path",
                     plugin ? htmt__json_text(path) : json_null(), "problem");
}

json_t *htmt__doctor_applications(const struct htmt__applications *apps)
{
    json_t *all = json_array();
    for (const struct htmt_app *const *app = apps->linked; app && *app && all; app++)
        htmt__fields_append(&all, loaded_row(*app));
    for (unsigned i = 0; i < apps->count && all; i++) {
        const struct htmt__application *a = apps->loaded[i];
        htmt__fields_append(&all, a->fault.code
                                      ? json_pack("{s:o,s:n,s:n,s:o}", "name",
                                                  htmt__json_text(a->word), "summary", "path",
                                                  "problem", htmt__json_text(a->fault.text))
                                      : loaded_row(&a->app));
    }
    return all;
}

/* ---- folders --------------------------------------------------------------------------------- */

static int is_description(const struct dirent *entry)
{
    return fnmatch("*.yaml", entry->d_name, FNM_PERIOD) == 0;
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
    for (int i = 0; i < count; i++) {
        char name[256];
        htmt_search_name(entry[i]->d_name, name, sizeof name);
        if (files)
            htmt__fields_append(&files, htmt__json_text(name));
        free(entry[i]);
    }
    free(entry);
    return files;
}

struct listing {
    const struct htmt_search *search;
    json_t *all;
};

static int append_folder(const char *folder, void *user)
{
    struct listing *l = user;
    htmt__fields_append(&l->all, json_pack("{s:s,s:o,s:o,s:b}", "kind", l->search->kind, "path",
                                           htmt__json_text(folder), "files", files_of(folder),
                                           "by_variable", getenv(l->search->variable) != NULL));
    return l->all == NULL;
}

json_t *htmt__doctor_folders(void)
{
    const struct htmt_search *const searches[] = {&htmt_search_machines, &htmt_search_costs};
    struct listing l = {.all = json_array()};
    for (size_t i = 0; i < sizeof searches / sizeof *searches && l.all; i++) {
        l.search = searches[i];
        htmt_search_folders(searches[i], append_folder, &l);
    }
    return l.all;
}

/* ---- all ------------------------------------------------------------------------------------- */

json_t *htmt__doctor_examine(const struct htmt__applications *apps, int *code)
{
    json_t *all =
        json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", SCHEMA, "program",
                  htmt__doctor_program(), "libraries", htmt__doctor_libraries(), "applications",
                  htmt__doctor_applications(apps), "kernels", htmt__doctor_kernels(), "cpus",
                  htmt__doctor_cpus(""), "memory", htmt__doctor_memory(""), "limits",
                  htmt__doctor_limits(), "folders", htmt__doctor_folders());
    *code = HTMT_ENOMEM;
    if (all && !json_object_set_new(all, "warnings", htmt__doctor_warnings(all)) &&
        !json_object_set_new(all, "self_test", htmt__doctor_self_test(code)))
        return all;
    json_decref(all);
    return NULL;
}
