/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/options/record.h"
#include "emul/verbs/verb.h"
#include "runtime/base/output_claims.h"

#include <stdio.h>
#include <string.h>

static int print_version(void)
{
    const char *commit = htmt__commit();
    printf("htmt %s%s%s%s\n", htmt__version(), commit ? " (commit " : "", commit ? commit : "",
           commit ? ")" : "");
    return 0;
}

/* "--help" as the last word. Only verbs with options take it; `verb` is NULL for a verb of
 * applications, which has options. */
static bool asks_help(const struct htmt__verb *verb, int argc, char **argv)
{
    bool has_options = !verb || verb->options || htmt__verb_takes_app(verb);
    return has_options && argc > 1 && strcmp(argv[argc - 1], "--help") == 0;
}

/* `htmt run cannon --help` explains the application, `htmt run --help` the verb. */
static char *help_topic(const struct htmt__verb *verb, int argc, char **argv)
{
    return verb && htmt__verb_takes_app(verb) && argc > 2 ? argv[1] : argv[0];
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
    if (!verb && !htmt__application_verb_offered(apps, name)) {
        htmt__verb_refuse(apps, name, &fault);
        return htmt__complain("", &fault);
    }
    if (asks_help(verb, argc - 1, argv + 1))
        return htmt__verb_help(apps, 2, (char *[]){argv[1], help_topic(verb, argc - 1, argv + 1)});
    if (!verb)
        return htmt__verb_application(apps, argc - 1, argv + 1);
    return (verb->run ? verb->run : htmt__verb_help)(apps, argc - 1, argv + 1);
}

int htmt__command(const struct htmt_app *const *apps, int argc, char **argv)
{
    int status = run_verb(apps, argc, argv);
    bool printed = fflush(stdout) == 0 && !ferror(stdout);
    htmt__outputs_forget();
    if (printed || status) /* one line about what failed first */
        return status;
    struct htmt_fault fault = {0};
    htmt_fault_set(&fault, HTMT_EIO, "standard output cannot be written");
    return htmt__complain("", &fault);
}
