/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of verbs. emul/verbs/help.c and emul/verbs/completion.c print the table, so
 * emul/verbs/command.c calls them.
 */
#include "emul/verbs/machine.h"
#include "emul/verbs/verb.h"

#include <string.h>

static int machine_verb(const struct htmt_app *const *apps, int argc, char **argv)
{
    (void)apps;
    return htmt__verb_machine(argc, argv);
}

const struct htmt__verb htmt__verbs[] = {
    {"run", "APP [options]", "run the kernels, check the result, predict the time", htmt__verb_run,
     NULL},
    {"model", "APP [options]", "predict by the virtual clock alone, without data or kernels",
     htmt__verb_model, NULL},
    {"predict", "APP [options]", "predict by the application's closed form", htmt__verb_predict,
     NULL},
    {"validate", "[TABLE]... [--list] [--quiet] [--json FILE|-] [--csv FILE] [--plot FILE]",
     "compare with the figures of the papers, table by table", htmt__verb_validate,
     htmt__validate_rows},
    {"machine", "list | show NAME|FILE [--resolved] [--set KEY=VALUE] | check FILE... | diff A B",
     "look at machine files", machine_verb, NULL},
    {"completion", "bash | zsh | fish", "print completions of the command line for a shell", NULL,
     NULL},
    {"help", "[VERB|APP]", "explain the command, a verb or an application", NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct htmt__verb *htmt__verb_find(const char *name)
{
    for (const struct htmt__verb *v = htmt__verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

bool htmt__verb_takes_app(const struct htmt__verb *verb)
{
    return strncmp(verb->usage, "APP", 3) == 0;
}
