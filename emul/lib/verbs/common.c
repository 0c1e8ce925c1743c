/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the verbs share: finding verbs of applications, and the message about a failure.
 */
#include "emul/lib/verbs/verb.h"

#include <stdio.h>
#include <string.h>

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

int htmt__complain(const char *where, const struct htmt_fault *fault)
{
    fflush(stdout);
    fprintf(stderr, "htmt%s%s: %s\n", *where ? " " : "", where, fault->text);
    return htmt_exit_status(fault->code);
}
