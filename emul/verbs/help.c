/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/options/options.h"
#include "emul/text/width.h"
#include "emul/text/wrap.h"
#include "emul/verbs/verb.h"

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

static void print_option(const struct htmt_app_option *row)
{
    char text[600];
    int column = printf("  --%s%s%s", row->name, row->value_name ? " " : "",
                        row->value_name ? row->value_name : "");
    snprintf(text, sizeof text, "%s%s%s%s", row->help, row->fallback ? " (default " : "",
             row->fallback ? row->fallback : "", row->fallback ? ")" : "");
    print_text(column, text);
}

static void print_options(const char *title, const struct htmt_app_option *rows)
{
    printf("\n%s\n", title);
    for (; rows->name; rows++)
        print_option(rows);
}

/* "  scene sar    make a scene of point targets", for the verb `name`; NULL: for all verbs. */
static void print_application_verbs(const struct htmt_app *app, const char *name)
{
    for (const struct htmt_app_verb *v = app->verbs; v && v->name; v++)
        if (!name || strcmp(v->name, name) == 0)
            print_text(printf("  %s %s", v->name, app->name), v->summary);
}

static void help_all(const struct htmt_app *const *apps)
{
    printf("usage: htmt VERB [APP] [options]\n       htmt --version\n\nVerbs\n");
    for (const struct htmt__verb *v = htmt__verbs; v->name; v++)
        print_text(printf("  %s", v->name), v->summary);
    for (const struct htmt_app *const *app = apps; *app; app++)
        print_application_verbs(*app, NULL);
    printf("\nApplications\n");
    for (; *apps; apps++)
        print_text(printf("  %s", (*apps)->name), (*apps)->summary);
    printf("\n'htmt help VERB' and 'htmt help APP' tell more.\n");
}

static void help_verb(const struct htmt__verb *verb, const struct htmt_app *const *apps)
{
    printf("usage: htmt %s %s\n\n  %s\n", verb->name, verb->usage, verb->summary);
    if (verb->options)
        print_options("Options", verb->options);
    if (!htmt__verb_takes_app(verb))
        return;
    print_options("Options of every application", htmt__common_rows);
    printf("\nApplications ('htmt help APP' lists their own options)\n");
    for (; *apps; apps++)
        print_text(printf("  %s", (*apps)->name), (*apps)->summary);
    printf(
        "\nExit status: 0 done and correct; 1 the result is wrong; 2 usage or bad input;\n"
        "3 the model cannot go on (deadlock, capacity, overflow); 4 an internal or host failure,\n"
        "an interrupted run, or two runs that differ.\n");
}

static void help_application_verb(const char *name, const struct htmt_app *const *apps)
{
    printf("usage: htmt %s APP [options]\n\n", name);
    for (; *apps; apps++) {
        const struct htmt_app_verb *verb = htmt__application_verb_find(*apps, name);
        char title[120];
        if (!verb)
            continue;
        print_application_verbs(*apps, name);
        snprintf(title, sizeof title, "Options of %s %s", name, (*apps)->name);
        print_options(title, verb->options);
    }
}

static void help_app(const struct htmt_app *app)
{
    printf("usage: htmt run | model | predict %s [options]\n\n  %s\n", app->name, app->summary);
    if (app->options->name)
        print_options("Options of this application", app->options);
    if (app->verbs && app->verbs->name) {
        printf("\nVerbs of this application ('htmt help VERB' lists their options)\n");
        print_application_verbs(app, NULL);
    }
    print_options("Options of every application", htmt__common_rows);
}

int htmt__verb_help(const struct htmt_app *const *apps, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    if (argc < 2) {
        help_all(apps);
        return 0;
    }
    const struct htmt__verb *verb = htmt__verb_find(argv[1]);
    const struct htmt_app *app = htmt__app_find(apps, argv[1]);
    if (argc > 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "found '%s', expected one verb or application",
                       argv[2]);
    else if (!verb && !app && htmt__application_verb_offered(apps, argv[1]))
        help_application_verb(argv[1], apps);
    else if (!verb && !app)
        htmt__topic_refuse(apps, argv[1], &fault);
    else if (verb)
        help_verb(verb, apps);
    else
        help_app(app);
    return fault.code ? htmt__complain("help", &fault) : 0;
}
