/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/plugin/object.h"

#include "emul/lib/plugin/elf.h"
#include "layers/file/search.h"
#include "runtime/host/crash.h"
#include "runtime/host/watchdog.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct loading {
    const char *path;
    bool binds_now;
    struct htmt__watchdog *watchdog; /* NULL: none */
    void *handle;
};

static bool tell(const void *who, struct htmt__deed *deed)
{
    const struct loading *l = who;
    *deed = (struct htmt__deed){.what = "constructor", .stage = l->path, .now = -1};
    return true;
}

/* A name without a slash would be looked for in the folders of libraries.
 *
 * A plug-in is bound at once, so that it is refused here if a symbol is missing. RTLD_NOW would
 * bind all of its libraries, too: 4 million instructions for the thousands of symbols of OpenBLAS.
 * A plug-in that asks to be bound at once is so under RTLD_LAZY. */
static void open_object(struct loading *l)
{
    char path[HTMT_PATH_MAX + 2];
    int binding = l->binds_now ? RTLD_LAZY : RTLD_NOW;
    snprintf(path, sizeof path, "%s%s", strchr(l->path, '/') ? "" : "./", l->path);
    l->handle = dlopen(path, binding | RTLD_LOCAL | RTLD_NODELETE);
}

static void load(void *loading)
{
    struct loading *l = loading;
    struct htmt__watched watched;
    htmt__watchdog_enter(l->watchdog, &watched);
    struct htmt__deed_before before = htmt__deed_begin(l, tell);
    open_object(l);
    htmt__deed_end(before);
    htmt__watchdog_leave(l->watchdog, &watched);
}

/* The linker's line without the path that it begins with. */
static const char *reason(const char *path)
{
    const char *text = dlerror(), *at = text ? strstr(text, path) : NULL;
    if (!text)
        return "the dynamic linker does not say why";
    return at && strncmp(at + strlen(path), ": ", 2) == 0 ? at + strlen(path) + 2 : text;
}

/* The linker has lines and no codes. */
static bool host_fails(const char *text)
{
    static const char *const wants[] = {"annot allocate", "out of memory",   "failed to map",
                                        "cannot create",  "cannot map zero", "Too many open files"};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (strstr(text, wants[i]))
            return true;
    return false;
}

static int find(struct loading *l, const char *symbol, void **exported, struct htmt_fault *fault)
{
    if (!l->handle) {
        const char *why = reason(l->path);
        return htmt_fault_set(fault, host_fails(why) ? HTMT_ENOMEM : HTMT_EFORMAT,
                              "%s: cannot be loaded: %s", l->path, why);
    }
    void *found = dlsym(l->handle, symbol);
    if (!found)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: exports no %s, expected a plug-in of htmt",
                              l->path, symbol);
    *exported = found;
    return 0;
}

int htmt__object_load(const char *path, const char *symbol, uint32_t watchdog, void **exported,
                      struct htmt_fault *fault)
{
    struct loading l = {.path = path};
    int rc = htmt__elf_check(path, &l.binds_now, fault);
    if (rc)
        return rc;
    rc = htmt__crash_watch();
    if (rc)
        goto out;
    if (watchdog)
        rc = htmt__watchdog_create(&l.watchdog, watchdog);
    if (!rc)
        htmt__crash_guard(load, &l, true);
    htmt__watchdog_destroy(&l.watchdog);
    htmt__crash_unwatch();
out:
    return rc ? htmt_fault_set(fault, rc, "%s: %s", path, htmt_strerror(rc))
              : find(&l, symbol, exported, fault);
}
