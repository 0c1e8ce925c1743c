/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/verbs/new.h"

#include "emul/new/project.h"
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <string.h>

#define TEMPLATE "--template"

static const struct htmt_app_option rows[] = {
    {"template", "NAME", "parcel",
     "parcel: one kernel on blocks of an array; stencil: heat in a plate, whose slices exchange "
     "rows; reduction: a sum over all slices"},
    {NULL, NULL, NULL, NULL}};

struct wanted {
    const char *name, *template_name;
};

static int take_name(struct wanted *w, const char *word, struct htmt_fault *fault)
{
    if (w->name)
        return htmt_fault_set(fault, HTMT_EUSAGE, "found '%s', expected one NAME", word);
    w->name = word;
    return 0;
}

/* "--template NAME" or "--template=NAME"; advances *i if the value is the next word. */
static int take_option(struct wanted *w, int argc, char **argv, int *i, struct htmt_fault *fault)
{
    static const char *const known[] = {TEMPLATE};
    const char *word = argv[*i];
    size_t length = strlen(TEMPLATE);
    if (strncmp(word, TEMPLATE, length) != 0 || (word[length] && word[length] != '='))
        return htmt__suggest_refuse("option", word, known, 1, "'htmt help new'", fault);
    if (w->template_name)
        return htmt_fault_set(fault, HTMT_EUSAGE, TEMPLATE ": given twice");
    w->template_name = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
    if (!*w->template_name)
        return htmt_fault_set(fault, HTMT_EUSAGE, TEMPLATE ": the value is missing");
    return 0;
}

static int read_words(struct wanted *w, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 1; i < argc && !rc; i++)
        rc = argv[i][0] == '-' ? take_option(w, argc, argv, &i, fault)
                               : take_name(w, argv[i], fault);
    if (!rc && !w->name)
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "expected the NAME of a project");
    if (!w->template_name)
        w->template_name = rows[0].fallback;
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct wanted w = {.name = NULL};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_words(&w, argc, argv, &fault);
    rc = rc ? rc : htmt__project_create(w.name, w.template_name, &fault);
    if (rc)
        return htmt__complain("new", &fault);
    printf("%s: a project from the template %s; 'make -C %s test' builds and tests it\n", w.name,
           w.template_name, w.name);
    return 0;
}

const struct htmt__verb htmt__verb_row_new = {
    "new", "NAME [--template parcel|stencil|reduction]",
    "begin an application of your own in a new folder", run, rows};
