/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Application verbs: `htmt VERB APP [options]` for a verb that an application adds.
 */
#include "apps/lib/request.h"
#include "emul/lib/options/options.h"
#include "emul/lib/verbs/verb.h"

#include <stdio.h>
#include <string.h>

/* The seed is an option of the application verb. */
static int run(const struct htmt_app *app, const struct htmt_app_verb *verb, int argc, char **argv,
               struct htmt_fault *fault)
{
    struct htmt__options options;
    struct htmt_request request = {.rows = verb->options, .seed = 1};
    int rc = htmt__options_parse_verb(app, verb, argc, argv, &options, fault);
    if (rc)
        return rc;
    request.values = options.own;
    const char *seed = htmt_request_value(&request, "seed");
    if (seed)
        rc = htmt__options_number("seed", seed, 0, INT64_MAX, &request.seed, fault);
    return rc ? rc : verb->run(&request, stdout, fault);
}

int htmt__verb_application(struct htmt__command *program, int argc, char **argv)
{
    char where[96];
    struct htmt_fault fault = {0};
    const struct htmt_app *app = NULL;
    int rc = argc > 1 ? htmt__application_find(&program->apps, argv[1], &app, &fault) : 0;
    const struct htmt_app_verb *verb = app ? htmt__application_verb_find(app, argv[0]) : NULL;
    snprintf(where, sizeof where, "%s%s%s", argv[0], verb ? " " : "", verb ? app->name : "");
    if (verb)
        rc = run(app, verb, argc - 2, argv + 2, &fault);
    else if (!rc)
        rc = htmt_fault_set(&fault, HTMT_EUSAGE,
                            "expected an application that offers it; 'htmt help' lists them");
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain(where, &fault) : 0;
}
