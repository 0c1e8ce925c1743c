/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A word names an application: a path if it has a slash or ends in .so, else NAME.so in the first
 * folder of plug-ins that has it. What the object exports is completed to the structure of this
 * version, so that a plug-in of an older version works, and its options must not hide common ones.
 */
#include "emul/lib/plugin/plugin.h"

#include "apps/lib/layout.h"
#include "emul/lib/options/options.h"
#include "emul/lib/plugin/folder.h"
#include "emul/lib/plugin/object.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <string.h>

/* ---- search --------------------------------------------------------------------------------- */

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
    return htmt__plugin_beside(folder, p->name, p->path);
}

static int refuse(const struct probe *p, struct htmt_fault *fault)
{
    struct htmt__plugin_names names;
    int rc = htmt__plugin_names_find(&names, fault);
    if (rc)
        return rc;
    if (names.count)
        rc = htmt__suggest_refuse("application", p->name, (const char *const *)names.name,
                                  names.count, "'htmt help'", fault);
    else
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "unknown application '%s': no plug-ins in %s",
                            p->name, *p->tried ? p->tried : "any folder");
    htmt__plugin_names_clear(&names);
    return rc;
}

/* A path, or the name of a plug-in of the folders. */
static int find(const char *word, char path[static HTMT_PATH_MAX], struct htmt_fault *fault)
{
    struct probe p = {.name = word, .path = path};
    const size_t length = strlen(word);
    if (strchr(word, '/') || (length > 3 && !strcmp(word + length - 3, ".so")))
        return snprintf(path, HTMT_PATH_MAX, "%s", word) < HTMT_PATH_MAX
                   ? 0
                   : htmt_fault_set(fault, HTMT_ENOENT, "the path of the plug-in is too long");
    return htmt__plugin_folders(probe_folder, &p) ? 0 : refuse(&p, fault);
}

/* ---- applications --------------------------------------------------------------------------- */

int htmt__plugin_complete(const char *where, const struct htmt_app *given, struct htmt_app *app,
                          struct htmt_fault *fault)
{
    struct htmt_fault why = {0};
    int rc = htmt__app_complete(given, app, &why);
    /* The command would take such an option for its own. */
    for (const struct htmt_app_option *own = app->options; !rc && own->name; own++)
        for (const struct htmt_app_option *common = htmt__common_rows; common->name; common++)
            if (strcmp(own->name, common->name) == 0 && !htmt__options_shared(common))
                rc = htmt_fault_set(&why, HTMT_EINVAL,
                                    "it has an option '--%s', which all applications have",
                                    own->name);
    return rc ? htmt_fault_set(fault, rc, "%s: %s", where, why.text) : 0;
}

int htmt__plugin_load(const char *word, uint32_t watchdog, struct htmt_app *app,
                      struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    void *exported;
    int rc = find(word, path, fault);
    if (!rc)
        rc = htmt__object_load(path, "htmt_app", watchdog, &exported, fault);
    return rc ? rc : htmt__plugin_complete(path, exported, app, fault);
}

/* ---- parts of the command ------------------------------------------------------------------- */

bool htmt__plugin_part_exists(const char *name)
{
    char path[HTMT_PATH_MAX];
    return htmt__plugin_homes(probe_folder, &(struct probe){.name = name, .path = path}) != 0;
}

int htmt__plugin_part(const char *name, const char *symbol, const char *what, void **part,
                      struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct probe p = {.name = name, .path = path};
    if (htmt__plugin_homes(probe_folder, &p))
        return htmt__object_load(path, symbol, 0, part, fault);
    return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: this installation lacks %s.so (not in %s)",
                          what, name, p.tried);
}
