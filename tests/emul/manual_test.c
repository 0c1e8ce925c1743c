/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memmem */
#include "emul/command/command.h"
#include "emul/lib/options/options.h"
#include "tests/apps/table.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static char page[65536];

/* As a reader sees the text: roff's "\-" is "-". Tests run in the folder of the sources. */
static void load(const char *path)
{
    FILE *in = fopen(path, "r");
    cr_assert_not_null(in, "%s", path);
    size_t length = 0;
    for (int c; (c = fgetc(in)) != EOF && length + 1 < sizeof page;)
        if (c != '\\')
            page[length++] = (char)c;
    page[length] = '\0';
    fclose(in);
}

static const char *entry_of(const struct htmt_app_option *row)
{
    char name[80];
    snprintf(name, sizeof name, "--%s%s", row->name, row->value_name ? " \"" : "");
    const char *at = strstr(page, name);
    cr_assert_not_null(at, "--%s is not in the manual", row->name);
    return at;
}

static void covers(const struct htmt_app_option *row)
{
    const char *entry = entry_of(row), *end = strstr(entry, "\n.TP"), *section;
    section = strstr(entry, "\n.SH");
    end = end && (!section || end < section) ? end : section;
    cr_assert_not_null(end);
    size_t length = (size_t)(end - entry);
    char wanted[128] = "";
    if (row->fallback)
        snprintf(wanted, sizeof wanted, "Default: %s", row->fallback);
    else if (row->value_name)
        snprintf(wanted, sizeof wanted, "%s", row->value_name);
    cr_assert_not_null(memmem(entry, length, wanted, strlen(wanted)), "--%s lacks '%s'", row->name,
                       wanted);
    if (!row->fallback)
        cr_assert_null(memmem(entry, length, "Default:", 8), "--%s has no default", row->name);
}

Test(manual, every_option_is_in_the_man_page_with_its_value_and_default)
{
    load("emul/packaging/htmt.1");
    for (const struct htmt_app_option *row = htmt__common_rows; row->name; row++)
        covers(row);
}

Test(manual, every_verb_is_in_the_man_page)
{
    load("emul/packaging/htmt.1");
    for (const struct htmt__verb *const *v = htmt__command_verbs; *v; v++) {
        char text[64];
        snprintf(text, sizeof text, ".B htmt %s\n", (*v)->name);
        cr_assert_not_null(strstr(page, text), "%s", (*v)->name);
    }
}

Test(manual, every_verb_of_an_application_is_in_the_man_page)
{
    load("emul/packaging/htmt.1");
    for (const struct htmt_app *const *app = htmt_apps; *app; app++)
        for (const struct htmt_app_verb *v = (*app)->verbs; v && v->name; v++) {
            char text[80];
            snprintf(text, sizeof text, ".B htmt %s %s\n", v->name, (*app)->name);
            cr_assert_not_null(strstr(page, text), "%s %s", v->name, (*app)->name);
        }
}

Test(manual, every_option_is_in_the_guide_to_the_command_line)
{
    load("docs/cli.md");
    for (const struct htmt_app_option *row = htmt__common_rows; row->name; row++) {
        char cell[200];
        snprintf(cell, sizeof cell, "| `--%s%s%s` |", row->name, row->value_name ? " " : "",
                 row->value_name ? row->value_name : "");
        const char *at = strstr(page, cell);
        cr_assert_not_null(at, "'%s' is not in the guide", cell);
        snprintf(cell, sizeof cell, "| %s |", row->fallback ? row->fallback : "-");
        const char *next = strstr(at, cell);
        cr_assert(next && next < strchr(at, '\n'), "--%s: '%s'", row->name, cell);
    }
}

/* A common row would hide one of the same name. */
Test(manual, no_option_is_there_twice)
{
    for (const struct htmt_app_option *a = htmt__common_rows; a->name; a++)
        for (const struct htmt_app_option *b = a + 1; b->name; b++)
            cr_assert_str_neq(a->name, b->name);
}
