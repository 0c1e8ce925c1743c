/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first word is a verb of the program, or one that an application adds. Verbs of the program
 * are known at once; only for other words all applications are loaded. A program with one
 * application has no word for it: its name is put behind the verb, and from there on both are
 * alike.
 */
#include "emul/lib/options/options.h"
#include "emul/lib/options/provenance.h"
#include "emul/lib/verbs/verb.h"
#include "runtime/base/output_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word that is no verb of the program may be one of an application. Only then are all of them
 * loaded. */
static int check_verb(struct htmt__command *program, const char *name, struct htmt_fault *fault)
{
    const struct htmt_app *const *apps;
    int rc = htmt__application_all(&program->apps, &apps, fault);
    if (!rc && !htmt__application_verb_offered(apps, name))
        rc = htmt__verb_refuse(program, apps, name, fault);
    return rc;
}

/* "htmt traffic export" is the verb export of the application traffic. "--help" as the last word is
 * for verbs with options: `htmt run cannon --help` explains the application, `htmt run --help` the
 * verb. */
static int run_verb(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    if (argc > 1 && strcmp(argv[0], "traffic") == 0 && strcmp(argv[1], "export") == 0) {
        char *verb = argv[0];
        argv[0] = argv[1];
        argv[1] = verb;
    }
    const struct htmt__verb *verb = htmt__verb_find(program, argv[0]);
    if (!verb && check_verb(program, argv[0], &fault))
        return htmt__complain("", &fault);
    const bool takes_app = verb && htmt__verb_takes_app(verb);
    if ((!verb || verb->options || takes_app) && argc > 1 && strcmp(argv[argc - 1], "--help") == 0)
        return htmt__verb_help(program, 2,
                               (char *[]){argv[0], argv[takes_app && argc > 2 ? 1 : 0]});
    if (!verb)
        return htmt__verb_application(program, argc, argv);
    return (verb->run ? verb->run : htmt__verb_help)(program, argc, argv);
}

/* The words of a program with one application, with its name behind the verb. */
static int run_single(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt__verb *verb = htmt__verb_find(program, argv[0]);
    struct htmt_fault fault = {0};
    if (verb && !htmt__verb_takes_app(verb))
        return run_verb(program, argc, argv);
    char **words = calloc((size_t)argc + 2, sizeof *words), *name = NULL;
    int status = HTMT_ENOMEM;
    if (words)
        name = strdup(program->apps.linked[0]->name);
    if (name) {
        words[0] = argv[0];
        words[1] = name;
        memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
        status = run_verb(program, argc + 1, words);
    } else {
        htmt_fault_set(&fault, HTMT_ENOMEM, "no memory for the command line");
        status = htmt__complain("", &fault);
    }
    free(name);
    free(words);
    return status;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        htmt_fault_set(&fault, HTMT_EUSAGE, "expected a verb; '%s help' lists them", program->name);
        return htmt__complain("", &fault);
    }
    if (strcmp(name, "--version") == 0) {
        const char *commit = htmt__commit();
        printf("htmt %s%s%s%s\n", htmt__version(), commit ? " (commit " : "", commit ? commit : "",
               commit ? ")" : "");
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return htmt__verb_help(program, 1, argv);
    program->apps.watchdog = htmt__options_watchdog(argc - 1, argv + 1);
    return (program->single ? run_single : run_verb)(program, argc - 1, argv + 1);
}

int htmt__command(struct htmt__command *program, int argc, char **argv)
{
    int status = run(program, argc, argv);
    bool printed = fflush(stdout) == 0 && !ferror(stdout);
    htmt__outputs_forget();
    htmt__applications_clear(&program->apps);
    if (printed || status) /* one line about what failed first */
        return status;
    struct htmt_fault fault = {0};
    htmt_fault_set(&fault, HTMT_EIO, "standard output cannot be written");
    return htmt__complain("", &fault);
}
