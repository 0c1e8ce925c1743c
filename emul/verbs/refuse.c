/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Refusals of a first word: they need the whole table of verbs.
 */
#include "emul/verbs/verb.h"

#include "runtime/base/suggest.h"

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

int htmt__verb_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                      const char *name, struct htmt_fault *fault)
{
    struct names n = verbs_of(program, apps);
    return htmt__suggest_refuse("verb", name, n.known, n.count, "'htmt help'", fault);
}

int htmt__topic_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                       const char *name, struct htmt_fault *fault)
{
    struct names n = verbs_of(program, apps);
    for (; *apps; apps++)
        collect(&n, (*apps)->name);
    return htmt__suggest_refuse("verb or application", name, n.known, n.count, "'htmt help'",
                                fault);
}
