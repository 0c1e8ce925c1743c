/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applications of other versions than this one, and such as nobody should have made.
 */
#include "apps/lib/layout.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    (void)task;
    (void)work;
    (void)e;
    return 0;
}

static const struct htmt_app least = {HTMT_APP_BEGIN, .name = "least",
                                      .summary = "as little as possible", .create = create};

static void expect_refused(const struct htmt_app *given, const char *text)
{
    struct htmt_fault fault = {0};
    struct htmt_app app;
    cr_expect_eq(htmt__app_complete(given, &app, &fault), HTMT_EINVAL, "%s", text);
    cr_expect_eq(strncmp(fault.text, text, strlen(text)), 0, "found '%s', expected '%s'",
                 fault.text, text);
}

Test(layout, an_application_needs_a_name_a_summary_and_create)
{
    struct htmt_fault fault = {0};
    struct htmt_app app, lacks;
    cr_assert_eq(htmt__app_complete(&least, &app, &fault), 0, "%s", fault.text);
    cr_expect_str_eq(app.name, "least");
    cr_expect_eq(app.create, create);
    cr_expect_null(app.options[0].name, "a table without rows");
    cr_expect(!app.plan && !app.tell && !app.check && !app.verbs && !app.folds);
    lacks = least;
    lacks.name = NULL;
    expect_refused(&lacks, "its struct htmt_app has no name");
    lacks = least;
    lacks.summary = NULL;
    expect_refused(&lacks, "its struct htmt_app has no summary");
    lacks = least;
    lacks.create = NULL;
    expect_refused(&lacks, "its struct htmt_app has no step create");
    expect_refused(NULL, "it has no struct htmt_app");
}

Test(layout, what_an_older_version_lacks_becomes_zero)
{
    /* An earlier version than one that will have had more behind `outputs`: its bytes end there. */
    struct {
        struct htmt_app app;
        unsigned char behind[64];
    } old;
    struct htmt_fault fault = {0};
    struct htmt_app app;
    memset(&old, 0xff, sizeof old);
    old.app = least;
    old.app.size = offsetof(struct htmt_app, outputs) + sizeof old.app.outputs;
    memset(&app, 0xff, sizeof app);
    cr_assert_eq(htmt__app_complete(&old.app, &app, &fault), 0, "%s", fault.text);
    cr_expect_eq(app.size, sizeof app);
    for (size_t i = old.app.size; i < sizeof app; i++)
        cr_expect_eq(((unsigned char *)&app)[i], 0);
}

Test(layout, later_versions_are_refused)
{
    struct htmt_app later = least;
    later.size += 8;
    expect_refused(&later, "it was built for a later libhtmt: its struct htmt_app has ");
    later = least;
    later.abi = HTMT_ABI + 1;
    expect_refused(&later, "it was built for version 3 of struct htmt_app, this is version 2");
    later.size += 80;
    expect_refused(&later, "it was built for version 3 of struct htmt_app, this is version 2");
}

Test(layout, sizes_that_no_version_had_are_refused)
{
    const uint32_t sizes[] = {0, 8, offsetof(struct htmt_app, outputs),
                              sizeof(struct htmt_app) + 4};
    struct htmt_app odd = least;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        odd.size = sizes[i];
        expect_refused(&odd, "its struct htmt_app has abi 2 and size ");
    }
    odd = least;
    odd.abi = 0;
    expect_refused(&odd, "its struct htmt_app has abi 0 and size ");
}

Test(layout, names_are_words_for_a_command_line)
{
    static const char *const bad[] = {"",       "-x",          "two words", "a/b",
                                      "dot.so", "caf\xc3\xa9", "\033[1m"};
    struct htmt_app app = least;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        app.name = bad[i];
        expect_refused(&app, "its name is '");
    }
}

static struct htmt_app_option rows[HTMT_APP_OPTIONS_MAX + 2];
static char row_names[HTMT_APP_OPTIONS_MAX + 1][12];

static const struct htmt_app_option *fill_rows(unsigned count)
{
    memset(rows, 0, sizeof rows);
    for (unsigned i = 0; i < count; i++) {
        snprintf(row_names[i], sizeof row_names[i], "x%u", i);
        rows[i].name = row_names[i];
        rows[i].help = "a row";
    }
    return rows;
}

Test(layout, more_options_than_the_command_reads_are_refused)
{
    struct htmt_app app = least, whole;
    app.options = fill_rows(HTMT_APP_OPTIONS_MAX);
    cr_expect_eq(htmt__app_complete(&app, &whole, NULL), 0);
    app.options = fill_rows(HTMT_APP_OPTIONS_MAX + 1);
    expect_refused(&app, "it has more than 64 options");
}

Test(layout, options_have_names_of_their_own)
{
    struct htmt_app app = least;
    app.options = fill_rows(3);
    rows[2].name = "x0";
    expect_refused(&app, "it has two options '--x0'");
    rows[2].name = "a=b";
    expect_refused(&app, "it has an option 'a=b', expected letters, digits, '-' and '_'");
    rows[2].name = "--x";
    expect_refused(&app, "it has an option '--x', expected letters");
    rows[1].help = NULL;
    expect_refused(&app, "its option '--x1' has no help");
}

static int run(const struct htmt_request *request, FILE *out, struct htmt_fault *fault)
{
    (void)request;
    (void)out;
    (void)fault;
    return 0;
}

Test(layout, verbs_of_an_application_are_whole_and_their_options_have_names_of_their_own)
{
    struct htmt_app_verb verbs[2] = {{"draw", "a picture", fill_rows(2), run},
                                     {NULL, NULL, NULL, NULL}};
    struct htmt_app app = least, whole;
    app.verbs = verbs;
    cr_expect_eq(htmt__app_complete(&app, &whole, NULL), 0);
    rows[1].name = "x0";
    expect_refused(&app, "it has two options '--x0' of its verb 'draw'");
    fill_rows(HTMT_APP_OPTIONS_MAX + 1);
    expect_refused(&app, "it has more than 64 options of its verb 'draw'");
    verbs[0].options = NULL;
    expect_refused(&app, "its verb 'draw' needs a summary, options and run");
}
