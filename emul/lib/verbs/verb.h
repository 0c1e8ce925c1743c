/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/verbs: the htmt command; it may include all folders of emul.
 *
 * Verbs of the htmt command. A verb gets the words from its own name on, prints results on standard
 * output and one line per failure on standard error, and returns the exit status.
 */
#ifndef HTMT_EMUL_LIB_VERBS_VERB_H
#define HTMT_EMUL_LIB_VERBS_VERB_H

#include "apps/lib/task_parts.h"
#include "emul/lib/plugin/applications.h"
#include "emul/lib/questions/observer.h"

#include <stdbool.h>

struct htmt__command;

/* The first word behind a verb, and what it does. */
struct htmt__verb_action {
    const char *name, *help;
};

struct htmt__verb {
    const char *name, *usage, *summary;
    /* NULL: the verb is help, which the command calls itself */
    int (*run)(struct htmt__command *program, int argc, char **argv);
    const struct htmt_app_option *options; /* of this verb, for help; NULL: those of applications */
    const struct htmt__verb_action *actions; /* for help, up to one without a name; NULL: none */
};

/* A command: its verbs and its applications. */
struct htmt__command {
    const char *name;                      /* "htmt", in its help */
    const struct htmt__verb *const *verbs; /* ends with NULL */
    bool single; /* it has one application, which is linked, and no word of the command line names
                    it */
    const char *records; /* the tape that htmt-cc compiled its kernels for; NULL: none */
    struct htmt__applications apps;
};

/* Verbs that every program has. */
extern const struct htmt__verb htmt__verb_row_run, htmt__verb_row_model, htmt__verb_row_predict,
    htmt__verb_row_machine, htmt__verb_row_trace, htmt__verb_row_doctor, htmt__verb_row_help;

/* NULL: there is none. */
const struct htmt__verb *htmt__verb_find(const struct htmt__command *program, const char *name);
bool htmt__verb_takes_app(const struct htmt__verb *verb); /* "htmt run APP" */

/* The application's verb of that name; NULL: there is none. */
const struct htmt_app_verb *htmt__application_verb_find(const struct htmt_app *app,
                                                        const char *name);
/* Whether any of the applications has a verb of that name. */
bool htmt__application_verb_offered(const struct htmt_app *const *apps, const char *name);

/* "htmt VERB APP [options]", of a verb that an application adds. */
int htmt__verb_application(struct htmt__command *program, int argc, char **argv);

/* Who is told of a run: of its machine, which may be refused, of its events, and of its end:
 * `ended` returns the exit status. */
struct htmt__provenance;
struct htmt__run_listener {
    struct htmt__listener events;
    int (*begins)(void *user, const struct htmt_machine *m, struct htmt_fault *fault);
    int (*ended)(void *user, const struct htmt_emulator *e, const struct htmt__provenance *record);
};
/* As run or model does. */
int htmt__verb_listened(struct htmt__command *program, int argc, char **argv, enum htmt_mode mode,
                        const struct htmt__run_listener *listener);

/* A model run for each number of a range of --tasklets; whether the command line has such a range.
 */
bool htmt__sweep_asked(int argc, char **argv);
int htmt__sweep(struct htmt__command *program, int argc, char **argv);

/* As run does, with a tape. */
int htmt__verb_recorded(struct htmt__command *program, int argc, char **argv,
                        const struct htmt_operations *operations);

int htmt__verb_help(struct htmt__command *program, int argc, char **argv);

/* The whole command; argv as main() gets it. */
int htmt__command(struct htmt__command *program, int argc, char **argv);

/* The refusal of a verb: it names the nearest one, or tells where the list is. Returns HTMT_EUSAGE.
 */
int htmt__verb_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                      const char *name, struct htmt_fault *fault);
/* The same of a word that could be an application, too. */
int htmt__topic_refuse(const struct htmt__command *program, const struct htmt_app *const *apps,
                       const char *name, struct htmt_fault *fault);

/* "htmt WHERE: text" on standard error; "htmt: text" if where is empty. Returns the exit status
 * of the fault. */
int htmt__complain(const char *where, const struct htmt_fault *fault);

/* machine_routes.c: `htmt machine routes` and the words behind; the exit status. */
int htmt__machine_routes(int argc, char **argv);

#endif
