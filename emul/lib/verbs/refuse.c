/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Refusals of a first word: they need the whole table of verbs.
 */
#include "emul/lib/verbs/verb.h"

#include "runtime/base/suggest.h"

#include <stdio.h>

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

static struct names verbs_of(const struct htmt__command *program,
                             const struct htmt_app *const *apps)
{
    struct names n = {.count = 0};
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        collect(&n, (*v)->name);
    for (; *apps; apps++)
        for (const struct htmt_app_verb *v = (*apps)->verbs; v && v->name; v++)
            collect(&n, v->name);
    return n;
}

static int refuse(const struct htmt__command *program, const char *what, const char *name,
                  const struct names *n, struct htmt_fault *fault)
{
    char where[300];
    snprintf(where, sizeof where, "'%.250s help'", program->name);
    return htmt__suggest_refuse(what, name, n->known, n->count, where, fault);
}

int htmt__verb_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                      const char *name, struct htmt_fault *fault)
{
    struct names n = verbs_of(program, apps);
    return refuse(program, "verb", name, &n, fault);
}

int htmt__topic_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                       const char *name, struct htmt_fault *fault)
{
    struct names n = verbs_of(program, apps);
    for (; *apps; apps++)
        collect(&n, (*apps)->name);
    return refuse(program, "verb or application", name, &n, fault);
}
