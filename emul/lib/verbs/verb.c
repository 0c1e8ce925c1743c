/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the verbs share: finding verbs, refusing words that are none, and the message about a
 * failure.
 */
#include "emul/lib/verbs/verb.h"

#include "runtime/base/suggest.h"

#include <stdio.h>
#include <string.h>

const struct htmt__verb *htmt__verb_find(const struct htmt__command *program, const char *name)
{
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

bool htmt__verb_takes_app(const struct htmt__verb *verb)
{
    return strncmp(verb->usage, "APP", 3) == 0;
}

const struct htmt_app_verb *htmt__application_verb_find(const struct htmt_app *app,
                                                        const char *name)
{
    for (const struct htmt_app_verb *v = app->verbs; v && v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

bool htmt__application_verb_offered(const struct htmt_app *const *apps, const char *name)
{
    for (; *apps; apps++)
        if (htmt__application_verb_find(*apps, name))
            return true;
    return false;
}

/* ---- refusals -------------------------------------------------------------------------------- */

enum { NAMES_MAX = 64 };

struct names {
    const char *known[NAMES_MAX];
    unsigned count;
};

static void collect(struct names *n, const char *name)
{
    if (n->count < NAMES_MAX)
        n->known[n->count++] = name;
}

static int refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                  bool topic, const char *name, struct htmt_fault *fault)
{
    struct names n = {.count = 0};
    char where[300];
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        collect(&n, (*v)->name);
    for (const struct htmt_app *const *app = apps; *app; app++)
        for (const struct htmt_app_verb *v = (*app)->verbs; v && v->name; v++)
            collect(&n, v->name);
    for (; topic && *apps; apps++)
        collect(&n, (*apps)->name);
    snprintf(where, sizeof where, "'%.250s help'", program->name);
    return htmt__suggest_refuse(topic ? "verb or application" : "verb", name, n.known, n.count,
                                where, fault);
}

int htmt__verb_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                      const char *name, struct htmt_fault *fault)
{
    return refuse(program, apps, false, name, fault);
}

int htmt__topic_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                       const char *name, struct htmt_fault *fault)
{
    return refuse(program, apps, true, name, fault);
}

int htmt__complain(const char *where, const struct htmt_fault *fault)
{
    fflush(stdout);
    fprintf(stderr, "htmt%s%s: %s\n", *where ? " " : "", where, fault->text);
    return htmt_exit_status(fault->code);
}
