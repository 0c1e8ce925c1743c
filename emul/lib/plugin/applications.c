/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/plugin/applications.h"

#include "emul/lib/plugin/plugin.h"
#include "emul/lib/plugin/trial.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- linked --------------------------------------------------------------------------------- */

static int refuse_recorded(const struct htmt__applications *a, const char *word,
                           struct htmt_fault *fault)
{
    char names[300] = "";
    for (unsigned i = 0; a->linked[i]; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", a->linked[i]->name);
    }
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "found '%s', expected an application whose kernels are recorded: %s",
                          word, names);
}

static int refuse(const struct htmt__applications *a, const char *word, struct htmt_fault *fault)
{
    const char *known[32];
    unsigned count = 0;
    if (a->recorded)
        return refuse_recorded(a, word, fault);
    for (; a->linked[count] && count < sizeof known / sizeof *known; count++)
        known[count] = a->linked[count]->name;
    return htmt__suggest_refuse("application", word, known, count, "'htmt help'", fault);
}

static int find_linked(const struct htmt__applications *a, const char *word,
                       const struct htmt_app **app, struct htmt_fault *fault)
{
    for (const struct htmt_app *const *each = a->linked; *each; each++)
        if (strcmp((*each)->name, word) == 0) {
            *app = *each;
            return 0;
        }
    return refuse(a, word, fault);
}

/* ---- plug-ins ------------------------------------------------------------------------------- */

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
    struct htmt__application **more = realloc(a->loaded, (a->count + 1) * sizeof *more);
    struct htmt__application *row = calloc(1, sizeof *row);
    char *copy = strdup(word);
    if (more)
        a->loaded = more;
    if (!more || !row || !copy) {
        free(row);
        free(copy);
        return NULL;
    }
    row->word = copy;
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
    const char *folders = getenv("HTMT_APP_PATH");
    struct htmt_fault fault = {0};
    if (!folders || !*folders || find_loaded(a, word) || !htmt__plugin_try(word, &fault))
        return load(a, word);
    struct htmt__application *row = open_row(a, word);
    if (row)
        row->fault = fault;
    return row;
}

int htmt__application_find(struct htmt__applications *a, const char *word,
                           const struct htmt_app **app, struct htmt_fault *fault)
{
    if (a->linked)
        return find_linked(a, word, app, fault);
    struct htmt__application *row = load(a, word);
    if (!row)
        return no_memory(fault);
    if (row->fault.code)
        return htmt_fault_set(fault, row->fault.code, "%s", row->fault.text);
    *app = &row->app;
    return 0;
}

/* Only the host's failures are failures of the whole. */
static int load_named(struct htmt__applications *a, const struct htmt__plugin_names *names,
                      struct htmt_fault *fault)
{
    for (unsigned i = 0; i < names->count; i++) {
        struct htmt__application *row = load_listed(a, names->name[i]);
        if (!row)
            return no_memory(fault);
        if (htmt_exit_status(row->fault.code) == htmt_exit_status(HTMT_ESYSTEM))
            return htmt_fault_set(fault, row->fault.code, "%s", row->fault.text);
    }
    return 0;
}

static int load_all(struct htmt__applications *a, struct htmt_fault *fault)
{
    struct htmt__plugin_names names;
    int rc = htmt__plugin_names_find(&names, fault);
    if (rc)
        return rc;
    rc = load_named(a, &names, fault);
    htmt__plugin_names_clear(&names);
    return rc;
}

static int list(struct htmt__applications *a, struct htmt_fault *fault)
{
    unsigned count = 0;
    const struct htmt_app **all = calloc(a->count + 1, sizeof(const struct htmt_app *));
    if (!all)
        return no_memory(fault);
    for (unsigned i = 0; i < a->count; i++)
        if (!a->loaded[i]->fault.code)
            all[count++] = &a->loaded[i]->app;
    free(a->all);
    a->all = all;
    return 0;
}

int htmt__application_all(struct htmt__applications *a, const struct htmt_app *const **all,
                          struct htmt_fault *fault)
{
    if (a->linked) {
        *all = a->linked;
        return 0;
    }
    int rc = load_all(a, fault);
    if (!rc)
        rc = list(a, fault);
    if (!rc)
        *all = a->all;
    return rc;
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
    a->loaded = NULL;
    a->all = NULL;
}
