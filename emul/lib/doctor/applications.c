/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The applications of the program, and the files of those that are plug-ins.
 */
#define _GNU_SOURCE /* dladdr1 */
#include "emul/lib/doctor/doctor.h"
#include "runtime/base/json_text.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>

/* null: the program or the library itself has it. */
static json_t *file_of(const struct htmt_app *app)
{
    Dl_info info;
    struct link_map *map = NULL;
    char path[PATH_MAX];
    if (!dladdr1(app->options, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name ||
        !realpath(map->l_name, path))
        return json_null();
    return htmt__json_text(path);
}

static json_t *loaded_row(const struct htmt_app *app)
{
    return json_pack("{s:o,s:o,s:o,s:n}", "name", htmt__json_text(app->name), "summary",
                     htmt__json_text(app->summary ? app->summary : ""), "path", file_of(app),
                     "problem");
}

static json_t *refused_row(const struct htmt__application *a)
{
    return json_pack("{s:o,s:n,s:n,s:o}", "name", htmt__json_text(a->word), "summary", "path",
                     "problem", htmt__json_text(a->fault.text));
}

static json_t *plugin_row(const struct htmt__application *a)
{
    return a->fault.code ? refused_row(a) : loaded_row(&a->app);
}

json_t *htmt__doctor_applications(const struct htmt__applications *apps)
{
    json_t *all = json_array();
    int failed = !all;
    for (const struct htmt_app *const *app = apps->linked; app && *app && !failed; app++)
        failed = json_array_append_new(all, loaded_row(*app));
    for (unsigned i = 0; i < apps->count && !failed; i++)
        failed = json_array_append_new(all, plugin_row(apps->loaded[i]));
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}
