/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/verbs: the htmt command; it may include all folders of emul.
 *
 * Verbs of the htmt command. A verb gets the words from its own name on, prints results on standard
 * output and one line per failure on standard error, and returns the exit status.
 */
#ifndef HTMT_EMUL_VERBS_VERB_H
#define HTMT_EMUL_VERBS_VERB_H

#include "apps/lib/task_parts.h"

#include <stdbool.h>

struct htmt__verb {
    const char *name, *usage, *summary;
    /* NULL: the verb is help, which the command calls itself */
    int (*run)(const struct htmt_app *const *apps, int argc, char **argv);
    const struct htmt_app_option *options; /* of this verb, for help; NULL: those of applications */
};

/* Ends with a NULL name. */
extern const struct htmt__verb htmt__verbs[];

const struct htmt__verb *htmt__verb_find(const char *name); /* NULL: there is none */
bool htmt__verb_takes_app(const struct htmt__verb *verb);   /* "htmt run APP" */

/* The application of that name; NULL: there is none. */
const struct htmt_app *htmt__app_find(const struct htmt_app *const *apps, const char *name);

/* The application's verb of that name; NULL: there is none. */
const struct htmt_app_verb *htmt__application_verb_find(const struct htmt_app *app,
                                                        const char *name);
/* Whether any of the applications has a verb of that name. */
bool htmt__application_verb_offered(const struct htmt_app *const *apps, const char *name);

int htmt__verb_run(const struct htmt_app *const *apps, int argc, char **argv);
int htmt__verb_model(const struct htmt_app *const *apps, int argc, char **argv);
int htmt__verb_predict(const struct htmt_app *const *apps, int argc, char **argv);
int htmt__verb_application(const struct htmt_app *const *apps, int argc, char **argv);
int htmt__verb_validate(const struct htmt_app *const *apps, int argc, char **argv);
int htmt__verb_help(const struct htmt_app *const *apps, int argc, char **argv);

extern const struct htmt_app_option htmt__validate_rows[];

/* The whole command; argv as main() gets it. `apps` ends with NULL. */
int htmt__command(const struct htmt_app *const *apps, int argc, char **argv);

/* Refusals of a verb and of an application: they name the nearest one, or tell where the list is.
 * Both return HTMT_EUSAGE. */
int htmt__verb_refuse(const struct htmt_app *const *apps, const char *name,
                      struct htmt_fault *fault);
int htmt__app_refuse(const struct htmt_app *const *apps, const char *name,
                     struct htmt_fault *fault);
/* The same of a word that could be either. */
int htmt__topic_refuse(const struct htmt_app *const *apps, const char *name,
                       struct htmt_fault *fault);

/* "htmt WHERE: text" on standard error; "htmt: text" if where is empty. Returns the exit status
 * of the fault. */
int htmt__complain(const char *where, const struct htmt_fault *fault);

#endif
