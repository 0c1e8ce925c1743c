/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Help is printed from the tables that parsing reads: verbs of the program with their actions and
 * options, options of every application, and those of one. Text stands in a column of its own,
 * broken to the width of the page; a name that reaches into it gets a line of its own.
 */
#include "emul/lib/options/options.h"
#include "emul/lib/text/page.h"
#include "emul/lib/verbs/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_COLUMN = 32 };

/* Prints the text from column TEXT_COLUMN on, broken at blanks; the cursor is at `column`. */
static void print_text(int column, const char *text)
{
    if (column >= TEXT_COLUMN) {
        putchar('\n');
        column = 0;
    }
    htmt__text_print(stdout, column, TEXT_COLUMN, htmt__text_width(STDOUT_FILENO), text);
    putchar('\n');
}

/* A switch that an application has for itself. */
static bool is_switch_of(const struct htmt_app_option *own, const char *name)
{
    while (own && own->name && strcmp(own->name, name) != 0)
        own++;
    return own && own->name && !own->value_name;
}

/* `own`: rows of the application, which are printed before; NULL: none are. */
static void print_options(const char *title, const struct htmt_app_option *rows,
                          const struct htmt_app_option *own)
{
    printf("\n%s\n", title);
    for (; rows->name; rows++) {
        char text[600];
        if (is_switch_of(own, rows->name))
            continue;
        int column = printf("  --%s%s%s", rows->name, rows->value_name ? " " : "",
                            rows->value_name ? rows->value_name : "");
        snprintf(text, sizeof text, "%s%s%s%s", rows->help, rows->fallback ? " (default " : "",
                 rows->fallback ? rows->fallback : "", rows->fallback ? ")" : "");
        print_text(column, text);
    }
}

/* "  scene sar    make a scene of point targets", for the verb `name`; NULL: for all verbs. */
static void print_application_verbs(const struct htmt_app *app, const char *name)
{
    for (const struct htmt_app_verb *v = app->verbs; v && v->name; v++)
        if (!name || strcmp(v->name, name) == 0)
            print_text(printf("  %s %s", v->name, app->name), v->summary);
}

static const struct htmt_app *single_of(const struct htmt__command *program)
{
    return program->single ? program->apps.linked[0] : NULL;
}

/* Then plug-ins that are there and cannot be used. */
static void print_applications(const struct htmt__command *program,
                               const struct htmt_app *const *apps)
{
    const struct htmt__applications *a = &program->apps;
    for (; *apps; apps++)
        print_text(printf("  %s", (*apps)->name), (*apps)->summary);
    for (unsigned i = 0; i < a->count; i++)
        if (a->loaded[i]->fault.code)
            printf("  %s: %s\n", a->loaded[i]->word, a->loaded[i]->fault.text);
}

static void help_all(const struct htmt__command *program, const struct htmt_app *const *apps)
{
    const char *name = program->name;
    printf("usage: %s VERB [APP] [options]\n       %s --version\n\nVerbs\n", name, name);
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        print_text(printf("  %s", (*v)->name), (*v)->summary);
    for (const struct htmt_app *const *app = apps; *app; app++)
        print_application_verbs(*app, NULL);
    printf("\nApplications\n");
    print_applications(program, apps);
    printf("\n'%s help VERB' and '%s help APP' tell more.\n", name, name);
}

static void help_statuses(void)
{
    printf(
        "\nExit status: 0 done and correct; 1 the result is wrong; 2 usage or bad input;\n"
        "3 the model cannot go on (deadlock, capacity, overflow); 4 an internal or host failure,\n"
        "an interrupted run, or two runs that differ.\n");
}

static void print_app(const struct htmt__command *program, const struct htmt_app *app)
{
    if (app->options && app->options->name)
        print_options("Options of this application", app->options, NULL);
    if (app->verbs && app->verbs->name) {
        printf("\nVerbs of this application ('%s help VERB' lists their options)\n", program->name);
        print_application_verbs(app, NULL);
    }
    print_options("Options of every application", htmt__common_rows, app->options);
}

static void help_verb(const struct htmt__command *program, const struct htmt__verb *verb,
                      const struct htmt_app *const *apps)
{
    const bool takes_app = htmt__verb_takes_app(verb);
    const struct htmt_app *single = takes_app ? single_of(program) : NULL;
    int column = printf("usage: %s %s ", program->name, verb->name);
    htmt__text_print(stdout, column, column, htmt__text_width(STDOUT_FILENO),
                     single ? "[options]" : verb->usage);
    printf("\n\n  %s\n", verb->summary);
    if (verb->actions)
        printf("\nActions\n");
    for (const struct htmt__verb_action *a = verb->actions; a && a->name; a++)
        print_text(printf("  %s", a->name), a->help);
    if (verb->options)
        print_options("Options", verb->options, NULL);
    if (single) {
        print_app(program, single);
    } else if (takes_app) {
        print_options("Options of every application", htmt__common_rows, NULL);
        printf("\nApplications ('%s help APP' lists their own options)\n", program->name);
        print_applications(program, apps);
    }
    if (takes_app)
        help_statuses();
}

static void help_application_verb(const struct htmt__command *program, const char *name,
                                  const struct htmt_app *const *apps)
{
    printf("usage: %s %s%s [options]\n\n", program->name, name, program->single ? "" : " APP");
    for (; *apps; apps++) {
        const struct htmt_app_verb *verb = htmt__application_verb_find(*apps, name);
        char title[120];
        if (!verb)
            continue;
        print_application_verbs(*apps, name);
        snprintf(title, sizeof title, "Options of %s %s", name, (*apps)->name);
        print_options(title, verb->options, NULL);
    }
}

/* "run    run the kernels ...": the one application needs no word. */
static void help_single(const struct htmt__command *program, const struct htmt_app *app)
{
    printf("usage: %s VERB [options]\n       %s --version\n\n  %s\n\nVerbs\n", program->name,
           program->name, app->summary);
    for (const struct htmt__verb *const *v = program->verbs; *v; v++)
        print_text(printf("  %s", (*v)->name), (*v)->summary);
    for (const struct htmt_app_verb *v = app->verbs; v && v->name; v++)
        print_text(printf("  %s", v->name), v->summary);
    print_app(program, app);
    help_statuses();
}

static void help_app(const struct htmt__command *program, const struct htmt_app *app)
{
    printf("usage: %s run | model | predict %s%s[options]\n\n  %s\n", program->name,
           program->single ? "" : app->name, program->single ? "" : " ", app->summary);
    print_app(program, app);
}

/* A word that is no verb of the program: an application, or a verb of some. */
static int help_word(struct htmt__command *program, const char *word, struct htmt_fault *fault)
{
    const struct htmt_app *const *apps, *app = NULL;
    struct htmt_fault not_found = {0};
    int rc = htmt__application_find(&program->apps, word, &app, &not_found);
    if (!rc) {
        help_app(program, app);
        return 0;
    }
    if (rc != HTMT_EUSAGE)
        return htmt_fault_set(fault, rc, "%s", not_found.text);
    rc = htmt__application_all(&program->apps, &apps, fault);
    if (rc)
        return rc;
    if (!htmt__application_verb_offered(apps, word))
        return htmt__topic_refuse(program, apps, word, fault);
    help_application_verb(program, word, apps);
    return 0;
}

/* "graph" is a verb and an application: both are meant. */
static void help_topic(const struct htmt__command *program, const struct htmt__verb *verb,
                       const struct htmt_app *const *apps)
{
    help_verb(program, verb, apps);
    for (; *apps && !program->single; apps++)
        if (strcmp((*apps)->name, verb->name) == 0) {
            printf("\n");
            help_app(program, *apps);
        }
}

/* "predict" of host: the help of a verb has all of its actions. */
static bool is_action(const struct htmt__verb *verb, const char *word)
{
    const struct htmt__verb_action *a = verb ? verb->actions : NULL;
    while (a && a->name && strcmp(a->name, word) != 0)
        a++;
    return a && a->name;
}

int htmt__verb_help(struct htmt__command *program, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    const struct htmt__verb *verb = argc > 1 ? htmt__verb_find(program, argv[1]) : NULL;
    const struct htmt_app *const *apps, *single = single_of(program);
    const int words = argc > 2 && is_action(verb, argv[2]) ? argc - 1 : argc;
    if (words > 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "found '%s', expected one verb or application",
                       argv[argc - words + 2]);
    else if (argc > 1 && !verb)
        help_word(program, argv[1], &fault);
    else if (htmt__application_all(&program->apps, &apps, &fault))
        ; /* told below */
    else if (verb)
        help_topic(program, verb, apps);
    else if (single)
        help_single(program, single);
    else
        help_all(program, apps);
    return fault.code ? htmt__complain("help", &fault) : 0;
}

/* The command calls help itself: it is the help of the command's own table. */
const struct htmt__verb htmt__verb_row_help = {.name = "help",
                                               .usage = "[VERB|APP]",
                                               .summary =
                                                   "explain the command, a verb or an application"};
