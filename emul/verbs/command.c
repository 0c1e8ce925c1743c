/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/report/record.h"
#include "emul/verbs/machine.h"
#include "emul/verbs/verb.h"

#include <stdio.h>
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
     "compare with what the papers print, table by table", htmt__verb_validate,
     htmt__validate_rows},
    {"machine", "list | show NAME|FILE [--resolved] [--set KEY=VALUE] | check FILE... | diff A B",
     "look at machine files", machine_verb, NULL},
    {"help", "[VERB|APP]", "explain the command, a verb or an application", htmt__verb_help, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct htmt__verb *htmt__verb_find(const char *name)
{
    for (const struct htmt__verb *v = htmt__verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const struct htmt_app *htmt__app_find(const struct htmt_app *const *apps, const char *name)
{
    for (; *apps; apps++)
        if (strcmp((*apps)->name, name) == 0)
            return *apps;
    return NULL;
}

int htmt__complain(const char *where, const struct htmt_fault *fault)
{
    fflush(stdout);
    fprintf(stderr, "htmt%s%s: %s\n", *where ? " " : "", where, fault->text);
    return htmt_exit_status(fault->code);
}

static int print_version(void)
{
    const char *commit = htmt__commit();
    printf("htmt %s%s%s%s\n", htmt__version(), commit ? " (commit " : "", commit ? commit : "",
           commit ? ")" : "");
    return 0;
}

static int run_verb(const struct htmt_app *const *apps, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        htmt_fault_set(&fault, HTMT_EUSAGE, "expected a verb; 'htmt help' lists them");
        return htmt__complain("", &fault);
    }
    if (strcmp(name, "--version") == 0)
        return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return htmt__verb_help(apps, 1, argv);
    const struct htmt__verb *verb = htmt__verb_find(name);
    if (verb)
        return verb->run(apps, argc - 1, argv + 1);
    if (htmt__own_verb_offered(apps, name))
        return htmt__verb_own(apps, argc - 1, argv + 1);
    htmt_fault_set(&fault, HTMT_EUSAGE, "unknown verb '%s'; 'htmt help' lists them", name);
    return htmt__complain("", &fault);
}

int htmt__command(const struct htmt_app *const *apps, int argc, char **argv)
{
    int status = run_verb(apps, argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    struct htmt_fault fault = {0};
    htmt_fault_set(&fault, HTMT_EIO, "standard output cannot be written");
    return htmt__complain("", &fault);
}
