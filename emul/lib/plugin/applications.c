/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applications are linked, in programs of one's own and those with recorded kernels, or plug-ins
 * that are loaded when they are named. Only lists load all: help, and a first word that is no verb.
 * Plug-ins of HTMT_APP_PATH are anybody's, so in lists each is tried in a process of its own first;
 * a crash there becomes a line, and the list goes on.
 */
#define _GNU_SOURCE /* sigabbrev_np */
#include "emul/lib/plugin/applications.h"

#include "emul/lib/plugin/folder.h"
#include "emul/lib/plugin/plugin.h"
#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIAL_SECONDS 10 /* that a plug-in may take to load when it is tried */

/* ---- linked --------------------------------------------------------------------------------- */

static int refuse(const struct htmt__applications *a, const char *word, struct htmt_fault *fault)
{
    const char *known[32];
    char names[300] = "";
    unsigned count = 0;
    for (; a->linked[count] && count < sizeof known / sizeof *known; count++)
        known[count] = a->linked[count]->name;
    if (!a->recorded)
        return htmt__suggest_refuse("application", word, known, count, "'htmt help'", fault);
    for (unsigned i = 0; i < count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", known[i]);
    }
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "found '%s', expected an application whose kernels are recorded: %s",
                          word, names);
}

/* ---- trial ----------------------------------------------------------------------------------- */

/* Whether this process would survive htmt__plugin_load(): a list of plug-ins shall not end with the
 * first one that crashes, so each is loaded first in a process of its own. Whether it can be used
 * is not asked. What a crash would print there, the caller tells in one line. */
static int try(const char *word, struct htmt_fault *fault)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct htmt_app app;
        struct htmt_fault own = {0};
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        signal(SIGALRM, SIG_DFL);
        alarm(TRIAL_SECONDS);
        (void)htmt__plugin_load(word, 0, &app, &own);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child < 0)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "%s: no process to load it in: %s", word,
                              strerror(errno));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor runs longer than %d s",
                              word, TRIAL_SECONDS);
    if (WIFSIGNALED(status))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor raises SIG%s", word,
                              sigabbrev_np(WTERMSIG(status)));
    if (WEXITSTATUS(status))
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: its constructor ends the process", word);
    return 0;
}

/* ---- plug-ins -------------------------------------------------------------------------------- */

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the list of applications");
}

static struct htmt__application *find_loaded(const struct htmt__applications *a, const char *word)
{
    for (unsigned i = 0; i < a->count; i++)
        if (strcmp(a->loaded[i]->word, word) == 0)
            return a->loaded[i];
    return NULL;
}

static struct htmt__application *open_row(struct htmt__applications *a, const char *word)
{
    struct htmt__application *row = calloc(1, sizeof *row);
    if (row)
        row->word = strdup(word);
    if (!row || !row->word ||
        !htmt__array_fits(&a->loaded, &a->room, a->count + 1u,
                          sizeof(struct htmt__application *))) {
        free(row ? row->word : NULL);
        free(row);
        return NULL;
    }
    a->loaded[a->count++] = row;
    return row;
}

static struct htmt__application *load(struct htmt__applications *a, const char *word)
{
    struct htmt__application *row = find_loaded(a, word);
    if (row)
        return row;
    row = open_row(a, word);
    if (row)
        (void)htmt__plugin_load(word, a->watchdog, &row->app, &row->fault);
    return row;
}

/* Other people's are tried first; those that come with the command need not be. */
static struct htmt__application *load_listed(struct htmt__applications *a, const char *word)
{
    struct htmt_fault fault = {0};
    if (!htmt__plugin_given(word) || find_loaded(a, word) || !try(word, &fault))
        return load(a, word);
    struct htmt__application *row = open_row(a, word);
    if (row)
        row->fault = fault;
    return row;
}

int htmt__application_find(struct htmt__applications *a, const char *word,
                           const struct htmt_app **app, struct htmt_fault *fault)
{
    const size_t n = strlen(word);
    for (const struct htmt_app *const *each = a->linked; each && *each; each++)
        if (strcmp((*each)->name, word) == 0) {
            *app = *each;
            return 0;
        }
    if (a->linked)
        return refuse(a, word, fault);
    if (n > 3 && strcmp(word + n - 3, ".py") == 0)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s: an application in Python is one of run, model, predict and help",
                              word);
    struct htmt__application *row = load(a, word);
    if (!row)
        return no_memory(fault);
    if (row->fault.code)
        return htmt_fault_set(fault, row->fault.code, "%s", row->fault.text);
    *app = &row->app;
    return 0;
}

/* Only the host's failures are failures of the whole; other plug-ins that cannot be loaded keep
 * their faults. */
int htmt__application_all(struct htmt__applications *a, const struct htmt_app *const **all,
                          struct htmt_fault *fault)
{
    struct htmt__plugin_names names;
    unsigned count = 0;
    if (a->linked) {
        *all = a->linked;
        return 0;
    }
    int rc = htmt__plugin_names_find(&names, fault);
    if (rc)
        return rc;
    for (unsigned i = 0; i < names.count && !rc; i++) {
        struct htmt__application *row = load_listed(a, names.name[i]);
        if (!row)
            rc = no_memory(fault);
        else if (htmt_exit_status(row->fault.code) == htmt_exit_status(HTMT_ESYSTEM))
            rc = htmt_fault_set(fault, row->fault.code, "%s", row->fault.text);
    }
    htmt__plugin_names_clear(&names);
    if (rc)
        return rc;
    const struct htmt_app **list = calloc(a->count + 1, sizeof(const struct htmt_app *));
    if (!list)
        return no_memory(fault);
    for (unsigned i = 0; i < a->count; i++)
        if (!a->loaded[i]->fault.code)
            list[count++] = &a->loaded[i]->app;
    free(a->all);
    *all = a->all = list;
    return 0;
}

void htmt__applications_clear(struct htmt__applications *a)
{
    for (unsigned i = 0; i < a->count; i++) {
        free(a->loaded[i]->word);
        free(a->loaded[i]);
    }
    free(a->loaded);
    free(a->all);
    a->count = 0;
    a->room = 0;
    a->loaded = NULL;
    a->all = NULL;
}
